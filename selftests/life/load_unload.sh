#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that need the module load it, if it is installed. It is loaded and unloaded 30 times, with
# devices, planes, profiles and sometimes QPs that were made with it; the kernel's memory does not grow.
# kmemleak (the debug kernel) finds small objects that are lost with a device.
# timeout: 1800
# kernels: all
# cpus: 2

. "$(dirname "$0")/../lib.sh"

TURNS=30
# Every third round makes and removes this many times three QPs.
RENEWALS=20
# KiB per round, 320 in all: less than one for each QP, if each lost memory. The kernel's own noise:
# once 160 in these rounds, less than 140 in twice 130 rounds.
LEAK_KIB=16

# kernel_memory: prints the KiB that the kernel holds for itself, without what belongs to processes.
kernel_memory()
{
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { n += $2 } END { print n }' /proc/meminfo
}

namespace()
{
	ip netns add lu && ip -n lu link set lo up
	ip -n lu link add anchor type dummy
	ip -n lu link add port1 type veth peer name port2
	ip -n lu addr add fd00:6d72:74::1/64 dev anchor nodad
	ip -n lu link set anchor up
	ip -n lu link set port1 up
	ip -n lu link set port2 up
}

configure()
{
	on lu rdma link add mrc7 type mrc netdev anchor && on lu mrcctl -b - <<-COMMANDS
		plane add mrc7 port 1 netdev port1
		plane add mrc7 port 2 netdev port2
		ev-profile add mrc7 9 format srv6 ev port 1 sid fcbb:bb00:1:: ev port 2 sid fcbb:bb00:2::
		route add mrc7 fd00:6d72:74::2/128 ev-profile 9
	COMMANDS
}

qps_come_and_go()
{
	local -i n

	for ((n = 0; n < RENEWALS; n++)); do
		echo "renew 14 7"
	done | mrc_hold -n lu mrc7 >/dev/null
}

turn()
{
	lab load || return
	case $(($1 % 3)) in
	0) ;;
	1) configure || return ;;
	2) configure && qps_come_and_go || return ;;
	esac
	rmmod mrc
}

is_loaded()
{
	test -d /sys/module/mrc
}

# install_module RELEASE: puts the module where modprobe looks, in place of all other modules, for which
# depmod would take minutes. The modules that it needs are loaded already.
install_module()
{
	local module=$TOP/build/modules/${VM_KERNEL:-$1}/mrc.ko there=$TEST_TMP/lib/modules/$1

	[ -e "$module" ] && lab load && rmmod mrc && mkdir -p "$there" &&
		cp "$module" "$there/" && depmod -b "$TEST_TMP" "$1" &&
		mount --bind "$there" "/lib/modules/$1"
}

# lu_file: the file of a host with one plane, which mrcd keeps so
lu_file()
{
	cat <<-EOF
		[fabric]
		block = "fcbb:bb00::/32"
		planes = 1
		[t0]
		p1t0r1 = { plane = 1, rack = "r1", usid = 0x0101 }
		[hosts]
		lu = { rack = "r1", usid = 0xf001, gid = "fd00:6d72:74::1" }
		[local]
		host = "lu"
		device = "mrc7"
		anchor = "anchor"
		planes = ["port1"]
	EOF
}

daemon_says()
{
	[ "$(on lu mrcctl daemon show mrc7)" = "mrc7 status $1" ]
}

# After a user unloads the module, for another one, say, it is not loaded again: neither when its
# devices go, which mrcd is told of, nor when mrcd looks for it.
test_stays_unloaded()
{
	local seen=away n pid

	lu_file >"$TEST_TMP/lu.toml"
	modprobe mrc || bail "installed: modprobe"
	background ip netns exec lu mrcd -f "$TEST_TMP/lu.toml" 2>"$TEST_TMP/mrcd.log"
	pid=$BACKGROUND_PID
	check "mrcd: as planned" wait_for daemon_says "as planned"
	check "mrcd: unloaded under it" lab unload
	for ((n = 0; n < 40; n++)); do
		! is_loaded || seen="there at look $n"
		nap 0.1
	done
	check_equal "mrcd: it stays away" away "$seen"
	check "mrcd: it says so" daemon_says "the module is not loaded"
	on lu mrcd --plan "$TEST_TMP/lu.toml" >/dev/null 2>&1
	check_not "mrcd: a plan does not load it either" is_loaded
	check "mrcd: loaded" modprobe mrc
	check "mrcd: as planned again" wait_for daemon_says "as planned"
	kill "$pid"
	wait "$pid"
	check "mrcd: unloaded in the end" lab unload
}

test_autoload()
{
	local modules release

	release=$(uname -r)
	modules=/lib/modules/$release
	install_module "$release" >"$TEST_TMP/install.log" 2>&1 ||
		bail "installed" "$(cat "$TEST_TMP/install.log")"
	at_exit umount "$modules"
	check "installed: mrcctl feature" mrcctl feature
	check_not "installed: mrcctl feature has not loaded it" is_loaded
	check "installed: rdma link add loads it" on lu rdma link add mrc7 type mrc netdev anchor
	check "installed: and makes a device" rdma dev show mrc7
	check "installed: unloaded" rmmod mrc
	check "installed: mrcctl device says that it is away" grep -q "not loaded" <(mrcctl device 2>&1)
	check_not "installed: and does not load it" is_loaded
	test_stays_unloaded
	umount "$modules"
}

need mrc_hold mrcctl mrcd jq depmod
namespace
at_exit ip netns del lu
at_exit lab unload
test_autoload
for i in $(seq $TURNS); do
	if ! turn "$i" >"$TEST_TMP/turn.log" 2>&1; then
		bail "loaded and unloaded $TURNS times" "stopped at $i" "$(cat "$TEST_TMP/turn.log")"
	fi
	[ "$i" != 10 ] || before=$(kernel_memory)
done
ok "loaded and unloaded $TURNS times"
after=$(kernel_memory)
diag <<<"kernel memory: $before KiB after 10 turns, $after KiB after $TURNS"
# With KASAN, freed memory counts as long as it is quarantined. There kmemleak looks for lost memory, at
# the end of the file.
[ -e /sys/kernel/debug/kmemleak ] ||
	check "memory does not grow" test $((after - before)) -lt $(((TURNS - 10) * LEAK_KIB))
finish
