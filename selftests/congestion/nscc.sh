#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NSCC at work. A QP measures the round trip. Its window stays within what the profile says, follows
# planes that go and come, and shrinks on marks and on losses. QPs to one peer share a window, by turns,
# unless the profile says otherwise. When a QP ends, what it had in flight is given back. Peers show the
# sum of their windows, and tracepoint mrc_cc shows what the windows follow.
# kernels: all
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# profile SETTING...: sets the CC profile of QPs from h1 to h2
profile()
{
	on h1 mrcctl cc-profile set mrc0 7 algorithm nscc "$@"
}

# cc_has CONDITION: it is true of the windows of h1's QPs in RTS, a list that is not empty
cc_has()
{
	on h1 mrcctl -j -s qp show mrc0 state rts |
		jq -e "[.[] | .congestion] | length > 0 and ($1)" >/dev/null
}

# peer_has CONDITION: it is true of the sum of h1's windows towards h2
peer_has()
{
	on h1 mrcctl -j -s peer show mrc0 remote "$(lab gid h2)" |
		jq -e ".[0].congestion | $1" >/dev/null
}

# traced TEXT: the trace has such an mrc_cc event
traced()
{
	grep -q " mrc_cc: .* qpn=.* $1\$" "$TRACING/trace"
}

# narrow SETTING...: each last switch sends 100 Mb/s to h2, through a queue with these settings
narrow()
{
	local plane

	wide 2>"$TEST_TMP/wide.err"
	for plane in 1 2; do
		tc -n "p${plane}t0r2" qdisc add dev h2 root handle 1: htb default 1 &&
			tc -n "p${plane}t0r2" class add dev h2 parent 1: classid 1:1 htb rate 100mbit \
				burst 20k cburst 20k &&
			tc -n "p${plane}t0r2" qdisc add dev h2 parent 1:1 "$@" || return
	done
}

wide()
{
	tc -n p1t0r2 qdisc del dev h2 root && tc -n p2t0r2 qdisc del dev h2 root
}

# sent: prints the packets that the one QP of h1 has sent
sent()
{
	on h1 mrcctl -j -s qp show mrc0 state rts | jq '.[0]."tx-packets"'
}

sent_more()
{
	[ "$(sent)" -gt "$1" ]
}

test_measured()
{
	check "measured: a profile" on h1 mrcctl cc-profile add mrc0 7 algorithm nscc rate 400gbit
	check "measured: for QPs to h2" steer h1 h2 7
	traffic_launch h1 h2 --iterations 0 --sizes 64K --rate 200
	check "measured: the base RTT is known" wait_for cc_has '.[0]."base-rtt-ns" > 1000'
	check "measured: the largest window is one and a half times what that and the rate hold" \
		cc_has '.[0] | (([."base-rtt-ns" * 50 * 1.5, 268435456] | min) - ."max-cwnd-bytes" | fabs) <
			."max-cwnd-bytes" * 0.01 + 9000'
	check "measured: the window is no larger" cc_has '.[0] | ."cwnd-bytes" <= ."max-cwnd-bytes"'
	check_traffic_end "measured: verified" traffic_stop
	check "measured, slow: a profile" profile rate 100mbit
	traffic_launch h1 h2 --iterations 0 --sizes 64K --rate 200
	check "measured, slow: room for what a busy host holds" wait_for cc_has \
		'.[0] | ."base-rtt-ns" > 1000 and ."max-cwnd-bytes" == 1048576'
	check_traffic_end "measured, slow: verified" traffic_stop
}

# The settings are for both planes.
test_planes()
{
	check "planes: a profile" profile rate 1gbit max-cwnd 400000
	traffic_launch h1 h2 --iterations 0 --sizes 64K --rate 200
	check "planes: both" wait_for cc_has '.[0]."max-cwnd-bytes" == 400000'
	echo >"$TRACING/trace"
	traces mrc_cc
	lab fail link h1:eth2
	check "planes: one" wait_for cc_has '.[0] | ."max-cwnd-bytes" == 200000 and
		."cwnd-bytes" <= 200000'
	check "planes: of the peer, too" peer_has '."max-cwnd-bytes" == 200000'
	check "planes: one, by the tracepoint" wait_for traced "max=200000 .* by planes"
	lab heal link h1:eth2
	check "planes: both again" wait_for cc_has '.[0]."max-cwnd-bytes" == 400000'
	check "planes: both again, by the tracepoint" wait_for traced "max=400000 .* by planes"
	traces
	check_traffic_end "planes: verified" traffic_stop
}

# QPs that already send know fewer planes than a QP that begins later.
test_links()
{
	local one first

	# Shorter than any round trip here: then the largest window depends on the rate alone.
	check "links: a profile" profile base-rtt 20us
	check "links: one plane" on h1 mrcctl plane del mrc0 port 2
	mkdir "$TEST_TMP/known"
	TEST_TMP=$TEST_TMP/known traffic_launch h1 h2 --iterations 0 --sizes 64K --rate 200
	check "links: the window is known" wait_for cc_has '.[0]."max-cwnd-bytes" > 0'
	one=$(on h1 mrcctl -j -s qp show mrc0 state rts | jq '.[0].congestion."max-cwnd-bytes"')
	first=$TRAFFIC_CLIENT
	check "links: another plane" on h1 mrcctl plane add mrc0 port 2 netdev eth2
	check "links: of that nobody tells the window" cc_has ".[0].\"max-cwnd-bytes\" == $one"
	traffic_launch h1 h2 --iterations 0 --sizes 4K --rate 2
	check "links: one QP more: twice the window for both" wait_for cc_has \
		"length == 2 and all(.\"max-cwnd-bytes\" == 2 * $one)"
	kill -KILL "$first"
	check_traffic_end "links: verified" traffic_stop
}

# The tracepoint shows that marks with much delay made the window smaller.
smaller_by_decrease()
{
	awk '/ mrc_cc: .* decrease by ack$/ {
		match($0, /cwnd=[0-9]+ -> [0-9]+/)
		split(substr($0, RSTART + 5, RLENGTH - 5), window, " -> ")
		if (window[2] + 0 < window[1] + 0)
			found = 1
	} END { exit !found }' "$TRACING/trace"
}

test_marks()
{
	check "marks: a profile" profile rate 200mbit target-delay 500us
	check "marks: a narrow way, with marks" narrow fq_codel flows 1 ce_threshold 1ms ecn limit 10000
	echo >"$TRACING/trace"
	traces mrc_cc
	traffic_launch h1 h2 --iterations 0 --sizes 256K
	check "marks: they make the window smaller" wait_for cc_has '.[0] | .decrease > 20 and .cuts > 5'
	check "marks: it is not the largest" wait_for cc_has '.[0] | ."cwnd-bytes" < ."max-cwnd-bytes"'
	check "marks: delay is seen" wait_for cc_has '.[0]."delay-ns" > 500000'
	traces
	check "marks: by the tracepoint" smaller_by_decrease
	# The window has changed since, and may be the largest for a moment.
	check "marks: of the peer, too" wait_for peer_has '.contexts == 1 and .qps == 1 and .decrease > 20 and
		.cuts > 5 and ."delay-ns" > 0 and ."cwnd-bytes" == ."cwnd-lowest-bytes" and
		."cwnd-bytes" == ."cwnd-highest-bytes" and ."cwnd-bytes" < ."max-cwnd-bytes"'
	check_traffic_end "marks: verified" traffic_stop
}

# Queues of three packets that drop all others.
test_drops()
{
	check "drops: a narrow way, without marks" narrow bfifo limit 13000
	traffic_launch h1 h2 --iterations 0 --sizes 256K
	check "drops: the window is not the largest" wait_for cc_has \
		'.[0] | ."cwnd-bytes" < ."max-cwnd-bytes" and .fair + .proportional > 20'
	check "drops: no mark was seen" cc_has '.[0] | .hold == 0'
	check_traffic_end "drops: verified" traffic_stop
}

# Queues of three packets have no room for an skb of fifteen, whatever the window is. A packet that was
# lost twice is sent alone, however long the timeout is.
test_whole_skbs()
{
	local timeout

	check "whole skbs: a fixed window" on h1 mrcctl cc-profile set mrc0 7 algorithm none window 131072
	for timeout in 14 20; do
		check_traffic "whole skbs, timeout $timeout: verified" h1 h2 --iterations 20 --sizes 256K \
			--timeout $timeout
	done
	check "whole skbs: as before" profile rate 200mbit target-delay 500us
}

# shares RATIO: each QP has sent at least that part of what the busiest QP has sent, and not nothing
shares()
{
	on h1 mrcctl -j -s qp show mrc0 state rts | jq -e --argjson part "$1" '
		[.[]."tx-packets"] | length == 8 and min > 100 and min >= max * $part' >/dev/null
}

test_shared()
{
	check "shared: a narrow way, with marks" narrow fq_codel flows 1 ce_threshold 1ms ecn limit 10000
	traffic_launch h1 h2 --iterations 0 --sizes 64K --qps 8
	check "shared: eight QPs, one window" wait_for cc_has \
		'length == 8 and all(.[]; .qps == 8) and (map(."max-cwnd-bytes") | unique | length) == 1'
	check "shared: the peer has one" peer_has '.contexts == 1 and .qps == 8'
	check "shared: all have turns" wait_for shares 0.5
	check "shared: never more than the window and a packet" \
		cc_has 'all(.[]; ."inflight-bytes" <= ."max-cwnd-bytes" + 4224)'
	check_traffic_end "shared: verified" traffic_stop

	check "alone: a profile" profile rate 200mbit target-delay 500us scope qp
	traffic_launch h1 h2 --iterations 0 --sizes 64K --qps 4
	check "alone: four QPs, four windows" wait_for cc_has 'length == 4 and all(.[]; .qps == 1)'
	check "alone: the peer has four" peer_has '.contexts == 4 and .qps == 4 and
		."cwnd-bytes" >= 4 * ."cwnd-lowest-bytes" and
		."cwnd-bytes" <= 4 * ."cwnd-highest-bytes"'
	check_traffic_end "alone: verified" traffic_stop
	check "shared: as before" profile rate 200mbit target-delay 500us
}

# When a QP with a full window is killed, the remaining QPs get its room.
test_ends()
{
	local first

	# It must be killed.
	mkdir "$TEST_TMP/first"
	TEST_TMP=$TEST_TMP/first traffic_launch h1 h2 --iterations 0 --sizes 256K --qps 2
	check "ends: two QPs, one window" wait_for cc_has 'length == 2 and all(.[]; .qps == 2)'
	first=$TRAFFIC_CLIENT
	traffic_launch h1 h2 --iterations 0 --sizes 64K
	check "ends: three" wait_for cc_has 'length == 3 and all(.[]; .qps == 3)'
	kill -KILL "$first"
	check "ends: one is left" wait_for cc_has 'length == 1 and .[0].qps == 1'
	check "ends: it goes on" wait_for sent_more "$(($(sent) + 100))"
	check_traffic_end "ends: verified" traffic_stop
}

# A peer's counts stay when windows end.
test_counts()
{
	local first sacks='.fast + .proportional + .fair + .hold + .decrease'

	check "counts: a profile" profile rate 200mbit target-delay 500us scope qp
	mkdir "$TEST_TMP/counted"
	TEST_TMP=$TEST_TMP/counted traffic_launch h1 h2 --iterations 0 --sizes 256K
	check "counts: many" wait_for peer_has ".contexts == 1 and $sacks > 200"
	first=$TRAFFIC_CLIENT
	traffic_launch h1 h2 --iterations 0 --sizes 4K --rate 2
	check "counts: two windows" wait_for peer_has '.contexts == 2'
	kill -KILL "$first"
	check "counts: one is left, all counts are" wait_for peer_has ".contexts == 1 and $sacks > 200"
	check_traffic_end "counts: verified" traffic_stop
}

test_idle()
{
	traffic_launch h1 h2 --iterations 0 --sizes 4K --rate 2
	check "idle: nothing is in flight between messages" wait_for cc_has '.[0]."inflight-bytes" == 0'
	check_traffic_end "idle: verified" traffic_stop
}

need jq tc
lab_up --planes 2 --spines 1
test_measured
test_planes
test_links
# Large enough that the machines' own delays are small beside it.
lab netem h1:eth1 delay 2ms
lab netem h1:eth2 delay 2ms
test_marks
test_drops
test_whole_skbs
test_shared
test_ends
test_counts
check "wide again" wide
test_idle
finish
