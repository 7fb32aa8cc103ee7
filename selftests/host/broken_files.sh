#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcd --check names what is wrong with a file. The test breaks one line of a file, in over a hundred
# ways; each time mrcd prints FILE:LINE: REASON.
#
# Usage: broken_files.sh TOP MRCD

. "$(dirname "$0")/lib.sh"

tests=$1/userspace/mrcd/tests mrcd=$2 file=$HOST_TMP/mrcd.toml
declare -i tried=0
[ -x "$mrcd" ] || exit 4

# check_broken LINE TEXT REASON: a file with TEXT as its line LINE is wrong for this REASON.
check_broken()
{
	local status=0 said wanted="$file:$1: $3"
	local -a lines=("${good[@]}")

	lines[$1 - 1]=$2
	printf '%s\n' "${lines[@]}" >"$file"
	said=$("$mrcd" --check "$file" 2>&1 >"$HOST_TMP/out") || status=$?
	[ $status = 1 ] || wrong "line $1 '$2': exit status $status"
	[[ $'\n'$said = *$'\n'"$wanted"* ]] ||
		wrong "line $1 '$2':" "wanted: $wanted" "found:  $said"
	! grep -vE "^$file:[1-9][0-9]*: ." <<<"$said" >&2 || wrong "line $1 '$2': no line is named"
	[ ! -s "$HOST_TMP/out" ] || wrong "line $1 '$2': says something on standard output"
}

mapfile -t good <"$tests/small.toml"
said=$("$mrcd" --check "$tests/small.toml" 2>&1) || wrong "small.toml: $said"
equal "of a good file it says" "" "$said"
while IFS=$'\t' read -r line text reason; do
	[[ $line != \#* ]] || continue
	check_broken "$line" "$text" "$reason"
	tried+=1
done <"$tests/broken.tsv"
[ $tried -ge 100 ] || wrong "only $tried broken files"
exit $failed
