#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rdma_rxe beside mrc: neither takes the other's devices, netdevs or port, and both carry traffic at
# once.
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

need mrc_traffic rdma ib_write_bw ibv_devinfo
modprobe -n rdma_rxe 2>/dev/null || skip_all "no rdma_rxe for this kernel"

has_device()
{
	rdma dev show "$1"
}

flap()
{
	local i

	for i in $(seq 10); do
		ip -n p1 link set veth mtu $((8000 + i))
		ip -n p1 link set rxe-net mtu $((1400 + i))
		ip -n p1 link set rxe-net down
		ip -n p1 link set rxe-net up
	done
	ip -n p1 link set veth mtu 9000
}

rxe_packets()
{
	cat /sys/class/infiniband/rxe8/ports/1/hw_counters/sent_pkts
}

rxe_flows()
{
	[ "$(rxe_packets)" -ge "$1" ]
}

listening()
{
	ss -Htln | grep -q ":$1 "
}

# rxe_start: starts its traffic with itself in the initial namespace, where its socket is, until it is
# told to end. Sets RXE_SERVER and RXE_CLIENT.
rxe_start()
{
	local gid

	gid=$(ibv_devinfo -v -d rxe8 | sed -n 's/.*GID\[ *\([0-9]*\)\].*fd00:7278:65::1,.*/\1/p')
	background ib_write_bw -F -d rxe8 -x "$gid" -s 16384 --run_infinitely -D 2 \
		>"$TEST_TMP/rxe-server.log" 2>&1
	RXE_SERVER=$BACKGROUND_PID
	wait_for listening 18515 || bail "rxe: server" "$(cat "$TEST_TMP/rxe-server.log")"
	background ib_write_bw -F -d rxe8 -x "$gid" -s 16384 --run_infinitely -D 2 127.0.0.1 \
		>"$TEST_TMP/rxe-client.log" 2>&1
	RXE_CLIENT=$BACKGROUND_PID
	wait_for rxe_flows 500 || bail "rxe: traffic flows" "$(cat "$TEST_TMP"/rxe-*.log)"
}

# check_both NAME: both go on sending.
check_both()
{
	local ours rxe

	ours=$(counter mrc2 tx_packets)
	rxe=$(rxe_packets)
	check "$1: ours flows" wait_for packets_flow mrc2 $((ours + 1000))
	check "$1: rxe's flows" wait_for rxe_flows $((rxe + 500))
}

# Both at once: rxe's socket is in the initial namespace, ours are in others, all at one port.
test_traffic()
{
	ip link add rxe-here type dummy
	at_exit ip link del rxe-here
	ip link set rxe-here mtu 9000 up
	ip addr add fd00:7278:65::1/64 dev rxe-here nodad
	check "rxe in the initial namespace" rdma link add rxe8 type rxe netdev rxe-here
	rxe_start
	check_both "both at once"
	# Checked before they are ended: the end of one is an error to the other.
	check_equal "rxe: its programs saw no error" "" \
		"$(grep -hi -e error -e fail "$TEST_TMP"/rxe-*.log)"
	# The end of one does not affect the other.
	kill "$RXE_CLIENT" "$RXE_SERVER"
	wait "$RXE_CLIENT" "$RXE_SERVER" 2>/dev/null
	check "rxe's ended: ours flows" \
		wait_for packets_flow mrc2 $(($(counter mrc2 tx_packets) + 1000))
	check "rxe's device deleted" rdma link delete rxe8
}

pair_up
modprobe rdma_rxe
at_exit rmmod rdma_rxe
check "rdma_rxe loaded: our devices stay" has_device mrc1

ip -n p1 link add rxe-net type dummy
ip -n p1 link set rxe-net up
check "rxe on another netdev" on p1 rdma link add rxe9 type rxe netdev rxe-net
traffic_start --qps 1
flap
before=$(counter mrc2 tx_packets)
check "netdevs flap: traffic goes on" wait_for packets_flow mrc2 $((before + 1000))
test_traffic

# rdma_rxe holds UDP port 4791 of the initial namespace.
ip link add here type dummy
at_exit ip link del here
ip link set here up
check_not "same port, same namespace: refused" rdma link add mrc8 type mrc netdev here
check "same port, same namespace: the log says why" \
	grep -q 'UDP port is taken' <(dmesg | tail -n 50)

check "rdma_rxe unloaded" rmmod rdma_rxe
check_not "rdma_rxe unloaded: its device is gone" has_device rxe9
check "rdma_rxe unloaded: ours stay" has_device mrc1
check "rdma_rxe unloaded: now the port is ours" rdma link add mrc8 type mrc netdev here
check "deleted again" rdma link delete mrc8
kill "$TRAFFIC_CLIENT"
wait "$TRAFFIC_CLIENT"
check_equal "traffic ended well" 0 $?
finish
