#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the fabric that all other tests use: every path, the fault verbs, and that nothing of it is left
# afterwards.

. "$(dirname "$0")/../lib.sh"

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

# no_ping NAME: a ping does not reach h2
no_ping()
{
	check_not "$1: no ping" on h1 ping -c 2 -i 0.01 -W 1 -I "$gid1" "$gid2"
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

check_faults()
{
	lab fail link h1:eth4
	check "failed link: carrier lost" wait_for carriers 0 h1:eth4
	no_ping "failed link"
	check "failed link: shown" grep -q 'h1:eth4 *no-carrier' <(lab show)
	lab heal link h1:eth4
	check "healed link: carrier" wait_for carriers 1 h1:eth4
	check "healed link: ping" wait_for ping_h2

	lab fail switch p4t1s2
	no_ping "failed switch"
	check "failed switch: carrier stays" carriers 1 p4t0r1:t1s2
	lab heal switch p4t1s2
	check "healed switch: ping" wait_for ping_h2

	lab fail link p4t0r1:t1s2
	no_ping "failed trunk"
	lab heal link p4t0r1:t1s2
	check "healed trunk: ping" wait_for ping_h2
}

# A switch that dies with its links. Pings take plane 4 and spine 2.
check_carrier()
{
	local name="switch without carrier"

	lab fail switch p4t1s2 --carrier
	check "$name: T1: both T0s see it" wait_for carriers 0 p4t0r1:t1s2 p4t0r2:t1s2
	check "$name: T1: nobody else does" carriers 1 p4t0r1:t1s1 p4t0r2:t1s1 h1:eth4 h2:eth4
	no_ping "$name: T1"
	lab heal switch p4t1s2
	check "$name: T1 healed: seen" wait_for carriers 1 p4t0r1:t1s2 p4t0r2:t1s2
	check "$name: T1 healed: ping" wait_for ping_h2

	lab fail switch p4t0r1 --carrier
	check "$name: T0: host and T1s see it" wait_for carriers 0 h1:eth4 p4t1s1:t0r1 p4t1s2:t0r1
	check "$name: T0: nobody else does" carriers 1 h2:eth4 p4t1s1:t0r2 p4t1s2:t0r2 h1:eth3
	check "$name: T0: shown" grep -q 'p4t0r1!' <(lab show)
	no_ping "$name: T0"
	lab heal switch p4t0r1
	check "$name: T0 healed: seen" wait_for carriers 1 h1:eth4 p4t1s1:t0r1 p4t1s2:t0r1
	check "$name: T0 healed: ping" wait_for ping_h2
}

# Faults of a switch and faults of its links do not affect each other.
check_both()
{
	local name="switch and link"

	lab fail link h1:eth4
	lab fail switch p4t0r1
	lab fail switch p4t0r1 --carrier
	lab heal switch p4t0r1
	check "$name: the switch healed" wait_for carriers 1 p4t1s1:t0r1 p4t1s2:t0r1
	check "$name: the link is cut still" carriers 0 h1:eth4
	lab fail switch p4t0r1 --carrier
	lab fail switch p4t0r1
	lab heal link h1:eth4
	check "$name: the link healed: the switch is dead still" carriers 0 h1:eth4
	lab heal switch p4t0r1
	check "$name: both healed: ping" wait_for ping_h2
	check_not "$name: both healed: nothing failed" grep -q '^failed' <(lab show)
}

# Prepared first, run on "go".
check_hold()
{
	mkfifo "$TEST_TMP/word"
	lab hold fail link h1:eth4 <"$TEST_TMP/word" &
	exec 7>"$TEST_TMP/word"
	check_not "held: nothing yet" timeout 1 tail -f --pid=$! /dev/null
	check "held: nothing done yet" carriers 1 h1:eth4
	echo >&7
	exec 7>&-
	check "held: done at the word" wait_for carriers 0 h1:eth4
	check "held: and well" wait $!
	check "held: heal" lab hold heal link h1:eth4 <<<""
	check "held: healed" wait_for ping_h2
	check "held: a switch" lab hold fail switch p4t1s2 <<<""
	no_ping "held"
	check "held: the switch back" lab hold heal switch p4t1s2 <<<""
	check "held: ping" wait_for ping_h2
	check "held: a switch with its links" lab hold fail switch p4t1s2 --carrier <<<""
	check "held: its links are gone" wait_for carriers 0 p4t0r1:t1s2 p4t0r2:t1s2
	check "held: the switch and its links back" lab hold heal switch p4t1s2 <<<""
	check "held: ping again" wait_for ping_h2
	check_error "held: only what breaks and heals" 2 "hold takes" lab hold down
}

check_netem()
{
	lab netem link p4t0r1:t1s2 loss 100%
	no_ping "netem loss 100 %"
	lab netem all off
	check "netem off: ping" wait_for ping_h2
	check_error "netem: bad arguments are refused" 1 "tc refused" \
		lab netem h1:eth1 loss bogus
}

# The process that serves this file and a separate lab see the same state, one after the other.
check_both_ways()
{
	local n

	check "both ways: failed by one" lab fail link h1:eth4
	check "both ways: shown by the other" grep -q '^failed: p4t0r1:h1$' \
		<("$TOP/scripts/lab" show)
	check "both ways: healed by the other" "$TOP/scripts/lab" heal link h1:eth4
	check "both ways: known to the one" test -z "$(lab show | grep '^failed')"
	for n in 1 2 3 4 5 6; do
		lab path h1 h2 $((n % 2 + 1)) >"$TEST_TMP/path.$n" &
		disown
	done
	check "both ways: each has its own answer" wait_for each_has_its_path
	check "ready for the word" lab_ready "fail link h1:eth4" "fail switch p4t1s2 --carrier"
	check "ready: nothing done yet" carriers 1 h1:eth4 p4t0r1:t1s2
	check "ready: the word" lab go
	check "ready: all are done" wait_for carriers 0 h1:eth4 p4t0r1:t1s2
	check_error "ready: no more" 1 "nothing is held" lab go
	check "ready: healed" lab heal link h1:eth4
	check "ready: the switch healed" lab heal switch p4t1s2
	check "ready: ping" wait_for ping_h2
}

each_has_its_path()
{
	[ "$(cat "$TEST_TMP"/path.[135] | sort -u)" = fcbb:bb00:0201:0281:0202:f002:: ] &&
		[ "$(cat "$TEST_TMP"/path.[246] | sort -u)" = fcbb:bb00:0101:0181:0102:f002:: ] &&
		[ "$(cat "$TEST_TMP"/path.? | wc -l)" = 6 ]
}

check_errors()
{
	check_error "unknown link" 1 "no link 'h1:eth9'" lab fail link h1:eth9
	check_error "unknown switch" 1 "no switch 'p9t1s1'" lab fail switch p9t1s1
	check_error "unknown way to die" 2 "cannot fail a switch with '--loud'" \
		lab fail switch p1t1s1 --loud
	check_error "a way to be healed" 2 "cannot heal" lab heal switch p1t1s1 --carrier
	check_error "one link at a time" 2 "fail link NS:IF" lab fail link h1:eth1 h1:eth2
	check_error "unknown host" 1 "no host or switch 'h9'" lab exec h9 true
	check_error "a second fabric" 1 "already up" lab up --no-devices
	check_error "planes out of range" 2 "from 1 to 32" lab up --planes 33
	check_error "not a number" 2 "from 1280" lab up --mtu big
	check_error "unknown option" 2 "unknown option" lab up --bogus
}

nothing_left()
{
	[ ! -e /run/mrc-lab ] && [ -z "$(ip netns list)" ] &&
		! grep -Eq ': (eth[0-9]|t[01][rs]|h[0-9])' <(ip -o link)
}

# inhabited NS: a process is in it
inhabited()
{
	[ -n "$(ip netns pids "$1")" ]
}

# All answers come through h4's first plane, so arrivals are counted.
arrives_through()
{
	local before

	before=$(received h4 "eth$1")
	on h1 ping -c 3 -i 0.01 -W 1 -I "eth$1" fd00:6d72:63::4
	[ "$(received h4 "eth$1")" -ge $((before + 3)) ]
}

# spreads: a T0 spreads over two spines
spreads()
{
	[ "$(ip -n p1t0r1 -6 route show fd00:6d72:63::4 | grep -c 'via fe80')" = 2 ]
}

check_plain()
{
	local plane

	lab_up --plain --planes 2 --hosts-per-rack 2 --no-devices
	for plane in 1 2; do
		check "plain: h1 to h4 through plane $plane" wait_for arrives_through $plane
	done
	check "plain: h1 to h2 inside the rack" on h1 ping -c 1 -W 5 -I "$gid1" "$gid2"
	check "plain: T0 spreads over the spines" spreads
	lab fail link p1t0r1:t1s1
	lab heal link p1t0r1:t1s1
	lab fail link p1t1s1:t0r1
	lab heal link p1t1s1:t0r1
	check "plain: the spread is back after healing" spreads
	lab fail switch p1t0r1 --carrier
	lab heal switch p1t0r1
	check "plain: the spread is back with the switch" spreads
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
	check_error "plain or both" 2 "exclude each other" lab up --plain --plain-too
}

need ip ping jq
lab_up --no-devices
check_srv6_paths
check_faults
check_carrier
check_both
check_hold
check_both_ways
check_netem
check_errors

# A process that is left in a host must not keep the fabric alive.
on h2 sleep 1000 &
sleeper=$!
disown
wait_for inhabited h2
check "down" lab down
check "down leaves nothing" wait_for nothing_left
check_not "down ends who lives there" kill -0 "$sleeper"
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
