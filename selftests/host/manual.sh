#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks the manual pages: they format without a warning; there is one for each object of mrcctl, with
# all words of its grammar and all keys of its JSON, and one for each function of libmrc; all references
# lead to a page. selftests/netlink/man_examples.sh runs their examples, selftests/api/libmrc.sh that of
# mrc(7).
#
# Usage: manual.sh TOP MRCCTL

. "$(dirname "$0")/lib.sh"

pages=$1/Documentation/man golden=$1/userspace/mrcctl/tests/golden mrcctl=$2

# text FILE: prints a formatted page in one line
text()
{
	groff -t -man -Tascii -P-cbou -rLL=2000n "$1" 2>/dev/null | tr -s ' \n' ' '
}

# words NAME FILE: each word of standard input must stand by itself in a page
words()
{
	local shown word missing=''

	shown=$(text "$2" | tr -c 'a-zA-Z0-9_-' '\n')
	while read -r word; do
		grep -qxF -- "$word" <<<"$shown" || missing+=" $word"
	done
	[ -z "$missing" ] || wrong "${2##*/}: not in it, of $1:$missing"
}

check_format()
{
	local page=$1 said name

	said=$(groff -t -man -ww -z -Tutf8 "$page" 2>&1) || wrong "$page: groff fails"
	[ -z "$said" ] || wrong "$said"
	name=$(basename "${page%.*}")
	grep -qxF ".TH ${name^^} ${page##*.} \"\" \"Soft MRC\" \"Linux\"" <(sed 's/\\-/-/g' "$page") ||
		wrong "$page: another heading"
	grep -A 1 '^\.SH NAME' "$page" | sed 's/\\-/-/g' | grep -qE "^$name( - |, )" ||
		wrong "$page: another name"
}

# What a reader may copy must be the intended characters, not a typographic quote or hyphen.
check_examples()
{
	local page=$1

	[[ $page = *.[37] ]] || grep -qx '\.SH EXAMPLES' "$page" || wrong "$page: no examples"
	awk -v page="$page" '/^\.EX/ { inside = 1; next } /^\.EE/ { inside = 0 }
		inside && /(^|[^\\])-|['\''`^~]/ { print page ":" NR ": not escaped: " $0; bad = 1 }
		END { exit bad }' "$page" >&2 || failed=1
}

# Pages of this project to which a page refers.
check_references()
{
	local page=$1 name section

	while read -r name section; do
		[ -e "$pages/$name.$section" ] || wrong "$page: no page $name($section)"
	done < <(text "$page" | grep -oE 'mrc((ctl|d)[a-z.-]*|_[a-z_]*|)\([0-9]\)' | sed 's/[()]/ /g')
}

# usage_words OBJECT: prints the keywords of its grammar, without their descriptions
usage_words()
{
	"$mrcctl" "$1" help | sed -n '/^Usage: \|^  \|^[A-Z]* :=/p' | grep -oE '\b[a-z][a-z0-9-]+\b' | sort -u
}

# json_keys OBJECT: prints the keys of all that it shows; counters have a document of their own
json_keys()
{
	find "$golden" -regextype egrep -regex ".*/$1(-one|-all|-get|-remote)?\.json" -print0 |
		xargs -0 -r jq -r 'walk(if type == "object" then del(.counter) else . end) |
			.. | objects | keys[]' | sort -u
}

# An object has a page, or, if it is small, a section of mrcctl(8).
check_object()
{
	local object=$1 page=$pages/mrcctl-$1.8

	if ! [ -e "$page" ]; then
		grep -qx "\.SS $object" "$pages/mrcctl.8" || wrong "no page of $object"
		page=$pages/mrcctl.8
	fi
	words "its grammar" "$page" < <(usage_words "$object")
	words "its JSON" "$page" < <(json_keys "$object")
	grep -qE "^($object@|\.SS $object\$)" "$pages/mrcctl.8" || wrong "mrcctl.8 does not list $object"
}

# Each function has a page, or a link to the page that has it in its header.
check_function()
{
	local name=$1 page=$pages/$1.3 of

	[ -e "$page" ] || { wrong "no page of $name"; return; }
	of=$(sed -n 's,^\.so man3/,,p' "$page")
	page=$pages/${of:-$name.3}
	if ! [ -e "$page" ]; then
		wrong "$name.3 leads nowhere: $of"
	elif ! grep -A 2 '^\.SH NAME' "$page" | grep -qwF "$name"; then
		wrong "$page: $name is not in its head"
	elif ! grep -qE "mrc(_ctl)?\\.h" "$page" || ! text "$page" | grep -qF " RETURN VALUE "; then
		wrong "$page: what is returned is not in it"
	fi
}

command -v groff >/dev/null || exit 4
command -v jq >/dev/null || exit 4
for page in "$pages"/*.[1-9]; do
	! grep -q '^\.so ' "$page" || continue
	check_format "$page"
	check_examples "$page"
	check_references "$page"
done
read -ra objects < <("$mrcctl" help | tr '\n' ' ' | sed 's/.*OBJECT := {\([^}]*\)}.*/\1/; s/|/ /g')
[ ${#objects[@]} -gt 10 ] || wrong "mrcctl help names no objects: ${objects[*]}"
for object in "${objects[@]}"; do
	check_object "$object"
done
for page in "$pages"/mrcctl-*.8; do
	object=$(basename "${page#*/mrcctl-}" .8)
	[[ " ${objects[*]} " = *" $object "* ]] || wrong "$page: no object $object"
	grep -qF ".BR mrcctl\\-${object//-/\\-} (8)" "$pages/mrcctl.8" ||
		wrong "mrcctl.8 does not refer to $page"
done
functions=0
while read -r name; do
	check_function "$name"
	functions=$((functions + 1))
done < <(sed -nE 's/^\t\t(mrc_[a-z_]+);/\1/p' "$1/userspace/libmrc/libmrc.map")
[ $functions -gt 20 ] || wrong "libmrc.map has $functions functions"
exit $failed
