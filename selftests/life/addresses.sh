#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An address is used only where it leads somewhere. GIDs of VLANs and macvlans upon the anchor, and
# addresses without a way, are refused when a QP is connected, and the kernel's log names the reason.
# Anchors and planes that have a master are refused, too. A plane that gets a master later is down, one
# in a VRF needs a sysctl, and mrcctl says so. What this host's own firewall drops is counted here. A
# device keeps the name that its user gave it. It is gone for every tool when its anchor leaves the
# namespace.
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/hold.sh"

need mrc_hold rdma jq nft python3

# connects GID GID [DEVICE DEVICE [NS]]: two QPs connect, the second one in p2 or NS, and write to each
# other.
connects()
{
	[ "$(echo write | timeout 40 mrc_hold -n p1 -g "$1" "${3:-mrc1}" -N "${5:-p2}" -G "$2" "${4:-mrc2}" \
		2>"$TEST_TMP/connects" | tail -n 1 | jq -r .good)" = true ]
}

# said PATTERN: a line of the kernel's log matches it.
said()
{
	grep -q "$1" <(dmesg)
}

# feature NAME: prints what mrcctl says of it, with the /sys of p1
feature()
{
	ip netns exec p1 mrcctl -j feature | jq -r ".[] | select(.feature == \"$1\").value"
}

# counts DEVICE COUNTER: it is above 0
counts()
{
	[ "$(counter "$1" "$2")" -gt 0 ]
}

# plane_is STATE: port 1 of mrc1 is in this state
plane_is()
{
	[ "$(on p1 mrcctl -j plane show mrc1 | jq -r '.[0]."oper-state"')" = "$1" ]
}

# both COMMAND...: runs it in both namespaces; N stands for the number.
both()
{
	local n

	for n in 1 2; do
		on "p$n" "${@//N/$n}" || return 1
	done
}

test_uppers()
{
	both ip link add link veth name veth.10 type vlan id 10
	both ip link add link veth name mac type macvlan mode bridge
	both ip link set veth.10 up
	both ip link set mac up
	both ip addr add fd00:10::N/64 dev veth.10 nodad
	both ip addr add fd00:12::N/64 dev mac nodad
	check_not "a VLAN's GID connects no QP" connects fd00:10::1 fd00:10::2
	check "a VLAN's GID: the log names both netdevs" \
		wait_for said "GID fd00:10::1 belongs to veth.10, not to the anchor veth"
	check_not "a macvlan's GID connects no QP" connects fd00:12::1 fd00:12::2
	check "a macvlan's GID: the log names it" said "GID fd00:12::1 belongs to mac, not to the anchor veth"
	check_not "no device on a VLAN" on p1 rdma link add mrcv type mrc netdev veth.10
	check "no device on a VLAN: the log says why" said "VLAN veth.10 of veth can only be a plane"
	both rdma link add macN type mrc netdev mac
	check "a macvlan as anchor works" wait_for connects fd00:12::1 fd00:12::2 mac1 mac2
	both rdma link del macN
}

# A VLAN as plane, and an address to which no plane leads.
test_plane()
{
	both ip link add dum type dummy
	both ip link set dum up
	both ip addr add fd00:11::N/64 dev dum nodad
	on p1 ip -6 route add fd00:11::2/128 via fd00:10::2 dev veth.10
	on p2 ip -6 route add fd00:11::1/128 via fd00:10::1 dev veth.10
	both rdma link add dumN type mrc netdev dum
	both mrcctl plane add dumN port 1 netdev veth.10
	check "a VLAN as plane works" wait_for connects fd00:11::1 fd00:11::2 dum1 dum2
	on p1 ip -6 route del fd00:11::2/128
	check_not "no plane has a route: no QP connects" connects fd00:11::1 fd00:11::2 dum1 dum2
	check "no plane has a route: the log says so" said "no plane has a route from fd00:11::1 to fd00:11::2"
	both rdma link del dumN
	both ip link del veth.10
	both ip link del mac
}

test_master()
{
	on p1 ip link add name br0 type bridge
	on p1 ip link set br0 up
	on p1 ip link set veth master br0
	check "a plane gets a master: it is down" wait_for plane_is down
	check "a plane gets a master: the log names it" said "veth, a plane, is a port of br0"
	check_equal "a plane gets a master: mrcctl feature" \
		"mrc1 port 1: veth is a port of br0, which takes its packets" "$(feature master)"
	on p1 rdma link add dum1 type mrc netdev dum
	on p1 mrcctl plane add dum1 netdev veth >"$TEST_TMP/refused" 2>&1
	check "a port of a bridge is no plane: the answer, or the log, names both" \
		grep -q 'veth is a port of br0' "$TEST_TMP/refused" <(dmesg)
	check_equal "a port of a bridge is no plane" "" \
		"$(on p1 mrcctl -j plane show dum1 | jq -r '.[].port')"
	on p1 rdma link del mrc1
	check_not "a port of a bridge is no anchor" on p1 rdma link add mrc1 type mrc netdev veth
	check "a port of a bridge is no anchor: the log says why" \
		said "veth is a port of br0, which takes its packets"
	on p1 rdma link add br1 type mrc netdev br0
	on p1 ip addr add fd00:13::1/64 dev br0 nodad
	on p2 ip addr add fd00:13::2/64 dev veth nodad
	check "the bridge itself is one" wait_for connects fd00:13::1 fd00:13::2 br1 mrc2
	on p1 ip link set veth nomaster
	check "no port any more: an anchor" pair_device 1
	check "no port any more: data flows" wait_for connects "$(pair_addr 1)" "$(pair_addr 2)"
	on p1 rdma link del br1
	on p1 rdma link del dum1
}

# refused_from ADDRESS: prints how many packets are refused, of one that a program in the VRF of p1
# sends to the UDP port of p2. A VRF does not tell the program.
refused_from()
{
	local before

	before=$(counter mrc1 tx_forged)
	on p1 python3 -c "
import socket
program = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
program.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'red')
program.bind(('$1', 0))
program.sendto(b'x', ('$(pair_addr 2)', 4791))"
	echo $(($(counter mrc1 tx_forged) - before))
}

test_vrf()
{
	modprobe vrf || { skip "a port in a VRF" "this kernel has none"; return; }
	both ip link add red type vrf table 77
	both ip link set red up
	both ip link set veth master red
	both ip addr replace fd00:6d72:70::N/64 dev veth nodad
	check "in a VRF: the log names the sysctl" \
		said "veth, a plane, is in VRF red: .*udp_l3mdev_accept=1"
	check_not "in a VRF: no QP connects" connects "$(pair_addr 1)" "$(pair_addr 2)"
	check_equal "in a VRF: mrcctl feature" \
		"mrc1 port 1: veth is in VRF red: paths without SRv6 are not used" "$(feature vrf)"
	on p2 sysctl -qw net.ipv4.udp_l3mdev_accept=1
	check_not "in a VRF, one end hears: no QP connects" connects "$(pair_addr 1)" "$(pair_addr 2)"
	on p2 mrcctl probe mrc2 remote "$(pair_addr 1)" ev-profile 0 >/dev/null
	check "in a VRF, one end hears: the other counts what no socket hears" \
		wait_for counts mrc1 rx_drop_no_socket
	on p1 sysctl -qw net.ipv4.udp_l3mdev_accept=1
	check "in a VRF that is heard: data flows" wait_for connects "$(pair_addr 1)" "$(pair_addr 2)"
	check_not "in a VRF: no QP connects to one of the same device" connects \
		"$(pair_addr 1)" "$(pair_addr 1)" mrc1 mrc1 p1
	check "in a VRF: no QP connects to one of the same device: the log says so" \
		said "no plane has a route from $(pair_addr 1) to $(pair_addr 1)"
	check_equal "in a VRF that is heard: mrcctl has nothing to say" "" "$(feature vrf)"
	on p1 ip link add other type dummy
	on p1 ip link set other master red up
	on p1 ip addr add fd00:14::1/64 dev other nodad
	check_equal "in a VRF: programs send to the port from addresses of their own" 0 \
		"$(refused_from fd00:14::1)"
	check "in a VRF: programs do not send in the name of a device" \
		test "$(refused_from "$(pair_addr 1)")" -gt 0
	both ip link set veth nomaster
	both ip link del red
	both ip addr replace fd00:6d72:70::N/64 dev veth nodad
}

# It is not the fabric that drops.
test_firewall()
{
	wait_for connects "$(pair_addr 1)" "$(pair_addr 2)"
	hold_start -n p1 -g "$(pair_addr 1)" mrc1 -N p2 -G "$(pair_addr 2)" mrc2
	on p1 nft 'add table inet t; add chain inet t c { type filter hook prerouting priority 10; }; add rule inet t c udp dport 4791 drop'
	hold "post 1000" good >/dev/null
	check "a firewall drops: it is counted on its host" wait_for counts mrc1 rx_drop_filtered
	check "a firewall drops: mrcctl feature" grep -q 'mrc1: netfilter on this host has dropped' \
		<(feature firewall)
	check_equal "a firewall drops: nothing is blamed on the other host" 0 "$(counter mrc2 rx_drop_filtered)"
	on p1 nft delete table inet t
	hold_stop
}

# Programs that choose an address themselves take IPv4 addresses first.
test_ipv4()
{
	local n

	for n in 1 2; do
		ip -n p1 link set veth down
		ip -n p1 link set veth up
	done
	both ip addr replace fd00:6d72:70::N/64 dev veth nodad
	check "IPv4 GIDs on one Ethernet segment: data flows" \
		wait_for connects ::ffff:10.99.0.1 ::ffff:10.99.0.2
	on p1 ip addr flush dev veth scope link
	check_not "IPv4 GIDs without link-local addresses: no QP connects" \
		connects ::ffff:10.99.0.1 ::ffff:10.99.0.2
	check "IPv4 GIDs without link-local addresses: the log says so" said "work only if anchor veth is a plane"
	check_not "the kernel has nothing to say of IPv4 addresses" said "GID add failed"
}

# asks_nobody: the route that the RDMA core looks up goes by the dummy
asks_nobody()
{
	on p1 ip -6 route get fd00:11::2 from fd00:11::1 oif dum | grep -q 'dev dum table 4791'
}

# Lines of cluster.md that prevent neighbour requests to a silent next hop when a QP connects.
test_silent_hop()
{
	local line page=$TOP/Documentation/cluster.md

	ip link add veth2 netns p1 type veth peer name veth2 netns p2
	both ip link set veth2 up
	both ip addr replace fd00:11::N/64 dev dum nodad
	on p2 ip -6 route add fd00:11::1/128 dev dum metric 1
	on p2 ip -6 route add fd00:11::1/128 via fd00:6d72:70::1 dev veth
	on p1 ip -6 route add fd00:11::2/128 nexthop via fe80::99 dev veth2 weight 255 \
		nexthop via fd00:6d72:70::2 dev veth weight 1
	both rdma link add dumN type mrc netdev dum
	both mrcctl plane add dumN port 1 netdev veth
	on p1 mrcctl plane add dum1 port 2 netdev veth2
	check_not "a silent next hop is asked when a QP connects" asks_nobody
	while read -r line; do
		# shellcheck disable=SC2086 # words
		on p1 $line
	done < <(sed -n '/^ip -6 .* table 4791$/{s/ mrc / dum /;s/fd00:6d72::/fd00:11::/;p}' "$page")
	check "by the page nobody is asked" asks_nobody
	check "by the page data flows" \
		wait_for connects fd00:11::1 fd00:11::2 dum1 dum2
	both rdma link del dumN
}

test_moved()
{
	ip -n p1 link set veth netns p2 name moved
	check "anchor moved: gone for rdma" wait_for test ! -e /sys/class/infiniband/mrc1
	check_equal "anchor moved: gone for mrcctl, here and there" "|mrc2" \
		"$(on p1 mrcctl -j device show | jq -r '.[]."dev-name"')|$(on p2 mrcctl -j device show |
			jq -r '.[]."dev-name"')"
}

# pci_nic: prints a netdev of this machine that is on a PCI bus
pci_nic()
{
	local vendor

	for vendor in /sys/class/net/*/device/vendor; do
		[ ! -e "$vendor" ] || cut -d / -f 5 <<<"$vendor"
	done | head -n 1 | grep .
}

# On such hosts rdma-core's udev rule runs this for each new device.
test_name()
{
	local nic rename=/lib/udev/rdma_rename hardware

	modprobe e1000
	if ! [ -x "$rename" ] || ! wait_for pci_nic; then
		skip "a PCI NIC as anchor" "none here, or no rdma_rename"
		return
	fi
	nic=$(pci_nic)
	check "a PCI NIC as anchor" rdma link add pci0 type mrc netdev "$nic"
	"$rename" pci0 NAME_FALLBACK
	check "a PCI NIC as anchor: the name stays" rdma dev show pci0
	check "a PCI NIC as anchor: mrcctl finds it by its name" mrcctl device show pci0
	hardware=$(readlink -f "/sys/class/net/$nic/device")
	check_equal "a PCI NIC as anchor: the hardware is one folder up" "$hardware" \
		"$(readlink -f /sys/class/infiniband/pci0/device/..)"
	check "a PCI NIC goes: its device goes first" modprobe -r e1000
	check "a PCI NIC has gone: and its device" test ! -e /sys/class/infiniband/pci0
}

pair_up
dmesg -C
test_name
test_uppers
test_plane
test_master
test_vrf
test_firewall
test_silent_hop
test_ipv4
test_moved
finish
