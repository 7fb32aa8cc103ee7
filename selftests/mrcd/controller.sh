#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The controller of examples/, which knows nothing but mrc_ctl.h, looks after one host of a fabric. It
# makes profiles, finds the base RTT, denies what dies under traffic and allows it again. The next
# controller continues from what it left. Meanwhile another controller, and mrcd, are kept away.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/mrcd.sh"

ID=77

# The output of all controllers, one after the other.
words=$TEST_TMP/controller

controller()
{
	on h1 mrc_controller mrc0 $ID "$(lab gid h2)" "${ways[@]}"
}

controller_start()
{
	background ip netns exec h1 mrc_controller mrc0 $ID "$(lab gid h2)" "${ways[@]}" >>"$words" 2>&1
	CONTROLLER=$BACKGROUND_PID
}

controller_stop()
{
	kill -TERM "$CONTROLLER" && wait "$CONTROLLER"
}

# said N TEXT: at least N lines begin with TEXT
said()
{
	[ "$(grep -c "^$2" "$words")" -ge "$1" ]
}

profile()
{
	on h1 mrcctl -j "$1" show mrc0 $ID | jq -c ".[0] | $2"
}

# denied: prints the ports of denied EVs
denied()
{
	on h1 mrcctl -j ev show mrc0 ev-profile $ID | jq -c '[.[] | select(.denied) | .port]'
}

denied_are()
{
	[ "$(denied)" = "$1" ]
}

test_set_up()
{
	controller_start
	check "it says the base RTT" wait_for said 1 "base rtt"
	check_equal "an EV profile of all ways, its own" '["explicit",4,"mrc-ctl"]' \
		"$(profile ev-profile '[.mode, .count, .owner]')"
	check_equal "a CC profile with that base RTT" \
		"[\"nscc\",\"mrc-ctl\",$(sed -n 's/^base rtt \([0-9]*\) ns/\1/p' "$words")]" \
		"$(profile cc-profile '[.algorithm, .owner, ."base-rtt-ns"]')"
	check_equal "nothing is denied" "[]" "$(denied)"
}

profiles()
{
	on h1 mrcctl -j ev-profile show mrc0 | jq -c '[.[]."ev-profile"]'
}

test_others()
{
	local before

	before=$(profiles)
	check_equal "another controller is kept away" \
		"controller: CC profile: Device or resource busy" "$(controller 2>&1)"
	lab file h1 >"$(file_of h1)" || bail "file"
	start h1
	check "so is mrcd" wait_for says h1 "another controller has the device"
	check_equal "which changes nothing" "$before" "$(profiles)"
	kill -TERM "${daemon[h1]}" && wait "${daemon[h1]}"
}

# A switch dies under traffic: it drops what comes, and no link goes down.
test_fault()
{
	traffic_launch h1 h2 --iterations 0 --sizes 64K
	wait_for counter_above h1 tx_packets 1000 || bail "traffic" "$(traffic_report)"
	check "a switch dies" lab fail switch p1t1s1
	check "its way is denied" wait_for said 1 "way 1 port 1 .*: denied"
	check "the kernel has it so" wait_for denied_are "[1]"
	check "it is back" lab heal switch p1t1s1
	check "the way is allowed" wait_for said 1 "way 1 port 1 answers: allowed"
	check "the kernel has it so, too" wait_for denied_are "[]"
}

test_next_one()
{
	check "a switch dies" lab fail switch p2t1s2
	check "its way is denied, too" wait_for said 1 "way 4 port 2 .*: denied"
	check "the controller ends" controller_stop
	check_equal "what it has denied stays" "[2]" "$(denied)"
	controller_start
	check "the next one goes on" wait_for said 2 "base rtt"
	check "the switch is back" lab heal switch p2t1s2
	check "it knows what the first one has denied" wait_for said 1 "way 4 port 2 answers: allowed"
	check_equal "and nothing is denied" "[]" "$(denied)"
	check "it ends, too" controller_stop
	check_traffic_end "all is verified" traffic_stop
}

need mrc_controller mrcctl mrcd jq
lab_up --planes 2 --spines 2
ways=()
for plane in 1 2; do
	for spine in 1 2; do
		ways+=("$plane=$(lab path h1 h2 $plane $spine)")
	done
done
test_set_up
check "QPs take both profiles" on h1 mrcctl route replace mrc0 "$(lab gid h2)" ev-profile $ID \
	cc-profile $ID
test_others
test_fault
test_next_one
diag <"$words"
finish
