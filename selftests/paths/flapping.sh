#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A link goes and comes 15 times, half a second after each change, under many QPs in both directions,
# and afterwards is used as before. Then all planes go, first for less time than retries last, then for
# more.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# all_planes up|down: sets those of h1
all_planes()
{
	local port

	for port in 1 2; do
		on h1 mrcctl plane set mrc0 port $port "$1"
	done
}

need jq
lab_up --planes 2

traffic_launch h1 h2 --both --qps 64 --iterations 0 --sizes 3000,20K --imm-every 5 --rate 3
check_arrives "64 QPs: traffic flows" 100 h2
check_flap 15
check "a link flapped 15 times: its plane carries data" plane_sends h1 1
check "a link flapped 15 times: the peer's, too" plane_sends h2 1
check_recovered "a link flapped 15 times"
check_traffic_end "64 QPs: all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"

# Timeouts of a second: several in the outage, 31 s of them until retries end
traffic_launch h1 h2 --both --iterations 0 --sizes 20K --rate 50 --timeout 18
check_arrives "all planes: traffic flows" 50 h1 h2
check_outage 2 3
check_traffic_end "all planes gone for 3 s: all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"

# Timeouts of 17 s: packets that could not be sent do not wait for them. The operator sets the planes
# down, so that the switches are ready when these come back.
traffic_launch h1 h2 --iterations 0 --sizes 20K --rate 50 --timeout 22
check_arrives "all planes, long timeouts: traffic flows" 50 h2
timeouts=$(counter h1 local_ack_timeout_err)
all_planes down
sleep 1
all_planes up
check_arrives "all planes gone, long timeouts: it goes on" 50 h2
check_equal "all planes gone, long timeouts: none went off" "$timeouts" \
	"$(counter h1 local_ack_timeout_err)"
check_traffic_end "all planes gone, long timeouts: all of it verified" traffic_stop

traffic_launch h1 h2 --iterations 0 --sizes 20K --rate 50 --timeout 14 --retry-cnt 3 \
	--expect-error retry-exceeded
check_arrives "all planes: traffic flows again" 50 h2
links fail h1 2
wait "$TRAFFIC_CLIENT"
check_equal "all planes gone for good: retries exceeded" 0 $?
links heal h1 2
kill "$TRAFFIC_SERVER" 2>/dev/null
check_traffic "afterwards: data flows" h1 h2 --sizes 1,64K --iterations 20 --both
finish
