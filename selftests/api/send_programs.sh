#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that SEND: perftest and the pingpongs of libibverbs, as they come with the distribution, with the options
# that people use. And what they are told where extensions are off.
# kernels: all
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/programs.sh"

need ib_send_bw ib_send_lat ibv_rc_pingpong ibv_srq_pingpong jq

test_perftest()
{
	check "ib_send_bw, all sizes" run -x ib_send_bw -F -a -n 10
	check "ib_send_bw, both directions" run -x ib_send_bw -F -b -n 300
	check "ib_send_bw, 16 QPs" run -x ib_send_bw -F -q 16 -s 8192 -n 100
	check "ib_send_bw, events" run -x ib_send_bw -F -e -n 300
	check "ib_send_bw, inline" run -x ib_send_bw -F -I 200 -s 200 -n 1000
	check "ib_send_bw, few receives" run -x ib_send_bw -F -r 8 -s 4096 -n 500
	check "ib_send_bw, a timeout of 14" run -x ib_send_bw -F -u 14 -n 300
	check "ib_send_lat, all sizes" run -x ib_send_lat -F -a -n 5
	check "ib_send_lat, events" run -x ib_send_lat -F -e -n 200
}

test_pingpong()
{
	check "ibv_rc_pingpong" run -g ibv_rc_pingpong -n 200
	check "ibv_rc_pingpong, 1 MiB, data checked" run -g ibv_rc_pingpong -s 1048576 -n 10 -c
	check "ibv_rc_pingpong, events, one receive" run -g ibv_rc_pingpong -e -r 1 -n 100
}

test_shared_receives()
{
	check "ib_send_bw, 8 QPs with one SRQ" run -x ib_send_bw -F --use-srq -q 8 -s 8192 -n 200
	check "ib_send_bw, an SRQ, both directions" run -x ib_send_bw -F --use-srq -q 4 -b -n 200
	check "ib_send_bw, an SRQ, events" run -x ib_send_bw -F --use-srq -q 2 -e -n 200
	check "ib_send_bw, an SRQ, few receives" run -x ib_send_bw -F --use-srq -q 4 -r 8 -s 4096 -n 200
	check "ib_send_lat, an SRQ" run -x ib_send_lat -F --use-srq -n 200
	# With several QPs, a pingpong ends while its peer still sends, and its peer takes that for an error.
	check "ibv_srq_pingpong" run -g ibv_srq_pingpong -q 1 -n 300
	check "ibv_srq_pingpong, events, one receive" run -g ibv_srq_pingpong -e -q 1 -r 1 -n 100
}

test_counters()
{
	check "counter: SENDs taken" test "$(count 2 tx_send_requests)" -gt 1000
	check "counter: SENDs received" test "$(count 1 rx_send_requests)" -gt 1000
	check_nothing_failed
}

# A peer's SENDs end with an error; the own ones are refused when they are posted.
test_extensions()
{
	check_equal "extensions: on" true "$(on p1 mrcctl -j device show mrc1 | jq '.[0].extensions')"
	check "off at the receiver" on p1 mrcctl device set mrc1 extensions off
	check_not "it refuses SENDs" run -x ib_send_bw -F -n 10
	check "its peer learns of it" test "$(count 2 req_remote_invalid_request)" -ge 1
	check "off at the sender, too" on p2 mrcctl device set mrc2 extensions off
	check "SENDs cannot be posted" refused -x ib_send_bw -F -n 10
	check "writes can" run -x ib_write_bw -F -n 50
	check "on again" on p1 mrcctl device set mrc1 extensions on
	check "on again at the sender" on p2 mrcctl device set mrc2 extensions on
	check "SENDs go" run -x ib_send_bw -F -n 50
}

pair_up
test_perftest
test_pingpong
test_shared_receives
test_counters
test_extensions
finish
