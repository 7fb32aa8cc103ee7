#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Raw probes take the way that the request describes, with its class and size, to one host or more, and
# are answered or time out by their own time. They make no peer, and judge no EV. An impossible request
# is refused, with the reason. A host that sees only a probe's id cannot answer it.
# timeout: 900
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/left.sh"

# A round trip may take that long on a busy machine; an answer that comes earlier is used at once.
LONG=(limit 10s)

# raw WORD...: from h1
raw()
{
	on h1 mrcctl -j probe mrc0 raw to "$@"
}

# results FILTER WORD...: filters the list of results
results()
{
	local filter=$1
	shift

	raw "$@" 2>/dev/null | jq -c ".[0].result | $filter"
}

# took WORD...: ms
took()
{
	local began
	began=$(now_ms)

	raw "$@" >/dev/null 2>&1
	echo $(($(now_ms) - began))
}

# segments PLANE SPINE: to h2
segments()
{
	echo "fcbb:bb00:${1}01::,fcbb:bb00:${1}8$2::,fcbb:bb00:${1}02::,$(lab sid h2)"
}

# asked FIELDS: prints these fields of the captured probes, with their frequency
asked()
{
	decoded 4096 "select(.name == \"EP_REQUEST\" and .ip.dst == \"$gid2\") | $1" | sort | uniq -c |
		sed -E 's/^ +//'
}

test_wire()
{
	local sid way
	sid=$(lab sid h2)
	way="[\"$sid\",\"fcbb:bb00:202::\",\"fcbb:bb00:281::\",\"fcbb:bb00:201::\"]"

	capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1 -i p2t0r2:t1s1
	check_equal "segment list: all are answered, and were sent from port 2" "[[0,2,true],[1,2,true],[2,2,true]]" \
		"$(results 'map([.index, .port, ."rtt-ns" > 0])' "$gid2" port 2 segs "$(segments 2 1)" \
			count 3 dscp 13 size 1200 "${LONG[@]}")"
	capture_stop "segment list"
	check_wire "segment list" 4096 good
	check_equal "segment list: the way, from the second plane" \
		"3 [\"p2t0r1:h1\",\"fcbb:bb00:201::\",3,$way]" \
		"$(asked 'select(.if != "p2t0r2:t1s1") | [.if, .outer.dst, .srh.left, .srh.segments]')"
	check_equal "segment list: class of both headers, and size" "3 [13,0,13,0,1200]" \
		"$(asked 'select(.if != "p2t0r2:t1s1") |
			[.outer.dscp, .outer.ecn, .ip.dscp, .ip.ecn, 40 + .outer.length]')"
	check_equal "segment list: they end behind the UDP datagram" "3 [40,1008]" \
		"$(asked 'select(.if == "p2t0r2:t1s1") | [.udp.length, .surplus]')"
	check "no peer comes of it" no_peers h1
}

test_sizes()
{
	capture_start --direction in -i p1t0r1:h1
	check_equal "as small as may be" "[true]" \
		"$(results 'map(."rtt-ns" > 0)' "$gid2" port 1 sid "$(lab path h1 h2 1)" "${LONG[@]}")"
	check_equal "as large as the plane's MTU" "[true]" \
		"$(results 'map(."rtt-ns" > 0)' "$gid2" port 1 sid "$(lab path h1 h2 1)" size 9000 "${LONG[@]}")"
	capture_stop "sizes"
	check_equal "sizes" "1 120|1 9000" "$(asked '40 + .outer.length' | paste -sd '|')"
	lab mtu p1t0r1:h1 1500
	check_equal "what the path has no room for is not answered" "[false]" \
		"$(results 'map(has("rtt-ns"))' "$gid2" port 1 sid "$(lab path h1 h2 1)" size 4000 \
			limit 500ms)"
	lab mtu p1t0r1:h1 off
}

test_destinations()
{
	check_equal "two hosts, one of them dead" \
		"[[\"$gid2\",0,true],[\"$nobody\",0,false],[\"$gid2\",1,true],[\"$nobody\",1,false]]" \
		"$(results 'map([."remote-gid", .index, has("rtt-ns")])' "$gid2,$nobody" port 1 \
			sid "$(lab path h1 h2 1)" count 2 limit 3s)"
	check_error "a dead one alone" 2 "no probe was answered" raw "$nobody" port 1 \
		sid "$(lab path h1 h2 1)" limit 100ms
	check_equal "no route leads out of the plane" '["no route leads out of the plane'"'"'s netdev"]' \
		"$(results 'map(.error)' "$gid2" port 1 sid fdff::1)"
	check "a plane down" on h1 mrcctl plane set mrc0 port 2 down
	check_equal "by a plane that is down nothing is sent" '["the plane is down"]' \
		"$(results 'map(.error)' "$gid2" port 2 sid "$(lab path h1 h2 2)")"
	check "the plane up" on h1 mrcctl plane set mrc0 port 2 up
	check "the uSID of h2" on h1 mrcctl route replace mrc0 "$gid2/128" ev-profile 2 usid 0xf002
	check_equal "the last switch is named, and the uSID of the route goes on to the host" "[true]" \
		"$(results 'map(."rtt-ns" > 0)' "$gid2" port 1 via fcbb:bb00:101:181:102:: "${LONG[@]}")"
}

# Answers that came to h1, also late ones, whether they find their probe or not.
came()
{
	echo $(($(counter h1 rx_drop_endpoint) + $(counter h1 endpoint_responses_received)))
}

came_more()
{
	[ "$(came)" -gt "$1" ]
}

test_time()
{
	local -i before waited
	before=$(came)

	check_equal "no time at all: no answer" "[false]" \
		"$(results 'map(has("rtt-ns"))' "$gid2" port 1 sid "$(lab path h1 h2 1)" limit 1ns)"
	check "no time at all: it comes nevertheless" wait_for came_more "$before"
	check "all is late" lab netem h1:eth1 delay 300ms
	check_equal "more time than usual: an answer" "[true]" \
		"$(results 'map(."rtt-ns" >= 300000000)' "$gid2" port 1 sid "$(lab path h1 h2 1)" "${LONG[@]}")"
	check_equal "a little less time than it takes: none" "[false]" \
		"$(results 'map(has("rtt-ns"))' "$gid2" port 1 sid "$(lab path h1 h2 1)" limit 299.5ms)"
	check "all is as it was" lab netem h1:eth1 off
	waited=$(took "$nobody" port 1 sid "$(lab path h1 h2 1)" limit 1.2s)
	check "nobody answers: it takes as long as was asked for, $waited ms" test "$waited" -ge 1200
}

# refused TEXT WORD...
refused()
{
	check_error "refused: $1" 2 "$1" on h1 mrcctl probe mrc0 raw to "${@:2}"
}

test_refusals()
{
	local sid
	local -a way
	sid=$(lab path h1 h2 1)
	way=(port 1 sid "$sid")

	refused "no plane has this port (raw-ev)" "$gid2" port 9 sid "$sid"
	refused "SID is not a routable unicast address (raw-ev: sid)" "$gid2" port 1 sid ff02::1
	refused "no room for the host's uSID (raw-ev: via)" "$gid2" port 1 via "fcbb:bb00:1:2:3:4:5:6"
	refused "an EV with via needs a route that has a usid (to 2)" "$gid2,fd09::9" port 1 \
		via fcbb:bb00:101:181:102::
	refused "only SRv6 EVs take this attribute (raw-ev: sid)" "$gid2" "${way[@]}" format udp
	refused "the value of a UDP EV is a source port: at most 65535 (raw-ev: value)" "$gid2" port 1 value 65536 format udp
	refused "not a GID that a QP can connect to (to 2)" "$gid2,ff02::1" "${way[@]}"
	refused "more than 64 destinations (to 65)" "$(printf 'fd00::%x,' {1..64})$gid2" "${way[@]}"
	refused "more than 256 probes (count)" "$gid2,$nobody" "${way[@]}" count 129
	refused "not an address of the device (local-gid)" "$gid2" "${way[@]}" local fd09::1
	refused "not a multiple of 4 (size)" "$gid2" "${way[@]}" size 1001
	refused "smaller than the headers of a probe (size)" "$gid2" "${way[@]}" size 116
	refused "larger than the MTU of the plane (size)" "$gid2" "${way[@]}" size 9004
}

# answers WORD...: answers the next probe to a host that does not exist, see probe_answers.py
answers()
{
	background python3 "$SELFTESTS/lib/probe_answers.py" p1t0r1:h1 h1:eth1 "$nobody" "$@" \
		>"$TEST_TMP/answers" 2>&1
	wait_for grep -q ready "$TEST_TMP/answers" || bail "answers" "$(cat "$TEST_TMP/answers")"
}

test_forged()
{
	local -i drops

	answers --ids 255 --stamps 300
	drops=$(counter h1 rx_drop_endpoint)
	check_equal "forged: another id, or the id alone, is no answer" "[false]" \
		"$(results 'map(has("rtt-ns"))' "$nobody" port 1 sid "$(lab path h1 h2 1)" limit 5s)"
	check_equal "forged: all are dropped" 555 $(($(counter h1 rx_drop_endpoint) - drops))
	answers --stamps 1 --good
	check_equal "forged: who sees all of it is believed" "[1]" \
		"$(results 'map(."rx-port")' "$nobody" port 1 sid "$(lab path h1 h2 1)" "${LONG[@]}")"
}

# The other host's own probes and answers do not matter here.
evs()
{
	on h1 mrcctl -j -d peer show mrc0 |
		jq -c 'map(."peer-ev"[] | [.index, .state, .spare, ."changed-ns", .changed])'
}

evs_rest()
{
	local before

	before=$(evs)
	nap 1
	[ "$before" = "$(evs)" ]
}

# Two paths: through a spine that is dead, and through one that is not.
test_evs()
{
	local before

	hold_start -n h1 -g "$gid1" mrc0 -N h2 -G "$gid2" mrc1
	hold_write "with QPs: data flows"
	check "with QPs: nothing is probed by itself" wait_for evs_rest
	before=$(evs)
	check_equal "with QPs: probes that are lost" "[true]" \
		"$(results '[length == 100 and all(.[]; has("rtt-ns") | not)]' "$gid2" port 1 \
			sid fcbb:bb00:101:1ff:: count 100 limit 50ms)"
	check_equal "with QPs: probes that are answered" "[true]" \
		"$(results '[any(.[]; has("rtt-ns"))]' "$gid2" port 1 sid "$(lab path h1 h2 1)" \
			count 20 "${LONG[@]}")"
	check_equal "with QPs: no EV is judged by them" "$before" "$(evs)"
	hold_write "with QPs: data flows on"
	hold_stop
}

# The device goes while probes wait for hosts that do not exist, and others for their turn: the
# requester is told.
test_deleted()
{
	local -i sent
	sent=$(counter h1 endpoint_requests_sent)

	background raw "$nobody" port 1 sid "$(lab path h1 h2 1)" count 100 "${LONG[@]}" \
		>"$TEST_TMP/deleted" 2>/dev/null
	check "deleted: probes are sent" wait_for counter_above h1 endpoint_requests_sent "$sent"
	check "deleted: the device is gone" on h1 rdma link delete mrc0
	wait "$BACKGROUND_PID"
	check_equal "deleted: all probes are told of" "[100,0]" \
		"$(jq -c '.[0].result | [length, (map(select(has("rtt-ns"))) | length)]' \
			"$TEST_TMP/deleted")"
}

test_values()
{
	check "h2 answers whom a route leads to" on h2 mrcctl route add mrc1 "$gid1/128" ev-profile 0
	capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1
	check_equal "STEV: answered" "[true]" \
		"$(results 'map(."rtt-ns" > 0)' "$gid2" port 1 value 0xc0011234 "${LONG[@]}")"
	check_equal "UDP: answered" "[true]" \
		"$(results 'map(."rtt-ns" > 0)' "$gid2" port 2 value 50001 format udp size 80 "${LONG[@]}")"
	capture_stop "values"
	check_wire "values" 4096 good
	check_equal "values: source port and flow label, from their ports" \
		'1 ["p1t0r1:h1",49153,4660]|1 ["p2t0r1:h1",50001,0]' \
		"$(asked '[.if, .udp.sport, .ip.flow]' | paste -sd '|')"
}

need jq python3 mrc_hold
lab_up --planes 2
gid1=$(lab gid h1)
gid2=$(lab gid h2)
nobody=fd00:6d72:63::77
test_wire
test_sizes
test_destinations
test_time
test_refusals
test_forged
test_evs
test_deleted
lab_down

lab_up --plain --planes 2
gid1=$(lab gid h1)
gid2=$(lab gid h2)
test_values
finish
