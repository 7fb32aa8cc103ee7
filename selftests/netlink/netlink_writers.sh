#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two programs change settings, profiles, routes and planes of one device at once, under traffic and
# dumps. Each command takes effect as a whole and undoes nothing that the other program has set, traffic
# goes on, and in the end the device has what was written last.
# cpus: 2
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# The least number of looks at each kind of object.
ROUNDS=20
# EVs of a profile; each contains its writer.
EVS=32

# evs_of WRITER: for a profile
evs_of()
{
	local n

	for ((n = 0; n < EVS; n++)); do
		printf ' ev port %d sid fc00:%d:%x::1' $((1 + n % 2)) "$1" "$n"
	done
}

# commands WRITER: prints one round of them.  Values that belong together are in one command.
commands()
{
	local n=$1

	# A setting of its own, which it also reads.
	if [ "$n" = 1 ]; then
		printf 'device set mrc0 hop-limit %d\ndevice show mrc0\n' 61 62
	else
		printf 'device set mrc0 udp-port 4791 dscp-data %d\ndevice show mrc0\n' 11 12
	fi
	cat <<-LINES
	device set mrc0 burst $((2 * n)) mpr $((64 * n)) sack-bytes $((16384 * n))
	cc-profile set mrc0 7 algorithm none window $((65536 * n))
	ev-profile set mrc0 7$(evs_of "$n")
	route replace mrc0 fd07::/64 ev-profile $((7 + n)) cc-profile $((7 + n))
	plane set mrc0 port 2 down
	device set mrc0 sack-bytes $((16384 * n)) burst $((2 * n)) mpr $((64 * n))
	plane set mrc0 port 2 up
	LINES
}

# writer N: runs its endless rounds for one mrcctl, a child that ends with the writer. Rounds wait in
# the pipe, and mrcctl must not run them after others.
writer()
{
	while cat "$TEST_TMP/commands.$1"; do :; done 2>/dev/null |
		exec mrcctl -n h1 -j -d -b - >"$TEST_TMP/own.$1" 2>"$TEST_TMP/writer.$1"
}

# check_own WRITER KEY VALUES: it read only its own values of the setting that nobody else changes
check_own()
{
	local seen

	# The last line may be incomplete, and the last round half done.
	seen=$(grep -o "\"$2\": *[0-9]*" "$TEST_TMP/own.$1" | sed 's/.*[: ]//' | head -n -1 |
		paste -d ' ' - - | awk 'NF == 2' | sort -u)
	check_equal "writer $1: its own $2 was always what it had set" "$3" "$seen"
}

# look_at KIND: one look, for mrcctl -b
look_at()
{
	case $1 in
	device) echo "device show mrc0" ;;
	cc-profile) echo "cc-profile show mrc0" ;;
	ev-profile) echo "ev show mrc0 ev-profile 7" ;;
	route) echo "route show mrc0" ;;
	esac
}

# writers_of KIND: prints for each look who has written it: 1, 2 or a mixture
writers_of()
{
	case $1 in
	device) jq -r '.[0] | [.burst / 2, .mpr / 64, ."sack-bytes" / 16384] | unique | join(",")' ;;
	cc-profile) jq -r '.[] | select(."cc-profile" == 7)."window-bytes" / 65536' ;;
	ev-profile) jq -r '[.[].sid // .[].encap.srh[0] | split(":")[1]] | unique | join(",")' ;;
	route) jq -r '.[] | select(.prefix == "fd07::") |
			[."ev-profile" - 7, ."cc-profile" - 7] | unique | join(",")' ;;
	esac
}

# shown KIND [LOOKS]: prints a word for each look, one after another by one mrcctl. A dump may give up
# because of the changes; it is then the last one.
shown()
{
	local -i n

	for ((n = 0; n < ${2:-1}; n++)); do
		look_at "$1"
	done | on h1 mrcctl -j -d -b - 2>/dev/null | writers_of "$1" 2>/dev/null
}

# own_written WRITER: it has run its commands more than once.
own_written()
{
	[ "$(grep -c dev-name "$TEST_TMP/own.$1")" -gt 4 ]
}

# check_whole KIND...: each time that it is shown, one writer has written all of it.
check_whole()
{
	local kind found mixed
	local -i tries
	local -a seen

	for kind; do
		seen=() mixed=
		for ((tries = 0; tries < ROUNDS && ${#seen[@]} < ROUNDS; tries++)); do
			for found in $(shown "$kind" $ROUNDS); do
				seen+=("$found")
				[[ $found == [12] ]] || mixed=$found
			done
		done
		check_equal "$kind: whole, each time" "" "$mixed"
		check "$kind: seen as ${seen[*]}" test "${#seen[@]}" -ge $ROUNDS
	done
}

# check_last WRITER: everything is as this writer wrote it.
check_last()
{
	local kind

	check "last writer $1: obeyed" on h1 mrcctl -b "$TEST_TMP/commands.$1"
	for kind in device cc-profile ev-profile route; do
		check_equal "last writer $1: $kind" "$1" "$(shown $kind)"
	done
	check_equal "last writer $1: plane 2 is up" up "$(plane_state h1 2)"
}

prepare()
{
	local n

	echo 'cc-profile add mrc0 7 algorithm none window 65536'
	echo "ev-profile add mrc0 7$(evs_of 1)"
	for n in 1 2; do
		echo "cc-profile add mrc0 $((7 + n)) algorithm none window 65536"
		echo "ev-profile add mrc0 $((7 + n))$(evs_of $n)"
	done
	echo 'route add mrc0 fd07::/64 ev-profile 8 cc-profile 8'
}

need jq mrc_traffic
lab_up --planes 2 --spines 1
prepare | on h1 mrcctl -b - || bail "profiles and a route"
traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100 --rate 100
check_arrives "traffic flows" 100 h1 h2
writers=()
for n in 1 2; do
	commands $n >"$TEST_TMP/commands.$n"
	writer $n &
	writers+=($!)
	at_exit pkill -P $!
	at_exit kill $!
done
for n in 1 2; do
	wait_for own_written $n || bail "writer $n" "$(cat "$TEST_TMP/writer.$n")"
done
check_whole device route ev-profile cc-profile
check_arrives "under changes it goes on" 100 h1 h2
for n in 1 2; do
	check "writer $n was not refused" kill -0 "${writers[n - 1]}"
	pkill -P "${writers[n - 1]}"
	wait "${writers[n - 1]}" 2>/dev/null
	check_equal "writer $n has no complaint" "" "$(cat "$TEST_TMP/writer.$n")"
done
check_own 1 hop-limit "61 62"
check_own 2 dscp-data "11 12"
check_last 2
check_last 1
check_arrives "after the changes it goes on" 100 h1 h2
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
