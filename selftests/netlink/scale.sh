#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A thousand peers with 128 EVs each, and ten thousand routes. The cost of showing peers grows in
# proportion to their number, and those that stay are shown once each while others come and go.
# The cost is counted: this machine's clock counts instructions, a nanosecond each.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

PEERS=1000
FEW=250
ROUTES=10000
LOOKS=10

# hold FIRST N: holds a QP to each of N hosts that do not exist, until it is killed
hold()
{
	local line

	coproc HOLD {
		exec ip netns exec p1 mrc_dead --device mrc1 --gid "$(pair_addr 1)" --remote "$1" \
			--peers "$2" --qps "$2" --hold yes
	}
	at_exit kill "$HOLD_PID"
	read -r -t "$WAIT_LIMIT" line <&"${HOLD[0]}" || bail "$2 QPs"
	[ "$line" = "{\"qps\":$2}" ] || bail "$2 QPs" "$line"
}

# cost: prints the CPU microseconds, a thousand instructions each, of a look by mrcctl top
cost()
{
	local TIMEFORMAT='%U %S' one many

	one=$( { time on p1 mrcctl top mrc1 interval 0.1 count 1 >/dev/null; } 2>&1)
	many=$( { time on p1 mrcctl top mrc1 interval 0.1 count $((1 + LOOKS)) >/dev/null; } 2>&1)
	awk -v looks=$LOOKS '{ printf "%d\n", ($3 + $4 - $1 - $2) * 1e6 / looks }' <<<"$one $many"
}

# peers FILTER: filters the output about the peers that stay
peers()
{
	on p1 mrcctl -j peer show mrc1 | jq -c "map(select(.\"remote-gid\" | startswith(\"fd09:\"))) | $1"
}

routes()
{
	awk -v n=$ROUTES 'BEGIN {
		for (i = 1; i <= n; i++)
			printf "route add mrc1 fd01::%x/128 ev-profile 0\n", i
	}'
}

test_cost()
{
	local -i few many

	routes | on p1 mrcctl -b - || bail "routes"
	hold fd09::1 $FEW
	few=$(cost)
	kill "$HOLD_PID"
	wait "$HOLD_PID" 2>/dev/null
	hold fd09::1 $PEERS
	many=$(cost)
	diag <<<"a look of top at $PEERS peers with 128 EVs each, and $ROUTES routes: $many us of CPU"
	# A hundred million instructions, the same on each host. The debug kernel counts none, and takes
	# three times as long.
	[ "$SLOW" -gt 1 ] ||
		check "top: a look costs $many us, at most 100 ms" test $many -le 100000
	# Four times as many peers. Fixed costs make the factor smaller, caches make it larger.
	check "top: a look at $PEERS peers costs $many, at $FEW $few" \
		test $many -le $((6 * few)) -a "$few" -gt 0
}

# mrcctl looks all the time, and data goes on as if it did not.
test_traffic()
{
	local -i lost sent port

	# Their netdevs lead nowhere.
	for port in 2 3 4; do
		on p1 mrcctl plane del mrc1 port $port || bail "plane $port"
	done
	pair_device 2 || bail "device 2"
	# Where everything is slow, a packet and its answer may take longer than 67 ms.
	traffic_start --timeout $((SLOW > 1 ? 19 : 14))
	lost=$(again)
	sent=$(counter mrc2 tx_packets)
	check "traffic: looks" on p1 mrcctl top mrc1 interval 0.1 count $LOOKS >/dev/null
	check_equal "traffic: nothing was sent again meanwhile" $lost "$(again)"
	sent=$(counter mrc2 tx_packets)-sent
	check "traffic: it went on: $sent packets" test $sent -gt 1000
	kill -TERM "$TRAFFIC_CLIENT"
	check "traffic: all verified" wait "$TRAFFIC_CLIENT"
	wait "$TRAFFIC_SERVER"
}

# again: prints the packets that p2 has sent again
again()
{
	counter mrc2 retransmitted_packets
}

test_shown()
{
	check_equal "peers: all are shown, in the order in which they came" \
		"[$PEERS,$PEERS,\"fd09::1\",\"fd09::3e8\"]" \
		"$(peers '[length, (unique_by(."remote-gid") | length), .[0]."remote-gid", .[-1]."remote-gid"]')"
	check_equal "peers: EVs by port are all EVs" true \
		"$(peers 'all(.evs == 128 and ([."port-evs"[].evs] | add) == 128 and
			([."port-evs"[].good] | add) == ."evs-good" and
			([."port-evs"[].port] == [1, 2, 3, 4]))')"
	check_equal "peers: EVs of one" 128 \
		"$(on p1 mrcctl -j -d peer show mrc1 remote fd09::77 | jq '.[0]."peer-ev" | length')"
}

# Runs until it is told to end.
churn()
{
	while [ ! -e "$TEST_TMP/stop" ]; do
		on p1 mrc_dead --device mrc1 --gid "$(pair_addr 1)" --remote fd0a::1 --peers 50 --qps 50 \
			--hold yes </dev/null || return
		echo
	done >"$TEST_TMP/churned"
}

test_churn()
{
	local round shown='' pid

	churn &
	pid=$!
	at_exit touch "$TEST_TMP/stop"
	for ((round = 0; round < 5; round++)); do
		shown+=" $(peers '[length, (unique_by(."remote-gid") | length)]')"
	done
	touch "$TEST_TMP/stop"
	check "churn: peers came and went" wait $pid
	check "churn: more than once" test "$(grep -c '"qps":50' "$TEST_TMP/churned")" -gt 1
	check_equal "churn: those that stay were shown once each" "[$PEERS,$PEERS]" \
		"$(tr ' ' '\n' <<<"${shown# }" | uniq)"
}

need jq mrc_dead mrc_traffic
pair_net
lab load || bail "module"
pair_device 1 || bail "device"
for port in 2 3 4; do
	ip -n p1 link add plane$port type dummy
	ip -n p1 link set plane$port up
	on p1 mrcctl plane add mrc1 port $port netdev plane$port || bail "plane $port"
done
# The RDMA core looks once for the netdevs by which they are reached.
for hosts in fd09::/64 fd0a::/64; do
	ip -n p1 route add $hosts via "$(pair_addr 2)"
done
test_cost
test_shown
test_churn
test_traffic
finish
