#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Floods of EV probes are answered at the rate of Documentation/failures.md, and only to hosts that are
# a peer or have a route. A host's own probes also keep to a rate; paths that stay dead get ever fewer.
# A flood must come faster than the limit, however busy the host is.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/left.sh"

# The burst of a gate.
BURST=64
# Skbs of a flood. Where everything is slow, more packets would keep the CPU busy for minutes, and the
# capture would not get it.
FLOOD=$((SLOW > 1 ? 20 : 300))
# The beginning of each flood; the packets that are limited.
BEGAN=$TEST_TMP/began
PACKETS=$TEST_TMP/packets
# Hosts that h2 has a route for, but that do not exist.
COVERED=fd00:6d72:64::
NOBODY=fd00:6d72:65::

# ---------------------------------------------------------------- floods

# flood FIRST SENDERS: sends to h2, from the last switch. PACKETS gets the times at which h2's answers
# left; received, answered and dropped are set from its counters.
flood()
{
	local heard said lost

	heard=$(counter h2 endpoint_requests_received)
	said=$(counter h2 endpoint_responses_sent)
	lost=$(counter h2 rx_drop_endpoint)
	capture_start --direction in -i p1t0r2:h2 -i p2t0r2:h2
	python3 "$SELFTESTS/lib/probe_flood.py" p1t0r2 "$gid2" "$1" --senders "$2" \
		--count "$FLOOD" >"$BEGAN" || bail "flood"
	wait_for silent h2
	capture_stop "flood from $1, $2 senders"
	decoded 4096 'select(.name == "EP_RESPONSE") | {time, to: .ip.dst}' >"$PACKETS"
	received=$(($(counter h2 endpoint_requests_received) - heard))
	answered=$(($(counter h2 endpoint_responses_sent) - said))
	dropped=$(($(counter h2 rx_drop_endpoint) - lost))
}

# within_rate RATE: at the time of each packet, no more had left than the rate allows since the
# beginning of its flood.
within_rate()
{
	jq -es --argjson rate "$1" --argjson burst "$BURST" --slurpfile began "$BEGAN" '
		(map(.time) | sort) as $packets | $began[0] as $began |
		($packets | length > 0) and all(range($began | length); . as $n |
			[$packets[] | select(. >= $began[$n] and . < ($began[$n + 1] // infinite))] |
			to_entries | all(.[]; .key <= $burst + (.value - $began[$n]) * $rate / 1e9))' \
		"$PACKETS"
}

# can_outrun RATE: where everything is slow, 10000 packets a second cannot be sent.
can_outrun()
{
	[ "$SLOW" -eq 1 ] || [ "$1" -lt 10000 ]
}

# outrun: far more packets came than may be answered. A few drops are late answers to h2's probes.
outrun()
{
	[ "$dropped" -ge $((received / 10)) ]
}

# check_flood NAME RATE: of the last one
check_flood()
{
	check "$1: $received probes have come in, $answered were answered" \
		test "$received" -ge $((BURST * 10)) -a "$answered" -gt 0
	! can_outrun "$2" ||
		check "$1: they came faster than they may be answered: $dropped dropped" outrun
	check "$1: each was answered or dropped" test $((answered + dropped)) -ge "$received"
	check "$1: answers keep to $2 a second" within_rate "$2"
}

test_peer()
{
	flood "$gid1" 1
	check_flood "in the peer's name" 10000
	hold_write "in the peer's name: data flows"
}

test_covered()
{
	flood "${COVERED}1" 8
	check_flood "in the name of hosts with a route" 100
	check "in the name of hosts with a route: no others are answered" \
		jq -es "all(.[]; .to | startswith(\"$COVERED\"))" "$PACKETS"
	check "in the name of hosts with a route: they are no peers then" wait_for one_peer
}

one_peer()
{
	[ "$(on h2 mrcctl -j peer show mrc1 | jq length)" = 1 ]
}

# calls_began FUNCTION: from now on the trace has each call of it, on the clock of the flood's sender:
# the kernel does not know by how many seconds TAI is ahead of it.
calls_began()
{
	traces
	echo tai >"$TRACING/trace_clock" && echo "p:mrc_test/call $1" >"$TRACING/kprobe_events" &&
		echo >"$TRACING/trace" && echo 1 >"$TRACING/events/mrc_test/call/enable"
}

# calls: prints the time of each call in seconds since the flood began. Tracing ends here.
calls()
{
	sed -nE 's/.* ([0-9.]+): call: .*/\1/p' "$TRACING/trace" |
		awk -v began="$(jq '.[0] / 1e9' "$BEGAN")" '{ print $1 - began }'
	echo 0 >"$TRACING/events/mrc_test/call/enable"
	echo '-:mrc_test/call' >>"$TRACING/kprobe_events"
	echo local >"$TRACING/trace_clock"
}

# looks_beyond RATE FILE: prints those that such a gate would not have let pass; or an error if there
# are none, or the clocks differ
looks_beyond()
{
	awk -v rate="$1" -v burst="$BURST" 'NR > burst + $1 * rate { print NR, "within", $1, "s" }
		NR == 1 && ($1 < 0 || $1 > 30) { print "the first after", $1, "s" }
		END { if (!NR) print "none at all" }' "$2" | head -n 5
}

test_nobody()
{
	check "in nobody's name: look-ups of routes are traced" calls_began mrc_route_lookup
	flood "${NOBODY}1" 8
	calls >"$TEST_TMP/looks"
	check "in nobody's name: $received probes have come in" test "$received" -ge $((BURST * 10))
	check_equal "in nobody's name: for $(wc -l <"$TEST_TMP/looks") of them a route was looked up" \
		"" "$(looks_beyond 1000 "$TEST_TMP/looks")"
	check_equal "in nobody's name: none is answered" 0 "$answered"
	check_equal "in nobody's name: all are dropped" "$received" "$dropped"
}

# Half of an id is a secret. A forger that knows the peer's name but not the secret is mostly ignored.
test_answers()
{
	local late before

	check "answers to nothing: what is taken for late is traced" calls_began mrc_prober_late
	before=$(counter h2 rx_drop_endpoint)
	python3 "$SELFTESTS/lib/probe_flood.py" p1t0r2 "$gid2" "$gid1" --answers >"$BEGAN" ||
		bail "answers"
	# One of them may match a waiting request.
	check "answers to nothing: all have come" \
		wait_for counter_above h2 rx_drop_endpoint $((before + 254))
	late=$(calls | wc -l)
	# A slow host may take its time for answers to its own probes, too.
	check "answers to nothing: of 256, as many as there are halves, $late are taken for late" \
		test "$late" -ge 1 -a "$late" -le 16
}

# 256 EVs at a time, all of which are answered.
test_rounds()
{
	local heard

	yaml_python || { fail "own probes: the yaml module of Python is here"; return; }
	heard=$(counter h1 endpoint_responses_received)
	capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1
	on h1 "$python" "$SELFTESTS/lib/probe_rounds.py" \
		"$TOP/Documentation/netlink/specs/mrc.yaml" mrc0 "$gid2" >"$BEGAN" || bail "probe rounds"
	capture_stop "own probes"
	decoded 4096 'select(.name == "EP_REQUEST" and .erth.op == 1) | {time}' >"$PACKETS"
	heard=$(($(counter h1 endpoint_responses_received) - heard))
	check "own probes: $heard of $(wc -l <"$PACKETS") are answered" test "$heard" -ge 1000
	check "own probes: 10000 a second at most" within_rate 10000
}

# As the way to h1, but for this prefix.
route_covered()
{
	local plane gateway

	for plane in 1 2; do
		gateway=$(ip -n h2 -6 -j route show "$gid1" dev "eth$plane" | jq -r '.[0].gateway')
		ip -n h2 -6 route add "$COVERED/64" via "$gateway" dev "eth$plane" \
			metric $((100 + plane)) || return
	done
	on h2 mrcctl route add mrc1 "$COVERED/64" ev-profile 0
}

test_held()
{
	check "a route to hosts that do not exist" route_covered
	hold_start -n h1 -g "$gid1" mrc0 -N h2 -G "$gid2" mrc1
	hold_write "data flows"
	test_nobody
	test_covered
	test_peer
	test_answers
	test_rounds
	hold_stop
}

# ---------------------------------------------------------------- own probes

# Some EVs towards h2 are bad.
some_bad()
{
	[ "$(ev_values h1 state | tr ' ' '\n' | grep -c assumed-bad)" -ge 8 ]
}

bad_evs()
{
	on h1 mrcctl -j -d peer show mrc0 |
		jq '.[0]."peer-ev" | map(select(.state == "assumed-bad") | {key: "\(.index)", value: .probed}) |
			from_entries'
}

# rarely BEFORE AFTER MS: a bad EV is probed after 1 ms, 2 ms ... 1 s, and then each second; all bad EVs
# together at least once.
rarely()
{
	jq -es --argjson s "$3" '.[0] as $before | [.[1] | to_entries[] | select($before[.key]) |
		.value - $before[.key]] | length > 0 and add > 0 and all(.[]; . <= 11 + $s / 1000)' \
		"$1" "$2"
}

# A spine of plane 1 is dead, so half of that plane's paths, and there is no other traffic.
test_dead()
{
	local began

	set_device burst 1
	traffic_launch h1 h2 --iterations 0 --sizes 64K --rate 40
	check_arrives "dead paths: traffic flows" 20 h2
	lab fail switch p1t1s1
	check "dead paths: EVs are bad" wait_for some_bad
	kill -STOP "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
	began=$(now_ms)
	bad_evs >"$TEST_TMP/before"
	sleep 8
	bad_evs >"$TEST_TMP/after"
	check "dead paths: $(jq length "$TEST_TMP/before") bad EVs are probed, rarely" \
		rarely "$TEST_TMP/before" "$TEST_TMP/after" $(($(now_ms) - began))
	# No data shows how long it takes, but the late answers do.
	lab netem all delay 50ms
	lab heal switch p1t1s1
	check "dead paths, healed, round trips of 400 ms: all EVs are good" \
		wait_for evs_are h1 '((good|skip) ?)+'
	lab netem all delay 0ms
	kill -CONT "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
	check_traffic_end "dead paths, healed: all of it verified" traffic_stop
}

need jq python3 mrc_hold
lab_up --plain --planes 2
gid1=$(lab gid h1)
gid2=$(lab gid h2)
check "256 EVs towards h2" on h1 mrcctl ev-profile add mrc0 9 mode auto count 256
check "and a route by them" on h1 mrcctl route add mrc0 "$gid2/128" ev-profile 9
test_held
test_dead
check_counters_clean "$QP_ERRORS"
finish
