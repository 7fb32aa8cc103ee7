# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of tests that break paths, behind lib.sh and traffic.sh: the EVs between hosts h1 and h2, and
# whether traffic makes progress. EVs are in the order of their indices.

# ev_values HOST KEY: the values of all EVs towards the other host
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

# check_arrives NAME N HOST...: N more messages arrive at each of these hosts.
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

# lost_ports_are HOST PORTS: the ports that the peer says are down
lost_ports_are()
{
	[ "$(on "$1" mrcctl -j peer show "$(device_of "$1")" |
		jq -r '[range(1; 33)] - .[0]."remote-ports" | join(" ")')" = "$2" ]
}

# ---------------------------------------------------------------- events

# monitor_ready HOST: the monitor prints. A plane that goes and comes makes it print.
monitor_ready()
{
	on "$1" mrcctl plane set "$(device_of "$1")" port 1 down
	on "$1" mrcctl plane set "$(device_of "$1")" port 1 up
	[ -s "$TEST_TMP/monitor.$1" ]
}

# monitor_start HOST: keeps all events from now on for "event". Not to be used under traffic.
monitor_start()
{
	background ip netns exec "$1" mrcctl -j monitor >"$TEST_TMP/monitor.$1" 2>&1
	wait_for monitor_ready "$1" || bail "monitor" "$(cat "$TEST_TMP/monitor.$1")"
}

# events HOST: the number of events so far.
events()
{
	wc -l <"$TEST_TMP/monitor.$1"
}

# event HOST EXPRESSION [AFTER]: an event for which it is true has come, after the first AFTER events.
event()
{
	tail -n +$((${3:-0} + 1)) "$TEST_TMP/monitor.$1" | jq -es "map(select($2)) | length > 0"
}

# ---------------------------------------------------------------- tracepoints

TRACING=/sys/kernel/tracing

# traces EVENT...: traces only these from now on. mrc_window alone is so frequent that others are lost.
traces()
{
	local event

	echo 0 >"$TRACING/events/mrc/enable"
	for event; do
		echo 1 >"$TRACING/events/mrc/$event/enable"
	done
}
