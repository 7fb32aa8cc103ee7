#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Objects end under traffic in a fabric: programs are killed, planes, anchors, devices and namespaces
# are removed. The peer's QPs end, nothing is left behind, and the module can be unloaded when
# everything else is gone.
# timeout: 1800
# kernels: all
# cpus: 2

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/left.sh"

QPS=4

# endless [OPTION]...: runs traffic from h1 to h2 whose client expects to lose its peer. Retries are
# few, because the test waits for their end.
endless()
{
	traffic_launch h1 h2 --iterations 0 --qps $QPS --sizes 1,64K --timeout 15 --retry-cnt 3 "$@"
	wait_for plane_sends h1 2 || bail "traffic flows" "$(traffic_report)"
}

# Only objects that the RDMA subsystem itself holds may be left.
no_resources()
{
	[ "$(rdma -j resource show "$1" | jq -c '.[0] | [.qp // 0, .cq // 0, .mr // 0, .pd // 0]')" \
		= "$2" ]
}

# A host that goes may or may not still report its QPs.
GONE=retry-exceeded,remote-operation-error

# peer_ends NAME: each QP of the client ends as expected, and with it the program.
peer_ends()
{
	if wait "$TRAFFIC_CLIENT"; then
		ok "$1: the peer's QPs end"
	else
		fail "$1: the peer's QPs end" "$(traffic_report)"
	fi
	check "$1: and are counted" test "$(counter h1 req_cqe_error)" -ge $QPS
}

# nothing_left NAME HOST...: no object of the programs is left.
nothing_left()
{
	local name=$1 host
	shift

	for host; do
		check "$name: $host has no QP left" wait_for no_qps "$host"
		check "$name: $host has the objects of before" wait_for no_resources \
			"$(device_of "$host")" "$(cat "$TEST_TMP/resources")"
	done
}

unloads()
{
	check "$1: module unloads" timeout 60 rmmod mrc
	check_not "$1: module is gone" test -d /sys/module/mrc
	lab_down
}

fabric()
{
	lab_up --planes 2 --spines 1
	rdma -j resource show mrc1 | jq -c '.[0] | [.qp // 0, .cq // 0, .mr // 0, .pd // 0]' \
		>"$TEST_TMP/resources"
}

test_kill()
{
	endless --expect-error remote-operation-error
	kill -KILL "$TRAFFIC_SERVER"
	peer_ends "receiver killed"
	nothing_left "receiver killed" h1 h2

	endless
	kill -KILL "$TRAFFIC_CLIENT"
	check_not "sender killed: the receiver ends" wait "$TRAFFIC_SERVER"
	nothing_left "sender killed" h1 h2
	check_traffic "programs killed: the next ones run" h1 h2 --sizes 1,64K --iterations 30 --both
}

planes_of()
{
	on "$1" mrcctl -j plane show "$(device_of "$1")" | jq -c '[.[].port]'
}

test_planes()
{
	traffic_launch h1 h2 --iterations 0 --qps $QPS --sizes 1,64K --both
	wait_for plane_sends h1 1 || bail "traffic flows" "$(traffic_report)"
	check "plane's netdev removed" ip -n h1 link del eth1
	check "plane's netdev removed: the other one sends" plane_sends h1 2
	check_traffic_end "plane's netdev removed: data of running QPs" traffic_stop
	check_traffic "plane's netdev removed: data of new QPs" h1 h2 --iterations 30

	endless --expect-error retry-exceeded
	check "last plane's netdev removed" ip -n h1 link del eth2
	peer_ends "last plane's netdev removed"
	kill -KILL "$TRAFFIC_SERVER"
	nothing_left "last plane's netdev removed" h1 h2
	check "device without planes: goes" rdma link delete mrc0
	check "device without planes: its peer goes" rdma link delete mrc1
	unloads "planes removed"
}

# server_ends NAME: the server ends, with success or not: nothing may hold it.
server_ends()
{
	wait "$TRAFFIC_SERVER"
	check_not "$1: its program ends" test -e "/proc/$TRAFFIC_SERVER"
}

# device_goes NAME COMMAND...: COMMAND takes mrc1 away under traffic.
device_goes()
{
	local name=$1
	shift

	fabric
	endless --expect-error $GONE
	check "$name: done" "$@"
	check "$name: device goes" wait_for no_device mrc1
	peer_ends "$name"
	server_ends "$name"
	nothing_left "$name" h1
	check "$name: the peer's device goes" rdma link delete mrc0
	unloads "$name"
}

test_namespace()
{
	fabric
	outside_launch h1 h2 --iterations 0 --qps $QPS --timeout 15 --retry-cnt 3 \
		--expect-error $GONE
	wait_for plane_sends h1 2 || bail "namespace: traffic flows" "$(traffic_report)"
	check "namespace deleted" ip netns del h2
	check "namespace deleted: device goes" wait_for no_device mrc1
	peer_ends "namespace deleted"
	server_ends "namespace deleted"
	nothing_left "namespace deleted" h1
	check "namespace deleted: the other one, too" ip netns del h1
	check "namespace deleted: no device is left" wait_for no_device mrc0
	unloads "namespaces deleted"
}

# As with drivers that support disassociation, open devices do not keep the module. A program that has
# nothing to post notices when it makes no progress.
test_unload()
{
	local TRAFFIC_STALL=20

	fabric
	endless
	check "module unloaded under traffic" timeout 120 rmmod mrc
	check_not "module unloaded under traffic: sender ends" wait "$TRAFFIC_CLIENT"
	check_not "module unloaded under traffic: receiver ends" wait "$TRAFFIC_SERVER"
	lab_down
	fabric
	check_traffic "module loaded again: data flows" h1 h2 --iterations 30
	lab_down
}

need jq mrc_traffic
fabric
test_kill
test_planes
device_goes "device deleted" rdma link delete mrc1
device_goes "anchor removed" ip -n h2 link del mrc
test_namespace
test_unload
finish
