#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that were built for another version of the module, older or newer. libibverbs does not take a
# provider of another ABI, and says which ones do not fit. The netlink family refuses by name what it
# does not know. Programs of this version work beside them.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

FAMILY=$TOP/Documentation/netlink/specs/mrc.yaml

# provider VERSION: prints the value of RDMAV_DRIVERS for a provider with another ABI
provider()
{
	local ours dir=$TEST_TMP/abi$1

	ours=$(echo "$TOP"/build/userspace/provider/libmrc-rdmav*.so)
	mkdir -p "$dir"
	ln -sf "$TOP/build/userspace/bin/abi$1/libprovider_abi$1.so" "$dir/${ours##*/}"
	echo "$dir/libmrc"
}

opens_device()
{
	RDMAV_DRIVERS=$1 ibv_devinfo -d mrc1 2>&1 | tee "$TEST_TMP/devinfo"
}

# check_provider WHAT VERSION
check_provider()
{
	local name="$1 provider" drivers

	drivers=$(provider "$2")
	check_not "$name: opens no device" opens_device "$drivers"
	check "$name: libibverbs says why" grep -q \
		"mrc does not support the kernel ABI of $ABI (supports $2 to $2) for device" \
		"$TEST_TMP/devinfo"
	check_equal "$name: no device is listed" "" \
		"$(RDMAV_DRIVERS=$drivers ibv_devices 2>/dev/null | grep -w mrc1)"
}

# Numbers of messages that no version has had so far.
family()
{
	on p1 "$python" - "$SELFTESTS/lib" "$FAMILY" "$1" <<-'PYTHON'
	import sys
	sys.path.insert(0, sys.argv[1])
	import genl_spec
	family = genl_spec.Family(sys.argv[2])
	space = family.ops["device-set"]["attribute-set"]
	device = family.encode(space, {"dev-name": "mrc1"})
	number = family.ops["device-set"]["number"]
	try:
	    if sys.argv[3] == "attribute":
	        family.request(number, genl_spec.F_ACK, device + genl_spec.attribute(999, b"1234"))
	    elif sys.argv[3] == "command":
	        family.request(200, genl_spec.F_ACK, device)
	    else:
	        family.spec["version"] = int(sys.argv[3])
	        family.request(number, genl_spec.F_ACK, device)
	    print("obeyed")
	except genl_spec.Refused as refusal:
	    print(refusal)
	PYTHON
}

need ibv_devinfo ibv_devices
[ -e "$TOP/build/userspace/bin/abi99" ] || skip_all "needs providers for other ABIs"
yaml_python || skip_all "needs python3 with yaml"
pair_up
ABI=$(cat /sys/class/infiniband_verbs/uverbs0/abi_version)
check "this version's provider works" ibv_devinfo -d mrc1
check_provider "an older" 1
check_provider "a newer" 99
check_equal "a newer tool: an attribute that is not known" "EINVAL: Unknown attribute type" \
	"$(family attribute)"
check_equal "a newer tool: a command that is not known" "ENOTSUP: " "$(family command)"
# The family's version decides nothing else: what both sides know works.
check_equal "a newer tool: what is known" obeyed "$(family 99)"
check_equal "an older tool: what is known" obeyed "$(family 0)"
check "this version's tool works" on p1 mrcctl device show mrc1
check "this version's provider still works" ibv_devinfo -d mrc1
finish
