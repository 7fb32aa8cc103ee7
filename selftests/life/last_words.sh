#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A QP that is in error, or destroyed, still speaks to the QP at the other end, and to nothing else. So
# that QP's requests end at once and not after retries; and a request that had arrived succeeds,
# although its acknowledgement was lost and the receiving program has ended.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"
. "$SELFTESTS/lib/inject.sh"

# Answers: device setting dscp-control, 46.
CONTROL=0xb8/0xfc

# fresh NAME TIMEOUT: makes new QPs. With verbs' timeout 24, the first timeout alone is 69 s.
fresh()
{
	hold "connect $2 7" mtu >/dev/null
	hold_write "$1: data flows"
}

# test_told HOW: h1's QP ends in this way, and h2 writes.
test_told()
{
	local name="$1" exceeded

	fresh "$name" 24
	exceeded=$(counter h2 retry_exceeded_err)
	check_equal "$name: done" true "$(hold "$1 0" good)"
	check_equal "$name: a write is posted" true "$(hold "post 10240" good)"
	check_equal "$name: it ends at once" "remote operation error" "$(hold settle status)"
	check "$name: for h1 has said so" counter_above h1 nack_sent 0
	check_equal "$name: no retries were exceeded" "$exceeded" \
		"$(counter h2 retry_exceeded_err)"
}

# All answers of h1 are lost until its QP has gone.
test_acknowledged()
{
	local name="last ACK lost" acks

	fresh "$name" 18
	acks=$(counter h1 ack_sent)
	check "$name: plane 1" filter p1t0r1 h1 $CONTROL drop
	check "$name: plane 2" filter p2t0r1 h1 $CONTROL drop
	check_equal "$name: a write is posted" true "$(hold "post 1000" good)"
	check "$name: it arrives, and is acknowledged" wait_for counter_above h1 ack_sent "$acks"
	check_equal "$name: the receiver goes" true "$(hold "destroy 0" good)"
	unfilter p1t0r1 h1
	unfilter p2t0r1 h1
	check_equal "$name: the write has succeeded" success "$(hold settle status)"
}

# test_strict HOW: only the other end is answered. h1's QP waits for nothing, and answers do not harm
# it.
test_strict()
{
	local name="$1, packets made by hand"

	fresh "$name" 18
	check_equal "$name: done" true "$(hold "$1 1" good)"
	verdicts "$name" inject_plain ended
	check_equal "$name: the other end is as it was" rts \
		"$(on h1 mrcctl -j qp show mrc0 | jq -r '.[].state')"
}

need jq python3 tc mrc_hold
lab_up --planes 2 --spines 1
if ! { ingress p1t0r1 h1 && ingress p2t0r1 h1; }; then
	bail "filters"
fi
INJECT_OPTIONS=(--second "$(lab sid h2)" --mpr "$(on h2 mrcctl -j device show mrc1 | jq '.[0].mpr')")
hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
test_told destroy
test_told error
test_acknowledged
test_strict destroy
test_strict error
hold_stop
finish
