#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A user without a privilege, and with the limit of locked memory that systems come with: traffic
# within it works; memory beyond it is refused, with the error that says so, and what was pinned is
# given back; every change over netlink is refused, also to who is root of a user namespace of his
# own; and everything may be looked at.
# kernels: all

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/lib/pair.sh
. "$SELFTESTS/lib/pair.sh"

nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
MEMLOCK=$((8 << 20))
limited=(prlimit "--memlock=$MEMLOCK:$MEMLOCK" "${nobody[@]}")
TRY=$TEST_TMP/nobody

# as_nobody N COMMAND...: in namespace N. ip netns would mount, which only root may.
as_nobody()
{
	local ns=p$1
	shift

	nsenter --net=/run/netns/"$ns" "${limited[@]}" "$@"
}

# pinned: pages that the whole machine has pinned. Each CPU counts for itself until it is asked.
pinned()
{
	echo 1 >/proc/sys/vm/stat_refresh
	awk '/^nr_foll_pin_acquired/ { n += $2 } /^nr_foll_pin_released/ { n -= $2 }
		END { print n }' /proc/vmstat
}

pinned_is()
{
	[ "$(pinned)" = "$1" ]
}

# traffic [OPTION]...: both ends are nobody's; the client's status. Reports stay in $TRY.
traffic()
{
	local status=0 server

	rm -f "$TRY/socket"
	background as_nobody 1 mrc_traffic server --socket "$TRY/socket" --device mrc1 --stall 60 \
		>"$TRY/server" 2>&1
	server=$BACKGROUND_PID
	wait_for test -S "$TRY/socket" || return
	as_nobody 2 mrc_traffic client --socket "$TRY/socket" --device mrc2 --stall 60 \
		--timeout 19 "$@" >"$TRY/client" 2>&1 || status=$?
	wait "$server" || status=1
	cat "$TRY/server" "$TRY/client"
	return "$status"
}

test_traffic()
{
	local before

	before=$(pinned)
	check_equal "device nodes: everybody's" "666" \
		"$(stat -c %a /dev/infiniband/uverbs* | sort -u)"
	check "traffic within the limit" traffic --qps 1 --window 1M --sizes 1,16K --iterations 300
	check "traffic within the limit: all is given back" wait_for pinned_is "$before"
	check_not "a window beyond the limit: refused" traffic --qps 1 --window 16M --iterations 1
	check "a window beyond the limit: says why" \
		grep -q 'ibv_reg_mr: Cannot allocate memory' "$TRY/server" "$TRY/client"
	check "a window beyond the limit: all is given back" wait_for pinned_is "$before"
	check "traffic within the limit once more" traffic --qps 1 --window 1M --iterations 100
}

# step NAME: of memlock.py, what came of it
step()
{
	jq -r --arg name "$1" '.steps[] | select(.[0] == $name) | "\(.[1]) \(.[2])"' "$TRY/memlock"
}

test_memlock()
{
	local before

	before=$(pinned)
	check "memory is registered" as_nobody 1 python3 "$SELFTESTS/lib/memlock.py" mrc1
	cp "$TEST_TMP/check.log" "$TRY/memlock"
	check_equal "limit in MiB" 8 "$(jq .limit "$TRY/memlock")"
	check_equal "4 MiB" " 4" "$(step 4)"
	check_equal "4 MiB, and 5: refused, and not counted" "ENOMEM 4" "$(step "4 and 5")"
	check_equal "deregistered: not counted any more" " 0" "$(step none)"
	check_equal "32 MiB: refused, and not counted" "ENOMEM 0" "$(step 32)"
	check_equal "8 MiB, after many refusals" " 8" "$(step 8)"
	check_equal "deregistered again" " 0" "$(step "all again")"
	check "all pages are given back" wait_for pinned_is "$before"
}

# Changes, one a line. Each would be obeyed, were it root's.
changes()
{
	cat <<-LINES
	device set mrc1 burst 1
	plane add mrc1 port 2 netdev spare
	plane set mrc1 port 1 down
	plane del mrc1 port 1
	ev-profile add mrc1 9 ev port 1 sid fc00::1
	ev-profile set mrc1 1 ev port 1 sid fc00::9
	ev-profile del mrc1 1
	ev deny mrc1 ev-profile 1 index 0
	cc-profile add mrc1 9 algorithm none window 65536
	route add mrc1 fd00:77::/64 ev-profile 0
	route replace mrc1 fd00:78::/64 ev-profile 0
	route del mrc1 fd00:78::/64
	probe mrc1 remote $(pair_addr 2)
	LINES
}

# What can be looked at, one a line.
looks()
{
	printf '%s\n' "device show" "-s device show" "plane show mrc1" "ev-profile show mrc1" \
		"ev show mrc1 ev-profile 1" "cc-profile show mrc1" "route show mrc1" "peer show mrc1" \
		"qp show mrc1" "feature"
}

# all_shown: as root sees it
all_shown()
{
	local line

	while read -r line; do
		# shellcheck disable=SC2086 # words
		on p1 mrcctl -j $line
	done < <(looks | grep -v -e -s)
}

test_netlink()
{
	local line before

	ip -n p1 link add spare type dummy
	on p1 mrcctl ev-profile add mrc1 1 ev port 1 sid fc00::1 || bail "EV profile"
	on p1 mrcctl route add mrc1 fd00:78::/64 ev-profile 0 || bail "route"
	before=$(all_shown)
	while read -r line; do
		# shellcheck disable=SC2086 # words
		check_error "refused: $line" 2 "Operation not permitted" as_nobody 1 mrcctl $line
	done < <(changes)
	# Root there is nobody here, and the namespace of the device is not that root's.
	check_error "refused to root of another user namespace" 2 "Operation not permitted" \
		as_nobody 1 unshare -U -r mrcctl device set mrc1 burst 1
	check_not "rdma link add: refused" as_nobody 1 rdma link add mrc9 type mrc netdev spare
	check_not "rdma link delete: refused" as_nobody 1 rdma link delete mrc1
	check_equal "nothing has changed" "$before" "$(all_shown)"
	while read -r line; do
		# shellcheck disable=SC2086 # words
		check "allowed: $line" as_nobody 1 mrcctl $line
	done < <(looks)
	while read -r line; do
		# shellcheck disable=SC2086 # words
		check "root may: $line" on p1 mrcctl $line
	done < <(changes | grep -v -e "plane del" -e "ev-profile del" -e probe -e down -e deny)
}

need jq mrc_traffic python3 setpriv prlimit nsenter unshare
chmod 711 "$TEST_TMP"
mkdir -m 777 "$TRY"
pair_up
test_traffic
test_memlock
test_netlink
finish
