#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Usage: nvme_hosts.sh target|host SHARED
#
# One of two machines, joined by two wires, each of which is a plane: NVMe over fabrics has its target on the one, and its
# host on the other, which keeps a file system there. They tell each other how far they are by files in the folder SHARED.
# The target breaks the planes. Exit status 0: all went well.

set -euo pipefail

role=$1 shared=$2
selftests=$(dirname "$(dirname "$(realpath "$0")")")
top=$(dirname "$selftests")
nvmet=/sys/kernel/config/nvmet
nqn=mrc-test
# The last digit of this machine's addresses, and of the other one's.
if [ "$role" = target ]; then mine=1 other=2; else mine=2 other=1; fi

step()
{
	echo "$role: $*"
}

# await FILE: the other machine makes it.
await()
{
	local i

	for ((i = 0; i < 3000; i++)); do
		[ ! -e "$shared/$1" ] || return 0
		[ ! -e "$shared/failed" ] || exit 1
		sleep 0.1
	done
	step "$1 does not come"
	return 1
}

ended()
{
	local status=$?

	[ "$status" -eq 0 ] || touch "$shared/failed"
	exit "$status"
}

# add_route WIRE: to the other anchor. The connection manager takes the anchor's own route, which is better.
add_route()
{
	ip -6 route replace fd00:6e76::/64 via "fd00:6e77:$1::$other" dev "plane$1" metric $((1000 + $1))
}

network()
{
	local card wire=0

	modprobe -a virtio_net sch_netem dummy rdma_ucm
	"$top/scripts/lab" load
	ip link add anchor mtu 9000 type dummy
	ip addr add "fd00:6e76::$mine/64" dev anchor
	ip link set anchor up
	rdma link add mrc0 type mrc netdev anchor
	for card in /sys/bus/virtio/drivers/virtio_net/*/net/*; do
		wire=$((wire + 1))
		ip link set "${card##*/}" name "plane$wire"
		ip addr add "fd00:6e77:$wire::$mine/64" dev "plane$wire" nodad
		ip link set "plane$wire" up
		add_route "$wire"
		"$top/build/userspace/mrcctl/mrcctl" plane add mrc0 port "$wire" netdev "plane$wire"
	done
	[ "$wire" = 2 ]
}

# errors: requests of this machine that failed, and QPs that lost their peer
errors()
{
	rdma -j statistic show link mrc0/1 | jq '.[0] | .retry_exceeded_err + .req_cqe_error + .resp_cqe_error'
}

# goes_on TITLE: the host has copied its files twice since.
goes_on()
{
	local now

	step "$1"
	now=$(find "$shared" -name 'round.*' | wc -l)
	await "round.$((now + 2))"
}

target()
{
	modprobe -a nvmet nvmet-rdma
	modprobe brd rd_size=65536 rd_nr=1
	mount -t configfs none /sys/kernel/config 2>/dev/null || true
	mkdir "$nvmet/subsystems/$nqn" "$nvmet/subsystems/$nqn/namespaces/1" "$nvmet/ports/1"
	echo 1 >"$nvmet/subsystems/$nqn/attr_allow_any_host"
	echo /dev/ram0 >"$nvmet/subsystems/$nqn/namespaces/1/device_path"
	echo 1 >"$nvmet/subsystems/$nqn/namespaces/1/enable"
	echo rdma >"$nvmet/ports/1/addr_trtype"
	echo ipv6 >"$nvmet/ports/1/addr_adrfam"
	echo "fd00:6e76::$mine" >"$nvmet/ports/1/addr_traddr"
	echo 4420 >"$nvmet/ports/1/addr_trsvcid"
	ln -s "$nvmet/subsystems/$nqn" "$nvmet/ports/1/subsystems/"
	touch "$shared/ready"
	goes_on "all is well"
	ip link set plane1 down
	goes_on "plane 1 is down"
	ip link set plane1 up
	ip addr replace "fd00:6e77:1::$mine/64" dev plane1 nodad
	add_route 1
	goes_on "plane 1 is back"
	tc qdisc add dev plane2 root netem loss 100%
	goes_on "plane 2 is dead from here on, in silence"
	tc qdisc del dev plane2 root
	goes_on "all is well again"
	touch "$shared/end"
	await left
}

host()
{
	local round disk

	modprobe nvme-rdma
	await ready
	echo "transport=rdma,traddr=fd00:6e76::$other,trsvcid=4420,nqn=$nqn,keep_alive_tmo=60" >/dev/nvme-fabrics
	for ((round = 0; round < 100; round++)); do
		[ ! -b /dev/nvme0n1 ] || break
		sleep 0.1
	done
	disk=$(mktemp -d)
	head -c 8M /dev/urandom >"$disk.data"
	mkfs.ext4 -q /dev/nvme0n1
	mount /dev/nvme0n1 "$disk"
	for ((round = 1; ; round++)); do
		cp -r "$selftests" "$disk/tree"
		cp "$disk.data" "$disk/data"
		sync
		# What is compared comes from the target again.
		echo 3 >/proc/sys/vm/drop_caches
		diff -r "$selftests" "$disk/tree"
		cmp "$disk.data" "$disk/data"
		rm -r "$disk/tree" "$disk/data"
		touch "$shared/round.$round"
		[ ! -e "$shared/end" ] || break
	done
	umount "$disk"
	echo 1 >/sys/class/nvme/nvme0/delete_controller
	touch "$shared/left"
	# A connection that was lost would have been made anew.
	! dmesg | grep -E 'nvme.*(recovery|econnect|timeout)'
}

trap ended EXIT
network
"$role"
step "failed: $(errors)"
[ "$(errors)" = 0 ]
