#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Devices belong to their namespaces: equal addresses in another namespace do not hear each other. Tests
# a device in the initial namespace, and loopback within a device and within a host.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/hold.sh"

# Addresses of both ends of every link in this file.
addr()
{
	echo "fd00:6d72:75::$1"
}

device_counters()
{
	local dir=/sys/class/infiniband/$1/ports/1/hw_counters

	grep -H . "$dir"/* | grep -v lifespan
}

rx_packets()
{
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/rx_packets"
}

# port NS NAME N: gives it its address, and sets it up.
port()
{
	ip -n "$1" link set lo up
	ip -n "$1" addr add "$(addr "$3")/64" dev "$2" nodad
	ip -n "$1" link set "$2" up
}

# two_hosts NAME: namespaces NAMEa and NAMEb on one segment, devices mrcNAMEa and mrcNAMEb.
two_hosts()
{
	local name=$1

	at_exit ip netns del "${name}a"
	at_exit ip netns del "${name}b"
	if ! { ip netns add "${name}a" && ip netns add "${name}b"; }; then
		bail "namespaces"
	fi
	ip link add eth netns "${name}a" mtu 9000 type veth peer name eth netns "${name}b" mtu 9000
	port "${name}a" eth 1
	port "${name}b" eth 2
	reach "${name}a" "$(addr 2)"
	check "device mrc${name}a" on "${name}a" rdma link add "mrc${name}a" type mrc netdev eth
	check "device mrc${name}b" on "${name}b" rdma link add "mrc${name}b" type mrc netdev eth
}

# pair_writes NAME OPTION...: two QPs write to each other, once.
pair_writes()
{
	local name=$1
	shift

	hold_start "$@"
	hold_write "$name"
	hold_stop
}

test_equal_addresses()
{
	two_hosts x
	two_hosts y
	device_counters mrcya >"$TEST_TMP/before"
	device_counters mrcyb >>"$TEST_TMP/before"
	hold_start -n xa mrcxa -N xb mrcxb
	hold_write "equal addresses: data flows"
	check "equal addresses: packets were received" test "$(rx_packets mrcxb)" -ge 20
	sleep 0.1 # sysfs shows counters that are some milliseconds old
	device_counters mrcya >"$TEST_TMP/after"
	device_counters mrcyb >>"$TEST_TMP/after"
	check "equal addresses: the other pair hears nothing" cmp "$TEST_TMP/before" "$TEST_TMP/after"

	# A write that is right for a QP of x, on the link of y.
	check "equal addresses: a stray has no QP here" python3 "$SELFTESTS/lib/inject.py" stray \
		--held "$HOLD_FILE" --device mrcyb --expect rx_drop_no_qp --via ya:eth \
		--to yb:eth
	hold_write "equal addresses: the QP that was meant goes on"
	hold_stop
}

# answers DEVICE GID: prints its answers to an EV probe from there
answers()
{
	on xa mrcctl -j probe "$1" remote "$2" | jq -e '[.[0].result[] | select(."rtt-ns" > 0)] | length > 0'
}

test_loopback()
{
	pair_writes "loopback: two QPs of one device" -n xa mrcxa
	ip -n xa link add two type dummy
	ip -n xa addr add fd00:6d72:76::1/64 dev two nodad
	ip -n xa link set two up
	check "loopback: a second device" on xa rdma link add mrcxc type mrc netdev two
	hold_start -n xa mrcxa -N xa mrcxc
	hold_write "loopback: two devices of one host"
	# Each device is asked for its own addresses.
	check "loopback: the second device answers the first" answers mrcxa fd00:6d72:76::1
	check "loopback: the first device answers the second" answers mrcxc "$(addr 1)"
	hold_stop
	check_equal "loopback: nothing left through the wire" 0 "$(
		on xa mrcctl -j -s plane show mrcxa | jq '[.[].stats["tx-packets"]] | add' |
			awk -v base="$1" '{ print $1 - base }')"
}

test_initial_namespace()
{
	at_exit ip netns del z
	ip netns add z
	ip link add mrcinit mtu 9000 type veth peer name eth netns z mtu 9000
	at_exit ip link del mrcinit
	ip addr add "$(addr 1)/64" dev mrcinit nodad
	ip link set mrcinit up
	port z eth 2
	reach z "$(addr 1)"
	check "initial namespace: device" rdma link add mrcz1 type mrc netdev mrcinit
	check "initial namespace: its peer" on z rdma link add mrcz2 type mrc netdev eth
	pair_writes "initial namespace: data flows" mrcz1 -N z mrcz2
	check "initial namespace: device goes" rdma link delete mrcz1
}

need jq python3 mrc_hold
lab load || bail "module"
at_exit lab unload
test_equal_addresses
test_loopback "$(on xa mrcctl -j -s plane show mrcxa | jq '[.[].stats["tx-packets"]] | add')"
test_initial_namespace
finish
