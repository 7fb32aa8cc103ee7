#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A plane of this host goes down while many QPs use it. The process that takes it down holds RTNL, and
# tells only the peers. A work tells the QPs, one after the other, and packets that were in flight are
# sent again when nothing has been heard of them for a round trip.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# told EVENT PATTERN: prints who has written such lines of the trace, each once. In softirq ("s") the
# interrupted process is a matter of chance.
told()
{
	sed -nE "s/^ *(.*)-[0-9]+ +\[[0-9]+\] ..(.).*: $1: .*$2.*/\2 \1/p" "$TRACING/trace" |
		sed -E 's/^[sH] .*/softirq/; s/^. //; s/kworker.*/work/' | sort -u | paste -sd ' '
}

# recorded CONDITION: prints these calls of the engine, see kernel/transport/qp/replay.h; 0: all
recorded()
{
	echo "$1" >"$TRACING/events/mrc/mrc_replay/filter"
}

# armed: each QP that the work told of ports had its timer set at that moment, under the same lock
armed()
{
	awk '!/kworker.* mrc_replay: / { next }
		/ L / { told++; last = 1; next }
		/ T / { armed += last }
		{ last = 0 }
		END { exit !(told && told == armed) }' "$TRACING/trace"
}

need jq tc
modprobe -q sch_netem
lab_up --planes 2 --spines 1
# Something must always be in flight.
lab netem all delay 20ms
traffic_launch h1 h2 --qps 50 --iterations 0 --sizes 16K --depth 2 --batch 1
check_arrives "traffic flows" 100 h2
# Only the calls of the engine that report ports, and ask for the timer's time.
at_exit recorded 0
recorded "op == $(printf %d "'L") || op == $(printf %d "'T")"
traces mrc_ports mrc_loss mrc_replay
echo >"$TRACING/trace"
check "plane 1 of h1 goes down" ip -n h1 link set eth1 down
check_arrives "it goes on" 100 h2
check_equal "peers are told by whoever took it down" ip "$(told mrc_ports 'local-ports=0x00000002')"
check_equal "QPs are told by a work, or look themselves" true \
	"$(jq -n --arg by "$(told mrc_replay ' L ')" '["softirq work", "work"] | any(. == $by)')"
check "what has time left is looked at again then: timers are set" armed
traces
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
