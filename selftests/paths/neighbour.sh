#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All QPs to a host share EV states, also QPs of different users. While one user's program streams, QPs
# of another user die, one write each, because they are connected to QP numbers that do not exist, at
# the same host and at others, which are alive. No EV is blamed for that, and the stream goes on as
# before.
# NEIGHBOUR_ALL=1: every number of QPs with every timeout and every number of hosts.
# A host that stands still for as long as probes wait blames EVs, and under emulation a host may stand
# still.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# Another user, without a privilege. The stream is root's.
stranger=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# blamed: prints EVs that were good and no longer are since the trace was emptied. EVs that a SACK
# blamed do not count, because only the stream gets SACKs: a machine that stands still causes these. If
# SACKs blamed all EVs, the floor holds the EV that was most recently heard from, and that event does not
# count either. The same holds for the EVs back to h1, which its peers probe.
blamed()
{
	awk -v back="remote=$(lab gid h1) " '
		{ match($0, /\[[0-9]+\]/); cpu = substr($0, RSTART, RLENGTH) }
		/ mrc_loss: / { sack[cpu] = / by SACK/ }
		/ mrc_ev: .* good -> (assumed-bad|held)/ && !index($0, back) &&
			!(sack[cpu] && /[(](loss|most recently heard from)[)]/) {
			sub(/.* mrc_ev: /, ""); print }' "$TRACING/trace"
}

# rate BEFORE MILLISECONDS: prints the messages a second that h2 has got beyond BEFORE, in that time
rate()
{
	echo $((($(counter h2 rx_write_requests) - $1) * 1000 / $2))
}

# die QPS TIMEOUT HOST...
die()
{
	local qps=$1 timeout=$2 host
	local -a remotes=()
	shift 2

	for host; do
		remotes+=(--remote "$(lab gid "$host")")
	done
	on h1 "${stranger[@]}" mrc_dead --device mrc0 --gid "$(lab gid h1)" "${remotes[@]}" \
		--qps "$qps" --timeout "$timeout"
}

# check_dying QPS TIMEOUT HOST...: the stream goes on as before.
check_dying()
{
	local name="$1 QPs, timeout $2, at ${*:3}" before start
	local -i during

	echo >"$TRACING/trace"
	before=$(counter h2 rx_write_requests)
	start=$(now_ms)
	check "$name: all end in retry exceeded" die "$@"
	# A second more: all these hosts share one processor, and a thousand QPs with a timeout of 8 us
	# send 16,000 retransmissions in a quarter of a second. Packets that wait meanwhile arrive then.
	sleep 1
	during=$(rate "$before" $(($(now_ms) - start)))
	check_equal "$name: no EV is blamed" "" "$(blamed)"
	# Half, because the QPs are made and die on the processors that the stream runs on.
	check "$name: $during of $PACE messages a second arrive" test $((2 * during)) -ge "$PACE"
}

need jq mrc_dead mrc_traffic setpriv
lab_up --planes 2 --racks 4
traces mrc_loss mrc_ev
# The stream is paced, so that processors have time for others: missing messages were then delayed.
traffic_launch h1 h2 --iterations 0 --qps 2 --sizes 20K --rate $((100 / SLOW))
check_arrives "the stream flows" 100 h2
start=$(now_ms)
before=$(counter h2 rx_write_requests)
sleep 3
PACE=$(rate "$before" $(($(now_ms) - start)))
[ "$PACE" -gt 0 ] || bail "the stream flows on"
if [ -n "${NEIGHBOUR_ALL:-}" ]; then
	for qps in 60 1000; do
		for timeout in 1 14; do
			check_dying $qps $timeout h2
			check_dying $qps $timeout h2 h3 h4
		done
	done
else
	# A slow kernel answers probes too late if many are sent at once.
	check_dying $((60 / SLOW)) 1 h2
	check_dying $((60 / SLOW)) 14 h2 h3 h4
	check_dying $((1000 / SLOW)) 1 h2 h3 h4
fi
check_traffic_end "all of the stream is verified" traffic_stop
traces
check_equal "no QP of the stream has ended" "" "$(counters h2 "$QP_ERRORS")"
finish
