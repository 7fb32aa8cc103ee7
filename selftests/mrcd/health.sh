#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcd watches the links of its host. It names each kind of element that breaks, and denies exactly the
# EVs that use it; it allows them again when the element works. Traffic must not notice any of this.
# timeout: 1200

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"
. "$SELFTESTS/lib/evs.sh"
. "$SELFTESTS/lib/mrcd.sh"

# As in its unit: user nobody, with one capability.
as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups
	--bounding-set "-all,+net_admin" --inh-caps "-all,+net_admin"
	--ambient-caps "-all,+net_admin" --no-new-privs)

# health FILTER: filters the health of h1
health()
{
	on h1 mrcctl -j health show mrc0 | jq -c ".[0] | $1"
}

# page PATH: of h1's status page
page()
{
	on h1 curl -sf --max-time 10 "http://127.0.0.1:9867/$1"
}

# metric LINE: it is among the metrics
metric()
{
	grep -qxF "$1" <(page metrics)
}

# shows_page PATH REGEX
shows_page()
{
	grep -qE "$2" <(page "$1")
}

# The loops by T0s and T1s, of 2 planes with 2 T1s each.
all_alive()
{
	[ "$(health '[.plane[] | .verdict, .t1[].verdict]')" = \
		'["alive","alive","alive","alive","alive","alive"]' ]
}

# named JSON: exactly these are the faults
named()
{
	[ "$(health '[.fault[] | [.element, .kind, .denied]]')" = "$1" ]
}

# The probes of a second, at ten a second. Where other loops of the plane lose some as well, it takes
# ten lost in a row to blame an element (mrcd(8)), and also the probes that tell a T1 from the link to
# it.
PROBES=10
PROBES_AMONG_LOSSES=15

# others_lose: working loops of the faulty plane have lost some of their last probes
others_lose()
{
	[ "$(health '.plane[.fault[0].port - 1] | [., .t1[]] |
		map(select(.verdict == "alive")."history-us"[-30:][]) | index(0)')" != null ]
}

# named_soon: the fault was named before more than a second's probes were lost
named_soon()
{
	local most=$PROBES

	! others_lose || most=$PROBES_AMONG_LOSSES
	health '"named after \(.fault[0].lost) lost probes in a row"' | diag
	[ "$(health ".fault[0].lost <= $most")" = true ]
}

# paths FILTER: prints the paths of EVs, as "PORT ADDRESS" in the order of names
paths()
{
	on h1 mrcctl -j ev show mrc0 |
		jq -r "[.[] | select($1) | \"\\(.port) \\(.via)\"] | unique | .[]"
}

# denied_are REGEX: exactly the EVs that match are denied
denied_are()
{
	local wanted

	wanted=$(paths true | grep -E "$1") && [ "$(paths .denied)" = "$wanted" ]
}

# breaks NAME ELEMENT KIND REGEX HEAL FAIL...: FAIL breaks ELEMENT, whose EVs match REGEX; the words of
# HEAL heal it
breaks()
{
	local name=$1 element=$2 kind=$3 regex=$4 heal=$5
	shift 5

	"$@" || bail "$name"
	check "$name: named" wait_for named "[[\"$element\",\"$kind\",true]]"
	check "$name: within the probes of a second" named_soon
	check "$name: exactly the EVs that use it are denied" wait_for denied_are "$regex"
	check "$name: no plan says otherwise" wait_for planned h1
	check_arrives "$name: traffic flows" 20 h2
	# shellcheck disable=SC2086 # several words
	$heal || bail "$name: mend"
	check "$name: mended" wait_for named "[]"
	check "$name: no EV is denied any more" wait_for none_denied
}

none_denied()
{
	[ -n "$(paths true)" ] && [ -z "$(paths .denied)" ]
}

test_faults()
{
	breaks "no carrier" h1-p1t0r1 host-link '^1 ' "lab heal link h1:eth1" \
		lab fail link h1:eth1
	breaks "silent link of the host" h1-p2t0r1 host-link '^2 ' "lab netem link h1:eth2 off" \
		lab netem link h1:eth2 loss 100%
	breaks "T0" p1t0r1 t0 '^1 ' "lab heal switch p1t0r1" lab fail switch p1t0r1
	breaks "trunk" p2t0r1-p2t1s1 trunk '^2 .*:281:' "lab netem link p2t0r1:t1s1 off" \
		lab netem link p2t0r1:t1s1 loss 100%
	breaks "T1" p1t1s2 t1 '^1 .*:182:' "lab heal switch p1t1s2" lab fail switch p1t1s2
	breaks "hole for data" p1t0r1-p1t1s1 trunk '^1 .*:181:' "lab mtu link p1t0r1:t1s1 off" \
		shrink p1t0r1:t1s1
}

# shrink NS:IF: packets as long as data no longer pass that link
shrink()
{
	lab mtu link "$1" 1500 || return
	check "hole for data: found" wait_for \
		metric 'mrc_link_passes_data{device="mrc0",plane="1",t0="p1t0r1",t1="p1t1s1"} 0'
	check_equal "hole for data: short probes pass" '["alive","dead"]' \
		"$(health '.plane[0].t1[0] | [.verdict, .data.verdict]')"
	check "hole for data: named as one" wait_for shows_fault \
		'["mtu","passes 76 bytes, loses 4228"]'
	check "hole for data: monitoring sees it" metric "mrc_fault{device=\"mrc0\",\
element=\"p1t0r1-p1t1s1\",kind=\"trunk\",cause=\"mtu\",plane=\"1\",denied=\"true\"} 1"
}

# shows_fault JSON: cause and evidence of the first fault
shows_fault()
{
	[ "$(health '.fault[0] | [.cause, .evidence]')" = "$1" ]
}

# The kernel takes seconds to make netdevs, and meanwhile all who query or change one wait. This uses a
# switch that was not broken before, because a switch that was is not trusted again so soon.
test_held()
{
	local maker

	modprobe -r ifb 2>/dev/null
	lab fail switch p2t1s2
	background modprobe ifb numifbs=600
	maker=$BACKGROUND_PID
	check "held: T1 named" wait_for named '[["p2t1s2","t1",true]]'
	check "held: its EVs are denied" wait_for denied_are '^2 .*:282:'
	check "held: while netdevs were made" kill -0 "$maker"
	wait "$maker"
	lab heal switch p2t1s2
	check "held: mended" wait_for named "[]"
	check "held: no EV is denied any more" wait_for none_denied
	modprobe -r ifb
}

# A stand-in for the journal receives the decisions of the next mrcd.
start_with_journal()
{
	local stream

	: >"$TEST_TMP/stream"
	stream=$(stat -c %d:%i "$TEST_TMP/stream")
	background env JOURNAL_STREAM="$stream" \
		ip netns exec h1 "${as_nobody[@]}" mrcd -f "$(file_of h1)" 2>>"$TEST_TMP/stream"
	daemon[h1]=$BACKGROUND_PID
}

# entry FIELD VERDICT: prints that field of the journal's decisions about p1t1s2
entry()
{
	jq -r "select(.MRC_ELEMENT == \"p1t1s2\" and .MRC_VERDICT == \"$2\").$1" "$TEST_TMP/journal"
}

came()
{
	[ -n "$(entry MESSAGE "$1")" ]
}

# The EVs that the kernel denies, as the journal names them.
denied_now()
{
	on h1 mrcctl -j ev show mrc0 | jq -r '[.[] | select(.denied)] | group_by(."ev-profile") |
		map("\(.[0]."ev-profile"):\(map(.index) | join(","))") | join(" ")'
}

# The next mrcd does not know yet why they were denied.
test_killed()
{
	local denied evs i seen=kept

	background python3 "$SELFTESTS/lib/journald.py" "$TEST_TMP/journal"
	wait_for test -e "$TEST_TMP/journal" || bail "journal"
	lab fail switch p1t1s2
	check "killed: T1 named" wait_for named '[["p1t1s2","t1",true]]'
	check "killed: its EVs are denied" wait_for denied_are '^1 .*:182:'
	denied=$(paths .denied)
	evs=$(denied_now)
	kill -KILL "${daemon[h1]}"
	wait "${daemon[h1]}" 2>/dev/null
	check "killed: without it, a plan would allow them" grep -q "allowed$" <(plan_of h1)
	start_with_journal
	for ((i = 0; i < 10; i++)); do
		[ "$(paths .denied)" = "$denied" ] || seen="look $i: $(paths .denied)"
		nap 0.1
	done
	check_equal "killed: they stay so" kept "$seen"
	check "killed: the next one names it as well" wait_for named '[["p1t1s2","t1",true]]'
	check "journal: it is told" wait_for came denied
	check_equal "journal: of the EVs that are denied" "$evs" "$(entry MRC_EVS_DENIED denied)"

	printf '[watch]\nrate = 20\n' >>"$(file_of h1)"
	check "reload: links are probed anew" on h1 mrcctl daemon reload mrc0
	check "reload: it is named again" wait_for named '[["p1t1s2","t1",true]]'
	lab heal switch p1t1s2
	check "killed: mended" wait_for named "[]"
	check "killed: no EV is denied any more" wait_for none_denied
	check "journal: it is told" wait_for came allowed
	check_equal "journal: of the same EVs" "$evs" "$(entry MRC_EVS_ALLOWED allowed)"
	check_equal "journal: each decision once, by who reads the file again, too" "4 5" \
		"$(entry PRIORITY denied) $(entry PRIORITY allowed)"
}

# What monitoring shows of all this.
test_report()
{
	local alive='mrc_link_alive{device="mrc0",plane="1",t0="p1t0r1",t1="p1t1s1"} 1'

	check "metrics: a link is alive" wait_for metric "$alive"
	check "metrics: a plane is up" wait_for metric \
		'mrc_plane_up{device="mrc0",plane="2",netdev="eth2"} 1'
	check "metrics: QPs" wait_for \
		shows_page metrics '^mrc_qps{device="mrc0",state="rts"} [1-9]'
	check "metrics: packets" wait_for shows_page metrics \
		'^mrc_plane_tx_packets_total{device="mrc0",plane="1",netdev="eth1"} [0-9]{3}'
	check "status: the peer's EVs" wait_for shows_page status.json \
		'"remote-gid":"fd00:6d72:63::2".*"ev":[{]"1":"[GS]{2}","2":"[GS]{2}"[}]'
	check "page" wait_for shows_page "" '<title>mrcd</title>'
}

# problems_are LINE...: exactly these are the problems of h1
problems_are()
{
	[ "$(health '[.problem[].what]')" = "$(jq -cn '$ARGS.positional' --args "$@")" ]
}

# The peers' packets only get to the T0, but mrcd's probes go on: only the engine sees the fault.
test_evs_out()
{
	local what="plane 2: the module considers all EVs bad"

	check "EVs out: well before" wait_for problems_are
	if ! { tc -n p2t0r1 qdisc add dev h1 clsact &&
		tc -n p2t0r1 filter add dev h1 ingress protocol ipv6 u32 match u8 41 0xff at 6 \
			match u16 4791 0xffff at 82 action drop; }; then
		bail "EVs out"
	fi
	check "EVs out: named, and nothing else" wait_for problems_are "$what"
	check_equal "EVs out: of a kind of its own" '["evs",2,"not-well"]' \
		"$(health '[.problem[0].kind, .problem[0].port, .state]')"
	check "EVs out: with what was seen last" grep -qE "^\"towards h2 \(1 of 1 peers\), though probes \
over its links come back; the last packet that arrived was sent [0-9.]+ s ago; 2 EVs \([a-z, ]+\): \
[0-9]+ packets sent, [0-9]+ arrived, [0-9]+ lost, [0-9]+ probes\"$" <(health '.problem[0].seen')
	check "EVs out: since more than a second" test "$(health \
		'."time-ns" - .problem[0]."since-ns" >= 1000000000')" = true
	check "EVs out: all links are alive" all_alive
	check "EVs out: nothing is denied for it" none_denied
	check "EVs out: text" grep -qE "^    $what for [0-9.]+ s: towards h2 " <(on h1 mrcctl health)
	check "EVs out: monitoring sees it" metric \
		"mrc_problem{device=\"mrc0\",kind=\"evs\",plane=\"2\",what=\"$what\"} 1"
	check "EVs out: so does the status page" shows_page status.json "$what"
	check_arrives "EVs out: traffic flows" 20 h2
	tc -n p2t0r1 qdisc del dev h1 clsact
	check "EVs out: well again" wait_for problems_are
	check "EVs out: the log tells of its end" \
		wait_for grep -qF "$what: over" "$TEST_TMP/stream"
}

# Whatever is broken, some plane stays.
test_floor()
{
	lab netem link h1:eth1 loss 100%
	check "floor: the first plane is denied" wait_for named '[["h1-p1t0r1","host-link",true]]'
	check "floor: monitoring sees it" wait_for metric \
		'mrc_fault{device="mrc0",element="h1-p1t0r1",kind="host-link",cause="silence",plane="1",denied="true"} 1'
	lab netem link h1:eth2 loss 100%
	check "floor: the second one is not" wait_for named \
		'[["h1-p1t0r1","host-link",true],["h1-p2t0r1","host-link",false]]'
	check "floor: its EVs stay" wait_for denied_are '^1 '
	# If the first were back earlier, the second would be denied meanwhile.
	lab netem link h1:eth2 off
	check "floor: the second plane is mended" wait_for named '[["h1-p1t0r1","host-link",true]]'
	lab netem all off
	check "floor: all mended" wait_for named "[]"
}

# No other EV was denied on the way there or back.
test_log()
{
	local why="no probe comes back over it, not even around the link to it"

	check_equal "what was denied, in order" \
		"h1-p1t0r1 h1-p2t0r1 p1t0r1 p2t0r1-p2t1s1 p1t1s2 p1t0r1-p1t1s1 p2t1s2 h1-p1t0r1" \
		"$(sed -n 's/^mrcd: \(.*\) is denied: .*/\1/p' "$TEST_TMP/h1.log" | paste -sd ' ')"
	check "each decision is logged with its evidence" grep -qxF "mrcd: p1t1s2 is denied: $why \
(1 EV of 1 profile denied)" "$TEST_TMP/h1.log"
	check "and that it was taken back, with its evidence" grep -qxE "mrcd: p1t1s2 is allowed again: \
[0-9]+ probes in a row came back \(1 EV of 1 profile allowed\)" "$TEST_TMP/h1.log"
	check "mrcctl -d health tells of it" grep -q "p1t1s2 is allowed again" \
		<(on h1 mrcctl -d health)
}

test_without_daemon()
{
	check_equal "daemon show" "mrc0 status as planned" "$(on h1 mrcctl daemon show mrc0)"
	check "daemon reload" on h1 mrcctl daemon reload mrc0
	echo nonsense >>"$(file_of h1)"
	check_error "daemon reload: of a bad file" 2 "h1.toml:" on h1 mrcctl daemon reload mrc0
	kill -TERM "${daemon[h1]}"
	check "the daemon ends well" wait "${daemon[h1]}"
	check_error "daemon show: without one" 2 "no mrcd looks after mrc0" \
		on h1 mrcctl daemon show mrc0
	check_equal "health: what the kernel knows" '[0,["eth1","eth2"],1]' \
		"$(health '[.daemon, [.kernel.plane[].ifname], .kernel.peers]')"
	test_kernel_view
}

# not_usable: prints the peer's EVs that are not usable, as "STATE PORT", each once
not_usable()
{
	health '[.kernel.peer[]."peer-ev"[] | "\(.state) \(.port)"] | unique'
}

not_usable_are()
{
	[ "$(not_usable)" = "$1" ]
}

# An EV of plane 1 is denied by hand, and plane 2 is silent: only the kernel knows both.
test_kernel_view()
{
	local profile index ev

	# Until the probes after the last fault have been answered.
	check "kernel: no EV is out of use" wait_for not_usable_are '[]'
	check_equal "kernel: nothing is denied" '[]' "$(health .kernel.ev)"
	profile=$(on h1 mrcctl -j peer show mrc0 | jq '.[0]."ev-profile"')
	# The version of the list does not matter for health.
	ev=$(on h1 mrcctl -j ev show mrc0 ev-profile "$profile" |
		jq -c '[.[] | select(.port == 1)][0] | del(.version)')
	index=$(jq .index <<<"$ev")
	on h1 mrcctl ev deny mrc0 ev-profile "$profile" index "$index"
	check_equal "kernel: the EV that is denied, as it is shown" \
		"$(jq -c '[. + {denied: true} | del(."dev-index", ."dev-name")]' <<<"$ev")" \
		"$(health .kernel.ev)"
	lab netem link h1:eth2 loss 100%
	check "kernel: what it assumes to be bad, too" wait_for not_usable_are \
		'["assumed-bad 2","denied 1"]'
	check_equal "kernel: since when" true \
		"$(health '[.kernel.peer[]."peer-ev"[]."changed-ns"] | length > 1 and all(. > 0)')"
	on h1 mrcctl health >"$TEST_TMP/health"
	check "kernel: text: denied" \
		grep -qE '^    ev-profile [0-9]+ index [0-9]+ port 1 via [0-9a-f:]+ denied$' "$TEST_TMP/health"
	check "kernel: text: of the peer" \
		grep -qE '^      ev index [0-9]+ port 2 state assumed-bad changed [0-9.]+ m?s ago$' \
		"$TEST_TMP/health"
	lab netem link h1:eth2 off
	on h1 mrcctl ev allow mrc0 ev-profile "$profile" index "$index"
	check "kernel: all of them come back" wait_for not_usable_are '[]'
}

need jq mrcd curl
lab_up --planes 2 --racks 2 --spines 2 --bare-hosts
lab load
# Also where nobody can read it.
mkdir "$TEST_TMP/bin"
cp "$(command -v mrcd)" "$TEST_TMP/bin/"
PATH=$TEST_TMP/bin:$PATH
chmod 755 "$TEST_TMP"
for host in h2 h1; do
	lab file $host >"$(file_of $host)"
	start $host "${as_nobody[@]}"
done
# A QP keeps the profiles of the route from its connection.
for host in h1 h2; do
	check "$host: as planned" wait_for planned $host
done
check "all links are alive" wait_for all_alive
check_equal "with CAP_NET_ADMIN alone" 0000000000001000 \
	"$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/${daemon[h1]}/status")"
check "nothing is broken" named "[]"
traffic_launch h1 h2 --iterations 0 --sizes 20K --rate 50
check_arrives "traffic flows" 20 h2
test_report
test_faults
test_held
test_floor
test_log
test_killed
test_evs_out
check_traffic_end "all of it verified" traffic_stop
traffic_launch h1 h2 --iterations 0 --sizes 20K --rate 50
check_arrives "traffic flows again" 20 h2
test_without_daemon
check_traffic_end "without a daemon: all of it verified" traffic_stop
finish
