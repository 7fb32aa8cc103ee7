# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of tests in which programs and devices go, behind lib.sh and traffic.sh: what is left behind.

no_device()
{
	! rdma dev show "$1"
}

no_peers()
{
	[ "$(on "$1" mrcctl -j peer show "$(device_of "$1")")" = "[]" ]
}

# no_qps HOST: programs have no QPs there. QP 1 is the RDMA subsystem's.
no_qps()
{
	[ "$(rdma -j resource show qp link "$(device_of "$1")" |
		jq -s '[.[][] | select(.type == "RC")] | length')" = 0 ]
}

# silent HOST: it sends nothing for a second.
silent()
{
	local before

	before=$(counter "$1" tx_packets)
	sleep 1
	[ "$(counter "$1" tx_packets)" = "$before" ]
}

# A timer of the module is armed.
timers()
{
	grep -q ', mrc_.*\[mrc\]' /proc/timer_list
}

no_timers()
{
	! timers
}

# check_nothing_left NAME HOST...: no QP and no peer is left, and nothing goes on sending.
check_nothing_left()
{
	local name=$1 host
	shift

	for host; do
		check "$name: $host has no QP left" wait_for no_qps "$host"
		check "$name: $host has no peer left" wait_for no_peers "$host"
		check "$name: $host sends nothing any more" wait_for silent "$host"
	done
}
