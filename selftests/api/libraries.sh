#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# UCX, libfabric and Open MPI between two hosts, each with an mrc device of its own: all transports that they have for
# such a device.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/root.sh"

need jq rdma
modprobe -q rdma_ucm || skip_all "needs rdma_ucm"

# in_root NS COMMAND...: as in lib/root.sh, but /sys has the devices of that namespace
in_root()
{
	# shellcheck disable=SC2016
	timeout $((60 * SLOW)) ip netns exec "$1" \
		sh -c 'mount -t sysfs sysfs "$0/sys" && exec chroot "$0" "$@"' "$ROOT" "${@:2}"
}

# used NAME: how often the device in p2 has counted something
used()
{
	ip netns exec p2 rdma -j statistic show link mrc2/1 | jq ".[0].$1"
}

# works TITLE COUNTER COMMAND...: the command succeeds, and the device was used for it.
works()
{
	local title=$1 counter=$2 before
	shift 2

	before=$(used "$counter")
	check "$title" "$@"
	check "$title: $counter" test "$(used "$counter")" -gt "$before"
}

# perf TRANSPORTS TEST SIZE
perf()
{
	served 13337 env UCX_TLS="$1,self" ucx_perftest -t "$2" -n 50 -w 5 -s "$3"
}

test_ucx()
{
	local kind size

	for size in 8 100000; do
		for kind in tag_lat tag_bw ucp_put_bw ucp_get stream_bw; do
			works "UCX, rc, $kind, $size bytes" tx_packets perf rc_v $kind $size
			works "UCX, ud, $kind, $size bytes" tx_datagrams perf ud_v $kind $size
		done
	done
	for kind in ucp_fadd ucp_swap ucp_cswap; do
		works "UCX, rc, $kind" tx_packets perf rc_v $kind 8
	done
	works "UCX, rc and ud, 1 MB" tx_packets perf rc_v,ud_v tag_bw 1000000
}

# fabric PROVIDER ENDPOINT
fabric()
{
	served 47592 fi_pingpong -p "$1" -e "$2" -I 10
}

test_libfabric()
{
	works "libfabric, messages" tx_send_requests fabric verbs msg
	works "libfabric, datagrams" tx_datagrams fabric verbs dgram
	works "libfabric, ofi_rxd" tx_datagrams fabric "verbs;ofi_rxd" rdm
	works "libfabric, ofi_rxm" tx_send_requests fabric "verbs;ofi_rxm" rdm
}

# mpi OPTION...: a sum over both hosts
mpi()
{
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		in_root p1 mpirun.openmpi --mca plm_rsh_agent "$TOP/scripts/demo.d/mpi_agent.py" -H p1:1,p2:1 -n 2 "$@" \
		python3 "$SELFTESTS/lib/mpi_sum.py"
}

test_mpi()
{
	mkdir -p "$ROOT/run"
	mount --rbind /run "$ROOT/run"
	printf '10.99.0.1 p1\n10.99.0.2 p2\n' >>"$ROOT/etc/hosts"
	works "Open MPI over UCX" tx_send_requests mpi --mca pml ucx
	works "Open MPI over UCX, ud" tx_datagrams mpi --mca pml ucx -x UCX_TLS=ud_v,self
	works "Open MPI over libfabric" tx_send_requests mpi --mca pml cm --mca mtl ofi
}

test_nothing_failed()
{
	check_equal "no request failed" "0 0" "$(used req_cqe_error) $(used resp_cqe_error)"
}

# Each host sees its own device only, as hosts do. Namespaces of tests before this one go a moment later.
root_up
wait_for rdma system set netns exclusive || skip_all "devices cannot be a namespace's own"
at_exit wait_for rdma system set netns shared
pair_up
test_ucx
test_libfabric
test_mpi
test_nothing_failed
finish
