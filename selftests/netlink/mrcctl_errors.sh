#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcctl prints one line on standard error when something is wrong. Status 1: usage. Status 2: the
# kernel refuses; its answer is quoted with the attribute.

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

# refused TEXT ARGUMENT...: the kernel refuses it
refused()
{
	local text=$1
	shift

	check_error "refused: $*" 2 "mrcctl: $text" mrcctl -n p1 "$@"
	check_equal "in one line: $*" 1 "$(wc -l <"$TEST_TMP/check.log")"
}

# usage TEXT ARGUMENT...: mrcctl refuses it before asking a kernel
usage()
{
	local text=$1
	shift

	check_error "usage: $*" 1 "mrcctl: $text" mrcctl -n p1 "$@"
	check_equal "in one line: $*" 1 "$(wc -l <"$TEST_TMP/check.log")"
}

# refused_setting TEXT SETTING VALUE
refused_setting()
{
	refused "cc-profile add: $1 ($2)" cc-profile add mrc1 1 algorithm "${ALGORITHM:-nscc}" "${@:2}"
}

refused_settings()
{
	local bad range="integer out of range"

	for bad in "rate 7mbit" "rate 3tbit" "base-rtt 999ns" "base-rtt 1001ms" "target-delay 1ns" \
		"target-delay 2s" "max-cwnd 8191" "max-cwnd 268435457" "adjust-bytes 268435457" \
		"adjust-period 10ns" "adjust-period 4s" "eta 1048577" "fi 67108865" "fi-scale 0" \
		"fi-scale 64.1" "gamma 1.000001" "max-md-jump 2" "qa-gate 16" "qa-threshold 10ns" \
		"qa-threshold 4001ms"; do
		# shellcheck disable=SC2086 # two words
		refused_setting "$range" $bad
	done
	refused_setting "only algorithm none takes a window" window 8192
	for bad in "rate 1gbit" "base-rtt 1ms" "gamma 1" "quick-adapt on" "scope peer"; do
		# shellcheck disable=SC2086 # two words
		ALGORITHM=none refused_setting "only algorithm nscc takes this setting" $bad window 8192
	done
	refused "cc-profile set: no such CC profile (id)" cc-profile set mrc1 1 algorithm nscc
	usage "cc-profile add: window is missing" cc-profile add mrc1 1 algorithm none
	usage "cc-profile add: unknown setting 'colour'" cc-profile add mrc1 1 algorithm nscc colour red
	usage "cc-profile add: base-rtt: '12' is not a time like 500us, 2ms or 1s" \
		cc-profile add mrc1 1 algorithm nscc base-rtt 12
	usage "cc-profile add: rate: '12' is not a rate like 400gbit or 2500mbit" \
		cc-profile add mrc1 1 algorithm nscc rate 12
}

test_refusals()
{
	refused "device show: no such device (dev-name)" device show nope
	refused "device set: integer out of range (burst)" device set mrc1 burst 17
	refused "plane add: no netdev 'nope' in this network namespace" plane add mrc1 netdev nope
	refused "plane add: A plane needs an Ethernet netdev (ifindex)" plane add mrc1 netdev lo
	refused "plane del: No plane on this port (port)" plane del mrc1 port 32
	refused "ev-profile set: no such EV profile (id)" ev-profile set mrc1 7 mode auto count 4
	refused "ev-profile add: min-active exceeds the number of EVs (min-active)" \
		ev-profile add mrc1 7 min-active 2 ev port 1 sid fc00::1
	refused "ev-profile add: active exceeds the number of EVs (active)" \
		ev-profile add mrc1 7 active 5 mode auto count 4
	refused "ev-profile add: SRv6 EVs cannot be drawn: list them (format)" \
		ev-profile add mrc1 7 format srv6 mode auto count 4
	refused "ev-profile add: SID is not a routable unicast address (ev 2: sid)" \
		ev-profile add mrc1 7 ev port 1 sid fc00::1 ev port 1 sid ff02::1
	refused "ev-profile add: the value of a UDP EV is a source port: at most 65535 (ev 1: value)" \
		ev-profile add mrc1 7 format udp ev port 1 value 65536
	refused "ev-profile add: First segment is not a unicast address (ev 1: encap)" \
		ev-profile add mrc1 7 ev port 1 segs ff02::1,fc00::1
	refused "ev deny: no EV of that index in the profile (index)" \
		ev deny mrc1 ev-profile 1 index 1
	refused "cc-profile add: unknown congestion-control algorithm (algorithm)" \
		cc-profile add mrc1 1 algorithm nope window 65536
	refused "cc-profile add: window must be 8 KiB to 256 MiB (window)" \
		cc-profile add mrc1 1 algorithm none window 1
	refused_settings
	refused "route add: host bits of the prefix are not zero (prefix)" \
		route add mrc1 fd00::1/64 ev-profile 0
	refused "route add: no such EV profile (ev-profile)" route add mrc1 fd00::/64 ev-profile 99
	refused "route add: no such CC profile (cc-profile)" \
		route add mrc1 fd00::/64 ev-profile 0 cc-profile 99
	refused "route del: no route of this prefix (prefix)" route del mrc1 fd00::/64
	refused "monitor: no such device (dev-name)" monitor nope
	refused "qp show: no such QP (qpn)" qp show mrc1 qpn 1
	refused "probe: no route to this GID: name an EV profile (remote-gid)" \
		probe mrc1 remote fd09::9
	refused "probe: no such EV profile (ev-profile)" probe mrc1 remote fd09::9 ev-profile 99
	refused "probe: not an address of the device (local-gid)" \
		probe mrc1 remote fd09::9 local fd09::1
	refused "probe: the peer has no EV of that index (ev 2)" \
		probe mrc1 remote fd09::9 ev-profile 1 ev 0 ev 7
	refused "probe: no plane has this port (raw-ev)" probe mrc1 raw to fd09::9 port 9 value 1
	check "a profile without a route is enough to probe" \
		grep -q "answered 0/1" <(mrcctl -n p1 probe mrc1 remote fd09::9 ev-profile 1 timeout 1000)
}

test_usage()
{
	usage "unknown object 'planet'" planet
	usage "object 'p' is ambiguous: plane, peer, probe" p
	usage "plane: unknown command 'mul'" plane mul
	usage "plane add: device is missing" plane add
	usage "plane add: port must be 1 to 32, not 33" plane add mrc1 port 33 netdev veth
	usage "device set: icrc must be on or off, not 'maybe'" device set mrc1 icrc maybe
	usage "ev-profile add: ev-profile is missing" ev-profile add mrc1
	usage "ev-profile add: segs: 'x' is not an IPv6 address" \
		ev-profile add mrc1 1 ev port 1 segs fc00::1,x
	usage "route add: prefix: '10.0.0.0/8' is not an IPv6 prefix" \
		route add mrc1 10.0.0.0/8 ev-profile 0
	usage "probe: timeout must be 1 to 10000, not 10001" probe mrc1 remote fd00::2 timeout 10001
	usage "monitor: 'kind' expected, not 'now'" monitor mrc1 now
	usage "option '-b' needs a value" -b
	usage "unknown option" -x
	usage "option -b takes no command" -b /dev/null device
}

test_others()
{
	check_error "no such namespace" 2 "mrcctl: network namespace nope: No such file" \
		mrcctl -n nope device
	check_error "no such batch file" 2 "mrcctl: cannot read /nope: No such file" \
		mrcctl -b /nope
	check_error "output cannot be written" 2 "mrcctl: cannot write" \
		bash -c 'mrcctl help >/dev/full'
	check_error "a change without privileges" 2 "mrcctl: device set: Operation not permitted" \
		nsenter --net=/run/netns/p1 setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$(command -v mrcctl)" device set mrc1 burst 1
	check "a look without privileges" nsenter --net=/run/netns/p1 setpriv --reuid 65534 \
		--regid 65534 --clear-groups "$(command -v mrcctl)" device show mrc1
	check "help needs nothing" mrcctl ev-profile help
}

pair_up
check "an EV profile" mrcctl -n p1 ev-profile add mrc1 1 ev port 1 sid fc00::1
test_refusals
test_usage
test_others
finish
