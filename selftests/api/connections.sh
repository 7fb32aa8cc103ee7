#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that connect by the connection manager (librdmacm), and programs that send datagrams: those of rdma-core
# and perftest, as they come with the distribution, with the options that people use.
# kernels: all
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/programs.sh"

need rping ucmatose udaddy ib_send_bw ib_send_lat ib_write_bw ib_read_bw ibv_ud_pingpong jq rdma
modprobe -q rdma_ucm || skip_all "needs rdma_ucm"

# is_bound HOST: a program there listens with the connection manager, or has a QP of its own.
is_bound()
{
	[ "$(ip netns exec "$1" rdma -j resource show cm_id | jq length)" -gt 0 ]
}

# between SERVER -- CLIENT: runs the first command in p1 and the second one in p2; both must succeed.
between()
{
	local server=() status=0

	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	background ip netns exec p1 timeout $((60 * SLOW)) "${server[@]}" >"$TEST_TMP/server.log" 2>&1
	wait_for is_bound p1 || status=1
	on p2 timeout $((60 * SLOW)) "$@" >"$TEST_TMP/client.log" 2>&1 || status=1
	[ "$status" -eq 0 ] || kill "$BACKGROUND_PID" 2>/dev/null
	wait "$BACKGROUND_PID" || status=1
	[ "$status" -eq 0 ] || sed 's/^/  /' "$TEST_TMP/server.log" "$TEST_TMP/client.log"
	return "$status"
}

# A GSI for each device, and nothing else: the kernel's connection manager has opened them.
test_gsi()
{
	check_output "the kernel has a GSI of each device" '"type":"GSI","state":"RTS"' rdma -j resource show qp link mrc1
	check_output "an endpoint of verbs says so, too" 'mrc2/1 lqpn 1 type GSI state RTS' rdma resource show qp link mrc2
}

test_programs()
{
	local a b

	a=$(pair_addr 1)
	b=$(pair_addr 2)
	check "rping" between rping -s -V -C 20 -a "$a" -- rping -c -V -C 20 -a "$a" -I "$b"
	check "rping, any address, 10 KB" between rping -s -V -S 10000 -C 20 -a ::0 -- \
		rping -c -V -S 10000 -C 20 -a "$a"
	check "ucmatose, 20 connections" between ucmatose -f ip6 -c 20 -b "$a" -- ucmatose -f ip6 -c 20 -s "$a"
	check "udaddy, 10 QPs" between udaddy -b "$a" -c 10 -- udaddy -s "$a" -b "$b" -c 10
	a=10.99.0.1
	check "rping, IPv4" between rping -s -V -C 20 -a "$a" -- rping -c -V -C 20 -a "$a"
	check "udaddy, IPv4" between udaddy -b "$a" -c 5 -- udaddy -s "$a" -c 5
	check "ib_write_bw -R" between ib_write_bw -R -F -n 500 -d mrc1 -- ib_write_bw -R -F -n 500 -d mrc2 "$a"
	check "ib_read_bw -R, 4 QPs" between ib_read_bw -R -F -q 4 -n 200 -d mrc1 -- \
		ib_read_bw -R -F -q 4 -n 200 -d mrc2 "$a"
	check "ib_send_bw -R, both directions" between ib_send_bw -R -F -b -n 500 -d mrc1 -- \
		ib_send_bw -R -F -b -n 500 -d mrc2 "$a"
	check "ib_send_bw -R -c UD" between ib_send_bw -R -c UD -F -s 1024 -n 500 -d mrc1 -- \
		ib_send_bw -R -c UD -F -s 1024 -n 500 -d mrc2 "$a"
}

# fails_with PATTERN TITLE COMMAND [ARG]...: the command fails, and says why.
fails_with()
{
	local pattern=$1 title=$2
	shift 2

	check_not "$title" timeout 10 "$@"
	"$@" >"$TEST_TMP/said" 2>&1
	check "$title: it says why" grep -q "$pattern" "$TEST_TMP/said"
}

# The client learns of it at once, not by a timeout.
test_refused()
{
	fails_with "RDMA_CM_EVENT_REJECTED, error 8" "nobody listens" \
		on p2 rping -c -C 1 -a "$(pair_addr 1)"
}

# A program cannot send MADs to the GSI of this host, from whatever address.
test_forged()
{
	local before

	before=$(count 1 rx_drop_ingress)
	on p1 python3 - "$(pair_addr 1)" <<-'SEND'
		import socket, struct, sys
		s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
		s.bind(("::1", 0))
		bth = struct.pack("!BBHIIIIB", 0x64, 0, 0xFFFF, 1, 5, 0x80010000, 0x123, 0)
		s.sendto(bth.ljust(12 + 8 + 256 + 4, b"\0"), (sys.argv[1], 4791))
	SEND
	check "a program's datagram is dropped" wait_for test "$(count 1 rx_drop_ingress)" -gt "$before"
}

test_datagrams()
{
	check "ibv_ud_pingpong" run -g ibv_ud_pingpong -n 500
	check "ibv_ud_pingpong, events" run -g ibv_ud_pingpong -n 200 -e
	check "ib_send_bw -c UD" run -x ib_send_bw -F -c UD -s 2048 -n 1000
	check "ib_send_bw -c UD, all sizes" run -x ib_send_bw -F -c UD -a -n 100
	check "ib_send_bw -c UD, inline" run -x ib_send_bw -F -c UD -I 200 -s 200 -n 500
	check "ib_send_bw -c UD, events" run -x ib_send_bw -F -c UD -e -n 300
	check "ib_send_lat -c UD" run -x ib_send_lat -F -c UD -n 500
}

test_counters()
{
	check "counter: datagrams sent" test "$(count 2 tx_datagrams)" -gt 3000
	check "counter: datagrams received" test "$(count 1 rx_datagrams)" -gt 3000
	check_nothing_failed
}

# off: what is not MRC 1.0 is refused, at both ends.
test_extensions()
{
	check "off at the server" on p1 mrcctl device set mrc1 extensions off
	check_not "no connection" on p2 timeout 3 rping -c -C 1 -a "$(pair_addr 1)"
	check "its datagrams are dropped" test "$(count 1 rx_drop_opcode)" -ge 1
	check "off at the client, too" on p2 mrcctl device set mrc2 extensions off
	check_not "it fails at once" on p2 timeout 3 rping -c -C 1 -a "$(pair_addr 1)"
	check_not "no UD QPs" on p2 ibv_ud_pingpong -d mrc2 -g "$(gid_index 2)"
	check "on again" on p1 mrcctl device set mrc1 extensions on
	check "on again at the client" on p2 mrcctl device set mrc2 extensions on
	check "connections are back" between rping -s -C 5 -a "$(pair_addr 1)" -- rping -c -C 5 -a "$(pair_addr 1)"
}

# A device goes while connections are up, and while a program listens.
test_device_goes()
{
	background ip netns exec p1 rping -s -P -a "$(pair_addr 1)" >"$TEST_TMP/server.log" 2>&1
	wait_for is_bound p1
	background ip netns exec p2 rping -c -a "$(pair_addr 1)" -C 100000 >"$TEST_TMP/client.log" 2>&1
	nap 1
	check "the client's device goes" on p2 rdma link delete mrc2
	check "its program has ended" wait_for ended "$BACKGROUND_PID"
	check "the server's device goes" on p1 rdma link delete mrc1
	check "devices come back" pair_device 1
	check "and the client's" pair_device 2
	check "a connection" between rping -s -C 5 -a "$(pair_addr 1)" -- rping -c -C 5 -a "$(pair_addr 1)"
}

pair_up
at_exit modprobe -r rdma_ucm
test_gsi
test_programs
test_refused
test_forged
test_datagrams
test_counters
test_extensions
test_device_goes
finish
