#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# One device, seen by the tools that people know: rdma, ibv_devices, ibv_devinfo, perftest; and how what
# MRC does not do is refused.
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/hold.sh"

need rdma ibv_devinfo ib_write_bw ib_read_lat ib_send_lat jq mrc_hold

link_field()
{
	rdma -j link show "$1/1" | jq -r ".[0].$2"
}

devinfo_field()
{
	ibv_devinfo -v -d "$1" | awk -v key="$2:" '$1 == key { print $2; exit }'
}

link_is()
{
	[ "$(link_field "$1" state)" = "$2" ]
}

guid_of()
{
	rdma -j dev show "$1" | jq -r '.[0].node_guid'
}

test_rdma_tool()
{
	local guid

	check_equal "rdma link: state" ACTIVE "$(link_field mrc1 state)"
	check_equal "rdma link: physical state" LINK_UP "$(link_field mrc1 physical_state)"
	check_equal "rdma link: netdev, in its namespace" veth \
		"$(on p1 rdma -j link show mrc1/1 | jq -r '.[0].netdev')"
	guid=$(guid_of mrc1)
	check "node GUID: not zero" test "$guid" != 0000:0000:0000:0000
	check "node GUID: differs between devices" test "$guid" != "$(guid_of mrc2)"
	check "counters: in rdma statistic" grep -q 'tx_packets' <(rdma statistic show link mrc1/1)
	check "counters: in sysfs" test "$(counter mrc1 ring_corrupt)" = 0
	check_equal "firmware version: the module's" "$(cat /sys/module/mrc/version)" \
		"$(cat /sys/class/infiniband/mrc1/fw_ver)"
	check "it hangs somewhere in sysfs" readlink -e /sys/class/infiniband/mrc1/device
}

test_libibverbs()
{
	check "ibv_devices lists it" grep -qw mrc1 <(ibv_devices)
	check "ibv_devinfo -v: nothing to complain about" \
		test -z "$(ibv_devinfo -v -d mrc1 2>&1 >/dev/null)"
	check_equal "ibv_devinfo: MTU fits into 9000" 4096 "$(devinfo_field mrc1 active_mtu)"
	check_equal "ibv_devinfo: link layer" Ethernet "$(devinfo_field mrc1 link_layer)"
	check "ibv_devinfo: the address is a GID" \
		grep -q "GID.*$(pair_addr 1), RoCE v2" <(ibv_devinfo -v -d mrc1)
	ip -n p1 link set veth mtu 1500
	check_equal "ibv_devinfo: MTU fits into 1500" 1024 "$(devinfo_field mrc1 active_mtu)"
	ip -n p1 link set veth mtu 9000
}

# event NAME SIDE EVENT: a program that has the device of side 0 (mrc1) or 1 (mrc2) open gets this event
# next.
event()
{
	check_equal "$1" '{"before":[],"seen":true}' "$(hold "event $2 $3" '|tojson')"
}

# After a change of link state GID events come, too, in any order.
event_among()
{
	check_equal "$1" true "$(hold "event $2 $3" seen)"
}

# gid_index N: the index of the address of side N, in the table of its device
gid_index()
{
	ibv_devinfo -v -d "mrc$1" | sed -n "s/.*GID\[ *\([0-9]*\)\].*$(pair_addr "$1"),.*/\1/p"
}

has_gid()
{
	[ -n "$(gid_index "$1")" ]
}

test_link_state()
{
	# A QP keeps its entry of the GID table, but not the entry of the address in the tests below.
	ip -n p1 addr add "$(pair_addr 78)/64" dev veth nodad
	hold_start -n p1 -g "$(pair_addr 78)" mrc1 -N p2 mrc2
	ip -n p2 addr add "$(pair_addr 77)/64" dev veth nodad
	event "event: a GID more" 1 "GID table change"
	ip -n p2 addr del "$(pair_addr 77)/64" dev veth
	event "event: a GID less" 1 "GID table change"
	ip -n p1 link set veth down
	check "port: down with its netdev" wait_for link_is mrc1 DOWN
	check "port: down without carrier" wait_for link_is mrc2 DOWN
	event_among "event: down with its netdev" 0 "port error"
	event "event: down without carrier" 1 "port error"
	ip -n p1 link set veth up
	check "port: up again" wait_for link_is mrc1 ACTIVE
	check "port: carrier again" wait_for link_is mrc2 ACTIVE
	event_among "event: up again" 0 "port active"
	event_among "event: carrier again" 1 "port active"
	hold_stop
	# The kernel removed the address with the link. Its GID comes back after deferred work of the
	# kernel, at any free index.
	ip -n p1 addr replace "$(pair_addr 1)/64" dev veth nodad
	check "GID of the address: back" wait_for has_gid 1
	# A QP that connects before the neighbour is known waits a second for it, and then is refused.
	reach p1 "$(pair_addr 2)"
}

test_creation()
{
	ip -n p1 link add dummy0 type dummy
	ip -n p1 link set dummy0 up
	check_error "create: netdev has one already" 1 "File exists" \
		on p1 rdma link add mrc9 type mrc netdev veth
	check_error "create: loopback is no Ethernet" 1 "Invalid argument" \
		on p1 rdma link add mrc9 type mrc netdev lo
	check_not "create: name taken" on p1 rdma link add mrc1 type mrc netdev dummy0
	check_not "create: no such netdev" on p1 rdma link add mrc9 type mrc netdev nothing
	check "create: on a dummy" on p1 rdma link add mrc9 type mrc netdev dummy0
	check "delete" rdma link delete mrc9
	check "create: again after delete" on p1 rdma link add mrc9 type mrc netdev dummy0
	check "delete: again" rdma link delete mrc9
	ip -n p1 link del dummy0
}

test_rename()
{
	check "rename" rdma dev set mrc1 name other0
	check "rename: seen by libibverbs" grep -qw other0 <(ibv_devices)
	check "rename: back" rdma dev set other0 name mrc1
}

# pingpong OPTION COMMAND [ARG]...: runs the server in p1 and the client in p2, each with the index of
# its own GID behind OPTION; prints the output of both, and returns the client's status.
pingpong()
{
	local option=$1 status=0
	local -a of_p1=() of_p2=()
	shift

	[ "$option" = none ] || of_p1=("$option" "$(gid_index 1)")
	[ "$option" = none ] || of_p2=("$option" "$(gid_index 2)")
	background ip netns exec p1 "$@" "${of_p1[@]}" -d mrc1 >"$TEST_TMP/server.log" 2>&1
	wait_for listening 18515 || wait_for listening 18515
	on p2 "$@" "${of_p2[@]}" -d mrc2 10.99.0.1 >"$TEST_TMP/client.log" 2>&1 || status=$?
	kill "$BACKGROUND_PID" 2>/dev/null
	wait "$BACKGROUND_PID" 2>/dev/null
	sed 's/^/server: /' "$TEST_TMP/server.log"
	sed 's/^/client: /' "$TEST_TMP/client.log"
	return "$status"
}

listening()
{
	on p1 ss -Htln | grep -q ":$1 "
}

test_programs()
{
	check "ib_write_bw" pingpong -x ib_write_bw -F -n 200
	# The program takes IPv4 GIDs if there are any.
	check "an IPv4 address is a GID" grep -q "::ffff:10.99.0.1" <(ibv_devinfo -v -d mrc1)
	check "ib_write_bw chooses a GID that works" pingpong none ib_write_bw -F -n 200
	check_equal "the kernel has nothing to say of IPv4" "" "$(dmesg | grep -E 'GID add|add gid')"
	check "ib_write_lat" pingpong -x ib_write_lat -F -n 100
	check "ib_read_lat" pingpong -x ib_read_lat -F -n 100
	check_not "ib_send_lat by UC is refused" pingpong -x ib_send_lat -c UC -F -n 10
	check "ib_send_lat by UC says so" grep -qi "create QP" "$TEST_TMP/client.log"
}

# qp_shown KEY: prints it for the only QP that has traffic
qp_shown()
{
	rdma -j -d -d resource show qp link mrc2 | jq -r "[.[] | select(.type == \"RC\")][0].$1"
}

qp_has_sent()
{
	[ "$(qp_shown drv_tx_packets)" -ge "$1" ]
}

test_resources()
{
	traffic_start --qps 1
	check_equal "rdma resource: state" RTS "$(qp_shown state)"
	check "rdma resource -d -d: window" test "$(qp_shown drv_mpr_tx)" -ge 1
	check "rdma resource -d -d: packets" wait_for qp_has_sent 1000
	check "rdma resource: MRs" test "$(rdma -j -d -d resource show mr dev mrc2 | jq length)" -ge 1
	check "rdma resource: CQs" test "$(rdma -j -d -d resource show cq dev mrc2 | jq length)" -ge 1
	kill "$TRAFFIC_CLIENT"
	wait "$TRAFFIC_CLIENT"
	check_equal "traffic ended well" 0 $?
}

# port_counter DEVICE NAME: prints a counter of InfiniBand's, as programs that watch hosts read it
port_counter()
{
	cat "/sys/class/infiniband/$1/ports/1/counters/$2"
}

# Called after traffic.
test_port_counters()
{
	local name

	for name in port_xmit_data port_rcv_data port_xmit_packets port_rcv_packets unicast_xmit_packets \
		link_downed port_rcv_errors port_xmit_discards; do
		check "counters/$name can be read" port_counter mrc1 $name
	done
	check_equal "counters: packets that were sent" "$(counter mrc2 tx_packets)" \
		"$(port_counter mrc2 port_xmit_packets)"
	check_equal "counters: words of four bytes that were sent" $(($(counter mrc2 tx_bytes) / 4)) \
		"$(port_counter mrc2 port_xmit_data)"
	check_equal "counters: packets that came" "$(counter mrc1 rx_packets)" \
		"$(port_counter mrc1 port_rcv_packets)"
	check "counters: they are not none" test "$(port_counter mrc1 port_rcv_packets)" -gt 1000
}

pair_up
test_rdma_tool
test_libibverbs
test_link_state
test_creation
test_rename
test_programs
test_resources
test_port_counters
finish
