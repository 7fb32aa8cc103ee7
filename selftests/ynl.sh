#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel tree's own client for YAML specifications (tools/net/ynl) drives the module from
# Documentation/netlink/specs/mrc.yaml. Where it is not unpacked below /usr/src, nor $YNL is
# its folder, this is skipped.
# timeout: 600

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/pair.sh
. "$SELFTESTS/lib/pair.sh"

need jq python3 rdma

for tool in "${YNL:-}" /usr/src/linux-source-*/tools/net/ynl /usr/src/*/*/tools/net/ynl; do
	[ ! -e "$tool/cli.py" ] || break
done
[ -e "$tool/cli.py" ] || skip_all "needs the kernel's tools/net/ynl"
yaml_python || skip_all "needs the yaml module of Python"

# ynl ARGUMENT...: it says what it has to say on standard output, whatever it is
ynl()
{
	local said status=0

	said=$(on p1 "$python" "$tool/cli.py" --no-schema --output-json \
		--spec "$TOP/Documentation/netlink/specs/mrc.yaml" "$@") || status=$?
	if [ $status = 0 ]; then
		printf '%s\n' "$said"
	else
		printf '%s\n' "$said" >&2
	fi
	return $status
}

# request OPERATION JSON: the answer of the device
request()
{
	ynl --do "$1" --json "$(jq -nc --argjson more "$2" '{"dev-name": "mrc1"} + $more')"
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
	check_answer "info" '[32,256,16]' '[."port-max", ."ev-max", ."burst-max"]' ynl --do info-get
	check_answer "devices" '["mrc1"]' 'map(."dev-name")' ynl --dump device-get
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
	check_answer "planes" '[[1,"veth"],[7,"spare"]]' 'map([.port, .ifname])' ynl --dump plane-get
	check "plane deleted" request plane-del '{"port": 7}'
	check_error "once only" 1 "No plane on this port" request plane-del '{"port": 7}'
}

test_profiles()
{
	local sid=fcbb0000010101810102f00200000000 via=fcbb0000010101810102000000000000

	check "profile" request ev-profile-add "{\"id\": 5, \"format\": \"srv6\", \"mode\": \"explicit\",
		\"ev\": [{\"port\": 1, \"sid\": \"$sid\"}, {\"port\": 1, \"via\": \"$via\", \"denied\": 1}]}"
	check_answer "its EVs" '[[0,0],[1,1]]' 'map(select(."ev-profile" == 5) | [.index, .denied])' \
		ynl --dump ev-get
	check "an EV readmitted" request ev-set '{"ev-profile": 5, "index": 1, "denied": 0}'
	check_answer "route" '[5,61442]' '.[0] | [."ev-profile", .usid]' eval \
		'request route-add "{\"prefix\": \"fd00006d7200630000000000000000ff\", \"prefix-len\": 128,
			\"ev-profile\": 5, \"usid\": 61442}" >/dev/null; ynl --dump route-get'
	check_error "profile in use" 1 "route" request ev-profile-del '{"id": 5}'
}

# It listens for so long, and says then what came.
test_events()
{
	local log=$TEST_TMP/events listener

	ynl --subscribe events --sleep 5 >"$log" 2>&1 &
	listener=$!
	while kill -0 $listener 2>/dev/null; do
		request plane-set '{"port": 1, "admin-state": "down"}' >/dev/null
		request plane-set '{"port": 1, "admin-state": "up"}' >/dev/null
	done
	check_answer "events" '["plane-ntf"]' 'map(.name) | unique' cat "$log"
}

pair_up
ip -n p1 link add spare type dummy
ip -n p1 link set spare up
test_devices
test_planes
test_profiles
test_events
finish
