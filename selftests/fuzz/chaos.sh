#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Rounds of a minute: a random fabric, traffic both ways between random hosts, and random faults that
# come and go. lib/chaos.py says how the faults always leave a path in each direction. No QP ends, data
# goes on in each direction, all of it is right, and in the end all EVs are good again. All draws depend
# on one seed: CHAOS_SEED=N in the environment, or else a random one, which is printed. Round k of
# CHAOS_ROUNDS=N takes the seed N + k - 1.
# timeout: 300 * CHAOS_ROUNDS

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# Seconds, and the write packets that must arrive in that time, each way of each pair.
CHAOS_STALL=$((30 * SLOW))
CHAOS_PACKETS=20
# A QP gives up after 4 s without an answer, or later if timeouts have proved too short.
TRAFFIC_TIMEOUT=17
# Seconds until all EVs are good again: probes are at most a second apart, and 24 answers in a row bring
# back an EV that has flapped.
HEALED_LIMIT=$((10 * SLOW))

# ---------------------------------------------------------------- traffic

# in_flow K COMMAND...: runs it with the files and the programs of flow K.
in_flow()
{
	local TEST_TMP=$TEST_TMP/flow$1
	local TRAFFIC_CLIENT=${clients[$1]:-} TRAFFIC_SERVER=${servers[$1]:-}
	local -i k=$1
	shift

	"$@"
}

# flow_launch FROM TO OPTION...: starts and sets this flow's programs.
flow_launch()
{
	traffic_launch "$@"
	clients[k]=$TRAFFIC_CLIENT
	servers[k]=$TRAFFIC_SERVER
}

# launch_flows: starts the flows of the plan
launch_flows()
{
	local from to options
	local -i k=0

	while IFS=$'\t' read -r _ from to options; do
		mkdir -p "$TEST_TMP/flow$k"
		# shellcheck disable=SC2086 # one word per option
		in_flow $k flow_launch "$from" "$to" $options
		ways+=("$from $(lab gid "$to")" "$to $(lab gid "$from")")
		k=$((k + 1))
	done < <(grep '^flow' "$TEST_TMP/plan")
}

# acked HOST GID: prints the number of write packets to a peer that are known to have arrived
acked()
{
	on "$1" mrcctl -j -s peer show "$(device_of "$1")" |
		jq --arg gid "$2" 'map(select(."remote-gid" == $gid).acked) | add // 0'
}

# acked_above N HOST GID
acked_above()
{
	[ "$(acked "$2" "$3")" -gt "$1" ]
}

# flows: waits until new data has arrived each way; fails if it does not in time.
flows()
{
	local way WAIT_LIMIT=$CHAOS_STALL
	local -A before=()

	for way in "${ways[@]}"; do
		# shellcheck disable=SC2086 # host and GID
		before[$way]=$(acked $way)
	done
	for way in "${ways[@]}"; do
		# shellcheck disable=SC2086 # host and GID
		wait_for acked_above $((before[$way] + CHAOS_PACKETS)) $way || return
	done
}

# watch_flows: reports a direction in which nothing has arrived for too long.
watch_flows()
{
	local way now
	local -A seen=() since=()

	while :; do
		for way in "${ways[@]}"; do
			# shellcheck disable=SC2086 # host and GID
			now=$(acked $way)
			if [ "$now" != "${seen[$way]:-}" ]; then
				seen[$way]=$now
				since[$way]=$SECONDS
			elif [ $((SECONDS - since[$way])) -ge $CHAOS_STALL ]; then
				echo "from ${way/ / to }: nothing has arrived for $CHAOS_STALL s" \
					>"$TEST_TMP/stuck"
				return
			fi
		done
		sleep 4
	done
}

# trouble: prints why this round ends early; fails if it does not.
trouble()
{
	local pid

	for pid in "${clients[@]}" "${servers[@]}"; do
		if ! kill -0 "$pid" 2>/dev/null; then
			echo "a program of the traffic has ended"
			return
		fi
	done
	[ -e "$TEST_TMP/stuck" ] && cat "$TEST_TMP/stuck"
}

# ---------------------------------------------------------------- faults

# sleep_until MS
sleep_until()
{
	local -i left

	left=$(($1 - $(now_ms)))
	[ $left -le 0 ] || sleep "$((left / 1000)).$(printf %03d $((left % 1000)))"
}

# states: prints the EV states of all hosts that take part
states()
{
	local host

	for host in "${hosts[@]}"; do
		on "$host" mrcctl -d peer show "$(device_of "$host")"
	done
}

# run_what COMMANDS: runs commands of lab, with semicolons between them: first the first one, then all
# others at once, which are ready by then
run_what()
{
	local status=0
	local -a commands=()

	IFS=';' read -ra commands <<<"$1"
	lab_ready "${commands[@]:1}" || return
	# shellcheck disable=SC2086 # one word per argument
	lab ${commands[0]} || status=1
	[ ${#commands[@]} = 1 ] || lab go || status=1
	return $status
}

# ended_qps: prints the number of ended QPs that the hosts have counted
ended_qps()
{
	local host

	for host in "${hosts[@]}"; do
		counters "$host" "$QP_ERRORS"
	done
}

# run_step WHAT FAULTS: runs a step of the plan; prints what went wrong.
run_step()
{
	local -a why=()

	run_what "$1" || why+=("the command failed")
	if [[ $1 = *\;* ]] && ! flows; then
		why+=("less than $CHAOS_PACKETS packets have arrived in $CHAOS_STALL s")
	fi
	! trouble >"$TEST_TMP/trouble" || why+=("$(cat "$TEST_TMP/trouble")")
	if [ ${#why[@]} -gt 0 ]; then
		fail "$round: traffic goes on" "${why[@]}" "at: $1" "faults: $2" "$(ended_qps)" \
			"$(states)"
		return 1
	fi
}

# run_faults: runs the plan at its times, or later
run_faults()
{
	local at what faults status=0
	local -i began

	began=$(now_ms)
	while IFS=$'\t' read -r _ at what faults; do
		sleep_until $((began + ${at/./}))
		echo "# $(($(now_ms) - began)) ms: $what"
		run_step "$what" "$faults" || status=1
		[ $status = 0 ] || break
	done < <(grep '^at' "$TEST_TMP/plan")
	[ $status = 1 ] || ok "$round: traffic goes on"
	return $status
}

# ---------------------------------------------------------------- the end of a round

# all_hosts_good: each EV of every host is either in use or a spare.
all_hosts_good()
{
	local host

	for host in "${hosts[@]}"; do
		on "$host" mrcctl -j -d peer show "$(device_of "$host")" |
			jq -e '[.[]."peer-ev"[].state] | all(. == "good" or . == "skip")' || return
	done
}

check_healed()
{
	local WAIT_LIMIT=$HEALED_LIMIT

	if wait_for all_hosts_good; then
		ok "$round, healed: all EVs are good again"
	else
		fail "$round, healed: all EVs are good again" "$(states)"
	fi
}

check_verified()
{
	local k

	for k in "${!clients[@]}"; do
		in_flow "$k" check_traffic_end "$round: all of it verified" traffic_stop
	done
	check_equal "$round: no QP has ended" "" "$(ended_qps)"
}

# ---------------------------------------------------------------- rounds

# round_of SEED: one whole round
round_of()
{
	local round="seed $1" options watcher went_on=1
	local -a clients=() servers=() ways=() hosts=()

	python3 "$SELFTESTS/lib/chaos.py" "$1" >"$TEST_TMP/plan" || bail "$round: plan"
	options=$(sed -n 's/^fabric\t//p' "$TEST_TMP/plan")
	grep -v '^at' "$TEST_TMP/plan" | diag
	# shellcheck disable=SC2086 # one word per option
	lab_up $options
	launch_flows
	mapfile -t hosts < <(printf '%s\n' "${ways[@]% *}" | sort -u)
	check "$round: traffic flows" flows
	rm -f "$TEST_TMP/stuck"
	watch_flows &
	watcher=$!
	run_faults || went_on=0
	kill "$watcher" 2>/dev/null
	if [ $went_on = 1 ]; then
		check_healed
		check "$round, healed: it goes on" flows
		check_verified
	else
		kill "${clients[@]}" "${servers[@]}" 2>/dev/null
	fi
	check "$round: nothing is left" lab_down
}

main()
{
	local -i k rounds=${CHAOS_ROUNDS:-1} seed=${CHAOS_SEED:-$((RANDOM << 15 | RANDOM))}

	echo "# CHAOS_SEED=$seed CHAOS_ROUNDS=$rounds"
	for ((k = 0; k < rounds; k++)); do
		round_of $((seed + k))
	done
}

need jq tc python3
modprobe -q sch_netem
main
finish
