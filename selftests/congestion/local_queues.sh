#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A host that could send faster than its NIC lets it waits, instead of filling the queues of its own
# netdevs. These queues, of whichever kind, hold little and drop nothing; no EV is blamed; answers do
# not queue behind data. Where the host cannot know what waits, because it waits elsewhere, all is as
# before.
# fq_codel drops what has waited for too long, also if the machine stood still meanwhile, so the clock
# counts instructions.
# clock: icount

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# A rate below what a machine can send, and a window that would fill any queue.
RATE=40mbit
WINDOW="--qps 4 --sizes 1M --depth 2 --iterations 0"

# slow KIND...: both planes of h1 send at that rate, behind a queue of this kind
slow()
{
	local plane

	for plane in 1 2; do
		tc -n h1 qdisc replace dev "eth$plane" root handle 1: htb default 1 &&
			tc -n h1 class replace dev "eth$plane" parent 1: classid 1:1 htb \
				rate "$RATE" quantum 10000 &&
			tc -n h1 qdisc replace dev "eth$plane" parent 1:1 "$@" || return 1
	done
}

fast()
{
	tc -n h1 qdisc del dev eth1 root && tc -n h1 qdisc del dev eth2 root
}

# queued NAME: prints the sum over the inner queues of both planes
queued()
{
	{ tc -n h1 -s -j qdisc show dev eth1; tc -n h1 -s -j qdisc show dev eth2; } |
		jq -s --arg name "$1" 'map(.[] | select(.parent == "1:1") | .[$name]) | add'
}

# queued_above NAME N
queued_above()
{
	[ "$(queued "$1")" -gt "$2" ]
}

# ev_states: prints those of h1
ev_states()
{
	on h1 mrcctl -j -d peer show mrc0 | jq -c '.[0]["peer-ev"] | map(.state) | unique'
}

test_queue()
{
	local name=$1 waited most=0 now i
	shift

	check "$name: both planes of h1 are slow" slow "$@"
	waited=$(counter h1 tx_waited)
	# shellcheck disable=SC2086 # options
	traffic_launch h1 h2 $WINDOW
	check "$name: the host waits" wait_for counter_above h1 tx_waited "$((waited + 50))"
	for ((i = 0; i < 4; i++)); do
		now=$(queued backlog)
		most=$((now > most ? now : most))
	done
	check "$name: two planes hold $most bytes of the 4 MiB that windows let go" test "$most" -lt 500000
	check_arrives "$name: data flows" 100 h2
	check_equal "$name: nothing is dropped" 0 "$(queued drops)"
	check_equal "$name: all EVs are good" '["good"]' "$(ev_states)"
	check_traffic_end "$name: all arrives" traffic_stop
	check "$name: fast again" fast
}

# A qdisc that drops packets it has accepted reports this to nobody: one plane loses packets, the other
# does not.
test_dropped()
{
	local name="a qdisc drops what it has taken"

	check "$name: both planes of h1 are slow" slow pfifo limit 1000
	check "$name: plane 1 has such a qdisc" tc -n h1 qdisc replace dev eth1 parent 1:1 \
		fq_codel target 50us interval 1ms noecn
	monitor_start h1
	# shellcheck disable=SC2086 # options
	traffic_launch h1 h2 $WINDOW
	check "$name: more than 300 packets" wait_for queued_above drops 300
	# On a slow machine, EV probes may wait for too long in the pfifo of plane 2.
	check_equal "$name: no EV of plane 1 is bad" "" \
		"$(grep '"peer-ev"' "$TEST_TMP/monitor.h1" | grep '"port":1,')"
	check_traffic_end "$name: all arrives" traffic_stop
	check "$name: fast again" fast
}

# bands HOST: gives its planes a queue for each band of priorities
bands()
{
	local plane band

	for plane in 1 2; do
		tc -n "$1" qdisc replace dev "eth$plane" root handle 1: prio || return 1
		for band in 1 2 3; do
			tc -n "$1" qdisc add dev "eth$plane" parent "1:$band" pfifo limit 1000 || return 1
		done
	done
}

# band HOST N: prints the packets in band N of both planes, from 1 on
band()
{
	{ tc -n "$1" -s -j qdisc show dev eth1; tc -n "$1" -s -j qdisc show dev eth2; } |
		jq -s --arg parent "1:$2" 'map(.[] | select(.parent == $parent) | .packets) | add'
}

# Answers do not wait behind data: they have a band of their own.
test_priorities()
{
	local answers data host

	check "bands at h1" bands h1
	check "bands at h2" bands h2
	answers=$(($(counter h2 sack_sent) + $(counter h2 ack_sent)))
	data=$(counter h1 tx_packets)
	check_traffic "bands: all of it verified" h1 h2 --sizes 64K --iterations 100
	answers=$(($(counter h2 sack_sent) + $(counter h2 ack_sent) - answers))
	data=$(($(counter h1 tx_packets) - data))
	check "h2 has sent $answers answers in the first band" test "$(band h2 1)" -ge "$answers"
	# The kernel's own packets.
	check "and next to nothing in the second" test "$(band h2 2)" -lt 20
	check "h1 has sent $data packets, most of them in the second band" test \
		"$(band h1 2)" -gt $((data * 9 / 10))
	for host in h1 h2; do
		tc -n $host qdisc del dev eth1 root
		tc -n $host qdisc del dev eth2 root
	done
}

# A packet that leaves at once for a veth may wait beyond it: this host knows nothing of that.
test_elsewhere()
{
	local waited

	waited=$(counter h1 tx_waited)
	lab netem h1:eth1 delay 5ms
	check_traffic "a delay: all of it verified" h1 h2 --sizes 256K --iterations 20
	lab netem h1:eth1 off
	check_equal "a delay: nobody waits" "$waited" "$(counter h1 tx_waited)"
}

# stuck: nothing leaves h1 any more, for a while
stuck()
{
	slow pfifo limit 10000 && tc -n h1 class change dev eth1 parent 1: classid 1:1 htb rate 8bit &&
		tc -n h1 class change dev eth2 parent 1: classid 1:1 htb rate 8bit
}

# Packets that wait in a stuck queue do not hold up a program that ends.
test_gone()
{
	check "queues stand still" stuck
	# shellcheck disable=SC2086 # options
	traffic_launch h1 h2 $WINDOW --timeout 14
	check "a QP is at its end, as when nothing answers" wait_for counter_above h1 retry_exceeded_err 0
	kill -KILL "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
	traffic_end >/dev/null 2>&1
	check "the device goes" on h1 rdma link delete mrc0
	check "so do the queues" fast
}

need jq tc rdma
modprobe -qa sch_htb sch_fq_codel sch_fq sch_netem sch_prio
lab_up --planes 2
check "a window that is larger than all queues" fixed_window h1 h2
# At this rate a plane needs 26 ms to send its least room, 128 KiB, and 400 ms to send all that windows
# let go. The target is between the two, and far above the first, because a slow machine adds to it.
test_queue fq_codel fq_codel noecn target 200ms interval 1s
test_queue fq fq
test_queue pfifo pfifo limit 1000
test_dropped
check_counters_clean "$QP_ERRORS"
test_priorities
test_elsewhere
test_gone
finish
