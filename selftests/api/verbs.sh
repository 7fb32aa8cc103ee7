#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests what verbs promises (mrc_verbs_test): within one device, and between two devices in two
# namespaces, opened from inside them.
# kernels: all
# cpus: 2

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/cases.sh"

need mrc_verbs_test nft

# traced_case EVENT FILTER CASE: runs one case, and prints the trace of an event meanwhile
traced_case()
{
	local event=$TRACING/events/$1

	echo >"$TRACING/trace"
	echo "$2" >"$event/filter" && echo 1 >"$event/enable"
	check "traced: $3" mrc_verbs_test -n p1 "--gtest_filter=$3" mrc1 >"$TEST_TMP/case.log"
	echo 0 >"$event/enable"
	echo 0 >"$event/filter"
	grep -v '^#' "$TRACING/trace" >"$TEST_TMP/trace"
}

# An expedited grace period interrupts each CPU. Regions and QPs would wait for one.
check_no_hurry()
{
	echo 'p:mrc_test/hurry synchronize_rcu_expedited' >"$TRACING/kprobe_events" ||
		bail "kprobe"
	traced_case mrc_test/hurry 'comm == "mrc_verbs_test"' Limits.ManyRegions
	check_equal "no CPU is interrupted for $(sed -n '/ regions: /p' "$TEST_TMP/case.log")" 0 \
		"$(wc -l <"$TEST_TMP/trace")"
	traced_case mrc_test/hurry 'comm == "mrc_verbs_test"' Limits.DestroyUnderTraffic
	check_equal "no CPU is interrupted for QPs that are destroyed" 0 \
		"$(wc -l <"$TEST_TMP/trace")"
	traced_case mrc_test/hurry 'comm == "mrc_verbs_test"' States.ResetStartsAnew
	check_equal "no CPU is interrupted for QPs that are reset" 0 \
		"$(wc -l <"$TEST_TMP/trace")"
	echo '-:mrc_test/hurry' >>"$TRACING/kprobe_events"
}

# Vector 0 is for programs that do not choose one, and data comes in on CPU 0.
check_vectors()
{
	local cpu

	traced_case sched/sched_waking 'comm ~ "vector-*"' Data.VectorsWakeUp
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		check_equal "completion vector $cpu wakes up on CPU $cpu" "$(printf '[%03d]' $cpu)" \
			"$(sed -nE "s/.* (\\[[0-9]+\\]) .*comm=vector-$cpu .*/\\1/p" "$TEST_TMP/trace" |
				sort -u | paste -sd ' ')"
	done
}

pair_up
# Cases that take long run between two devices only: the largest messages anywhere, and cases that move
# much data where a packet costs milliseconds. (Two of those run on one device below, traced.)
costly='Largest.*'
[ "$SLOW" -eq 1 ] ||
	costly+=":Data.DeepQueue:Limits.ManyRegions:Limits.DestroyUnderTraffic:Limits.NothingLands*"
run_cases "one device" mrc_verbs_test -n p1 "--gtest_filter=-$costly:ReadsUnheard.*" mrc1
check_no_hurry
check_vectors
run_cases "two devices" mrc_verbs_test -n p1 -N p2 mrc1 mrc2
finish
