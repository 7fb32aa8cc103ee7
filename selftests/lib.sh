# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of the selftests. A selftest file has one topic and sources this:
#
#   . "$(dirname "$0")/../lib.sh"
#   lab_up --planes 2
#   check "h1 reaches h2" on h1 ping -c 1 "$(lab gid h2)"
#   finish
#
# Output is TAP 13; the exit status is kselftest's: 0 passed, 1 failed,
# 4 skipped.  A file that ends without "finish" has failed.

set -uo pipefail

SELFTESTS=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
TOP=$(dirname "$SELFTESTS")
TEST_TMP=$(mktemp -d "${TMPDIR:-/tmp}/mrc-test.XXXXXX")
# Factor by which everything may take longer here, see selftests/run.
SLOW=${SELFTESTS_SLOW:-1}
# The most seconds that wait_for waits: ends a hung test, measures nothing.
WAIT_LIMIT=${WAIT_LIMIT:-$((60 * SLOW))}

test_number=0
test_failed=0
test_skipped=0
test_finished=0
test_cleanups=()

for provider in "$TOP"/build/userspace/provider/libmrc-rdmav*.so; do
	if [ -e "$provider" ]; then
		export RDMAV_DRIVERS=${RDMAV_DRIVERS:-${provider%-rdmav*}}
	fi
done
unset provider
# An emulator starts a program in half the time if the program reads no locale tables.
export LC_ALL=C
export PATH=$TOP/build/userspace/mrcctl:$TOP/build/userspace/mrcd:$TOP/build/userspace/bin:$PATH

echo "TAP version 13"

# Prints standard input as diagnostics.
diag()
{
	sed 's/^/# /'
}

ok()
{
	test_number=$((test_number + 1))
	echo "ok $test_number $*"
}

# fail NAME [DETAIL]...
fail()
{
	test_number=$((test_number + 1))
	test_failed=$((test_failed + 1))
	echo "not ok $test_number $1"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | diag
}

# skip NAME REASON
skip()
{
	test_number=$((test_number + 1))
	test_skipped=$((test_skipped + 1))
	echo "ok $test_number $1 # SKIP $2"
}

# skip_all REASON: this whole file cannot run here.
skip_all()
{
	echo "1..0 # SKIP $*"
	test_finished=1
	exit 4
}

# bail NAME [DETAIL]...: a failure after which nothing can be tested.
bail()
{
	fail "$@"
	test_finished=1
	exit 1
}

# check NAME COMMAND...: passes when COMMAND does.
check()
{
	local name=$1
	shift

	if "$@" >"$TEST_TMP/check.log" 2>&1; then
		ok "$name"
	else
		fail "$name" "status $? of: $*"
		diag <"$TEST_TMP/check.log"
	fi
}

# check_not NAME COMMAND...: passes when COMMAND fails.
check_not()
{
	local name=$1
	shift

	if "$@" >"$TEST_TMP/check.log" 2>&1; then
		fail "$name" "succeeded: $*"
		diag <"$TEST_TMP/check.log"
	else
		ok "$name"
	fi
}

# check_equal NAME WANTED FOUND
check_equal()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		fail "$1" "wanted: $2" "found:  $3"
	fi
}

# check_error NAME STATUS TEXT COMMAND...: COMMAND must end with STATUS and
# print TEXT on standard error.
check_error()
{
	local name=$1 wanted=$2 text=$3 status=0
	shift 3

	"$@" >/dev/null 2>"$TEST_TMP/check.log" || status=$?
	if [ "$status" = "$wanted" ] && grep -qF -- "$text" "$TEST_TMP/check.log"; then
		ok "$name"
	else
		fail "$name" "wanted status $wanted and '$text', got status $status and:"
		diag <"$TEST_TMP/check.log"
	fi
}

# check_output NAME PATTERN COMMAND...: COMMAND must succeed, and print a line that matches the extended
# regular expression.
check_output()
{
	local name=$1 pattern=$2 status=0
	shift 2

	"$@" >"$TEST_TMP/check.log" 2>&1 || status=$?
	if [ $status = 0 ] && grep -qE -- "$pattern" "$TEST_TMP/check.log"; then
		ok "$name"
	else
		fail "$name" "wanted a line like '$pattern', got status $status from: $*"
		diag <"$TEST_TMP/check.log"
	fi
}

# A pipe that nothing writes to: a read from it takes time, but no new process. The other pipes are
# lab's, see below.
mkfifo "$TEST_TMP"/{nothing,lab.to,lab.from,lab.token}
exec {nothing}<>"$TEST_TMP/nothing"

# nap SECONDS: like sleep(1), within the shell.
nap()
{
	! read -rt "$1" -u "$nothing" _
}

# wait_for COMMAND...: waits until COMMAND succeeds; fails after WAIT_LIMIT seconds.
wait_for()
{
	local end=$((SECONDS + WAIT_LIMIT))

	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		nap 0.2
	done
}

# need COMMAND...: skips this file if one of these programs is missing.
need()
{
	local program

	for program; do
		[ "$program" != jq ] || program=gojq
		command -v "$program" >/dev/null || skip_all "needs $program"
	done
}

# mac_of NS IF
mac_of()
{
	ip -n "$1" -j link show dev "$2" | jq -r '.[0].address'
}

# The jq-like program that an emulator starts in a quarter of the time. It always sorts the keys of
# objects.
jq()
{
	gojq "$@"
}

now_ms()
{
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# yaml_python: sets python to an interpreter that has the yaml module.
yaml_python()
{
	for python in /usr/bin/python3 python3; do
		! "$python" -c 'import yaml' 2>/dev/null || return 0
	done
	return 1
}

# at_exit COMMAND...: runs it at the end of the file, the last command first.
at_exit()
{
	local line

	printf -v line '%q ' "$@"
	test_cleanups=("$line" "${test_cleanups[@]}")
}

# background COMMAND...: starts it, leaves its pid in BACKGROUND_PID, and ends it with the file.
# Redirect its output at the call.
background()
{
	"$@" &
	BACKGROUND_PID=$!
	at_exit kill "$BACKGROUND_PID"
}

# ---------------------------------------------------------------- lab

# One process (scripts/lab -b) serves all calls of lab in a file, also those in subshells, because under
# emulation starting a process takes longer than most commands. Its state is on disk, so a separate
# process works as well: where there is no such process, for words with blanks, and for commands that
# read standard input.
lab_pid=
# Hosts' addresses are needed often, so they are kept.
declare -A lab_gids=()

lab()
{
	if [ "$1" = gid ] && [ -n "${lab_gids[${2:-}]:-}" ]; then
		echo "${lab_gids[$2]}"
	elif [[ $1 != @(hold|exec|-*) ]] && lab_can_say "$@" && lab_resident; then
		lab_ask "$@"
	else
		"$TOP/scripts/lab" "$@"
	fi
}

# lab_can_say WORD...: the words can be sent as one line
lab_can_say()
{
	local word

	for word; do
		[[ $word =~ ^[[:graph:]]+$ ]] || return
	done
}

# lab_resident: the process exists. The first call outside a subshell starts it.
lab_resident()
{
	if [ -z "$lab_pid" ] && [ "$BASH_SUBSHELL" = 0 ]; then
		"$TOP/scripts/lab" -b <"$TEST_TMP/lab.to" >"$TEST_TMP/lab.from" 2>/dev/null &
		lab_pid=$!
		# The process is no job of the test.
		disown "$lab_pid"
		exec {lab_to}>"$TEST_TMP/lab.to" {lab_from}<"$TEST_TMP/lab.from"
		# The caller that has read this line may send a command.
		exec {lab_token}<>"$TEST_TMP/lab.token"
		echo >&"$lab_token"
	fi
	[ -n "$lab_pid" ] && kill -0 "$lab_pid" 2>/dev/null
}

# lab_ask WORD...: sends the command. All of the answer is read before any is printed, because printing
# may end the caller.
lab_ask()
{
	local line out='' err='' status=''

	if ! read -r -t "$WAIT_LIMIT" -u "$lab_token" _; then
		echo "lab: does not answer" >&2
		return 1
	fi
	echo "$*" >&"$lab_to"
	while [ -z "$status" ] && IFS= read -r line <&"$lab_from"; do
		case $line in
		"out "*) out+=${line:4}$'\n' ;;
		"err "*) err+=${line:4}$'\n' ;;
		"end "*) status=${line:4} ;;
		esac
	done
	echo >&"$lab_token"
	[ -z "$err" ] || printf %s "$err" >&2
	[ -z "$out" ] || printf %s "$out"
	return "${status:-1}"
}

# lab_ready COMMAND...: prepares each command, which is one word; "lab go" runs all of them at once.
lab_ready()
{
	local command

	lab_resident || return
	for command; do
		lab_ask hold "$command" || return
	done
}

# lab_idle: no caller was stopped in the middle of a command.
lab_idle()
{
	[ -z "$lab_pid" ] || { read -r -t 1 -u "$lab_token" _ && echo >&"$lab_token"; }
}

lab_gone()
{
	! kill -0 "$lab_pid"
}

# lab_end: ends the process, and what it is doing
lab_end()
{
	kill "$lab_pid"
	wait_for lab_gone
}

# lab_up OPTION...: builds a fabric, which is removed when the file ends.
lab_up()
{
	local host

	at_exit lab down
	lab up "$@" >"$TEST_TMP/lab.log" 2>&1 ||
		bail "fabric $*" "$(cat "$TEST_TMP/lab.log")"
	for host in h1 h2; do
		lab_gids[$host]=$(lab gid $host)
	done
}

lab_down()
{
	lab down
}

# on NS COMMAND...: runs it inside a host or switch. Some programs enter by themselves, in half the
# time.
on()
{
	case $2 in
	mrcctl | tc) "$2" -n "$1" "${@:3}" ;;
	*) ip netns exec "$@" ;;
	esac
}

# carriers VALUE NS:IF...: 1: all have a carrier; 0: none has
carriers()
{
	local value=$1 end
	shift

	for end; do
		[ "$(on "${end%:*}" cat "/sys/class/net/${end#*:}/carrier")" = "$value" ] || return
	done
}

# reach NS ADDR: waits until a new link is up, and the neighbour is known.  The RDMA subsystem looks for
# a neighbour for one second, and an emulated machine may need longer.
reach()
{
	wait_for on "$1" ping -6 -q -c 1 -W 2 "$2" || bail "$1 reaches $2"
}

# finish: ends the file.
finish()
{
	test_finished=1
	exit 0
}

test_exit()
{
	local status=$? line

	trap - EXIT
	# A child that is killed before it sets its own handlers comes here, too.
	[ "$BASHPID" = $$ ] || return "$status"
	lab_idle || lab_end
	for line in "${test_cleanups[@]}"; do
		eval "$line" >/dev/null 2>&1
	done
	[ -z "$lab_pid" ] || kill "$lab_pid" 2>/dev/null
	rm -rf "$TEST_TMP"
	if [ "$status" = 4 ] && [ "$test_number" = 0 ]; then
		exit 4
	fi
	[ "$test_finished" = 1 ] || fail "ran to its end" "ended with status $status"
	echo "1..$test_number"
	[ "$test_failed" = 0 ] || exit 1
	if [ "$test_number" = "$test_skipped" ]; then
		exit 4
	fi
	exit 0
}
trap test_exit EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
