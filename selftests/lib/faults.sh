# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers that cause faults under traffic between h1 and h2, behind lib.sh, traffic.sh and evs.sh: each
# fault is noticed, traffic goes on both ways, and what has died is used again after it is healed. For
# fabrics of four planes and two spines, EVs in their order, unless said otherwise.

# Messages that must arrive each way before traffic counts as going on.
FAULT_MESSAGES=${FAULT_MESSAGES:-100}

# States of EVs, for evs_are.
ok='(good|skip)'
bad=assumed-bad
# shellcheck disable=SC2034 # for those who source this
any='[a-z-]+'

# check_moves NAME: both directions make progress, and no QP has ended, which the other QPs would hide.
check_moves()
{
	local ended

	check_arrives "$1" "$FAULT_MESSAGES" h1 h2
	ended="$(counters h1 "$QP_ERRORS")$(counters h2 "$QP_ERRORS")"
	[ -z "$ended" ] || fail "$1: no QP has ended" "$ended"
}

check_recovered()
{
	check "$1: all EVs are good again" wait_for all_good
	check_moves "$1: and it goes on"
}

# links fail|heal HOST K: the first K links of a host
links()
{
	local plane

	for ((plane = 1; plane <= $3; plane++)); do
		lab "$1" link "$2:eth$plane"
	done
}

# flap TIMES: a link of h1 goes and comes, half a second each.
flap()
{
	local -i n

	for ((n = 0; n < $1; n++)); do
		lab fail link h1:eth1 || return
		nap 0.5
		lab heal link h1:eth1 || return
		nap 0.5
	done
}

# check_flap TIMES
check_flap()
{
	check "a link flaps $1 times" flap "$1"
	check_moves "a link flapped $1 times: it goes on"
}

# check_outage PLANES SECONDS: all planes of h1 are gone, for less time than retries last.
check_outage()
{
	local name="all planes gone for $2 s" timeouts

	timeouts=$(counter h1 local_ack_timeout_err)
	links fail h1 "$1"
	sleep "$2"
	check "$name: packets have timed out" \
		wait_for counter_above h1 local_ack_timeout_err "$timeouts"
	links heal h1 "$1"
	check_moves "$name: it goes on"
}

# check_switch NAME SWITCH EVS: the switch drops everything and reports it to nobody. EVs of h1 through
# it are left out, the others stay.
check_switch()
{
	lab fail switch "$2"
	check "$1 dead: its EVs are left out" wait_for evs_are h1 "$3"
	check_moves "$1 dead: it goes on"
	lab heal switch "$2"
	check_recovered "$1 back"
}

# check_t1_gone PLANE SPINE EVS: the T1 dies with its links. The T0s see that, the hosts do not: for
# them it dies in silence.
check_t1_gone()
{
	local t1=p${1}t1s$2

	lab fail switch "$t1" --carrier
	check "T1 gone: the T0s see it" \
		wait_for carriers 0 "p${1}t0r1:t1s$2" "p${1}t0r2:t1s$2"
	check "T1 gone: its EVs are left out" wait_for evs_are h1 "$3"
	check_equal "T1 gone: no plane of the hosts is down" "up up" \
		"$(plane_state h1 "$1") $(plane_state h2 "$1")"
	check_moves "T1 gone: it goes on"
	lab heal switch "$t1"
	check_recovered "T1 back"
}

# check_t0_gone PLANE: the T0 of h1 dies with its links. Its hosts see that, and tell their peers.
check_t0_gone()
{
	lab fail switch "p${1}t0r1" --carrier
	check "T0 gone: h1's port is down" wait_for plane_is h1 "$1" down
	check "T0 gone: h2 is told" wait_for lost_ports_are h2 "$1"
	check_equal "T0 gone: h2's own port is not" up "$(plane_state h2 "$1")"
	check_moves "T0 gone: it goes on"
	lab heal switch "p${1}t0r1"
	check "T0 back: h1's port is up" wait_for plane_is h1 "$1" up
	check "T0 back: h2 is told" wait_for lost_ports_are h2 ""
	check_recovered "T0 back"
	check "T0 back: its plane carries data" plane_sends h1 "$1"
}

# check_link NAME EVS INTERFACE...: all packets sent through these interfaces get lost.
check_link()
{
	local name=$1 evs=$2 interface
	shift 2

	for interface; do
		lab netem "$interface" loss 100%
	done
	check "$name: found" wait_for evs_are h1 "$evs"
	check_moves "$name: it goes on"
	for interface; do
		lab netem "$interface" off
	done
	check_recovered "$name, healed"
}

# Switches, and links between them, die silently.
check_paths()
{
	check_switch "T0" p1t0r1 "$bad $bad $ok $ok $ok $ok $ok $ok"
	check_switch "T1" p2t1s1 "$ok $ok $bad $ok $ok $ok $ok $ok"
	check_link "T0-T1 link, one direction" "$ok $ok $ok $ok $ok $bad $ok $ok" p3t0r1:t1s2
	check_link "T0-T1 link, both directions" "$ok $ok $ok $ok $ok $ok $bad $ok" \
		p4t0r1:t1s1 p4t1s1:t0r1
}

# One path loses a fifth of its packets: its EV leaves, its neighbour on the same plane stays.
check_lossy_ev()
{
	lab netem p1t0r1:t1s2 loss 20%
	check "one EV loses 20 %: it leaves" wait_for evs_are h1 "$ok $bad $ok $ok $ok $ok $ok $ok"
	check_moves "one EV loses 20 %: it goes on"
	lab netem p1t0r1:t1s2 off
	check_recovered "one EV loses 20 %, healed"
}

# each_ev_sends FILE: more packets on each EV of h1 than are in FILE
each_ev_sends()
{
	ev_values h1 tx-packets | paste -d ' ' "$1" - |
		awk '{ for (i = 1; i <= NF / 2; i++) if ($(i + NF / 2) <= $i) exit 1 }'
}

check_lossy_all()
{
	lab netem all loss 1%
	ev_values h1 tx-packets >"$TEST_TMP/sent"
	check "1 % lost on all links: no EV is out for good" wait_for each_ev_sends "$TEST_TMP/sent"
	check_moves "1 % lost on all links: it goes on"
	lab netem all off
	check_recovered "1 % lost on all links, healed"
}

# ---------------------------------------------------------------- filters

# ingress SWITCH IF...: allows filters for packets that come in there.
ingress()
{
	local switch=$1 interface
	shift

	modprobe -qa sch_ingress cls_flower act_pedit act_gact act_police
	for interface; do
		tc -n "$switch" qdisc add dev "$interface" clsact || return
	done
}

# filter SWITCH IF TOS/MASK ACTION...: for IPv6 packets that come in there with these bits
filter()
{
	local switch=$1 interface=$2 tos=$3
	shift 3

	tc -n "$switch" filter add dev "$interface" ingress pref 1 protocol ipv6 \
		flower ip_tos "$tos" action "$@"
}

# unfilter SWITCH IF
unfilter()
{
	tc -n "$1" filter del dev "$2" ingress pref 1
}

# filtered SWITCH IF KEY: a statistic of the filter's actions, e.g. drops
filtered()
{
	tc -n "$1" -j -s filter show dev "$2" ingress pref 1 |
		jq "[.[].options.actions[]?.stats.$3] | add"
}

# mark SWITCH IF: sets CE on all ECN-capable packets that come in there.
mark()
{
	filter "$1" "$2" 2/3 pedit ex munge ip6 traffic_class set 3 retain 3
}
