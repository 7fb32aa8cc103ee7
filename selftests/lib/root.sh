# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Other projects' programs, which scripts/programs fetches, between the two hosts of a pair (pair.sh).

PROGRAMS=$("$TOP/scripts/programs") || bail "the programs, which scripts/programs fetches"
ROOT=$TEST_TMP/root

# root_up: these programs get a file system of their own, which contains this machine's devices and this
# tree.
root_up()
{
	local folder

	mkdir -p "$ROOT"
	mount -t tmpfs tmpfs "$ROOT" || bail "a folder for programs"
	at_exit umount -R -l "$ROOT"
	cp -a "$PROGRAMS/etc" "$PROGRAMS"/{bin,sbin,lib,lib64} "$ROOT"
	echo "root:x:0:0:root:/tmp:/bin/sh" >"$ROOT/etc/passwd"
	echo "127.0.0.1 localhost $(uname -n)" >"$ROOT/etc/hosts"
	mkdir -p "$ROOT"/{usr,tmp,proc,sys,dev} "$ROOT$TOP"
	mount --bind "$PROGRAMS/usr" "$ROOT/usr"
	mount --bind "$TOP" "$ROOT$TOP"
	for folder in proc sys dev; do
		mount --rbind "/$folder" "$ROOT/$folder"
	done
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
