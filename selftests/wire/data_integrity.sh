#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Data arrives as it was written, to the byte, and nothing beside it changes: sizes from 0 B to 64 MiB,
# any alignment, gather lists, inline data, several QPs, both directions, over four planes.
# timeout: 900
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

borders=0,1,2,3,4,5,63,64,65,4095,4096,4097,8191,8192,8193,32767,32768,65535,65536,65537

# Bytes that the counters of both hosts show in addition to what traffic needs.
check_bytes_counted()
{
	local sent received

	sent=$(counter h1 tx_bytes)
	received=$(counter h2 rx_bytes)
	check "counters: h1 sent all of it" test "$sent" -ge "$1"
	check "counters: h2 received all of it" test "$received" -ge "$1"
}

need jq python3
lab_up --planes 4

check_traffic "packet and page borders" h1 h2 --sizes $borders --iterations 60 --imm-every 2
check_bytes_counted "$(result server bytes_verified)"
check_equal "counters: one request a message" 60 "$(counter h2 rx_write_requests)"

check_traffic "packet and page borders, small path MTU" h1 h2 --sizes $borders --iterations 40 \
	--mtu 256
check_traffic "unaligned gather lists, both directions" h1 h2 --both --qps 4 --iterations 50 \
	--random-sizes 0-512K --random-offsets --sges 16 --imm-every 4 --signal-every 7 --seed 2
check_traffic "SENDs between them" h1 h2 --both --qps 3 --iterations 200 \
	--random-sizes 0-512K --random-offsets --sges 16 --imm-every 2 --sends-every 2 --seed 3
check_traffic "SENDs alone" h1 h2 --sizes $borders --iterations 60 --sends-every 1
check_traffic "READs and atomics between them" h1 h2 --both --qps 3 --iterations 300 \
	--random-sizes 0-100K --random-offsets --sges 16 --imm-every 4 --sends-every 3 --reads-every 1 --seed 6
check "READs have returned data" test "$(result client bytes_read)" -gt 100000
check_traffic "READs, small path MTU" h1 h2 --both --random-sizes 0-40K --iterations 100 \
	--imm-every 4 --reads-every 1 --mtu 256 --seed 7
check_traffic "inline data" h1 h2 --both --qps 2 --random-sizes 0-512 --inline 512 \
	--random-offsets --sges 4 --iterations 400 --imm-every 5 --seed 3
check_traffic "many QPs" h1 h2 --both --qps 24 --random-sizes 0-20K --random-offsets \
	--iterations 12 --imm-every 3 --depth 8 --seed 4
check_traffic "deep queues, rarely signalled" h1 h2 --sizes 1,700,9000 --iterations 1500 \
	--depth 1024 --batch 256 --signal-every 300 --imm-every 50
check_traffic "64 MiB" h1 h2 --sizes 64M,5000 --iterations 2 --random-offsets --sges 16
check_traffic "one request at a time" h1 h2 --random-sizes 0-100K --iterations 30 --depth 1 --seed 5

check_counters_clean "$TROUBLE"
finish
