# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs between the two hosts of a pair (pair.sh), as they come with the distribution.

need ibv_devinfo ss

gid_index()
{
	ibv_devinfo -v -d "mrc$1" |
		sed -nE "s/^\s*GID\[ *([0-9]+)\]:\s*$(pair_addr "$1"), RoCE v2\$/\1/p" | head -n 1
}

listening()
{
	on p1 ss -Htln | grep -q ":18515 "
}

# run GID_OPTION COMMAND [ARG]...: runs the server in p1 and the client in p2; both must succeed. A
# server whose client has failed would wait for ever.
run()
{
	local option=$1 status=0
	shift

	background ip netns exec p1 timeout $((120 * SLOW)) "$@" "$option" "$(gid_index 1)" -d mrc1 \
		>"$TEST_TMP/server.log" 2>&1
	wait_for listening || status=1
	on p2 timeout $((120 * SLOW)) "$@" "$option" "$(gid_index 2)" -d mrc2 10.99.0.1 \
		>"$TEST_TMP/client.log" 2>&1 || status=1
	[ "$status" -eq 0 ] || kill "$BACKGROUND_PID" 2>/dev/null
	wait "$BACKGROUND_PID" || status=1
	[ "$status" -eq 0 ] || sed 's/^/  /' "$TEST_TMP/server.log" "$TEST_TMP/client.log"
	return "$status"
}

refused()
{
	! run "$@" >/dev/null && grep -qi "couldn't post" "$TEST_TMP/client.log"
}

count()
{
	echo "$(<"/sys/class/infiniband/mrc$1/ports/1/hw_counters/$2")"
}

check_nothing_failed()
{
	check_equal "no retry was used up" "0 0" "$(count 1 retry_exceeded_err) $(count 2 retry_exceeded_err)"
	check_equal "no request failed" "0 0" "$(count 1 req_cqe_error) $(count 2 req_cqe_error)"
}
