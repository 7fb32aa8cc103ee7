#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs overwrite the rings they share with the kernel, one program after another for FUZZ_SECONDS
# (20), and lose their QPs. The traffic of another program over the same devices goes on, every byte
# right. FUZZ_SEED=N, with the N that a run prints, repeats that run.
# timeout: 300 + 3 * FUZZ_SECONDS

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

SEED=${FUZZ_SEED:-$RANDOM}

# Each program has a seed of its own, from 1 to googletest's limit.
scribble()
{
	local end=$((SECONDS + ${FUZZ_SECONDS:-20})) seed=$SEED

	while [ "$SECONDS" -lt "$end" ]; do
		timeout $((240 * SLOW)) mrc_errors --gtest_filter='Scribble.*' \
			--gtest_random_seed=$((1 + seed % 99999)) -n h1 -g "$(lab gid h1)" mrc0 \
			-N h2 -G "$(lab gid h2)" mrc1 || return
		seed=$((seed + 1))
	done
}

need jq mrc_errors mrc_traffic
echo "# FUZZ_SEED=$SEED"
lab_up --planes 2 --spines 1
traffic_launch h1 h2 --both --iterations 0 --qps 2 --sizes 100,20000 --rate 200
wait_for plane_sent_more h1 1 100 || bail "traffic flows" "$(traffic_report)"
check "rings are scribbled on, and new QPs work afterwards" scribble
grep -E '^seed|OK|FAILED' "$TEST_TMP/check.log" | tail -n 20 | diag
check "the kernel has noticed" test "$(($(counter h1 ring_corrupt) + $(counter h2 ring_corrupt)))" -gt 0
check_traffic_end "the bystander's data" traffic_stop
check_equal "the bystander saw no error" "{} {}" "$(result client errors) $(result server errors)"
finish
