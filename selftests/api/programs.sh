#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Other projects' programs on a host with mrc devices. UCX, libfabric and Open MPI run with nothing set, as
# they do without devices. Programs that look at all RDMA devices show the mrc devices: the infiniband
# collector of node_exporter, ibstat, ibstatus, rdma.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/root.sh"

need jq rdma curl
ucx()
{
	served 13337 ucx_perftest -t tag_lat -n 50 -w 5
}

ucx_lists()
{
	in_root p1 ucx_info -d
}

libfabric()
{
	served 47592 fi_pingpong -e rdm -I 10 -S 64
}

libfabric_lists()
{
	in_root p1 fi_info
}

mpi()
{
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		in_root p1 mpirun.openmpi -n 2 --oversubscribe python3 "$SELFTESTS/lib/mpi_sum.py"
}

# Debian's configuration turns some transports off that others leave on.
mpi_all()
{
	OMPI_MCA_mca_base_param_files=/dev/null mpi
}

# ends_well NAME PROGRAM
ends_well()
{
	local status=0

	"$2" >"$TEST_TMP/said" 2>&1 || status=$?
	check_equal "$1: $2: status" 0 $status
	check_equal "$1: $2: no word of trouble" "" "$(grep -iE 'error[^ ]* |warning|fatal|unusual' "$TEST_TMP/said" |
		grep -v 'error handling:')"
}

test_beside()
{
	local program

	for program in ucx ucx_lists libfabric libfabric_lists mpi mpi_all; do
		ends_well "$1" $program
	done
}

# Other drivers' devices have not changed.
test_others()
{
	modprobe -a rdma_rxe rdma_ucm 2>/dev/null || { skip "beside rdma_rxe" "not in this kernel"; return; }
	at_exit modprobe -r rdma_rxe rdma_ucm
	ip link add rxe-net type dummy
	at_exit ip link del rxe-net
	ip addr add fd00:7278:65::1/64 dev rxe-net nodad
	ip link set rxe-net up
	check "rdma_rxe beside ours" rdma link add rxe9 type rxe netdev rxe-net
	check_output "UCX has the device of rdma_rxe" 'Device: rxe9:1' in_root p1 ucx_info -d
	check_output "libfabric has the device of rdma_rxe" 'domain: rxe9' chroot "$ROOT" fi_info -p verbs
	check "rdma_rxe goes" rdma link delete rxe9
}

scrape()
{
	in_root p1 curl -sf http://127.0.0.1:9111/metrics
}

test_node_exporter()
{
	background in_root p1 prometheus-node-exporter --collector.disable-defaults --collector.infiniband \
		--web.listen-address=127.0.0.1:9111 >"$TEST_TMP/exporter.log" 2>&1
	wait_for scrape
	scrape >"$TEST_TMP/metrics"
	check "node_exporter: its collector succeeds" \
		grep -qx 'node_scrape_collector_success{collector="infiniband"} 1' "$TEST_TMP/metrics"
	check "node_exporter: the device" \
		grep -q '^node_infiniband_info{board_id="software",device="mrc1",firmware_version="[0-9.]*",hca_type="MRC"} 1' \
		"$TEST_TMP/metrics"
	check "node_exporter: what its port sends" \
		grep -q '^node_infiniband_port_data_transmitted_bytes_total{device="mrc1",port="1"} ' "$TEST_TMP/metrics"
}

test_lists()
{
	check_output "ibstat: the type" 'CA type: MRC' in_root p1 ibstat mrc1
	check_output "ibstat: the port" 'State: Active' in_root p1 ibstat mrc1 1
	check_output "ibstatus" "device 'mrc1' port 1 status" in_root p1 ibstatus mrc1
	check_output "rdma dev" 'mrc1: node_type ca' rdma dev show mrc1
	check_output "rdma link" 'link mrc1/1 state ACTIVE' rdma link show mrc1/1
	check_output "rdma resource" 'mrc1: pd 1 cq 1 qp 1' rdma resource show mrc1
	check_output "rdma statistic" 'link mrc1/1 .*tx_packets' rdma statistic show link mrc1/1
}

root_up
pair_net
test_beside "no device"
lab load || bail "module"
if ! { pair_device 1 && pair_device 2; }; then
	bail "devices"
fi
test_beside "two devices"
test_others
test_node_exporter
test_lists
finish
