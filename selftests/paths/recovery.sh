#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A fault costs a few round trips. The kernel's own time stamps measure from the system call that breaks
# something, or the event that reports it, until the EVs have left and all that was sent meanwhile has
# arrived. Each link delays its packets, so that a cut takes away packets in flight.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# Limits in round trips, from Documentation/failures.md: for silent faults, and from the report of a
# carrier on.
SILENT=10
TOLD=3
# A slow kernel also hears of carriers later. It gets more time for that, because otherwise it hears of
# lost packets first. The peer may still hear of them first; but no EV may leave after its report has
# arrived.
DELAY=$((SLOW > 1 ? 20 : 1))ms
RATE=$((SLOW > 1 ? 50 : 1000))	# messages a second
# EVs that left although a report should have kept them.
BLAMED=$([ "$SLOW" -gt 1 ] && echo .late || echo .evs)

# trace_begin: traces from here on, with a large enough buffer
trace_begin()
{
	echo 0 >"$TRACING/tracing_on"
	echo >"$TRACING/trace"
	echo 1 >"$TRACING/tracing_on"
	sleep 0.3
}

# figure KEY: prints a figure of the last fault
figure()
{
	jq "$1" "$TEST_TMP/figures"
}

# recovered NAME WAY LIMIT EVS [FIGURE]: FIGURE, of the EVs that left, is EVS
recovered()
{
	check_arrives "$1: it goes on" 100 h2
	echo 0 >"$TRACING/tracing_on"
	python3 "$SELFTESTS/lib/recovery.py" "$2" "$gid" <"$TRACING/trace" \
		>"$TEST_TMP/figures" 2>&1 ||
		{ fail "$1: the trace tells" "$(tail -n 5 "$TEST_TMP/figures")"; return; }
	check_equal "$1: the EVs that leave" "$4" "$(figure "${5:-.evs} | tojson" | jq -r)"
	check "$1: $(figure .left) round trips of $(figure .rtt_ms) ms until they have left" \
		jq -e ".left <= $3" "$TEST_TMP/figures"
	check "$1: $(figure .recovered) until all that was sent has arrived" \
		jq -e ".recovered <= $3" "$TEST_TMP/figures"
}

some_bad()
{
	[[ "$(ev_values h1 state)" == *assumed-bad* ]]
}

# silent_fault NAME EVS INTERFACE: packets through it are lost, and nothing reports it.
silent_fault()
{
	trace_begin
	lab netem "$3" loss 100%
	wait_for some_bad || fail "$1: an EV is left out"
	recovered "$1" silent "$SILENT" "$2"
	lab netem "$3" delay "$DELAY"
	check "$1, healed: all EVs are good again" wait_for all_good
}

# told_fault NAME LINK: the ends of the link see the fault, and report it.
told_fault()
{
	trace_begin
	lab fail link "$2"
	recovered "$1" told "$TOLD" "[]" "$BLAMED"
	lab heal link "$2"
	check "$1, healed: all EVs are good again" wait_for all_good
}

need jq python3 tc
modprobe -q sch_netem
echo 8192 >"$TRACING/buffer_size_kb"
lab_up --planes 4
gid=$(lab gid h2)
lab netem all delay "$DELAY"
traffic_launch h1 h2 --iterations 0 --sizes 64K --depth 32 --rate $RATE
check_arrives "traffic flows" 100 h2
traces mrc_ev mrc_ports mrc_window
echo 'comm == "tc" || comm == "ip"' >"$TRACING/events/syscalls/sys_enter_sendmsg/filter"
echo 1 >"$TRACING/events/syscalls/sys_enter_sendmsg/enable"

silent_fault "T0-T1 link" "[5]" p3t0r1:t1s2
silent_fault "T1-T0 link" "[2]" p2t1s1:t0r2
told_fault "own link cut" h1:eth1
told_fault "the peer's link cut" h2:eth4
echo 0 >"$TRACING/events/syscalls/sys_enter_sendmsg/enable"
check_traffic_end "all of it verified" traffic_stop
finish
