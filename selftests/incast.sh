#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Three hosts send to one, through links that carry less than any of them would like to send: what
# the switches drop is sent again and all is verified, no QP ends, no sender starves, and none
# gets much less than its share. Shares are of packets, not of time: it does not matter how busy
# the machine is.
# timeout: 900

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/traffic.sh
. "$SELFTESTS/lib/traffic.sh"

SENDERS=(h1 h2 h3)
RECEIVER=h4
# Packets of all senders together in a round, and the rounds.
ROUND=3000
ROUNDS=5

# in_folder FOLDER COMMAND...: with the files of one sender's traffic
in_folder()
{
	local TEST_TMP=$TEST_TMP/$1
	shift

	"$@"
}

# sent HOST: packets, each counted once
sent()
{
	echo $(($(counter "$1" tx_packets) - $(counter "$1" retransmitted_packets)))
}

# sent_all: of each, and the sum
sent_all()
{
	local host
	local -i n sum=0

	for host in "${SENDERS[@]}"; do
		n=$(sent "$host")
		sum+=$n
		printf '%d ' "$n"
	done
	echo $sum
}

# sum_above N
sum_above()
{
	local -a now

	read -ra now < <(sent_all)
	[ "${now[3]}" -gt "$1" ]
}

# check_shares NAME LEAST BEFORE...: each sender has that much of 1000 at least, of what all have
# sent since then.
check_shares()
{
	local name=$1 floor=$2
	local -a before=("${@:3}") after
	local -i n share least=1000

	read -ra after < <(sent_all)
	for n in 0 1 2; do
		share=$((1000 * (after[n] - before[n]) / (after[3] - before[3])))
		diag <<<"$name: ${SENDERS[n]} has $share of 1000"
		[ $share -ge $least ] || least=$share
	done
	check "$name: who has least has $least of 1000" test $least -ge "$floor"
}

# No switch marks, and who drops is a queue that knows no flows: for a while one may have more.
check_round()
{
	local -a before

	read -ra before < <(sent_all)
	wait_for sum_above $((before[3] + ROUND)) || fail "$1: packets flow" "$(sent_all)"
	check_shares "$1" 50 "${before[@]}"
}

errors()
{
	local host

	for host in "${SENDERS[@]}" $RECEIVER; do
		counters "$host" "$QP_ERRORS"
	done
}

# shaped PLANE: its last link, with a queue that holds less than the senders' windows
shaped()
{
	tc -n "p${1}t0r2" qdisc replace dev "$RECEIVER" root tbf rate 60mbit burst 128k limit 192k
}

need jq tc mrc_traffic
modprobe -q sch_tbf || skip_all "needs sch_tbf"
lab_up --planes 2 --spines 1 --hosts-per-rack 2
check "links to $RECEIVER are narrow" shaped 1
check "links to $RECEIVER are narrow, too" shaped 2

clients=() servers=()
for host in "${SENDERS[@]}"; do
	mkdir "$TEST_TMP/$host"
	in_folder "$host" traffic_launch "$host" $RECEIVER --iterations 0 --sizes 64K
	clients+=("$TRAFFIC_CLIENT")
	servers+=("$TRAFFIC_SERVER")
done
for host in "${SENDERS[@]}"; do
	wait_for counter_above "$host" tx_packets 500 ||
		bail "$host sends" "$(in_folder "$host" traffic_report)"
done
read -ra begin < <(sent_all)
for round in $(seq $ROUNDS); do
	check_round "round $round"
done
check_shares "all rounds" 125 "${begin[@]}"
check "packets were dropped on the way, and sent again" \
	test $(($(held_lost h1) + $(held_lost h2) + $(held_lost h3))) -gt 0
for n in 0 1 2; do
	TRAFFIC_CLIENT=${clients[n]} TRAFFIC_SERVER=${servers[n]}
	in_folder "${SENDERS[n]}" check_traffic_end "${SENDERS[n]}: all verified" traffic_stop
done
check_equal "no QP has ended" "" "$(errors)"
finish
