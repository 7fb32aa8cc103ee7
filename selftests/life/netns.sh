#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Devices and network namespaces: neighbours that have to be resolved, anchors without neighbours, the
# RDMA subsystem's shared and exclusive modes, isolation.
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

need mrc_verbs_test mrc_traffic rdma jq

data_tests()
{
	timeout 100 mrc_verbs_test --gtest_filter='Data.*' -n p1 -N p2 mrc1 mrc2
}

test_veth_anchor()
{
	pair_up
	ip -n p1 neigh flush dev veth
	ip -n p2 neigh flush dev veth
	check "veth anchors: neighbours are resolved, data flows" data_tests
	pair_down >/dev/null 2>&1
}

# A dummy as anchor holds the GID; the veth is a plane beside it.
test_dummy_anchor()
{
	local n

	pair_net
	lab load
	for n in 1 2; do
		ip -n p$n link add anchor type dummy
		ip -n p$n addr add "fd00:6d72:71::$n/64" dev anchor nodad
		ip -n p$n link set anchor up
		ip -n p$n route add "fd00:6d72:71::$((3 - n))/128" \
			via "$(pair_addr $((3 - n)))" dev veth
		pair_device $n anchor
		check "dummy anchor $n: no plane by itself" \
			test -z "$(on p$n mrcctl -j plane show "mrc$n" | jq -r '.[].port')"
		check "dummy anchor $n: plane added" \
			on p$n mrcctl plane add "mrc$n" port 1 netdev veth
	done
	check "dummy anchors: data flows" data_tests
	pair_down >/dev/null 2>&1
}

sees()
{
	on "$1" rdma -j dev show | jq -r '.[].ifname' | grep -qx "$2"
}

test_exclusive()
{
	local n

	wait_for rdma system set netns exclusive ||
		{ skip "exclusive mode" "cannot be set here"; return; }
	at_exit wait_for rdma system set netns shared
	pair_up
	for n in 1 2; do
		check "exclusive: p$n sees its device" sees p$n "mrc$n"
		check_not "exclusive: p$n does not see the other" sees p$n "mrc$((3 - n))"
	done
	check "exclusive: data flows" data_tests
	pair_down >/dev/null 2>&1
	# Not before the last namespace has gone.
	check "shared mode again" wait_for rdma system set netns shared
}

# The same addresses and names may exist in many namespaces.
test_isolation()
{
	pair_up
	check "isolation: mrcctl sees the namespace's own device" \
		test "$(on p1 mrcctl -j device show | jq -r '.[]."dev-name"')" = mrc1
	check_not "isolation: and not another's" on p1 mrcctl device show mrc2
	check "isolation: in the shared mode the rdma tool sees both" sees p1 mrc2
}

test_exclusive
test_veth_anchor
test_dummy_anchor
test_isolation
finish
