#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The engine decides the same on the host. All calls of each requester are recorded while links lose
# packets, go and come, and paths die. mrc_replay, which is linked with kernel/core compiled for the
# host, makes the same calls and must get the same results. The recordings stay in replay/ beside the
# logs; selftests/unit/replay has some of them for the unit tests.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# Longer than it takes to cut and heal all links: eight times as long on a slow kernel.
TRAFFIC_TIMEOUT=$((SLOW > 1 ? 17 : 14))
FAULT_MESSAGES=10
RECORDED=${VM_OUT:-$TEST_TMP}/replay

record_begin()
{
	echo 32768 >"$TRACING/buffer_size_kb" && traces mrc_replay && echo >"$TRACING/trace"
}

# whole: no event was dropped because the buffer was full.
whole()
{
	! grep -hE '^(overrun|dropped events): [1-9]' "$TRACING"/per_cpu/cpu*/stats
}

# record_end: writes the calls of each QP to a file
record_end()
{
	rm -rf "$RECORDED" && mkdir -p "$RECORDED" &&
		sed -nE 's/.* mrc_replay: qpn=(0x[0-9a-f]+) (. [0-9]+) \{(.*)\}$/\1 \2,\3/p' "$TRACING/trace" |
		awk -v folder="$RECORDED" '{ file = folder "/" $1 ".calls"; sub(/^[^ ]+ /, "")
			gsub(/,0x/, " "); print >file }'
}

test_faults()
{
	traffic_launch h1 h2 --both --qps 2 --iterations 0 --sizes 8K,100,30K --imm-every 3 --rate 20
	check_moves "traffic flows"
	lab netem link h1:eth1 loss 5%
	check_moves "a lossy link: it goes on"
	lab netem link h1:eth1 off
	links fail h2 1
	check_moves "a link cut: it goes on"
	links heal h2 1
	check_moves "and back: it goes on"
	lab netem h2:eth2 loss 100%
	check_moves "a plane dead outwards: it goes on"
	lab netem h2:eth2 off
	# Something must always be in flight.
	lab netem all delay 10ms
	check_moves "long links: it goes on"
	lab fail link h1:eth1
	check_moves "a link of this host cut: it goes on"
	lab heal link h1:eth1
	lab netem all off
	links fail h1 2
	nap 0.3
	links heal h1 2
	check_moves "all links cut, and back: it goes on"
	check_traffic_end "all of it verified" traffic_stop
}

# Messages that do not fit into the window, over a link that loses some packets.
test_window()
{
	lab netem link h1:eth1 loss 1%
	check_traffic "a full window, a lossy link: all of it verified" h1 h2 --both --iterations 12 \
		--sizes 400K
	lab netem link h1:eth1 off
}

# Six QPs, each with a requester that sent something.
test_replay()
{
	local file name said again=0

	check_equal "QPs were recorded" 6 "$(find "$RECORDED" -name '*.calls' | wc -l)"
	for file in "$RECORDED"/*.calls; do
		name=$(basename "$file" .calls)
		said=$(mrc_replay <"$file")
		check "QP $name: the engine says the same: $(head -n 1 <<<"$said")" mrc_replay <"$file"
		[[ "$said" =~ ([0-9]+)\ of\ them\ again ]] && again=$((again + BASH_REMATCH[1]))
	done
	check "some of that was sent again: $again batches" test "$again" -gt 0
}

# A recording that differs from what was done is detected.
test_wrong()
{
	local file

	for file in "$RECORDED"/*.calls; do
		sed -E '/^B/{ s/( [0-9a-f]+)$/\1f/; }' "$file" >"$TEST_TMP/wrong"
		check_not "another PSN is found" mrc_replay <"$TEST_TMP/wrong"
		break
	done
}

need jq tc mrc_replay mrc_traffic
modprobe -q sch_netem
lab_up --planes 2
check "calls are recorded" record_begin
test_faults
test_window
check "the recording is whole" whole
check "the recording is kept" record_end
traces
test_replay
test_wrong
finish
