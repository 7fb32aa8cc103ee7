#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 1000 QPs at once over four planes, in both directions. While they have nothing to send,
# nothing goes on.
# timeout: 900

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/traffic.sh
. "$SELFTESTS/lib/traffic.sh"
# shellcheck source=selftests/lib/left.sh
. "$SELFTESTS/lib/left.sh"

qps=1000

# res_qps DEVICE: what the RDMA subsystem knows of the device's RC QPs.
res_qps()
{
	rdma -j -d -d resource show qp link "$1" | jq -c '[.[] | select(.type == "RC")]'
}

all_connected()
{
	[ "$(res_qps "$1" | jq '[.[] | select(.state == "RTS")] | length')" = "$qps" ]
}

# Nobody has anything to say: no timer, no packet.
check_idle()
{
	check "$1: h1 sends nothing" wait_for silent h1
	check "$1: h2 sends nothing" wait_for silent h2
	check "$1: no timer of the module is armed" wait_for no_timers
}

need jq mrc_traffic
lab_up --planes 4
traffic_launch h1 h2 --qps "$qps" --both --depth 8 --batch 2 --window 16K \
	--random-sizes 0-8K --iterations 0 --rate 4
check "h1 has $qps connected QPs" wait_for all_connected mrc0
check "h2 has $qps connected QPs" wait_for all_connected mrc1
check_equal "their numbers differ, and do not count up" true "$(res_qps mrc0 |
	jq 'map(.lqpn) | sort | . as $n | (unique | length) == length and
		([range(1; length) | $n[.] - $n[. - 1]] | map(select(. == 1)) | length) < 5')"
check_equal "one peer, and one set of paths for all" 1 \
	"$(on h1 mrcctl -j peer show mrc0 | jq length)"
check_equal "memory of a QP, its rings included, is below 64 KiB" true "$(res_qps mrc0 |
	jq 'length > 0 and all(.[].drv_memory; . > 0 and . < 65536)')"
check "timers of the module are seen" wait_for timers
kill -STOP "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
check_idle "$qps QPs that are idle"
kill -CONT "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
check_traffic_end "data of $qps QPs" traffic_stop
check_counters_clean "$QP_ERRORS"
check_equal "every QP has moved something both ways" true "$(
	jq -s 'all(.[]; .messages_verified >= 200)' "$TEST_TMP"/{client,server}.json)"
check "nothing is left on h1" wait_for no_qps h1
check "nothing is left on h2" wait_for no_qps h2
finish
