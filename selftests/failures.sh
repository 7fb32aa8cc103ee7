#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Links, switches and paths die under traffic in both directions, with and without a
# carrier to tell: it goes on, every byte is verified, no QP ends; and what has died comes
# back into use when it lives again.
# timeout: 1200

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/traffic.sh
. "$SELFTESTS/lib/traffic.sh"
# shellcheck source=selftests/lib/evs.sh
. "$SELFTESTS/lib/evs.sh"

# check_moves NAME: both directions get on.
check_moves()
{
	check_arrives "$1" 100 h1 h2
}

# traces EVENT...: from now on only these; mrc_window alone is too many to keep the others.
traces()
{
	local event

	# Names of tasks would have the scheduler patched under way: an emulator may hang then.
	echo 0 >"$TRACING/options/record-cmd"
	echo 0 >"$TRACING/events/mrc/enable"
	for event; do
		echo 1 >"$TRACING/events/mrc/$event/enable"
	done
}

# each_ev_sends FILE: more packets on each EV of h1 than are in FILE
each_ev_sends()
{
	ev_values h1 tx-packets | paste -d ' ' "$1" - |
		awk '{ for (i = 1; i <= NF / 2; i++) if ($(i + NF / 2) <= $i) exit 1 }'
}

check_recovered()
{
	check "$1: all EVs are good again" wait_for all_good
	check_moves "$1: and it goes on"
}

# check_cut HOST K: K of the four links of a host, and back.
check_cut()
{
	local host=$1 k=$2 plane name="$2 of 4 planes cut at $1" other=h$((3 - ${1#h}))

	for ((plane = 1; plane <= k; plane++)); do
		lab fail link "$host:eth$plane"
	done
	check "$name: $other is told" wait_for lost_ports_are "$other" "$(seq -s ' ' "$k")"
	check_moves "$name: it goes on"
	for ((plane = 1; plane <= k; plane++)); do
		lab heal link "$host:eth$plane"
	done
	check "$name and back: $other is told" wait_for lost_ports_are "$other" ""
	check_recovered "$name and back"
}

# check_switch NAME SWITCH EVS: it drops all, and says so to nobody; EVs of h1 through it
# are left out, the others stay.
check_switch()
{
	lab fail switch "$2"
	check "$1 dead: its EVs are left out" wait_for evs_are h1 "$3"
	check_moves "$1 dead: it goes on"
	lab heal switch "$2"
	check_recovered "$1 back"
}

# check_link NAME EVS INTERFACE...: what is sent through these interfaces gets lost.
check_link()
{
	local name=$1 evs=$2 interface
	shift 2

	for interface; do
		lab netem "$interface" loss 100%
	done
	check "$name: found" wait_for evs_are h1 "$evs"
	check_moves "$name: it goes on"
	for interface; do
		lab netem "$interface" off
	done
	check_recovered "$name, healed"
}

# The receiver's answers get lost on one plane; what comes in on it does not.
check_one_direction()
{
	lab netem h2:eth3 loss 100%
	check "h2's plane 3 dead outwards: found at h2" \
		wait_for evs_are h2 "$ok $ok $ok $ok $bad $bad $ok $ok"
	check_moves "h2's plane 3 dead outwards: it goes on"
	lab netem h2:eth3 off
	check_recovered "h2's plane 3 dead outwards, healed"
}

# One path loses a fifth: it leaves, its neighbour on the same plane stays.
check_lossy_ev()
{
	lab netem p1t0r1:t1s2 loss 20%
	check "one EV loses 20 %: it leaves" wait_for evs_are h1 "$ok $bad $ok $ok $ok $ok $ok $ok"
	check_moves "one EV loses 20 %: it goes on"
	lab netem p1t0r1:t1s2 off
	check_recovered "one EV loses 20 %, healed"
}

ok='(good|skip)'
bad=assumed-bad

TRACING=/sys/kernel/tracing

# A loss at the end of everything that no probe shows is found by the timer.
TRAFFIC_TIMEOUT=17

need jq tc
modprobe -q sch_netem
lab_up --planes 4
traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --imm-every 3 --rate 150
check_moves "traffic flows"
traces mrc_ev mrc_loss mrc_retransmit
for k in 1 2 3; do
	check_cut h1 $k
	check_cut h2 $k
done
check_switch "T0" p1t0r1 "$bad $bad $ok $ok $ok $ok $ok $ok"
check_switch "T1" p2t1s1 "$ok $ok $bad $ok $ok $ok $ok $ok"
check_link "T0-T1 link, one direction" "$ok $ok $ok $ok $ok $bad $ok $ok" p3t0r1:t1s2
check_link "T0-T1 link, both directions" "$ok $ok $ok $ok $ok $ok $bad $ok" p4t0r1:t1s1 p4t1s1:t0r1
check_one_direction
check_lossy_ev
lab netem all loss 1%
ev_values h1 tx-packets >"$TEST_TMP/sent"
check "1 % lost on all links: no EV is out for good" wait_for each_ev_sends "$TEST_TMP/sent"
check_moves "1 % lost on all links: it goes on"
lab netem all off
check_recovered "1 % lost on all links, healed"
for event in mrc_ev mrc_loss mrc_retransmit; do
	check "tracepoint $event" grep -q " $event: .*=" "$TRACING/trace"
done
# There are many of these: they would push the others out.
traces mrc_window
check_moves "traced: it goes on"
traces
check "tracepoint mrc_window" grep -q " mrc_window: .*=" "$TRACING/trace"
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
