#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Only mrcd and a file configure the devices, on a fabric that has its routes. Traffic flows; what
# others take away comes back; the file is read again. Killing the daemon disturbs nothing, and its
# successor continues, wherever it was interrupted.
# timeout: 1200

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/mrcd.sh"

# profile_to HOST HOST: prints the id of the EV profile of the route to it
profile_to()
{
	on "$1" mrcctl -j route get "$(device_of "$1")" "$(lab gid "$2")" | jq '.[0]."ev-profile"'
}

test_without_module()
{
	local status=0

	lab unload
	check "the lab's file is right" on h1 mrcd --check "$(file_of h1)"
	plan_of h1 >"$TEST_TMP/plan.without" 2>"$TEST_TMP/said" || status=$?
	check_equal "plan: without the module, an exit status of its own" 3 $status
	check "plan: without the module, it says so" \
		grep -q "the mrc kernel module is not loaded" "$TEST_TMP/said"
}

test_plan()
{
	local -i address

	plan_of h1 >"$TEST_TMP/plan"
	check "plan: without the module, the same" cmp "$TEST_TMP/plan" "$TEST_TMP/plan.without"
	check_equal "plan: the addresses first" "+ address $(lab gid h1)/64 netdev mrc" \
		"$(sed -n 1p "$TEST_TMP/plan")"
	check_equal "plan: then the device" "+ device mrc0 netdev mrc" "$(sed -n 3p "$TEST_TMP/plan")"
	check "plan: a profile per rack" grep -qE '^\+ ev-profile [0-9]+ of 4 EVs$' "$TEST_TMP/plan"
	check "plan: a route per host" grep -qE '^\+ route .* ev-profile [0-9]+ .* usid 0xf003$' \
		"$TEST_TMP/plan"
	check_equal "plan: as JSON" '"add device mrc0 netdev mrc"' "$(plan_of h1 -j |
		jq '.[2] | "\(.change) \(.object) \(.what)"')"
	check_not "plan: nothing is changed" rdma dev show mrc0
	address=$(on h1 ip -j -6 address show dev mrc scope global | jq '[.[].addr_info[]?] | length')
	check_equal "plan: no address either" 0 "$address"
}

test_start()
{
	local host

	for host in h1 h2 h3; do
		start $host
	done
	for host in h1 h2 h3; do
		check "$host: as planned" wait_for planned $host
	done
	check_equal "planes: all up" "[true,true]" \
		"$(device_json h1 plane '[.[] | ."oper-state" == "up"]')"
	check_traffic "to another rack" h1 h3 --sizes 100,64K --iterations 30 --both
	check_traffic "inside the rack" h1 h2 --sizes 100,64K --iterations 30 --both
	check_error "a second one is refused" 1 "another mrcd looks after this device" \
		on h1 mrcd -f "$(file_of h1)"
}

# Under traffic, which must not notice.
test_repair()
{
	traffic_launch h1 h3 --iterations 0 --sizes 20K --rate 50
	check_arrives "repair: traffic flows" 50 h3
	check "repair: a route is deleted" on h1 mrcctl route del mrc0 "$(lab gid h2)"
	check "repair: a plane is deleted" on h1 mrcctl plane del mrc0 port 2
	check "repair: both come back" wait_for planned h1
	check "repair: a route alone is deleted" on h1 mrcctl route del mrc0 "$(lab gid h2)"
	check "repair: it comes back though nothing tells of it" wait_for planned h1
	kill -KILL "${daemon[h1]}"
	check_arrives "killed: traffic flows" 50 h3
	check "killed: an EV is denied meanwhile" on h1 mrcctl ev deny mrc0 \
		ev-profile "$(profile_to h1 h3)" index 1
	start h1
	check "killed: the next one allows it" wait_for denied_evs h1 0
	check_arrives "killed: traffic still flows" 50 h3
	check_traffic_end "repair: all of it verified" traffic_stop
}

# The next mrcd starts at once, and has something to do.
test_storm()
{
	local -i n

	traffic_launch h1 h3 --iterations 0 --sizes 20K --rate 50
	check_arrives "storm: traffic flows" 50 h3
	for ((n = 0; n < 10; n++)); do
		on h1 mrcctl plane del mrc0 port 2 >/dev/null 2>&1
		on h1 mrcctl route del mrc0 "$(lab gid h2)" >/dev/null 2>&1
		sleep "$(printf '0.%03d' $((RANDOM % 1000)))"
		kill -KILL "${daemon[h1]}"
		wait "${daemon[h1]}" 2>/dev/null
		start h1
	done
	check "storm: as planned in the end" wait_for planned h1
	check_arrives "storm: traffic still flows" 50 h3
	check_traffic_end "storm: all of it verified" traffic_stop
}

test_reload()
{
	printf '[deny]\nswitches = ["p2t1s1"]\n' >>"$(file_of h1)"
	kill -HUP "${daemon[h1]}"
	check "reload: the EV by that switch is denied" wait_for denied_evs h1 1
	check_traffic "reload: traffic flows" h1 h3 --sizes 64K --iterations 30
	echo 'nonsense = 1' >>"$(file_of h1)"
	kill -HUP "${daemon[h1]}"
	check "a bad file: named with its line" wait_for says h1 \
		"$(file_of h1):$(wc -l <"$(file_of h1)"): deny: unknown key 'nonsense'"
	check "a bad file: nothing changes" denied_evs h1 1
	check_error "a bad file: mrcd --check says so" 1 "deny: unknown key 'nonsense'" \
		on h1 mrcd --check "$(file_of h1)"
	sed -i '/^\[deny\]/,$d' "$(file_of h1)"
	kill -HUP "${daemon[h1]}"
	check "reload: allowed again" wait_for planned h1
}

# h1_works: tests h1 beside traffic that goes on, so it touches nothing of that run
h1_works()
{
	local TEST_TMP=$TEST_TMP/h1_works TRAFFIC_CLIENT TRAFFIC_SERVER

	mkdir "$TEST_TMP"
	traffic_launch h1 h3 --sizes 64K --iterations 30
	traffic_end
}

# One host is upgraded: the others keep the QPs among themselves.
test_device_gone()
{
	traffic_launch h2 h3 --iterations 0 --sizes 20K --rate 50
	check_arrives "device gone: traffic of others flows" 20 h3
	check "device gone: deleted" rdma link delete mrc0
	check "device gone: it comes back" wait_for planned h1
	check "device gone: it works" h1_works
	check_arrives "device gone: traffic of others still flows" 20 h3
	check_traffic_end "device gone: all of that verified" traffic_stop
}

# large_file: 4,096 hosts in 128 racks, 8 planes of 64 T1s; this host is one of them
large_file()
{
	awk 'BEGIN {
		print "[fabric]\nblock = \"fcbb:bb00::/32\"\nplanes = 8\n[t0]"
		for (p = 1; p <= 8; p++)
			for (r = 0; r < 128; r++)
				printf "p%dt0r%d = { plane = %d, rack = \"r%d\", usid = %d }\n", p, r, p, r, ++n
		print "[t1]"
		for (p = 1; p <= 8; p++)
			for (s = 0; s < 64; s++)
				printf "p%dt1s%d = { plane = %d, usid = %d }\n", p, s, p, ++n
		print "[hosts]"
		for (h = 0; h < 4096; h++)
			printf "h%d = { rack = \"r%d\", usid = %d, gid = \"fd00:6d72:99::%x\" }\n",
				h, int(h / 32), ++n, h + 1
		print "[local]\nhost = \"h0\"\ndevice = \"mrc0\"\nanchor = \"mrc\""
		print "planes = [\"eth1\", \"eth2\", \"e3\", \"e4\", \"e5\", \"e6\", \"e7\", \"e8\"]"
	}'
}

# run_measured COMMAND...: prints the most memory that it used, in KiB
run_measured()
{
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=sys.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

test_large()
{
	local plan=$TEST_TMP/large.json kib

	large_file >"$TEST_TMP/large.toml"
	kib=$(run_measured ip netns exec h1 mrcd --plan -j "$TEST_TMP/large.toml" 2>"$plan")
	check "4,096 hosts: a route to each of the others" test \
		"$(jq '[.[] | select(.object == "route" and .change == "add")] | length' "$plan")" = 4095
	# Some racks have the same names as those of the lab.
	check "4,096 hosts: a profile per rack" test \
		"$(jq '[.[] | select(.object == "ev-profile" and (.change == "add" or .change == "replace"))]
			| length' "$plan")" = 128
	check "4,096 hosts, 8 planes: planned in $kib KiB" test "$kib" -le $((100 << 10))
}

# Names are those of mrcd's file: racks, hosts.
test_names()
{
	traffic_launch h1 h3 --iterations 0 --sizes 20K --rate 50
	check_arrives "names: traffic flows" 5 h3
	check_output "names: of profiles and hosts" \
		"mrc0 remote-gid $(lab gid h3) remote-host h3 .*ev-profile r2 " \
		on h1 mrcctl peer show mrc0
	check_output "names: none with -N" "mrc0 remote-gid $(lab gid h3) .*ev-profile [0-9]+ " \
		on h1 mrcctl -N peer show mrc0
	on h1 mrcctl ev deny mrc0 ev-profile r2 index 0 2>"$TEST_TMP/denied"
	check "names: who denies is told that mrcd allows again" \
		grep -q "mrcd looks after mrc0 and will allow this EV again" "$TEST_TMP/denied"
	check "names: and it does" wait_for planned h1
	check_traffic_end "names: all verified" traffic_stop
}

test_end()
{
	local host

	for host in h1 h2 h3; do
		kill -TERM "${daemon[$host]}"
		check "$host: the daemon ends well" wait "${daemon[$host]}"
	done
	check_traffic "without daemons: traffic flows" h1 h3 --sizes 64K --iterations 30
}

need jq mrcd rdma python3
lab_up --planes 2 --racks 2 --hosts-per-rack 2 --bare-hosts
for host in h1 h2 h3; do
	lab file $host >"$(file_of $host)"
done
test_without_module
lab load
test_plan
test_start
test_repair
test_storm
test_reload
test_device_gone
test_large
test_names
test_end
finish
