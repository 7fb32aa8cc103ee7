#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Links, switches and paths die under traffic in both directions, with and without a loss of carrier.
# The traffic goes on, every byte is verified, no QP ends, and what has died is used again when it lives
# again.
# timeout: 1800

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# check_cut HOST K: cuts K of the four links of a host, and heals them.
check_cut()
{
	local host=$1 k=$2 name="$2 of 4 planes cut at $1" other=h$((3 - ${1#h}))

	links fail "$host" "$k"
	check "$name: $other is told" wait_for lost_ports_are "$other" "$(seq -s ' ' "$k")"
	check_moves "$name: it goes on"
	links heal "$host" "$k"
	check "$name and back: $other is told" wait_for lost_ports_are "$other" ""
	check_recovered "$name and back"
}

# The receiver's answers get lost on one plane; data that comes in on it does not.
check_one_direction()
{
	lab netem h2:eth3 loss 100%
	check "h2's plane 3 dead outwards: found at h2" \
		wait_for evs_are h2 "$ok $ok $ok $ok $bad $bad $ok $ok"
	check_moves "h2's plane 3 dead outwards: it goes on"
	lab netem h2:eth3 off
	check_recovered "h2's plane 3 dead outwards, healed"
}

# The timer finds a loss at the very end that no probe shows.
TRAFFIC_TIMEOUT=17
FAULT_MESSAGES=40

need jq tc
modprobe -q sch_netem
lab_up --planes 4
traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --imm-every 3 --sends-every 2 --reads-every 2 --rate 40
check_moves "traffic flows"
traces mrc_ev mrc_ports mrc_loss mrc_retransmit
for k in 1 2 3; do
	check_cut h1 $k
	check_cut h2 $k
done
check_paths
check_t0_gone 1
check_t1_gone 2 1 "$ok $ok $bad $ok $ok $ok $ok $ok"
check_one_direction
check_lossy_ev
check_lossy_all
for event in mrc_ev mrc_ports mrc_loss mrc_retransmit; do
	check "tracepoint $event" grep -q " $event: .*=" "$TRACING/trace"
done
# These events are many: they would push the others out.
traces mrc_window
check_moves "traced: it goes on"
traces
check "tracepoint mrc_window" grep -q " mrc_window: .*=" "$TRACING/trace"
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
