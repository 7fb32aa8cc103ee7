#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module answers requests over netlink as contract/answers says: which requests it takes, with what
# words it refuses the others, and what each changes. The unit tests of mrcd check the model of the
# module against the same answers (userspace/mrcd/tests/contract_test.cc), so that results on the model
# hold for the module.
# kernels: all

. "$(dirname "$0")/../lib.sh"

need rdma mrc_contract

# The module's answers are kept beside the machine's logs: new answers are copied from there.
found=${VM_OUT:-$TEST_TMP}/contract

down()
{
	ip netns del c1
	lab unload
}

# host_up: makes a device without planes, and netdevs for them (contract/contract.h)
host_up()
{
	local netdev

	at_exit down
	ip netns add c1 || bail "namespace"
	ip -n c1 link set lo up
	for netdev in mrc eth1 eth2 eth3 tiny; do
		ip -n c1 link add $netdev type dummy
		ip -n c1 link set $netdev up
	done
	ip -n c1 link set tiny mtu 1000
	ip -n c1 addr add fd00:6d72:63::1/128 dev mrc nodad
	lab load || bail "module"
}

# wanted TOPIC: prints the answers that the module must give. Kernel 6.1 loses the attribute for which a
# dump was refused; 6.12 does not. Those are the refusals of requests for several objects: "EVs of ...".
wanted()
{
	local lost=

	[[ $(uname -r) != 6.1.* ]] ||
		lost='s/^([A-Za-z ]*s of (peers of )?a stranger -> .*) \(dev-name\)$/\1/'
	sed -E "$lost" "$SELFTESTS/contract/answers/$1"
}

# check_topic TOPIC
check_topic()
{
	# Earlier requests have left nothing behind, not even used numbers.
	on c1 rdma link add mrc0 type mrc netdev mrc || bail "device"
	on c1 mrc_contract mrc0 "$1" >"$found/$1" || fail "$1: asked"
	wanted "$1" >"$TEST_TMP/wanted"
	check "$1" diff -u "$TEST_TMP/wanted" "$found/$1"
	rdma link delete mrc0
}

host_up
mkdir -p "$found"
for topic in $(mrc_contract); do
	check_topic "$topic"
done
finish
