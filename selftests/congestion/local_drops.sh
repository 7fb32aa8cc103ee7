#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What this host does not let out is sent again and counted, and the network is not blamed for it.
# Queues that are too short for a window make no EV bad. An EV that a firewall refuses is not used while
# the firewall does so.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# queues LIMIT: delays the packets of each plane of h1, and holds at most LIMIT skbs
queues()
{
	local plane

	for plane in 1 2; do
		tc -n h1 qdisc replace dev "eth$plane" root netem delay 2ms limit "$1" || return 1
	done
}

# h1's EVs: their states, and the packets that were lost on them.
evs()
{
	on h1 mrcctl -j -d -s peer show mrc0 | jq -c '.[0]["peer-ev"] |
		[(map(.state) | unique), (map(.lost) | add)]'
}

test_short_queue()
{
	local name="short queues"

	monitor_start h1
	check "$name: three skbs a plane" queues 3
	traffic_launch h1 h2 --sizes 1M --iterations 0 --depth 4
	check "$name: packets are dropped here" wait_for counter_above h1 tx_dropped 200
	check_equal "$name: all EVs are good, and lost nothing" '[["good"],0]' "$(evs)"
	check_traffic_end "$name: all arrives" traffic_stop
	check_not "$name: nobody was told of a loss" event h1 '.event == "peer-ev"'
	tc -n h1 qdisc del dev eth1 root
	tc -n h1 qdisc del dev eth2 root
}

# firewall_refuses: the firewall of h1 refuses what it sends through the fabric by plane 1
firewall_refuses()
{
	on h1 nft -f - <<-RULES
		table ip6 plane1 {
			chain output {
				type filter hook output priority 0;
				oifname eth1 meta l4proto ipv6 drop
			}
		}
	RULES
}

# plane_evs STATE...: the EVs of plane 1 of h1 are in this state, those of plane 2 in use
plane_evs()
{
	on h1 mrcctl -j -d peer show mrc0 | jq -e --arg state "$1" '.[0]["peer-ev"] |
		all(if .port == 1 then .state == $state else .state == "good" or .state == "skip" end)'
}

# held: prints the packets that h1 has held to be lost, and those that EVs are blamed for
held()
{
	echo "$(held_lost h1) $(evs | jq '.[1]')"
}

test_firewall()
{
	local name="a firewall on plane 1" before lost

	traffic_launch h1 h2 --both --iterations 0 --sizes 64K,100 --depth 4
	check_arrives "$name: before it traffic flows" 50 h1 h2
	lost=$(held)
	check "$name: set" firewall_refuses
	check "$name: its EVs are out" wait_for plane_evs assumed-bad
	check "$name: and the reason is told" wait_for event h1 \
		'.event == "peer-ev" and .reason == "refused by this host" and .port == 1'
	check_not "$name: no other reason is" event h1 \
		'.event == "peer-ev" and .state == "assumed-bad" and .reason != "refused by this host"'
	before=$(plane_stat h1 1 tx-packets)
	check_arrives "$name: data goes on" 200 h1 h2
	check_equal "$name: none of it by plane 1" "$before" "$(plane_stat h1 1 tx-packets)"
	check "$name: its EVs are out all the time" plane_evs assumed-bad
	check_equal "$name: nothing was held to be lost" "$lost" "$(held)"
	check "$name: gone" on h1 nft delete table ip6 plane1
	check "$name, and gone: all EVs are good again" wait_for all_good
	check "$name, and gone: plane 1 carries data" plane_sends h1 1
	check_traffic_end "$name: all of it verified" traffic_stop
	check_counters_clean "$QP_ERRORS"
}

need jq tc nft
modprobe -qa sch_netem nf_tables
lab_up --planes 2
test_short_queue
test_firewall
finish
