#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A job of Open MPI on four hosts and two planes goes on while a host's link and a switch die, and its sums are
# right.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/root.sh"

need jq rdma
modprobe -q rdma_ucm || skip_all "needs rdma_ucm"

# gid_index: of the hosts' GIDs, which is the same for all
gid_index()
{
	ip netns exec h1 ibv_devinfo -v | sed -nE "s/^\s*GID\[ *([0-9]+)\]:\s*$(lab gid h1), RoCE v2\$/\1/p"
}

rounds()
{
	cat "$ROOT/tmp/end.rounds" 2>/dev/null || echo 0
}

# rounds_are N: so many, at least
rounds_are()
{
	[ "$(rounds)" -ge "$1" ]
}

# check_goes_on TITLE
check_goes_on()
{
	check "$1: it goes on" wait_for rounds_are $(($(rounds) + 10))
}

# job_start OPTION...
job_start()
{
	rm -f "$ROOT/tmp/end" "$ROOT/tmp/end.rounds"
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		background ip netns exec h1 timeout $((300 * SLOW)) chroot "$ROOT" mpirun.openmpi \
		--mca plm_rsh_agent "$SELFTESTS/lib/mpi_agent.py" -H h1:1,h2:1,h3:1,h4:1 -n 4 "$@" \
		python3 "$SELFTESTS/lib/mpi_job.py" /tmp/end >"$TEST_TMP/job" 2>&1
	JOB=$BACKGROUND_PID
}

job_end()
{
	touch "$ROOT/tmp/end"
	wait "$JOB"
}

# qp_errors: of all hosts
qp_errors()
{
	local n

	for n in 1 2 3 4; do
		ip netns exec h$n rdma -j statistic show link mrc$((n - 1))/1 |
			jq '.[0] | .retry_exceeded_err + .req_cqe_error + .resp_cqe_error'
	done | jq -s add
}

# check_job NAME OPTION...
check_job()
{
	local name=$1
	shift

	job_start "$@"
	check "$name: it runs" wait_for rounds_are 5
	lab fail link h1:eth1
	check_goes_on "$name, a link of h1 is cut"
	lab fail switch p2t1s1
	check_goes_on "$name, a switch is dead, too"
	lab heal switch p2t1s1
	lab heal link h1:eth1
	check_goes_on "$name, both are repaired"
	check "$name: it ends well" job_end
	check_equal "$name: all sums are right" 4 "$(grep -cx right "$TEST_TMP/job")"
	check_equal "$name: no QP has failed" 0 "$(qp_errors)"
	diag "$(grep rounds "$TEST_TMP/job")"
}

root_up
wait_for rdma system set netns exclusive || skip_all "devices cannot be a namespace's own"
at_exit wait_for rdma system set netns shared
lab_up --planes 2 --racks 2 --hosts-per-rack 2 --management
mkdir -p "$ROOT/run"
mount --rbind /run "$ROOT/run"
for n in 1 2 3 4; do
	echo "$(lab management h$n) h$n"
done >>"$ROOT/etc/hosts"
# The first GID of an anchor that is a dummy leads nowhere: see Documentation/programs.md.
check_job "Open MPI over UCX" --mca pml ucx -x UCX_IB_GID_INDEX="$(gid_index)"
finish
