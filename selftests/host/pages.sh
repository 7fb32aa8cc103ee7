#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Pages for readers: files that they name are there, words of the glossary are in use, links lead
# somewhere, the index has each page, and what comments refer to is in references.md.
#
# Usage: pages.sh TOP

# shellcheck source=selftests/host/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$1" || exit 1
pages=(README.md Documentation/*.md Documentation/{developer,netlink}/*.md)
glossary=Documentation/developer/glossary.md
sources=(kernel userspace selftests scripts)

# Files in backticks, whole paths only, and without a pattern.
check_files()
{
	local name

	while read -r name; do
		[ -e "$name" ] || wrong "$1: there is no $name"
	done < <(tr '\140' "'" <"$1" | tr -d '\n' |
		grep -oE "'(kernel|userspace|selftests|scripts|Documentation)/[A-Za-z0-9_./-]+'" | tr -d "'")
}

# anchors PAGE: of its headings
anchors()
{
	sed -nE 's/^#+ //p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

check_links()
{
	local page=$1 link file

	while read -r link; do
		file=${link%%#*}
		file=${file:+$(dirname "$page")/$file}
		if ! [ -e "${file:=$page}" ]; then
			wrong "$page: no file $link"
		elif [[ "$link" = *#* ]] && ! grep -qxF -- "${link#*#}" <(anchors "$file"); then
			wrong "$page: no heading $link"
		fi
	done < <(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:')
}

# Documentation/README.md links to each page.
check_index()
{
	local page

	for page in "${pages[@]#Documentation/}"; do
		[[ $page = README.md ]] || grep -qF "]($page)" Documentation/README.md ||
			wrong "Documentation/README.md: no link to $page"
	done
}

# Each word is somebody's: it stands in a source, whole.
check_glossary()
{
	local word

	while read -r word; do
		git grep -qiwF -e "$word" -e "${word// /_}" -e "${word%e}ing" -e "${word}s" -- "${sources[@]}" ||
			wrong "glossary: nobody says '$word'"
	done < <(sed -nE 's/^\| ([^|]+) \| .*/\1/p' "$glossary" | grep -vx 'word')
}

# A number of a section, table or figure follows the name of its text.
check_sources()
{
	local texts='MRC 1\.0|the MRC paper|the OCP API|IBTA|UE|RFC [0-9]+'

	git grep -nE '\bprotocol [0-9]|\(design:' -- 'kernel/*.[ch]' 'userspace/*.[ch]*' >&2 &&
		wrong "no text is named"
	git grep -nE '\b(sections?|tables?|figure) [0-9]+[-.][0-9]+' -- 'kernel/*.[ch]' 'userspace/*.[ch]*' |
		grep -vE "($texts),? (section|table|figure)" >&2 && wrong "of which text?"
}

for page in "${pages[@]}"; do
	check_files "$page"
	check_links "$page"
done
check_index
check_glossary
check_sources
[ "$(grep -c '^| ' "$glossary")" -gt 50 ] || wrong "few words in the glossary"
exit $failed
