#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# PSNs wrap at 2^24, on the wire, in both directions, with and without loss.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# Prints n if the distances of the writes' PSNs from the first one, modulo 2^24, are 0 to n - 1, each at
# least once.
wrapped()
{
	decoded 4096 "select(.reth != null and .ip.src == \"$1\") |
		(.bth.psn - 16777200 + 16777216) % 16777216" | sort -nu |
		awk 'NR - 1 != $1 { bad = 1 } END { if (bad) print "gap"; else print NR }'
}

# Cumulative PSNs of the SACKs, on both sides of the wrap.
cack_sides()
{
	decoded 4096 "select(.seth != null and .ip.src == \"$1\") |
		.seth.cack_psn > 8388608" | sort -u | paste -sd ,
}

check_wrap()
{
	local name=$1 from to
	shift

	# The PSN at which SACKs wrap varies by 16 packets, so each packet is answered.
	check "$name: SACK for each packet" set_device sack-bytes 1
	capture_start --direction in -i p1t0r1:h1 -i p1t0r2:h2
	check_traffic "$name" h1 h2 --both --psn 0xfffff0 "$@"
	capture_stop "$name"
	check_wire "$name" 4096 good
	for from in h1 h2; do
		to=h$((3 - ${from#h}))
		check "$name: PSNs of $from go on behind the wrap" \
			test "$(wrapped "$(lab gid $from)")" -ge 100
		check_equal "$name: $to acknowledged before and behind it" false,true \
			"$(cack_sides "$(lab gid $to)")"
	done
}

# The timer finds losses at the very end: a second.
TRAFFIC_TIMEOUT=18

need jq python3
lab_up --planes 1
check_wrap "no loss" --sizes 20K,100,0 --iterations 60 --imm-every 2
check_traffic "wrap with many QPs" h1 h2 --both --psn 0xfffffe --qps 16 --random-sizes 0-20K \
	--iterations 6
lab netem link p1t0r1:t1s1 loss 5%
lab netem link p1t0r1:t1s2 loss 5%
check_traffic "wrap with loss" h1 h2 --both --psn 0xffffc0 --sizes 40K,100,0 --iterations 60 --qps 2 \
	--sends-every 2 --reads-every 1
check_counters_clean "$QP_ERRORS"
finish
