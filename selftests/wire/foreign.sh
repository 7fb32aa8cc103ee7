#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What another implementation may do and ours does not, made by hand in the name of the true peer: port
# status with time stamps in the other unit, in quick succession, and one that leaves no port up; ACKs
# with credits; SACKs of another congestion control; data without an ack request; messages whose content
# does not fit their numbers; a SEND that would invalidate a program's region.
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/inject.sh"

ALL=0xffffffff
NOT_1=0xfffffffe
NOT_2=0xfffffffd

# Timeout of the QPs, 17 s: nothing is sent again meanwhile.
TIMEOUT=24

# status NAME MASKS STAMPS TSR LOST [OPTION]...: reports these ports in h1's name; in the end h2 holds
# the ports LOST to be lost.
status()
{
	local name=$1 masks=$2 stamps=$3 tsr=$4 lost=$5
	shift 5

	verdicts "$name" inject_plain status --masks "$masks" --stamps "$stamps" --tsr "$tsr" "$@"
	check "$name: ports lost at h1, as h2 knows: ${lost:-none}" wait_for lost_ports_are h2 "$lost"
}

test_status()
{
	local n=0 stamp

	for stamp in 30000 1 65535 20000 20001 19999; do
		if ((n++ % 2)); then
			status "128 ns" $ALL $stamp 0 ""
		else
			status "128 ns" $NOT_1 $stamp 0 1
		fi
	done
	status "own unit, after 128 ns" $NOT_1 5 1 1
	status "own unit, the older one comes later" $ALL,$NOT_1 7,6 1 "" --older 1
	status "own unit, newer" $ALL,$NOT_1 8,9 1 1
	status "at once" $NOT_1,$ALL,$NOT_1,$ALL,$NOT_1 1,2,3,4,5 0 1
	status "at once, as before in the end" $ALL,$NOT_2,$NOT_1 1,2,3 0 1
	status "no port" 0 4 0 1
	status "no port that there is" 0x40000000 5 0 1
	status "all ports" $ALL 6 0 ""
}

# A port of h2 is down: a port status that leaves no port takes effect when it is back.
test_status_waits()
{
	check "port of ours down" on h2 mrcctl plane set mrc1 port 2 down
	status "port of ours down" $NOT_1 7 0 ""
	check "port of ours up" on h2 mrcctl plane set mrc1 port 2 up
	check "port of ours up: port 1 is lost" wait_for lost_ports_are h2 1
	status "all ports again" $ALL 8 0 ""
}

spines()
{
	lab "$1" switch p1t1s1
	lab "$1" switch p2t1s1
}

# fresh NAME PACKETS: makes new QPs; h2 writes PACKETS packets, which do not arrive.
fresh()
{
	spines heal
	hold "renew $TIMEOUT 7" mtu >/dev/null
	hold_write "$1: data flows"
	spines fail
	check_equal "$1: write of $2 packets" true "$(hold "post $(($2 * 1024))" good)"
}

# For packets of h2's QP to h1.
outstanding()
{
	on h2 mrcctl -j -s qp show mrc1 |
		jq '[.[] | select(.state == "rts") | ."psn-nxt" - ."psn-una"] | add'
}

test_acks()
{
	fresh "ACKs" 3
	check_equal "ACKs: nothing has arrived" 3 "$(outstanding)"
	verdicts "ACKs" inject_plain acks
	check_equal "ACKs: the request is complete" success "$(hold settle status)"
	fresh "SACK" 3
	verdicts "SACK" inject_plain sack-other-cc
	check_equal "SACK: it tells of one packet" 2 "$(outstanding)"
	spines heal
}

# The peer does not ask for a SACK, and stops.
test_never_asks()
{
	spines heal
	hold "renew $TIMEOUT 7" mtu >/dev/null
	hold_write "never asks: data flows"
	verdicts "never asks" inject_plain never-asks
}

# The message's numbers do not fit its PSNs.
test_numbers()
{
	local what

	for what in parts other-imm; do
		hold "renew $TIMEOUT 7" mtu >/dev/null
		hold_write "$what: data flows"
		verdicts "$what" inject_plain $what
	done
}

test_invalidate()
{
	hold "renew $TIMEOUT 7" mtu >/dev/null
	hold_write "invalidate: data flows"
	check_equal "invalidate: there is a receive" true "$(hold receive good)"
	verdicts "invalidate" inject_plain invalidate
}

test_short_imm()
{
	hold "renew $TIMEOUT 7" mtu >/dev/null
	hold_write "shorter than it says: data flows"
	verdicts "shorter than it says" inject_plain short-imm
}

need jq python3 mrc_hold
lab_up --planes 2 --spines 1
hold_start -n h1 -g "$(lab gid h1)" mrc0 -N h2 -G "$(lab gid h2)" mrc1
hold_write "data flows"
capture_start --direction out -i h2:eth1 -i h2:eth2
test_status
test_status_waits
capture_stop "requests"
check_equal "our own time stamps are in a unit of ours" "[1]" \
	"$(decoded 1024 'select(.name == "EP_REQUEST") | .erth.tsr' | jq -sc unique)"
test_acks
test_never_asks
test_short_imm
test_numbers
test_invalidate
hold_stop
finish
