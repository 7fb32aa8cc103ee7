#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs without SRv6: routed IPv6, the automatic profile, packets that arrive through the UDP socket.
# timeout: 900
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

# Frames that each spine of each plane got from rack 1.
spines()
{
	local plane spine

	for plane in 1 2; do
		for spine in 1 2; do
			switch_received p${plane}t1s$spine t0r1
		done
	done | paste -sd ' '
}

# even_planes WRITES A B: half each, within 5 %
even_planes()
{
	[ $((100 * $2)) -ge $((95 * $1 / 2)) ] && [ $((100 * $3)) -ge $((95 * $1 / 2)) ]
}

need jq python3
lab_up --plain --planes 2

read -ra before < <(spines)
capture_start --direction in -i p1t0r1:h1 -i p2t0r1:h1
# Bursts of up to fifteen packets: each EV has had its turn after 1920 packets. One write at a time: a
# busy machine takes so long for a window of data that EVs are doubted, and EVs in doubt, or out of use,
# would have no turn. The debug kernel takes that long for a burst: there each EV has two turns.
check_traffic "automatic profile" h1 h2 --sizes 128K --iterations $((SLOW > 1 ? 160 : 80)) --seed 7 \
	--depth 1
capture_stop "automatic profile"
check_wire "automatic profile" 4096 good
read -ra after < <(spines)
check_equal "wire: no outer header" '{"1":true}' "$(summary '.depths | map_values(. > 0) | tojson')"
check_equal "wire: consecutive PSNs on one EV" 0 "$(summary .same_ev)"
check_equal "wire: as many EVs as the profile has" 128 "$(summary '.evs | length')"
read -r writes one two < <(summary '"\(.writes) \(.interfaces["p1t0r1:h1"]) \(.interfaces["p2t0r1:h1"])"')
check "planes: $one and $two of $writes packets" even_planes "$writes" "$one" "$two"
for i in 0 1 2 3; do
	check "fabric: ECMP used spine $((i % 2 + 1)) of plane $((i / 2 + 1))" \
		test $((after[i] - before[i])) -ge 5
done

check_traffic "all kinds" h1 h2 --both --qps 4 --iterations 30 --random-sizes 0-300K \
	--random-offsets --sges 8 --imm-every 3 --inline 128
check "burst 1" set_device burst 1
check_traffic "burst 1" h1 h2 --both --iterations 20 --random-sizes 0-300K --random-offsets
check_counters_clean "$TROUBLE"
finish
