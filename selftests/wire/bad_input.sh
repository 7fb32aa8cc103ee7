#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packets that are wrong, as they come out of a fabric with and without an outer header. Each is counted
# under the one name that says why, nothing is answered, and the QP they were meant for goes on.
# fuzz_packets.sh sends noise.
# Nothing but what is sent here may count, however busy the host is.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/inject.sh"

# beyond WAY: packets beyond the window are refused by a NACK each.
beyond()
{
	capture_start --direction out -i h2:eth1 -i h2:eth2
	verdicts "$1" inject_"$1" beyond
	capture_stop "$1, beyond the window"
	check_equal "$1, beyond the window: the NACKs say so" "[11]" \
		"$(decoded 1024 'select(.neth != null) | .neth.reason' | jq -sc unique)"
	hold_write "$1: the QP goes on"
}

# silent WAY: packets that must not be answered are not.
silent()
{
	capture_start --direction out -i h2:eth1 -i h2:eth2
	verdicts "$1" inject_"$1" silent
	capture_stop "$1"
	check_equal "$1: nothing was answered" "" "$(decoded 1024)"
	hold_write "$1: the QP goes on"
}

# A link between both hosts beside the planes.
link_aside()
{
	ip link add aside netns h1 type veth peer name aside netns h2 || return
	ip -n h1 link set aside up && ip -n h2 link set aside up
}

# The same link in a VRF, to which h2's addresses belong, too.
link_in_vrf()
{
	ip -n h2 link add red type vrf table 77 &&
		ip -n h2 link set red up &&
		ip -n h2 link set aside master red &&
		ip -n h2 -6 route add local "$(lab gid h2)" dev red table 77 &&
		ip -n h2 -6 route add local "$(lab sid h2)" dev red table 77 &&
		on h2 sysctl -qw net.ipv4.udp_l3mdev_accept=1
}

inject_aside()
{
	inject "$@" --via h1:aside --to h2:aside
}

inject_aside_srv6()
{
	inject_aside "$@" --outer-src "$(lab sid h1)" --outer "$(lab sid h2)"
}

# aside WHERE: packets that come in by it are dropped, however good they are, unless the device is told
# to take them.
aside()
{
	verdicts "$1, plain" inject_aside aside
	verdicts "$1, srv6" inject_aside_srv6 aside
	check "$1: ingress-filter off" on h2 mrcctl device set mrc1 ingress-filter off
	verdicts "$1, taken, plain" inject_aside answered
	verdicts "$1, taken, srv6" inject_aside_srv6 answered
	check "$1: ingress-filter on" on h2 mrcctl device set mrc1 ingress-filter on
	verdicts "$1, plain, dropped again" inject_aside aside --match "a probe$"
}

need jq python3 mrc_hold
lab_up --planes 2 --spines 1
INJECT_OPTIONS=(--second "$(lab sid h2)" --mpr "$(on h2 mrcctl -j device show mrc1 | jq '.[0].mpr')")
hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
hold_write "before: data flows"
# Good packets are answered: so the following ones are wrong in only one point each.
verdicts "plain" inject_plain answered
verdicts "srv6" inject_srv6 answered
beyond plain
beyond srv6
silent plain
silent srv6
check "beside the planes: a link" link_aside
aside "beside the planes"
if modprobe -q vrf; then
	check "beside the planes, in a VRF: the link" link_in_vrf
	aside "beside the planes, in a VRF"
fi
check_equal "afterwards: both QPs are as they were" true "$(hold state alive)"
hold_stop
check_traffic "afterwards: new QPs work" h1 h2 --sizes 1,64K --iterations 50 --both
finish
