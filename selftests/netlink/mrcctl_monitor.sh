#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcctl monitor shows planes, devices, EVs and QPs as they come, go and fail, as text and as JSON
# lines, and only those of its own network namespace. A reader that is too slow is told that it missed
# events, and what the state is afterwards.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/hold.sh"

need jq rdma tc mrc_traffic mrc_hold
modprobe -qa sch_netem sch_ingress cls_u32 act_gact

JSON=$TEST_TMP/json
TEXT=$TEST_TMP/text

# has EXPRESSION: an event for which it is true was printed
has()
{
	jq -es "map(select($1)) | length > 0" "$JSON"
}

# seen NAME EXPRESSION
seen()
{
	check "$1" wait_for has "$2"
}

# Waits until both monitors print: from then on none misses anything.
monitors_listen()
{
	mrcctl -n p2 plane set mrc2 port 1 down
	mrcctl -n p2 plane set mrc2 port 1 up
	grep -q . "$JSON" && grep -q . "$TEXT"
}

start_monitors()
{
	background mrcctl -n p2 -j monitor >"$JSON"
	json_pid=$BACKGROUND_PID
	background mrcctl -n p2 monitor >"$TEXT"
	text_pid=$BACKGROUND_PID
	wait_for monitors_listen || bail "monitors"
}

test_planes()
{
	ip -n p2 link add spare type dummy
	ip -n p2 link set spare up
	mrcctl -n p2 plane add mrc2 port 7 netdev spare
	seen "plane: added" '.event == "plane" and .port == 7 and ."admin-state" == "up"
		and ."oper-state" == "up" and .ifname == "spare" and .gone == false and ."time-ns" > 1.6e18'
	mrcctl -n p2 plane set mrc2 port 7 down
	seen "plane: taken down" '.port == 7 and ."admin-state" == "down"'
	ip -n p2 link set spare down
	seen "plane: its netdev went down" '.port == 7 and ."oper-state" == "down"'
	ip -n p2 link del spare
	seen "plane: gone with its netdev" '.port == 7 and .gone'
	check "plane: text" grep -qE '^[0-9-]{10}T[0-9:.]{15} plane mrc2 port 7 .*gone' "$TEXT"
	check_equal "times ascend" true "$(jq -s '[.[]."monotonic-ns" | values] | . == sort' "$JSON")"
}

# The final state that a reader of the events knows: planes, EVs that are not usable, ports of peers,
# QPs that failed.
state_told()
{
	jq -cs 'reduce .[] as $e ({plane: {}, ev: {}, ports: {}, qp: {}};
		if $e.event == "overrun" then map_values({})
		elif $e.event == "plane" and $e.gone then del(.plane["\($e.port)"])
		elif $e.event == "plane" then
			.plane["\($e.port)"] = [$e.ifname, $e."admin-state", $e."oper-state"]
		elif $e.event == "peer-ev" and ($e.state == "good" or $e.state == "skip") then
			del(.ev["\($e."remote-gid") \($e.index)"])
		elif $e.event == "peer-ev" then .ev["\($e."remote-gid") \($e.index)"] = $e.state
		elif $e.event == "peer-ports" then .ports[$e."remote-gid"] = $e."remote-ports"
		elif $e.event == "qp" then .qp["\($e.qpn)"] = $e.state else . end)' "$JSON"
}

# The same from queries. They also list peers that no event had to name: all EVs and ports of these are
# good.
state_asked()
{
	jq -cn --argjson plane "$(mrcctl -n p2 -j plane show)" \
		--argjson peer "$(mrcctl -n p2 -j -d peer show)" \
		--argjson qp "$(mrcctl -n p2 -j qp show)" '{
			plane: [$plane[] | {"\(.port)": [.ifname, ."admin-state", ."oper-state"]}] | add,
			ev: [$peer[] | ."remote-gid" as $gid | ."peer-ev"[] |
				select(.state != "good" and .state != "skip") |
				{"\($gid) \(.index)": .state}] | add,
			ports: [$peer[] | {(."remote-gid"): ."remote-ports"}] | add,
			qp: [$qp[] | select(.state == "err") | {"\(.qpn)": .state}] | add}'
}

same_state()
{
	[ "$(state_told)" = "$(state_asked)" ]
}

# flooded N: N sockets of p2 have lost events.
flooded()
{
	# shellcheck disable=SC2016 # for awk
	[ "$(on p2 awk '$9 > 0 && NR > 1' /proc/net/netlink | wc -l)" -ge "$1" ]
}

# Both monitors are stopped, until there is no room for more events. Wherever the flood ends, an EV
# stays denied.
flood()
{
	local n

	mrcctl -n p2 ev deny mrc2 ev-profile 7 index 0
	for ((n = 0; n < 250; n++)); do
		printf 'ev %s mrc2 ev-profile 7 index %d\n' deny 2 allow 0 deny 0 allow 2
	done >"$TEST_TMP/flood"
	for ((n = 0; n < 50; n++)); do
		flooded 2 && return
		mrcctl -n p2 -b "$TEST_TMP/flood" || return 1
	done
	return 1
}

port_8_is_lost()
{
	mrcctl -n p2 -j peer show | jq -e '.[0]."remote-ports" | index(8) | not'
}

qp_failed()
{
	[ "$(hold state alive)" = false ]
}

# Changes one object of each kind, without an event.
change_all()
{
	mrcctl -n p2 ev allow mrc2 ev-profile 7 index 0
	mrcctl -n p2 ev deny mrc2 ev-profile 7 index 1
	ip -n p2 link del spare
	ip -n p1 link add lost type dummy
	mrcctl -n p1 plane add mrc1 port 8 netdev lost
	wait_for port_8_is_lost || bail "overrun: port of the peer"
	tc -n p1 qdisc add dev veth root netem loss 100%
	hold "post 1000" good >/dev/null
	wait_for qp_failed || bail "overrun: QP"
	tc -n p1 qdisc del dev veth root
}

test_overrun()
{
	local kind

	ip -n p2 link add spare type dummy
	ip -n p2 link set spare up
	mrcctl -n p2 -b - <<-BATCH || bail "overrun: profile"
		plane add mrc2 port 7 netdev spare
		ev-profile add mrc2 7 format stev ev port 1 value 1 ev port 1 value 2 ev port 1 value 3
		route add mrc2 $(pair_addr 1) ev-profile 7
	BATCH
	hold_start -n p1 mrc1 -N p2 mrc2
	hold_write "overrun: QPs work"
	check_equal "overrun: impatient ones" null "$(hold "renew 10 1" error)"
	kill -STOP "$json_pid" "$text_pid"
	flood || bail "overrun: flood" "$(on p2 cat /proc/net/netlink)"
	change_all
	kill -CONT "$json_pid" "$text_pid"
	seen "overrun: told" '.event == "overrun"'
	for kind in device-add plane peer-ports peer-ev qp; do
		seen "overrun: then the state: $kind" \
			".event == \"$kind\" and .reason == \"resync\" and .\"dev-name\" == \"mrc2\""
	done
	check "overrun: a reader ends with what is" wait_for same_state
	[ "$test_failed" = 0 ] || { state_told; state_asked; } | diag
	check_equal "overrun: QP and EV among it" "[\"err\",\"denied\"]" \
		"$(state_told | jq -c "[.qp[], .ev[\"$(pair_addr 1) 1\"]]")"
	check "overrun: text" wait_for grep -qx "overrun events were lost" "$TEXT"
	check "overrun: text: then the state" wait_for grep -qE \
		' peer-ev mrc2 .* index 1 port 1 state denied reason resync$' "$TEXT"
	hold_stop
	ip -n p1 link del lost
	mrcctl -n p2 route del mrc2 "$(pair_addr 1)"
}

# lose_ev: p1 drops what p2 sends by one of its EVs; the first 16 bits of its value are the source port.
# Not p2, because a host does not count its own drops as losses.
lose_ev()
{
	local value

	value=$(mrcctl -n p2 -j -d peer show mrc2 |
		jq 'first(.[0]."peer-ev"[] | select(.state == "good")).value') || return
	tc -n p1 qdisc add dev veth clsact &&
		tc -n p1 filter add dev veth ingress protocol ipv6 u32 \
			match u16 $((value >> 16)) 0xffff at 40 action drop
}

# Changed by this mrcctl, as both monitors are told.
test_config()
{
	mrcctl -n p2 -b - <<-BATCH || bail "configured: set-up"
		device set mrc2 hop-limit 9
		cc-profile add mrc2 9 algorithm none window 65536
		ev-profile add mrc2 9 mode auto count 8
		route add mrc2 fd00:9::/64 ev-profile 9 cc-profile 9 owner 16
		route del mrc2 fd00:9::/64
		ev-profile del mrc2 9
		cc-profile del mrc2 9
	BATCH
	seen "configured: settings" '.event == "settings" and .settings."hop-limit" == 9 and .settings.burst > 0
		and ."by-name" == "mrcctl" and ."by-pid" > 1'
	seen "configured: EV profile" '.event == "ev-profile" and ."ev-profile" == 9 and .count == 8
		and .owner == "admin" and ."by-name" == "mrcctl" and (.gone | not)'
	seen "configured: CC profile" '.event == "cc-profile" and ."window-bytes" == 65536
		and ."by-name" == "mrcctl"'
	seen "configured: route" '.event == "route" and .prefix == "fd00:9::" and .owner == "16"
		and ."by-name" == "mrcctl" and (.gone | not)'
	seen "configured: gone again" '.event == "cc-profile" and ."cc-profile" == 9 and .gone'
	check_equal "configured: in the order in which it was done" \
		'["settings","cc-profile","ev-profile","route","route","ev-profile","cc-profile"]' \
		"$(jq -c 'select(."by-name" == "mrcctl" and .event != "plane" and .event != "ev") |
			.event' "$JSON" | tail -n 7 | jq -cs .)"
	check "configured: text" grep -qE \
		' route mrc2 fd00:9::/64 ev-profile 9 cc-profile 9 owner 16 by-name mrcctl by-pid [0-9]+$' \
		"$TEXT"
}

# Events when an EV loses everything and the carrier shows nothing.
failure_report()
{
	tc -n p1 -s filter show dev veth ingress
	mrcctl -n p2 -d -s peer show mrc2
	mrcctl -n p2 -s qp show mrc2
	counter mrc2 tx_packets
	cat "$TEST_TMP/client.log"
	tail -n 5 "$JSON"
}

test_failure()
{
	# shellcheck disable=SC2119 # options are optional
	traffic_start
	# A port that p1 cannot receive on: p1 says so by the other port.
	ip -n p1 link add dead type dummy
	mrcctl -n p1 plane add mrc1 port 7 netdev dead
	seen "peer: port lost" '.event == "peer-ports" and ."dev-name" == "mrc2" and ."time-ns" > 0
		and (."old-remote-ports" | index(7)) and (."remote-ports" | index(7) | not)
		and (."remote-ports" | index(1)) and ."remote-gid" == "'"$(pair_addr 1)"'"'
	check "peer: port lost: traffic goes on" \
		wait_for packets_flow mrc2 $(($(counter mrc2 tx_packets) + 1000))
	check "EV: one of them loses all" lose_ev
	seen "EV: lost packets" '.event == "peer-ev" and ."dev-name" == "mrc2" and .state == "assumed-bad"
		and ."old-state" != .state and .reason != "" and ."remote-gid" == "'"$(pair_addr 1)"'"'
	seen "EV: when and what before" '.event == "peer-ev" and ."changed-ns" > 0 and ."changed-ns" <= ."time-ns"
		and .acked > 0 and ."old-state" == "good" and .state == "assumed-bad"'
	[ "$test_failed" = 0 ] || failure_report | diag
	tc -n p1 qdisc del dev veth clsact
	# Nothing is answered any more, and both programs stay.
	tc -n p1 qdisc add dev veth root netem loss 100%
	seen "QP: failed" '.event == "qp" and .state == "err" and ."old-state" == "rts" and .reason != "" and .qpn > 0 and .pid > 0'
	tc -n p1 qdisc del dev veth root
	kill "$TRAFFIC_SERVER"
	check "QP: text" wait_for grep -qE ' qp mrc2 qpn [0-9]+ old-state rts state err .*reason' "$TEXT"
}

test_devices()
{
	rdma link delete mrc2
	seen "device: deleted" '.event == "device-del" and ."dev-name" == "mrc2" and ."by-name" == "rdma"'
	pair_device 2
	seen "device: added" '.event == "device-add" and ."dev-name" == "mrc2" and ."by-name" == "rdma" and ."by-pid" > 0'
	check_equal "nothing of the other namespace" false "$(has '."dev-name" == "mrc1"')"
}

test_end()
{
	local pid

	for pid in "$json_pid" "$text_pid"; do
		check "still running" kill -0 "$pid"
		kill -TERM "$pid"
		wait "$pid"
		check_equal "ends well when told to" 0 $?
	done
}

pair_up
start_monitors
test_planes
test_config
test_overrun
test_failure
test_devices
test_end
finish
