# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of tests that run a GoogleTest program in the virtual machine.

# run_cases TITLE COMMAND...: each case of the program becomes a case of the selftest.
run_cases()
{
	local title=$1 line name
	shift

	timeout $((800 * SLOW)) "$@" >"$TEST_TMP/cases.log" 2>&1 || true
	while read -r line; do
		name=${line#*\] }
		case $line in
		'[       OK ]'*) ok "$title: ${name% (*}" ;;
		'[  FAILED  ]'*' ms)') fail "$title: ${name% (*}" ;;
		esac
	done <"$TEST_TMP/cases.log"
	check "$title: all cases ran and passed" grep -qE '^\[  PASSED  \] [1-9]' "$TEST_TMP/cases.log"
	! grep -q 'FAILED' "$TEST_TMP/cases.log" || diag <"$TEST_TMP/cases.log"
}
