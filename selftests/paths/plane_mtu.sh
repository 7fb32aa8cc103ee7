#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The MTU of planes shrinks under traffic. Below what a packet needs, the plane's EVs are bad, and the
# reason is shown: their packets leave by the other planes, until there is room again. Below what IPv6
# needs, the plane is down, and the peer is told. When no plane has room, QPs live as long as their
# retries last, and new QPs are told the reason.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# mtu VALUE PLANE...: sets it at h1
mtu()
{
	local value=$1 plane
	shift

	for plane; do
		ip -n h1 link set "eth$plane" mtu "$value" || return
	done
}

# Below 1280 the kernel takes IPv6 from a netdev, and all that the lab has configured there with it.
# This restores it.
readdress()
{
	grep -E " dev eth$1( |\$)" /run/mrc-lab/ns/h1 | ip -n h1 -6 -batch -
}

# errors_above PLANE N: more packets than N were refused there.
errors_above()
{
	[ "$(plane_stat h1 "$1" tx-errors)" -gt "$2" ]
}

# plane_evs_are HOST PORT STATE: the EVs that leave by this plane are in STATE
plane_evs_are()
{
	[ "$(on "$1" mrcctl -j -d peer show "$(device_of "$1")" | jq -r --argjson port "$2" \
		'.[0]."peer-ev" | map(select(.port == $port).state) | unique | join(" ")')" = "$3" ]
}

check_small()
{
	local name="plane 1 has an MTU of 1500" before told

	before=$(plane_stat h1 1 tx-errors)
	check "$name: set" mtu 1500 1
	check "$name: packets are refused, and counted" wait_for errors_above 1 "$before"
	check "$name: its EVs are bad" wait_for plane_evs_are h1 1 assumed-bad
	check "$name: the reason is told" wait_for event h1 '.event == "peer-ev" and
		.port == 1 and .reason == "MTU too small"'
	told=$(events h1)
	check_moves "$name: it goes on"
	check_equal "$name: the plane is up all the same" up "$(plane_state h1 1)"
	check_not "$name: small probes do not bring its EVs back" event h1 '.event == "peer-ev" and
		.port == 1 and .state == "good"' "$told"
	check "$name: set back" mtu 9000 1
	check_recovered "$name, and back"
	before=$(plane_stat h1 1 tx-errors)
	check "$name, and back: it carries data" plane_sends h1 1
	check_equal "$name, and back: nothing is refused any more" "$before" \
		"$(plane_stat h1 1 tx-errors)"
}

check_tiny()
{
	local name="plane 2 has an MTU of 1000"

	check "$name: set" mtu 1000 2
	check "$name: it is down" wait_for plane_is h1 2 down
	check "$name: h2 is told" wait_for lost_ports_are h2 2
	check_moves "$name: it goes on"
	check "$name: set back" mtu 9000 2
	check "$name: IPv6 is configured again" readdress 2
	check "$name, and back: it is up" wait_for plane_is h1 2 up
	check "$name, and back: h2 is told" wait_for lost_ports_are h2 ""
	check_recovered "$name, and back"
	check "$name, and back: it carries data" plane_sends h1 2
}

check_none()
{
	local name="no plane has room" dropped

	dropped=$(counter h1 tx_dropped)
	check "$name: for a while" mtu 1500 1 2
	check "$name: packets are refused" wait_for counter_above h1 tx_dropped "$((dropped + 100))"
	check "$name: set back" mtu 9000 1 2
	check_recovered "$name for a while"
}

# A QP for which no plane has room ends, with the reason.
check_end()
{
	local name="no plane has room, for good"

	TRAFFIC_TIMEOUT=14 traffic_launch h1 h2 --iterations 0 --sizes 8K --retry-cnt 2 \
		--expect-error retry-exceeded
	check_arrives "$name: data has come before" 100 h2
	check "$name: set" mtu 1500 1 2
	check "$name: the QP ends with retry exceeded" wait "$TRAFFIC_CLIENT"
	wait "$TRAFFIC_SERVER"
	traffic_launch h1 h2 --iterations 1
	check_not "$name: a new QP is refused" traffic_end
	check "$name: it is told at which step" grep -q 'QP to RTR: Invalid argument' \
		"$TEST_TMP"/{client,server}.{json,err}
	check "$name: and which has room" grep -q \
		"path MTU 4096 is too large for the planes' MTU: use at most 1024" <(dmesg | tail -n 50)
	check_traffic "$name: a smaller path MTU fits" h1 h2 --mtu 1024 --iterations 30 --both
	check "$name: set back" mtu 9000 1 2
	check_traffic "$name, and back: data flows" h1 h2 --iterations 30 --both
}

# The timer finds packets that are lost without a trace: half a second; seven times.
TRAFFIC_TIMEOUT=17
FAULT_MESSAGES=40

need jq
lab_up --planes 2
monitor_start h1
traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --rate 40
check_moves "traffic flows"
check_small
check_tiny
check_none
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
check_end
finish
