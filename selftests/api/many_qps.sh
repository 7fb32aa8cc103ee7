#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 1000 QPs at once over four planes, in both directions. While they have nothing to send, nothing runs:
# no timer, no packet, no function of the module. When a plane goes down, RTNL is not held longer
# because there are many QPs.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/left.sh"

qps=1000

# res_qps DEVICE: prints what the RDMA subsystem knows of the device's RC QPs.
res_qps()
{
	rdma -j -d -d resource show qp link "$1" | jq -c '[.[] | select(.type == "RC")]'
}

all_connected()
{
	[ "$(res_qps "$1" | jq '[.[] | select(.state == "RTS")] | length')" = "$qps" ]
}

# calls_watch, calls_forget: each call of a function of the module leaves its name in the trace. This
# patches the functions' code, so it must not be used under traffic.
calls_watch()
{
	echo >"$TRACING/trace"
	echo 'mrc_*:stacktrace' >"$TRACING/set_ftrace_filter"
}

calls_forget()
{
	echo '!mrc_*:stacktrace' >"$TRACING/set_ftrace_filter"
}

# calls: prints the functions and their callers with the number of calls, the most frequent first
calls()
{
	sed -n 's/^ => \(mrc_[a-z0-9_]*\).*/\1/p' "$TRACING/trace" | sort | uniq -c | sort -rn
}

# check_no_calls NAME: no function is called. A read of a counter proves that a call would be seen.
check_no_calls()
{
	if ! calls_watch; then
		skip "$1: no function of the module is called" "needs dynamic ftrace"
		return
	fi
	sleep 5
	check_equal "$1: no function of the module is called" "" "$(calls | head -n 20)"
	counter h1 tx_packets >"$TEST_TMP/counter"
	check "$1: one that is called would be seen" grep mrc_ <(calls)
	calls_forget
}

# calls_under FUNCTION: prints how many functions of the module it has called, and which. Softirqs that
# came meanwhile, such as packets, do not count.
calls_under()
{
	awk -v by="$1" '/<stack trace>/ { top = 1; next }
		top { ours = / => mrc_/; top = 0 }
		/softirq/ { ours = 0 }
		ours && $2 == by { n++; ours = 0 }
		END { print n + 0 }' "$TRACING/trace"
}

# The process that takes a plane down holds RTNL, and waits for nothing that grows with the number of
# QPs: a work tells these. The plane stays down: the others carry what comes then.
check_plane_down()
{
	local calls

	if ! calls_watch; then
		skip "under RTNL no QP of $qps is told of it" "needs dynamic ftrace"
		return
	fi
	# The work's calls come after those that count, and are many: they must not push these out.
	echo 6144 >"$TRACING/buffer_size_kb"
	check "a plane of h1 goes down" ip -n h1 link set eth1 down
	calls=$(calls_under rtnetlink_rcv_msg)
	calls_forget
	echo 1408 >"$TRACING/buffer_size_kb"
	diag <<<"functions of the module that ran under RTNL meanwhile: $calls"
	check "under RTNL no QP of $qps is told of it" \
		test "$calls" -gt 0 -a "$calls" -lt $((qps / 5))
}

# No QP has anything to send: no timer, no packet.
check_idle()
{
	check "$1: h1 sends nothing" wait_for silent h1
	check "$1: h2 sends nothing" wait_for silent h2
	check "$1: no timer of the module is armed" wait_for no_timers
	check_no_calls "$1"
}

# all_moved HOST: each of its QPs has sent and received.
all_moved()
{
	on "$1" mrcctl -j qp show "$(device_of "$1")" | jq -e \
		"length == $qps and all(.[]; .\"tx-packets\" > 0 and .\"rx-packets\" > 0)"
}

TRACING=/sys/kernel/tracing

need jq mrc_traffic
lab_up --planes 4
# One message of each QP is under way, and all of them fit into the CPU's queue of received packets,
# because this test is not about congestion. With more, a slow machine would still have them in that
# queue when their timeouts send them again, each time, until QPs die of it.
echo 10000 >/proc/sys/net/core/netdev_max_backlog
traffic_launch h1 h2 --qps "$qps" --both --depth 1 --window 16K \
	--random-sizes 0-8K --iterations 0 --rate 1
check "h1 has $qps connected QPs" wait_for all_connected mrc0
check "h2 has $qps connected QPs" wait_for all_connected mrc1
check_equal "their numbers differ, and do not count up" true "$(res_qps mrc0 |
	jq 'map(.lqpn) | sort | . as $n | (unique | length) == length and
		([range(1; length) | $n[.] - $n[. - 1]] | map(select(. == 1)) | length) < 5')"
check_equal "one peer, and one set of paths for all" 1 \
	"$(on h1 mrcctl -j peer show mrc0 | jq length)"
check_equal "memory of a QP, its rings included, is below 64 KiB" true "$(res_qps mrc0 |
	jq 'length > 0 and all(.[].drv_memory; . > 0 and . < 65536)')"
check "every QP of h1 has moved something both ways" wait_for all_moved h1
check "every QP of h2 has moved something both ways" wait_for all_moved h2
check "timers of the module are seen" wait_for timers
kill -STOP "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
check_idle "$qps QPs that are idle"
check_plane_down
kill -CONT "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
check_traffic_end "data of $qps QPs" traffic_stop
check_counters_clean "$QP_ERRORS"
check_equal "both ends have verified messages" true "$(
	jq -s 'all(.[]; .messages_verified >= 200)' "$TEST_TMP"/{client,server}.json)"
check "nothing is left on h1" wait_for no_qps h1
check "nothing is left on h2" wait_for no_qps h2
finish
