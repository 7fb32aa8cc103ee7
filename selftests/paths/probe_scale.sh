#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A thousand peers that never answer, with 32 EVs each to be probed. Runs of the timer and probes keep
# to what Documentation/failures.md says, each peer gets as many as any other, and one bad EV of another
# peer beside them comes back in its time once it is healed. Where all is slow, a quarter of the peers
# is made: still more than may wait for an answer at once.
# Probes are counted, and times in the trace are compared with each other, so the machine's speed does
# not decide.
# clock: icount
# timeout: 900

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"
. "$SELFTESTS/lib/hold.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/left.sh"

PEERS=$((SLOW > 1 ? 250 : 1000))
# The limits of the page: probes of a run, probes sent at once, probes without an answer; and how often
# probes are lost in a second, the longest time that an EV waits.
RUN=16
BURST=64
UNANSWERED=240
LOST_A_SECOND=20
# Probes of a second, the most that a peer waits for after its turn (it is behind all others once), and
# the number of probes that shows both.
SECOND=$((UNANSWERED * (LOST_A_SECOND + 2)))
ROUND=$((PEERS + UNANSWERED))
MANY=10000
# Timeout of the QPs that nothing answers, a quarter of a second: all are silent after two, and there
# are 29. Where all is slow, 17 seconds: the QPs must live until their probes are counted.
TIMEOUT=$((SLOW > 1 ? 24 : 18))
PROBES=$TEST_TMP/probes

# ---------------------------------------------------------------- planes, EVs

# One more path to p2, and one to hosts that do not exist. p2 has one plane, so it has nothing to probe.
planes()
{
	local n

	ip link add way netns p1 mtu 9000 type veth peer name way netns p2 mtu 9000
	ip -n p1 link add nowhere mtu 9000 type dummy
	ip -n p1 link set nowhere up
	for n in 1 2; do
		ip -n "p$n" addr add "fd00:6d72:71::$n/64" dev way nodad
		ip -n "p$n" link set way up
	done
	ip -n p1 route add fd00:6d72:70::/64 via fd00:6d72:71::2 dev way metric 2048
	# A neighbour that was looked for in vain while nothing passes is found only after a while.
	ip -n p1 neigh replace fd00:6d72:71::2 lladdr "$(mac_of p2 way)" dev way nud permanent
	# It is no plane there.
	on p2 mrcctl device set mrc2 ingress-filter off &&
		on p1 mrcctl plane add mrc1 port 2 netdev way &&
		on p1 mrcctl plane add mrc1 port 3 netdev nowhere
}

# profile ID EV...: of p1
profile()
{
	local id=$1
	shift

	on p1 mrcctl ev-profile add mrc1 "$id" format stev "$@"
}

# The RDMA core must know by which netdev the silent hosts are reached; the packets reach no host.
routes()
{
	local -a evs=()
	local n

	for n in {1..32}; do
		evs+=(ev port 3 value $((0xc001 << 16 | n)))
	done
	profile 32 "${evs[@]}" && profile 2 ev port 1 value $((0xc001 << 16)) \
		ev port 2 value $((0xc001 << 16)) || return
	ip -n p1 route add fd09::/64 via "$(pair_addr 2)"
	ip -n p1 route add fd09::/64 dev nowhere metric 2048
	on p1 mrcctl route add mrc1 fd09::/64 ev-profile 32 &&
		on p1 mrcctl route add mrc1 "$(pair_addr 2)/128" ev-profile 2
}

# second_is STATE: p1's EV on the second plane, towards p2, is in STATE
second_is()
{
	[ "$(on p1 mrcctl -j -d peer show mrc1 remote "$(pair_addr 2)" |
		jq -r '.[0]."peer-ev"[] | select(.port == 2).state')" = "$1" ]
}

second_goes()
{
	hold write good && second_is assumed-bad
}

# ---------------------------------------------------------------- what is sent

# above NAME N: this counter of p1's is above N
above()
{
	[ "$(counter mrc1 "$1")" -gt "$2" ]
}

# sends N: N more probes are sent.
sends()
{
	wait_for above endpoint_requests_sent $(($(counter mrc1 endpoint_requests_sent) + $1))
}

# Counts runs of the timer, times at which a way back may be probed, and EV probes.
traced()
{
	traces mrc_ev
	echo mono >"$TRACING/trace_clock"
	# shellcheck disable=SC2016 # arguments of the function
	printf '%s\n' 'p:mrc_test/run mrc_prober_timer' 'p:mrc_test/reverse mrc_prober_reverse' \
		'p:mrc_test/ask mrc_ep_xmit peer=$arg1:x64 opcode=+0($arg4):u8' \
		>"$TRACING/kprobe_events" &&
		echo "opcode == $((0xd8))" >"$TRACING/events/mrc_test/ask/filter" &&
		echo 1 >"$TRACING/events/mrc_test/enable"
}

untraced()
{
	traces
	echo 0 >"$TRACING/events/mrc_test/enable"
	echo >"$TRACING/kprobe_events"
	echo local >"$TRACING/trace_clock"
	echo 1 >"$TRACING/tracing_on"
}

# trace_begin, trace_end: PROBES gets what is traced in between, as lines "MICROSECONDS run",
# "MICROSECONDS ask PEER" and the like.
trace_begin()
{
	echo >"$TRACING/trace"
	echo 1 >"$TRACING/tracing_on"
}

trace_end()
{
	echo 0 >"$TRACING/tracing_on"
	sed -nE 's/.* ([0-9]+)\.([0-9]{6}): (.*)/\1\2 \3/
		s/^([0-9]+) (run|reverse): .*/\1 \2/p
		s/^([0-9]+) ask: .* peer=(0x[0-9a-f]+).*/\1 ask \2/p
		s/^([0-9]+) tracing_mark_write: healed/\1 healed/p
		s/^([0-9]+) mrc_ev: .* port=2 assumed-bad -> good .*/\1 back/p' \
		"$TRACING/trace" >"$PROBES"
}

# asked: the peer of a traced probe
asked()
{
	trace_begin
	sends 0 || return
	trace_end
	awk '$2 == "ask" { print $3 }' "$PROBES" | sort -u
}

# ---------------------------------------------------------------- evaluation

# us_between: prints the least microseconds between two runs of the timer
us_between()
{
	awk '$2 == "run" { if (runs++ && (runs == 2 || $1 - last < least)) least = $1 - last; last = $1 }
		END { print runs < 2 ? 0 : least }' "$PROBES"
}

# of_a_run: prints the most probes of a run
of_a_run()
{
	awk '$2 == "run" { n = 0; planned = 1 }
		$2 == "reverse" { planned = 0 }
		$2 == "ask" && planned && ++n > most { most = n }
		END { print most }' "$PROBES"
}

# too_many: prints the probes that came sooner than 10000 a second allow, after a burst. Times are cut
# to microseconds; two errors may add up to one.
too_many()
{
	awk -v burst=$((BURST + 1)) '$2 == "ask" {
			at = free > $1 ? free : $1
			late += at - $1 > (burst - 1) * 100
			free = at + 100
		}
		END { print late + 0 }' "$PROBES"
}

# without_answer: prints the probes that came before one of that many before them was lost, 50 ms after
# it left
without_answer()
{
	awk -v most=$UNANSWERED '$2 == "ask" {
			early += n >= most && $1 - at[n % most] < 49900
			at[n++ % most] = $1
		}
		END { print early + 0 }' "$PROBES"
}

# each_got BESIDE: prints how many peers other than BESIDE had a turn, and the fewest and most probes of
# a peer
each_got()
{
	awk -v beside="$1" '$2 == "run" { planned = 1 }
		$2 == "reverse" { planned = 0 }
		$2 == "ask" && planned && $3 "" != beside { n[$3]++ }
		END {
			for (peer in n) {
				peers++
				if (peers == 1 || n[peer] < least) least = n[peer]
				if (n[peer] > most) most = n[peer]
			}
			print peers + 0, least + 0, most + 0
		}' "$PROBES"
}

# late BESIDE: prints how often it was probed again, and how often it had to wait: more probes of others
# than have room at once came when its EV was due, a second after its last probe, and it was no longer
# behind them because of that one. Numbers as long as these must be compared as text.
late()
{
	awk -v beside="$1" -v room=$UNANSWERED -v round=$ROUND '$2 != "ask" { next }
		$3 "" == beside {
			again += !!last
			late += due > room && since > round
			last = $1
			since = due = 0
			next
		}
		{ since++; due += last && $1 >= last + 1000000 }
		END { print again + 0, late + 0 }' "$PROBES"
}

# waited BESIDE: prints the probes of others before its first probe after the fault, and from then until
# its EV was back
waited()
{
	awk -v beside="$1" '$2 == "healed" { healed = 1; n = 0; next }
		$2 == "ask" && healed && $3 "" != beside { n++ }
		$2 == "ask" && healed && $3 "" == beside && !first { first = 1; before = n; n = 0 }
		$2 == "back" && first { print before, n; exit }' "$PROBES"
}

# ---------------------------------------------------------------- tests

# One bad EV, which after a while is probed each second. Sets BESIDE.
test_one()
{
	tc -n p1 qdisc add dev way root netem loss 100%
	check "one EV is bad" wait_for second_goes
	check "probes are traced" traced
	at_exit untraced
	BESIDE=$(asked)
	check "it is probed, and nothing else" grep -xE '0x[0-9a-f]+' <<<"$BESIDE"
}

# Each QP writes to a host that does not exist.
silent_peers()
{
	local before

	before=$(counter mrc1 tx_write_requests)
	background ip netns exec p1 mrc_dead --device mrc1 --gid "$(pair_addr 1)" --remote fd09::1 \
		--peers $PEERS --qps $PEERS --timeout $TIMEOUT >"$TEST_TMP/dead" 2>&1
	DEAD=$BACKGROUND_PID
	wait_for above tx_write_requests $((before + PEERS - 1)) ||
		bail "$PEERS silent peers" "$(cat "$TEST_TMP/dead")"
}

test_limits()
{
	local sent asks most

	trace_begin
	silent_peers
	check "all EVs of $PEERS peers are probed" sends $((5 * PEERS))
	trace_end
	# The first probes find all places free.
	check_equal "at first 10000 probes a second at most: too soon" 0 "$(too_many)"
	check_equal "at first $UNANSWERED without an answer at most: too soon" 0 "$(without_answer)"
	sent=$(counter mrc1 endpoint_requests_sent)
	trace_begin
	check "and go on to be" sends $MANY
	echo 0 >"$TRACING/tracing_on"
	# Counters are updated a moment later.
	nap 0.1
	sent=$(($(counter mrc1 endpoint_requests_sent) - sent))
	trace_end
	asks=$(grep -c ask "$PROBES")
	diag <<<"$asks probes in $(grep -c run "$PROBES") runs of the timer"
	check "each probe is traced: $asks of $sent" \
		test "$asks" -ge $((MANY - PEERS)) -a "$asks" -le "$sent"
	check_equal "who sends and hears nothing looks for no way back" 0 \
		"$(grep -c reverse "$PROBES")"
	check "the timer runs once a millisecond at most: not after $(us_between) us" \
		test "$(us_between)" -ge 999
	most=$(of_a_run)
	check "a run sends $RUN probes at most: $most" test "$most" -ge 1 -a "$most" -le $RUN
	check_equal "10000 probes a second at most: too soon" 0 "$(too_many)"
	check_equal "$UNANSWERED without an answer at most: too soon" 0 "$(without_answer)"
}

test_fair()
{
	local peers least most again late

	read -r peers least most <<<"$(each_got "$BESIDE")"
	check_equal "fair: so many peers are probed" $PEERS "$peers"
	check "fair: one gets as many as another: $least to $most" \
		test "$least" -ge $((MANY / PEERS - 2)) -a "$most" -le $((least + 2))
	read -r again late <<<"$(late "$BESIDE")"
	check "fair: the one bad EV is probed when it is due: $again times, $late of them late" \
		test "$again" -ge 1 -a "$late" = 0
}

# An EV that waits for at most a second is due then: its peer has the next turn. After three answers it
# is back. Where all is slow the others have ended before their probes were counted.
test_back()
{
	local before until

	trace_begin
	tc -n p1 qdisc del dev way root
	echo healed >"$TRACING/trace_marker"
	check "one EV, healed: it is back" wait_for second_is good
	trace_end
	[ "$SLOW" -eq 1 ] || return 0
	check "one EV, healed: others were probed until then" kill -0 "$DEAD"
	read -r before until <<<"$(waited "$BESIDE")"
	check "one EV, healed: probed within a second, which is ${before:-?} probes of others" \
		test "${before:-$((SECOND + 1))}" -le $SECOND
	check "one EV, healed: back after two turns more, which is ${until:-?} probes of others" \
		test "${until:-$((2 * ROUND + 1))}" -le $((2 * ROUND))
}

test_gone()
{
	kill "$DEAD" 2>/dev/null
	wait "$DEAD" 2>/dev/null
	hold_stop
	check "no QP is left: nothing is probed, no timer is armed" wait_for no_timers
}

need jq tc mrc_dead mrc_hold
modprobe -q sch_netem
pair_up
check "three planes" planes
check "EVs and routes" routes
hold_start -n p1 -g "$(pair_addr 1)" mrc1 -N p2 -G "$(pair_addr 2)" mrc2
hold_write "data flows"
test_one
test_limits
test_fair
test_back
test_gone
finish
