#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Queues of the sender that are too short for a window: what this host drops itself is sent again
# and counted, and no path is blamed for it. When nothing at all may leave, the QP ends.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/traffic.sh
. "$SELFTESTS/lib/traffic.sh"
# shellcheck source=selftests/lib/evs.sh
. "$SELFTESTS/lib/evs.sh"

# queues LIMIT: skbs that each plane of h1 holds for the time of a delay
queues()
{
	local plane

	for plane in 1 2; do
		tc -n h1 qdisc replace dev "eth$plane" root netem delay 2ms limit "$1" || return 1
	done
}

# What h1 holds of its EVs: states, and packets that were lost on them.
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
}

need jq tc
modprobe -qa sch_netem
lab_up --planes 2
test_short_queue
finish
