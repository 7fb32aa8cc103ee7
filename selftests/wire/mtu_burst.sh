#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fabric MTUs of 1500 and 9000, path MTUs, and one or several packets per skb, in all combinations: the
# data is right, and packets have the requested size.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# check_size FABRIC_MTU PATH_MTU BURST
check_size()
{
	local name="fabric $1, path MTU $2, burst $3" most

	set_device burst "$3" || bail "$name: burst"
	capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1
	check_traffic "$name" h1 h2 --mtu "$2" --sizes 20000,1,"$2",$(($2 + 1)),60000 \
		--iterations 12 --random-offsets
	capture_stop "$name"
	check_wire "$name" "$2" good
	check_equal "$name: largest payload" "$2" "$(summary .largest_payload)"
	most=$(summary .most_segments)
	if [ "$3" = 1 ]; then
		check_equal "$name: packets in a frame" 1 "$most"
	else
		check "$name: $most packets in a frame" test "$most" -ge 2 -a "$most" -le "$3"
	fi
}

need jq python3

lab_up --planes 2 --mtu 1500
for burst in 8 1; do
	check_size 1500 1024 $burst
done
# A packet of 2048 bytes does not fit.
traffic_launch h1 h2 --mtu 2048
check_not "fabric 1500, path MTU 2048: refused" traffic_end
check "fabric 1500, path MTU 2048: says at which step" grep -q 'QP to RTR: Invalid argument' \
	"$TEST_TMP/server.json" "$TEST_TMP/client.json"
check_counters_clean "$TROUBLE"
lab_down

lab_up --planes 2 --mtu 9000
for burst in 8 1 3 16; do
	check_size 9000 4096 $burst
done
check_size 9000 1024 16
check_counters_clean "$TROUBLE"
finish
