#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An EV that the controller denies carries nothing, whatever happens to the other EVs: no data, no
# retransmission, no answer, no probe. The test looks at the spine that this EV alone crosses.
# timeout: 1800

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# EV 1 of h1: plane 1, spine 2. No other traffic of h1 comes in there.
DENIED=1
SPINE=p1t1s2:t0r1

watch()
{
	capture_start --direction in -i $SPINE "$@"
}

# check_unused NAME: nothing has used it since "watch".
check_unused()
{
	capture_stop "$1"
	: >"$TEST_TMP/decoded"
	[ "$(jq .frames "$TEST_TMP/capture.json")" = 0 ] || decoded 4096 >"$TEST_TMP/decoded"
	check_equal "$1: the denied EV has carried nothing" "" "$(head -n 3 "$TEST_TMP/decoded")"
}

# Checks that the watch works: without this the test would prove nothing.
check_used()
{
	watch --frames 10
	check "$1: the EV is used" wait_for captured
	wait "$CAPTURE_PID"
	decoded 4096 .name >"$TEST_TMP/decoded"
	check "$1: packets of MRC pass the spine" grep -qv ERROR "$TEST_TMP/decoded"
}

captured()
{
	[ -s "$TEST_TMP/capture.json" ]
}

# check_event NAME STATE OLD REASON
check_event()
{
	check "$1: mrcctl monitor says so" wait_for event h1 ".event == \"peer-ev\" and
		.index == $DENIED and .state == \"$2\" and (.\"old-state\" | test(\"^$3\$\")) and
		.reason == \"$4\" and .\"remote-gid\" == \"$(lab gid h2)\""
}

# deny NAME HOST...: HOSTs go on receiving
deny()
{
	local name=$1
	shift

	check "$name: denied" on h1 mrcctl ev deny mrc0 ev-profile 2 index $DENIED
	check "$name: state of the EV" wait_for evs_are h1 "[a-z-]+ denied [a-z-]+ [a-z-]+"
	# Packets that were on their way at that moment.
	check_arrives "$name: denied, it goes on" 20 "$@"
}

allow()
{
	check "$1: allowed" on h1 mrcctl ev allow mrc0 ev-profile 2 index $DENIED
	check "$1: state of the EV" wait_for evs_are h1 "[a-z-]+ (good|skip) [a-z-]+ [a-z-]+"
}

# check_probes NAME: probes all EVs, and the denied one alone
check_probes()
{
	check_equal "$1: probes on demand leave it out" "[0,2,3]" \
		"$(on h1 mrcctl -j probe mrc0 remote "$(lab gid h2)" timeout 1000 |
			jq -c '[.[0].result[].index]')"
	check_error "$1: nor is it probed when asked for" 2 "no EV to probe" \
		on h1 mrcctl probe mrc0 remote "$(lab gid h2)" ev $DENIED
}

# some_die NAME HOST...: losses, then the other EV of the plane dies. Traffic to HOSTs goes on.
some_die()
{
	local name=$1
	shift

	lab netem all loss 2%
	check_arrives "$name: 2 % lost everywhere" 50 "$@"
	lab netem all off
	lab fail switch p1t1s1
	check_arrives "$name: the other EV of the plane dead" 50 "$@"
}

# all_die NAME HOST...: the other plane dies, so that nothing is left; then all comes back.
all_die()
{
	local name=$1
	shift

	lab fail link h1:eth2
	check "$name: all others dead: packets time out" wait_for timed_out "$(timeouts)"
	check "$name: all others dead: it is denied still" evs_are h1 "[a-z-]+ denied [a-z-]+ [a-z-]+"
	lab heal switch p1t1s1
	check_arrives "$name: one other EV is back" 50 "$@"
	lab heal link h1:eth2
	check "$name: all others are good again" wait_for evs_are h1 \
		"(good|skip) denied (good|skip) (good|skip)"
	check_arrives "$name: all others are back" 50 "$@"
}

timeouts()
{
	echo $(($(counter h1 local_ack_timeout_err) + $(counter h2 local_ack_timeout_err)))
}

# timed_out BEFORE: more packets have timed out than BEFORE, by some. A QP that hears nothing has two in
# flight.
timed_out()
{
	[ "$(timeouts)" -gt $(($1 + 4)) ]
}

# set_evs FLOOR DENIED SPINE...: the EVs of each plane go by these spines, in this order; the EV by
# spine DENIED of plane 1 is denied.
set_evs()
{
	local floor=$1 denied=$2 plane spine
	local -a evs=()
	shift 2

	for plane in 1 2; do
		for spine; do
			evs+=(ev port "$plane" sid "$(lab path h1 h2 "$plane" "$spine")")
			[ "$plane,$spine" != "1,$denied" ] || evs+=(denied)
		done
	done
	on h1 mrcctl ev-profile set mrc0 2 format srv6 min-active "$floor" "${evs[@]}"
}

# A profile whose floor is higher than the number of EVs that are not denied.
set_floor()
{
	set_evs 4 2 1 2
}

test_both_ways()
{
	local again

	traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --imm-every 3 --rate 50
	check_arrives "both ways" 50 h1 h2
	check_used "both ways"
	deny "both ways" h1 h2
	check_event "both ways: denied" denied "(good|assumed-bad)" denied
	again=$(counter h1 retransmitted_packets)
	watch
	check_probes "both ways"
	some_die "both ways" h1 h2
	all_die "both ways" h1 h2
	check "floor: a profile with the EV denied, and a floor above what is left" set_floor
	some_die "floor" h1 h2
	lab heal switch p1t1s1
	check "both ways: packets were sent again" \
		test "$(counter h1 retransmitted_packets)" -gt "$again"
	check_unused "both ways"
	allow "both ways"
	check_event "both ways: allowed" good denied allowed
	check_used "both ways, allowed"
	check_traffic_end "both ways: all of it verified" traffic_stop
}

# counted INDEX: prints the packets that were lost on an EV of h1, and those that arrived by it
counted()
{
	local -i n=$1+1

	echo "$(ev_values h1 lost | cut -d ' ' -f $n) $(ev_values h1 acked | cut -d ' ' -f $n)"
}

# check_known NAME INDEX COUNTED: the dead EV is still bad, and no further packets had to be lost to
# learn that.
check_known()
{
	local -a states=('(good|skip)' '(good|skip)' '(good|skip)' '(good|skip)')

	states[$2]=assumed-bad
	check "$1: it is bad still" evs_are h1 "${states[*]}"
	check_arrives "$1: it goes on" 50 h2
	check_equal "$1: what was counted, and nothing more" "$3" "$(counted "$2")"
}

# A path is dead while its profile gets its EVs in another order, and while a plane is added: what is
# known of paths stays.
test_replaced()
{
	local before told

	set_evs 2 none 1 2
	traffic_launch h1 h2 --qps 2 --iterations 0 --sizes 8K --rate 50
	check_arrives "replaced" 50 h2
	lab fail switch p1t1s1
	check "replaced: an EV is dead" wait_for evs_are h1 \
		"assumed-bad (good|skip) (good|skip) (good|skip)"
	check_arrives "replaced: without it" 50 h2
	before=$(counted 0)
	check "replaced: packets were lost on it, and arrived" \
		test "${before% *}" -gt 0 -a "${before#* }" -gt 0
	told=$(events h1)
	check "replaced: by EVs in another order" set_evs 2 none 2 1
	check_known "replaced" 1 "$before"
	check "replaced: who watches is told of the one that stands there now" wait_for event h1 \
		'.event == "peer-ev" and .index == 1 and .state == "assumed-bad"' "$told"
	check "replaced: and of the one that was bad there" wait_for event h1 \
		'.event == "peer-ev" and .index == 0 and .state != "assumed-bad"' "$told"
	ip -n h1 link add spare type dummy
	ip -n h1 link set spare up
	check "replaced: a plane more" on h1 mrcctl plane add mrc0 port 9 netdev spare
	check_known "a plane more" 1 "$before"
	lab heal switch p1t1s1
	check "replaced: it is good again" wait_for evs_are h1 "((good|skip) ?)+"
	check "replaced: who watches is told" wait_for event h1 '.event == "peer-ev" and .index == 1 and
		."old-state" == "assumed-bad" and .state == "good"'
	check_traffic_end "replaced: all of it verified" traffic_stop
	on h1 mrcctl plane del mrc0 port 9
	set_floor
}

# edit VERSION COMMAND [WORD]...: changes an EV of the profile, if that has this version
edit()
{
	local version=$1 command=$2
	shift 2

	on h1 mrcctl ev "$command" mrc0 ev-profile 2 "$@" version "$version"
}

# Single EVs are added and removed: what is known of the others stays, whatever their index is then.
test_edited()
{
	local -i version
	local before

	set_evs 2 none 1 2
	version=$(on h1 mrcctl -j ev-profile show mrc0 2 | jq '.[0].version')
	traffic_launch h1 h2 --qps 2 --iterations 0 --sizes 8K --rate 50
	check_arrives "edited" 50 h2
	lab fail switch p1t1s2
	check "edited: an EV is dead" wait_for evs_are h1 \
		"(good|skip) assumed-bad (good|skip) (good|skip)"
	check_arrives "edited: without it" 50 h2
	before=$(counted 1)
	check "edited: one of the other plane goes" edit $version del index 3
	check "edited: it is bad still" evs_are h1 "(good|skip) assumed-bad (good|skip)"
	check_error "edited: an index of another version" 2 "the object has another version now (version)" \
		edit $version deny index 0
	check "edited: one comes in place of another, by another plane" edit $((version + 1)) \
		replace index 0 port 2 sid "$(lab path h1 h2 2 2)"
	check "edited: and stands there" evs_are h1 "assumed-bad (good|skip) (good|skip)"
	check_arrives "edited: with two by the other plane" 50 h2
	check_equal "edited: what was counted, and nothing more" "$before" "$(counted 0)"
	check "edited: one more" edit $((version + 2)) add port 1 sid "$(lab path h1 h2 1 1)"
	check_known "edited: one more" 0 "$before"
	check_equal "edited: all are there" "4 $((version + 3))" "$(on h1 mrcctl -j ev-profile show mrc0 2 |
		jq -r '.[0] | "\(.count) \(.version)"')"
	lab heal switch p1t1s2
	check "edited: it is good again" wait_for evs_are h1 "((good|skip) ?)+"
	check_traffic_end "edited: all of it verified" traffic_stop
	set_floor
}

# h1 answers, and probes its way back; the EV is denied from the start.
test_answers()
{
	local before

	check "answers: denied" on h1 mrcctl ev deny mrc0 ev-profile 2 index $DENIED
	watch
	traffic_launch h2 h1 --qps 2 --iterations 0 --sizes 8K,100,30K --imm-every 3 --rate 50
	check_arrives "answers" 50 h1
	check "answers: state of the EV" evs_are h1 "[a-z-]+ denied [a-z-]+ [a-z-]+"
	before=$(probed)
	some_die "answers" h1
	all_die "answers" h1
	check "answers: h1 probed its way back" test "$(probed)" -gt "$before"
	check_unused "answers"
	check_traffic_end "answers: all of it verified" traffic_stop
}

# Sends EV probes from h1 on all EVs
probed()
{
	echo $(($(ev_values h1 probed | tr ' ' '+')))
}

# The timer finds a loss at the very end that no probe shows.
TRAFFIC_TIMEOUT=18

need jq python3 tc
modprobe -q sch_netem
lab_up --planes 2
monitor_start h1
test_both_ways
test_replaced
test_edited
test_answers
check_counters_clean "$QP_ERRORS"
finish
