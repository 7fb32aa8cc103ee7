#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Only some EVs of a plane are in rotation. The others are spares and carry nothing until an EV of their
# own plane dies or is denied. An EV that comes back becomes a spare. When all EVs in rotation are
# silent, spares get their turn.
# timeout: 1800

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# Each EV of a plane takes its own spine: EVs 0 to 3 are plane 1, spines 1 to 4; then plane 2.
SPINES=4

# evs FILTER: filters the list of h1's EVs in their order
evs()
{
	on h1 mrcctl -j -d peer show mrc0 | jq -r ".[0].\"peer-ev\" | sort_by(.index) | $1"
}

# rotation PORT: prints the indices of the EVs in rotation
rotation()
{
	evs "map(select(.port == $1 and (.state | . == \"good\" or . == \"skip\") and
		(.spare | not)).index) | join(\" \")"
}

# used PORT: prints how many EVs have carried data
used()
{
	evs "map(select(.port == $1 and .\"tx-packets\" > 0)) | length"
}

# left PORT: prints how often an EV has left rotation; a machine that stands still causes that, too.
left()
{
	jq -s "map(select(.event == \"peer-ev\" and .port == $1 and
		(.state | . == \"assumed-bad\" or . == \"denied\"))) | length" "$TEST_TMP/monitor.h1"
}

# peer_has KEY VALUE
peer_has()
{
	[ "$(on h1 mrcctl -j peer show mrc0 | jq ".[0].\"$1\"")" = "$2" ]
}

# ev_is INDEX STATE SPARE
ev_is()
{
	[ "$(evs ".[$1] | \"\(.state) \(.spare)\"")" = "$2 $3" ]
}

# rotation_is_new PORT OLD: two EVs are in rotation, and OLD is none of them.
rotation_is_new()
{
	local now

	now=" $(rotation "$1") "
	[ "$(wc -w <<<"$now")" = 2 ] && [[ $now != *" $2 "* ]]
}

# rotation_without PORT EV: EV is not in rotation
rotation_without()
{
	local now

	now=" $(rotation "$1") "
	[[ $now =~ [0-9] && $now != *" $2 "* ]]
}

used_more()
{
	[ "$(used "$1")" -gt "$2" ]
}

# check_spares_idle NAME PORT...: no more spares have carried anything than had to. The order of the
# queries is such that an EV that leaves between them does no harm. If a machine stands still for longer
# than a timeout, spares get their turn.
check_spares_idle()
{
	local name=$1 port used allowed
	shift

	for port; do
		used=$(used "$port")
		allowed=$((2 + $(left "$port") + $(counter h1 local_ack_timeout_err)))
		check "$name: port $port: $used EVs have carried data, $allowed had to" \
			test "$used" -ge 2 -a "$used" -le "$allowed"
	done
}

# idle_for_a_while INDEX: it is a spare, and carries nothing while messages arrive.
idle_for_a_while()
{
	local before messages

	ev_is "$1" good true || return
	before=$(evs ".[$1].\"tx-packets\"")
	messages=$(counter h2 rx_write_requests)
	wait_for counter_above h2 rx_write_requests $((messages + 50)) || return
	[ "$(evs ".[$1].\"tx-packets\"")" = "$before" ]
}

# set_active N: sets how many of h1's eight EVs are in rotation
set_active()
{
	local plane spine
	local -a evs=()

	for plane in 1 2; do
		for ((spine = 1; spine <= SPINES; spine++)); do
			evs+=(ev port "$plane" sid "$(lab path h1 h2 "$plane" "$spine")")
		done
	done
	on h1 mrcctl ev-profile set mrc0 2 format srv6 active "$1" "${evs[@]}"
}

# spine_of INDEX: prints the switch that this EV alone crosses.
spine_of()
{
	echo "p$(($1 / SPINES + 1))t1s$(($1 % SPINES + 1))"
}

# check_replaced NAME PORT INDEX USED: a spare has replaced it, in its plane alone.
check_replaced()
{
	check "$1: port $2 has two others in rotation" wait_for rotation_is_new "$2" "$3"
	check "$1: a spare of port $2 carries data" wait_for used_more "$2" "$4"
	check_arrives "$1: it goes on" 50 h1 h2
	check_spares_idle "$1" 1 2
}

# check_back NAME INDEX: it comes back as a spare, because the rotation is full.
check_back()
{
	check "$1: it is a spare" wait_for ev_is "$2" good true
	check "$1: and carries nothing" wait_for idle_for_a_while "$2"
}

test_idle()
{
	check_arrives "spares" 100 h1 h2
	check "spares: half of all EVs" wait_for peer_has evs-spare 4
	check "spares: the others are good" wait_for peer_has evs-good 4
	check_spares_idle "spares" 1 2
	check "spares: the picture has them" \
		wait_for picture_matches 'port 1 (GGRR|GRGR|GRRG|RGGR|RGRG|RRGG)'
}

picture_matches()
{
	on h1 mrcctl peer show mrc0 | grep -Eq "$1"
}

test_silent_path()
{
	local lost used

	read -r lost _ < <(rotation 1)
	used=$(used 1)
	lab fail switch "$(spine_of "$lost")"
	check "a path of plane 1 dead: it is found" wait_for ev_is "$lost" assumed-bad false
	check_replaced "a path of plane 1 dead" 1 "$lost" "$used"
	lab heal switch "$(spine_of "$lost")"
	check_back "and healed" "$lost"
}

test_denied()
{
	local denied used

	read -r denied _ < <(rotation 2)
	used=$(used 2)
	check "denied: an EV of plane 2" on h1 mrcctl ev deny mrc0 ev-profile 2 index "$denied"
	check_replaced "denied" 2 "$denied" "$used"
	check "denied: allowed" on h1 mrcctl ev allow mrc0 ev-profile 2 index "$denied"
	check_back "allowed" "$denied"
}

# With one EV per plane in rotation, and both dead, nothing arrives by the paths in rotation.
test_all_silent()
{
	local plane ev
	local -a spines=() before=() pids=()

	check "all silent: one EV per plane" set_active 2
	check_arrives "all silent: before" 50 h1 h2
	for plane in 1 2; do
		ev=$(rotation $plane)
		before[plane]=${ev%% *}
		spines+=("$(spine_of "${ev%% *}")")
	done
	for ev in "${spines[@]}"; do
		lab fail switch "$ev" &
		pids+=($!)
	done
	wait "${pids[@]}"
	for plane in 1 2; do
		check "all silent: a spare of plane $plane has come in" \
			wait_for rotation_without "$plane" "${before[plane]}"
	done
	check_arrives "all silent: it goes on" 50 h1 h2
	for ev in "${spines[@]}"; do
		lab heal switch "$ev"
	done
	check "all silent, healed: all are good" wait_for all_good
	check_arrives "all silent, healed: it goes on" 50 h1 h2
}

# The timer finds a loss at the very end that no probe shows.
TRAFFIC_TIMEOUT=18

need jq
lab_up --planes 2 --spines $SPINES
monitor_start h1
check "two EVs of each plane in rotation" set_active 4
traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --imm-every 3 --rate 50
test_idle
test_silent_path
test_denied
test_all_silent
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
