#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A user without privileges, with the default limit of locked memory. Traffic within the limit works.
# Memory beyond it is refused with the error that says so, and what was pinned is given back. No user
# gets more objects of a device than the settings or the user's rdma cgroup allow, and one user's
# objects take nothing from another user. Every change over netlink is refused, also to root of a user
# namespace of its own. Everything may be read.
# kernels: all

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
MEMLOCK=$((8 << 20))
limited=(prlimit "--memlock=$MEMLOCK:$MEMLOCK" "${nobody[@]}")
TRY=$TEST_TMP/nobody

# as_nobody N COMMAND...: runs it in namespace N. ip netns would mount, which only root may do.
as_nobody()
{
	local ns=p$1
	shift

	nsenter --net=/run/netns/"$ns" "${limited[@]}" "$@"
}

# pinned: prints the pages that the whole machine has pinned. Each CPU counts for itself until it is
# asked.
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

# traffic [OPTION]...: both ends run as nobody; returns the client's status. Reports stay in $TRY.
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

# step NAME: prints the result of a step of memlock.py
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

# psns COMMAND...: prints what "rdma resource" shows of the first QP in RTS
psns()
{
	"$@" rdma -j -d resource show qp link mrc1 |
		jq -c '[.[] | select(.state == "RTS")][0] | [."sq-psn", ."rq-psn"]'
}

# With the first PSN every user could count how far a QP has come, and forge its peer's packets.
test_psns()
{
	local server

	rm -f "$TRY/socket"
	background nsenter --net=/run/netns/p1 "${limited[@]}" mrc_traffic server --socket "$TRY/socket" \
		--device mrc1 >"$TRY/server" 2>&1
	server=$BACKGROUND_PID
	wait_for test -S "$TRY/socket"
	background nsenter --net=/run/netns/p2 "${limited[@]}" mrc_traffic client --socket "$TRY/socket" \
		--device mrc2 --iterations 0 >"$TRY/client" 2>&1
	check "PSNs: a QP is there" wait_for qp_of_nobody
	check "PSNs: root sees the next one" test "$(on p1 mrcctl -j qp show mrc1 state rts |
		jq '.[0]."psn-nxt"')" -gt 0
	check_equal "PSNs: not shown to users" "[0,0]" "$(psns nsenter --net=/run/netns/p1 "${nobody[@]}")"
	check_equal "PSNs: mrcctl does not show them to users either" "false" \
		"$(as_nobody 1 mrcctl -j qp show mrc1 state rts | jq '.[0] | has("psn-nxt")')"
	kill "$BACKGROUND_PID"
	wait "$BACKGROUND_PID" "$server"
}

qp_of_nobody()
{
	on p1 mrcctl -j qp show mrc1 state rts | jq -e 'length > 0'
}

# Changes, one a line. Each would be carried out for root.
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
	probe mrc1 raw to $(pair_addr 2) port 1 value 1
	LINES
}

# Requests that read, one a line.
looks()
{
	printf '%s\n' "device show" "-s device show" "plane show mrc1" "ev-profile show mrc1" \
		"ev show mrc1 ev-profile 1" "cc-profile show mrc1" "route show mrc1" "peer show mrc1" \
		"qp show mrc1" "feature"
}

# all_shown: everything looks as it does to root
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
	# Root there is nobody here, and the device's namespace does not belong to that root.
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

# shares UID [PEER]: prints what a program of this user can have; it gives everything back afterwards
shares()
{
	nsenter --net=/run/netns/p1 setpriv --reuid "$1" --regid "$1" --clear-groups \
		mrc_shares mrc1 "$(pair_addr "${2:-100}")" </dev/null
}

# hold_shares UID: the program keeps what it has, until give_shares
hold_shares()
{
	coproc HOLDER { exec nsenter --net=/run/netns/p1 setpriv --reuid "$1" --regid "$1" \
		--clear-groups mrc_shares mrc1 "$(pair_addr 100)" 2>&1; }
	at_exit kill "$HOLDER_PID"
	# Bash hides the descriptors of a coprocess from command substitutions.
	exec {holder_from}<&"${HOLDER[0]}"
	read -r -t "$WAIT_LIMIT" held <&"$holder_from"
}

# give_shares: the program is killed, and the kernel takes everything back
give_shares()
{
	local pid=$HOLDER_PID

	kill "$pid" && { wait "$pid" || true; }
}

refused_is()
{
	[ "$(counter mrc1 user_limit_refused)" = "$1" ]
}

# check_shares NAME WANTED GOT
check_shares()
{
	check_equal "$1" "$(jq -c . <<<"$2")" "$(jq -c . <<<"$3")"
}

# Peers that do not exist: the RDMA core must know where packets would go.
neighbours()
{
	local n

	for n in {1,2}0{{0..9},a,b}; do
		ip -n p1 neigh replace "$(pair_addr "$n")" lladdr 02:00:00:00:00:01 dev veth || return
	done
}

test_shares()
{
	local all none many held
	all='{"pds":[3,"EDQUOT"],"cqs":[4,"EDQUOT"],"mrs":[6,"EDQUOT"],"qps":[5,"EDQUOT"],"peers":[2,"EDQUOT"],"ahs":[6,"EDQUOT"]}'
	none='{"pds":[0,"EDQUOT"],"cqs":[0,"EDQUOT"]}'
	many='{"pds":[12,""],"cqs":[12,""],"mrs":[12,""],"qps":[12,""],"peers":[12,""],"ahs":[12,""]}'

	check "neighbours of mrc1" neighbours
	check_shares "a user, by default" "$many" "$(shares 65534)"
	check "limits of users are set" on p1 mrcctl device set mrc1 user-pds 3 user-cqs 4 \
		user-qps 5 user-mrs 6 user-peers 2
	check_shares "a user: no more than that" "$all" "$(shares 65534)"
	check_shares "a user: what he gave back he can have again" "$all" "$(shares 65534)"
	check "refusals are counted" wait_for refused_is 12
	check "a user holds all that he may have" hold_shares 65534
	check_shares "a user holds that much" "$all" "$held"
	check_shares "a user holds all: another program of his gets nothing" "$none" \
		"$(shares 65534)"
	check_shares "a user holds all: another user gets his own" "$all" "$(shares 65533 200)"
	check_shares "a user holds all: root gets more" "$many" "$(shares 0)"
	check "limits of users are lower now" on p1 mrcctl device set mrc1 user-pds 1 user-cqs 1 \
		user-qps 1 user-mrs 1 user-peers 1
	check "a user gives all back, also what he could not have now: his program is killed" give_shares
	check "limits of users are set back" on p1 mrcctl device set mrc1 user-pds 16384 \
		user-cqs 65536 user-qps 65536 user-mrs 262144 user-peers 16384
	check_shares "a user, as at first" "$many" "$(shares 65534)"
}

# counts_nothing CGROUP: it has no objects of mrc1. Its line may then be missing.
counts_nothing()
{
	! grep '^mrc1 .*=[1-9]' "$1/rdma.current"
}

# The RDMA core counts, in addition to the device.
test_cgroup()
{
	local groups=/sys/fs/cgroup group=/sys/fs/cgroup/few

	mountpoint -q "$groups" || mount -t cgroup2 none "$groups"
	if ! { echo +rdma >"$groups/cgroup.subtree_control" && mkdir "$group" &&
		echo "mrc1 hca_object=5" >"$group/rdma.max"; }; then
		fail "rdma cgroup: is made"
		return
	fi
	check_shares "rdma cgroup: no more than its limit" '{"pds":[5,"EAGAIN"],"cqs":[0,"EAGAIN"]}' \
		"$(echo "$BASHPID" >"$group/cgroup.procs" && shares 65534)"
	check "rdma cgroup: all is given back" wait_for counts_nothing "$group"
	# In kernel 6.12 a limit that goes with its cgroup leaves freed memory in a list: the kernel
	# crashes when the device goes.
	echo "mrc1 hca_object=max" >"$group/rdma.max"
	check "rdma cgroup: it can go" wait_for rmdir "$group"
}

need jq mrc_traffic mrc_shares python3 setpriv prlimit nsenter unshare
chmod 711 "$TEST_TMP"
mkdir -m 777 "$TRY"
pair_up
test_traffic
test_memlock
test_shares
test_cgroup
test_psns
test_netlink
finish
