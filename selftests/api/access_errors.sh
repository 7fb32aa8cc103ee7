#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Forbidden writes are refused in order, reported to both programs and counted on both sides, also when
# the refusal gets lost. The same for immediates that the receiver has no place for.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# Counters that report errors, when h1 writes to h2. A late packet may find no QP any more, or a QP in
# error; a late answer to a probe may find that nothing waits for it.
ERRORS='^(rx_drop_[^enq]|rx_icrc|retry_exceeded|rnr_|req_|resp_|nak_|out_of_buffer|ring_corrupt)'

# snapshot: prints all error counters of both hosts, as lines "HOST.NAME VALUE".
snapshot()
{
	local host

	for host in h1 h2; do
		counter_values $host "$ERRORS" | sed "s/^/$host./"
	done | sort
}

# changes: prints the changes since the snapshot in a file, as "HOST.NAME+N ...". A NAK is repeated for
# each packet that comes after it, so one and several count as the same.
changes()
{
	snapshot | join "$1" - | awk '/nak_sent/ && $3 > $2 { $3 = $2 + 1 }
		$3 != $2 { printf "%s%s+%d", s, $1, $3 - $2; s = " " }'
}

errors()
{
	timeout 120 mrc_errors --gtest_filter="$1" -n h1 -g "$(lab gid h1)" mrc0 \
		-N h2 -G "$(lab gid h2)" mrc1
}

# try CASE CHANGES: the case goes as it should, and changes these error counters.
try()
{
	snapshot >"$TEST_TMP/before"
	check "$1" errors "$1"
	check_equal "$1: counters" "$2" "$(changes "$TEST_TMP/before")"
}

# h2's answers (device setting dscp-control, 46) get lost, its first NAK among them. The window is
# fixed: under NSCC a QP that hears nothing has two packets in flight, and the refused packet would
# wait.
test_nak_lost()
{
	local name="Access.WrongKeyByte, the NAK is lost" naks plane

	check "$name: a fixed window" fixed_window h1 h2
	for plane in 1 2; do
		ingress "p${plane}t0r2" h2 || bail "filters"
		check "$name: plane $plane" filter "p${plane}t0r2" h2 0xb8/0xfc drop
	done
	naks=$(counter h2 nak_sent)
	background errors Access.WrongKeyByte >"$TEST_TMP/errors.log" 2>&1
	check "$name: it is sent" wait_for counter_above h2 nak_sent "$naks"
	for plane in 1 2; do
		unfilter "p${plane}t0r2" h2
	done
	if wait "$BACKGROUND_PID"; then
		ok "$name: and said again"
	else
		fail "$name: and said again" "$(cat "$TEST_TMP/errors.log")"
	fi
}

# Three receives are posted on each side, and one write is flushed behind the bad one.
refused='h1.nak_received+1 h1.req_cqe_error+1 h1.req_cqe_flush_error+1'
refused+=' h1.req_remote_access_errors+1 h1.resp_cqe_flush_error+3'
refused+=' h2.nak_sent+1 h2.resp_cqe_flush_error+3 h2.resp_remote_access_errors+1'
found_here='h1.req_cqe_error+1 h1.req_cqe_flush_error+1 h1.resp_cqe_flush_error+3'

need jq tc mrc_errors mrc_traffic
lab_up --planes 2 --spines 1
background mrcctl -n h1 -j monitor >"$TEST_TMP/events"

for case in WrongKeyByte WrongKeyIndex EndExceeded BeforeTheBeginning AddressWraps \
	LastPacketExceeds RegionWithoutRemoteWrite KeyOfAnotherDomain KeyThatIsGone; do
	try "Access.$case" "$refused"
done
test_nak_lost
for case in WrongLocalKey LocalEndExceeded; do
	try "Access.$case" "$found_here"
done
check "those who watch are told of a QP that failed by itself" \
	wait_for grep -q '"a request failed on this host"' "$TEST_TMP/events"
changed='h1.nak_received+1 h1.req_cqe_error+1 h1.req_remote_access_errors+1'
changed+=' h2.nak_sent+1 h2.resp_remote_access_errors+1'
try Access.QpWithoutRemoteWrite "$changed"
changed='h1.nak_received+1 h1.req_cqe_error+1 h1.req_remote_invalid_request+1'
changed+=' h2.nak_sent+1 h2.resp_cqe_error+1'
try Access.LargerThanThePathMtu "$changed"
# A window of data per round trip: much is still to be sent when the region goes.
check "slow the network down" lab netem all delay 20ms
check "Access.DeregisteredUnderTraffic" errors Access.DeregisteredUnderTraffic
check "Access.SourceDeregisteredUnderTraffic" errors Access.SourceDeregisteredUnderTraffic
check "speed the network up" lab netem all off

try Immediates.WithoutReceive \
	"h1.req_cqe_error+1 h1.req_cqe_flush_error+1 h1.rnr_nak_retry_err+1 h2.out_of_buffer+1"
try Immediates.BeforeReceives "h2.out_of_buffer+1"
try Immediates.MoreThanTheLimit ""
# The receiver must keep immediates of one plane while packets wait on the other.
check "delay a plane" lab netem plane 1 delay 30ms
try Immediates.MoreThanTheLimit ""
check "cut the network" lab netem all loss 100%
try Immediates.HeldBackAtTheLimit \
	"h1.req_cqe_error+1 h1.req_cqe_flush_error+19 h1.retry_exceeded_err+1"
check "heal the network" lab netem all off
check_traffic "afterwards: data flows" h1 h2 --sizes 1,64K --iterations 50 --both
finish
