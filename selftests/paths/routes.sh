#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Routes by the thousand. The longest prefix wins, also after routes were replaced and deleted. A
# look-up among ten thousand routes costs as much as one among ten. All routes are shown, in order, and
# those that stay are shown once each while others come and go. There is a limit.
# The cost is counted: this machine's clock counts instructions.
# clock: icount
# timeout: 1800

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/pair.sh"

ROUTES=10000
LOOKS=2000
# The limit of kernel/transport/profile/route.h.
MOST=65536

# ones N: prints an address of N ones, then zeros
ones()
{
	local -i n=$1 group
	local text=

	for ((group = 0; group < 8; group++)); do
		printf -v text '%s:%x' "$text" \
			$((n >= 16 ? 0xffff : n > 0 ? 0xffff << (16 - n) & 0xffff : 0))
		n=$((n - 16))
	done
	echo "${text:1}"
}

# nested COMMAND STEP OFFSET: for every STEP-th prefix length, with a uSID that encodes it
nested()
{
	local n

	for ((n = 0; n <= 128; n += $2)); do
		if [ "$1" = del ]; then
			echo "route del mrc1 $(ones $n)/$n"
		else
			echo "route $1 mrc1 $(ones $n)/$n ev-profile 0 usid $((n + $3))"
		fi
	done
}

# nested_found: prints the length and uSID of the route of each address of ones
nested_found()
{
	local n

	for ((n = 0; n <= 128; n++)); do
		echo "route get mrc1 $(ones $n)"
	done | on p1 mrcctl -b - |
		sed -E 's/.* by default .*/none/; s/.* by [^ ]*\/([0-9]+) .* usid ([^ ]+).*/\1 \2/'
}

# nested_wanted AWK: prints the same from an expression that gives length and uSID for n
nested_wanted()
{
	awk "BEGIN { for (n = 0; n <= 128; n++) { $1; printf \"%d 0x%04x\n\", len, usid } }"
}

test_nested()
{
	nested add 1 1 | on p1 mrcctl -b - || bail "nested: 129 routes"
	check_equal "nested: each address takes the longest of its prefixes" \
		"$(nested_wanted 'len = n; usid = n + 1')" "$(nested_found)"
	nested replace 2 1000 | on p1 mrcctl -b - || bail "nested: half replaced"
	check_equal "nested: those that were replaced are as they were replaced" \
		"$(nested_wanted 'len = n; usid = n % 2 ? n + 1 : n + 1000')" "$(nested_found)"
	nested del 3 | on p1 mrcctl -b - || bail "nested: a third deleted"
	nested add 3 1 | on p1 mrcctl -b - || bail "nested: and back"
	nested del 2 | on p1 mrcctl -b - || bail "nested: half deleted"
	# /0 does not belong to the remaining routes.
	check_equal "nested: without every second one, the next shorter" \
		"none"$'\n'"$(nested_wanted 'len = n % 2 ? n : n - 1; usid = len + 1' | tail -n +2)" \
		"$(nested_found)"
	nested add 2 1 | on p1 mrcctl -b - || bail "nested: all again"
	nested del 1 | on p1 mrcctl -b - || bail "nested: all deleted"
	check_equal "nested: without any, none" none "$(nested_found | uniq)"
}

# hosts COMMAND PREFIX FIRST LAST STEP [KEYS]: a route per host
hosts()
{
	awk -v first="$3" -v last="$4" -v step="$5" -v head="route $1 mrc1 $2" \
		-v tail="/128${6:+ $6}" 'BEGIN {
			for (n = first; n <= last; n += step)
				printf "%s%x%s\n", head, n, tail
		}'
}

# cost: prints the microseconds, a thousand instructions each, of look-ups that find no route
cost()
{
	local began=${EPOCHREALTIME/[.,]/}

	on p1 mrcctl -b "$TEST_TMP/looks" >/dev/null || return
	echo $((${EPOCHREALTIME/[.,]/} - began))
}

test_many()
{
	local -i few many

	yes 'route get mrc1 fd03::1' | head -n $LOOKS >"$TEST_TMP/looks"
	hosts add fd01:: 2 20 2 'ev-profile 0' | on p1 mrcctl -b - || bail "many: ten routes"
	cost >/dev/null
	few=$(cost)
	hosts add fd01:: 22 $((2 * ROUTES)) 2 'ev-profile 0' | on p1 mrcctl -b - || bail "many: routes"
	many=$(cost)
	check "many: $LOOKS look-ups among $ROUTES cost $many, among ten $few" \
		test $((many * 2)) -le $((few * 3)) -a "$few" -gt 0
	hosts show fd01:: 2 $((2 * ROUTES)) 2 | sed 's/.* mrc1 //' >"$TEST_TMP/wanted"
	on p1 mrcctl -j route show mrc1 | jq -r '.[] | "\(.prefix)/\(."prefix-len")"' >"$TEST_TMP/found"
	check "many: all are shown, in order" cmp "$TEST_TMP/wanted" "$TEST_TMP/found"
}

# Adds routes between those that stay, until it is told to stop; then removes them.
churn()
{
	while [ ! -e "$TEST_TMP/stop" ]; do
		hosts add fd01:: 1 $((2 * ROUTES)) 2 'ev-profile 0'
		hosts del fd01:: 1 $((2 * ROUTES)) 2
	done | on p1 mrcctl -b - 2>"$TEST_TMP/churn.err"
}

test_churn()
{
	local pid

	yaml_python || { fail "changes: the yaml module of Python is here"; return; }
	churn 2>/dev/null &
	pid=$!
	at_exit touch "$TEST_TMP/stop"
	check "changes: dumps show those that stay once each, in order" \
		on p1 "$python" "$SELFTESTS/lib/route_dumps.py" \
		"$TOP/Documentation/netlink/specs/mrc.yaml" mrc1 "$TEST_TMP/wanted"
	check "changes: went on" kill -0 $pid
	touch "$TEST_TMP/stop"
	wait $pid
	check_equal "changes: none was refused" "" "$(cat "$TEST_TMP/churn.err")"
}

test_limit()
{
	local -i more

	on p1 mrcctl -j route show mrc1 | jq -r '.[].prefix' >"$TEST_TMP/found"
	more=$((MOST - $(wc -l <"$TEST_TMP/found")))
	hosts add fd02:: 1 $more 1 'ev-profile 0' | on p1 mrcctl -b - ||
		bail "limit: $more more routes"
	check_error "limit: one more is refused" 2 "a device has at most $MOST routes" \
		on p1 mrcctl route add mrc1 fd03::1/128 ev-profile 0
	check "limit: one that is there is replaced" \
		on p1 mrcctl route replace mrc1 fd01::2/128 ev-profile 0 usid 7
	check "limit: one is deleted" on p1 mrcctl route del mrc1 fd01::2/128
	check "limit: then there is room for one" \
		on p1 mrcctl route add mrc1 fd03::1/128 ev-profile 0
	check "limit: a device goes with its routes" rdma link delete mrc1
}

need jq rdma
pair_up
test_nested
test_many
test_churn
test_limit
finish
