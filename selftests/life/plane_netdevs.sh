#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All that can happen to a netdev happens to a plane's netdev: up and down, carrier, MTU, address, name,
# namespace, removal; and once more while the module is being unloaded. Kernels announce that with the
# netdev's own lock held, where its driver has one (dummy from 7.3 on, netdevsim and real NICs before).
# Code that takes this lock again waits for ever, and so do all that configure netdevs.
# kernels: all

. "$(dirname "$0")/../lib.sh"

need rdma jq

# does NAME COMMAND...: it ends, with success. A command that does not end has RTNL, so nothing can be
# cleaned up.
does()
{
	local name=$1 pid
	shift

	"$@" >"$TEST_TMP/does.log" 2>&1 &
	pid=$!
	if ! wait_for over "$pid"; then
		test_cleanups=()
		bail "$name" "does not end: $*" "$(cat "/proc/$pid/stack" 2>&1)"
	fi
	check "$name" wait "$pid"
}

over()
{
	! kill -0 "$1" 2>/dev/null
}

# plane_is STATE: the device's plane is up or down; empty: the device has no plane
plane_is()
{
	[ "$(on pn mrcctl -j plane show mrc5 | jq -r '.[]."oper-state"')" = "$1" ]
}

# follows NAME STATE COMMAND...: COMMAND succeeds, and then the plane is in this state.
follows()
{
	does "$1" "${@:3}"
	check "$1: the plane is ${2:-gone}" wait_for plane_is "$2"
}

# make KIND NAME: a netdev in the namespace of the test
make()
{
	if [ "$1" = dummy ]; then
		ip -n pn link add "$2" type dummy
	else
		on pn sh -c 'echo "1 1" >/sys/bus/netdevsim/new_device' &&
			ip -n pn link set "$(on pn ls /sys/bus/netdevsim/devices/netdevsim1/net)" name "$2"
	fi
}

# unmake KIND NAME
unmake()
{
	if [ "$1" = dummy ]; then
		ip -n pn link del "$2"
	else
		echo 1 >/sys/bus/netdevsim/del_device
	fi
}

# device KIND: up1 is its only plane.
device()
{
	make "$1" up1 && ip -n pn link set up1 mtu 1500 up &&
		on pn rdma link add mrc5 type mrc netdev anchor &&
		on pn mrcctl plane add mrc5 port 1 netdev up1
}

rename()
{
	ip -n pn -b - <<-NAMES
		link set up1 down
		link set up1 name up2
		link set up2 up
		link set up2 down
		link set up2 name up1
		link set up1 up
	NAMES
}

test_plane()
{
	local kind=$1

	check "$kind: a device" device "$kind"
	follows "$kind: down" down ip -n pn link set up1 down
	follows "$kind: up" up ip -n pn link set up1 up
	if ip -n pn link set up1 carrier off 2>/dev/null; then
		check "$kind: carrier off: the plane is down" wait_for plane_is down
		follows "$kind: carrier on" up ip -n pn link set up1 carrier on
	else
		skip "$kind: carrier" "the driver cannot change it"
	fi
	follows "$kind: MTU 1200" down ip -n pn link set up1 mtu 1200
	follows "$kind: MTU 1400" up ip -n pn link set up1 mtu 1400
	follows "$kind: another address" up ip -n pn link set up1 address 02:00:00:00:05:01
	follows "$kind: another name" up rename
	follows "$kind: to another namespace" "" ip -n pn link set up1 netns pn2
	does "$kind: and back" ip -n pn2 link set up1 netns pn
	does "$kind: up again" ip -n pn link set up1 up
	follows "$kind: it is a plane again" up on pn mrcctl plane add mrc5 port 1 netdev up1
	follows "$kind: removed" "" unmake "$kind" up1
}

# The receiver of notifications may be gone while changes go on.
test_unload()
{
	local kind=$1 changes

	make "$kind" up1 && ip -n pn link set up1 up
	on pn mrcctl plane add mrc5 port 1 netdev up1
	background bash -c 'for ((;;)); do echo link set up1 down; echo link set up1 up; done |
		ip -n pn -b -'
	changes=$BACKGROUND_PID
	does "$kind: the module goes while the netdev comes and goes" lab unload
	kill "$changes"
	wait "$changes" 2>/dev/null
	unmake "$kind" up1
	lab load
}

# A dummy as anchor is no plane; any other anchor is one.
test_anchor()
{
	local kind=$1

	make "$kind" up1
	check "$kind as anchor: a device" on pn rdma link add mrc6 type mrc netdev up1
	does "$kind as anchor: up" ip -n pn link set up1 up
	does "$kind as anchor: down" ip -n pn link set up1 down
	does "$kind as anchor: MTU" ip -n pn link set up1 mtu 1400
	does "$kind as anchor: removed" unmake "$kind" up1
	check "$kind as anchor: so is the device" wait_for no_device mrc6
}

no_device()
{
	! rdma dev show "$1"
}

# A query for a port's rate returns the last known value: it waits for no process that configures
# netdevs (RTNL).
test_rate()
{
	local trace=/sys/kernel/tracing/instances/rate

	if ! mkdir "$trace" 2>/dev/null || ! echo rtnl_lock >"$trace/set_ftrace_filter"; then
		skip "rate: without RTNL" "no tracer of functions"
		return
	fi
	at_exit rmdir "$trace"
	echo function >"$trace/current_tracer"
	check "rate: without RTNL" asked_without_rtnl "$trace" cat /sys/class/infiniband/mrc5/ports/1/rate
	check_not "rate: the tracer sees RTNL" asked_without_rtnl "$trace" \
		mrcctl -n pn plane add mrc5 port 2 netdev anchor
	echo nop >"$trace/current_tracer"
}

# asked_without_rtnl TRACE COMMAND...
asked_without_rtnl()
{
	local trace=$1
	shift

	: >"$trace/trace"
	# shellcheck disable=SC2016 # by that shell
	sh -c 'echo $$ >"$0/set_ftrace_pid" && exec "$@"' "$trace" "$@" || return 2
	! grep rtnl_lock "$trace/trace"
}

tests()
{
	test_plane "$1"
	test_unload "$1"
	test_anchor "$1"
}

if ! { ip netns add pn && ip netns add pn2; }; then
	bail "namespaces"
fi
at_exit lab unload
at_exit ip netns del pn2
at_exit ip netns del pn
ip -n pn link set lo up
ip -n pn link add anchor type dummy
ip -n pn addr add fd00:6d72:75::1/64 dev anchor nodad
ip -n pn link set anchor up
lab load || bail "module"
device dummy
test_rate
ip -n pn link del up1
on pn rdma link del mrc5
tests dummy
# Debian's kernels have none.
! modprobe -q netdevsim || tests netdevsim
finish
