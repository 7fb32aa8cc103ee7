#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A host forges ICMPv6 messages about all paths of another host. The stack believes "Packet too big".
# QPs send full packets all the same, and new QPs are connected: only netdevs and routes decide what has
# room. "Unreachable" does nothing. A redirect is believed only from a neighbour, and not where the
# netdev's setting forbids it. Where it is believed, its plane is found dead, and the others carry all.
# kernels: all
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# link_local HOST NETDEV: prints its link-local address
link_local()
{
	ip -n "$1" -6 -j addr show dev "$2" scope link | jq -r '.[0].addr_info[0].local'
}

# tell WHAT SOURCE DESTINATION...: h1's T0 of plane 1 sends the message, see icmp.py.
tell()
{
	ip netns exec p1t0r1 python3 "$SELFTESTS/lib/icmp.py" "$(link_local h1 eth1)%h1" "$@"
}

# believed DESTINATION NETDEV
believed()
{
	ip -n h1 -6 route get "$1" oif "$2" | grep -q 'mtu 1280'
}

# check_believed NAME SOURCE DESTINATION...: for planes 1, 2, ... The stack may forget it after a while,
# because it checks twice a minute whether the next hop calls itself a router.
check_believed()
{
	local name=$1 source=$2 to
	local -i plane=0
	shift 2

	for to; do
		plane+=1
		check "$name: $to is said to have no room" tell 1280 "$source" "$to"
		check "$name: the stack believes it of plane $plane" believed "$to" eth$plane
	done
}

# check_unreachable NAME SOURCE DESTINATION...: traffic flows
check_unreachable()
{
	local name=$1
	shift

	check "$name: nothing is reachable, it is said" tell unreachable "$@"
	check_arrives "$name: traffic goes on, nothing being reachable" 100 h1 h2
	check "$name: no EV is bad, nothing being reachable" all_good
}

# leads DESTINATION NEIGHBOUR: the stack uses this neighbour, by plane 1
leads()
{
	ip -n h1 -6 route get "$1" oif eth1 | grep -q "via $2 "
}

# check_not_believed NAME DESTINATION
check_not_believed()
{
	check_not "redirect, $1: the stack does not believe it" leads "$2" "$NOBODY"
	check_arrives "redirect, $1: traffic goes on" 100 h1 h2
	check "redirect, $1: no EV is bad" all_good
}

test_redirect()
{
	local to

	to=$(lab path h1 h2 1 1)
	on h1 sysctl -qw net.ipv6.conf.eth1.accept_redirects=1
	check "redirect, from afar: told" \
		on h2 python3 "$SELFTESTS/lib/icmp.py" "$(lab gid h1)" "$NOBODY" :: "$to"
	check_not_believed "from afar" "$to"
	on h1 sysctl -qw net.ipv6.conf.eth1.accept_redirects=0
	check "redirect, not wanted: told" tell "$NOBODY" :: "$to"
	check_not_believed "not wanted" "$to"
	on h1 sysctl -qw net.ipv6.conf.eth1.accept_redirects=1
	check "redirect: told" tell "$NOBODY" :: "$to"
	check "redirect: the stack believes it" leads "$to" "$NOBODY"
	check "redirect: the EV is found bad" wait_for evs_are h1 'assumed-bad (good|skip)'
	check_arrives "redirect: traffic goes on" 100 h1 h2
	ip -n h1 -6 route flush cache
	check "redirect: the EV is good once it is forgotten" wait_for all_good
}

refused()
{
	echo "$(plane_stat h1 1 tx-errors) $(plane_stat h1 2 tx-errors) $(counter h1 tx_dropped)"
}

# check_forged NAME SOURCE DESTINATION...: as in check_believed
check_forged()
{
	local name=$1 before

	traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --rate 40
	check_arrives "$name: traffic flows" 50 h1 h2
	before=$(refused)
	check_believed "$@"
	check_arrives "$name: traffic goes on" 200 h1 h2
	check_equal "$name: nothing was refused" "$before" "$(refused)"
	check_unreachable "$@"
	[ "$name" != "SRv6" ] || test_redirect
	check_traffic_end "$name: all of it verified" traffic_stop
	check_believed "$name, again" "${@:2}"
	check_traffic "$name: new QPs are connected" h1 h2 --both --iterations 30 --sizes 30K
	check_equal "$name: nothing was refused in the end" "$before" "$(refused)"
}

NOBODY=fe80::dead

need jq python3
lab_up --planes 2 --spines 1
check_forged "SRv6" "$(lab sid h1)" "$(lab path h1 h2 1 1)" "$(lab path h1 h2 2 1)"
lab down
lab_up --plain --planes 2
# Of the two routes to h2, which differ by plane, the stack takes the first.
check_forged "plain" "$(lab gid h1)" "$(lab gid h2)"
check_counters_clean "$TROUBLE"
finish
