#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the commands of "Running a program" in README.md as they stand there: each line that begins with
# "host1$" or "host2$" between the fences of that section. Hosts 1 and 2 are h1 and h2 of a fabric.
# Three names differ from the page: the device of host 2, the index of the GID, and the IPv4 address.
# timeout: 600

. "$(dirname "$0")/../lib.sh"
. "$SELFTESTS/lib/traffic.sh"

SECTION="### Running a program"
# Names as on the page: the address of host 2, and the beginning of the GID that -x names.
PAGE_ADDRESS=192.0.2.2
PAGE_GID=fd00:6d72:

# commands HOST: prints that section's commands, a line each
commands()
{
	sed -n "/^$SECTION\$/,/^##/p" "$TOP/README.md" | sed -n "s/^$1\\$ //p"
}

# gid_index HOST: the index in the output of "ibv_devinfo -v"
gid_index()
{
	on "$1" ibv_devinfo -v -d "$(device_of "$1")" |
		sed -nE "s/^\s*GID\[ *([0-9]+)\]:\s*${PAGE_GID}.*, RoCE v2\$/\1/p" | head -n 1
}

# here HOST COMMAND: the command with the names of this fabric
here()
{
	sed -e "s/ -d mrc0\b/ -d $(device_of "$1")/; s/ -x 1\b/ -x $(gid_index "$1")/" \
		-e "s/\b$PAGE_ADDRESS\b/$(lab management h2)/" <<<"$2"
}

# run_here HOST FILE COMMAND: runs it; its output goes to the file
run_here()
{
	# shellcheck disable=SC2046 # words
	on "$1" $(here "$1" "$3") >"$2" 2>&1 || { cat "$2"; false; }
}

listens()
{
	on h2 ss -tlnH | grep -q :18515
}

# The server serves one client.
test_program()
{
	local server client pid

	server=$(commands host2)
	client=$(commands host1)
	check_equal "the page has a server and a client" "1 1" \
		"$(grep -c . <<<"$server") $(grep -c . <<<"$client")"
	# shellcheck disable=SC2046 # words
	background ip netns exec h2 $(here h2 "$server") >"$TEST_TMP/server" 2>&1
	pid=$BACKGROUND_PID
	check "host2\$ $server" wait_for listens
	check "host1\$ $client" run_here h1 "$TEST_TMP/client" "$client"
	check "host1: it tells of Gb/s, more than none" grep -qE \
		'^ *65536 +[0-9]+ +[0-9.]+ +[0-9]*[1-9][0-9.]* |^ *65536 +[0-9]+ +[0-9.]+ +0\.[0-9]*[1-9]' \
		"$TEST_TMP/client"
	check "host2: it ends well" wait "$pid"
}

need jq ib_write_bw ibv_devinfo ss
lab_up --management --planes 2 --spines 2
test_program
finish
