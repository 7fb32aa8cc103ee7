#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests mrcctl feature, on a host without the module and with it.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

need jq

# field FEATURE FIELD
field()
{
	mrcctl -j feature | jq -r ".[] | select(.feature == \"$1\") | .$2"
}

test_without_module()
{
	check "without the module: works" mrcctl feature
	check_equal "without the module: says so" missing "$(field module status)"
	check "without the module: says how to get it" test -n "$(field module hint)"
	check_equal "kernel" "$(uname -r)" "$(field kernel value)"
	check_equal "SRv6" ok "$(field seg6 status)"
	check "libibverbs: private interface" grep -q 'IBVERBS_PRIVATE_[0-9]' <(field libibverbs value)
	check_equal "asking does not load it" no "$([ -d /sys/module/mrc ] && echo yes || echo no)"
	check_error "other commands say what is wrong" 2 \
		"mrcctl: device show: the mrc kernel module is not loaded" mrcctl device
}

test_with_module()
{
	check_equal "with the module" ok "$(field module status)"
	check "version" grep -q '^loaded, version [0-9]' <(field module value)
	check_equal "ICRC: as the kernel logged" "$(dmesg | tail -n 200 | sed -nE \
		's/.*mrc: icrc: .*using //p' |
		tail -n 1)" "$(field icrc value)"
	check_equal "devices of this namespace" none "$(field devices value)"
	check "devices: how to make one" grep -q 'rdma link add' <(field devices hint)
	check_equal "devices of another" mrc1 \
		"$(mrcctl -n p1 -j feature | jq -r '.[] | select(.feature == "devices") | .value')"
}

# RDMAV_DRIVERS, which lib.sh sets, makes libibverbs find a build tree's provider.
test_provider()
{
	check_equal "provider" ok "$(field provider status)"
	check "provider: the file" test -e "$(field provider value)"
	check_equal "provider: none without the variable" missing \
		"$(RDMAV_DRIVERS='' mrcctl -j feature | jq -r '.[] | select(.feature == "provider").status')"
}

# An earlier test on this machine may have left it.
lab unload || bail "module unloaded"
test_without_module
pair_up
test_with_module
test_provider
finish
