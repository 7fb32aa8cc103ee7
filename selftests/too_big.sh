#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Somebody forges "packet too big" for all ways of a host. The stack believes it. QPs send full packets
# all the same, and new QPs are connected: only netdevs and routes say what has room.
# kernels: all
# timeout: 600

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/traffic.sh
. "$SELFTESTS/lib/traffic.sh"
# shellcheck source=selftests/lib/evs.sh
. "$SELFTESTS/lib/evs.sh"

# link_local HOST NETDEV: its address there
link_local()
{
	ip -n "$1" -6 -j addr show dev "$2" scope link | jq -r '.[0].addr_info[0].local'
}

# tell SOURCE DESTINATION: h1's T0 of plane 1 tells h1 that packets from SOURCE to there are too long.
tell()
{
	ip netns exec p1t0r1 python3 "$SELFTESTS/lib/too_big.py" "$(link_local h1 eth1)%h1" 1280 "$@"
}

# believed DESTINATION NETDEV
believed()
{
	ip -n h1 -6 route get "$1" oif "$2" | grep -q 'mtu 1280'
}

# check_believed NAME SOURCE DESTINATION...: of plane 1, 2, ... The stack may forget it after a while: it
# looks twice a minute whether the next hop is a router by its own word.
check_believed()
{
	local name=$1 source=$2 to
	local -i plane=0
	shift 2

	for to; do
		plane+=1
		check "$name: $to is said to have no room" tell "$source" "$to"
		check "$name: the stack believes it of plane $plane" believed "$to" eth$plane
	done
}

refused()
{
	echo "$(plane_stat h1 1 tx-errors) $(plane_stat h1 2 tx-errors) $(counter h1 tx_dropped)"
}

# check_forged NAME SOURCE DESTINATION...: as of check_believed
check_forged()
{
	local name=$1 before

	traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --rate 40
	check_arrives "$name: traffic flows" 50 h1 h2
	before=$(refused)
	check_believed "$@"
	check_arrives "$name: traffic goes on" 200 h1 h2
	check_equal "$name: nothing was refused" "$before" "$(refused)"
	check_traffic_end "$name: all of it verified" traffic_stop
	check_believed "$name, again" "${@:2}"
	check_traffic "$name: new QPs are connected" h1 h2 --both --iterations 30 --sizes 30K
	check_equal "$name: nothing was refused in the end" "$before" "$(refused)"
}

need jq python3
lab_up --planes 2 --spines 1
check_forged "SRv6" "$(lab sid h1)" "$(lab path h1 h2 1 1)" "$(lab path h1 h2 2 1)"
lab down
lab_up --plain --planes 2
# Of the two routes to h2, which differ by plane, the stack takes the first.
check_forged "plain" "$(lab gid h1)" "$(lab gid h2)"
check_counters_clean "$TROUBLE"
finish
