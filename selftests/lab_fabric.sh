#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fabric that all other tests stand on: every path, the fault verbs, and
# that nothing is left of it afterwards.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

gid1=fd00:6d72:63::1
gid2=fd00:6d72:63::2

# route_path FROM TO PLANE SPINE: FROM sends to TO's GID along one path.
route_path()
{
	ip -n "$1" -6 route replace "$(lab gid "$2")/128" \
		encap seg6 mode encap segs "$(lab path "$1" "$2" "$3" "$4")" dev "eth$3"
}

ping_h2()
{
	on h1 ping -c 3 -i 0.01 -W 5 -I "$gid1" "$gid2"
}

received()
{
	ip -j -n "$1" -s link show dev "$2" | jq '.[0].stats64.rx.packets'
}

check_srv6_paths()
{
	local plane spine before after

	for plane in 1 2 3 4; do
		for spine in 1 2; do
			route_path h1 h2 $plane $spine
			route_path h2 h1 $plane $spine
			before=$(received "p${plane}t1s$spine" t0r1)
			check "plane $plane spine $spine: ping" ping_h2
			after=$(received "p${plane}t1s$spine" t0r1)
			check "plane $plane spine $spine: through that spine" \
				test "$after" -ge $((before + 3))
		done
	done
}

has_carrier()
{
	[ "$(on "$1" cat "/sys/class/net/$2/carrier")" = "$3" ]
}

check_faults()
{
	lab fail link h1:eth4
	check "failed link: carrier lost" wait_for has_carrier h1 eth4 0
	check_not "failed link: no ping" on h1 ping -c 2 -i 0.01 -W 1 -I "$gid1" "$gid2"
	check "failed link: shown" grep -q 'h1:eth4 *no-carrier' <(lab show)
	lab heal link h1:eth4
	check "healed link: carrier" wait_for has_carrier h1 eth4 1
	check "healed link: ping" wait_for ping_h2

	lab fail switch p4t1s2
	check_not "failed switch: no ping" on h1 ping -c 2 -i 0.01 -W 1 -I "$gid1" "$gid2"
	check "failed switch: carrier stays" has_carrier p4t0r1 t1s2 1
	lab heal switch p4t1s2
	check "healed switch: ping" wait_for ping_h2

	lab fail link p4t0r1:t1s2
	check_not "failed trunk: no ping" on h1 ping -c 2 -i 0.01 -W 1 -I "$gid1" "$gid2"
	lab heal link p4t0r1:t1s2
	check "healed trunk: ping" wait_for ping_h2
}

# Got ready first, done at the word.
check_hold()
{
	mkfifo "$TEST_TMP/word"
	lab hold fail link h1:eth4 <"$TEST_TMP/word" &
	exec 7>"$TEST_TMP/word"
	check_not "held: nothing yet" timeout 1 tail -f --pid=$! /dev/null
	check "held: nothing done yet" has_carrier h1 eth4 1
	echo >&7
	exec 7>&-
	check "held: done at the word" wait_for has_carrier h1 eth4 0
	check "held: and well" wait $!
	check "held: heal" lab hold heal link h1:eth4 <<<""
	check "held: healed" wait_for ping_h2
	check "held: a switch" lab hold fail switch p4t1s2 <<<""
	check_not "held: no ping" on h1 ping -c 2 -i 0.01 -W 1 -I "$gid1" "$gid2"
	check "held: the switch back" lab hold heal switch p4t1s2 <<<""
	check "held: ping" wait_for ping_h2
	check_error "held: only what breaks and heals" 2 "hold what" lab hold down
}

check_netem()
{
	lab netem link p4t0r1:t1s2 loss 100%
	check_not "netem loss 100 %: no ping" on h1 ping -c 2 -i 0.01 -W 1 -I "$gid1" "$gid2"
	lab netem all off
	check "netem off: ping" wait_for ping_h2
	check_error "netem: bad arguments are refused" 1 "tc refused" \
		lab netem h1:eth1 loss bogus
}

check_errors()
{
	check_error "unknown link" 1 "no link 'h1:eth9'" lab fail link h1:eth9
	check_error "unknown switch" 1 "no switch 'p9t1s1'" lab fail switch p9t1s1
	check_error "unknown host" 1 "no host or switch 'h9'" lab exec h9 true
	check_error "a second fabric" 1 "up already" lab up --no-devices
	check_error "planes out of range" 2 "from 1 to 32" lab up --planes 33
	check_error "not a number" 2 "from 1280" lab up --mtu big
	check_error "unknown option" 2 "unknown option" lab up --bogus
}

nothing_left()
{
	[ ! -e /run/mrc-lab ] && [ -z "$(ip netns list)" ] &&
		! ip -o link | grep -Eq ': (eth[0-9]|t[01][rs]|h[0-9])'
}

# The answers all come through h4's first plane, so count what arrives.
arrives_through()
{
	local before

	before=$(received h4 "eth$1")
	on h1 ping -c 3 -i 0.01 -W 1 -I "eth$1" fd00:6d72:63::4
	[ "$(received h4 "eth$1")" -ge $((before + 3)) ]
}

check_plain()
{
	local plane

	lab_up --plain --planes 2 --hosts-per-rack 2 --no-devices
	for plane in 1 2; do
		check "plain: h1 to h4 through plane $plane" wait_for arrives_through $plane
	done
	check "plain: h1 to h2 inside the rack" on h1 ping -c 1 -W 5 -I "$gid1" "$gid2"
	check "plain: T0 spreads over the spines" test 2 = \
		"$(ip -n p1t0r1 -6 route show fd00:6d72:63::4 | grep -c 'via fe80')"
	lab fail link p1t0r1:t1s1
	lab heal link p1t0r1:t1s1
	lab fail link p1t1s1:t0r1
	lab heal link p1t1s1:t0r1
	check "plain: the spread is back after healing" test 2 = \
		"$(ip -n p1t0r1 -6 route show fd00:6d72:63::4 | grep -c 'via fe80')"
	check "plain: ping after healing" on h1 ping -c 1 -W 5 -I eth1 fd00:6d72:63::4
}

check_plain_too()
{
	local address

	lab_up --plain-too --planes 2 --no-devices
	lab fail link h1:eth2
	lab heal link h1:eth2
	for address in fd00:7463:1::2 fd00:7463:2::2 fd00:7463::2; do
		check "plain too: h1 reaches $address" wait_for on h1 ping -c 1 -W 5 "$address"
	done
	check "plain too: the host spreads over the planes" test 2 = \
		"$(ip -n h1 -6 route show fd00:7463::2 | grep -c 'via fe80')"
	check_not "plain too: one plane's address keeps to it" \
		grep -q eth1 <(ip -n h1 -6 route show fd00:7463:2::2)
	check_error "plain or both" 2 "either" lab up --plain --plain-too
}

need ip ping jq
lab_up --no-devices
check_srv6_paths
check_faults
check_hold
check_netem
check_errors

# A process left in a host must not keep the fabric alive.
on h2 sleep 1000 &
disown
check "down" lab down
check "down leaves nothing" wait_for nothing_left
check "down again is fine" lab down

ip netns add p1t1s1
check_error "a foreign namespace is respected" 1 "not ours" lab up --no-devices
ip netns del p1t1s1
check "refusing leaves nothing" nothing_left

check_plain
check "down after plain" lab down
check "down after plain leaves nothing" wait_for nothing_left

check_plain_too
check "down after both" lab down
finish
