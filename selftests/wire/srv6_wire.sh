#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# SRv6 on the wire: the outer destination is shifted at each hop, there is no routing header, the inner
# packet is not touched, and marks and classes are where they belong. Packets carry what is set on the
# device.
# timeout: 900
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# The interface at which a path through plane 2, spine 1 is seen, and the address that is left there.
places=(h1:eth2 p2t0r1:h1 p2t1s1:t0r1 p2t0r2:t1s1 h2:eth2)
wanted=(fcbb:bb00:201:281:202:f002:: fcbb:bb00:201:281:202:f002:: fcbb:bb00:281:202:f002::
	fcbb:bb00:202:f002:: fcbb:bb00:f002::)
hops=(0 0 1 2 3)

# packets PLACE [CONDITION]: prints the number of h1's writes that were seen there.
packets()
{
	jq -c --arg place "$1" --arg src "$gid1" "select(.if == \$place and .reth != null and
		.ip.src == \$src and $2)" "$TEST_TMP/decoded"
}

inner()
{
	jq -c '{psn: .bth.psn, ip: (.ip | del(.length)), sport: .udp.sport, dport: .udp.dport,
		bth, meth, reth}'
}

check_hop()
{
	local i=$1 place=${places[$1]} name

	name="$place"
	packets "$place" ".ev == $ev" >"$TEST_TMP/hop"
	check_equal "$name: all packets of the path" "$count" "$(wc -l <"$TEST_TMP/hop")"
	check_equal "$name: destination" "[\"${wanted[i]}\"]" \
		"$(jq -s -c 'map(.outer.dst) | unique' "$TEST_TMP/hop")"
	check_equal "$name: hop limit" "[$((hop_limit - hops[i]))]" \
		"$(jq -s -c 'map(.outer.hops) | unique' "$TEST_TMP/hop")"
	check "$name: the inner packets are the same" \
		cmp -s "$TEST_TMP/inner" <(inner <"$TEST_TMP/hop" | sort)
	check_equal "$name: outer source, class and next header, no routing header" \
		'[["fcbb:bb00:f001::",false,41,true,2]]' "$(jq -s -c 'map([.outer.src, .srh != null,
			.outer.next, .outer.tclass == .ip.tclass, .depth]) | unique' "$TEST_TMP/hop")"
}

check_path()
{
	local i

	packets "${places[0]}" ".outer.dst == \"${wanted[0]}\"" >"$TEST_TMP/first"
	inner <"$TEST_TMP/first" | sort >"$TEST_TMP/inner"
	count=$(wc -l <"$TEST_TMP/first")
	check "path: $count write packets" test "$count" -ge 16
	read -r ev hop_limit < <(jq -s -r '"\(.[0].ev) \(.[0].outer.hops)"' "$TEST_TMP/first")
	for i in "${!places[@]}"; do
		check_hop "$i"
	done
	check_equal "path: all its packets carry one EV" 1 \
		"$(jq -s 'map(.ev) | unique | length' "$TEST_TMP/first")"
}

check_classes()
{
	local write='select(.reth != null and .bth.rtx == 0)' control='select(.seth != null or .aeth != null)'

	check_equal "classes: writes have DSCP 10 and ECT(0)" "[[10,2]]" \
		"$(jq -c "$write | [.ip.dscp, .ip.ecn]" "$TEST_TMP/decoded" | jq -s -c unique)"
	check_equal "classes: answers have DSCP 46" "[46]" \
		"$(jq -c "$control | .ip.dscp" "$TEST_TMP/decoded" | jq -s -c unique)"
	check_equal "flow: the EV takes 16 bits of the flow label" true \
		"$(jq -s 'all(.[]; .ip.flow < 65536)' "$TEST_TMP/decoded")"
	check_equal "flow: the SACKs echo EVs of writes" true "$(jq -s '
		(map(select(.reth != null) | .ev) | unique) as $evs |
		map(select(.seth != null and .seth.pr == 0) | .seth.entropy) |
		length > 0 and all(.[]; . as $e | $evs | index($e) != null)' "$TEST_TMP/decoded")"
}

# listens HOST PORT: PORT is hexadecimal, as in the kernel's list of sockets.
listens()
{
	on "$1" grep -q ":$2 0\{32\}:0000 " /proc/net/udp6
}

# seen CONDITION FIELDS: prints these fields of the packets for which the condition holds.
seen()
{
	jq -c "select($1) | $2" "$TEST_TMP/decoded" | jq -s -c unique
}

# Another port, hop limit and classes, with all packets of a plane lost behind its first switch.
check_settings()
{
	local all='[.udp.dport, .ip.hops]' class='[.ip.dscp, .ip.ecn, .outer.dscp, .outer.ecn]'
	local spine

	check "settings: set" set_device udp-port 5555 hop-limit 33 dscp-data 11 dscp-rtx 13 \
		dscp-control 45
	check "settings: h1 listens on the new port" listens h1 15B3
	check_not "settings: and not on the old one" listens h1 12B7
	for spine in 1 2; do
		lab netem link p1t0r1:t1s$spine loss 100%
	done
	capture_start -i h1:eth1 -i h1:eth2
	check_traffic "settings" h1 h2 --sizes 32K --iterations 24 --timeout 16
	capture_stop "settings"
	check_equal "settings: nothing uses the old port" "" "$(decoded 4096)"
	WIRE_PORT=5555
	check_wire "settings" 4096 good
	decoded 4096 >"$TEST_TMP/decoded"
	check_equal "settings: port and hop limit of all packets" "[[5555,33]]" "$(seen true "$all")"
	check_equal "settings: outer hop limit of what h1 sends" "[33]" \
		"$(seen ".ip.src == \"$gid1\"" .outer.hops)"
	check_equal "settings: class of writes" "[[11,2,11,2]]" \
		"$(seen '.reth != null and .bth.rtx == 0' "$class")"
	check_equal "settings: class of retransmissions" "[[13,2,13,2]]" \
		"$(seen '.reth != null and .bth.rtx == 1' "$class")"
	check_equal "settings: class of answers" "[[45,0,45,0]]" \
		"$(seen '.seth != null or .aeth != null' "$class")"
}

need jq python3
lab_up --planes 2
gid1=$(lab gid h1)
check "set DSCPs" set_device dscp-data 10 dscp-control 46

interfaces=(-i h1:eth1)
for place in "${places[@]}"; do
	interfaces+=(-i "$place")
done
# Both directions at the ends only: each switch port sees a packet once.
capture_start "${interfaces[@]}"
check_traffic "traffic" h1 h2 --sizes 32K --iterations 24
capture_stop "capture"
check_wire "capture" 4096 good
decoded 4096 >"$TEST_TMP/decoded"
check_path
check_classes
check_settings
finish
