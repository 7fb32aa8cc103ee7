#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Heads of packets that a switch has trimmed, as they come out of a fabric with and without an outer
# header. A NACK reports each to the peer; nothing of them is placed or counts as received; and what is
# wrong with one is counted under its name. Without the setting they are dropped.
# Nothing but what is sent here may count, however busy the host is.
# clock: icount
# kernels: all
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/inject.sh"

trim()
{
	on h2 mrcctl device set mrc1 "$@"
}

trim_said()
{
	trim "$@" 2>"$TEST_TMP/refused"
}

# refused NAME TEXT SETTING...
refused()
{
	local name=$1 text=$2
	shift 2

	check_not "$name" trim_said "$@"
	check "$name: says why" grep -qF -- "$text" "$TEST_TMP/refused"
}

test_settings()
{
	check "off by default" test "$(on h2 mrcctl -j device show mrc1 | jq '.[0].trim')" = false
	refused "both DSCPs the same" "dscp-trimmed and dscp-trimmed-lasthop must differ" \
		trim on dscp-trimmed 20 dscp-trimmed-lasthop 20
	refused "that of data" "no other packets may have dscp-trimmed" trim on dscp-trimmed 4
	refused "that of retransmissions, of the last hop's" \
		"no other packets may have dscp-trimmed-lasthop" trim on dscp-trimmed-lasthop 8
	refused "a DSCP of 64" "dscp-trimmed" dscp-trimmed 64
	check_equal "nothing has changed" "[false,12,16]" "$(on h2 mrcctl -j device show mrc1 |
		jq -c '.[0] | [.trim, ."dscp-trimmed", ."dscp-trimmed-lasthop"]')"
}

# Reasons and EV bits of the NACKs that h2 has sent, from the capture.
nacks()
{
	decoded 1024 'select(.neth != null) | .neth.reason' | jq -sc "$1"
}

test_told()
{
	local way

	for way in $WAYS; do
		capture_start --direction out -i h2:eth1 -i h2:eth2
		verdicts "$way" inject_"$way" trimmed
		capture_stop "$way"
		check_equal "$way: a NACK for each, one of them the last hop's" "[1,2,11]" \
			"$(nacks '[unique[], (map(select(. == 1)) | length)]')"
		capture_start --direction out -i h2:eth1 -i h2:eth2
		verdicts "$way" inject_"$way" not-trimmed
		capture_stop "$way, not told of"
		check_equal "$way, not told of: no NACK" "[]" "$(nacks .)"
		hold_write "$way: the QP goes on"
	done
}

# The whole packet is taken as it is, and the message that consists of it completes.
test_whole()
{
	verdicts "whole" inject_srv6 whole
	check_equal "whole: the QPs are as they were" "[3,3]" "$(hold state 'state | tojson')"
	hold "renew 14 7" mtu >/dev/null
	hold_write "whole: new QPs work"
}

test_off()
{
	check "trim off" trim trim off
	verdicts "off, plain" inject_plain trims-off
	verdicts "off, srv6" inject_srv6 trims-off
	hold_write "off: the QP goes on"
}

# The receiver then uses another socket.
test_port()
{
	check "trim on, and the port" trim trim on
	check_not "the port stays while there are QPs" trim udp-port 5001
	hold_stop
	check "another port" wait_for trim udp-port 5001
	check "and back, without trimming" trim udp-port 4791 trim off
}

need jq python3 mrc_hold
WAYS="srv6"
# Otherwise UDP drops them.
[ ! -e /proc/sys/net/netfilter ] || WAYS="plain srv6"
lab_up --planes 2 --spines 1
INJECT_OPTIONS=(--second "$(lab sid h2)" --mpr "$(on h2 mrcctl -j device show mrc1 | jq '.[0].mpr')")
hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
hold_write "before: data flows"
test_settings
check "trim on" trim trim on
test_told
test_whole
test_off
test_port
check_traffic "afterwards: new QPs work" h1 h2 --sizes 1,64K --iterations 50 --both
finish
