#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Links between switches lose, reorder, duplicate and corrupt packets. All data arrives, right and once,
# and no QP ends.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# The interfaces by which the spines send: each packet crosses one of these links.
trunks()
{
	local spine

	for spine in p1t1s1 p1t1s2 p2t1s1 p2t1s2; do
		printf 'qdisc replace dev %s root netem %s\n' t0r1 "$*" t0r2 "$*" |
			tc -n $spine -batch - || return
	done
}

# sum PATTERN: prints the sum of counters of both hosts
sum()
{
	echo "$(counters h1 "$1") $(counters h2 "$1")" | tr ' ' '\n' |
		awk -F = '{ sum += $2 } END { print sum + 0 }'
}

# check_netem NAME COUNTER_PATTERN ARGS...: these counters must count; "-" for none.
check_netem()
{
	local name=$1 pattern=$2 before=0
	shift 2

	[ "$pattern" = - ] || before=$(sum "$pattern")
	trunks "$@" || bail "$name: netem"
	check_traffic "$name" h1 h2 --both --qps 2 --random-sizes 0-256K --random-offsets \
		--sges 4 --imm-every 3 --sends-every 2 --reads-every 2 --iterations 25 --seed "$seed"
	seed=$((seed + 1))
	[ "$pattern" = - ] ||
		check "$name: counted ($pattern)" test "$(sum "$pattern")" -gt "$before"
}

check_kinds()
{
	local burst=$1 percent
	shift

	check "burst $burst" set_device burst "$burst"
	for percent; do
		check_netem "burst $burst, loss $percent %" "$(counts "$burst" "$percent" "$rtx")" \
			loss "$percent%"
		check_netem "burst $burst, reorder $percent %" "$(counts "$burst" "$percent" "$disorder")" \
			delay 1ms reorder "$percent%"
		check_netem "burst $burst, duplicate $percent %" "$(counts "$burst" "$percent" "$duplicates")" \
			duplicate "$percent%"
		check_netem "burst $burst, corrupt $percent %" "$(counts "$burst" "$percent" "$rtx")" \
			corrupt "$percent%"
	done
}

# counts BURST PERCENT COUNTER: prints "-" where perhaps nothing at all has happened: netem counts a
# burst as one packet.
counts()
{
	[ "$1,$2" = 1,5 ] && echo "$3" || echo -
}

rtx='^retransmitted_packets'
duplicates='^duplicate_request'
disorder='^out_of_sequence'
damage='^(rx_drop_|rx_icrc_)'

# The timer finds losses at the very end: a second.
TRAFFIC_TIMEOUT=18

need jq tc
lab_up --planes 2
seed=11
modprobe -q sch_netem
check_kinds 16 0.1 1 5
before=$(sum "$damage")
check_kinds 1 5
check "corrupt: counted as what it is" test "$(sum "$damage")" -gt "$before"
check_netem "all at once" "$rtx" delay 500us 300us loss 2% duplicate 1% corrupt 1% reorder 5%
check_counters_clean "$QP_ERRORS"
finish
