#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What verbs promises (mrc_verbs_test): within one device, and between two
# devices in two namespaces, opened from inside them.
# kernels: all
# cpus: 2

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/pair.sh
. "$SELFTESTS/lib/pair.sh"

need mrc_verbs_test

# run_cases TITLE ARG...: each case of the program is one of ours.
run_cases()
{
	local title=$1 line name
	shift

	timeout $((800 * SLOW)) mrc_verbs_test "$@" >"$TEST_TMP/cases.log" 2>&1 || true
	while read -r line; do
		name=${line#*\] }
		case $line in
		'[       OK ]'*) ok "$title: ${name% (*}" ;;
		'[  FAILED  ]'*' ms)') fail "$title: ${name% (*}" ;;
		esac
	done <"$TEST_TMP/cases.log"
	check "$title: all cases ran and passed" grep -q '^\[  PASSED  \]' "$TEST_TMP/cases.log"
	grep -q 'FAILED' "$TEST_TMP/cases.log" && diag <"$TEST_TMP/cases.log"
}

pair_up
# The largest messages take their time: once is enough.
run_cases "one device" -n p1 '--gtest_filter=-Largest.*' mrc1
run_cases "two devices" -n p1 -N p2 mrc1 mrc2
finish
