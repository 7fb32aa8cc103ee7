#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The demonstration (scripts/demo) passes: MRC has what the planes that are left carry, less what this
# machine withholds from them, which is measured. mrcd names what is broken and nothing else. It runs in
# whole, with the users' default settings; then MRC alone, with a fixed window.
# cpus: 2
# timeout: 1200

. "$(dirname "$0")/../lib.sh"

WINDOW=192
OUT=${VM_OUT:-$TEST_TMP}/demo

# demonstrate FOLDER OPTION...: prints what "make demo" shows, and its complaints on standard error
demonstrate()
{
	local folder=$OUT/$1
	shift

	mkdir -p "$folder" || return
	VM_OUT=$folder PYTHONPATH=$TOP/scripts/lib \
		python3 -B "$TOP/scripts/demo.d/guest.py" "$@" 2>&1 |
		PYTHONPATH=$TOP/scripts/lib python3 -B "$TOP/scripts/demo.d/report.py" "$folder"
}

# passes NAME FOLDER OPTION...: prints the output before the result
passes()
{
	local name=$1
	shift

	if demonstrate "$@" 2>"$TEST_TMP/complaints" | diag && [ "${PIPESTATUS[0]}" = 0 ]; then
		ok "$name"
	else
		fail "$name" "$(<"$TEST_TMP/complaints")"
	fi
}

need jq python3 ib_write_bw mrcd tc
passes "the demonstration" default
passes "MRC with a fixed window of $WINDOW KiB" window --window $WINDOW --only mrc
finish
