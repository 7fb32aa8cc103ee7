#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packets are spread over all paths: every plane gets its share, every EV is used, and consecutive PSNs
# take different EVs, as seen at the switches that the hosts are attached to. A path that is held to be
# bad for a moment would be left out. The window is fixed, because congestion control may leave any
# number of packets of it for a moment, and then a plane's share of few messages would be a matter of
# chance. It is smaller than what the planes' queues hold at first: data avoids a plane with a full queue.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# A share of one in four, within 5 %.
even()
{
	[ $((100 * $2)) -ge $((95 * $1 / 4)) ] && [ $((100 * $2)) -le $((105 * $1 / 4)) ]
}

check_spray()
{
	local name=$1 plane writes pairs lost
	local -a before after shares
	shift

	lost=$(held_lost h1)
	read -ra before < <(plane_stats h1 tx-packets)
	capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1 -i p3t0r1:h1 -i p4t0r1:h1
	check_traffic "$name: traffic" h1 h2 "$@"
	capture_stop "$name"
	check_equal "$name: packets held to be lost" "$lost" "$(held_lost h1)"
	check_wire "$name" 4096 good
	read -ra after < <(plane_stats h1 tx-packets)
	read -r writes pairs < <(summary '"\(.writes) \(.pairs)"')
	read -ra shares < <(summary '[.interfaces["p1t0r1:h1", "p2t0r1:h1", "p3t0r1:h1",
		"p4t0r1:h1"]] | join(" ")')
	for plane in 0 1 2 3; do
		check "$name: plane $((plane + 1)) carried ${shares[plane]} of $writes packets" \
			even "$writes" "${shares[plane]}"
		check "$name: plane $((plane + 1)) counted them" \
			test $((after[plane] - before[plane])) -ge "${shares[plane]}"
	done
	# Four planes, two spines.
	check_equal "$name: EVs used" 8 "$(summary '.evs | length')"
	check_equal "$name: consecutive PSNs on one EV" 0 "$(summary .same_ev)"
	check "$name: $pairs pairs of consecutive PSNs seen" test "$pairs" -ge $((writes * 9 / 10))
}

need jq python3
lab_up --planes 4
check "a fixed window" fixed_window h1 h2 $((256 << 10))

check_equal "device: packets per skb" 16 "$(on h1 mrcctl -j device show mrc0 | jq '.[0].burst')"
check_spray "burst 16" --sizes 128K --iterations 160
check "burst 16: some frames hold several packets" test "$(summary .most_segments)" -ge 2
check_spray "small messages" --sizes 100 --iterations 600 --imm-every 10
check "burst 1: set" set_device burst 1
check_spray "burst 1" --sizes 128K --iterations 20
check_equal "burst 1: packets in a frame" 1 "$(summary .most_segments)"
finish
