#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every kind of fault under 64 QPs in both directions, one after another and some at once: all data
# arrives, and no QP ends.
# timeout: 1800
# cpus: 2

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# Limits that suit the debug kernel: above them its CPUs lose packets first.
QPS=$((64 / SLOW))
# A message on each QP, on average.
FAULT_MESSAGES=$QPS

# Two faults at once, and one that comes while another is being healed.
check_mixture()
{
	lab fail link h1:eth1
	check_moves "mixture: plane 1 cut at h1: it goes on"
	lab fail switch p2t1s1
	check "mixture: and a spine of plane 2 dead: its EV is left out" wait_for evs_are h1 \
		"$any $any $bad $ok $ok $ok $ok $ok"
	check_moves "mixture: and a spine of plane 2 dead: it goes on"
	lab heal link h1:eth1
	lab netem all loss 1%
	check_moves "mixture: the spine dead, 1 % lost everywhere: it goes on"
	lab heal switch p2t1s1
	lab fail link h2:eth3
	check_moves "mixture: plane 3 cut at h2, 1 % lost everywhere: it goes on"
	lab heal link h2:eth3
	lab netem all off
	check_recovered "mixture healed"
}

# check_cuts HOST: cuts one more plane each time, then heals all at once.
check_cuts()
{
	local name other=h$((3 - ${1#h}))
	local -i k

	for ((k = 1; k <= 3; k++)); do
		name="$k of 4 planes cut at $1"
		lab fail link "$1:eth$k"
		check "$name: $other is told" wait_for lost_ports_are "$other" "$(seq -s ' ' $k)"
		check_moves "$name: it goes on"
	done
	links heal "$1" 3
	check "$1's planes back: $other is told" wait_for lost_ports_are "$other" ""
	check_recovered "$1's planes back"
}

# all_answers COMMAND...: runs it with each switch and interface at which h2's answers come in
all_answers()
{
	local plane

	for plane in 1 2 3 4; do
		"$1" "p${plane}t0r2" h2 "${@:2}" || return
	done
}

# Half of h2's answers get lost; the data that h2 sends does not.
check_answers()
{
	local name="half of the answers lost" lost

	check "$name" all_answers filter 0xb8/0xfc gact drop random netrand pass 2
	check_moves "$name: it goes on"
	lost=$(all_answers filtered drops | paste -sd +)
	check "$name: $((lost)) were" test $((lost)) -ge 10
	check "$name, healed" all_answers unfilter
	check_recovered "$name, healed"
}

check_marks()
{
	local name="one path marked" echoes

	echoes=$(counter h1 rp_cnp_handled)
	check "$name" mark p1t1s1 t0r1
	check "$name: h1 is told" wait_for counter_above h1 rp_cnp_handled "$echoes"
	check_moves "$name: it goes on"
	check "$name: no more" unfilter p1t1s1 t0r1
	check_recovered "$name, healed"
}

# Retries end after 29 timeouts, a minute: with all planes gone a slow machine is busy sending
# everything again, and may take a third of that to bring a plane back.
TRAFFIC_TIMEOUT=19

need jq tc
modprobe -q sch_netem
lab_up --planes 4
if ! { ingress p1t1s1 t0r1 && all_answers ingress; }; then
	bail "filters"
fi
traffic_launch h1 h2 --both --qps $QPS --iterations 0 --sizes 3000,20K,100 --imm-every 3 --sends-every 2 --reads-every 2 --rate 4
check_moves "traffic flows"
check_mixture
check_answers
check_marks
check_flap 5
check_outage 4 2
check_recovered "all planes back"
check_lossy_ev
check_lossy_all
check_cuts h1
check_cuts h2
check_paths
check_t0_gone 1
check_t1_gone 2 1 "$ok $ok $bad $ok $ok $ok $ok $ok"
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
