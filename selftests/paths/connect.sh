#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Connections are set up while planes are dead. The connection manager's datagrams go out twice, by two planes, one after
# the other. So they need no repetition, which would take seconds, if no two neighbours are dead.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

need jq tc rping rdma

is_bound()
{
	[ "$(ip netns exec h1 rdma -j resource show cm_id | jq length)" -gt 0 ]
}

# connects TITLE: a new connection between the hosts, and some traffic.
connects()
{
	local addr

	addr=$(lab gid h1)
	background ip netns exec h1 timeout $((60 * SLOW)) rping -s -V -C 5 -a "$addr" >"$TEST_TMP/server.log" 2>&1
	wait_for is_bound
	check "$1" ip netns exec h2 timeout $((60 * SLOW)) rping -c -V -C 5 -a "$addr"
	wait "$BACKGROUND_PID" || diag "$(cat "$TEST_TMP/server.log")"
}

# How often the connection managers of both hosts have repeated something by themselves, and not because of a duplicate.
repetitions()
{
	grep -H -v '^0$' /sys/class/infiniband/mrc[01]/ports/1/cm_tx_retries/{req,rep,dreq}
}

modprobe -qa sch_netem rdma_ucm
lab_up --planes 4
at_exit modprobe -r rdma_ucm
connects "all is well"
for host in h1 h2; do
	lab fail link $host:eth1
	lab fail link $host:eth3
	for round in 1 2 3; do
		connects "two links of $host are cut, connection $round"
	done
	lab heal link $host:eth1
	lab heal link $host:eth3
done
# Carrier stays: only what is lost tells.
lab netem h1:eth1 loss 100%
lab netem h2:eth3 loss 100%
for round in 1 2 3 4 5 6; do
	connects "a plane is silently dead in each direction, connection $round"
done
check_equal "nothing was repeated" "" "$(repetitions)"
lab netem h1:eth1 off
lab netem h2:eth3 off
connects "healed"
finish
