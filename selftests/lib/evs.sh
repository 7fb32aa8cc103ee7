# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of tests that break paths, behind lib.sh and traffic.sh: the EVs between hosts h1 and h2, and
# whether traffic makes progress. EVs are in the order of their indices.

# ev_values HOST KEY: of all EVs towards the other one
ev_values()
{
	on "$1" mrcctl -j -d peer show "$(device_of "$1")" |
		jq -r ".[0].\"peer-ev\" | sort_by(.index)[].\"$2\"" | paste -sd ' '
}

# evs_are HOST PATTERN: states, one word each
evs_are()
{
	[[ "$(ev_values "$1" state)" =~ ^$2$ ]]
}

all_good()
{
	evs_are h1 '((good|skip) ?)+' && evs_are h2 '((good|skip) ?)+'
}

# check_arrives NAME N HOST...: N more messages arrive at each of these.
check_arrives()
{
	local name=$1 host
	local -i more=$2
	local -A before=()
	shift 2

	for host; do
		before[$host]=$(counter "$host" rx_write_requests)
	done
	for host; do
		if ! wait_for counter_above "$host" rx_write_requests $((before[$host] + more)); then
			fail "$name" "$host: $(counter "$host" rx_write_requests) messages," \
				"$more more than ${before[$host]} were to come" "$(traffic_report)"
			return
		fi
	done
	ok "$name"
}

# lost_ports_are HOST PORTS: of its peer, as the peer says
lost_ports_are()
{
	[ "$(on "$1" mrcctl -j peer show "$(device_of "$1")" |
		jq -r '[range(1; 33)] - .[0]."remote-ports" | join(" ")')" = "$2" ]
}

# ---------------------------------------------------------------- events

# monitor_ready HOST: it prints. A plane that goes and comes makes it.
monitor_ready()
{
	on "$1" mrcctl plane set "$(device_of "$1")" port 1 down
	on "$1" mrcctl plane set "$(device_of "$1")" port 1 up
	[ -s "$TEST_TMP/monitor.$1" ]
}

# monitor_start HOST: what happens from now on is kept for "event". Not under traffic.
monitor_start()
{
	background ip netns exec "$1" mrcctl -j monitor >"$TEST_TMP/monitor.$1" 2>&1
	wait_for monitor_ready "$1" || bail "monitor" "$(cat "$TEST_TMP/monitor.$1")"
}

# events HOST: how many there were.
events()
{
	wc -l <"$TEST_TMP/monitor.$1"
}

# event HOST EXPRESSION [AFTER]: one of which it is true has happened, after so many others.
event()
{
	tail -n +$((${3:-0} + 1)) "$TEST_TMP/monitor.$1" | jq -es "map(select($2)) | length > 0"
}

# ---------------------------------------------------------------- tracepoints

TRACING=/sys/kernel/tracing

# traces EVENT...: from now on only these; mrc_window alone is too many to keep the others.
traces()
{
	local event

	echo 0 >"$TRACING/events/mrc/enable"
	for event; do
		echo 1 >"$TRACING/events/mrc/$event/enable"
	done
}
