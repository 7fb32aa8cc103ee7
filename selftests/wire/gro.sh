#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packets that come one by one, as from a NIC, reach the module in the aggregates that GRO makes of
# them, with outer headers and without. Without GRO they arrive one by one.
# GRO waits for the next packet for 2 ms, and joins nothing if the machine stands still for longer.
# clock: icount

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# one_by_one: h1 sends no aggregates, and the switches before h2 make none.
one_by_one()
{
	local plane

	for plane in 1 2; do
		on h1 ethtool -K "eth$plane" tx-udp-segmentation off &&
			on "p${plane}t0r2" ethtool -K h2 tso off || return
	done >/dev/null
}

# gro SETTING: sets it at h2. It waits up to 2 ms for the next packet, as with a NIC that has a queue.
gro()
{
	local plane

	for plane in 1 2; do
		on h2 ethtool -K "eth$plane" gro "$1" &&
			on h2 sh -c "echo 2000000 >/sys/class/net/eth$plane/gro_flush_timeout" || return
	done
}

# frames: prints how many packets the IPv6 layer of h2 has received; an aggregate counts as one
frames()
{
	# shellcheck disable=SC2016 # of awk
	on h2 awk '$1 == "Ip6InReceives" { print $2 }' /proc/net/snmp6
}

# check_run NAME SETTING
check_run()
{
	local name="$1, gro $2" packets came

	check "$name: set" gro "$2"
	packets=$(counter h2 rx_packets)
	came=$(frames)
	check_traffic "$name" h1 h2 --sizes 1M,20000,100 --iterations 10 --random-offsets
	packets=$(($(counter h2 rx_packets) - packets))
	came=$(($(frames) - came))
	case $2 in
	on) check "$name: $packets packets come in $came frames" test "$came" -lt $((packets * 3 / 4)) ;;
	off) check "$name: $packets packets come in $came frames" test "$came" -ge "$packets" ;;
	esac
}

# check_fabric NAME OPTION...
check_fabric()
{
	local name=$1
	shift

	# Ports of these switches put bytes on the wire, without skb metadata that would tell GRO of a
	# local tunnel.
	lab_up --planes 2 --spines 1 --switch trim --rate-mbit 10000 --rtt-us 100 "$@"
	check "$name: packets come one by one" one_by_one
	check_run "$name" off
	check_run "$name" on
	check_counters_clean "$TROUBLE"
	lab_down
}

need ethtool
check_fabric SRv6
check_fabric "no SRv6" --plain
finish
