#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# IPsec policies: a packet that a policy covers does not leave this host past that policy. A policy for
# the QPs' own packets stops the QPs. A policy for outer headers takes away the paths that have such
# headers, and the other paths go on. When the policy goes, all is as before.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# policy ARGUMENTS...: sets a policy of h1, for packets that leave it
policy()
{
	ip -n h1 xfrm policy add dir out "$@"
}

no_policy()
{
	ip -n h1 xfrm policy flush
}

# said FROM TO: the kernel's log has said it. It limits messages, but repeats them.
said()
{
	grep -q "an IPsec policy covers $1 to $2: MRC does not use this path" <(dmesg | tail -n 200)
}

# sent: prints the packets that both planes have sent
sent()
{
	echo $(($(plane_stat h1 1 tx-packets) + $(plane_stat h1 2 tx-packets)))
}

check_inner()
{
	local name="a policy between the GIDs" refused before

	refused=$(counter h1 tx_no_path)
	check "$name: set" policy src "$gid1" dst "$gid2" proto udp dport 4791 action block
	check "$name: packets are refused, and counted" \
		wait_for counter_above h1 tx_no_path $((refused + 10))
	before=$(sent)
	refused=$(counter h1 tx_no_path)
	check "$name: more are" wait_for counter_above h1 tx_no_path $((refused + 10))
	check_equal "$name: none has left" "$before" "$(sent)"
	check "$name: the kernel says so" wait_for said "$gid1" "$gid2"
	check_equal "$name: and so does a raw probe" "an IPsec policy covers the path" \
		"$(on h1 mrcctl -j probe mrc0 raw to "$gid2" port 1 sid "$(lab path h1 h2 1)" |
			jq -r '.[0].result[0].error')"
	check "$name: gone" no_policy
	check_recovered "$name, and gone"
}

# All paths through plane 1 begin with its switches.
check_outer()
{
	local name="a policy for outer headers of plane 1" before

	check "$name: set" policy src ::/0 dst fcbb:bb00:100::/40 proto 41 \
		tmpl src "$gid1" dst "$gid2" proto esp mode transport
	check_moves "$name: it goes on"
	before=$(plane_stat h1 1 tx-packets)
	check_moves "$name: and on"
	check_equal "$name: none has left by plane 1" "$before" "$(plane_stat h1 1 tx-packets)"
	check "$name: the kernel says so" wait_for said "$(lab sid h1)" fcbb:bb00:101:.*
	check "$name: gone" no_policy
	check_recovered "$name, and gone"
	check "$name, and gone: plane 1 carries data" plane_sends h1 1
}

TRAFFIC_TIMEOUT=17
FAULT_MESSAGES=40

need jq
modprobe -q xfrm_user || skip_all "needs xfrm_user"
lab_up --planes 2
gid1=$(lab gid h1)
gid2=$(lab gid h2)
traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --rate 40
check_moves "traffic flows"
check_inner
check_outer
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
