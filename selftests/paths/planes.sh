#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Planes and spines go and come back under traffic. The traffic goes on over the others and comes back,
# data is verified, and no QP has an error.
# timeout: 900
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

# check_quiet NAME PORT: this plane sends nothing while the others do.
check_quiet()
{
	local before

	before=$(plane_stat h1 "$2" tx-packets)
	check "$1: the others send" plane_sends h1 4
	check_equal "$1: plane $2 sends nothing" "$before" "$(plane_stat h1 "$2" tx-packets)"
}

check_link()
{
	lab fail link h1:eth1
	check "link of h1 cut: seen" wait_for plane_is h1 1 down
	check_quiet "link of h1 cut" 1
	lab heal link h1:eth1
	check "link of h1 back: seen" wait_for plane_is h1 1 up
	check "link of h1 back: used" plane_sends h1 1
}

check_admin()
{
	on h1 mrcctl plane set mrc0 port 2 down
	check_quiet "plane set down" 2
	on h1 mrcctl plane set mrc0 port 2 up
	check "plane set up: used" plane_sends h1 2
}

check_delete()
{
	check "plane deleted" on h1 mrcctl plane del mrc0 port 3
	check "plane deleted: the others send" plane_sends h1 4
	check "plane added" on h1 mrcctl plane add mrc0 port 3 netdev eth3
	check "plane added: used" plane_sends h1 3
}

check_blackhole()
{
	local before

	# Planes have just come back: an EV that is still out of rotation has nothing to lose.
	check "before a spine is blackholed: all EVs are good" wait_for all_good
	before=$(counter h1 retransmitted_packets)
	lab fail switch p2t1s1
	check "spine blackholed: packets sent again" \
		wait_for counter_above h1 retransmitted_packets "$before"
	check "spine blackholed: plane 2 sends, by the other spine" plane_sends h1 2
	check "spine blackholed: the others send" plane_sends h1 4
	lab heal switch p2t1s1
	check "spine back: the others send" plane_sends h1 4
}

# No timer, no SACK: packets in flight on a plane are sent again because its carrier went, and at once,
# because the QP is young and knows no round trip to wait for.
check_carrier_alone()
{
	local timeouts sacks before sent

	sent=$(counter h1 tx_write_requests)
	lab netem link p1t0r1:h1 delay 12s
	lab netem link p2t0r1:h1 delay 12s
	# Nothing but planes 1 and 2.
	on h1 mrcctl plane set mrc0 port 3 down
	on h1 mrcctl plane set mrc0 port 4 down
	timeouts=$(counter h1 local_ack_timeout_err)
	# Under NSCC a QP that has had no answer yet waits for the answer to what else it sent.
	check "carrier alone: a fixed window" fixed_window h1 h2
	traffic_launch h1 h2 --sizes 60K --iterations 2 --timeout 25
	check "carrier alone: packets in flight" wait_for counter_above h1 tx_write_requests "$sent"
	sacks=$(counter h1 sack_received)
	before=$(counter h1 retransmitted_packets)
	lab fail link h1:eth1
	check "carrier alone: sent again" wait_for counter_above h1 retransmitted_packets "$before"
	check_equal "carrier alone: no timer did it" "$timeouts" "$(counter h1 local_ack_timeout_err)"
	check_equal "carrier alone: no SACK did it" "$sacks" "$(counter h1 sack_received)"
	check_traffic_end "carrier alone: verified"
	lab netem all off
}

# The timer finds losses at the very end: a second.
TRAFFIC_TIMEOUT=18

need jq python3 tc
lab_up --planes 4
traffic_launch h1 h2 --both --iterations 0 --sizes 8K,100,30K --imm-every 3 --rate 50
check "traffic flows" plane_sends h1 4
check_link
check_admin
check_delete
check_blackhole
check_traffic_end "all of it verified" traffic_stop
check_counters_clean "$QP_ERRORS"
check_carrier_alone
check_counters_clean "$QP_ERRORS"
finish
