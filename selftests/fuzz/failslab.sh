#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Memory runs out, one allocation after another. Each allocation that the module makes to create a
# device, to configure it, and to register, create and connect fails once, and each time the program
# gets the error, or the call works without it. (Allocations that other code makes for the module,
# deeper down, are not tested: a device has hundreds of those.) While data flows, allocations fail at
# random, and all data arrives. At the end of the file kmemleak finds what is left behind.
# kernels: debug
# timeout: 1800

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/hold.sh"

DEBUG=/sys/kernel/debug
KINDS=(failslab fail_page_alloc)
# The most allocations that any of these makes: ends a loop that would otherwise not end.
MOST=300
# The module is at most this many calls away from the allocator, itself included: some are in between.
DEPTH=10

# inject FILE VALUE: for both kinds of allocators
inject()
{
	local kind

	for kind in "${KINDS[@]}"; do
		echo "$2" >"$DEBUG/$kind/$1" || return
	done
}

# arm: only allocations with the module's code on the stack fail, and only when asked to.
arm()
{
	local first last

	read -r first last < <(awk '$NF == "[mrc]" && tolower($2) == "t" { print $1 }' \
		/proc/kallsyms | sort | sed -n '1p;$p' | paste -sd ' ')
	[ -n "$last" ] || return
	inject probability 0 && inject times 100000 && inject interval 1 && inject verbose 0 &&
		inject task-filter N && inject ignore-gfp-wait N && inject stacktrace-depth "$DEPTH" &&
		inject require-start "0x$first" && inject require-end "0x$last" &&
		echo 0 >"$DEBUG/fail_page_alloc/min-order" &&
		echo N >"$DEBUG/fail_page_alloc/ignore-gfp-highmem"
}

# left: prints how many more may fail. The kernel's log mentions only those that are no secret.
left()
{
	echo $(($(<"$DEBUG/failslab/times") + $(<"$DEBUG/fail_page_alloc/times")))
}

# failing N COMMAND...: the command's Nth allocation in the module fails. The number stays with a
# process that executes another program, and is not inherited.
failing()
{
	# shellcheck disable=SC2016 # for the shell that becomes the command
	bash -c 'echo "$0" >/proc/self/fail-nth && exec "$@"' "$@"
}

# check_each NAME UNDO COMMAND...: each allocation fails once. Then the command reports that there was
# no memory, in words or by its number, or works; then UNDO works.
check_each()
{
	local name=$1 undo=$2 found='' status
	local -i n before refused=0
	shift 2

	for ((n = 1; n <= MOST; n++)); do
		before=$(left)
		status=0
		failing $n "$@" >"$TEST_TMP/failing.log" 2>&1 || status=$?
		[ "$(left)" -lt $before ] || break
		if grep -qiE 'cannot allocate memory|ENOMEM|Which is: 12$' "$TEST_TMP/failing.log"; then
			refused+=1
		elif [ $status = 0 ]; then
			$undo || found="allocation $n: $undo"
		else
			found="allocation $n: status $status, $(grep -v '^\[' "$TEST_TMP/failing.log")"
		fi
		[ -z "$found" ] || break
	done
	check_equal "$name: $((n - 1)) allocations, $refused times refused" "" "$found"
	check "$name: some were made, and an end was seen" test $n -gt 1 -a $n -le $MOST
	$undo >/dev/null 2>&1
	check "$name: works when there is memory" "$@"
	$undo
}

test_configuration()
{
	check_each "device" "rdma link delete mrc3" ip netns exec p1 rdma link add mrc3 type mrc \
		netdev spare
	check_each "plane" "mrcctl -n p1 plane del mrc1 port 5" mrcctl -n p1 plane add mrc1 port 5 \
		netdev spare
	check_each "EV profile" "mrcctl -n p1 ev-profile del mrc1 7" \
		mrcctl -n p1 ev-profile add mrc1 7 ev port 1 sid fc00::1 ev port 1 sid fc00::2
	check_each "CC profile" "mrcctl -n p1 cc-profile del mrc1 7" \
		mrcctl -n p1 cc-profile add mrc1 7 algorithm none window 65536
	check_each "route" "mrcctl -n p1 route del mrc1 fd00:7::/64" \
		mrcctl -n p1 route add mrc1 fd00:7::/64 ev-profile 0
}

# evs_are JSON: the EVs towards p2, as pairs of EV bits and whether they are denied
evs_are()
{
	[ "$(on p1 mrcctl -j -d peer show mrc1 remote "$(pair_addr 2)" |
		jq -c '.[0]."peer-ev" | map([.value, .state == "denied"])')" = "$1" ]
}

# evs_command add|set VALUE...: makes COMMAND, which gives the peer's profile these EVs
evs_command()
{
	local value

	COMMAND=(mrcctl -n p1 ev-profile "$1" mrc1 9 format stev)
	shift
	for value; do
		COMMAND+=(ev port 1 value "$value")
	done
}

# EVs of the new list are denied as that list says, not as the old EV with the same index. What failed
# without memory is there a second later.
renewed()
{
	local -a COMMAND

	on p1 mrcctl ev deny mrc1 ev-profile 9 index 1 &&
		wait_for evs_are "[[$((0xc0010003)),false],[$((0xc0010001)),true],[$((0xc0010002)),false]]" ||
		return
	evs_command set 0xc0010001 0xc0010002
	"${COMMAND[@]}" && wait_for evs_are "[[$((0xc0010001)),false],[$((0xc0010002)),false]]"
}

test_peers()
{
	local -a COMMAND

	evs_command add 0xc0010001 0xc0010002
	check "an EV profile" "${COMMAND[@]}"
	check "a peer" on p1 mrcctl route add mrc1 "$(pair_addr 2)/128" ev-profile 9
	hold_start -n p1 mrc1 -N p2 mrc2
	evs_command set 0xc0010003 0xc0010001 0xc0010002
	check_each "EVs of a peer" renewed "${COMMAND[@]}"
	hold_stop
	check "the peer's route goes" on p1 mrcctl route del mrc1 "$(pair_addr 2)/128"
}

# Everything that a program does until one QP has written to another: only a few packets, because each
# of them is an allocation, too.
test_verbs()
{
	check_each "region, queues, QPs, a write" true mrc_verbs_test -n p1 -N p2 \
		--gtest_filter=Data.GatherList mrc1 mrc2
	check_each "memory that is registered" true python3 "$SELFTESTS/lib/memlock.py" mrc1 0
}

# In softirqs there is no process for which allocations fail: there one in twenty fails, for everyone.
test_traffic()
{
	local before

	traffic_start --both --qps 2 --sizes 8K,100
	inject times 200
	before=$(left)
	inject probability 5
	nap 5
	inject probability 0
	check "traffic: allocations have failed" test "$(left)" -lt "$before"
	check "traffic: it goes on" \
		wait_for packets_flow mrc2 $(($(counter mrc2 tx_packets) + 1000))
	diag <<<"tx_no_memory: $(counter mrc1 tx_no_memory) and $(counter mrc2 tx_no_memory)"
	kill "$TRAFFIC_CLIENT"
	wait "$TRAFFIC_CLIENT"
	check_equal "traffic: all of it verified" 0 $?
}

need jq mrc_hold mrc_verbs_test mrc_traffic python3
mountpoint -q $DEBUG || mount -t debugfs none $DEBUG
for kind in "${KINDS[@]}"; do
	[ -e "$DEBUG/$kind/require-start" ] || skip_all "needs $kind and its filter by stack"
done
pair_up
ip -n p1 link add spare type dummy
ip -n p1 link set spare up
at_exit inject probability 0
check "only the module's allocations fail" arm
test_configuration
test_peers
test_verbs
test_traffic
finish
