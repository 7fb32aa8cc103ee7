#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sends packets drawn at random for FUZZ_SECONDS (20): noise, packets that are nearly right, and changed
# copies of captured packets, with a right and with a wrong ICRC, from the peer and from another host,
# with and without an outer header. Some of them are refusals that are entirely right and end a QP, so
# each round has new QPs. Afterwards the device still exists, its settings and peers can be read, and
# new QPs work. FUZZ_SEED=N, with the N that a run prints, repeats that run, as far as the same packets
# are captured.
# timeout: 300 + 3 * FUZZ_SECONDS

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/inject.sh"

SEED=${FUZZ_SEED:-$RANDOM}
FUZZ_SECONDS=${FUZZ_SECONDS:-20}
# Seconds of a round.
ROUND=5
FRAMES=$TEST_TMP/capture.pcapng

# Captured are packets that come in by h2's first link: writes, the answers to them, and probes with
# their answers.
captured()
{
	capture_start --direction in -i h2:eth1
	hold_write "$1: data flows"
	on h1 mrcctl probe mrc0 remote "$(lab gid h2)" >/dev/null
	on h2 mrcctl probe mrc1 remote "$(lab gid h1)" >/dev/null
	capture_stop "$1"
}

# round N FORMAT
round()
{
	local name="round $1, $2" out=()

	hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
	captured "$name"
	# Packets on the wire are plain or not, as they leave the last switch.
	[ "$2" = plain ] || out=(--outer-src "$(lab sid h1)" --outer "$(lab sid h2)")
	verdicts "$name" inject mutants --via p1t0r2:h2 --to h2:eth1 "${out[@]}" \
		--frames "$FRAMES" --seconds $ROUND --seed $((SEED + $1))
	check "$name: the device is there" on h2 mrcctl device show mrc1
	check "$name: its peers are" on h2 mrcctl -d peer show mrc1
	hold_stop
}

# The drawn packets must reach all of these: otherwise they are noise of one kind.
deep()
{
	local name

	for name in rx_drop_{truncated,opcode,header,length,no_qp,wrong_peer,bad_ack} rx_icrc_encapsulated \
		sack_received endpoint_requests_received; do
		[ "$(counter h2 "$name")" -gt 0 ] || echo -n "$name "
	done
}

need jq python3 mrc_hold mrc_traffic
echo "# FUZZ_SEED=$SEED"
lab_up --planes 2 --spines 1
INJECT_OPTIONS=(--second "$(lab sid h2)" --mpr "$(on h2 mrcctl -j device show mrc1 | jq '.[0].mpr')")
for ((n = 1; (n - 1) * ROUND < FUZZ_SECONDS; n++)); do
	[ $((n % 2)) = 0 ] && format=plain || format=srv6
	round "$n" "$format"
done
check_equal "afterwards: has not reached" "" "$(deep)"
check_traffic "afterwards: new QPs work" h1 h2 --sizes 1,64K --iterations 50 --both
finish
