# shellcheck shell=bash disable=SC2034 # variables for those who source this
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of tests of the data path, behind lib.sh: verified traffic between the hosts of a fabric,
# counters, and captures. Host h1 has device mrc0, h2 has mrc1.

# These end a hung run, and measure nothing.
TRAFFIC_STALL=${TRAFFIC_STALL:-$((120 * SLOW))}
WAIT_LIMIT=$((120 * SLOW))
# Retransmission timeout for runs that name none: two seconds. A busy machine may stand still for a
# while, and a test that looks at what was sent must not see retransmissions for that reason.
TRAFFIC_TIMEOUT=19

device_of()
{
	echo "mrc$((${1#h} - 1))"
}

# traffic_launch FROM TO OPTION...: starts both ends, in the background.  Results go to
# $TEST_TMP/client.json and server.json.
traffic_launch()
{
	traffic_programs "ip netns exec $2" "$@"
}

# outside_launch FROM TO OPTION...: the same, but the program for TO lives in the initial
# namespace, so that it does not keep that of its device.
outside_launch()
{
	traffic_programs "" "$@"
}

# traffic_programs SERVER_PREFIX FROM TO OPTION...
traffic_programs()
{
	local from=$2 to=$3 socket=$TEST_TMP/traffic.$RANDOM$RANDOM
	local -a inside
	read -ra inside <<<"$1"
	shift 3

	background "${inside[@]}" mrc_traffic server --socket "$socket" --stall "$TRAFFIC_STALL" \
		--device "$(device_of "$to")" --gid "$(lab gid "$to")" \
		>"$TEST_TMP/server.json" 2>"$TEST_TMP/server.err"
	TRAFFIC_SERVER=$BACKGROUND_PID
	background ip netns exec "$from" mrc_traffic client --socket "$socket" --stall "$TRAFFIC_STALL" \
		--device "$(device_of "$from")" --gid "$(lab gid "$from")" \
		--timeout $TRAFFIC_TIMEOUT "$@" \
		>"$TEST_TMP/client.json" 2>"$TEST_TMP/client.err"
	TRAFFIC_CLIENT=$BACKGROUND_PID
}

# Waits for both ends; fails unless both verified everything.
traffic_end()
{
	local status=0

	wait "$TRAFFIC_CLIENT" || status=1
	wait "$TRAFFIC_SERVER" || status=1
	return $status
}

# Ends traffic that runs without end.
traffic_stop()
{
	kill -TERM "$TRAFFIC_CLIENT" || return 1
	traffic_end
}

traffic_report()
{
	cat "$TEST_TMP"/{client,server}.{json,err}
}

# check_traffic NAME FROM TO OPTION...: a run must go right: each end verifies the bytes that the other
# one sent.
check_traffic()
{
	local name=$1
	shift

	traffic_launch "$@"
	check_traffic_end "$name"
}

# result END KEY: prints a result of the last run.
result()
{
	jq -r ".$2" "$TEST_TMP/$1.json"
}

# check_traffic_end NAME [COMMAND]: the same check for a run in the background.
check_traffic_end()
{
	local bytes

	if ! "${2:-traffic_end}"; then
		fail "$1" "$(traffic_report)"
	elif ! bytes=$(jq -s -e 'if (.[0].bytes_sent == .[1].bytes_verified and
			.[1].bytes_sent == .[0].bytes_verified and
			.[0].messages_sent == .[1].messages_verified)
			then .[0].bytes_verified + .[1].bytes_verified else false end' \
			"$TEST_TMP/client.json" "$TEST_TMP/server.json"); then
		fail "$1" "bytes sent and verified differ" "$(traffic_report)"
	else
		ok "$1: $bytes bytes"
	fi
}

# ---------------------------------------------------------------- counters

# Reads sysfs: a test reads counters often, and rdma and jq take half a second on an emulated machine.
counters_of()
{
	echo "/sys/class/infiniband/$(device_of "$1")/ports/1/hw_counters"
}

# counter HOST NAME
counter()
{
	echo "$(<"/sys/class/infiniband/mrc$((${1#h} - 1))/ports/1/hw_counters/$2")"
}

# counter_above HOST NAME N
counter_above()
{
	[ "$(counter "$1" "$2")" -gt "$3" ]
}

# held_lost HOST: prints how many packets it has held to be lost. A machine that stands still at the
# wrong moment may cause this although they have arrived.
held_lost()
{
	echo $(($(counter "$1" packet_seq_err) + $(counter "$1" local_ack_timeout_err)))
}

# counter_values HOST PATTERN: prints all that match, as lines "NAME VALUE".
counter_values()
{
	local file value

	for file in "$(counters_of "$1")"/*; do
		[[ ${file##*/} =~ $2 ]] || continue
		read -r value <"$file" && echo "${file##*/} $value"
	done
}

# Prints the counters of a host that are not zero and match a pattern, as name=value.
counters()
{
	local name value

	while read -r name value; do
		[ "$value" = 0 ] || printf '%s=%s ' "$name" "$value"
	done < <(counter_values "$@")
}

# What must never be counted where nothing is broken. Late duplicates may find that their payload has
# changed (see mrcwire.py) or that their QP is gone, and so may late answers to probes:
# check_counters_clean allows that.
TROUBLE='^(rx_drop_|rx_icrc|retry_exceeded|rnr_|req_cqe|resp_cqe|req_remote|resp_remote|nak_|out_of_buffer|tx_no_|ring_corrupt)'
# What must never be counted, whatever happens to packets.
QP_ERRORS='^(retry_exceeded|rnr_|req_cqe|resp_cqe|req_remote|resp_remote|nak_|out_of_buffer|ring_corrupt)'

# on_both NAME: prints the sum of a counter over both hosts
on_both()
{
	echo $(($(counter h1 "$1") + $(counter h2 "$1")))
}

# check_counters_clean PATTERN: on both hosts.
check_counters_clean()
{
	local found again='^(retransmitted|probe_sent)'

	found="$(counters h1 "$1") $(counters h2 "$1")"
	if [ -n "$(counters h1 "$again")$(counters h2 "$again")" ]; then
		found=$(sed -E 's/(rx_drop_no_qp|rx_drop_qp_state)=[0-9]+ //g' <<<"$found")
	fi
	# If a packet was sent again, its first copy may come late.
	if [ "$(on_both rx_icrc_encapsulated)" -le "$(on_both retransmitted_packets)" ]; then
		found=$(sed -E 's/rx_icrc_encapsulated=[0-9]+ //g' <<<"$found")
	fi
	# Answers to probes may come late, or after the last QP has gone.
	if [ -n "$(counters h1 '^endpoint_requests_sent')$(counters h2 '^endpoint_requests_sent')" ]; then
		found=$(sed -E 's/rx_drop_endpoint=[0-9]+ //g' <<<"$found")
	fi
	check_equal "counters: no trouble" " " "$found"
}

# plane_stats HOST NAME: prints it for all planes, by port.
plane_stats()
{
	on "$1" mrcctl -j -s plane show "$(device_of "$1")" |
		jq -r "sort_by(.port)[].stats[\"$2\"]" | paste -sd ' '
}

# plane_stat HOST PORT NAME
plane_stat()
{
	on "$1" mrcctl -j -s plane show "$(device_of "$1")" |
		jq ".[] | select(.port == $2) | .stats[\"$3\"]"
}

# plane_state HOST PORT
plane_state()
{
	on "$1" mrcctl -j plane show "$(device_of "$1")" |
		jq -r ".[] | select(.port == $2) | .[\"oper-state\"]"
}

# plane_is HOST PORT STATE
plane_is()
{
	[ "$(plane_state "$1" "$2")" = "$3" ]
}

# plane_sent_more HOST PORT PACKETS: the plane has sent more than PACKETS.
plane_sent_more()
{
	[ "$(plane_stat "$1" "$2" tx-packets)" -gt "$3" ]
}

# plane_sends HOST PORT: the plane sends now, and goes on sending.
plane_sends()
{
	local before

	before=$(plane_stat "$1" "$2" tx-packets)
	wait_for plane_sent_more "$1" "$2" $((before + 50))
}

# set_device SETTING...: on both hosts.
set_device()
{
	on h1 mrcctl device set mrc0 "$@" && on h2 mrcctl device set mrc1 "$@"
}

# steer HOST PEER ID: makes the lab's route to the peer use this CC profile. QPs that already send keep
# theirs.
steer()
{
	local dev ev

	dev=$(device_of "$1")
	ev=$(on "$1" mrcctl -j route get "$dev" "$(lab gid "$2")" | jq '.[0]."ev-profile"') &&
		on "$1" mrcctl route replace "$dev" "$(lab gid "$2")/128" ev-profile "$ev" \
			cc-profile "$3"
}

# fixed_window HOST PEER [BYTES]: a fixed window, of a MiB by default, whatever happens to packets
fixed_window()
{
	on "$1" mrcctl cc-profile add "$(device_of "$1")" 9 algorithm none \
		window "${3:-1048576}" &&
		steer "$1" "$2" 9
}

# switch_received SWITCH IF: prints the number of frames
switch_received()
{
	ip -j -n "$1" -s link show dev "$2" | jq '.[0].stats64.rx.packets'
}

# ---------------------------------------------------------------- captures

wire()
{
	python3 "$SELFTESTS/lib/mrcwire.py" "$@"
}

# capture_start OPTION...: see mrcwire.py; capture_stop ends the capture.
capture_start()
{
	rm -f "$TEST_TMP/capture.ready"
	background python3 "$SELFTESTS/lib/mrcwire.py" capture "$@" \
		-o "$TEST_TMP/capture.pcapng" --ready "$TEST_TMP/capture.ready" \
		>"$TEST_TMP/capture.json" 2>&1
	CAPTURE_PID=$BACKGROUND_PID
	wait_for test -e "$TEST_TMP/capture.ready" ||
		bail "capture" "$(cat "$TEST_TMP/capture.json")"
}

# capture_stop NAME: ends it; no frame may be missed.
capture_stop()
{
	kill -TERM "$CAPTURE_PID"
	if wait "$CAPTURE_PID"; then
		ok "$1: captured $(jq .frames "$TEST_TMP/capture.json") frames"
	else
		fail "$1: captured" "$(cat "$TEST_TMP/capture.json")"
	fi
}

# The port that decoded and check_wire look for, if it is not the usual one.
WIRE_PORT=

# decoded MTU [JQ FILTER]: prints the packets of the last capture.
decoded()
{
	wire decode "$TEST_TMP/capture.pcapng" --mtu "$1" ${WIRE_PORT:+--udp-port "$WIRE_PORT"} |
		jq -c "${2:-.}"
}

# check_wire NAME MTU ICRC: every packet keeps the rules, and its ICRC is as ICRC says. The summary
# stays in $TEST_TMP/summary.json.
check_wire()
{
	if wire summary "$TEST_TMP/capture.pcapng" --mtu "$2" \
		${WIRE_PORT:+--udp-port "$WIRE_PORT"} >"$TEST_TMP/summary.json"; then
		check_equal "$1: every ICRC is $3, reserved bits are zero" "[\"$3\"] 0" \
			"$(summary '"\(.icrc | del(.stale) | keys) \(.reserved)"')"
	else
		fail "$1: decodes" "$(cat "$TEST_TMP/summary.json")"
	fi
}

# summary FILTER: of the last check_wire.
summary()
{
	jq -r "$1" "$TEST_TMP/summary.json"
}
