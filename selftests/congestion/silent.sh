#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# QPs of one user to a host share a congestion window. A stream keeps its goodput beside QPs of the same
# user to the same host that nothing answers, because they are connected to QP numbers that do not
# exist: 1 and 60 of them, with the verbs timeouts 14 and 20, and 1,000 with timeout 20, under NSCC, and
# with a fixed window, which is each QP's own. The planes are slow, so that the flows share the network
# and not the CPU: a thousand QPs with timeout 14 die within half a second, which takes all of an
# emulated CPU.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# narrow: each plane carries 50 Mb/s to h2, behind a queue of 128 KiB
narrow()
{
	local plane

	for plane in 1 2; do
		tc -n "p${plane}t0r2" qdisc add dev h2 root tbf rate 50mbit burst 20k limit 128k ||
			return
	done
}

# goodput MILLISECONDS: prints the payload bytes a second that h2 gets in this time
goodput()
{
	local before start

	before=$(counter h2 rx_bytes)
	start=$(now_ms)
	nap "$(awk -v ms="$1" 'BEGIN { print ms / 1000 }')"
	echo $((($(counter h2 rx_bytes) - before) * 1000 / ($(now_ms) - start)))
}

# dead QPS TIMEOUT: starts QPs that belong to root, as the stream does
dead()
{
	on h1 mrc_dead --device mrc0 --gid "$(lab gid h1)" --remote "$(lab gid h2)" \
		--qps "$1" --timeout "$2" >"$TEST_TMP/dead.log" 2>&1
}

# check_beside NAME QPS TIMEOUT: measures the stream beside them, once they have begun to send
check_beside()
{
	local name="$1, beside $2 silent QPs, timeout $3" sent
	local -i alone with

	alone=$(goodput 1500)
	sent=$(counter h1 local_ack_timeout_err)
	background dead "$2" "$3"
	# With timeout 14 they end soon after that.
	[ "$3" = 20 ] || check "$name: they have had a timeout" wait_for counters_grew "$sent"
	nap 0.5
	with=$(goodput 1500)
	[ "$3" = 14 ] || check "$name: they are there" kill -0 "$BACKGROUND_PID"
	kill "$BACKGROUND_PID" 2>/dev/null
	on h1 pkill -x mrc_dead
	wait "$BACKGROUND_PID" 2>/dev/null
	diag "$name: $with of $alone bytes a second"
	# Retransmissions of the silent QPs take their share of the CPU, and of the planes.
	check "$name: the stream keeps its goodput" \
		test "$alone" -gt 0 -a $((10 * with)) -ge $((8 * alone))
}

# counters_grew BEFORE: the silent QPs have had a timeout
counters_grew()
{
	[ "$(counter h1 local_ack_timeout_err)" -gt "$1" ]
}

# check_window NAME OPTION...: of mrc_traffic
check_window()
{
	local name=$1 qps timeout
	shift

	traffic_launch h1 h2 --iterations 0 --sizes 64K "$@"
	check_arrives "$name: the stream flows" 100 h2
	for timeout in 14 20; do
		for qps in 1 $((60 / SLOW)); do
			check_beside "$name" $qps $timeout
		done
	done
	check_beside "$name" $((1000 / SLOW)) 20
	check_traffic_end "$name: all of the stream is verified" traffic_stop
}

need jq mrc_dead mrc_traffic tc
lab_up --planes 2
check "planes of 50 Mb/s" narrow
check_window "NSCC"
check "a profile with a fixed window" on h1 mrcctl cc-profile add mrc0 7 algorithm none window 196608
check "QPs to h2 have it" steer h1 h2 7
check_window "a fixed window"
check_equal "no QP of the stream has ended" "" "$(counters h2 "$QP_ERRORS")"
finish
