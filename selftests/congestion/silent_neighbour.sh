#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A next hop that does not answer neighbour solicitations holds packets, for seconds, in a queue of its
# own. These packets take no room of the plane: QPs to other next hops go on at full speed. While a next
# hop may still answer, the module sends nothing that this queue would drop.
# How late an answer is must not depend on the host.
# clock: icount

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

SILENT=fd00:6d72:70::11
SOLICITED=ff02::1:ff00:11
programs=()

# flow GID QPS: mrc_traffic from p2 to that GID of p1, until the test ends.
flow()
{
	local socket=$TEST_TMP/traffic.$2

	background ip netns exec p1 mrc_traffic server --socket "$socket" --device mrc1 --gid "$1" \
		--stall 600 >"$socket.server" 2>&1
	programs+=("$BACKGROUND_PID")
	wait_for test -S "$socket" || return
	background ip netns exec p2 mrc_traffic client --socket "$socket" --device mrc2 --iterations 0 \
		--timeout 20 --qps "$2" --sizes 64K --depth 4 --stall 600 >"$socket.client" 2>&1
	programs+=("$BACKGROUND_PID")
}

# requests_above N: p1 has executed more than N requests.
requests_above()
{
	[ "$(counter mrc1 rx_write_requests)" -gt "$1" ]
}

# acked: prints how many packets to the silent address were acknowledged
acked()
{
	on p2 mrcctl -j -s peer show mrc2 |
		jq --arg gid "$SILENT" 'map(select(."remote-gid" == $gid).acked) | add // 0'
}

# acked_above N
acked_above()
{
	[ "$(acked)" -gt "$1" ]
}

# resolved: p2 knows the link-layer address.
resolved()
{
	ip -n p2 neigh show "$SILENT" dev veth | grep -q lladdr
}

# silence: p1 answers no solicitation for the silent address, and p2 goes on asking.
silence()
{
	local to

	on p2 sysctl -qw net.ipv6.neigh.veth.mcast_solicit=600 || return
	tc -n p1 qdisc add dev veth clsact || return
	for to in "$SILENT" "$SOLICITED"; do
		tc -n p1 filter add dev veth ingress protocol ipv6 flower ip_proto icmpv6 dst_ip "$to" \
			action drop || return
	done
	# p2 may know the link-layer address.
	ip -n p2 neigh del "$SILENT" dev veth 2>/dev/null || true
}

# unresolved: p2 asks for the link-layer address, so packets wait for it.
unresolved()
{
	ip -n p2 neigh show "$SILENT" dev veth | grep -q INCOMPLETE
}

# late: p2 has forgotten the link-layer address, p1's answer takes 50 ms, and little may wait for it.
late()
{
	on p2 sysctl -qw net.ipv6.neigh.veth.unres_qlen_bytes=65536 &&
		tc -n p1 qdisc add dev veth root handle 1: prio priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 &&
		tc -n p1 qdisc add dev veth parent 1:3 netem delay 50ms &&
		tc -n p1 filter add dev veth parent 1: protocol ipv6 flower ip_proto icmpv6 classid 1:3 &&
		ip -n p2 neigh del "$SILENT" dev veth
}

# delayed: a packet of p1 took the slow way.
delayed()
{
	tc -n p1 -j -s qdisc show dev veth | jq -e 'any(.[]; .kind == "netem" and .packets > 0)' >/dev/null
}

# discards: prints how many packets the queues of all neighbours have dropped
discards()
{
	local -a name value
	local i n=0

	{
		read -ra name
		while read -ra value; do
			for i in "${!name[@]}"; do
				[ "${name[i]}" != unresolved_discards ] || n=$((n + 16#${value[i]}))
			done
		done
	} </proc/net/stat/ndisc_cache
	echo "$n"
}

need jq tc
modprobe -qa sch_netem sch_prio cls_flower
pair_up
on p1 ip addr add "$SILENT/64" dev veth nodad
reach p2 "$SILENT"
check "traffic to one next hop starts" flow "$(pair_addr 1)" 1
check "traffic to one next hop flows" wait_for requests_above 100
check "another next hop falls silent" silence
check "traffic to the silent one starts" flow "$SILENT" 16
check "traffic to the silent one waits for its address" wait_for unresolved
before=$(counter mrc1 rx_write_requests)
check "QPs to the first one go on" wait_for requests_above $((before + 500))
check "the silent one speaks again" tc -n p1 qdisc del dev veth clsact
check "traffic to it flows" wait_for acked_above 1000
check "late: the kernel counts what queues of neighbours drop" \
	grep -qw unresolved_discards /proc/net/stat/ndisc_cache
dropped=$(discards)
check "late: the address is forgotten, and its answer is late" late
check "late: the address is known again" wait_for resolved
check "late: the answer was delayed" delayed
check "late: answers are fast again" tc -n p1 qdisc del dev veth root
before=$(acked)
check "late: QPs to it go on" wait_for acked_above $((before + 1000))
# On a debug kernel an answer may take longer than the module keeps the queue short.
[ "$SLOW" -gt 1 ] || check_equal "late: its queue has dropped nothing" "$dropped" "$(discards)"
[ "$test_failed" = 0 ] || cat "$TEST_TMP"/traffic.*.{server,client} | diag
# At SIGTERM they would first finish what they have posted.
kill -KILL "${programs[@]}"
finish
