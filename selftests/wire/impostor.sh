#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A user without privileges sends to the UDP port of MRC from the address of a device, or from one that
# nobody here has. Whatever way of sockets is used, nothing leaves, and it is counted. From an address
# that is no device's the same packets arrive. The rule also holds for raw sockets. It does not hold for
# packet sockets, but this host believes none of its own packets from a foreign address. Meanwhile QPs
# go on; devices, the module and the namespace can be removed.
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

OWN=fd00:6d72:70:f::1
STRANGER=$(pair_addr 77)
USER_WAYS=(bound connected named segmented long)
ROOT_WAYS=(hop_options destination_options raw pieces extended nested nested_segmented)

nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# forge USER SOURCE TO [OPTION]... WAY...: runs forger.py in p1
forge()
{
	local -a as=()

	[ "$1" = root ] || as=("${nobody[@]}")
	nsenter --net=/run/netns/p1 "${as[@]}" python3 "$SELFTESTS/lib/forger.py" "${@:2}"
}

# told WORD WAY...: the output of forger.py if all ways get that result
told()
{
	printf "%s $1\n" "${@:2}"
}

# grows DEVICE COUNTER BEFORE: prints by how much it has grown, once it has stopped growing
grows()
{
	nap 0.1
	echo $(($(counter "$1" "$2") - $3))
}

grown_by()
{
	[ "$(grows "$1" "$2" "$3")" = "$4" ]
}

# check_arrive USER WAY...: packets from an address that is no device's arrive
check_arrive()
{
	local before

	before=$(counter mrc2 rx_drop_opcode)
	check_equal "$1, from an address of its own: all are sent" "$(told sent "${@:2}")" \
		"$(forge "$1" $OWN "$(pair_addr 2)" "${@:2}" 2>&1)"
	check "$1, from an address of its own: all arrive" \
		wait_for grown_by mrc2 rx_drop_opcode "$before" $(($# - 1))
	check_equal "$1, from an address of its own: each once" $(($# - 1)) \
		"$(grows mrc2 rx_drop_opcode "$before")"
}

# check_refused NAME USER SOURCE TO WAY...
check_refused()
{
	local name=$1 before there

	before=$(counter mrc1 tx_forged)
	there="$(counter mrc2 rx_packets) $(counter mrc2 rx_drop_opcode) $(counter mrc1 rx_drop_opcode)"
	shift
	check_equal "$name: refused" "$(told EPERM "${@:4}")" "$(forge "$@" 2>&1)"
	check_equal "$name: counted" $(($# - 3)) "$(grows mrc1 tx_forged "$before")"
	check_equal "$name: nothing has arrived" "$there" \
		"$(counter mrc2 rx_packets) $(counter mrc2 rx_drop_opcode) $(counter mrc1 rx_drop_opcode)"
}

test_ways()
{
	local user ways

	for user in nobody root; do
		ways=("${USER_WAYS[@]}")
		[ $user = nobody ] || ways=("${ROOT_WAYS[@]}")
		check_arrive $user "${ways[@]}"
		check_refused "$user, from the device's address" $user "$(pair_addr 1)" "$(pair_addr 2)" \
			"${ways[@]}"
		check_refused "$user, from an address that is not here" $user "$STRANGER" "$(pair_addr 2)" \
			"${ways[@]}"
	done
	check_refused "root, a fragment without a port" root "$(pair_addr 1)" "$(pair_addr 2)" last_piece
	check_equal "nobody, from the device's address to another port: sent" "other_port sent" \
		"$(forge nobody "$(pair_addr 1)" "$(pair_addr 2)" other_port)"
}

# Packets to the host itself, in the name of a peer.
test_loopback()
{
	local before

	check_refused "nobody, to himself in the peer's name" nobody "$(pair_addr 2)" "$(pair_addr 1)" \
		"${USER_WAYS[@]}"
	check_refused "nobody, to himself in his own name" nobody "$(pair_addr 1)" "$(pair_addr 1)" \
		"${USER_WAYS[@]}"
	before=$(counter mrc1 rx_drop_ingress)
	check_equal "root, a frame to himself in the peer's name: sent" "frame sent" \
		"$(forge root "$(pair_addr 2)" "$(pair_addr 1)" frame)"
	check "root, a frame to himself in the peer's name: dropped" \
		wait_for grown_by mrc1 rx_drop_ingress "$before" 1
}

# flood SOURCE: sends in all ways that a user has, until it is killed
flood()
{
	background nsenter --net=/run/netns/p1 "${nobody[@]}" python3 "$SELFTESTS/lib/forger.py" \
		"$1" "$(pair_addr 2)" --flood "${USER_WAYS[@]}"
}

forged_above()
{
	[ "$(counter mrc1 tx_forged)" -gt "$1" ]
}

# check_floods NAME
check_floods()
{
	check "$1: the flood goes on" wait_for forged_above "$(counter mrc1 tx_forged)"
}

test_flood()
{
	local first second

	traffic_start --qps 2
	flood "$(pair_addr 1)"
	first=$BACKGROUND_PID
	flood "$STRANGER"
	second=$BACKGROUND_PID
	check_floods "traffic"
	check "traffic: it goes on" wait_for packets_flow mrc2 $(($(counter mrc2 tx_packets) + 2000))
	kill "$TRAFFIC_CLIENT"
	check "traffic: its client ended well" wait "$TRAFFIC_CLIENT"
	check "traffic: its server did, too" wait "$TRAFFIC_SERVER"
	check "the device goes" on p1 rdma link delete mrc1
	check "the device comes again" pair_device 1
	check_floods "the device came again"
	check "the module goes" lab unload
	check "the module comes again" lab load
	check "and the device" pair_device 1
	check_floods "the module came again"
	ip netns del p1
	check "the namespace goes with those who flood" kill "$first" "$second"
	check "and its device" wait_for gone mrc1
}

gone()
{
	[ ! -e "/sys/class/infiniband/$1" ]
}

need jq mrc_traffic python3 setpriv nsenter
chmod 711 "$TEST_TMP"
pair_up
ip -n p1 addr add "$OWN/128" dev lo
for name in all veth; do
	on p2 sysctl -qw "net.ipv6.conf.$name.seg6_enabled=1"
done
test_ways
test_loopback
test_flood
finish
