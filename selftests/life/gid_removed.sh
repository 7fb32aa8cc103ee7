#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The address that QPs use is taken from the anchor under traffic. Packets to it are then no longer for
# this host, not even those that a SID leads here. If the address is given back in time, traffic goes
# on; otherwise the peer's QPs end with retry exceeded. Without it no new QP can use it. With another
# address, or the same again, the device works.
# kernels: all
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"

OTHER=fd00:6d72:63::77

ended()
{
	! kill -0 "$1" 2>/dev/null
}

has_gid()
{
	grep -q "GID.*$1," <(ibv_devinfo -v -d mrc1)
}

has_no_gid()
{
	! has_gid "$1"
}

# check_no_new NAME: no QP can use the address that is gone.
check_no_new()
{
	check "$1: the GID is gone" wait_for has_no_gid "$(lab gid h2)"
	traffic_launch h1 h2 --iterations 1
	check_not "$1: no new QP with it" traffic_end
	check "$1: the program is told" grep -q "no RoCEv2 GID $(lab gid h2)" \
		"$TEST_TMP"/server.{json,err}
}

# check_address NAME ADDRESS ROUTE...: once it is added, the device works with it.
check_address()
{
	local name=$1 address=$2
	local -A lab_gids=([h1]=$(lab gid h1) [h2]=$address)

	check "$name: added" ip -n h2 addr add "$address/64" dev mrc nodad
	check "$name: it is a GID" wait_for has_gid "$address"
	check_traffic "$name: data flows" h1 h2 --iterations 30 --both
}

remove()
{
	check "$1: address removed" ip -n h2 addr del "$(lab gid h2)/64" dev mrc
}

# check_back NAME: the address is away for less time than retries last.
check_back()
{
	local timeouts

	TRAFFIC_TIMEOUT=17 traffic_launch h1 h2 --iterations 0 --sizes 8K --rate 50 --both
	check_arrives "$1: traffic flows" 100 h1 h2
	timeouts=$(counter h1 local_ack_timeout_err)
	remove "$1"
	check "$1: packets time out" wait_for counter_above h1 local_ack_timeout_err "$timeouts"
	check "$1: address given back" ip -n h2 addr add "$(lab gid h2)/64" dev mrc nodad
	check_arrives "$1: it goes on" 100 h1 h2
	check_traffic_end "$1: all of it verified" traffic_stop
	check_counters_clean "$QP_ERRORS"
}

# check_gone NAME: the address is gone for good
check_gone()
{
	TRAFFIC_TIMEOUT=15 traffic_launch h1 h2 --iterations 0 --sizes 8K --retry-cnt 2 \
		--expect-error retry-exceeded
	check_arrives "$1: traffic flows" 200 h2
	remove "$1"
	check "$1: the program ends" wait_for ended "$TRAFFIC_CLIENT"
	check "$1: its QPs ended with retry exceeded" wait "$TRAFFIC_CLIENT"
	wait "$TRAFFIC_SERVER"
	check_no_new "$1"
	if [ -n "$OTHER" ]; then
		check "$1, another one: has the EVs of the first" \
			on h1 mrcctl route add mrc0 "$OTHER/128" ev-profile 2
		check_address "$1, another one" "$OTHER"
	fi
	check_address "$1, the same again" "$(lab gid h2)"
}

need jq mrc_traffic ibv_devinfo
lab_up --planes 2 --spines 1
check_back "address away for a while"
check_gone "address gone"
lab_down
# Here packets are routed to the address itself, and to no other address of this host.
OTHER=
lab_up --planes 2 --spines 1 --plain
check_gone "no SRv6, address gone"
finish
