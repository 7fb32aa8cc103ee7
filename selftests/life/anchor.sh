#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A device lives as long as its anchor stays where it is: an anchor that is deleted or moved to another
# namespace under traffic takes the device with it. A program that looks only at completions learns from
# them that its peer was killed.
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

need mrc_traffic ib_write_bw ibv_devinfo rdma jq

has_device()
{
	rdma dev show "$1"
}

has_no_device()
{
	! has_device "$1"
}

both_ended()
{
	ended "$TRAFFIC_SERVER" && ended "$TRAFFIC_CLIENT"
}

test_deleted()
{
	pair_up
	traffic_start --qps 1
	ip -n p1 link del veth
	check "anchor deleted: device goes" wait_for has_no_device mrc1
	check "anchor deleted: the other end's too" wait_for has_no_device mrc2
	check "anchor deleted: both programs end" wait_for both_ended
	pair_down
}

test_moved()
{
	pair_up
	traffic_start --qps 1
	ip -n p1 link set veth netns 1 name mrc-moved
	check "anchor moved: device goes" wait_for has_no_device mrc1
	check "anchor moved: both programs end" wait_for both_ended
	check "anchor moved: a new device where it is now" \
		rdma link add mrc3 type mrc netdev mrc-moved
	ip link del mrc-moved
	check "anchor moved: it goes with the netdev" wait_for has_no_device mrc3
	pair_down
}

listening()
{
	on p1 ss -Htln | grep -q ":$1 "
}

test_killed_peer()
{
	local gid server

	pair_up
	gid=$(ibv_devinfo -v -d mrc2 |
		sed -n "s/.*GID\[ *\([0-9]*\)\].*$(pair_addr 2),.*/\1/p")
	background ip netns exec p1 ib_write_bw -F -d mrc1 -x "$gid" --run_infinitely \
		>"$TEST_TMP/server.log" 2>&1
	server=$BACKGROUND_PID
	wait_for listening 18515
	background ip netns exec p2 ib_write_bw -F -d mrc2 -x "$gid" --run_infinitely 10.99.0.1 \
		>"$TEST_TMP/client.log" 2>&1
	wait_for packets_flow mrc2 1000 || bail "traffic flows" "$(cat "$TEST_TMP/client.log")"
	kill -KILL "$server"
	check "peer killed: the program ends" wait_for ended "$BACKGROUND_PID"
	# IBV_WC_REM_OP_ERR: the other host says that the QP is gone.
	check "peer killed: it saw a remote operation error" \
		grep -qi 'failed status 11' "$TEST_TMP/client.log"
	check_equal "peer killed: nothing is left of the peer" 0 \
		"$(rdma -j resource show qp link mrc1 | jq '[.[] | select(.type == "RC")] | length')"
}

test_deleted
test_moved
test_killed_peer
finish
