#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Immediates come once, in the order of sending, and only after everything before them, while packets
# overtake each other on paths of different length.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# check_order NAME IMMEDIATES OPTION...
check_order()
{
	local name=$1 immediates=$2 before
	shift 2

	before=$(counter h2 out_of_sequence)
	check_traffic "$name" h1 h2 "$@"
	check_equal "$name: immediates" "$immediates" "$(result server immediates)"
	check "$name: packets came out of order" \
		test "$(counter h2 out_of_sequence)" -gt "$before"
}

need jq python3
lab_up --planes 3
lab netem link p1t0r1:t1s1 delay 3ms
lab netem link p1t0r1:t1s2 delay 1ms
lab netem link p2t0r1:t1s1 delay 7ms

check_order "empty WriteImms" 1500 --sizes 0 --iterations 1500 --depth 512 --batch 64
check_order "large and empty in turns" 300 --sizes 40K,0,1,9000,0 --iterations 300
check_order "plain writes before each" 60 --sizes 20K,300,0,5000 --imm-every 5 --iterations 300
check_order "several QPs" 800 --sizes 0,12K,8 --qps 4 --iterations 200
# More than a QP has in flight by default, posted at once.
check_order "more than the limit in flight" 1024 --sizes 8 --iterations 1024 --depth 1024 \
	--batch 1024
check_counters_clean "$QP_ERRORS"
finish
