#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests options of mrcctl: colours, the layout of JSON and the exit status, with a command that needs
# no kernel.
#
# Usage: options_test.sh MRCCTL

set -uo pipefail

mrcctl=$1
failed=0

complain()
{
	echo "$*" >&2
	failed=1
}

# colored: prints whether standard input has colours
colored()
{
	if grep -q $'\033'; then echo yes; else echo no; fi
}

# to_pipe YES|NO OPTION...
to_pipe()
{
	local wanted=$1
	shift

	[ "$("$mrcctl" "$@" feature | colored)" = "$wanted" ] ||
		complain "into a pipe: '$*' should give colours: $wanted"
}

# to_terminal YES|NO OPTION...
to_terminal()
{
	local wanted=$1
	shift

	[ "$(script -qec "'$mrcctl' $* feature" /dev/null </dev/null | colored)" = "$wanted" ] ||
		complain "on a terminal: '$*' should give colours: $wanted"
}

# As with ip(8): the last colour option counts, and JSON has no colours.
to_pipe no
to_terminal no
for option in -c -color --color -c=always -col=always -color=always --color=always; do
	to_pipe yes $option
	to_terminal yes $option
done
for option in -c=auto -color=auto; do
	to_pipe no $option
	to_terminal yes $option
done
for option in -c=never -color=never; do
	to_pipe no $option
	to_terminal no $option
done
to_pipe no -c -c=never
to_pipe yes -c=never -c
to_pipe no -c -j
to_pipe no -c -j -p
[ "$("$mrcctl" -c feature | sed 's/\x1b\[[0-9;]*m//g')" = "$("$mrcctl" feature)" ] ||
	complain "colours change the text"

message=$("$mrcctl" -c=often feature 2>&1 >/dev/null)
status=$?
[ "$status:$message" = "1:mrcctl: color must be always, auto or never, not 'often'" ] ||
	complain "-c=often: status $status: $message"

message=$("$mrcctl" -n none-such feature 2>&1 >/dev/null)
status=$?
[ "$status:$message" = "2:mrcctl: network namespace none-such: No such file or directory" ] ||
	complain "-n none-such: status $status: $message"

# The same values, on one line or indented.
compact=$("$mrcctl" -j feature)
[ "$(wc -l <<<"$compact")" = 1 ] || complain "-j: more than one line"
for options in "-j -p" "-jp" "-p -j" "-json -pretty" "--json --pretty"; do
	# shellcheck disable=SC2086 # several words
	pretty=$("$mrcctl" $options feature)
	sed -n 2,3p <<<"$pretty" | grep -q '^ \{4\}{' || complain "$options: not indented: $pretty"
	[ "$(sed 's/^ *//; s/": /":/' <<<"$pretty" | tr -d '\n')" = "$compact" ] ||
		complain "$options: differs from -j"
done
[ "$("$mrcctl" -p feature)" = "$("$mrcctl" feature)" ] || complain "-p changes text"
exit $failed
