#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests libmrc, the OCP's application API: what mrc.h promises (mrc_api_test), within one device and
# between two, also under a library that overrides the names of libibverbs; a device of another driver;
# the example of mrc(7).
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/cases.sh"

OVERRIDING=$TOP/build/userspace/libmrc/tests/liboverriding.so

gid_index()
{
	ibv_devinfo -v -d "$1" | sed -nE "s/^.*GID\\[ *([0-9]+)\\]:[[:space:]]*$2(,.*)?\$/\\1/p" | head -1
}

# A program that calls verbs by their names calls the preloaded library, which ends the program; libmrc
# does not.
calls_verbs()
{
	env LD_PRELOAD="$OVERRIDING" mrc_api_test -n p1 "--gtest_filter=$1" mrc1 >"$TEST_TMP/beside" 2>&1
}

test_overridden()
{
	local beside=Life.OneDeviceTwoContextsAndVerbsBeside

	check_not "overridden: who calls verbs is not served by it" calls_verbs $beside
	check "overridden: but by the other one" grep -qx "overridden: ibv_create_cq was called" \
		"$TEST_TMP/beside"
	run_cases "overridden" env LD_PRELOAD="$OVERRIDING" mrc_api_test -n p1 -N p2 \
		"--gtest_filter=$all:$beside" mrc1 mrc2
}

test_example()
{
	local index

	index=$(gid_index mrc1 "$(pair_addr 1)")
	check_equal "the example of mrc(7): writes to itself" "received 12 bytes, immediate 7: Hello, MRC!" \
		"$(on p1 mrc_page_example mrc1 "$index" 2>&1)"
	check_equal "the example of mrc(7): no such device" "mrc9: no such device" \
		"$(on p1 mrc_page_example mrc9 "$index" 2>&1)"
}

rxe_device()
{
	ip link add other type dummy && ip link set other up &&
		ip -6 addr add fd77::1/64 dev other nodad && rdma link add rxe7 type rxe netdev other
}

test_other_driver()
{
	modprobe -q rdma_rxe || bail "no rdma_rxe for this kernel"
	rxe_device || bail "a device of rdma_rxe"
	run_cases "rdma_rxe" mrc_api_test '--gtest_filter=Others.*' rxe7
	check_equal "rdma_rxe: the example says so" "rxe7: no MRC device" "$(mrc_page_example rxe7 0 2>&1)"
}

need mrc_api_test mrc_page_example ibv_devinfo rdma
pair_up
all='-Others.*:Query.TrimmedPacketsAreTold'
run_cases "one device" mrc_api_test -n p1 "--gtest_filter=$all" mrc1
run_cases "two devices" mrc_api_test -n p1 -N p2 "--gtest_filter=$all" mrc1 mrc2
test_overridden
on p1 mrcctl device set mrc1 trim on || bail "trim"
run_cases "one device, trim on" mrc_api_test -n p1 '--gtest_filter=Query.TrimmedPacketsAreTold' mrc1
test_example
test_other_driver
finish
