#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the examples of the manual pages, as root on host h1 of the fabric of mrcd.toml(5): its netdevs,
# addresses and GIDs are those that the pages use. The pages run in the order below. mrcctl(8) makes the
# device and what the next pages find there; from mrcctl-health(8) on an mrcd runs.
#
# How examples are written, in the sections EXAMPLES, between .EX and .EE:
#   - A line that begins with "# " is a command, for root's shell. When a line of it ends in \e, it
#     continues in the next line. Other lines are its output: the command must print them. Words that
#     have a digit or a slash may differ, and there may be more lines.
#   - Behind a comment .\" file: /etc/mrc/NAME the lines up to .EE are that file.
#   - Besides, only the escapes \e \- \(aq \(ga \(ha \(ti are used.
# timeout: 900
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/hold.sh"

MANUAL=$TOP/Documentation/man
# Pages that are not named here come last.
ALONE="mrcctl.8 mrcctl-device.8 mrcctl-plane.8 mrcctl-ev-profile.8 mrcctl-ev.8 mrcctl-cc-profile.8
	mrcctl-route.8 mrcctl-probe.8 mrcctl-monitor.8 mrcctl-feature.8"
WITH_QPS="mrcctl-peer.8 mrcctl-qp.8"
OF_DAEMON="mrcd.toml.5 mrcd.8"
WITH_DAEMON="mrcctl-health.8 mrcctl-daemon.8"
# This page needs no module, and its program is not in this machine: selftests/host/sim.sh runs its
# examples.
ELSEWHERE=mrcsim.1

# Commands that run until they are told to end, or have printed as often as "count" says.
ENDLESS='^(mrcctl( -[a-z]+)* (monitor|top)( |$)|mrcd( -f [^ ]+)?$)'
# Commands that may need several tries although they show no output.
PATIENT='^mrcctl( -[a-z]+)* pro'
# The QP number of the pages.
PAGE_QPN=4660
# shellcheck disable=SC2016 # for another shell
AS_PLANNED='[ "$(mrcctl daemon show mrc0)" = "mrc0 status as planned" ]'

# examples PAGE: prints a line each: "run COMMAND" and what it "shows", "file PATH" and its "line"s
examples()
{
	awk '
		function plain(s) {
			gsub(/\\-/, "-", s)
			gsub(/\\\(aq/, "'\''", s)
			gsub(/\\\(ga/, "`", s)
			gsub(/\\\(ha/, "^", s)
			gsub(/\\\(ti/, "~", s)
			gsub(/\\e/, "\\", s)
			return s
		}
		/^\.SH / { section = $2 }
		section != "EXAMPLES" { next }
		/^\.\\" file: / { file = $3; next }
		/^\.EX/ { inside = 1; if (file) print "file " file; next }
		/^\.EE/ { inside = 0; file = command = ""; next }
		!inside { next }
		file { print "line " plain($0); next }
		!/^# / && !command { print "shows " plain($0); next }
		{
			sub(/^# /, "") || sub(/^ +/, "")
			command = command $0
			if (sub(/\\e$/, "", command))
				next
			print "run " plain(command)
			command = ""
		}' "$MANUAL/$1"
}

# The command sees this folder as /etc/mrc, the folder of the pages.
mkdir "$TEST_TMP/etc"

# root_shell COMMAND: runs it as a reader of the page would
root_shell()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -c '
		mount --bind "$1" /etc/mrc && exec ip netns exec h1 bash -o pipefail -c "$2"' \
		root_shell "$TEST_TMP/etc" "$1"
}

# Replacements of mrcctl and mrcd in the shell of an endless command: they leave their pid.
leave_pid()
{
	local name

	for name in mrcctl mrcd; do
		# shellcheck disable=SC2016 # for another shell
		printf '%s() { echo $BASHPID >%q; exec %s "$@"; }\n' "$name" "$TEST_TMP/pid" "$name"
	done
}

# at_work COMMAND: it handles SIGTERM instead of being killed by it; mrcd has done its work
at_work()
{
	heeds_term && { [[ $1 != mrcd* ]] || root_shell "$AS_PLANNED"; }
}

heeds_term()
{
	local key mask heeded=0

	while read -r key mask; do
		case $key in
		SigCgt: | SigBlk:) heeded=$((heeded | 0x$mask)) ;;
		esac
	done <"/proc/$(cat "$TEST_TMP/pid")/status"
	[ $((heeded >> 14 & 1)) = 1 ]
}

# run_endless COMMAND: it works, and ends with success when told to
run_endless()
{
	rm -f "$TEST_TMP/pid"
	background root_shell "$(leave_pid)"$'\n'"$1"
	wait_for at_work "$1" || return 1
	kill -TERM "$(cat "$TEST_TMP/pid")"
	wait "$BACKGROUND_PID"
}

# Replaces words with a digit or a slash by #, and durations, also of two words: "12.3 ms".
shape()
{
	awk '{
		line = last = ""
		for (i = 1; i <= NF; i++) {
			word = $i ~ /[0-9\/]/ ? "#" : $i
			if (last == "#" && word ~ /^(#|ns|us|ms|s)$/)
				continue
			line = line (i > 1 ? " " : "") word
			last = word
		}
		print line
	}'
}

# as_shown COMMAND: it succeeds, and prints the lines in $TEST_TMP/shown
as_shown()
{
	local status=0

	root_shell "$1" >"$TEST_TMP/printed" || status=$?
	cat "$TEST_TMP/printed"
	shape <"$TEST_TMP/printed" >"$TEST_TMP/printed.shape"
	if shape <"$TEST_TMP/shown" | grep -vxFf "$TEST_TMP/printed.shape"; then
		echo "is shown and not printed"
		return 1
	fi
	return "$status"
}

# A busy machine does not do everything at once: a late answer counts as none, and the EV that it was
# expected on is not good for a while. The last try is for its output.
patiently()
{
	wait_for as_shown "$1" || as_shown "$1"
}

# run_example PAGE COMMAND
run_example()
{
	local name="${1%.*}(${1##*.}): $2" command=${2//qpn $PAGE_QPN/qpn ${qpn:-}}

	if [[ $command =~ $ENDLESS ]] && [[ $command != *" count "* ]]; then
		check "$name" run_endless "$command"
	elif [ -s "$TEST_TMP/shown" ] || [[ $command =~ $PATIENT ]]; then
		check "$name" patiently "$command"
	else
		check "$name" root_shell "$command"
	fi
	: >"$TEST_TMP/shown"
}

# run_page PAGE
run_page()
{
	local kind rest command='' file
	local -i number=0

	: >"$TEST_TMP/shown"
	while read -r -u 9 kind rest; do
		case $kind in
		shows) printf '%s\n' "$rest" >>"$TEST_TMP/shown" ;;
		line) printf '%s\n' "$rest" >>"$file" ;;
		*)
			[ -z "$command" ] || run_example "$1" "$command"
			command=
			;;&
		file)
			file=$TEST_TMP/etc/${rest##*/}
			: >"$file"
			;;
		run)
			command=$rest
			number+=1
			;;
		esac
	done 9< <(examples "$1" && echo end)
	[ $number -gt 0 ] || fail "$1 has examples"
	seen[$1]=1
}

run_pages()
{
	local page

	for page; do
		run_page "$page"
	done
}

# Host h2 answers.
start_h2()
{
	lab file h2 >"$TEST_TMP/h2.toml"
	background ip netns exec h2 mrcd -f "$TEST_TMP/h2.toml" 2>"$TEST_TMP/h2.log"
	wait_for h2_planned || bail "h2 is as planned" "$(cat "$TEST_TMP/h2.log")"
}

h2_planned()
{
	[ "$(on h2 mrcctl daemon show mrc1)" = "mrc1 status as planned" ]
}

start_daemon()
{
	background root_shell "exec mrcd" 2>"$TEST_TMP/h1.log"
	wait_for root_shell "$AS_PLANNED" || bail "h1 is as planned" "$(cat "$TEST_TMP/h1.log")"
}

# mrcd may need several of its rounds for what it waits for.
WAIT_LIMIT=120
need jq mrcd rdma unshare mrc_hold
declare -A seen=()
qpn=
if ! [ -d /etc/mrc ]; then
	mkdir /etc/mrc
	at_exit rmdir /etc/mrc
fi
lab_up --planes 2 --no-devices
lab load || bail "module"
start_h2
# shellcheck disable=SC2086 # lists of words
run_pages $ALONE
hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
hold_write "a QP to h2"
qpn=$(on h1 mrcctl -j qp show mrc0 | jq '.[0].qpn')
# shellcheck disable=SC2086
run_pages $WITH_QPS
hold_stop
# shellcheck disable=SC2086
run_pages $OF_DAEMON
start_daemon
# shellcheck disable=SC2086
run_pages $WITH_DAEMON
seen[$ELSEWHERE]=1
for page in "$MANUAL"/*.[158]; do
	[ -n "${seen[${page##*/}]:-}" ] || run_pages "${page##*/}"
done
finish
