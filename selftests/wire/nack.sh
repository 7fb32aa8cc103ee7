#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reliability NACKs of the true peer, made by hand, because ours sends few of the reasons. Each makes
# the requester send one packet again or ends the QP, as Documentation/developer/wire-format.md has it.
# They are about packets that the last switch has swallowed. Also a SACK that retires an EV.
# Nothing may be held to be lost before the NACK says so.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/inject.sh"

# Timeout of the QPs, 17 s: only a NACK makes them send again.
TIMEOUT=24

# Writes and Reliability Probes from h2 are dropped, by their opcodes behind two IPv6 headers and a UDP
# header. EV probes pass, so both EVs stay good.
swallow()
{
	local match

	for match in "0xc0 0xf0" "0xde 0xff"; do
		# shellcheck disable=SC2086 # value and mask
		tc -n p1t0r2 filter add dev h2 ingress pref 1 protocol ipv6 \
			u32 match u8 $match at 88 action drop || return
	done
}

pass()
{
	tc -n p1t0r2 filter del dev h2 ingress 2>"$TEST_TMP/tc.err"
}

# fresh NAME RETRIES PACKETS: makes new QPs; h2 writes PACKETS packets, which do not arrive.
fresh()
{
	pass
	hold "renew $TIMEOUT $2" mtu >/dev/null
	hold_write "$1: data flows"
	check "$1: the last switch swallows" swallow
	check_equal "$1: write of $3 packets" true "$(hold "post $(($3 * 1024))" good)"
}

# ends NAME STATUS: h2's write ends with this status and its QP in error; h1's QP is unchanged.
ends()
{
	check_equal "$1: completion" "$2" "$(hold settle status)"
	check_equal "$1: no asynchronous event, for the completion tells" false \
		"$(hold "event 1 local work queue catastrophic error" seen)"
	check_equal "$1: states of both QPs, RTS and error" "[3,6]" "$(hold state 'state | tojson')"
}

# EVs that the second packet of the write took. The "next" of "post" is the last one printed.
evs_of_second()
{
	local psn

	psn=$(jq -s 'map(select(.packets) | .next[1] - .packets + 1)[-1] % 16777216' "$HOLD_FILE")
	decoded 1024 "select(.reth != null and .bth.psn == $psn) | [.bth.rtx, .ev]"
}

# The state of h2's two EVs: how often each was marked, its losses, and whether it left use because of
# these (lost probes are a reason of their own).
evs()
{
	local left=false

	if event h2 '.event == "peer-ev" and .reason == "loss"' >/dev/null; then
		left=true
	fi
	on h2 mrcctl -j -d -s peer | jq -c --argjson left $left '.[0]["peer-ev"] |
		[(map(.marked) | sort), (map(.lost) | add), $left]'
}

test_again()
{
	local name="again: one EV is skipped once for the trimmed packet, none retired" found

	capture_start --direction out -i h2:eth1
	fresh "again" 7 10
	capture_stop "again, sent first"
	evs_of_second >"$TEST_TMP/second"
	capture_start --direction out -i h2:eth1
	verdicts "again" inject_plain nacks --entropy "$(jq '.[1]' "$TEST_TMP/second")"
	found=$(evs)
	capture_stop "again"
	evs_of_second >>"$TEST_TMP/second"
	check_equal "$name" '[[0,1],9,false]' "$found"
	check_equal "again: the trimmed packet took the other EV, marked as sent again" "[[0,1],2]" \
		"$(jq -s -c '[map(.[0])[:2], (map(.[1])[:2] | unique | length)]' "$TEST_TMP/second")"
	pass
	verdicts "again" inject_plain nack-all
	check_equal "again: the write arrives" true "$(hold arrive good)"
	verdicts "too late" inject_plain nacks-late
	hold_write "too late: data flows"
}

# A SACK says ALWAYS_SKIP.
test_retired()
{
	local entropy other

	capture_start --direction out -i h2:eth1
	fresh "retired" 7 2
	capture_stop "retired"
	entropy=$(evs_of_second | jq -s '.[0][1]')
	other=$((entropy ^ 1 << 31))
	verdicts "retired, no EV of ours" inject_plain sack-retires --entropy $other
	verdicts "retired, not that packet's EV" inject_plain sack-mixes --entropy $other
	check_not "retired: no EV is left for either" event h2 '.reason == "always skip"'
	verdicts "retired" inject_plain sack-retires --entropy "$entropy"
	check "retired: h2 leaves the EV" wait_for event h2 \
		'.event == "peer-ev" and .state == "assumed-bad" and .reason == "always skip"'
}

test_end()
{
	TIMEOUT=23 fresh "retries" 2 1
	verdicts "retries" inject_plain nack-retries --timeout-ns $((1024 << 23))
	ends "retries" "transport retry counter exceeded"
	fresh "unexpected event" 2 1
	verdicts "unexpected event" inject_plain nack-fatal
	ends "unexpected event" "remote operation error"
}

need jq python3 mrc_hold tc
modprobe -qa sch_ingress cls_u32 act_gact
lab_up --planes 1
tc -n p1t0r2 qdisc add dev h2 clsact || bail "clsact"
monitor_start h2
# A refused or trimmed packet is sent again at once: with NSCC it would wait for room in the window.
fixed_window h2 h1 || bail "a fixed window"
hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
test_again
test_retired
test_end
hold_stop
finish
