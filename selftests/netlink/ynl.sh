#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel tree's own client for YAML specifications (tools/net/ynl, see scripts/ynl) drives the
# module from Documentation/netlink/specs/mrc.yaml. That file must fit the kernel's schema, except for
# the parts that are ours alone.
#

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

need jq mrcctl python3 rdma

# scripts/check puts it into the cache; a virtual machine could not fetch it.
tool=$("$TOP/scripts/ynl") || bail "the kernel's client, from scripts/ynl where there is a network"
"$TOP/scripts/spec" ynl "$TEST_TMP" || bail "mrc.yaml for others, from scripts/spec"
spec=$TEST_TMP/mrc.yaml
schema=${tool%/tools/*}/Documentation/netlink/genetlink-legacy.yaml
yaml_python || bail "Python's yaml module, which scripts/setup installs"

# client_up: starts the client, which gets requests and sends answers through two pipes. It starts only
# with a specification that fits the kernel's schema.
client_up()
{
	mkfifo "$TEST_TMP/ask" "$TEST_TMP/answer"
	# Opened for both directions, so that neither side waits for the other.
	exec {ask}<>"$TEST_TMP/ask" {answer}<>"$TEST_TMP/answer"
	ip netns exec p1 "$python" "$SELFTESTS/lib/ynl_calls.py" "$tool" "$spec" "$schema" \
		<&"$ask" >&"$answer" 2>"$TEST_TMP/client.log" &
	at_exit kill $!
	ynl "do" info-get >/dev/null || bail "the specification fits the kernel's schema" \
		"$(tail -n 30 "$TEST_TMP/client.log")"
	ok "the specification fits the kernel's schema"
}

# ynl LINE: prints the answer; on an error, status 1 and a message on standard error
ynl()
{
	local said=

	echo "$*" >&"$ask"
	read -rt "$WAIT_LIMIT" said <&"$answer"
	case $said in
	"ok "*) echo "${said#ok }" ;;
	*) echo "$said" >&2; return 1 ;;
	esac
}

# request OPERATION JSON: prints the device's answer
request()
{
	ynl "do $1" "$(jq -nc --argjson more "$2" '{"dev-name": "mrc1"} + $more')"
}

# check_answer NAME WANTED FILTER ARGUMENT...
check_answer()
{
	local name=$1 wanted=$2 filter=$3
	shift 3

	check_equal "$name" "$wanted" "$("$@" 2>&1 | jq -c "$filter" 2>&1)"
}

test_devices()
{
	check_answer "info" '[32,256,16,"alias","config-events","edit-evs","keep-evs","nscc","owner",'\
'"port-evs","probe-start","raw-probe","raw-status"]' '[."port-max", ."ev-max", ."burst-max", .capabilities[]]' ynl "do" info-get
	check_answer "devices" '["mrc1"]' 'map(."dev-name")' ynl dump device-get
	check "a setting" request device-set '{"hop-limit": 9}'
	check_answer "is set" 9 '."hop-limit"' request device-get '{}'
	check_error "a bad one is refused" 1 "hop-limit" request device-set '{"hop-limit": 0}'
}

test_planes()
{
	local index

	index=$(on p1 cat /sys/class/net/spare/ifindex)
	check_answer "plane added" '[7,"spare"]' '[.port, .ifname]' \
		request plane-add "{\"port\": 7, \"ifindex\": $index}"
	check_answer "planes" '[[1,"veth"],[7,"spare"]]' 'map([.port, .ifname])' ynl dump plane-get
	check "plane deleted" request plane-del '{"port": 7}'
	check_error "once only" 1 "No plane on this port" request plane-del '{"port": 7}'
}

test_profiles()
{
	local sid=fcbb0000010101810102f00200000000 via=fcbb0000010101810102000000000000

	check "profile" request ev-profile-add "{\"id\": 5, \"format\": \"srv6\", \"mode\": \"explicit\",
		\"ev\": [{\"port\": 1, \"sid\": \"$sid\"}, {\"port\": 1, \"via\": \"$via\", \"denied\": 1}]}"
	check_answer "its EVs" '[[0,0],[1,1]]' 'map(select(."ev-profile" == 5) | [.index, .denied])' \
		ynl dump ev-get
	check "an EV readmitted" request ev-set '{"ev-profile": 5, "index": 1, "denied": 0}'
	check_answer "route" '[5,61442]' '.[0] | [."ev-profile", .usid]' eval \
		'request route-add "{\"prefix\": \"fd00006d7200630000000000000000ff\", \"prefix-len\": 128,
			\"ev-profile\": 5, \"usid\": 61442}" >/dev/null; ynl dump route-get'
	check_error "profile in use" 1 "route" request ev-profile-del '{"id": 5}'
}

# Changes by another program.
test_events()
{
	ynl subscribe events >/dev/null
	on p1 mrcctl plane set mrc1 port 1 down
	on p1 mrcctl plane set mrc1 port 1 up
	check_answer "events" '[["plane-ntf","down"],["plane-ntf","up"]]' \
		'map([.name, .msg."admin-state"])' ynl events
}

pair_up
ip -n p1 link add spare type dummy
ip -n p1 link set spare up
client_up
test_devices
test_planes
test_profiles
test_events
finish
