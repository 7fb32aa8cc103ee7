#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Hosts change under mrcd. It dies at each step of its first work, and its successor continues. Files
# with another plan, and with settings of NSCC, are taken under traffic, which must not notice. Netdevs
# come late, go, and come back.
# timeout: 1200

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/mrcd.sh"

dead()
{
	! kill -0 "${daemon[$1]}" 2>/dev/null
}

dead_or_planned()
{
	dead "$1" || planned "$1"
}

# forget HOST: restores its state from before mrcd
forget()
{
	rdma link delete "$(device_of "$1")"
	on "$1" ip -6 address flush dev mrc scope global
}

# The kernel ends a process that writes more to a file than is allowed: here at the line after the one
# about the file that was read, so at the first step if mrcd does nothing else.
test_dies_at_each_step()
{
	local -i died=0
	local head

	printf '[watch]\nrate = 0\n[report]\nport = 0\n' >>"$(file_of h1)"
	printf -v head 'mrcd: %s: 1 EV profiles, 1 routes\n' "$(file_of h1)"
	while [ $died -lt 50 ]; do
		: >"$TEST_TMP/h1.log"
		start h1 prlimit --core=0 --fsize=$((${#head} + 1))
		wait_for dead_or_planned h1
		dead h1 || break
		wait "${daemon[h1]}" 2>/dev/null
		died+=1
	done
	# Two addresses, the device, its tunnel source, two planes, two profiles, a route.
	check "dies at each step: $died times" test $died -ge 9
	check "dies at each step: as planned in the end" planned h1
	kill -TERM "${daemon[h1]}"
	wait "${daemon[h1]}"
	lab file h1 >"$(file_of h1)"
	start h2
	check "dies at each step: the other host" wait_for planned h2
	check_traffic "dies at each step: traffic flows" h1 h2 --sizes 100,64K --iterations 10
}

# Somewhere on the way.
test_killed_at_first()
{
	local -i n

	for ((n = 1; n <= 4; n++)); do
		forget h1
		start h1
		sleep "$(printf '0.%03d' $((RANDOM % 1000)))"
		kill -KILL "${daemon[h1]}"
		wait "${daemon[h1]}" 2>/dev/null
		start h1
		check "killed at first, round $n: as planned" wait_for planned h1
		[ $n = 4 ] || kill -KILL "${daemon[h1]}"
	done
	check_traffic "killed at first: traffic flows" h1 h2 --sizes 100,64K --iterations 10
}

# ev_count HOST: prints the number of EVs of all profiles except the built-in one
ev_count()
{
	device_json "$1" ev 'length'
}

# changes NAME EVS PLANES: h1's file is replaced; traffic goes on
changes()
{
	check "$1: the file is taken" on h1 mrcctl daemon reload mrc0
	check "$1: as planned" wait_for planned h1
	check_equal "$1: EVs" "$2" "$(ev_count h1)"
	check_equal "$1: planes" "$3" "$(device_json h1 plane '[.[].port]')"
	check_arrives "$1: traffic flows" 50 h2
}

test_changes()
{
	local file

	file=$(file_of h1)
	cp "$file" "$TEST_TMP/whole"
	traffic_launch h1 h2 --iterations 0 --sizes 20K --rate 50
	check_arrives "changes: traffic flows" 50 h2

	printf '[evs]\nper-destination = 2\n' >>"$file"
	changes "fewer EVs" 2 "[1,2]"
	cp "$TEST_TMP/whole" "$file"
	changes "more EVs" 4 "[1,2]"

	printf '[deny]\nswitches = ["p2t1s1"]\n' >>"$file"
	changes "a denial" 4 "[1,2]"
	check "a denial: an EV is denied" denied_evs h1 1
	sed -i 's/p2t1s1"\]$/p1t1s2"]/' "$file"
	changes "another denial" 4 "[1,2]"
	check "another denial: one EV, too" denied_evs h1 1

	sed '/plane = 2/d; s/^planes = 2/planes = 1/; s/, "eth2"//' "$TEST_TMP/whole" >"$file"
	changes "a plane less" 2 "[1]"
	cp "$TEST_TMP/whole" "$file"
	changes "a plane more" 4 "[1,2]"
	check "a plane more: it sends" plane_sends h1 2

	sed 's/^h2 = .*/&\nh3 = { rack = "r3", usid = 0xf003, gid = "fd00:6d72:63::3" }/
		s/^p2t0r2 = .*/&\np1t0r3 = { plane = 1, rack = "r3", usid = 0x103 }\
p2t0r3 = { plane = 2, rack = "r3", usid = 0x203 }/' "$TEST_TMP/whole" >"$file"
	changes "a rack more" 8 "[1,2]"
	cp "$TEST_TMP/whole" "$file"
	changes "a rack less" 4 "[1,2]"

	check_traffic_end "changes: all of it verified" traffic_stop
	check_equal "changes: no QP has failed" " " \
		"$(counters h1 "$QP_ERRORS") $(counters h2 "$QP_ERRORS")"
}

# cc_profile_is JSON: the values of CC profile 1 of h1 that come from the file
cc_profile_is()
{
	[ "$(device_json h1 cc-profile '.[] | select(."cc-profile" == 1) | [.algorithm,
		."window-bytes", ."rate-bytes-per-second", .trimming, .gamma, .owner]')" = "$1" ]
}

# takes_cc NAME PROFILE [LINE...]: h1's file gets these lines in [cc]
takes_cc()
{
	local name=$1 profile=$2
	shift 2

	cp "$TEST_TMP/whole" "$(file_of h1)"
	[ $# -eq 0 ] || printf '%s\n' "[cc]" "$@" >>"$(file_of h1)"
	check "$name: the file is taken" on h1 mrcctl daemon reload mrc0
	check "$name: as planned" wait_for planned h1
	check "$name: CC profile" cc_profile_is "$profile"
}

# window_measured: prints the window towards the peer, from h1's metrics
window_measured()
{
	grep -q '^mrc_peer_cwnd_bytes{device="mrc0",host="h2",.*} [1-9]' \
		<(on h1 curl -sf --max-time 10 http://127.0.0.1:9867/metrics)
}

# Settings of NSCC, for QPs that begin to send afterwards.
test_congestion()
{
	takes_cc "nscc" '["nscc",null,125000000,false,0.8,"mrcd"]' \
		'algorithm = "nscc"' 'rate = "1gbit"'
	takes_cc "nscc, changed" '["nscc",null,125000000,true,0.5,"mrcd"]' \
		'algorithm = "nscc"' 'rate = "1gbit"' 'trimming = true' 'gamma = 0.5'
	on h1 mrcctl cc-profile set mrc0 1 algorithm nscc gamma 0.1 owner mrcd ||
		bail "nscc, by hand: set-up"
	check "nscc, by hand: it looks again" on h1 mrcctl daemon reload mrc0
	check "nscc, by hand: as planned again" wait_for cc_profile_is \
		'["nscc",null,125000000,true,0.5,"mrcd"]'
	traffic_launch h1 h2 --iterations 0 --sizes 20K --rate 50
	check "nscc: the window is among the metrics" wait_for window_measured
	check_traffic_end "nscc: verified" traffic_stop
	takes_cc "nscc no more" '["none",1048576,null,null,null,"mrcd"]' 'algorithm = "none"'
	takes_cc "nothing said" '["nscc",null,null,false,0.8,"mrcd"]'
}

# owners_of: prints the prefixes of h1's routes, and their owners
owners_of()
{
	device_json h1 route '[.[] | "\(.prefix) \(.owner)"] | sort'
}

# steps FILE: prints the steps that mrcd would take on h1
steps()
{
	on h1 mrcd --plan "$1"
}

# with_address ADDRESS COMMAND...: runs it while h1's anchor has the address, which mrcd has not added
with_address()
{
	local address=$1
	shift

	ip -n h1 address add "$address/128" dev mrc nodad
	"$@"
	ip -n h1 address delete "$address/128" dev mrc
}

# Another controller, and a user by hand, configure the device as well. mrcd removes what mrcd itself
# has left behind; objects of others stay, and mrcd reports them where they are in its way.
test_beside_another()
{
	local h2=fd00:6d72:63::2

	on h1 mrcctl -b - <<-LINES || bail "beside another: set-up"
	ev-profile add mrc0 9 mode auto count 8 owner 16
	route add mrc0 fd00:9::/64 ev-profile 9 owner 16
	route add mrc0 fd00:a::/64 ev-profile 0
	route add mrc0 fd00:b::/64 ev-profile 0 owner mrcd
	LINES
	check_not "beside another: another's route is none of mrcd's" \
		on h1 mrcctl route del mrc0 fd00:9::/64 owner mrcd
	check "beside another: it looks again" on h1 mrcctl daemon reload mrc0
	check "beside another: as planned" wait_for planned h1
	check_equal "beside another: routes" \
		"[\"$h2 mrcd\",\"fd00:9:: 16\",\"fd00:a:: admin\"]" "$(owners_of)"
	check_equal "beside another: profiles" '["0 kernel","1 mrcd"]' \
		"$(device_json h1 cc-profile '[.[] | "\(."cc-profile") \(.owner)"]')"
	check_equal "beside another: planes" '["mrcd"]' "$(device_json h1 plane '[.[].owner] | unique')"
	check_equal "beside another: nothing is left to do, nor for an address by hand" "" \
		"$(with_address "$h2" steps "$(file_of h1)")"
	sed "s/::1\"/::X\"/; s/::2\"/::1\"/; s/::X\"/::2\"/" "$(file_of h1)" >"$TEST_TMP/swapped"
	check_equal "beside another: an address of its own goes when it is another host's" \
		"- address fd00:6d72:63::1/64 netdev mrc" \
		"$(steps "$TEST_TMP/swapped" | grep -e '^- address')"

	on h1 mrcctl -b - <<-LINES || bail "in its way: set-up"
	route del mrc0 $h2
	route add mrc0 $h2 ev-profile 9 owner 16
	LINES
	check "in its way: it looks again" on h1 mrcctl daemon reload mrc0
	check "in its way: the daemon says so" wait_for status_is \
		"! route $h2/128 is not as planned, and its owner is 16"
	check_equal "in its way: it stays" "[\"$h2 16\",\"fd00:9:: 16\",\"fd00:a:: admin\"]" \
		"$(owners_of)"
	on h1 mrcctl -b - <<-LINES || bail "out of its way: set-up"
	route del mrc0 $h2
	route del mrc0 fd00:9::/64 owner 16
	route del mrc0 fd00:a::/64
	ev-profile del mrc0 9 owner 16
	LINES
	check "out of its way: it looks again" on h1 mrcctl daemon reload mrc0
	check "out of its way: as planned" wait_for planned h1
	check_traffic "out of its way: traffic flows" h1 h2 --sizes 64K --iterations 10
}

# Both ends of the link of h1 in plane 2.
unlink_plane()
{
	near=$(mac_of h1 eth2) far=$(mac_of p2t0r1 h1)
	ip -n h1 link delete eth2
}

link_plane()
{
	ip link add eth2 netns h1 address "$near" mtu 9000 type veth \
		peer name h1 netns p2t0r1 address "$far" mtu 9000 || bail "link"
	# Each gets what a link has after it was down.
	lab heal link h1:eth2
	lab heal link p2t0r1:h1
}

status_is()
{
	[ "$(on h1 mrcctl -j daemon show mrc0 | jq -r '.[0].status')" = "$1" ]
}

test_netdev_comes_back()
{
	traffic_launch h1 h2 --iterations 0 --sizes 20K --rate 50
	check_arrives "netdev deleted: traffic flows" 50 h2
	unlink_plane
	check "netdev deleted: it is waited for" wait_for status_is "waits for netdev eth2"
	check_equal "netdev deleted: the plane is gone" "[1]" "$(device_json h1 plane '[.[].port]')"
	check_arrives "netdev deleted: traffic still flows" 50 h2
	link_plane
	check "netdev made again: as planned" wait_for planned h1
	check_equal "netdev made again: the plane is back" "[1,2]" \
		"$(device_json h1 plane '[.[].port]')"
	check "netdev made again: it sends" plane_sends h1 2
	check_traffic_end "netdev made again: all of it verified" traffic_stop
}

# The anchor first, then a plane.
test_late_netdevs()
{
	kill -TERM "${daemon[h1]}"
	wait "${daemon[h1]}"
	unlink_plane
	rdma link delete mrc0
	ip -n h1 link delete mrc
	start h1
	check "late: the anchor is waited for" wait_for status_is "waits for netdev mrc"
	check_not "late: no device without it" rdma dev show mrc0
	ip -n h1 link add mrc mtu 9000 type dummy
	ip -n h1 link set mrc up
	check "late: the anchor is taken" wait_for status_is "waits for netdev eth2"
	check_traffic "late: one plane is enough" h1 h2 --sizes 64K --iterations 10
	link_plane
	check "late: the plane's netdev is taken" wait_for planned h1
	check "late: nothing is waited for" wait_for status_is "as planned"
	check_traffic "late: traffic flows" h1 h2 --sizes 64K --iterations 30
}

need curl jq mrcd rdma prlimit
lab_up --planes 2 --racks 2 --spines 2 --bare-hosts
lab load
for host in h1 h2; do
	lab file $host >"$(file_of $host)"
done
test_dies_at_each_step
test_killed_at_first
test_changes
test_congestion
test_beside_another
test_netdev_comes_back
test_late_netdevs
for host in h1 h2; do
	kill -TERM "${daemon[$host]}"
	check "$host: the daemon ends well" wait "${daemon[$host]}"
done
finish
