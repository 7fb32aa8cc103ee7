#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Nothing comes back. First the end of a burst is lost: a Reliability Probe finds that, without a
# timeout. Then everything is lost: retries take as long as timeout and retry_cnt say, and then the QP
# ends.
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# First transmissions of h1: device setting dscp-data, 4.
DATA=0x10/0xfc

# fresh NAME TIMEOUT RETRIES: makes new QPs, with these attributes of verbs
fresh()
{
	hold "connect $2 $3" mtu >/dev/null
	hold_write "$1: data flows"
}

# grown COUNTER BEFORE
grown()
{
	echo $(($(counter h1 "$1") - $2))
}

# Ten packets go one by one through one switch, which lets the first five or so through. No packet
# follows the lost ones that could reveal the loss; the timer would take 17 s.
test_tail()
{
	local name="lost tail" lost probes again found timeouts asked

	check "$name: a frame for each packet" set_device burst 1
	on h1 mrcctl plane set mrc0 port 2 down
	fresh "$name" 22 7
	probes=$(counter h1 probe_sent)
	asked=$(counter h2 probe_received)
	again=$(counter h1 retransmitted_packets)
	found=$(counter h1 packet_seq_err)
	timeouts=$(counter h1 local_ack_timeout_err)
	capture_start --direction in -i p1t0r1:h1
	check "$name: a switch lets some of them through" filter p1t0r1 h1 $DATA \
		police rate 1kbit burst 6000 conform-exceed drop/pipe
	check_equal "$name: write of 10 packets" 10 "$(hold "post 10240" packets)"
	check_equal "$name: it arrives" true "$(hold arrive good)"
	lost=$(filtered p1t0r1 h1 drops)
	check "$name: $lost were dropped, not all" test "$lost" -ge 1 -a "$lost" -lt 10
	check "$name: a Reliability Probe was sent" test "$(grown probe_sent "$probes")" -ge 1
	check "$name: and heard" test "$(counter h2 probe_received)" -gt "$asked"
	capture_stop "$name"
	check_equal "$name: it went in the class of data" "[[4,2]]" \
		"$(decoded 4096 'select(.bth.opcode == 222) | [.ip.dscp, .ip.ecn]' | jq -s -c unique)"
	check "$name: its answer showed them" test "$(grown packet_seq_err "$found")" -ge "$lost"
	check "$name: sent again" test "$(grown retransmitted_packets "$again")" -ge "$lost"
	check_equal "$name: no timer did it" 0 "$(grown local_ack_timeout_err "$timeouts")"
	unfilter p1t0r1 h1
	on h1 mrcctl plane set mrc0 port 2 up
	check "$name: burst as it was" set_device burst 16
}

# The kernel's times of the last write, as lines of ns: when it was posted, or just before; when each
# packet was given up; and when the QP ended.
moments()
{
	local qpn

	qpn=$(jq -s 'map(select(.qpn))[-1].qpn[1]' "$HOLD_FILE")
	awk -v qpn="qpn=$(printf '0x%06x' "$qpn")" '
		{ time = 0 }
		match($0, / [0-9]+\.[0-9]+: /) { time = substr($0, RSTART + 1, RLENGTH - 3) }
		/ tracing_mark_write: posted/ { print time }
		/ mrc_loss: .* by timeout/ && index($0, qpn) { print time }' "$TRACING/trace" |
		tr -d . | sed 's/$/000/'
	jq "select(.event == \"qp\" and .qpn == $qpn and .state == \"err\") | .\"monotonic-ns\"" \
		"$TEST_TMP/monitor.h1"
}

# waits: prints the times between these moments, as a JSON array
waits()
{
	moments | jq -s -c '[.[1:], .[:-1]] | transpose | map(.[0] - .[1])'
}

# check_budget NAME TIMEOUT RETRIES: all packets are lost. A machine that stands still makes waits
# longer, never shorter: none may be too short, by the kernel's own times. That nothing else makes them
# longer is shown by their number, and by a sum that leaves room for a busy machine, because timeouts
# are large compared with that.
check_budget()
{
	local name=$1 unit=$((4096 << $2)) retries=$3 timeouts again wanted found

	wanted=$(jq -n -c "[range($retries) | 1] + [2, 4, 8, 8] | map(. * $unit)")
	timeouts=$(counter h1 local_ack_timeout_err)
	again=$(counter h1 retransmitted_packets)
	: >"$TRACING/trace"
	echo posted >"$TRACING/trace_marker"
	check_equal "$name: write of a packet" 1 "$(hold "post 1000" packets)"
	check_equal "$name: it ends" "transport retry counter exceeded" "$(hold settle status)"
	check "$name: and the QP" wait_for event h1 '.event == "qp" and .reason == "retry exceeded"
		and .qpn == '"$(jq -s 'map(select(.qpn))[-1].qpn[1]' "$HOLD_FILE")"
	check_equal "$name: timeouts" $((retries + 3)) "$(grown local_ack_timeout_err "$timeouts")"
	check_equal "$name: each sent it again" $((retries + 3)) \
		"$(grown retransmitted_packets "$again")"
	found=$(waits)
	# shellcheck disable=SC2016 # variables of jq
	check "$name: after $found ns, none before its time" jq -n -e --argjson wanted "$wanted" \
		--argjson found "$found" '($found | length) == ($wanted | length) and
			([$found, $wanted] | transpose | all(.[0] > .[1] - 1000000))'
	check "$name: all in $(jq -n "$found | add") ns, not twice the time" jq -n -e \
		--argjson wanted "$wanted" "$found | add < 2 * (\$wanted | add) + 1000000000"
}

# A verbs timeout of 16 is 0.27 s: 29 of them for 7 retries, 24 for 2.
test_budget()
{
	fresh "all planes gone" 16 7
	links fail h1 2
	check "all planes gone: seen" wait_for plane_is h1 1 down
	check "all planes gone: all of them" wait_for plane_is h1 2 down
	check_budget "all planes gone" 16 7
	links heal h1 2
	check "all planes back" wait_for plane_is h1 1 up
	check "all planes back: all of them" wait_for plane_is h1 2 up

	fresh "all planes silent" 16 2
	lab netem h1:eth1 loss 100%
	lab netem h1:eth2 loss 100%
	check_budget "all planes silent" 16 2
	lab netem all off
	fresh "afterwards" 18 7
}

need jq tc mrc_hold python3
modprobe -q sch_netem
lab_up --planes 2
ingress p1t0r1 h1 || bail "filters"
monitor_start h1
echo mono >"$TRACING/trace_clock"
at_exit sh -c "echo local >$TRACING/trace_clock"
traces mrc_loss
# The second side is the one that posts.
hold_start -n h2 -g "$(lab gid h2)" mrc1 -N h1 -G "$(lab gid h1)" mrc0
test_tail
test_budget
traces
hold_stop
finish
