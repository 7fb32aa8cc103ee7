# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of tests of hosts that mrcd configures, behind lib.sh: its file, its daemon, and the state of
# both.

# For each host, the daemon that was started last.
declare -A daemon=()

# file_of HOST
file_of()
{
	echo "$TEST_TMP/$1.toml"
}

# start HOST [COMMAND...]: starts its daemon, by COMMAND; keeps what the daemon prints
start()
{
	local host=$1
	shift

	background ip netns exec "$host" "$@" mrcd -f "$(file_of "$host")" 2>>"$TEST_TMP/$host.log"
	# shellcheck disable=SC2034 # for who sources this
	daemon[$host]=$BACKGROUND_PID
}

# plan_of HOST OPTION...: prints what mrcd still has to do
plan_of()
{
	local host=$1
	shift

	on "$host" mrcd --plan "$@" "$(file_of "$host")"
}

# planned HOST: mrcd has nothing left to do
planned()
{
	[ "$(plan_of "$1" -j)" = "[]" ]
}

says()
{
	grep -qF -- "$2" "$TEST_TMP/$1.log"
}

# last_words HOST: prints the output of its daemon, and the answer to a request to it now
last_words()
{
	on "$1" mrcd --reload 2>&1
	echo "status $?, daemon ${daemon[$1]}:"
	cat "/proc/${daemon[$1]}/task/"*/stack
	tail -n 20 "$TEST_TMP/$1.log"
} 2>&1

# device_json HOST OBJECT FILTER
device_json()
{
	on "$1" mrcctl -j "$2" show "$(device_of "$1")" | jq -c "$3"
}

# denied_evs HOST NUMBER: that many EVs are denied, in all profiles together
denied_evs()
{
	[ "$(device_json "$1" ev-profile '[.[] | .denied] | add')" = "$2" ]
}
