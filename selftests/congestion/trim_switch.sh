#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A fabric whose switches mark and trim: three hosts send to one more than its links carry. The receiver
# reports each trimmed head to its sender, the sender sends that packet again, and none of them needs a
# timeout. With NSCC few packets are trimmed at all. The test also runs where switches keep the length
# field of what they trim, and where they drop.
# The test counts timeouts, and these must not depend on how busy the host is.
# clock: icount
# kernels: all
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/senders.sh"
. "$SELFTESTS/lib/evs.sh"

SENDERS=(h1 h2 h3)
RECEIVER=h4
# Messages of 64 KiB that each sender sends in a round.
MESSAGES=60
# Bytes that trimming leaves, from the IP header on.
LEFT=128

# everywhere SETTING...: sets it on each device
everywhere()
{
	local n

	for n in 1 2 3 4; do
		on "h$n" mrcctl device set mrc$((n - 1)) "$@" || return
	done
}

# ports FIELD TARGET...: prints its sum over these ports
ports()
{
	lab port "${@:2}" | jq -s "map(.$1) | add"
}

# last_hop FIELD: prints its sum over the ports to the receiver
last_hop()
{
	{
		lab port p1t0r2:$RECEIVER
		lab port p2t0r2:$RECEIVER
	} | jq -s "map(.$1) | add"
}

# of_senders COUNTER: prints its sum
of_senders()
{
	local host
	local -i sum=0

	for host in "${SENDERS[@]}"; do
		sum+=$(counter "$host" "$1")
	done
	echo $sum
}

# base_rtt HOST: prints it towards the receiver; a host of the receiver's rack has half of the links.
# The hosts themselves take a twentieth of it.
base_rtt()
{
	local -i rtt=RTT

	[ "$1" != h3 ] || rtt=$((RTT / 2))
	echo $((rtt + RTT / 20))us
}

# profiles VERB ALGORITHM SETTING...: CC profiles of each sender's QPs to the receiver
profiles()
{
	local -a base=()
	local host

	for host in "${SENDERS[@]}"; do
		[ "$2" = none ] || base=(base-rtt "$(base_rtt "$host")")
		on "$host" mrcctl cc-profile "$1" "$(device_of "$host")" 7 algorithm "${@:2}" \
			"${base[@]}" &&
			steer "$host" "$RECEIVER" 7 || return
	done
}

# steps TEXT: counts the window changes that the tracepoint reports with this text
steps()
{
	grep -c " mrc_cc: .* $1\$" "$TRACING/trace"
}

# check_round NAME: all senders send at once, and all data arrives.
check_round()
{
	senders_launch --iterations $MESSAGES --sizes 64K --mtu 1024
	check_senders_end "$1"
}

# jain SHARE...: prints 1000 if all are equal, 1000/n if one has all
jain()
{
	local -i share sum=0 squares=0

	for share in "$@"; do
		sum+=$share
		squares+=$((share * share))
	done
	echo $((1000 * sum * sum / squares / $#))
}

# check_fair NAME: over three seconds of a full link, each sender gets about the same.
check_fair()
{
	local -a begin all
	local -i packets=$((3 * 2 * RATE * 1000000 / 8 / 1200))

	senders_launch --iterations 0 --sizes 64K --mtu 1024
	# The first second is a burst, in which some senders take no part.
	read -ra begin < <(sent_all)
	wait_for sum_above $((begin[-1] + packets / 3)) || fail "$1: packets flow" "$(sent_all)"
	read -ra begin < <(sent_all)
	wait_for sum_above $((begin[-1] + packets)) || fail "$1: packets flow on" "$(sent_all)"
	read -ra all < <(shares "${begin[@]}")
	check "$1: shares of 1000: ${all[*]}" test "$(jain "${all[@]}")" -ge 900
	check_senders_end "$1" traffic_stop
}

# check_amount NAME COMMAND...: checks an amount that needs full links. On a debug kernel links are
# never full, however slow they are, because its hosts are slower still: there the test is about memory
# and locks.
check_amount()
{
	[ "$SLOW" -gt 1 ] || check "$@"
}

# seen COUNTER: reads how many heads the receiver has reported, and how many came when their QP had
# ended, or were too many at once; it counts these, too.
seen()
{
	local name

	told=$(counter "$RECEIVER" "$1")
	others=0
	for name in trimmed_ignored rx_drop_{truncated,no_qp,qp_state}; do
		others+=$(counter "$RECEIVER" "$name")
	done
}

seen_all()
{
	seen "$2"
	test $((told + others)) -ge "$1"
}

# check_heads NAME TRIMMED COUNTER: the receiver has reported each head. The last ones may be on their
# way when the senders have ended, and counters are a little old.
check_heads()
{
	local -i told others

	wait_for seen_all "$2" "$3" || :
	check "$1: $2, told of $told, $others for no QP, ignored or cut" test $((told)) -le "$2" -a $((told + others)) -ge "$2" -a \
		$((10 * told)) -ge $((9 * $2))
}

refused()
{
	check_not "$1" lab_said "${@:3}"
	check "$1: says why" grep -qF -- "$2" "$TEST_TMP/refused"
}

lab_said()
{
	lab "$@" >/dev/null 2>"$TEST_TMP/refused"
}

tc_said()
{
	tc "$@" 2>"$TEST_TMP/refused"
}

test_refusals()
{
	refused "netem, where ports are" "netem would take their place" netem h1:eth1 delay 1ms
	refused "a setting that is none" "a port has no setting 'ecm'" port all ecm on
	refused "neither on nor off" "ecn wants on or off, not '1'" port all ecn 1
	refused "a port that is none" "no link 'h1:eth9'" port h1:eth9
	check_not "a port without a rate" tc_said -n h1 qdisc replace dev mrc root trim
	check "a port without a rate: says why" grep -qF "a port needs a rate" "$TEST_TMP/refused"
}

# Eight links there and back make up the RTT; it may take longer. Finding neighbours takes longer than a
# probe waits, so the first probes need not be answered.
test_delay()
{
	local fastest

	wait_for probed || fail "a probe is answered" "$(cat "$TEST_TMP/probe")"
	fastest=$(jq '[.[0].result[]."rtt-ns"] | min' "$TEST_TMP/probe")
	check "packets take their time: $fastest ns" test "$fastest" -ge $((1000 * RTT))
	diag <"$TEST_TMP/probe"
}

probed()
{
	on h1 mrcctl -j probe mrc0 remote "$(lab gid h4)" timeout $((1000 * SLOW)) >"$TEST_TMP/probe" &&
		jq -e 'all(.[0].result[]; has("rtt-ns"))' "$TEST_TMP/probe" >/dev/null
}

test_trimmed()
{
	local -i trimmed said again timeouts

	timeouts=$(of_senders local_ack_timeout_err)
	check_round "trimmed"
	trimmed=$(last_hop trimmed)
	said=$(heads)
	again=$(of_senders trim_nack_received)
	lab port all | jq -c 'select(.trimmed + .dropped + .control_dropped > 0)' | diag
	check_amount "the last hop trims: $trimmed packets" test $trimmed -gt 0
	check_heads "the receiver has seen each of its heads" $trimmed trimmed_lasthop_received
	check_amount "the senders were told: $again times" test $again -gt 0 -a $again -le "$said"
	check_equal "nothing was dropped" 0 "$(ports "dropped + .control_dropped" all)"
	check_amount "nobody has waited for a timeout" \
		test "$(of_senders local_ack_timeout_err)" = $timeouts
	check_amount "and marks before: $(last_hop marked) packets" test "$(last_hop marked)" -gt 0
	check "the queue is no longer than where it trims what is sent again" \
		test "$(last_hop longest)" -le $((2 * 3 * BDP / 2))
}

# The windows react to trims and marks, so that few packets are trimmed.
test_nscc()
{
	local -i trimmed told timeouts before

	before=$(last_hop trimmed)
	told=$(of_senders trim_nack_received)
	timeouts=$(of_senders local_ack_timeout_err)
	check "NSCC: profiles" profiles set nscc rate $((2 * RATE))mbit trimming on
	echo >"$TRACING/trace"
	traces mrc_cc
	check_round "NSCC"
	traces
	trimmed=$(last_hop trimmed)-before
	told=$(of_senders trim_nack_received)-told
	check_amount "NSCC: fewer are trimmed: $trimmed, $before before" test $trimmed -lt $((before / 4))
	check "NSCC: each trim made a window smaller once at most: $(steps '.* by trim') of $told" \
		test "$(steps '.* by trim')" -le $told
	check_amount "NSCC: marks did" test "$(steps 'decrease by ack')" -gt 0
	check_amount "NSCC: nobody has waited for a timeout" \
		test "$(of_senders local_ack_timeout_err)" = $timeouts
}

# Without marks, and with a target delay that no queue reaches, only trims end the windows' growth.
test_nscc_by_trims()
{
	local -i told

	told=$(of_senders trim_nack_received)
	check "NSCC by trims: switches mark no more" lab port all ecn off
	check "NSCC by trims: profiles" profiles set nscc rate $((2 * RATE))mbit trimming on ecn absent \
		target-delay 50ms
	echo >"$TRACING/trace"
	traces mrc_cc
	check_round "NSCC by trims"
	traces
	told=$(of_senders trim_nack_received)-told
	check_amount "NSCC by trims: they made windows smaller: $(steps '.* by trim') times" \
		test "$(steps '.* by trim')" -gt 0
	check "NSCC by trims: at most once each: $told" test "$(steps '.* by trim')" -le $told
	check "NSCC by trims: switches mark again" lab port all ecn on
	check "fixed windows again" profiles set none window 65536
}

# Two hosts share their rack's links up, which are no last hop.
test_not_last_hop()
{
	local -i trimmed

	trimmed=$(ports trimmed all)-$(last_hop trimmed)
	check_amount "other ports trim, too: $trimmed packets" test $trimmed -gt 0
	check_heads "and the receiver tells them apart" $trimmed trimmed_received
}

# Incast with NSCC, with trims and without.
test_fair()
{
	check "fair: profiles" profiles set nscc rate $((2 * RATE))mbit trimming on
	check_fair "trims"
	check "fair: switches trim no more" lab port all trim off
	check "fair: nor do profiles say so" profiles set nscc rate $((2 * RATE))mbit trimming off
	check_fair "no trims"
	check "fair: they trim again" lab port all trim on
	check "fair: fixed windows again" profiles set none window 65536
}

# Linux drops packets that are shorter than their headers say, before the module sees them.
test_stale()
{
	local -i seen cut
	local dev

	seen=$(heads)
	cut=$(truncated)
	check "lengths are left alone" lab port all stale on
	check_round "stale lengths"
	check_amount "the stack drops the heads: $cut, then $(truncated)" test "$(truncated)" -gt $cut
	check_equal "none came to us" $seen "$(heads)"
	for dev in eth1 eth2; do
		check "lengths are mended at $dev" mend_lengths $dev
	done
	# Packets that were on their way were not.
	cut=$(truncated)
	check_round "mended lengths"
	check_amount "the heads come to us: $seen, then $(heads)" test "$(heads)" -gt $seen
	check "the stack drops none" test "$(truncated)" -eq $cut
	for dev in eth1 eth2; do
		check "$dev as it was" tc -n $RECEIVER qdisc del dev $dev clsact
	done
	check "lengths are right again" lab port all stale off
}

# mend_lengths NETDEV: corrects lengths as congestion.md says, before the stack looks at them
mend_lengths()
{
	local dscp

	tc -n "$RECEIVER" qdisc add dev "$1" clsact || return
	for dscp in 12 16; do
		tc -n "$RECEIVER" filter add dev "$1" ingress protocol ipv6 basic match \
			"cmp(u16 at 0 layer network mask 0x0fc0 eq $((dscp << 6)))
			and cmp(u16 at 4 layer network gt $((LEFT - 40)))" \
			action pedit ex munge ip6 payload_len set $((LEFT - 40)) || return
	done
}

heads()
{
	echo $(($(counter $RECEIVER trimmed_received) + $(counter $RECEIVER trimmed_lasthop_received)))
}

truncated()
{
	on $RECEIVER cat /proc/net/snmp6 | sed -n 's/^Ip6InTruncatedPkts[[:space:]]*//p'
}

test_dropped()
{
	local -i trimmed marked

	check "no trims, no marks" lab port all trim off ecn off
	check "windows are larger than all queues" profiles set none window 262144
	trimmed=$(ports trimmed all)
	marked=$(ports marked all)
	check_round "dropped"
	check_amount "packets are dropped" test "$(ports dropped all)" -gt 0
	check_equal "and none is trimmed" $trimmed "$(ports trimmed all)"
	check_equal "nor marked" $marked "$(ports marked all)"
}

test_switch_module_goes()
{
	check_not "it does not go while ports are there" rmmod sch_trim
	check "the fabric goes" lab down
	# Namespaces end a little later.
	check "then it does" wait_for rmmod sch_trim
}

need jq tc ping mrc_traffic
# A debug kernel could not fill these links: there they are slower, and packets have more delay in
# proportion.
CALM=$((SLOW > 1 ? 10 : 1))
RATE=$((50 / CALM))
RTT=$((2000 * CALM))
# Packets of 1 KiB: a link holds ten of them.
BDP=$((RATE * RTT / 8))
lab_up --planes 2 --spines 1 --hosts-per-rack 2 --mtu 1280 --switch trim --rate-mbit $RATE \
	--rtt-us $RTT
test_refusals
test_delay
check "devices take trims" everywhere trim on
# More than the links hold, but so little that heads of trimmed packets still find room.
check "windows are larger than the network" profiles add none window 65536
test_trimmed
test_nscc
test_nscc_by_trims
test_not_last_hop
[ "$SLOW" -gt 1 ] || test_fair
test_stale
test_dropped
test_switch_module_goes
finish
