#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcctl top: its rates under real traffic fit the counters that they are made of; objects come and go
# meanwhile; it prints text on a terminal and elsewhere; how it ends.
# timeout: 400

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

JSON=$TEST_TMP/json

# top ARGUMENT...: runs it inside p2, with its own option
top()
{
	mrcctl -n p2 top "$@"
}

# is EXPRESSION: it is true of all the JSON that was printed
is()
{
	jq -es "$1" "$JSON"
}

# packets: prints what the planes of p2 have sent and received
packets()
{
	mrcctl -n p2 -j -s plane show mrc2 | jq '[.[].stats | ."tx-packets", ."rx-packets"] | add'
}

test_rates()
{
	local before after printed

	before=$(packets)
	mrcctl -n p2 -j top mrc2 interval 1 count 3 >"$JSON"
	after=$(packets)
	check "JSON: a line each time" is 'length == 3'
	check "planes: up" is 'all(.plane[0]."oper-state" == "up")'
	# shellcheck disable=SC2016 # a variable of jq
	check "planes: rates" is '[.[].plane[0]."per-second"] | (map(."tx-packets") | add) as $packets |
		$packets > 0 and (map(."tx-bytes") | add) > $packets and (map(."rx-packets") | add) > 0'
	check "planes: all EVs are good" is 'all(.plane[0] | .evs > 0 and .evs == ."evs-good")'
	check "peers: the one" is 'all(.peer | length == 1 and (.[0] |
		."remote-gid" == "'"$(pair_addr 1)"'" and .evs == ([.plane[].evs] | add)))'
	check "peers: rates" is '[.[].peer[0]."per-second"] | (map(."tx-packets") | add) > 0
		and (map(.acked) | add) > 0'
	check "QPs: rates" is '[.[].qp[]."per-second"."tx-packets"] | add > 0'
	check "QPs: both" is 'all(.qp | length == 2 and all(.state == "rts"
		and ."remote-gid" == "'"$(pair_addr 1)"'"))'
	# Sorted by the value before rounding.
	check "QPs: most traffic first" is \
		'all([.qp[]."per-second" | ."tx-packets" + ."rx-packets"] | .[0] >= .[1] - 0.01)'
	# Half of it, because no interval covers the start and end of mrcctl.
	printed=$(jq -s '[.[] | (."interval-ns" / 1e9) * ([.plane[]."per-second" | ."tx-packets", ."rx-packets"] |
		add)] | add | floor' "$JSON")
	check "rates times intervals are what was counted: $printed of $((after - before))" \
		test "$printed" -ge $(((after - before) / 2)) -a "$printed" -le $((after - before + 3))
}

# lines N: the file has at least N lines
lines()
{
	[ "$(wc -l <"$JSON")" -ge "$1" ]
}

# more: waits for the next tables; all but the first of them cover what happened before
more()
{
	wait_for lines $(($(wc -l <"$JSON") + 3))
}

test_changes()
{
	background mrcctl -n p2 -j top mrc2 interval 0.3 >"$JSON"
	top_pid=$BACKGROUND_PID
	more
	ip -n p2 link add spare type dummy
	mrcctl -n p2 plane add mrc2 port 7 netdev spare
	more
	check "a plane that is new: at first without a rate" is \
		'[.[].plane[] | select(.port == 7)] | (.[0] | has("per-second") | not) and (.[1] | has("per-second"))'
	ip -n p2 link del spare
	more
	check "a plane that is gone" is 'last | [.plane[].port] == [1]'
	kill -TERM "$TRAFFIC_CLIENT"
	wait "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
	more
	check "QPs that are gone" is 'last | .qp == []'
	rdma link delete mrc2
	more
	check "a device that is gone" is 'last | .plane == []'
	pair_device 2
	more
	check "it is back" is 'last | .plane[0]."oper-state" == "up"'
	check "no rate was ever negative" is '[.[] | .plane[], .peer[], .qp[] | ."per-second" // {} | .[]] |
		length > 0 and all(. >= 0)'
	check "it goes on" kill -0 "$top_pid"
	kill -INT "$top_pid"
	wait "$top_pid"
	check_equal "ends well when interrupted" 0 $?
}

test_text()
{
	local text=$TEST_TMP/text

	top interval 0.2 count 2 >"$text"
	check_equal "text: two tables" 2 "$(grep -c '^DEV *PORT *NETDEV' "$text")"
	check "text: the plane" grep -qE '^mrc2 +1 veth +up ' "$text"
	check_not "text: no control characters without a terminal" grep -q $'\033' "$text"
	script -qec "stty rows 5 cols 40; mrcctl -n p2 top interval 0.2 count 2" /dev/null >"$text"
	check_equal "terminal: drawn in place, at first without rates" 3 \
		"$(grep -o $'\033\\[H' "$text" | wc -l)"
	check_equal "terminal: no line is longer than its window" 0 \
		"$(sed 's/\x1b\[[HKJ]//g; s/\r$//' "$text" | grep -cE '.{41}')"
}

test_errors()
{
	check_error "no such device" 2 "mrcctl: top: no such device (dev-name)" top nope
	check_error "interval" 1 "mrcctl: top: interval must be 0.1 to 86400 seconds, not 0" \
		top interval 0
	check_error "sort" 1 "mrcctl: top: unknown sort key 'speed'" top sort speed
	check_error "a full disk" 2 "mrcctl: top: cannot write" \
		sh -c 'mrcctl -n p2 top interval 0.1 >/dev/full'
}

# Last, because no device stays.
test_unload()
{
	background mrcctl -n p2 top interval 0.2 >"$TEST_TMP/text" 2>"$TEST_TMP/error"
	top_pid=$BACKGROUND_PID
	wait_for grep -q ^DEV "$TEST_TMP/text"
	rdma link delete mrc1
	rdma link delete mrc2
	# Each look holds the device for a moment.
	check "the module can be unloaded meanwhile" wait_for lab unload
	wait "$top_pid"
	check_equal "without the module it ends" 2 $?
	check_equal "and says why in one line" 1 "$(grep -c '^mrcctl: top: .' "$TEST_TMP/error")"
}

need jq rdma script mrc_traffic
pair_up
traffic_start --qps 2
test_rates
test_changes
test_text
test_errors
test_unload
finish
