#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcctl monitor: planes, devices, EVs and QPs as they come, go and fail; text
# and JSON lines; only those of its own network namespace.
# timeout: 400

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/pair.sh
. "$SELFTESTS/lib/pair.sh"

need jq rdma tc mrc_traffic
modprobe -q sch_netem

JSON=$TEST_TMP/json
TEXT=$TEST_TMP/text

# has EXPRESSION: an event of which it is true was printed
has()
{
	jq -es "map(select($1)) | length > 0" "$JSON"
}

# seen NAME EXPRESSION
seen()
{
	check "$1" wait_for has "$2"
}

# Until both monitors print: from then on none misses anything.
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
		and ."oper-state" == "up" and .ifname == "spare" and .gone == false and .time > 0'
	mrcctl -n p2 plane set mrc2 port 7 down
	seen "plane: taken down" '.port == 7 and ."admin-state" == "down"'
	ip -n p2 link set spare down
	seen "plane: its netdev went down" '.port == 7 and ."oper-state" == "down"'
	ip -n p2 link del spare
	seen "plane: gone with its netdev" '.port == 7 and .gone'
	check "plane: text" grep -qE '^[0-9-]{10}T[0-9:.]{15} plane mrc2 port 7 .*gone' "$TEXT"
	check_equal "times ascend" true "$(jq -s '[.[].time] | . == sort' "$JSON")"
}

test_failure()
{
	# shellcheck disable=SC2119 # options are optional
	traffic_start
	# A port that p1 cannot receive on: it says so by the other one.
	ip -n p1 link add dead type dummy
	mrcctl -n p1 plane add mrc1 port 7 netdev dead
	seen "peer: port lost" '.event == "peer-ports" and ."dev-name" == "mrc2" and .time > 0
		and (."old-remote-ports" | index(7)) and (."remote-ports" | index(7) | not)
		and (."remote-ports" | index(1)) and ."remote-gid" == "'"$(pair_addr 1)"'"'
	# Nothing is answered any more, and both programs stay.
	tc -n p1 qdisc add dev veth root netem loss 100%
	seen "EV: lost packets" '.event == "peer-ev" and ."dev-name" == "mrc2" and .state == "assumed-bad"
		and ."old-state" != .state and .reason != "" and ."remote-gid" == "'"$(pair_addr 1)"'"'
	seen "EV: when and what before" '.event == "peer-ev" and .changed > 0 and .changed <= .time
		and .acked > 0 and ."old-state" == "good" and .state == "assumed-bad"'
	seen "QP: failed" '.event == "qp" and .state == "err" and ."old-state" == "rts" and .reason != "" and .qpn > 0 and .pid > 0'
	tc -n p1 qdisc del dev veth root
	kill "$TRAFFIC_SERVER"
	check "QP: text" wait_for grep -qE ' qp mrc2 qpn [0-9]+ old-state rts state err .*reason' "$TEXT"
}

test_devices()
{
	rdma link delete mrc2
	seen "device: deleted" '.event == "device-del" and ."dev-name" == "mrc2"'
	pair_device 2
	seen "device: added" '.event == "device-add" and ."dev-name" == "mrc2"'
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
test_failure
test_devices
test_end
finish
