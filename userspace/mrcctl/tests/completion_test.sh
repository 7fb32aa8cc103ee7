#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares completion in bash, zsh and fish with the help of mrcctl: each must offer all its words.
#
# Usage: completion_test.sh FOLDER MRCCTL

set -uo pipefail

folder=$(realpath "$1")
mrcctl=$(realpath "$2")
failed=0
# Completion runs mrcctl.
PATH=$(dirname "$mrcctl"):$PATH
# The expected results: a word, and the line to complete.
words=() lines=()

complain()
{
	echo "$*" >&2
	failed=1
}

# offers WORD LINE: completing LINE must offer WORD
offers()
{
	words+=("$1")
	lines+=("mrcctl $2")
}

# in_SHELL: prints the words that are offered for each line of standard input, each behind the number
# of the line and a tab.
in_bash()
{
	local -i number=0
	local line word

	# shellcheck source=/dev/null
	. "$folder/bash-completion/completions/mrcctl"
	complete -p mrcctl >/dev/null || complain "bash: nothing is completed"
	while IFS= read -r line; do
		read -ra COMP_WORDS <<<"$line"
		[[ $line != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		COMPREPLY=()
		_mrcctl
		for word in "${COMPREPLY[@]}"; do
			printf '%d\t%s\n' "$number" "$word"
		done
		number+=1
	done
}

in_zsh()
{
	# Calls it as the shell does: with words, CURRENT and PREFIX set, and compadd to take the result.
	# shellcheck disable=SC2016 # for zsh
	zsh -f -c '
		fpath=($1/zsh/site-functions $fpath)
		autoload -Uz compinit && compinit -D -u
		[[ $_comps[mrcctl] = _mrcctl ]] || print -u2 "zsh: nothing is completed"
		compadd() {
			local word
			for word in ${(P)2}; do
				print -r -- "$number	$word"
			done
		}
		integer number=0
		while IFS= read -r line; do
			words=(${(z)line})
			[[ $line != *" " ]] || words+=("")
			CURRENT=$#words
			PREFIX=$words[CURRENT]
			_mrcctl
			number+=1
		done' - "$folder"
}

in_fish()
{
	# shellcheck disable=SC2016 # for fish
	fish --no-config -c '
		source $argv[1]/fish/vendor_completions.d/mrcctl.fish
		set -l number 0
		while read -l --delimiter "" line
			for word in (complete -C "$line")
				printf "%d\t%s\n" $number $word
			end
			set number (math $number + 1)
		end' "$folder"
}

# check_shell SHELL
check_shell()
{
	local shell=$1 found complaints
	local -i i

	found=$(printf '%s\n' "${lines[@]}" | "in_$shell" 2>"$complaints_file")
	complaints=$(<"$complaints_file")
	[ -z "$complaints" ] || complain "$shell: $complaints"
	for ((i = 0; i < ${#lines[@]}; i++)); do
		# Not a pipe: grep -q ends before all words are written, which would be a failure with pipefail.
		if [ -z "${words[i]}" ]; then
			! grep -qP "^$i\t" <<<"$found" ||
				complain "$shell: completing '${lines[i]}' offers something"
		elif ! grep -qxF -- "$i"$'\t'"${words[i]}" <<<"$found"; then
			complain "$shell: completing '${lines[i]}' does not offer ${words[i]}"
		fi
	done
}

objects=$("$mrcctl" help | tr '\n' ' ' | sed 's/.*OBJECT := {\([^}]*\)}.*/\1/; s/|/ /g')
for object in $objects; do
	offers "$object" "${object:0:1}"
	# Words behind the object in its grammar are commands.
	for command in $("$mrcctl" "$object" help | sed -n "s/^.*mrcctl $object \(.*\)/\1/p" |
		sed 's/DEV.*//; s/[][{}|]/ /g'); do
		case $command in
		[a-z]*) offers "$command" "$object " ;;
		esac
	done
	offers help "$object "
done
# Options are written like -j[son].
options=$("$mrcctl" help | grep -oE -- '-[a-zA-Z]\[[a-z]+\]' | tr -d '[]')
for option in $options; do
	offers "$option" "-"
	offers "$option" "-j ${option:0:2}"
done
offers -batch -
# settings_of OBJECT END: prints the settings in the help of OBJECT, which stand between SETTING and END
settings_of()
{
	"$mrcctl" "$1" help | tr -d '\n' |
		sed "s/.*SETTING := { \(.*\) }$2.*/\1/; s/{[^}]*}//g" | grep -oE '[a-z][a-z0-9-]*'
}

for setting in $(settings_of device Devices); do
	offers "$setting" "device set mrc0 "
	settings=${settings:-}" $setting"
done
for setting in $(settings_of cc-profile Algorithm); do
	offers "$setting" "cc-profile add mrc0 4 algorithm nscc "
	cc_settings=${cc_settings:-}" $setting"
done
for word in present absent; do
	offers $word "cc-profile set mrc0 4 algorithm nscc ecn "
done
offers nscc "cc-profile set mrc0 4 algorithm "
offers off "cc-profile set mrc0 4 algorithm nscc quick-adapt "
offers gamma "cc-profile set mrc0 4 algorithm nscc quick-adapt off "
offers "" "cc-profile set mrc0 4 algorithm nscc rate "
offers burst "device set mrc0 b"
offers tunnel-source "device set mrc0 burst 8 "
offers off "device set mrc0 icrc "
offers active "ev-profile set mrc0 7 "
offers srv6 "ev-profile add mrc0 7 format "
offers ev-profile "route add mrc0 fd00::/64 "
offers ev-profile "ev show mrc0 "
offers index "ev deny mrc0 ev-profile 7 "
offers remote "probe mrc0 "
offers timeout "probe mrc0 remote fd00::2 ev 3 t"
offers raw "probe mrc0 "
offers to "probe mrc0 raw "
offers limit "probe mrc0 raw to fd00::2 port 1 value 1 l"
offers count "top "
offers sort "top mrc0 interval 2 "
offers lost "top sort l"
offers lost "top mrc0 sort "
for word in qpn remote state ev-profile pid; do
	offers $word "qp show "
	offers $word "qp show mrc0 "
done
for word in remote ev-profile ev-state; do
	offers $word "peer show "
	offers $word "peer show mrc0 ev-state bad "
done
offers assumed-bad "peer show mrc0 ev-state a"
offers err "qp show mrc0 state "
offers kind "monitor "
offers kind "monitor mrc0 "
offers kind "monitor mrc0 kind qp "
offers peer-ports "monitor kind p"
# A number is not completed.
offers "" "device set mrc0 burst "

[ "$(wc -w <<<"$settings")" -ge 10 ] || complain "settings in the help: $settings"
[ "$(wc -w <<<"$cc_settings")" -ge 17 ] || complain "settings of nscc in the help: $cc_settings"
[ "$(wc -w <<<"$objects")" = 14 ] || complain "objects in the help: $objects"
[ "$(wc -w <<<"$options")" = 11 ] || complain "options in the help: $options"
complaints_file=$(mktemp)
trap 'rm -f "$complaints_file"' EXIT
for shell in bash zsh fish; do
	if command -v $shell >/dev/null; then
		check_shell $shell
	else
		echo "no $shell: left out" >&2
	fi
done
exit $failed
