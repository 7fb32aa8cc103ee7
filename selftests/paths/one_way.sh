#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Traffic one way, without packet loss. First a switch marks the packets of one path, then the answers
# get lost. Traffic leaves the marked path; nothing is sent again because of a mark, and little because
# of a lost answer.
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# since KEY VALUES: prints what has been added to these values, for each EV of h1
since()
{
	paste -d ' ' <(tr ' ' '\n' <<<"$2") <(ev_values h1 "$1" | tr ' ' '\n') |
		awk '{ print $2 - $1 }' | paste -sd ' '
}

# check_shares NAME TX_PACKETS: since then EV 0 had less than EV 1, which took over. Plane 2 (EVs 2 and
# 3) had as much as plane 1, within an eighth.
check_shares()
{
	local -a n

	read -ra n <<<"$(since tx-packets "$2")"
	check "$1: ${n[0]} packets on the marked path, ${n[1]} on its neighbour" \
		test "${n[0]}" -ge 1 -a $((n[0] * 5)) -lt $((n[1] * 4))
	check "$1: ${n[2]} and ${n[3]} on those of the other plane" test \
		$(((n[0] + n[1]) * 9)) -gt $(((n[2] + n[3]) * 8)) -a \
		$(((n[0] + n[1]) * 8)) -lt $(((n[2] + n[3]) * 9))
}

# Each packet that was sent again had arrived before. Its second copy may find that the message is
# complete and its memory has been refilled: then its ICRC is wrong.
all_duplicates()
{
	[ "$(counter h1 retransmitted_packets)" = \
		"$(($(counter h2 duplicate_request) + $(counter h2 rx_icrc_encapsulated)))" ]
}

# bad_events AFTER: prints how often an EV was assumed bad because of a packet, after the first AFTER
# events
bad_events()
{
	tail -n +$(($1 + 1)) "$TEST_TMP/monitor.h1" |
		jq -s 'map(select(.event == "peer-ev" and .state == "assumed-bad" and
			.reason != "probes lost")) | length'
}

test_marks()
{
	local tx marked held events

	ingress p1t1s1 t0r1
	# One message at a time: the echo of a mark is back before the path's next turn.
	traffic_launch h1 h2 --iterations 0 --sizes 64K --depth 1
	check_arrives "marks: before" 20 h2
	held=$(held_lost h1)
	events=$(events h1)
	check "marks: a spine marks" mark p1t1s1 t0r1
	tx=$(ev_values h1 tx-packets)
	marked=$(ev_values h1 marked)
	check_arrives "marks: it goes on" 300 h2
	check_shares "marks" "$tx"
	check "marks: its EV was told of" test "$(cut -d ' ' -f 1 <<<"$(since marked "$marked")")" -ge 5
	check_equal "marks: the other EVs were not" "0 0 0" \
		"$(cut -d ' ' -f 2- <<<"$(since marked "$marked")")"
	unfilter p1t1s1 t0r1
	check "marks: over, and all EVs are good" wait_for evs_are h1 'good good good good'
	check "marks: nothing was lost" wait_for all_duplicates
	held=$(($(held_lost h1) - held))
	check "marks: no EV was assumed bad but for $held packets" \
		test "$(bad_events "$events")" -le "$held"
	check_traffic_end "marks: all of it verified" traffic_stop
}

# Packets from h2 that netem has dropped, in skbs.
dropped()
{
	local interface

	for interface in eth1 eth2; do
		tc -n h2 -j -s qdisc show dev $interface
	done | jq -s 'map(.[].drops) | add'
}

# answers_lost PERCENT MESSAGES
answers_lost()
{
	local name="$1 % of the answers lost" again lost

	again=$(counter h1 retransmitted_packets)
	lab netem h2:eth1 loss "$1%"
	lab netem h2:eth2 loss "$1%"
	check_arrives "$name: it goes on" "$2" h2
	lost=$(dropped)
	again=$(($(counter h1 retransmitted_packets) - again))
	check "$name: $lost of them" test "$lost" -ge 10
	check "$name: $again packets sent again" test "$again" -le $((2 * lost))
	lab netem h2:eth1 off
	lab netem h2:eth2 off
	check "$name, healed: all EVs are good" wait_for evs_are h1 '((good|skip) ?){4}'
	check_arrives "$name, healed: it goes on" 50 h2
}

# A host that sends no data finds by its own probes that a plane is dead in its direction.
way_back_lost()
{
	local name="a plane dead the receiver's way"

	lab netem h2:eth1 loss 100%
	check "$name: found there" wait_for evs_are h2 'assumed-bad assumed-bad (good|skip) (good|skip)'
	check_arrives "$name: it goes on" 200 h2
	lab netem h2:eth1 off
	check "$name, healed: all EVs are good" wait_for evs_are h2 '((good|skip) ?){4}'
}

test_answers()
{
	traffic_launch h1 h2 --iterations 0 --sizes 60K,100,8K --qps 4 --imm-every 2 --rate 40
	answers_lost 30 500
	answers_lost 70 200
	way_back_lost
	check_traffic_end "answers: all of it verified" traffic_stop
}

need jq tc
modprobe -q sch_netem
# Two planes, two spines: four EVs.
lab_up --planes 2
monitor_start h1
test_marks
test_answers
check_counters_clean "$QP_ERRORS"
finish
