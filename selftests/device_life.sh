#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
#
# Devices end while programs use them: deleted, their netdev or namespace gone,
# the module unloaded, the program killed. The other end sees retries exceeded.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/pair.sh
. "$SELFTESTS/lib/pair.sh"

need mrc_traffic ib_write_bw rdma jq

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

# survives NAME: the module still works after what just happened.
survives()
{
	check "$1: both programs end" wait_for both_ended
	ip netns del p1 2>/dev/null
	ip netns del p2 2>/dev/null
	check "$1: no device is left" wait_for no_devices
}

# The peer's end: the client writes, so losing the server is what it notices.
peer_notices()
{
	wait_for ended "$TRAFFIC_CLIENT"
	check "$1: the peer sees retries exceeded" grep -qi retry "$TEST_TMP/client.log"
}

test_delete()
{
	pair_up
	traffic_start --qps 1
	check "device deleted: at once" rdma link delete mrc1
	check "device deleted: gone" wait_for has_no_device mrc1
	peer_notices "device deleted"
	survives "device deleted"
}

test_netdev()
{
	pair_net
	ip -n p1 link add anchor type dummy
	ip -n p1 addr add "$(pair_addr 1)/128" dev anchor nodad
	ip -n p1 link set anchor up
	lab load
	pair_device 1
	pair_device 2
	traffic_start --qps 1
	ip -n p1 link del veth
	check "netdev deleted: device goes" wait_for has_no_device mrc1
	check "netdev deleted: the other end's too" wait_for has_no_device mrc2
	survives "netdev deleted"
}

test_moved_netdev()
{
	pair_up
	traffic_start --qps 1
	ip -n p1 link set veth netns 1 name veth-moved
	check "netdev moved: device goes" wait_for has_no_device mrc1
	ip link del veth-moved
	survives "netdev moved"
}

test_namespace()
{
	pair_up
	traffic_start --qps 1
	# The name goes now, the namespace with its last process.
	ip netns del p1
	kill -KILL "$TRAFFIC_SERVER"
	check "namespace deleted: device goes" wait_for has_no_device mrc1
	# Its peer's veth is gone with it.
	check "namespace deleted: so does its neighbour's" wait_for has_no_device mrc2
	survives "namespace deleted"
}

# A program that looks at nothing but its completions.
test_kill()
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
	TRAFFIC_CLIENT=$BACKGROUND_PID
	wait_for packets_flow mrc2 1000 || bail "traffic flows" "$(cat "$TEST_TMP/client.log")"
	kill -KILL "$server"
	check "program killed: the peer ends" wait_for ended "$TRAFFIC_CLIENT"
	check "program killed: the peer sees retries exceeded" \
		grep -qi 'failed status 12' "$TEST_TMP/client.log"
	check "program killed: device stays" has_device mrc1
	check_equal "program killed: nothing of it is left" 0 \
		"$(rdma -j resource show qp link mrc1 | jq '[.[] | select(.type == "RC")] | length')"
	pair_down
}

listening()
{
	on p1 ss -Htln | grep -q ":$1 "
}

test_unload()
{
	pair_up
	traffic_start --qps 1
	check "module unloaded: under traffic" lab unload
	check_not "module unloaded: gone" test -d /sys/module/mrc
	survives "module unloaded"
}

test_load_unload()
{
	local i

	pair_net
	for i in $(seq 50); do
		if ! { lab load && pair_device 1 && lab unload; }; then
			fail "loaded and unloaded 50 times" "stopped at $i"
			return
		fi
	done
	ok "loaded and unloaded 50 times"
}

test_delete
test_netdev
test_moved_netdev
test_namespace
test_kill
test_unload
test_load_unload
finish
