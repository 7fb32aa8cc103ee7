#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A third host forges SACKs, NACKs, ACKs, EV probes, answers to EV probes, and port status, under its
# own address and under that of the peer. EVs, ports and QPs stay as they are, and each packet is
# counted under the name that says why it was dropped.
# Nothing but what is sent here may count, however busy the host is.
# clock: icount
# timeout: 1800

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/left.sh"
. "$SELFTESTS/lib/inject.sh"

FLOOD=8

# forge HOW HOST HELD COMMAND...: h3 sends to HOST, through plane 2 of the fabric. HOW is one of
# inject.sh's functions; HELD describes the QPs, of which the second is HOST's.
forge()
{
	local how=$1 host=$2 held=$3
	shift 3

	$how "$@" --device "$(device_of "$host")" --held "$held" \
		--via h3:eth2 --to p2t0r3:h3 --third "$(lab gid h3)" \
		--outer-src "$(lab sid h3)" --outer "$(lab path h3 "$host" 2)"
}

# state_of HOST: prints all that a forged packet could change, also for a moment.
state_of()
{
	on "$1" mrcctl -j -d peer show "$(device_of "$1")" | jq -c '.[] | {"remote-gid", "local-ports",
		"remote-ports", ev: [."peer-ev"[] | {index, state, changed, lost, marked, acked}]}'
	on "$1" mrcctl -j -s qp show "$(device_of "$1")" | jq -c '.[] | {qpn, state, "psn-una",
		"psn-nxt", "psn-cack", inflight, lost, "tx-packets", "rx-packets", "rtx-packets"}'
}

# Nothing else is on the wire: each packet counts exactly what it should.
test_idle()
{
	local host drops

	hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
	hold_write "idle: data flows"
	check "idle: h1 sends nothing any more" wait_for silent h1
	check "idle: h2 sends nothing any more" wait_for silent h2
	jq -c 'with_entries(if (.value | type) == "array" then .value |= reverse else . end)' \
		"$HOLD_FILE" >"$TEST_TMP/held.h1"
	cp "$HOLD_FILE" "$TEST_TMP/held.h2"
	for host in h1 h2; do
		state_of $host >"$TEST_TMP/before.$host"
	done
	verdicts "to h1" forge inject_ask h1 "$TEST_TMP/held.h1" forged
	verdicts "to h2" forge inject_ask h2 "$TEST_TMP/held.h2" forged
	drops=$(counter h1 rx_drop_endpoint)
	verdicts "to h2, in h1's name" forge inject_ask h2 "$TEST_TMP/held.h2" answered --match "an EV probe|leaves none"
	check "to h2, in h1's name: h1 has not asked" \
		wait_for counter_above h1 rx_drop_endpoint "$drops"
	for host in h1 h2; do
		check_equal "idle: $host is as it was" "$(cat "$TEST_TMP/before.$host")" \
			"$(state_of $host)"
	done
	hold_write "idle: data flows after that"
	hold_stop
}

# held_of HOST: describes a QP of the traffic in the format of inject.py
held_of()
{
	on "$1" mrcctl -j -s qp show "$(device_of "$1")" | jq -c '.[0] | {mtu: 4096, idle_qpn: 0,
		gid: [."remote-gid", ."local-gid"], qpn: [."dest-qpn", .qpn],
		address: [0, 0], rkey: [0, 0], next: [."psn-cack", ."psn-nxt"]}'
}

remote_ports()
{
	on "$1" mrcctl -j peer show "$(device_of "$1")" | jq -c '.[0]."remote-ports"'
}

# A spine of plane 1 is dead: then it would show if EVs came back because of forged answers.
dead_is_dead()
{
	evs_are "$1" 'assumed-bad (good|skip)'
}

# told_dead HOST: its monitor has printed that, and will not print it again.
told_dead()
{
	jq -es 'map(select(.event == "peer-ev" and .index == 0)) | last | .state == "assumed-bad"' \
		"$TEST_TMP/monitor.$1"
}

test_traffic()
{
	local host pid ports
	local -A known=()

	monitor_start h1
	monitor_start h2
	traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --imm-every 3 --rate 40
	check_arrives "traffic flows" 50 h1 h2
	lab fail switch p1t1s1
	for host in h1 h2; do
		held_of $host >"$TEST_TMP/held.$host"
		check "a plane is dead: $host knows" wait_for dead_is_dead $host
		check "a plane is dead: $host says so" wait_for told_dead $host
		known[$host]=$(events $host)
	done
	ports=$(remote_ports h1)$(remote_ports h2)
	forge inject_alone h1 "$TEST_TMP/held.h1" flood --count $FLOOD >"$TEST_TMP/flood" 2>&1 &
	pid=$!
	verdicts "traffic, to h2" forge inject_ask h2 "$TEST_TMP/held.h2" flood --count $FLOOD
	wait $pid
	verdicts "traffic, to h1" cat "$TEST_TMP/flood"
	check_arrives "traffic: it goes on" 50 h1 h2
	for host in h1 h2; do
		check "traffic: $host holds the dead EV for dead" dead_is_dead $host
		check_not "traffic: nothing happened to EVs, ports and QPs of $host" \
			event $host true "${known[$host]}"
	done
	check_equal "traffic: ports are as they were" "$ports" "$(remote_ports h1)$(remote_ports h2)"
	lab heal switch p1t1s1
	check "traffic: all EVs are good, once they are" wait_for all_good
	check_traffic_end "traffic: all of it verified" traffic_stop
}

need jq python3 mrc_hold
lab_up --planes 2 --racks 3 --spines 1
test_idle
test_traffic
# Forged NAKs are counted as received.
check_counters_clean '^(retry_exceeded|req_|resp_|nak_sent|out_of_buffer|ring_corrupt)'
finish
