#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NVMe over fabrics, both ends of it in the kernel: a file system on a disk that the target has, with what the target
# can do (immediate data, invalidation by the target, a shared receive queue). Both ends are in one namespace, because
# NVMe knows only the first one of a host, so all data goes through one device.
# kernels: all
# timeout: 300

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

need cmp diff jq mkfs.ext4 rdma
modprobe -qa rdma_ucm nvmet nvmet-rdma nvme-rdma brd ext4 || skip_all "needs NVMe over RDMA"

NVMET=/sys/kernel/config/nvmet
NQN=mrc-test
ADDRESS=fd00:6d72:6e76::1

# device_up: a device in the namespace that this test runs in
device_up()
{
	at_exit device_down
	ip link add nvme0 type veth peer name nvme1 &&
		ip link set nvme0 up mtu 9000 && ip link set nvme1 up mtu 9000 &&
		ip addr add "$ADDRESS/64" dev nvme0 nodad && lab load &&
		rdma link add mrc1 type mrc netdev nvme0
}

device_down()
{
	no_devices || rdma link delete mrc1
	ip link delete nvme0
	lab unload
}

# target_up: exports a disk in memory.
target_up()
{
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	mkdir "$NVMET/subsystems/$NQN" "$NVMET/subsystems/$NQN/namespaces/1" "$NVMET/ports/1" || return 1
	echo 1 >"$NVMET/subsystems/$NQN/attr_allow_any_host"
	echo /dev/ram0 >"$NVMET/subsystems/$NQN/namespaces/1/device_path"
	echo 1 >"$NVMET/subsystems/$NQN/namespaces/1/enable"
	echo rdma >"$NVMET/ports/1/addr_trtype"
	echo ipv6 >"$NVMET/ports/1/addr_adrfam"
	echo "$ADDRESS" >"$NVMET/ports/1/addr_traddr"
	echo 4420 >"$NVMET/ports/1/addr_trsvcid"
	echo "$1" >"$NVMET/ports/1/param_inline_data_size"
	ln -s "$NVMET/subsystems/$NQN" "$NVMET/ports/1/subsystems/"
}

target_down()
{
	rm "$NVMET/ports/1/subsystems/$NQN"
	rmdir "$NVMET/ports/1" "$NVMET/subsystems/$NQN/namespaces/1" "$NVMET/subsystems/$NQN"
}

# host_up OPTION: connects, and waits for the disk.
host_up()
{
	echo "transport=rdma,traddr=$ADDRESS,trsvcid=4420,nqn=$NQN$1" >/dev/nvme-fabrics &&
		wait_for test -b /dev/nvme0n1
}

host_down()
{
	echo 1 >/sys/class/nvme/nvme0/delete_controller
}

# copies: a file system on the disk has what was copied to it, also after it was mounted again.
copies()
{
	mkfs.ext4 -q /dev/nvme0n1 && mount /dev/nvme0n1 "$TEST_TMP/disk" &&
		cp -r "$SELFTESTS" "$TEST_TMP/disk" && cp "$TEST_TMP/data" "$TEST_TMP/disk" &&
		umount "$TEST_TMP/disk" && mount /dev/nvme0n1 "$TEST_TMP/disk" &&
		diff -r "$SELFTESTS" "$TEST_TMP/disk/$(basename "$SELFTESTS")" &&
		cmp "$TEST_TMP/data" "$TEST_TMP/disk/data" && umount "$TEST_TMP/disk"
}

# test_disk TITLE INLINE OPTION
test_disk()
{
	check "$1: the target" target_up "$2"
	check "$1: the host connects" host_up "$3"
	check_output "$1: its regions are shown" 'mrn .*nvme' rdma -dd resource show mr
	check "$1: a file system" copies
	check "$1: the host leaves" host_down
	check "$1: the target goes" target_down
	check_equal "$1: all QPs and regions are gone" "[1,0]" \
		"$(rdma -j resource show | jq -c '.[] | select(.ifname == "mrc1") | [.qp, .mr]')"
}

errors()
{
	rdma -j statistic show link mrc1/1 | jq '.[0] | .retry_exceeded_err + .req_cqe_error + .resp_cqe_error'
}

no_disk()
{
	[ ! -e /sys/class/nvme/nvme0 ]
}

mkdir "$TEST_TMP/disk"
head -c 4M /dev/urandom >"$TEST_TMP/data"
check "a device" device_up
test_disk "default" 16384 ""
test_disk "all data by READs" 0 ",nr_io_queues=1"
modprobe -r nvmet-rdma
modprobe nvmet-rdma use_srq=1 || bail "nvmet-rdma"
test_disk "a shared receive queue" 16384 ""
check_equal "no request has failed" 0 "$(errors)"
check "the target" target_up 16384
check "the host connects" host_up ""
# Writes until there is no disk.
background sh -c 'while dd if=/dev/zero of=/dev/nvme0n1 bs=64k count=100 conv=nocreat oflag=direct; do :; done' 2>/dev/null
wait_for packets_flow mrc1 $(($(counter mrc1 tx_packets) + 10000)) || bail "traffic"
check "the device goes under traffic" rdma link delete mrc1
check "and the disk with it" wait_for no_disk
wait "$BACKGROUND_PID"
check "the target goes" target_down
finish
