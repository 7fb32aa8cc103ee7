#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# One EV profile for all hosts behind a switch: its EVs end at the switch, and the route to each host
# gives the uSID of the last hop. A change of it reaches existing QPs, but takes no path away.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

PROFILE=70

# to_rack FROM TO PLANE: prints the path without the last uSID, which is the host's.
to_rack()
{
	sed -E 's/:[0-9a-f]+::$/::/' <<<"$(lab path "$1" "$2" "$3")"
}

# usid_of HOST: prints it as in its SID
usid_of()
{
	echo "0x$(sed -E 's/.*:([0-9a-f]+)::$/\1/' <<<"$(lab sid "$1")")"
}

# profile_towards FROM TO: makes a profile for the rack of TO
profile_towards()
{
	on "$1" mrcctl ev-profile add "$(device_of "$1")" "$PROFILE" format srv6 \
		ev port 1 via "$(to_rack "$1" "$2" 1)" ev port 2 via "$(to_rack "$1" "$2" 2)"
}

# route_to FROM TO USID
route_to()
{
	on "$1" mrcctl route replace "$(device_of "$1")" "$(lab gid "$2")/128" \
		ev-profile "$PROFILE" usid "$3"
}

# the_route: shows that from h1 to h3
the_route()
{
	on h1 mrcctl -j route get mrc0 "$(lab gid h3)" | jq '.[0].usid'
}

# the_peer KEY: prints it for h1's peer h3
the_peer()
{
	on h1 mrcctl -j peer show mrc0 remote "$(lab gid h3)" | jq -r ".[0].\"$1\""
}

# QPs with a profile of whole paths ignore the uSID of the route to their peer.
test_whole_paths()
{
	traffic_launch h1 h3 --iterations 0 --sizes 20K --rate 50
	check_arrives "whole paths: traffic flows" 50 h3
	check "whole paths: a profile for the rack" profile_towards h1 h3
	check "whole paths: a route to it" route_to h1 h3 "$(usid_of h3)"
	check_arrives "whole paths: it goes on" 50 h3
	check_equal "whole paths: no uSID" null "$(the_peer usid)"
	check_traffic_end "whole paths: all of it verified" traffic_stop
}

test_rack()
{
	local host

	for host in h3 h4; do
		check "a route to $host" route_to h1 $host "$(usid_of $host)"
		traffic_launch h1 $host --iterations 0 --sizes 100,64K --rate 50
		check_arrives "h1 to $host" 50 $host
		check_equal "h1 to $host: by the profile of the rack" "$PROFILE" \
			"$(on h1 mrcctl -j peer show mrc0 remote "$(lab gid $host)" | jq '.[0]."ev-profile"')"
		check_traffic_end "h1 to $host: all of it verified" traffic_stop
	done
	check_equal "the route says so" "$(($(usid_of h3)))" "$(the_route)"
}

test_change()
{
	traffic_launch h1 h3 --iterations 0 --sizes 20K --rate 50
	check_arrives "traffic flows" 50 h3
	check_equal "the peer says where paths go on to" "$(($(usid_of h3)))" "$(the_peer usid)"
	check "a wrong uSID" route_to h1 h3 0xfff
	check "nothing arrives any more" wait_for stands_still
	check_equal "the peer says that" 4095 "$(the_peer usid)"
	check "the right one" route_to h1 h3 "$(usid_of h3)"
	check_arrives "it goes on" 50 h3
	check "a shorter prefix, which is not asked" on h1 mrcctl route add mrc0 fd00::/8 \
		ev-profile "$PROFILE" usid 0xfff
	check "that one goes" on h1 mrcctl route del mrc0 fd00::/8
	check "none at all" on h1 mrcctl route del mrc0 "$(lab gid h3)/128"
	check_arrives "it goes on without a route" 50 h3
	check "another profile for the route" on h1 mrcctl route add mrc0 "$(lab gid h3)/128" \
		ev-profile 0
	check_arrives "it goes on" 50 h3
	check_traffic_end "all of it verified" traffic_stop
}

# More than the longest time that a sender waits before it sends again without an arrived message
stands_still()
{
	local before

	before=$(counter h3 rx_write_requests)
	sleep 5
	[ "$(counter h3 rx_write_requests)" = "$before" ]
}

test_errors()
{
	check_error "no room" 2 "no room for the host's uSID (ev 1: via)" \
		on h1 mrcctl ev-profile add mrc0 71 ev port 1 via fcbb:bb00:1:2:3:4:5:6
	check_error "a hole" 2 "no room for the host's uSID (ev 1: via)" \
		on h1 mrcctl ev-profile add mrc0 71 ev port 1 via fcbb:bb00:1::6:0
	check_error "an EV has one path" 1 "unknown keyword 'sid'" \
		on h1 mrcctl ev-profile add mrc0 71 ev port 1 via fcbb:bb00:1:: sid fcbb:bb00:1::
	check_error "no uSID" 2 "EVs of this EV profile end at a switch: usid is missing" \
		on h1 mrcctl route add mrc0 fd09::1/128 ev-profile "$PROFILE"
	check_equal "no uSID: no route" 0 \
		"$(on h1 mrcctl -j route show mrc0 | jq '[.[] | select(.prefix == "fd09::1")] | length')"
	check_error "0 is no uSID" 1 "usid must be 1 to 65535" \
		on h1 mrcctl route add mrc0 fd09::1/128 ev-profile "$PROFILE" usid 0
}

need jq
lab_up --planes 2 --spines 1 --hosts-per-rack 2
test_whole_paths
test_rack
test_change
test_errors
finish
