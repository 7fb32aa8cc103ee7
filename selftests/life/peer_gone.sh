#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The program at the other end is killed, or the other host goes with its namespace, under traffic and
# while EVs to it are being probed. The sender is told that the QPs are gone, as long as their host
# exists; otherwise its retries are exceeded. The receiver is told nothing. No QP and no peer stays,
# sending stops, and the module can be unloaded.
# timeout: 600
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/left.sh"

QPS=4
# Retries end after four seconds: where nothing answers, the test waits for that.
OPTIONS=(--iterations 0 --qps "$QPS" --sizes '100,20K' --rate 100 --timeout 15 --retry-cnt 7)

# A spine of plane 1 dies: from then on the EVs through it are probed.
spine_dies()
{
	lab fail switch p1t1s1
	check "$1: EVs are bad, and probed" wait_for evs_are h1 '.*assumed-bad.*'
}

# check_qps_end NAME HOST ERRORS: each of its QPs fails; ERRORS is the counter from before.
check_qps_end()
{
	check "$1: $2's QPs end" wait_for counter_above "$2" req_cqe_error $(($3 + QPS - 1))
}

# qp_states HOST
qp_states()
{
	on "$1" mrcctl -j qp show "$(device_of "$1")" | jq -r '[.[].state] | unique | join(" ")'
}

# The other end's program sends and receives: it is killed.
test_program()
{
	local errors receives exceeded

	traffic_launch h1 h2 --both "${OPTIONS[@]}" --expect-error remote-operation-error
	check_arrives "program killed: before" 50 h1 h2
	spine_dies "program killed"
	errors=$(counter h1 req_cqe_error)
	exceeded=$(counter h1 retry_exceeded_err)
	receives=$(counter h1 resp_cqe_flush_error)
	kill -KILL "$TRAFFIC_SERVER"
	check "program killed: the other one is told" wait "$TRAFFIC_CLIENT"
	check_qps_end "program killed" h1 "$errors"
	check_equal "program killed: no retries were exceeded" "$exceeded" \
		"$(counter h1 retry_exceeded_err)"
	check "program killed: its receives are flushed" \
		counter_above h1 resp_cqe_flush_error "$receives"
	check_nothing_left "program killed" h1 h2
	lab heal switch p1t1s1
}

# A receiver keeps its QPs, and must stop sending to a peer that is gone.
test_sender()
{
	traffic_launch h1 h2 "${OPTIONS[@]}"
	check_arrives "sender killed: before" 50 h2
	kill -STOP "$TRAFFIC_SERVER"
	kill -KILL "$TRAFFIC_CLIENT"
	check_nothing_left "sender killed" h1
	check "sender killed: the receiver sends nothing any more" wait_for silent h2
	check_equal "sender killed: the receiver's QPs are as they were" rts "$(qp_states h2)"
	kill -CONT "$TRAFFIC_SERVER"
	check_not "sender killed: the receiver's program sees that" wait "$TRAFFIC_SERVER"
	check_nothing_left "sender killed" h2
}

test_both()
{
	traffic_launch h1 h2 --both "${OPTIONS[@]}"
	check_arrives "both killed: before" 50 h1 h2
	kill -KILL "$TRAFFIC_CLIENT" "$TRAFFIC_SERVER"
	check_nothing_left "both killed" h1 h2
	check_traffic "both killed: the next ones run" h1 h2 --sizes 1,64K --iterations 20 --both
}

test_namespace()
{
	local errors

	outside_launch h1 h2 --both "${OPTIONS[@]}" \
		--expect-error retry-exceeded,remote-operation-error
	check_arrives "namespace deleted: before" 50 h1 h2
	spine_dies "namespace deleted"
	errors=$(counter h1 req_cqe_error)
	check "namespace deleted" ip netns del h2
	check "namespace deleted: its device goes" wait_for no_device mrc1
	check "namespace deleted: the other program sees that" wait "$TRAFFIC_CLIENT"
	check_qps_end "namespace deleted" h1 "$errors"
	wait "$TRAFFIC_SERVER"
	check_not "namespace deleted: its program has ended" test -e "/proc/$TRAFFIC_SERVER"
	check_nothing_left "namespace deleted" h1
}

need jq
lab_up --planes 2
test_program
test_sender
test_both
test_namespace
check "the other device goes" rdma link delete mrc0
check "the module goes" timeout 60 rmmod mrc
finish
