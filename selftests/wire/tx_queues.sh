#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A netdev with a transmit queue per CPU (XPS): packets of an EV take one queue, although data leaves on
# one CPU and answers on another, so that they stay in order.
# cpus: 2

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# queue_of_cpu N: queue N takes what CPU N sends, and counts it
queue_of_cpu()
{
	echo $((1 << $1)) >"/sys/class/net/eth1/queues/tx-$1/xps_cpus" &&
		tc qdisc replace dev eth1 parent "1:$(($1 + 1))" pfifo limit 1000
}

two_queues()
{
	ethtool -L eth1 tx 2 rx 2 &&
		tc qdisc replace dev eth1 root handle 1: mq &&
		queue_of_cpu 0 && queue_of_cpu 1
}

# sent: prints the packets of each queue
sent()
{
	on h1 tc -s -j qdisc show dev eth1 |
		jq -c 'map(select(.kind == "pfifo")) | sort_by(.parent) | map(.packets)'
}

# since BEFORE: prints what each queue has sent since then, the lower number first
since()
{
	jq -nc --argjson before "$1" --argjson now "$(sent)" \
		'[$now, $before] | transpose | map(.[0] - .[1]) | sort'
}

# check_since NAME CONDITION: it is true of what each queue has sent since $before
check_since()
{
	local packets
	packets=$(since "$before")

	check_equal "$1: $packets" true "$(jq "$2" <<<"$packets")"
}

# has_address HOST IF: it has a link-local address that is not tentative any more
has_address()
{
	[ -n "$(ip -n "$1" -6 addr show dev "$2" scope link -tentative)" ]
}

need jq tc ethtool taskset
modprobe -qa sch_mq sch_fifo
lab_up --planes 1 --spines 1
export -f two_queues queue_of_cpu
check "a queue for each CPU" on h1 bash -c two_queues
check "an address to send from" wait_for has_address h1 eth1
before=$(sent)
# 50 packets, neither more nor fewer: ping ends after 50 answers or errors.
for cpu in 0 1; do
	on h1 taskset -c $cpu bash -c 'for i in {1..50}; do echo >&3; done 3>/dev/udp/ff02::1%eth1/9'
done
check_since "both CPUs have their own" '.[0] >= 50 and .[1] >= 50'
before=$(sent)
traffic_launch h1 h2 --both --iterations 0 --sizes 64K --depth 2
taskset -acp 0 "$TRAFFIC_CLIENT" >/dev/null
taskset -acp 1 "$TRAFFIC_SERVER" >/dev/null
check "data flows both ways" wait_for counter_above h1 rx_write_requests 200
check_traffic_end "all verified" traffic_stop
# Neighbours and the kernel's own packets take the queue of their CPU.
check_since "one EV, one queue" '.[0] < 20 and .[1] > 1000'
finish
