#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Dumps while their objects change: no object that stays is missing or appears twice, and the EVs of a
# profile are those of one version of it.
# timeout: 1800

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

need jq rdma

# Long enough for several of the kernel's answers.
ROUTES=400
EVS=256
FEW=40
ROUNDS=8
TRIES=80

# Routes that stay.
static_routes()
{
	local n

	for ((n = 0; n < ROUTES; n++)); do
		printf 'route add mrc1 fd01:%x::/48 ev-profile 0\n' "$n"
	done
}

# Makes a version of profile 7 with that many EVs: the segments of each EV contain the version.
profile_version()
{
	local command=$1 version=$2 evs=$3 n

	printf 'ev-profile %s mrc1 7' "$command"
	for ((n = 0; n < evs; n++)); do
		printf ' ev port %d segs fc00:%x:%x::1,fc00:%x:%x::2,fc00:%x:%x::3' \
			$((1 + n / 8)) "$version" "$n" "$version" "$n" "$version" "$n"
	done
	echo
}

# Prints endless commands for one mrcctl, until the file ends.
churn_routes()
{
	while :; do
		echo 'route add mrc1 fd00:ffff::/64 ev-profile 0'
		echo 'route add mrc1 fd02::1/128 ev-profile 0'
		echo 'route del mrc1 fd00:ffff::/64'
		echo 'route del mrc1 fd02::1/128'
	done
}

churn_profile()
{
	while :; do
		cat "$TEST_TMP/version1" "$TEST_TMP/version2"
	done
}

# churn FUNCTION: runs its commands in the background
churn()
{
	{ "$1" | on p1 mrcctl -b -; } 2>"$TEST_TMP/churn.err" &
	churn_pid=$!
	at_exit kill "$churn_pid"
}

churn_stop()
{
	check "$1" kill -0 "$churn_pid"
	# The writer ends, and mrcctl reads the end of its input.
	pkill -P "$churn_pid"
	wait "$churn_pid" 2>/dev/null
}

# shown COMMAND: writes the JSON that mrcctl shows to a file. A dump may give up because of the changes,
# and then does not count; if it fails for another reason the rounds end.
shown()
{
	# shellcheck disable=SC2086 # words
	on p1 mrcctl -j $1 >"$TEST_TMP/shown" 2>"$TEST_TMP/err" && return
	grep -q "change too fast to be listed" "$TEST_TMP/err" || found=$(cat "$TEST_TMP/err")
	return 1
}

static_prefixes()
{
	jq -r '.[] | select(.prefix | startswith("fd01:")) | .prefix' | sort
}

test_routes()
{
	local round=0 tries=0 wanted found=same

	static_routes | on p1 mrcctl -b - || bail "routes"
	wanted=$(on p1 mrcctl -j route show mrc1 | static_prefixes)
	check_equal "routes: all there" $ROUTES "$(wc -l <<<"$wanted")"
	churn churn_routes
	while [ $round -lt $ROUNDS ] && [ $tries -lt $TRIES ] && [ "$found" = same ]; do
		tries=$((tries + 1))
		shown "route show mrc1" || continue
		round=$((round + 1))
		[ "$(static_prefixes <"$TEST_TMP/shown")" = "$wanted" ] || found="round $round differs"
	done
	check_equal "routes: those that stay are shown once, $ROUNDS times" "$ROUNDS same" \
		"$round $found"
	churn_stop "routes: changes went on"
}

versions_shown()
{
	jq -r '[.[].encap.srh[0] | split(":")[1]] | unique | join(" ")' "$TEST_TMP/shown"
}

test_evs()
{
	local round=0 tries=0 found=one evs=0

	profile_version set 1 $EVS >"$TEST_TMP/version1"
	profile_version set 2 $FEW >"$TEST_TMP/version2"
	profile_version add 1 $EVS | on p1 mrcctl -b - || bail "profile"
	churn churn_profile
	while [ $round -lt $ROUNDS ] && [ $tries -lt $TRIES ] && [ "$found" = one ]; do
		tries=$((tries + 1))
		shown "ev show mrc1 ev-profile 7" || continue
		round=$((round + 1))
		case $(versions_shown) in
		1) evs=$EVS ;;
		2) evs=$FEW ;;
		*) found="round $round: $(versions_shown)" ;;
		esac
		[ "$(jq -c "[.[].index] == [range($evs)]" "$TEST_TMP/shown")" = true ] ||
			found="round $round: not all EVs"
	done
	check_equal "EVs: of one version, $ROUNDS times" "$ROUNDS one" "$round $found"
	churn_stop "EVs: changes went on"
}

# Dumps in progress do not keep a device: it goes, and the dumps end.
test_device_deleted()
{
	local readers=() reader pid

	for reader in 1 2 3 4; do
		{ while on p1 mrcctl ev show mrc1 ev-profile 7 >/dev/null; do :; done; } \
			2>"$TEST_TMP/reader.$reader" &
		readers+=($!)
	done
	check "device: deleted under dumps" rdma link delete mrc1
	for pid in "${readers[@]}"; do
		wait "$pid"
	done
	for reader in 1 2 3 4; do
		check "device: reader $reader was told why" grep -qx \
			'mrcctl: .*\(no such device\|the device went away\|change too fast to be listed\).*' \
			"$TEST_TMP/reader.$reader"
	done
}

pair_up
test_routes
test_evs
test_device_deleted
finish
