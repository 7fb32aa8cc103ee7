#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Planes whose netdevs do not segment, aggregate or checksum: first one plane, then all. The stack does
# it for them, so all data arrives. A plane without offload sends one packet a frame, with complete
# checksums.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# features SETTING PLANE...: sets features with ethtool -K on both hosts. Features that depend on one go
# and come with it: without checksums there is neither scatter-gather nor segmentation.
features()
{
	local setting=$1 host plane
	shift

	for host in h1 h2; do
		for plane; do
			# shellcheck disable=SC2086 # words
			on $host ethtool -K "eth$plane" $setting >/dev/null || return
		done
	done
}

# seen PLANE: prints for frames from h1 the most packets of a frame, and their checksums.
seen()
{
	jq -s -r --arg if "p${1}t0r1:h1" 'map(select(.if == $if)) |
		"\([.[].segments] | max) \([.[].udp.sum] | unique | join(","))"' \
		"$TEST_TMP/decoded"
}

# check_seen NAME PLANE KIND: frames are whole, or split with checksums that say whether the netdev
# would still complete them.  A single packet has no checksum.
check_seen()
{
	local most sums

	read -r most sums < <(seen "$2")
	case $3 in
	aggregates) check_equal "$1: plane $2 carries aggregates of $most" "none,partial yes" \
		"$sums $([ "$most" -ge 2 ] && echo yes)" ;;
	split) check_equal "$1: plane $2, packets in a frame, checksums" "1 none,partial" \
		"$most $sums" ;;
	complete) check_equal "$1: plane $2, packets in a frame, checksums" "1 good,none" \
		"$most $sums" ;;
	esac
}

# check_run NAME KIND_OF_PLANE_1 KIND_OF_PLANE_2
check_run()
{
	capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1
	check_traffic "$1" h1 h2 --both --sizes 128K,100,20000 --iterations 10 --random-offsets \
		--sges 3
	capture_stop "$1"
	check_wire "$1" 4096 good
	decoded 4096 >"$TEST_TMP/decoded"
	check_seen "$1" 1 "$2"
	check_seen "$1" 2 "$3"
}

# check_offload OFF ON KIND: runs with a feature off
check_offload()
{
	check "$1 on plane 1: set" features "$1" 1
	check_run "$1 on plane 1" "$3" aggregates
	check "$1 on all planes: set" features "$1" 1 2
	check_run "$1 on all planes" "$3" "$3"
	check "$2: set" features "$2" 1 2
}

need jq python3 ethtool
lab_up --planes 2 --spines 1
check_run "as they come" aggregates aggregates
check_offload "tx-udp-segmentation off" "tx-udp-segmentation on" split
check_offload "tx off" "tx on sg on tso on gso on" complete
# With only "gso" off the stack still leaves frames to a netdev that can split them itself. With
# "gro" on the receiver makes no aggregates of packets that were none.
for setting in "gso off" "gro on" "gso on" "gro off"; do
	check "$setting: set" features "$setting" 1 2
	check_run "$setting" aggregates aggregates
done
check "everything off: set" features "tx off gso off gro off sg off" 1 2
check_run "everything off" complete complete
check_counters_clean "$TROUBLE"
lab_down

# Here a socket takes the packets, and the stack drops those whose checksum is wrong.
lab_up --planes 2 --spines 1 --plain
check "no SRv6, tx off: set" features "tx off" 1 2
check_run "no SRv6, tx off" complete complete
check_counters_clean "$TROUBLE"
finish
