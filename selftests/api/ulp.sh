#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What verbs promises users in the kernel: the module selftests/ulp/mrc_ulp_test.c tests it.
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

MODULE=$TOP/build/modules/$VM_KERNEL/ulp/mrc_ulp_test.ko

# gid_index: the index of the IPv6 address of mrc1
gid_index()
{
	on p1 ibv_devinfo -v -d mrc1 | sed -nE "s/^\s*GID\[ *([0-9]+)\]:\s*$(pair_addr 1), RoCE v2\$/\1/p"
}

results()
{
	dmesg | sed -nE 's/.*mrc_ulp_test: (.*)/\1/p'
}

need ibv_devinfo
[ -e "$MODULE" ] || bail "there is no $MODULE"
pair_up
check "all tests of the module" insmod "$MODULE" device=mrc1 "gid=$(gid_index)"
results | diag
check "they ran to the end" grep -q '^1\.\.[1-9]' <(results)
check_equal "none of them failed" 0 "$(results | grep -c '^not ok')"
rmmod mrc_ulp_test
finish
