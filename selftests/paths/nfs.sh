#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NFS over RDMA, both ends of it in the kernel, between two hosts and by two planes: files are copied and compared while
# a link of a host and a switch die. NFS keeps the namespaces of both hosts for good, also when nothing of it is left.
# Tests that need a machine without namespaces have one CPU, so this one has two.
# cpus: 2
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/root.sh"

need jq rdma
modprobe -qa rdma_ucm rpcrdma nfsd nfsv4 || skip_all "needs NFS and rdma_ucm"

# in_host HOST FILE WORD...: a script, in the root of other projects' programs
in_host()
{
	ip netns exec "$1" chroot "$ROOT" sh -eux "$SELFTESTS/lib/$2" "${@:3}"
}

# used HOST NAME: how often the device of the host has counted something
used()
{
	ip netns exec "$1" rdma -j statistic show link "mrc$((${1#h} - 1))/1" | jq ".[0].$2"
}

# server_up: h1 exports a folder in memory. Its daemon and the mounts that it needs stay.
server_up()
{
	mkdir -p "$ROOT"/{srv,mnt,etc,run,var/lib/nfs/{v4recovery,rpc_pipefs}}
	touch "$ROOT/var/lib/nfs/"{etab,rmtab}
	mount -t tmpfs tmpfs "$ROOT/srv"
	echo "/srv *(rw,fsid=0,no_root_squash,no_subtree_check,sync,insecure)" >"$ROOT/etc/exports"
	in_host h1 nfs_server.sh
}

no_process_in()
{
	[ -z "$(ip netns pids "$1")" ]
}

# server_down: no process and no thread stays in h1, so that the namespace can go.
server_down()
{
	local pid

	in_host h1 nfs_server_end.sh || return
	for pid in $(ip netns pids h1); do
		kill "$pid"
	done
	wait_for no_process_in h1
}

rounds()
{
	cat "$ROOT/tmp/rounds" 2>/dev/null || echo 0
}

# rounds_are N: so many, at least
rounds_are()
{
	[ "$(rounds)" -ge "$1" ]
}

# check_goes_on TITLE
check_goes_on()
{
	check "$1: it goes on" wait_for rounds_are $(($(rounds) + 2))
}

root_up
lab_up --planes 2
at_exit server_down
check "h1 exports a folder" server_up
background in_host h2 nfs_client.sh "$(lab gid h1)" >"$TEST_TMP/client" 2>&1
CLIENT=$BACKGROUND_PID
check_goes_on "all is well"
lab fail link h1:eth1
check_goes_on "a link of h1 is cut"
lab fail switch p2t1s1
check_goes_on "a switch is dead, too"
lab heal switch p2t1s1
lab heal link h1:eth1
check_goes_on "both are repaired"
touch "$ROOT/tmp/end"
check "all files are right, and the last is unmounted" wait "$CLIENT"
for name in tx_read_requests tx_write_requests tx_send_requests; do
	check "h1: $name" test "$(used h1 $name)" -gt 0
done
check_equal "no QP of h1 has failed" 0 "$(used h1 resp_cqe_error)"
check "h1 exports nothing any more" server_down
[ "$test_failed" -eq 0 ] || diag "$(tail -n 50 "$TEST_TMP/client")"
finish
