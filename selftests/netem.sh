#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Links between switches that lose, reorder, duplicate and corrupt: all data arrives,
# right and once, and no QP ends.
# timeout: 900

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/traffic.sh
. "$SELFTESTS/lib/traffic.sh"

# Links between switches, both directions: a packet crosses two of four.
trunks()
{
	local plane rack spine

	for plane in 1 2; do
		for rack in 1 2; do
			for spine in 1 2; do
				lab netem link p${plane}t0r$rack:t1s$spine "$@" || return
			done
		done
	done
}

# sum PATTERN: of counters of both hosts
sum()
{
	echo "$(counters h1 "$1") $(counters h2 "$1")" | tr ' ' '\n' |
		awk -F = '{ sum += $2 } END { print sum + 0 }'
}

# check_netem NAME COUNTER_PATTERN ARGS...: COUNTER_PATTERN must count; - for none.
check_netem()
{
	local name=$1 pattern=$2 before=0
	shift 2

	[ "$pattern" = - ] || before=$(sum "$pattern")
	trunks "$@" || bail "$name: netem"
	check_traffic "$name" h1 h2 --both --qps 2 --random-sizes 0-256K --random-offsets \
		--sges 4 --imm-every 3 --iterations 30 --seed "$seed"
	seed=$((seed + 1))
	[ "$pattern" = - ] ||
		check "$name: counted ($pattern)" test "$(sum "$pattern")" -gt "$before"
}

rtx='^retransmitted_packets'
duplicates='^duplicate_request'
disorder='^out_of_sequence'
damage='^(rx_drop_|rx_icrc_)'

# Losses at the end of everything are found by the timer: a quarter of a second.
TRAFFIC_TIMEOUT=18

need jq tc
lab_up --planes 2
seed=11
for burst in 8 1; do
	check "burst $burst" set_device burst $burst
	# At 0.1 % nothing at all may have happened.
	check_netem "burst $burst, loss 0.1 %" - loss 0.1%
	check_netem "burst $burst, loss 1 %" "$rtx" loss 1%
	check_netem "burst $burst, loss 5 %" "$rtx" loss 5%
	check_netem "burst $burst, reorder 0.1 %" - delay 1ms reorder 0.1%
	check_netem "burst $burst, reorder 1 %" "$disorder" delay 1ms reorder 1%
	check_netem "burst $burst, reorder 5 %" "$disorder" delay 1ms reorder 5%
	check_netem "burst $burst, duplicate 0.1 %" - duplicate 0.1%
	check_netem "burst $burst, duplicate 1 %" "$duplicates" duplicate 1%
	check_netem "burst $burst, duplicate 5 %" "$duplicates" duplicate 5%
	check_netem "burst $burst, corrupt 0.1 %" - corrupt 0.1%
	check_netem "burst $burst, corrupt 1 %" "$rtx" corrupt 1%
	check_netem "burst $burst, corrupt 5 %" "$damage" corrupt 5%
done
check_netem "all at once" "$rtx" delay 500us 300us loss 1% duplicate 1% corrupt 1% reorder 5%
check_counters_clean "$QP_ERRORS"
finish
