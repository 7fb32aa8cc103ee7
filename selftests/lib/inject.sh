# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sends packets made by hand to the second QP of mrc_hold (inject.py), behind lib.sh and hold.sh: in a
# fabric in which h2 has that QP.

# Options that the caller wants to add to each call.
INJECT_OPTIONS=()

inject_pid=

# inject_start: starts the process that serves all calls of a file. Not to be called in a subshell.
inject_start()
{
	[ -z "$inject_pid" ] || return 0
	mkfifo "$TEST_TMP"/inject.{to,from}
	python3 "$SELFTESTS/lib/inject.py" - <"$TEST_TMP/inject.to" >"$TEST_TMP/inject.from" 2>&1 &
	inject_pid=$!
	at_exit kill "$inject_pid"
	exec {inject_to}>"$TEST_TMP/inject.to" {inject_from}<"$TEST_TMP/inject.from"
}

# inject_ask WORD...: runs the command, prints the output.
inject_ask()
{
	local line

	echo "${*@Q}" >&"$inject_to"
	while IFS= read -r line <&"$inject_from"; do
		[[ $line != "end "* ]] || return "${line#end }"
		echo "$line"
	done
	return 1
}

# inject_alone WORD...: the same, in a process of its own, beside the other one.
inject_alone()
{
	python3 "$SELFTESTS/lib/inject.py" "$@"
}

# inject COMMAND [OPTION]...
inject()
{
	inject_ask "$@" --device mrc1 --held "$HOLD_FILE" "${INJECT_OPTIONS[@]}"
}

# inject_plain, inject_srv6 COMMAND [OPTION]...: sends to h2, from the last switch as packets leave the
# fabric; or through the whole fabric.
inject_plain()
{
	inject "$@" --via p1t0r2:h2 --to h2:eth1
}

inject_srv6()
{
	inject "$@" --via h1:eth1 --to p1t0r1:h1 --outer-src "$(lab sid h1)" \
		--outer "$(lab path h1 h2 1)"
}

# verdicts NAME COMMAND...: each line of the injector becomes a result of this test.
verdicts()
{
	local name=$1 verdict rest seen=0
	shift

	inject_start
	while read -r verdict rest; do
		seen=$((seen + 1))
		case $verdict in
		pass) ok "$name: $rest" ;;
		*) fail "$name: ${rest%%: counted*}" "$rest" ;;
		esac
	done < <("$@" 2>&1)
	[ "$seen" -gt 0 ] || fail "$name: ran"
}
