# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Other projects' programs, which scripts/programs fetches, between the two hosts of a pair (pair.sh).

PROGRAMS=$("$TOP/scripts/programs") || bail "the programs, which scripts/programs fetches"
ROOT=$TEST_TMP/root

. "$TOP/scripts/lib/chroot.sh"

root_up()
{
	at_exit umount -R -l "$ROOT"
	chroot_up "$PROGRAMS" "$ROOT" "$TOP" || bail "a folder for programs"
}

# in_root NS COMMAND...
in_root()
{
	timeout $((60 * SLOW)) ip netns exec "$1" chroot "$ROOT" "${@:2}"
}

listens()
{
	[ -n "$(on p1 ss -Hltn "sport = $1")" ]
}

# served PORT COMMAND...: COMMAND runs as server in p1 at that port, and as client in p2 with p1's
# address.
served()
{
	local port=$1 server status=0
	shift

	in_root p1 "$@" >"$TEST_TMP/server.log" 2>&1 &
	server=$!
	wait_for listens "$port"
	in_root p2 "$@" 10.99.0.1 || status=$?
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	cat "$TEST_TMP/server.log"
	return "$status"
}
