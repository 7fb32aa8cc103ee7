#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A switch marks the packets of one path: the SACKs say SKIP_ONCE, and the sender uses that path less,
# without losing anything. Another switch puts packets into a class of its own, and the receiver knows.
# kernels: all
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/faults.sh"

# The values of "m" in SACKs for an EV. $1: jq condition on the EV
marks()
{
	jq -s -c --argjson evs "$marked" "map(select(.seth != null and .seth.pr == 0 and
		(.seth.entropy as \$e | \$evs | index(\$e) | $1)) | .seth.m) | unique" \
		"$TEST_TMP/decoded"
}

# First transmissions on the marked path, and their average on the other paths.
shares()
{
	jq -s -r --argjson evs "$marked" 'map(select(.reth != null and .bth.rtx == 0) | .ev) |
		(map(select(. as $e | $evs | index($e))) | length) as $on |
		[$on, ((length - $on) / 3 | floor)] | join(" ")' "$TEST_TMP/decoded"
}

need jq python3 tc
# Two planes, two spines: four paths.
lab_up --planes 2
# netem marks packets that it would have dropped, if the sender is ECN-capable.
lab netem p1t0r1:t1s1 loss 100% ecn

capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1 -i p1t0r2:h2 -i p2t0r2:h2 -i h2:eth1
# One message at a time: the echo of a mark is back before the path's next turn.
check_traffic "traffic" h1 h2 --sizes 64K --iterations 60 --depth 1
capture_stop "traffic"
check_wire "traffic" 4096 good
decoded 4096 >"$TEST_TMP/all"
jq -c 'select(.if != "h2:eth1")' "$TEST_TMP/all" >"$TEST_TMP/decoded"
marked=$(jq -s -c 'map(select(.reth != null and
	.outer.dst == "fcbb:bb00:101:181:102:f002::") | .ev) | unique' "$TEST_TMP/decoded")
check_equal "wire: one EV is that path" 1 "$(jq length <<<"$marked")"
arrived=$(jq -s -c --argjson evs "$marked" '
	map(select(.if == "h2:eth1" and .reth != null and (.ev as $e | $evs | index($e))) |
		.outer.ecn) | unique' "$TEST_TMP/all")
check_equal "wire: it arrives marked in the outer header" '[3]' "$arrived"
check_equal "wire: SACKs for it say SKIP_ONCE" '[1]' "$(marks '. != null')"
check_equal "wire: SACKs for the others do not" '[0]' "$(marks '. == null')"
check "h2 counted marks" test "$(counter h2 np_ecn_marked_roce_packets)" -ge 5
check "h1 counted echoes" test "$(counter h1 rp_cnp_handled)" -ge 5
read -r on other < <(shares)
check "sender: $on packets on the marked path, $other on each other one" \
	test "$on" -ge 1 -a $((on * 4)) -lt $((other * 3))
check_counters_clean "$TROUBLE"

lab netem all off
traffic_launch h1 h2 --iterations 0 --sizes 8K --rate 400
peer_state()
{
	on h1 mrcctl -j peer show mrc0 | jq -e '.[0] | .["evs-good"] == 4 and .["evs-assumed-bad"] == 0'
}
check "without marks all paths are good" wait_for peer_state
check_traffic_end "verified" traffic_stop

# The first switch of plane 1 changes the outer header and nothing in it: packets that arrive by that
# plane can be told from those of the other plane.
if ! ingress p1t0r1 h1; then
	bail "filters"
fi
check "plane 1 has a class of its own" filter p1t0r1 h1 0x10/0xfc \
	pedit ex munge ip6 traffic_class set 0x54 retain 0xfc
traces mrc_arrival
echo >"$TRACING/trace"
check_traffic "two classes" h1 h2 --sizes 8K --iterations 50
check_equal "two classes: they arrive" "dscp=21 dscp=4" \
	"$(grep -o 'dscp=[0-9]*' "$TRACING/trace" | sort -u | xargs)"
finish
