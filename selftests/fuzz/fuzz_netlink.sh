#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sends requests drawn at random for FUZZ_SECONDS (20): attributes that make no sense together, nested,
# out of order or cut off, and requests that are nearly right. Requests from nobody, and from root of a
# user namespace of its own, change nothing and are refused by name. Requests from root are answered,
# what exists stays readable, and all that they made is removed again. FUZZ_SEED=N, with the N that a
# run prints, repeats that run.
# timeout: 300 + 2 * FUZZ_SECONDS

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/hold.sh"

SEED=${FUZZ_SEED:-$RANDOM}
HALF=$(((${FUZZ_SECONDS:-20} + 1) / 2))

# fuzz WHO SECONDS: see netlink_fuzz.py
fuzz()
{
	on p1 "$python" "$SELFTESTS/lib/netlink_fuzz.py" "$TOP/Documentation/netlink/specs/mrc.yaml" \
		mrc1 spare "$1" "${2:-0}" "$SEED"
}

# The senders that may change nothing, all at once.
others()
{
	local who

	for who in nobody userns netns; do
		background fuzz $who $HALF >"$TEST_TMP/$who" 2>&1
		PIDS[$who]=$BACKGROUND_PID
	done
	for who in nobody userns netns; do
		check "requests of $who are answered" wait "${PIDS[$who]}"
		diag <"$TEST_TMP/$who"
	done
}

need python3 rdma jq mrc_hold
yaml_python || skip_all "needs the yaml module of Python"
declare -A PIDS
echo "# FUZZ_SEED=$SEED"
pair_up
ip -n p1 link add spare type dummy
ip -n p1 link set spare up
hold_start -n p1 mrc1 -N p2 mrc2
hold_write "QPs to look at"
before=$(fuzz state)
others
check_equal "nothing is configured otherwise" "$before" "$(fuzz state)"
check "root's requests are answered, and what they made goes again" fuzz root $HALF
diag <"$TEST_TMP/check.log"
hold_write "QPs survive it all"
finish
