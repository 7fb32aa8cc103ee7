#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# EV probes on demand: every path between two hosts is answered, with QPs and without; paths through a
# dead spine are not. A host for which there is neither a route nor a QP gets no answer.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/inject.sh"
. "$SELFTESTS/lib/left.sh"

# Two planes, two spines: EVs 0 and 1 are those of plane 1, by spines 1 and 2.
ALL="0 1 2 3"
SEEN=$TEST_TMP/seen

# probe GID [OPTION]...: from h1
probe()
{
	on h1 mrcctl probe mrc0 remote "$@"
}

# probe_json FILTER [OPTION]...
probe_json()
{
	local filter=$1
	shift

	on h1 mrcctl -j probe mrc0 remote "$gid2" timeout 1000 "$@" | jq -c ".[0] | $filter"
}

# Adds EVs that were answered in one round to SEEN. The answers take other paths, and may be lost or
# late for their own reasons: one answer of many proves that an EV works.
round()
{
	probe_json '.result[] | select(."rtt-ns" > 0) | .index' 2>/dev/null >>"$SEEN"
}

seen()
{
	sort -nu "$SEEN" | paste -sd ' '
}

round_shows()
{
	round
	[ "$(seen)" = "$1" ]
}

# check_answered NAME EVS: exactly these are answered, in as many rounds as needed and five more.
check_answered()
{
	local -i more

	: >"$SEEN"
	wait_for round_shows "$2"
	for ((more = 0; more < 5; more++)); do
		round
	done
	check_equal "$1" "$2" "$(seen)"
}

# ev_is INDEX STATE: this EV towards h2 is in STATE
ev_is()
{
	on h1 mrcctl -j -d peer show mrc0 remote "$gid2" |
		jq -e ".[0].\"peer-ev\"[] | select(.index == $1) | .state == \"$2\""
}

text_shown()
{
	grep -E '^    answered [1-4]/4 rtt min ' <(probe "$gid2" timeout 1000)
}

test_answers()
{
	check_answered "no QP: every EV is answered" "$ALL"
	check "no QP: h2 has answered" test "$(counter h2 endpoint_responses_sent)" -gt 0
	check "no QP: no peer stays at h1" wait_for no_peers h1
	check "no QP: no peer stays at h2" wait_for no_peers h2
	check_equal "the answer: who, from where, by which profile" \
		"[\"$gid2\",\"$gid1\",2]" "$(probe_json '[."remote-gid", ."local-gid", ."ev-profile"]')"
	check_equal "the answer: ports of the EVs" "[1,1,2,2]" "$(probe_json '[.result[].port]')"
	check_equal "the answer: came by a port of ours, or did not come" true \
		"$(probe_json 'all(.result[]; (."rtt-ns" and (."rx-port" | . == 1 or . == 2)) or
			(."rtt-ns" == null and ."rx-port" == null))')"
	check "text: a line per EV, and a sum" wait_for text_shown
}

test_choice()
{
	check_equal "some EVs" "[1,3]" "$(probe_json '[.result[].index]' ev 3 ev 1 ev 3)"
	check "an EV denied" on h1 mrcctl ev deny mrc0 ev-profile 2 index 1
	check_equal "a denied EV is not probed" "[0,2,3]" "$(probe_json '[.result[].index]')"
	check_error "nothing to probe" 2 "no EV to probe" probe "$gid2" ev 1
	check "the EV allowed" on h1 mrcctl ev allow mrc0 ev-profile 2 index 1
	check "a route to nobody" on h1 mrcctl route add mrc0 "$nobody/128" ev-profile 2
	check_error "nobody answers" 2 "no probe was answered" probe "$nobody" \
		timeout 1000
	check_error "no such EV" 2 "the peer has no EV of that index (ev 2)" \
		probe "$gid2" ev 1 ev 77
}

# test_spine NAME
test_spine()
{
	lab fail switch p1t1s1
	check_answered "$1: a dead spine: all other EVs" "1 2 3"
	lab heal switch p1t1s1
	check_answered "$1: healed: every EV" "$ALL"
}

test_peers()
{
	hold_start -n h1 -g "$gid1" mrc0 -N h2 -G "$gid2" mrc1
	hold_write "with QPs: data flows"
	check_answered "with QPs: every EV is answered" "$ALL"
	check_equal "with QPs: the peer is probed, and no other is made" "[true]" \
		"$(on h1 mrcctl -j -s peer show mrc0 | jq -c 'map(.probed >= 4)')"
	test_spine "with QPs"
	check "with QPs: the EV is trusted again" wait_for ev_is 0 good
	check_equal "with QPs: all is well" true "$(hold state alive)"
}

# prober N: probes until the device is gone
prober()
{
	: >"$TEST_TMP/prober.$1"
	until grep -q "no such device" "$TEST_TMP/prober.$1"; do
		probe "$gid2" timeout 1000 >/dev/null 2>>"$TEST_TMP/prober.$1"
	done
}

# ended PID...: all of them have ended
ended()
{
	local pid

	for pid; do
		! kill -0 "$pid" 2>/dev/null || return
	done
}

# The device goes while probes are under way: no command waits for answers that never come.
test_device_deleted()
{
	local -a probers=()
	local -i sent n

	sent=$(counter h1 endpoint_requests_sent)
	for n in 1 2 3 4; do
		prober $n &
		probers+=($!)
	done
	check "deleted: probes are sent" wait_for counter_above h1 endpoint_requests_sent $((sent + 40))
	check "deleted: the device is gone" on h1 rdma link delete mrc0
	check "deleted: all who probed are told" wait_for ended "${probers[@]}"
}

need jq python3 mrc_hold
lab_up --planes 2
gid1=$(lab gid h1)
gid2=$(lab gid h2)
nobody=fd00:6d72:63::77
test_answers
test_choice
test_spine "no QP"
test_peers
verdicts "strangers" inject_plain endpoints
hold_stop
test_device_deleted
finish
