#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Whatever takes a port away or brings it back, the peer is told, again and again until it answers. This
# happens under traffic that goes on over the other ports, data verified; and also when port status
# packets or the answers to them get lost.
# timeout: 1200
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/left.sh"
. "$SELFTESTS/lib/inject.sh"

# ---------------------------------------------------------------- why ports go

# sent_to PORT: prints the data packets that h2 has sent to this port of h1, retransmissions included
sent_to()
{
	on h2 mrcctl -j -d peer show mrc1 |
		jq "[.[0].\"peer-ev\"[] | select(.port == $1) | .\"tx-packets\"] | add"
}

sends_to()
{
	[ "$(sent_to "$1")" -gt "$2" ]
}

# check_gone NAME PORT
check_gone()
{
	local before

	check "$1: h2 is told" wait_for lost_ports_are h2 "$2"
	before=$(sent_to "$2")
	check_arrives "$1: it goes on" 50 h1 h2
	check_equal "$1: h2 sends nothing there" "$before" "$(sent_to "$2")"
}

# check_back NAME PORT
check_back()
{
	local before

	check "$1: h2 is told" wait_for lost_ports_are h2 ""
	before=$(sent_to "$2")
	check "$1: h2 sends there" wait_for sends_to "$2" "$before"
	check_arrives "$1: it goes on" 50 h1 h2
}

test_admin()
{
	check "plane set down" on h1 mrcctl plane set mrc0 port 1 down
	check_gone "plane set down" 1
	check "plane set up" on h1 mrcctl plane set mrc0 port 1 up
	check_back "plane set up" 1
}

test_delete()
{
	check "plane deleted" on h1 mrcctl plane del mrc0 port 2
	check_gone "plane deleted" 2
	check "plane added" on h1 mrcctl plane add mrc0 port 2 netdev eth2
	check_back "plane added" 2
}

# The far end of a link is set down.
test_netdev_down()
{
	check "netdev set down" lab fail link p3t0r1:h1
	check_gone "netdev set down" 3
	check "netdev set up" lab heal link p3t0r1:h1
	check_back "netdev set up" 3
}

# Makes a link like the one that has gone; then its addresses and routes, at both ends.
link_again()
{
	ip link add eth4 netns h1 address "$1" mtu 9000 type veth \
		peer name h1 netns p4t0r1 address "$2" mtu 9000 &&
		lab heal link h1:eth4 && lab heal link p4t0r1:h1
}

test_netdev_gone()
{
	local host switch

	host=$(mac_of h1 eth4)
	switch=$(mac_of p4t0r1 h1)
	check "netdev deleted" ip -n h1 link del eth4
	check_gone "netdev deleted" 4
	check "a netdev like it" link_again "$host" "$switch"
	check "the netdev is there: h2 is told nothing yet" lost_ports_are h2 4
	check "plane added with the new netdev" on h1 mrcctl plane add mrc0 port 4 netdev eth4
	check_back "plane added with the new netdev" 4
}

test_reasons()
{
	traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --imm-every 3 --sends-every 2 --reads-every 2 --rate 40
	check_arrives "traffic flows" 50 h1 h2
	test_admin
	test_delete
	test_netdev_down
	test_netdev_gone
	check_traffic_end "all of it verified" traffic_stop
	check_counters_clean "$QP_ERRORS"
}

# ---------------------------------------------------------------- repetition

# In a packet behind two IPv6 headers and UDP: an endpoint request with op 0, a response.
STATUS=(match u8 0xd8 0xff at 88 match u8 0 3 at 101)
RESPONSE=(match u8 0xd9 0xff at 88)

# meet RACK ACTION MATCH...: counts the packets of its host that match; they go on (pass) or are lost
# (drop).
meet()
{
	local plane rack=$1 action=$2
	shift 2

	for plane in 1 2 3 4; do
		tc -n "p${plane}t0r$rack" filter add dev "h$rack" ingress protocol ipv6 \
			u32 "$@" action "$action" || return
	done
}

# let_go RACK
let_go()
{
	local plane

	for plane in 1 2 3 4; do
		tc -n "p${plane}t0r$1" filter del dev "h$1" ingress
	done
}

# met RACK: prints the packets so far
met()
{
	local plane

	for plane in 1 2 3 4; do
		tc -n "p${plane}t0r$1" -s filter show dev "h$1" ingress
	done | awk '$1 == "Sent" { sum += $4 } END { print sum + 0 }'
}

met_more()
{
	[ "$(met "$1")" -gt "$2" ]
}

# at_most MS: prints how often something may be sent in that time: after 1 ms, 2 ms ... 1 s again.
at_most()
{
	local -i n=0 at=0 pause=1

	while ((at <= $1)); do
		n+=1
		at+=pause
		pause=$((pause < 500 ? 2 * pause : 1000))
	done
	echo $n
}

# check_status_lost NAME STATE BEFORE AFTER: port 1 of h1 gets this state, and the report gets lost on
# its way. BEFORE and AFTER: h1's ports that h2 holds to be lost.
check_status_lost()
{
	local name=$1 heard began said

	meet 1 drop "${STATUS[@]}" || bail "$name: filter"
	heard=$(counter h2 endpoint_requests_received)
	began=$(now_ms)
	on h1 mrcctl plane set mrc0 port 1 "$2"
	check "$name: said again, and again" wait_for met_more 1 11
	said=$(met 1)
	check "$name: $said times, and not more often than the waits that double allow" \
		test "$said" -le "$(at_most $(($(now_ms) - began)))"
	check "$name: a timer is armed" timers
	check_equal "$name: h2 has heard nothing" "$heard" "$(counter h2 endpoint_requests_received)"
	check "$name: h2 knows nothing" lost_ports_are h2 "$3"
	let_go 1
	check "$name, then not: h2 is told" wait_for lost_ports_are h2 "$4"
	check_answered "$name, then not"
}

# check_answer_lost NAME STATE AFTER: the same, but the answers get lost.
check_answer_lost()
{
	local name=$1

	meet 1 pass "${STATUS[@]}" || bail "$name: filter"
	meet 2 drop "${RESPONSE[@]}" || bail "$name: filter"
	on h1 mrcctl plane set mrc0 port 1 "$2"
	check "$name: h2 is told" wait_for lost_ports_are h2 "$3"
	check "$name: said again, and again" wait_for met_more 1 7
	check "$name: each time it is answered" test "$(met 2)" -ge 7
	check "$name: a timer is armed" timers
	let_go 2
	check_answered "$name, then not"
	let_go 1
}

# check_answered NAME: it is not sent again.
check_answered()
{
	check "$1: all EVs of ports that are up are good" wait_for all_good
	check "$1: no timer is armed" wait_for no_timers
	check "$1: h1 sends nothing" silent h1
	hold_write "$1: data flows"
}

test_again()
{
	on h1 mrcctl plane set mrc0 port 3 down
	hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
	check "a port down before there are QPs: h2 is told" wait_for lost_ports_are h2 3
	on h1 mrcctl plane set mrc0 port 3 up
	check "and up: h2 is told" wait_for lost_ports_are h2 ""
	check_answered "idle"
	check_status_lost "port down, lost" down "" 1
	check_status_lost "port up, lost" up 1 ""
	check_answer_lost "port down, answers lost" down 1
	check_answer_lost "port up, answers lost" up ""
	test_no_qp
}

# A host without a QP gets no more reports.
test_no_qp()
{
	meet 1 drop "${STATUS[@]}"
	on h1 mrcctl plane set mrc0 port 1 down
	check "lost, and then no QP: said again" wait_for met_more 1 3
	hold_stop
	check "lost, and then no QP: no timer is armed" wait_for no_timers
}

need jq python3 tc mrc_hold
modprobe -qa sch_ingress cls_u32 act_gact
lab_up --planes 4
for plane in 1 2 3 4; do
	tc -n p${plane}t0r1 qdisc add dev h1 clsact
	tc -n p${plane}t0r2 qdisc add dev h2 clsact
done
test_reasons
# The link that was made anew has none.
tc -n p4t0r1 qdisc add dev h1 clsact
test_again
finish
