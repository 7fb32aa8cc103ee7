#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bash completion against the program's own help, so that neither forgets a word.
#
# Usage: completion_test.sh COMPLETION MRCCTL

set -uo pipefail

# shellcheck source=/dev/null
. "$1"
mrcctl=$2
failed=0

# complete_words WORD...: candidates for the last word, which may be empty
complete_words()
{
	COMP_WORDS=(mrcctl "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_mrcctl
	printf '%s\n' "${COMPREPLY[@]}"
}

# offers WORD -- LINE...: completing LINE must offer WORD
offers()
{
	local word=$1 words
	shift 2

	# Not a pipe: grep -q leaves before the words are written, which pipefail calls a failure.
	words=$(complete_words "$@" 2>&1)
	if ! grep -qxF -- "$word" <<<"$words"; then
		echo "completing '$*' does not offer $word" >&2
		failed=1
	fi
	case $words in
	*": line "*)
		echo "completing '$*' complains: $words" >&2
		failed=1 ;;
	esac
}

objects=$("$mrcctl" help | tr '\n' ' ' | sed 's/.*OBJECT := {\([^}]*\)}.*/\1/; s/|/ /g')
for object in $objects; do
	offers "$object" -- "${object:0:1}"
	# Words behind the object in its grammar are commands.
	for command in $("$mrcctl" "$object" help | sed -n "s/^.*mrcctl $object \(.*\)/\1/p" |
		sed 's/DEV.*//; s/[][{}|]/ /g'); do
		case $command in
		[a-z]*) offers "$command" -- "$object" "" ;;
		esac
	done
done
offers burst -- device set mrc0 b
offers tunnel-source -- device set mrc0 burst 8 ""
offers off -- device set mrc0 icrc ""
offers active -- ev-profile set mrc0 7 ""
offers srv6 -- ev-profile add mrc0 7 format ""
offers ev-profile -- route add mrc0 fd00::/64 ""
offers help -- probe ""
offers remote -- probe mrc0 ""
offers timeout -- probe mrc0 remote fd00::2 ev 3 t
offers count -- top ""
offers sort -- top mrc0 interval 2 ""
offers lost -- top sort l
offers lost -- top mrc0 sort ""
for word in qpn remote state ev-profile pid; do
	offers $word -- qp show ""
	offers $word -- qp show mrc0 ""
done
for word in remote ev-profile ev-state; do
	offers $word -- peer show ""
	offers $word -- peer show mrc0 ev-state bad ""
done
offers assumed-bad -- peer show mrc0 ev-state a
offers err -- qp show mrc0 state ""
offers kind -- monitor ""
offers kind -- monitor mrc0 ""
offers kind -- monitor mrc0 kind qp ""
offers peer-ports -- monitor kind p
offers -json -- -
[ -z "$(complete_words device set mrc0 burst '')" ] || {
	echo "a number is completed" >&2
	failed=1
}
[ "$(wc -w <<<"$objects")" = 14 ] || {
	echo "objects in the help: $objects" >&2
	failed=1
}
exit $failed
