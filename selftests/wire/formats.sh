#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Formats of EV profiles, as they are on the wire: STEV and UDP values, segment lists
# in a routing header, and a last hop that decapsulates by itself (End.DT6).
# timeout: 900
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# use_profile HOST TO ID ARGUMENTS...: uses it for everything that HOST sends to TO.
use_profile()
{
	local host=$1 to=$2 id=$3 dev
	shift 3

	dev=$(device_of "$host")
	on "$host" mrcctl ev-profile add "$dev" "$id" "$@" &&
		on "$host" mrcctl route replace "$dev" "$(lab gid "$to")/128" ev-profile "$id"
}

# check_capture NAME OPTION...: traffic with a capture at h1's switches.
check_capture()
{
	local name=$1
	shift

	capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1
	check_traffic "$name" h1 h2 --sizes 20K,100 --iterations 20 "$@"
	capture_stop "$name"
	check_wire "$name" 4096 good
}

# Source port and flow label of the writes, with the port by which they left.
values()
{
	decoded 4096 'select(.reth != null) | "\(.if) \(.udp.sport) \(.ip.flow)"' |
		sort -u | tr -d '"' | paste -sd ,
}

check_stev()
{
	# The halves of a value: source port, flow label.
	check "STEV: profile" use_profile h1 h2 71 format stev \
		ev port 1 value 0xc0011234 ev port 1 value 0xc0020000 ev port 2 value 0xffff0001
	check_capture "STEV"
	check_equal "STEV: the values are on the wire" \
		"p1t0r1:h1 49153 4660,p1t0r1:h1 49154 0,p2t0r1:h1 65535 1" "$(values)"
}

check_udp()
{
	check "UDP: profile" use_profile h1 h2 72 format udp \
		ev port 1 value 50001 ev port 2 value 50002
	check_capture "UDP"
	check_equal "UDP: the source ports are on the wire" "p1t0r1:h1 50001,p2t0r1:h1 50002" \
		"$(values | sed -E 's/ [0-9]+(,|$)/\1/g')"
}

# The path as single segments. $1 spine, $2 last segment
segments()
{
	echo "fcbb:bb00:101::,fcbb:bb00:18$1::,fcbb:bb00:102::,$2"
}

# The full list through spine 1; the reduced list, without its first segment, through spine 2.
check_segment_lists()
{
	local sid
	sid=$(lab sid h2)

	check "segment lists: profile" use_profile h1 h2 73 format srv6 \
		ev port 1 segs "$(segments 1 "$sid")" ev port 1 segs "$(segments 2 "$sid")" reduced
	capture_start -i p1t0r1:h1 -i h2:eth1 --direction in
	check_traffic "segment lists" h1 h2 --sizes 20K,100 --iterations 20
	capture_stop "segment lists"
	check_wire "segment lists" 4096 good
	decoded 4096 'select(.if == "p1t0r1:h1" and .reth != null) |
		[.outer.dst, .srh.left, .srh.segments]' | sort -u >"$TEST_TMP/sent"
	printf '%s\n' \
		"[\"fcbb:bb00:101::\",3,[\"$sid\",\"fcbb:bb00:102::\",\"fcbb:bb00:181::\",\"fcbb:bb00:101::\"]]" \
		"[\"fcbb:bb00:101::\",3,[\"$sid\",\"fcbb:bb00:102::\",\"fcbb:bb00:182::\"]]" \
		>"$TEST_TMP/wanted"
	check_equal "segment lists: routing headers as sent" "$(cat "$TEST_TMP/wanted")" \
		"$(cat "$TEST_TMP/sent")"
	check_equal "segment lists: none left at h2" "[[\"$sid\",0]]" \
		"$(decoded 4096 'select(.if == "h2:eth1" and .reth != null) |
			[.outer.dst, .srh.left]' | jq -s -c unique)"
}

# planes_mtu VALUE: sets it on both planes of h1
planes_mtu()
{
	ip -n h1 link set eth1 mtu "$1" && ip -n h1 link set eth2 mtu "$1"
}

# Planes with room for a full packet, but not for one with a segment list.
check_room()
{
	local name="segment lists: a path MTU of 4096 that they leave no room for"

	check "$name: MTU of the planes" planes_mtu $((40 + 40 + 8 + 40 + 4096 + 4))
	check_equal "$name: the port has room" 4096 \
		"$(on h1 ibv_devinfo -d mrc0 | awk '$1 == "active_mtu:" { print $2 }')"
	traffic_launch h1 h2 --iterations 1 --mtu 4096
	check_not "$name: refused" traffic_end
	check "$name: at RTR" grep -q 'QP to RTR: Invalid argument' "$TEST_TMP"/{client,server}.{json,err}
	check "$name: and the kernel says what has room" grep -q \
		"path MTU 4096 is too large for the planes' MTU: use at most 2048" <(dmesg | tail -n 50)
	check_traffic "$name: that has room" h1 h2 --iterations 10 --mtu 2048
	check "$name: MTU set back" planes_mtu 9000
	check_traffic "$name, and back" h1 h2 --iterations 10 --mtu 4096
}

# The kernel of h2 decapsulates packets for another SID of its own.
check_end_dt6()
{
	local plane neighbour

	for plane in 1 2; do
		neighbour=$(ip -j -n p${plane}t0r2 -6 neigh show dev h2 nud permanent | jq -r '.[0].dst')
		ip -n p${plane}t0r2 -6 route replace fcbb:bb00:e002::/48 via "$neighbour" dev h2
	done
	ip -n h2 -6 route replace fcbb:bb00:e002::/48 encap seg6local action End.DT6 table 255 dev mrc
	check "End.DT6: profile" use_profile h1 h2 74 format srv6 \
		ev port 1 sid fcbb:bb00:101:181:102:e002:: ev port 2 sid fcbb:bb00:201:282:202:e002::
	check_capture "End.DT6" --both
	check_equal "End.DT6: took those paths" \
		"fcbb:bb00:101:181:102:e002:: fcbb:bb00:201:282:202:e002::" \
		"$(decoded 4096 'select(.reth != null) | .outer.dst' | sort -u | tr -d '"' | paste -sd ' ')"
}

need jq python3
lab_up --plain --planes 2
check_stev
check_udp
check_counters_clean "$TROUBLE"
lab_down

lab_up --planes 2
check_segment_lists
check_room
check_end_dt6
check_counters_clean "$TROUBLE"
finish
