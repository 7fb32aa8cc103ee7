#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A path follows a kernel route with seg6 encapsulation in a table of its own, and still follows it when
# that route changes under traffic.
# timeout: 900
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# route SPINE [PLANE]: in table 100 of h1
route()
{
	ip -n h1 -6 route replace "$gid2/128" table 100 encap seg6 mode encap \
		segs "$(lab path h1 h2 "${2:-1}" "$1")" dev "eth${2:-1}"
}

# spine_gets SPINE: this spine gets packets from now on
spine_gets()
{
	local before

	before=$(switch_received p1t1s"$1" t0r1)
	wait_for spine_got "$1" $((before + 20))
}

spine_got()
{
	[ "$(switch_received p1t1s"$1" t0r1)" -ge "$2" ]
}

# The other spine gets nothing while this one gets packets.
only_spine()
{
	local before

	before=$(switch_received p1t1s$((3 - $1)) t0r1)
	spine_gets "$1" && [ "$(switch_received p1t1s$((3 - $1)) t0r1)" = "$before" ]
}

# Seven timeouts of a second, because for a while there is no route at all.
TRAFFIC_TIMEOUT=20

need jq python3
lab_up --planes 1
gid2=$(lab gid h2)

check "route: spine 1" route 1
check "profile: follows table 100" on h1 mrcctl ev-profile add mrc0 100 format srv6 \
	ev port 1 table 100
check "profile: used" on h1 mrcctl route replace mrc0 "$gid2/128" ev-profile 100

capture_start --direction in -i p1t0r1:h1
check_traffic "spine 1" h1 h2 --sizes 20K,100 --iterations 20
capture_stop "spine 1"
check_wire "spine 1" 4096 good
check_equal "spine 1: path as the route says" '["fcbb:bb00:101:181:102:f002::"]' \
	"$(decoded 4096 'select(.reth != null) | .outer.dst' | jq -s -c unique)"

traffic_launch h1 h2 --iterations 0 --sizes 8K --rate 100
check "under traffic: spine 1" only_spine 1
check "under traffic: route to spine 2" route 2
check "under traffic: spine 2 takes over" spine_gets 2
check "under traffic: spine 2 alone" only_spine 2
ip -n h1 -6 route del "$gid2/128" table 100
check "under traffic: route to spine 1 again, after none" route 1
check "under traffic: spine 1 takes over" spine_gets 1
check_traffic_end "under traffic: verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
