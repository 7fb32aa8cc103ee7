#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# One path lives, but both ends hold it to be dead: it was dead, and came back at the moment at which
# all others died. Traffic goes on by it, in a fabric of one plane, in the last plane of four, and over
# plain ECMP. QPs with the fewest retries that programs ask for live through it. Then everything is
# healed, and all EVs are good again soon, also those that have flapped.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# Seconds until all EVs are good again: probes are at most a second apart, and 24 answers in a row bring
# back an EV that has flapped. That takes less than ten on an idle machine. The clock of an emulated
# machine on a busy host runs faster than the machine works.
HEALED_LIMIT=$((20 * SLOW))

# switches VERB PLANE SPINE...: for all of these spines
switches()
{
	local verb=$1 plane=$2 spine
	shift 2

	for spine; do
		lab "$verb" switch "p${plane}t1s$spine"
	done
}

# exchange PLANE LIVE SPINE...: the dead spine LIVE comes back, and the others die, within a few
# milliseconds. There may be no path at all in that time; no retries run out.
exchange()
{
	local plane=$1 live=$2
	shift 2

	if ! { lab_ready "heal switch p${plane}t1s$live" \
		"${@/#/"fail switch p${plane}t1s"}" && lab go; }; then
		fail "exchanged"
	fi
}

# check_healed NAME: all EVs of both hosts are good again, in time.
check_healed()
{
	local WAIT_LIMIT=$HEALED_LIMIT

	check "$1, healed: all EVs are good again" wait_for all_good
}

# both_evs_are PATTERN: at both hosts
both_evs_are()
{
	evs_are h1 "$1" && evs_are h2 "$1"
}

# check_last NAME PLANE LIVE SPINES FOUND...: LIVE is dead until both hosts know it, which FOUND tells,
# and then it is all that lives of PLANE.
check_last()
{
	local name=$1 plane=$2 live=$3
	local -a spines
	read -ra spines <<<"$4"
	shift 4

	switches fail "$plane" "$live"
	check "$name: what is dead is found" wait_for "$@"
	exchange "$plane" "$live" "${spines[@]}"
	check_moves "$name: it goes on"
	switches heal "$plane" "${spines[@]}"
}

# check_last_healed NAME ...: the same, where nothing else is broken
check_last_healed()
{
	check_last "$@"
	check_healed "$1"
}

# flap TIMES: a spine dies and comes back, soon after its EV has.
flap()
{
	local -i n

	for ((n = 0; n < $1; n++)); do
		switches fail 1 3
		sleep 1
		switches heal 1 3
		sleep 1
	done
}

test_one_plane()
{
	traffic_launch h1 h2 --both --iterations 0 --mtu 1024 --qps 4 --sizes 4K,20K --rate 20
	check_moves "one plane: traffic flows"
	check_last_healed "one plane, the last spine" 1 3 "1 2" both_evs_are "$ok $ok $bad"
	# This fault loses probes, too.
	lab netem link p1t0r1:t1s1 loss 1%
	check_last_healed "one plane, the first spine, which loses 1 %" 1 1 "2 3" \
		both_evs_are "$bad $ok $ok"
	lab netem link p1t0r1:t1s1 off
	flap 6
	check_last_healed "one plane, a spine that has flapped" 1 3 "1 2" \
		both_evs_are "$ok $ok $bad"
	check_traffic_end "one plane: all of it verified" traffic_stop
}

# one_is_held HOST: one EV is held, of three EVs of which two are dead
one_is_held()
{
	[ "$(ev_values "$1" state | tr ' ' '\n' | sort | paste -sd ' ')" = "$bad $bad held" ]
}

# The remaining path loses a fifth of its packets. It stays in use, and is not shown as good.
test_held()
{
	local host

	traffic_launch h1 h2 --both --iterations 0 --mtu 1024 --sizes 4K,20K --rate 20
	check_moves "held: traffic flows"
	switches fail 1 1 2
	lab netem link p1t0r1:t1s3 loss 20%
	for host in h1 h2; do
		check "held: one EV is, at $host" wait_for one_is_held $host
	done
	check_moves "held: it goes on"
	lab netem link p1t0r1:t1s3 off
	switches heal 1 1 2
	check_healed "held"
	check_traffic_end "held: all of it verified" traffic_stop
}

# A QP ends after half a second without an answer, long before probes, which by then are a second apart,
# have brought back an EV. A slow kernel takes that long for the exchange alone: there it is two
# seconds.
test_retries()
{
	traffic_launch h1 h2 --both --iterations 0 --mtu 1024 --qps 2 --sizes 4K,20K --rate 20 \
		--timeout $((SLOW > 1 ? 16 : 14)) --retry-cnt 7
	check_moves "few retries: traffic flows"
	check_last_healed "few retries" 1 2 "1 3" both_evs_are "$ok $bad $ok"
	check_traffic_end "few retries: all of it verified" traffic_stop
}

# low_floor HOST OTHER: one EV to OTHER stays usable, not one of four: in a single plane that would be
# all.
low_floor()
{
	local host=$1 other=$2 plane spine dev
	local -a evs=()

	dev=$(device_of "$host")
	for plane in 1 2 3 4; do
		for spine in 1 2; do
			evs+=(ev port "$plane" sid "$(lab path "$host" "$other" "$plane" "$spine")")
		done
	done
	on "$host" mrcctl ev-profile add "$dev" 90 format srv6 min-active 1 "${evs[@]}" &&
		on "$host" mrcctl route replace "$dev" "$(lab gid "$other")/128" ev-profile 90
}

test_last_plane()
{
	check "last plane: profile of h1" low_floor h1 h2
	check "last plane: profile of h2" low_floor h2 h1
	traffic_launch h1 h2 --both --iterations 0 --qps 4 --sizes 4K,20K --rate 20
	check_moves "last plane: traffic flows"
	# A link is cut, one is set down at the other end, and one dies in silence.
	lab fail link h1:eth1
	on h2 mrcctl plane set mrc1 port 2 down
	lab fail switch p3t0r1
	check_last "last plane" 4 2 1 both_evs_are "$any $any $any $any $bad $bad $ok $bad"
	lab heal link h1:eth1
	on h2 mrcctl plane set mrc1 port 2 up
	lab heal switch p3t0r1
	check_healed "last plane"
	check_moves "last plane, healed: it goes on"
	check_traffic_end "last plane: all of it verified" traffic_stop
}

# bad_evs: prints their numbers at h1 and at h2
bad_evs()
{
	local host

	for host in h1 h2; do
		ev_values "$host" state | grep -o "$bad" | wc -l
	done
}

# ecmp_found: prints the EVs that the T0s send by one spine, of 128 at either host. The kernel chooses
# them; they are about 43, and soon no more.
ecmp_found()
{
	local before

	before=$(bad_evs)
	sleep 1
	awk '$1 < 25 { exit 1 }' <<<"$before" && [ "$(bad_evs)" = "$before" ]
}

test_ecmp()
{
	traffic_launch h1 h2 --both --iterations 0 --mtu 1024 --qps 4 --sizes 4K,20K --rate 20
	check_moves "ECMP: traffic flows"
	check_last_healed "ECMP" 1 3 "1 2" ecmp_found
	check_traffic_end "ECMP: all of it verified" traffic_stop
}

# A QP ends after 15 s without an answer.
TRAFFIC_TIMEOUT=19
# Traffic that is stuck must be noticed before that.
WAIT_LIMIT=$((40 * SLOW))
FAULT_MESSAGES=50

need jq tc
modprobe -q sch_netem
lab_up --planes 1 --spines 3 --mtu 1500
test_one_plane
test_retries
test_held
check_counters_clean "$QP_ERRORS"
lab_down

lab_up --planes 4
test_last_plane
check_counters_clean "$QP_ERRORS"
lab_down

lab_up --plain --planes 1 --spines 3 --mtu 1500
test_ecmp
check_counters_clean "$QP_ERRORS"
finish
