#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks the pages for readers: files that they name exist, words of the glossary are in use, links lead
# somewhere, the index has each page, and references.md has what comments refer to. Paths of MAINTAINERS
# exist. The version stands in one place.
#
# Usage: pages.sh TOP

. "$(dirname "$0")/lib.sh"

cd "$1" || exit 1
pages=(./*.md Documentation/*.md Documentation/{developer,netlink}/*.md)
glossary=Documentation/developer/glossary.md
sources=(kernel userspace selftests scripts)

# Files in backticks: only whole paths without a pattern.
check_files()
{
	local name

	while read -r name; do
		[ -e "$name" ] || wrong "$1: there is no $name"
	done < <(tr '\140' "'" <"$1" | tr -d '\n' |
		grep -oE "'(kernel|userspace|selftests|scripts|Documentation)/[A-Za-z0-9_./-]+'" | tr -d "'")
}

# anchors PAGE: prints the anchors of its headings
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
		[[ $page = README.md || $page = ./* ]] || grep -qF "]($page)" Documentation/README.md ||
			wrong "Documentation/README.md: no link to $page"
	done
}

# Each word is in use: it stands in a source, as a whole word.
check_glossary()
{
	local word

	while read -r word; do
		git grep -qiwF -e "$word" -e "${word// /_}" -e "${word%e}ing" -e "${word}s" -- "${sources[@]}" ||
			wrong "glossary: nobody says '$word'"
	done < <(sed -nE 's/^\| ([^|]+) \| .*/\1/p' "$glossary" | grep -vx 'word')
}

# The number of a section, table or figure follows the name of its document.
check_sources()
{
	local texts='MRC 1\.0|the MRC paper|the OCP API|IBTA|UE|RFC [0-9]+'

	git grep -nE '\bprotocol [0-9]|\(design:' -- 'kernel/*.[ch]' 'userspace/*.[ch]*' >&2 &&
		wrong "no text is named"
	git grep -nE '\b(sections?|tables?|figure) [0-9]+[-.][0-9]+' -- 'kernel/*.[ch]' 'userspace/*.[ch]*' |
		grep -vE "($texts),? (section|table|figure)" >&2 && wrong "of which text?"
}

# bash completes a name that ends in a slash without checking it.
check_maintainers()
{
	local pattern

	while read -r pattern; do
		compgen -G "${pattern%/}" >/dev/null || wrong "MAINTAINERS: there is no $pattern"
	done < <(sed -nE 's/^F:\t//p' MAINTAINERS)
}

# Code that shows the version reads it in kernel/main.c. The changelog begins with that version.
check_version()
{
	local version

	version=$(sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' kernel/main.c)
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || wrong "no version MAJOR.MINOR.PATCH: '$version'"
	equal "version at the top of CHANGELOG.md" "$version" \
		"$(sed -nE '/^## /{s/^## ([0-9.]+) - .*/\1/p;q}' CHANGELOG.md)"
	git grep -nE "(^|[^0-9.])${version//./\\.}([^0-9.]|$)" -- '*CMakeLists.txt' '*.in' kernel scripts \
		'userspace/*/src' ':!kernel/main.c' >&2 && wrong "the version stands there, too"
}

for page in "${pages[@]}"; do
	check_files "$page"
	check_links "$page"
done
check_index
check_glossary
check_sources
check_maintainers
check_version
[ "$(grep -c '^| ' "$glossary")" -gt 50 ] || wrong "few words in the glossary"
exit $failed
