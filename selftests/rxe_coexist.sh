#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rdma_rxe beside us: neither takes the other's devices, netdevs or port.
# kernels: all

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/pair.sh
. "$SELFTESTS/lib/pair.sh"

need mrc_traffic rdma
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
