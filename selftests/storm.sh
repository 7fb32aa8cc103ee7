#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# One fault after another, and two at once, under 64 QPs in both directions: all of it
# arrives, and no QP ends.
# timeout: 600

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/traffic.sh
. "$SELFTESTS/lib/traffic.sh"
# shellcheck source=selftests/lib/evs.sh
. "$SELFTESTS/lib/evs.sh"

# A message on each QP, on the average.
QPS=64
good='(good|skip)'

goes_on()
{
	check_arrives "$1: it goes on both ways" $QPS h1 h2
}

# A loss at the end of everything that no probe shows is found by the timer.
TRAFFIC_TIMEOUT=17

need jq tc
modprobe -q sch_netem
lab_up --planes 4
traffic_launch h1 h2 --both --qps $QPS --iterations 0 --sizes 3000,20K,100 --imm-every 3 --rate 4
goes_on "no fault"

lab fail link h1:eth1
goes_on "plane 1 cut at h1"
lab fail switch p2t1s1
check "and a spine of plane 2 dead: its EV is left out" wait_for evs_are h1 \
	"[a-z-]+ [a-z-]+ assumed-bad $good $good $good $good $good"
goes_on "and a spine of plane 2 dead"
lab heal link h1:eth1
lab netem all loss 1%
goes_on "the spine dead, 1 % lost everywhere"
lab heal switch p2t1s1
lab fail link h2:eth3
goes_on "plane 3 cut at h2, 1 % lost everywhere"
lab heal link h2:eth3
lab netem all off
check "all healed: all EVs are good again" wait_for all_good
goes_on "all healed"
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
finish
