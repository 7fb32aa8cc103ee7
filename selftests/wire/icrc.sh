#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The ICRC on the wire: right when on, zero when off on both ends. A receiver that checks it takes no
# packet without it.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# check_icrc NAME ICRC OPTION...: checks both directions, between two switches.
check_icrc()
{
	local name=$1 icrc=$2
	shift 2

	capture_start -i p1t1s1:t0r1
	check_traffic "$name" h1 h2 --both --sizes 20000,0,1,4095,64 --iterations 30 \
		--random-offsets --sges 5 "$@"
	capture_stop "$name"
	check_wire "$name" 4096 "$icrc"
	check_equal "$name: writes, SACKs and ACKs were among them" true \
		"$(summary '.writes > 0 and .packets.SACK > 0 and .packets.ACK > 0')"
}

need jq python3
lab_up --planes 1 --spines 1
check_icrc "on" good
check_icrc "on, inline" good --inline 64
check_icrc "on, every verb" good --imm-every 3 --sends-every 2 --reads-every 1
check_equal "on, every verb: was among them" true "$(summary '[.packets[
	"SEND_ONLY_IMM", "SEND_FIRST", "READ", "READ_RESPONSE_FIRST", "READ_RESPONSE_MIDDLE",
	"READ_RESPONSE_LAST", "READ_RESPONSE_ONLY", "FETCH_ADD", "ATOMIC_RESPONSE"] > 0] | all')"
check "burst 1" set_device burst 1
check_icrc "on, burst 1" good
check "burst 8" set_device burst 8
check_counters_clean "$TROUBLE"

check "off on both ends: set" set_device icrc off
check_icrc "off on both ends" zero
check_counters_clean "$TROUBLE"

check "off at the sender only: set" on h2 mrcctl device set mrc1 icrc on
traffic_launch h1 h2 --sizes 1000 --iterations 3 --timeout 10 --retry-cnt 1 \
	--expect-error retry-exceeded
check "off at the sender only: retry exceeded" traffic_end
check_equal "off at the sender only: nothing arrived" 0 "$(result server immediates)"
check "off at the sender only: counted" test "$(counter h2 rx_icrc_encapsulated)" -ge 1
finish
