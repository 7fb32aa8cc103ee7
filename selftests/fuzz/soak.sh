#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Traffic for SOAK_MINUTES (20) while every link loses one packet in a hundred and one link is cut now
# and then. The traffic goes on, all of it is verified, and the kernel's memory does not grow.
# timeout: 300 + 90 * SOAK_MINUTES
# when: full

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

MINUTES=${SOAK_MINUTES:-20}
# KiB by which the kernel's memory may grow: caches of its own.
GROWTH=4096
# Seconds between two cuts, and seconds that a cut lasts.
PAUSE=5
CUT=2

# kernel_memory: prints the KiB that the kernel uses and cannot reclaim
kernel_memory()
{
	awk '/^(SUnreclaim|VmallocUsed|Percpu|KernelStack|PageTables):/ { n += $2 }
		END { print n }' /proc/meminfo
}

# sample: prints the least of several values, because what is in flight comes and goes.
sample()
{
	local -i n least now

	least=$(kernel_memory)
	for ((n = 0; n < 8; n++)); do
		nap 0.5
		now=$(kernel_memory)
		[ $now -ge $least ] || least=$now
	done
	echo $least
}

# fault N: a link is cut, and heals.
fault()
{
	local end=h$(($1 % 2 + 1)):eth$(($1 / 2 % 4 + 1))

	lab fail link "$end" && sleep $CUT && lab heal link "$end"
}

need jq tc
modprobe -q sch_netem
TRAFFIC_TIMEOUT=17
lab_up --planes 4
lab netem all loss 1%
traffic_launch h1 h2 --both --qps 4 --iterations 0 --random-sizes 0-256K --imm-every 3 --sends-every 2 --reads-every 2 \
	--random-offsets --rate 20
check_arrives "traffic flows" 100 h1 h2
# Each link has been cut once before the first sample, so that one-time allocations are made.
faults=0
end=$((SECONDS + 60 * MINUTES))
first=
while [ $SECONDS -lt $end ]; do
	[ $faults != 8 ] || first=$(sample)
	fault $faults || fail "fault $faults"
	faults=$((faults + 1))
	check_arrives "after $faults faults it goes on" 20 h1 h2
	sleep $PAUSE
done
last=$(sample)
if [ -n "$first" ]; then
	check "memory of the kernel: $first KiB after 8 faults, $last KiB after $faults" \
		test "$last" -le $((first + GROWTH))
else
	skip "memory of the kernel" "less than 8 faults: too short"
fi
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
