#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The next mrcd process still knows what was found to be dead. mrcd is killed and started again, with a
# file that in between gets one rack and T1s more, or fewer, and it reads its file again. All that time
# not one packet goes to the T1 that was known to be dead. When that T1 works again it is used again.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/mrcd.sh"

TURNS=10

# small_file HOST: the file without the third T1 of each plane
small_file()
{
	lab file "$1" | sed '/^p[12]t1s3 /d'
}

# grown_file HOST: with that T1, and with a rack that is not built yet
grown_file()
{
	lab file "$1" | sed '
		/^\[t0\]/a p1t0r0 = { plane = 1, rack = "r0", usid = 0x0170 }
		/^\[t0\]/a p2t0r0 = { plane = 2, rack = "r0", usid = 0x0270 }
		/^\[hosts\]/a h0 = { rack = "r0", usid = 0xf070, gid = "fd00:6d72:63::70" }'
}

# write_file N: writes h1's file. Atomically: the previous mrcd may be about to read it.
write_file()
{
	if [ $(($1 % 2)) = 0 ]; then
		small_file h1
	else
		grown_file h1
	fi >"$TEST_TMP/new"
	mv "$TEST_TMP/new" "$(file_of h1)"
}

# health FILTER: of h1
health()
{
	on h1 mrcctl -j health show mrc0 | jq -c ".[0] | $1"
}

named()
{
	[ "$(health '[.fault[].element]')" = "$1" ]
}

links_known()
{
	[ "$(health '[.plane[] | .verdict, .t1[].verdict] | unique')" = '["alive"]' ]
}

# of_dead_t1 FILTER: filters the EVs that go by p1t1s2
of_dead_t1()
{
	on h1 mrcctl -j ev show mrc0 |
		jq -c "[.[] | select(.port == 1 and (.via // \"\" | contains(\":182:\"))) | $1]"
}

all_denied()
{
	[ "$(of_dead_t1 .denied | jq -c unique)" = '[true]' ]
}

none_denied()
{
	[ "$(of_dead_t1 .denied | jq -c unique)" = '[false]' ]
}

# What h1 sends to p1t1s2: only encapsulated packets, because mrcd's own probes go there as well.
capture()
{
	background ip netns exec h1 tcpdump -n -l -U -i eth1 -Q out -w "$TEST_TMP/$1.pcap" \
		'ip6[6] = 41 and ip6[28:2] = 0x0101 and ip6[30:2] = 0x0182' 2>"$TEST_TMP/tcpdump.log"
	wait_for grep -q "listening on" "$TEST_TMP/tcpdump.log" || bail "tcpdump"
	CAPTURE=$BACKGROUND_PID
}

# captured NAME: prints the number of packets
captured()
{
	tcpdump -n -r "$TEST_TMP/$1.pcap" 2>/dev/null | wc -l
}

captured_some()
{
	[ "$(captured "$1")" -gt 0 ]
}

test_turns()
{
	local -i n

	capture dead
	for ((n = 1; n <= TURNS; n++)); do
		if [ $((n % 3)) = 0 ]; then
			write_file $n
			# It may not listen yet.
			wait_for on h1 mrcd --reload || bail "reload $n" "$(last_words h1)"
		else
			kill -KILL "${daemon[h1]}"
			wait "${daemon[h1]}" 2>/dev/null
			write_file $n
			start h1
		fi
		sleep "$(printf '%d.%03d' $((RANDOM % 3)) $((RANDOM % 1000)))"
	done
	check "turns: it is named in the end" wait_for named '["p1t1s2"]'
	check "turns: its EVs are denied" all_denied
	check_arrives "turns: traffic flows" 20 h2
	kill "$CAPTURE"
	wait "$CAPTURE"
	check_equal "turns: no packet went to it" 0 "$(captured dead)"
}

# The memory may be of another host, or of an earlier time.
test_nonsense()
{
	local file

	kill -KILL "${daemon[h1]}"
	wait "${daemon[h1]}" 2>/dev/null
	for file in /run/mrc/found-mrc0-*.json; do
		echo '{"version":1,"fault":[[[' >"$file"
	done
	start h1
	check "nonsense: it is found anew" wait_for named '["p1t1s2"]'
	check "nonsense: its EVs are denied" wait_for all_denied
}

need jq mrcd tcpdump
lab_up --planes 2 --racks 2 --spines 3 --bare-hosts
lab load
small_file h2 >"$(file_of h2)"
write_file 0
for host in h2 h1; do
	start $host
done
check "all links are alive" wait_for links_known
traffic_launch h1 h2 --iterations 0 --sizes 20K --rate 50
check_arrives "traffic flows" 20 h2
lab fail switch p1t1s2
check "T1 named" wait_for named '["p1t1s2"]'
check "its EVs are denied" wait_for all_denied
test_turns
test_nonsense
lab heal switch p1t1s2
check "mended: no fault" wait_for named '[]'
check "mended: its EVs are allowed" wait_for none_denied
capture alive
check "mended: packets go there again" wait_for captured_some alive
check_traffic_end "all of it verified" traffic_stop
finish
