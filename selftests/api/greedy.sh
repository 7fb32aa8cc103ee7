#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A program of one user takes all that it can get of a device, over and over: memory regions, QPs until
# that user's limit, or QPs that fail as soon as they have sent. Or it overwrites the rings that it
# shares with the kernel. Meanwhile the traffic of another user goes on: every byte is right, and no
# message is delayed for long. A program that watches events learns of every failed QP. Afterwards
# nothing of it is left.
# Times are compared: this machine's clock counts instructions.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

QPS=2000
ATTACK=$((3 * SLOW))	# seconds
EVENTS=$TEST_TMP/events

# root runs the traffic.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

as_nobody()
{
	nsenter --net=/run/netns/h1 "${nobody[@]}" "$@"
}

# objects: how many of each kind the device has
objects()
{
	rdma -j resource show mrc0 | jq -c '.[0] | {pd, cq, qp, mr}'
}

# check_beside NAME COMMAND...: runs it. Meanwhile messages of another user arrive, of 200 a second at
# least as many as in a quarter of a second.
check_beside()
{
	local name=$1 before had
	shift

	had=$(objects)
	before=$(counter h2 rx_write_requests)
	check "$name" "$@"
	check "$name: messages of another user arrive" \
		test $(($(counter h2 rx_write_requests) - before)) -ge 50
	check "$name: nothing of it is left" wait_for objects_are "$had"
}

objects_are()
{
	[ -n "$1" ] && [ "$(objects)" = "$1" ]
}

# takes WHAT ERRNO N: at least N can be had at a time, and then comes this error.
takes()
{
	as_nobody mrc_greedy mrc0 "$1" "$ATTACK" >"$TEST_TMP/taken" || return
	cat "$TEST_TMP/taken"
	jq -e --arg error "$2" --argjson n "$3" '.rounds > 0 and .most >= $n and .error == $error' \
		"$TEST_TMP/taken"
}

# QPs that are connected to numbers that do not exist: the shortest timeout, no second try.
fails()
{
	local end=$((SECONDS + ATTACK))

	failed=0
	while [ "$SECONDS" -lt "$end" ]; do
		as_nobody mrc_dead --device mrc0 --gid "$(lab gid h1)" --remote "$(lab gid h2)" \
			--qps 50 --timeout 1 --retry-cnt 0 || return
		failed+=50
	done
}

# heard N: the program that watches events has been told of N failed QPs, or that it missed some.
heard()
{
	jq -es --argjson n "$1" '(map(select(.event == "qp" and .state == "err")) | length) as $qps |
		$qps == $n or ($qps > 0 and any(.event == "overrun"))' "$EVENTS"
}

scribbles()
{
	timeout $((240 * SLOW)) nsenter --net=/run/netns/h1 "${nobody[@]}" mrc_errors \
		--gtest_filter='Scribble.*' --gtest_random_seed=$((1 + RANDOM)) -g "$(lab gid h1)" mrc0
}

need jq rdma mrc_dead mrc_errors mrc_greedy mrc_traffic nsenter setpriv
declare -i failed
lab_up --planes 2 --spines 1
check "a user may have $QPS QPs" set_device user-qps $QPS
traffic_launch h1 h2 --iterations 0 --qps 2 --sizes 20K --rate 100
check_arrives "the traffic of another user flows" 100 h2
background mrcctl -n h1 -j monitor >"$EVENTS"
check_beside "memory regions in a loop" takes mrs "" 1
check_beside "QPs until there are no more" takes qps EDQUOT $QPS
check_beside "QPs that fail" fails
check "QPs that fail: who watches is told of all $failed" wait_for heard $failed
check_beside "rings are spoilt" scribbles
check "rings are spoilt: the kernel has noticed" test "$(counter h1 ring_corrupt)" -gt 0
check_traffic_end "all of another user's traffic is verified" traffic_stop
# Documentation/security.md says for how long a slow CPU can be kept busy: a quarter of a second. The
# debug kernel has an ordinary clock, and takes longer.
[ "$SLOW" -gt 1 ] ||
	check "no message took longer than 250 ms: $(result client completions.max_ns) ns" \
		test "$(result client completions.max_ns)" -lt 250000000
check_equal "it saw no error" "{} {}" "$(result client errors) $(result server errors)"
finish
