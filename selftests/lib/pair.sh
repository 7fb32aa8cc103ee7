# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two hosts on one Ethernet segment, for tests that need no fabric: namespaces p1 and p2, joined by a
# veth, with device mrc1 in p1 and mrc2 in p2.

pair_addr()
{
	echo "fd00:6d72:70::$1"
}

# pair_net: makes namespaces, link and addresses.
pair_net()
{
	local n

	at_exit pair_down
	if ! { ip netns add p1 && ip netns add p2; }; then
		bail "namespaces"
	fi
	# Link-local addresses work at once: UCX takes another GID while they are tentative.
	for n in 1 2; do
		ip netns exec p$n sysctl -qw net.ipv6.conf.default.accept_dad=0
	done
	ip link add veth netns p1 mtu 9000 type veth peer name veth netns p2 mtu 9000
	for n in 1 2; do
		ip -n p$n link set lo up
		ip -n p$n addr add "$(pair_addr $n)/64" dev veth nodad
		ip -n p$n addr add "10.99.0.$n/24" dev veth
		ip -n p$n link set veth up
	done
	reach p1 "$(pair_addr 2)"
}

# pair_device N [ANCHOR]: makes a device on the veth, or on another netdev.
pair_device()
{
	on "p$1" rdma link add "mrc$1" type mrc netdev "${2:-veth}"
}

# pair_up: makes all of it.
pair_up()
{
	pair_net
	lab load || bail "module"
	if ! { pair_device 1 && pair_device 2; }; then
		bail "devices"
	fi
}

pair_down()
{
	ip netns del p1
	ip netns del p2
	wait_for no_devices
	lab unload
}

no_devices()
{
	[ -z "$(rdma -j dev show | jq -r '.[].ifname | select(startswith("mrc"))')" ]
}

# traffic_start [OPTION]...: runs mrc_traffic from p2 to p1 until it is told to end; sets TRAFFIC_SERVER
# and TRAFFIC_CLIENT.
# shellcheck disable=SC2034,SC2120 # for the caller
traffic_start()
{
	local socket=$TEST_TMP/traffic.$RANDOM start

	start=$(counter mrc2 tx_packets)
	background ip netns exec p1 mrc_traffic server --socket "$socket" --device mrc1 --stall $((10 * SLOW)) \
		>"$TEST_TMP/server.log" 2>&1
	TRAFFIC_SERVER=$BACKGROUND_PID
	wait_for test -S "$socket" || bail "traffic server" "$(cat "$TEST_TMP/server.log")"
	background ip netns exec p2 mrc_traffic client --socket "$socket" --device mrc2 \
		--iterations 0 --timeout 14 --retry-cnt 7 --stall $((10 * SLOW)) "$@" >"$TEST_TMP/client.log" 2>&1
	TRAFFIC_CLIENT=$BACKGROUND_PID
	wait_for packets_flow mrc2 $((start + 1000)) || bail "traffic flows" "$(cat "$TEST_TMP/client.log")"
}

# counter DEVICE NAME
counter()
{
	echo "$(<"/sys/class/infiniband/$1/ports/1/hw_counters/$2")"
}

# packets_flow DEVICE N: it has sent at least N packets.
packets_flow()
{
	[ "$(counter "$1" tx_packets)" -ge "$2" ]
}

# ended PID: a process that was started here has ended.
ended()
{
	! kill -0 "$1" 2>/dev/null
}
