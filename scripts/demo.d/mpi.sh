#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What "make demo-mpi" does inside the virtual machine: a job of Open MPI runs on four hosts and two planes, and goes on
# while a link of a host is cut and a switch dies. Exit status 0: it went on in each part, all of its results are right,
# and no QP failed.

set -euo pipefail

demo=$(dirname "$(realpath "$0")")
scripts=$(dirname "$demo")
top=$(dirname "$scripts")
. "$scripts/lib/chroot.sh"

folder=$(mktemp -d)
root=$folder/root
# Each part has as many rounds and seconds as this, at least, and as many seconds at most.
part_rounds=10
part_seconds=4
part_limit=180
job=
export RDMAV_DRIVERS=$top/build/userspace/provider/libmrc

die()
{
	echo "demo-mpi: $*" >&2
	[ ! -s "$folder/job" ] || sed 's/^/  /' "$folder/job" >&2
	exit 1
}

cleanup()
{
	[ -z "$job" ] || kill "$job" 2>/dev/null || true
	"$scripts/lab" down || true
	netns_mode shared || true
	umount -R -l "$root" || true
	rm -rf "$folder"
}

# netns_mode shared|exclusive: must wait until no namespace is left, and the kernel takes its time to free them.
netns_mode()
{
	local i

	for ((i = 0; i < 100; i++)); do
		! rdma system set netns "$1" 2>/dev/null || return 0
		sleep 0.2
	done
	return 1
}

# build: the fabric. Each device belongs to its host alone, so that libraries find no other one.
build()
{
	local n

	echo "building the fabric: 4 hosts in 2 racks, 2 planes"
	modprobe rdma_ucm
	chroot_up "$("$scripts/programs")" "$root" "$top" || die "no folder for programs"
	netns_mode exclusive || die "devices cannot be a namespace's own"
	"$scripts/lab" up --planes 2 --racks 2 --hosts-per-rack 2 --management
	"$scripts/lab" load
	mount --rbind /run "$root/run"
	for n in 1 2 3 4; do
		echo "$("$scripts/lab" management h$n) h$n"
	done >>"$root/etc/hosts"
}

# gid_index: of the hosts' GIDs, which is the same for all. UCX would take the first one: programs.md says why.
gid_index()
{
	ip netns exec h1 ibv_devinfo -v |
		sed -nE "s/^\s*GID\[ *([0-9]+)\]:\s*$("$scripts/lab" gid h1), RoCE v2\$/\1/p"
}

start()
{
	local index
	local -a command

	index=$(gid_index)
	command=(mpirun --mca pml ucx -x "UCX_IB_GID_INDEX=$index" -H "h1,h2,h3,h4" python3 mpi_job.py)
	echo "  h1\$ ${command[*]}"
	echo "each round is an all-reduce and an all-to-all of four ranks, and each number is checked"
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		ip netns exec h1 timeout 900 chroot "$root" mpirun.openmpi \
		--mca plm_rsh_agent "$demo/mpi_agent.py" --mca pml ucx -x "UCX_IB_GID_INDEX=$index" \
		-H h1:1,h2:1,h3:1,h4:1 -n 4 python3 "$demo/mpi_job.py" /tmp/end >"$folder/job" 2>&1 &
	job=$!
}

# rounds: how many are complete
rounds()
{
	wc -l 2>/dev/null <"$root/tmp/end.rounds" || echo 0
}

# await_first: the job begins.
await_first()
{
	local second

	for ((second = 0; $(rounds) == 0; second++)); do
		kill -0 "$job" 2>/dev/null || die "the job has ended"
		[ $second -le $part_limit ] || die "the job does not begin"
		sleep 1
	done
}

# part TITLE: the job goes on. Prints its rounds in each second, and a line for the table in the end.
part()
{
	local title=$1 first now second=0

	first=$(rounds)
	now=$first
	while [ $((now - first)) -lt $part_rounds ] || [ $second -lt $part_seconds ]; do
		sleep 1
		second=$((second + 1))
		kill -0 "$job" 2>/dev/null || die "$title: the job has ended"
		[ $second -le $part_limit ] || die "$title: the job does not go on"
		printf '%4d s %6d rounds\n' $((SECONDS - begin)) "$(($(rounds) - now))"
		now=$(rounds)
	done
	tail -n +$((first + 1)) "$root/tmp/end.rounds" | head -n $((now - first)) |
		awk -v title="$title" -v seconds=$second '
			$1 > longest { longest = $1 }
			END { printf "  %-30s %10.1f %16.2f s\n", title, NR / seconds, longest }' >>"$folder/table"
}

# fault TEXT WORD...: what scripts/lab does
fault()
{
	"$scripts/lab" "${@:2}"
	printf '%4d s  %s\n' $((SECONDS - begin)) "$1"
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

verdict()
{
	local right errors

	touch "$root/tmp/end"
	wait "$job" || die "the job failed"
	job=
	right=$(grep -cx right "$folder/job" || true)
	errors=$(qp_errors)
	printf '\n  %-30s %10s %18s\n' "" "rounds a s" "the longest took"
	cat "$folder/table"
	printf '\nRanks whose results are all right: %s of 4\nQP errors: %s\n' "$right" "$errors"
	[ "$right" = 4 ] && [ "$errors" = 0 ]
}

trap cleanup EXIT
build
start
await_first
begin=$SECONDS
part "all is well"
fault "a link of h1 is cut" fail link h1:eth1
part "a link of h1 is cut"
fault "a switch is dead, too" fail switch p2t1s1
part "a switch is dead, too"
fault "the switch is repaired" heal switch p2t1s1
fault "the link is repaired" heal link h1:eth1
part "both are repaired"
verdict
