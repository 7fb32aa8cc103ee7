#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcctl: each object set up, shown as text and JSON, and removed again; its JSON is as the
# schemas in Documentation/json say.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/hold.sh"

need jq python3 rdma mrc_hold

# m ARGUMENT...: runs mrcctl inside p1, with its own option
m()
{
	mrcctl -n p1 "$@"
}

# keep OBJECT [COMMAND]: keeps the output in $TEST_TMP/json for test_schemas
keep()
{
	local schema=$1

	[ "$1 ${2:-}" != "route get" ] || schema=route-get
	outputs+=1
	cp "$TEST_TMP/json" "$TEST_TMP/json.$outputs"
	echo "$schema $TEST_TMP/json.$outputs" >>"$TEST_TMP/outputs"
}

# shows NAME JQ-EXPRESSION ARGUMENT...: it is true of the JSON that mrcctl prints for the arguments
shows()
{
	local name=$1 expression=$2
	shift 2

	m -j -s -d "$@" >"$TEST_TMP/json"
	keep "$@"
	check "$name" jq -e "$expression" "$TEST_TMP/json"
}

test_device()
{
	check "device: settings" m device set mrc1 burst 4 icrc off udp-port 4795 hop-limit 9 \
		dscp-data 1 dscp-rtx 2 dscp-control 3 mpr 16 sack-bytes 0x1000 tunnel-source fd00::7
	shows "device: they hold" '.[0] | .burst == 4 and .icrc == false and ."udp-port" == 4795
		and ."hop-limit" == 9 and ."dscp-data" == 1 and ."dscp-rtx" == 2
		and ."dscp-control" == 3 and .mpr == 16 and ."sack-bytes" == 4096
		and ."tunnel-source" == "fd00::7"' device show mrc1
	shows "device: counters" '.[0].counter | has("tx_packets") and has("rx_drop_no_qp")' device
	check "device: text" grep -q '^mrc1 ifname veth ' <(m device show mrc1)
	check "device: abbreviated" m dev set mrc1 icrc on bu 8 udp-port 4791 tunnel-source :: \
		hop-limit 64 mpr 8
	shows "device: only what was named" '.[0] | .burst == 8 and .icrc and ."dscp-data" == 1' device
}

test_plane()
{
	ip -n p1 link add spare type dummy
	ip -n p1 link set spare up
	check "plane: on a port" m plane add mrc1 port 7 netdev spare
	shows "plane: up" '.[] | select(.port == 7) | .ifname == "spare" and ."admin-state" == "up"
		and ."oper-state" == "up" and .stats."tx-packets" == 0' plane show mrc1
	check "plane: down" m plane set mrc1 port 7 down
	shows "plane: not usable" '.[0]."ports-up" | index(7) == null' device show mrc1
	check "plane: up" m plane set mrc1 port 0x7 up
	shows "plane: usable" '.[0]."ports-up" | index(7) != null' device show mrc1
	ip -n p1 link set spare down
	check "plane: follows its netdev" grep -q 'port 7 .*oper-state down' <(m plane show mrc1)
	ip -n p1 link set spare up
	check "plane: deleted" m plane del mrc1 port 7
	check "plane: without a port" m plane add mrc1 netdev spare
	shows "plane: the lowest free one" '[.[].port] == [1, 2]' plane
	ip -n p1 link del spare
	shows "plane: leaves with its netdev" '[.[].port] == [1]' plane
}

test_profiles()
{
	check "ev-profile: of all kinds" m ev-profile add mrc1 7 min-active 2 active 3 \
		ev port 2 sid fcbb:1:: ev port 1 segs fc00::1,fc00::2,fc00::3 \
		ev port 1 table 100 denied ev port 3 segs fc00::9 reduced
	shows "ev-profile: summary" '.[0] | ."ev-profile" == 7 and .format == "srv6" and .mode == "explicit"
		and .count == 4 and ."min-active" == 2 and .active == 3 and .denied == 1' ev-profile show mrc1 7
	shows "ev: sorted by port" '[.[].port] == [1, 1, 2, 3] and [.[].index] == [0, 1, 2, 3]' \
		ev show mrc1 ev-profile 7
	shows "ev: as given" '.[0].encap.srh == ["fc00::1", "fc00::2", "fc00::3"]
		and .[1].table == 100 and .[2].sid == "fcbb:1::" and .[3].encap.srh == ["fc00::9"]
		and .[3].encap.reduced and [.[].denied] == [false, true, false, false]' ev show mrc1
	# shellcheck disable=SC2046 # words, as they are
	check "ev: what is shown can be given back" \
		m ev-profile set mrc1 7 $(m ev show mrc1 ev-profile 7 | sed 's/.* \(port .*\)/ev \1/')
	shows "ev: and is the same" '.[0].encap.srh[2] == "fc00::3" and .[3].encap.reduced
		and .[1].denied' ev show mrc1
	check "ev: denied" m ev deny mrc1 ev-profile 7 index 3
	check "ev: readmitted" m ev allow mrc1 ev-profile 7 index 1
	shows "ev: so it is" '[.[].denied] == [false, false, false, true]' ev show mrc1 ev-profile 7
	check "ev: added" m ev add mrc1 ev-profile 7 port 2 sid fcbb:2:: version 1
	check "ev: replaced" m ev replace mrc1 ev-profile 7 index 0 port 1 table 101
	check "ev: deleted" m ev del mrc1 ev-profile 7 index 4
	shows "ev: they are" '[.[] | .table // .sid] == [101, 100, "fcbb:1::", "fcbb:2::"]
		and [.[].version] == [4, 4, 4, 4] and [.[].denied] == [false, false, false, false]' \
		ev show mrc1 ev-profile 7
	check "ev-profile: auto" m ev-profile add mrc1 0xffffffffffffffff mode auto count 64
	shows "ev-profile: all" '[.[] | .mode] == ["auto", "explicit", "auto"]' ev-profile
	check "ev-profile: UDP" m ev-profile set mrc1 18446744073709551615 format udp \
		ev port 1 value 50000
	shows "ev-profile: of another format" '.[-1] | .format == "udp" and .count == 1' ev-profile
	check "cc-profile: added" m cc-profile add mrc1 3 algorithm none window 65536
	check "cc-profile: replaced" m cc-profile set mrc1 3 algorithm none window 131072
	check "cc-profile: with an alias" m cc-profile set mrc1 3 algorithm none window 131072 alias wide
	shows "cc-profile: by its alias" '.[0] | ."cc-profile" == 3 and .alias == "wide"' \
		cc-profile show mrc1 wide
	shows "cc-profile: shown" '[.[] | .algorithm, ."window-bytes"] ==
		["nscc", null, "none", 131072]' cc-profile show mrc1
}

test_nscc()
{
	check "nscc: all settings" m cc-profile add mrc1 4 algorithm nscc rate 100gbit base-rtt 12us \
		target-delay 9500ns max-cwnd 1048576 adjust-bytes 32768 adjust-period 1500us eta 625 \
		"fi" 20800 fi-scale 2.25 gamma 0.75 max-md-jump 0 qa-gate 0 qa-threshold 1s \
		quick-adapt off trimming on ecn absent scope qp alias steered owner 16
	shows "nscc: as given" '.[0] | .algorithm == "nscc" and ."rate-bytes-per-second" == 12500000000
		and ."base-rtt-ns" == 12000 and ."target-delay-ns" == 9500 and ."max-cwnd-bytes" == 1048576
		and ."adjust-bytes" == 32768 and ."adjust-period-ns" == 1500000 and ."eta-bytes" == 625
		and ."fi-bytes" == 20800 and ."fi-scale" == 2.25 and .gamma == 0.75 and ."max-md-jump" == 0
		and ."qa-gate" == 0 and ."qa-threshold-ns" == 1000000000 and ."quick-adapt" == false
		and .trimming and .ecn == "absent" and .scope == "qp" and .alias == "steered"
		and .owner == "16" and (has("window-bytes") | not)' cc-profile show mrc1 4
	shows "nscc: what follows" '.[0].derived | ."bdp-bytes" == 150000 and ."fi-bytes" == 20800
		and ."max-cwnd-bytes" == 1048576 and .alpha > 0' cc-profile show mrc1 4
	# shellcheck disable=SC2046 # words, as they are
	check "nscc: what is shown can be given back" m cc-profile add mrc1 5 \
		$(m -d cc-profile show mrc1 4 | sed -n 's/.* \(algorithm .*\) owner 16$/\1/p')
	check_equal "nscc: and is the same" \
		"$(m -j cc-profile show mrc1 4 | jq -S '.[0] | del(."cc-profile", .alias, .owner)')" \
		"$(m -j cc-profile show mrc1 5 | jq -S '.[0] | del(."cc-profile", .alias, .owner)')"
	check "nscc: replaced" m cc-profile set mrc1 4 algorithm nscc gamma 0.5
	shows "nscc: as a whole, but for its owner" '.[0] | .gamma == 0.5 and ."quick-adapt" and .owner == "16"
		and .ecn == "present" and .scope == "peer" and ."qa-gate" == 3 and ."max-md-jump" == 0.5
		and ([has("alias", "rate-bytes-per-second", "base-rtt-ns", "eta-bytes", "derived")] | any | not)' \
		cc-profile show mrc1 4
	check "nscc: with the rate of its links" m cc-profile set mrc1 4 algorithm nscc base-rtt 10us
	shows "nscc: which follows, and is not set" '.[0] | .derived."rate-bytes-per-second" == 1250000000
		and (has("rate-bytes-per-second") | not)' cc-profile show mrc1 4
	ip -n p1 link add slow type dummy
	check "nscc: one more link" m plane add mrc1 netdev slow
	shows "nscc: both together" '.[0].derived."rate-bytes-per-second" == 2500000000' \
		cc-profile show mrc1 4
	ip -n p1 link del slow
	check "nscc: another algorithm" m cc-profile set mrc1 4 algorithm none window 65536
	shows "nscc: no setting is left" '.[0] | keys == ["algorithm", "cc-profile", "dev-index",
		"dev-name", "owner", "window-bytes"]' cc-profile show mrc1 4
	check "nscc: deleted" m cc-profile del mrc1 4
	check "nscc: deleted, too" m cc-profile del mrc1 5
}

test_routes()
{
	check "route: added" m route add mrc1 fd01::/64 ev-profile 7 cc-profile 3
	check "route: a longer one" m route add mrc1 fd01::2 ev-profile 0
	shows "route: longest first" '[.[]."prefix-len"] == [128, 64]' route show mrc1
	shows "route: looked up" '.[0] | .prefix == "fd01::" and ."ev-profile" == 7' \
		route get mrc1 fd01::3
	check "route: by default" grep -q 'by default ev-profile 0' <(m route get mrc1 fd02::1)
	check "route: replaced" m route replace mrc1 fd01::/64 ev-profile 0
	shows "route: so it is" '.[1] | ."ev-profile" == 0 and ."cc-profile" == 0' route
	check "route: deleted" m route del mrc1 fd01::2/128
	check "route: deleted too" m route del mrc1 fd01::/64
	shows "route: none left" '. == []' route
}

# A profile goes when no route names it and no QP uses it.
test_in_use()
{
	check "in use: a profile" m ev-profile add mrc1 9 alias used mode auto count 8
	shows "in use: it has an alias" '.[0] | ."ev-profile" == 9 and .alias == "used"' \
		ev-profile show mrc1 used
	check "in use: a route" m route add mrc1 "$(pair_addr 2)" ev-profile used
	hold_start -n p1 mrc1 -N p2 mrc2
	hold_write "in use"
	check_error "in use: by a route" 2 "a route uses this EV profile (id)" m ev-profile del mrc1 used
	check "in use: no route any more" m route del mrc1 "$(pair_addr 2)"
	check_error "in use: by QPs" 2 "QPs use this EV profile (id)" m ev-profile del mrc1 used
	hold_write "in use: they go on"
	check "in use: a QP fails" hold "error 0" state
	check "in use: not by one in error" m ev-profile del mrc1 used
	check "in use: another one of that number" m ev-profile add mrc1 9 alias other mode auto count 4
	shows "in use: then the peer has its EVs" '.[0] | ."ev-profile" == 9 and .evs == 4' peer show mrc1
	hold_stop
	check "in use: by nobody" m ev-profile del mrc1 other
}

test_traffic()
{
	hold_start -n p1 mrc1 -N p2 mrc2
	hold_write "traffic"
	shows "qp: connected" '.[] | select(.state == "rts") | ."remote-gid" == "'"$(pair_addr 2)"'"
		and .pid > 0 and ."tx-packets" > 0 and ."memory-bytes" > 0 and ."psn-nxt" >= 0
		and ."ev-profile" == 0' qp show mrc1
	shows "qp: by number" 'length == 1' qp show mrc1 \
		qpn "$(m -j qp show mrc1 | jq '.[0].qpn')"
	shows "peer: EVs" '.[0] | ."remote-gid" == "'"$(pair_addr 2)"'" and ."evs-good" > 0
		and .evs == (."peer-ev" | length) and ."tx-packets" == ([."peer-ev"[]."tx-packets"] | add)
		and ."tx-packets" > 0' peer show mrc1
	shows "peer: one" 'length == 1' peer show mrc1 remote "$(pair_addr 2)"
	shows "peer: none" '. == []' peer show mrc1 remote fd09::9
	shows "plane: counts" '.[0].stats | ."tx-packets" > 0 and ."rx-packets" > 0' plane show mrc1
	shows "device: counts" '.[0] | .qps > 0 and .counter.tx_packets > 0' device show mrc1
}

# completes WORD... -- WANTED: the candidates for completing the last of these words
completes()
{
	local words=() found

	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	# shellcheck disable=SC2016 # for the shell inside
	found=$(on p1 bash -c '. "$1"; shift; COMP_WORDS=(mrcctl "$@"); COMP_CWORD=$#; _mrcctl
		printf "%s\n" "${COMPREPLY[@]}"' - "$TOP/userspace/mrcctl/completion/bash-completion/completions/mrcctl" \
		"${words[@]}" 2>&1 | sort -u | paste -sd ' ')
	check_equal "completion: ${words[*]}" "$2" "$found"
}

# Existing objects, as long as they exist.
test_completion()
{
	m ev-profile add mrc1 4711 mode auto count 4
	completes plane show "" -- mrc1
	completes plane set mrc1 port "" -- 1
	completes ev-profile show mrc1 47 -- 4711
	completes peer show mrc1 remote "" -- "$(pair_addr 2)"
	m ev-profile del mrc1 4711
	completes ev-profile show mrc1 47 -- ""
}

test_batch()
{
	cat >"$TEST_TMP/batch" <<-BATCH
	# a set-up
	ev-profile add mrc1 70 mode auto count 16
	route add mrc1 fd07::/16 ev-profile 70   # and a route

	BATCH
	check "batch: from a file" m -b "$TEST_TMP/batch"
	shows "batch: done" '.[0]."ev-profile" == 70' route
	check "batch: from standard input" \
		m -b - <<<$'route del mrc1 fd07::/16\nev-profile del mrc1 70'
	check "batch: once more" m -b "$TEST_TMP/batch"
	check_error "batch: stops where it fails" 2 "batch:2: ev-profile add: EV profile exists (id)" \
		m -b "$TEST_TMP/batch"
}

# With and without options; includes what no other test here looks at.
test_schemas()
{
	local object

	for object in device plane ev-profile ev cc-profile route peer qp feature health daemon; do
		m -j "$object" >"$TEST_TMP/json"
		keep "$object"
	done
	m -j top interval 0.1 count 2 >"$TEST_TMP/json"
	keep top
	m -j probe mrc1 remote "$(pair_addr 2)" timeout 1000 >"$TEST_TMP/json"
	keep probe
	m -j probe mrc1 raw to "$(pair_addr 2)" port 1 value 1 limit 1s >"$TEST_TMP/json"
	keep probe-raw
	background mrcctl -n p1 -j monitor >"$TEST_TMP/json"
	wait_for monitor_tells || bail "monitor"
	kill -TERM "$BACKGROUND_PID"
	wait "$BACKGROUND_PID"
	keep monitor
	check "JSON: as its schemas say" python3 "$TOP/userspace/mrcctl/tests/schema_test.py" \
		"$TOP/Documentation/json" - <"$TEST_TMP/outputs"
}

monitor_tells()
{
	m plane set mrc1 port 1 down
	m plane set mrc1 port 1 up
	[ "$(wc -l <"$TEST_TMP/json")" -ge 2 ]
}

declare -i outputs=0
pair_up
test_device
test_plane
test_profiles
test_nscc
test_routes
test_in_use
test_traffic
test_schemas
test_completion
test_batch
finish
