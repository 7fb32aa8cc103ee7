#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Three hosts send to one, through links that carry less than each of them would like to send. What the
# switches drop is sent again, and all data is verified. No QP ends, no sender starves, and none gets
# much less than its share. Shares are of packets, not of time.
# If the CPU could not fill the links, the flows would share the CPU, and nothing divides that fairly.
# So here the CPU does a fixed amount of work in a second of the machine's clock, however slow the host
# is.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/senders.sh"

SENDERS=(h1 h2 h3)
RECEIVER=h4
# Packets of all senders together until the shares are even, per round, and the rounds.
SETTLE=12000
ROUND=3000
# On the debug kernel packets are slow: this many had not arrived after twelve minutes.
[ "$SLOW" = 1 ] || SETTLE=$ROUND
ROUNDS=5

# check_shares NAME LEAST BEFORE...: each sender has at least LEAST of 1000, of what all have sent since
# BEFORE.
check_shares()
{
	local -a all
	local -i least

	read -ra all < <(shares "${@:3}")
	diag <<<"$1: shares of 1000: ${all[*]}"
	least=$(printf '%s\n' "${all[@]}" | sort -n | head -1)
	check "$1: who has least has $least of 1000" test $least -ge "$2"
}

# flow NAME N SUM: it has sent N packets, after all senders had sent SUM
flow()
{
	wait_for sum_above $(($3 + $2)) || fail "$1: packets flow" "$(sent_all)"
}

# No switch marks, and the queue that drops knows no flows: for a while one flow may have more.
check_round()
{
	local -a before

	read -ra before < <(sent_all)
	flow "$1" $ROUND "${before[3]}"
	check_shares "$1" 100 "${before[@]}"
}

errors()
{
	local host

	for host in "${SENDERS[@]}" $RECEIVER; do
		counters "$host" "$QP_ERRORS"
	done
}

# shaped PLANE: its last link, with a queue that holds less than the senders' windows. The CPU must have
# more capacity than that, or the test gets no CPU time.
shaped()
{
	tc -n "p${1}t0r2" qdisc replace dev "$RECEIVER" root tbf rate $((60 / SLOW))mbit \
		burst 128k limit 192k
}

need jq tc mrc_traffic
modprobe -q sch_tbf || skip_all "needs sch_tbf"
lab_up --planes 2 --spines 1 --hosts-per-rack 2
check "links to $RECEIVER are narrow" shaped 1
check "links to $RECEIVER are narrow, too" shaped 2

senders_launch --iterations 0 --sizes 64K
# It begins with a burst of whole windows, and a sender that lost most of its own is behind for a while:
# for at most 7500 packets in four observed beginnings.
senders_run 500
read -ra begin < <(sent_all)
flow "the burst" $SETTLE "${begin[3]}"
read -ra begin < <(sent_all)
for round in $(seq $ROUNDS); do
	check_round "round $round"
done
check_shares "all rounds" 200 "${begin[@]}"
check "packets were dropped on the way, and sent again" \
	test $(($(held_lost h1) + $(held_lost h2) + $(held_lost h3))) -gt 0
check_senders_end "at the end" traffic_stop
check_equal "no QP has ended" "" "$(errors)"
finish
