#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that READ, and that do atomics: perftest, as it comes with the distribution, with the options
# that people use. Its servers stay in RTR. And what the programs are told where extensions are off.
# kernels: all
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/programs.sh"

need ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat jq

test_reads()
{
	check "ib_read_bw" run -x ib_read_bw -F -n 300
	check "ib_read_bw, all sizes" run -x ib_read_bw -F -a -n 10
	check "ib_read_bw, both directions" run -x ib_read_bw -F -b -n 300
	check "ib_read_bw, 16 QPs" run -x ib_read_bw -F -q 16 -s 8192 -n 100
	check "ib_read_bw, one READ at a time" run -x ib_read_bw -F -o 1 -n 200
	check "ib_read_bw, events" run -x ib_read_bw -F -e -n 300
	check "ib_read_bw, a timeout of 14" run -x ib_read_bw -F -u 14 -n 300
	check "ib_read_lat, all sizes" run -x ib_read_lat -F -a -n 5
	check "ib_read_lat, events" run -x ib_read_lat -F -e -n 200
}

test_atomics()
{
	check "ib_atomic_bw, fetch and add" run -x ib_atomic_bw -F -A FETCH_AND_ADD -n 1000
	check "ib_atomic_bw, compare and swap" run -x ib_atomic_bw -F -A CMP_AND_SWAP -n 1000
	check "ib_atomic_bw, 16 QPs" run -x ib_atomic_bw -F -q 16 -n 100
	check "ib_atomic_bw, both directions" run -x ib_atomic_bw -F -b -n 300
	check "ib_atomic_lat" run -x ib_atomic_lat -F -n 300
}

test_counters()
{
	check "counter: READs sent" test "$(count 2 tx_read_requests)" -gt 1000
	check "counter: READs executed" test "$(count 1 rx_read_requests)" -gt 1000
	check "counter: atomics sent" test "$(count 2 tx_atomic_requests)" -gt 1000
	check "counter: atomics executed" test "$(count 1 rx_atomic_requests)" -gt 1000
	check_nothing_failed
}

# A peer's READs end with an error; the own ones are refused when they are posted.
test_extensions()
{
	check "off at the host that is read" on p1 mrcctl device set mrc1 extensions off
	check_not "it refuses READs" run -x ib_read_bw -F -n 10
	check "its peer learns of it" test "$(count 2 req_remote_invalid_request)" -ge 1
	check "off at the host that reads, too" on p2 mrcctl device set mrc2 extensions off
	check "READs cannot be posted" refused -x ib_read_bw -F -n 10
	check "on again" on p1 mrcctl device set mrc1 extensions on
	check "on again at the host that reads" on p2 mrcctl device set mrc2 extensions on
	check "READs go" run -x ib_read_bw -F -n 50
}

pair_up
test_reads
test_atomics
test_counters
test_extensions
finish
