#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcctl health names exactly what is wrong with a host, and nothing else, and prints the command that
# mends it. The test runs that command as printed, and the host is well again. The exit status of mrcctl
# health says the same as its text, with mrcd or without.
# timeout: 1200

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/mrcd.sh"

health()
{
	on h1 mrcctl -j health | jq -c ".[0] | $1"
}

# named LINE...: exactly these are the problems
named()
{
	[ "$(health '[.problem[].what]')" = "$(jq -cn '$ARGS.positional' --args "$@")" ]
}

# Whether the exit status is 0, 1 or 2.
exits()
{
	local status=0

	on h1 mrcctl health >"$TEST_TMP/health" 2>&1 || status=$?
	[ "$status" = "$1" ]
}

well()
{
	[ "$(health '[.state, (.problem | length)]')" = '["well",0]' ] && exits 0
}

# Runs what is printed, until no command is left: one repair may reveal the next problem.
mend()
{
	local command

	while IFS= read -r command; do
		on h1 sh -c "$command" >/dev/null 2>&1
	done < <(health '.problem[].mend | select(. != "")' | jq -r .)
}

mended()
{
	mend
	well
}

# state NAME BREAK LINE...: BREAK causes these problems; the printed commands repair them
state()
{
	local name=$1 break=$2 began
	shift 2

	began=$(now_ms)
	on h1 sh -c "$break" >/dev/null || bail "$name"
	if wait_for named "$@"; then
		ok "$name: named"
		echo "# after $(($(now_ms) - began)) ms"
	else
		fail "$name: named" "wanted: $*" "got: $(health '[.problem[].what]')"
	fi
	check "$name: exit status 1" exits 1
	check "$name: well again by what is printed" wait_for mended
}

# state_by NAME LINE BREAK MEND: with commands of the lab; no command is printed
state_by()
{
	eval "$3" >"$TEST_TMP/state" 2>&1 || bail "$1" "$(<"$TEST_TMP/state")"
	check "$1: named" wait_for named "$2"
	check "$1: exit status 1" exits 1
	eval "$4" >"$TEST_TMP/state" 2>&1 || bail "$1: mend" "$(<"$TEST_TMP/state")"
	check "$1: well again" wait_for well
}

# Takes the port of the module's packets where the device is made anew.
take_port()
{
	background ip netns exec h1 python3 -c "
import socket, time
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
s.bind(('::', 4791))
print('bound', flush=True)
time.sleep(1000)" >"$TEST_TMP/bound"
	HOLDER=$BACKGROUND_PID
	wait_for grep -q bound "$TEST_TMP/bound"
}

port_taken()
{
	lab unload && take_port && lab load
}

port_given_back()
{
	kill "$HOLDER"
	wait "$HOLDER"
	true
}

test_host()
{
	local sid1 sid2

	sid1=$(on h1 ip -6 route show dev eth1 | awk '$1 ~ /^fcbb:bb00:101:/ { print $1; exit }')
	sid2=${sid1/:101:/:201:}
	state "a plane set down" "mrcctl plane set mrc0 port 2 down" "plane 2 (eth2) is set down"
	state "no route" "ip -6 route del $sid2 dev eth2" "plane 2: there is no route to p2t0r1"
	state "a small MTU" "ip link set eth2 mtu 1500" \
		"plane 2: the MTU of netdev eth2 is smaller than that of others"
	state "seg6 off" "sysctl -qw net.ipv6.conf.all.seg6_enabled=0" \
		"net/ipv6/conf/all/seg6_enabled is 0"
	state "seg6 off at a plane" "sysctl -qw net.ipv6.conf.eth1.seg6_enabled=0" \
		"net/ipv6/conf/eth1/seg6_enabled is 0"
	state "no anchor" "ip link del mrc" "device mrc0 is missing"
	state "the anchor down" "ip link set mrc down" "netdev mrc is down"
	state "two things" "mrcctl plane set mrc0 port 1 down; ip link set eth2 mtu 4000" \
		"plane 1 (eth1) is set down" \
		"plane 2: the MTU of netdev eth2 is smaller than that of others"
}

# The lab has given the netdev settings that it loses when it goes down.
readdress()
{
	grep -E " dev eth$1( |\$)" /run/mrc-lab/ns/h1 | ip -n h1 -6 -batch -
	true
}

test_fabric()
{
	state_by "a netdev that is down" "plane 1: netdev eth1 is down" \
		"ip -n h1 link set eth1 down" "mend && readdress 1"
	state_by "no carrier" "plane 1: netdev eth1 has no carrier" "lab fail link h1:eth1" \
		"lab heal link h1:eth1"
	# In another plane, because loops that were broken before are not trusted again so soon.
	state_by "a dead T1" "p2t1s2 is broken" "lab fail switch p2t1s2" "lab heal switch p2t1s2"
	state_by "no module" "device mrc0 is missing" "lab unload" "lab load"
	state_by "the port taken" "device mrc0 is missing" port_taken port_given_back
}

test_file()
{
	local file

	file=$(file_of h1)
	cp "$file" "$TEST_TMP/good"
	echo "# a word more" >>"$file"
	check "another file: named" wait_for named "$file is not the version that mrcd follows"
	check "another file: well again by what is printed" wait_for mended
	echo "nonsense = 1" >>"$file"
	check_error "a bad file: reload fails, with the line" 1 "$file:$(wc -l <"$file"): " \
		on h1 mrcd --reload
	check "a bad file: named" wait_for named "$file is refused"
	check "a bad file: daemon show says so" grep -q "nonsense" <(on h1 mrcctl daemon show mrc0)
	check "a bad file: so do metrics" grep -qxF \
		'mrc_config_last_reload_successful{device="mrc0"} 0' \
		<(on h1 curl -sf --max-time 10 http://127.0.0.1:9867/metrics)
	check "a bad file: exit status 1" exits 1
	cp "$TEST_TMP/good" "$file"
	check "a bad file: well again by what is printed" wait_for mended
}

# Without mrcd, mrcctl says the same, but not since when.
named_by_mrcd()
{
	[ "$(health .daemon)" = 1 ] && named "$@"
}

# The time since when survives a restart of mrcd.
test_since()
{
	local since

	on h1 mrcctl plane set mrc0 port 2 down
	check "since: named" wait_for named "plane 2 (eth2) is set down"
	since=$(health '.problem[0]."since-ns"')
	kill -KILL "${daemon[h1]}"
	wait "${daemon[h1]}" 2>/dev/null
	check "without mrcd: not well, for a plane is down" exits 1
	check_equal "without mrcd: the same keys" "$keys" "$(health keys)"
	start h1
	check "since: named again" wait_for named_by_mrcd "plane 2 (eth2) is set down"
	check_equal "since: from when it was set down" "$since" "$(health '.problem[0]."since-ns"')"
	check "since: nobody has set it up" grep -q '"admin-state":"down"' \
		<(on h1 mrcctl -j plane show mrc0)
	check "since: well again" wait_for mended
}

test_without()
{
	kill "${daemon[h1]}"
	wait "${daemon[h1]}" 2>/dev/null
	check "without mrcd: it could not be told" exits 2
	check "without mrcd: it says so" grep -q "no mrcd looks after the device" "$TEST_TMP/health"
	lab unload
	check "without anything: it could not be told" exits 2
	check "without anything: it says so" grep -q "there is no device" "$TEST_TMP/health"
	check_equal "without anything: the same keys" "$keys" "$(health keys)"
	check "without anything: it is not loaded for that" test ! -d /sys/module/mrc
}

need jq mrcd curl python3
lab_up --planes 2 --racks 2 --spines 2 --bare-hosts
lab load
for host in h2 h1; do
	lab file $host >"$(file_of $host)"
	start $host
done
check "well" wait_for well
keys=$(health keys)
test_host
test_fabric
test_file
test_since
test_without
finish
