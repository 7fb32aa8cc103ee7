# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packets put on links by hand (inject.py), behind lib.sh.

# mac_of NS IF
mac_of()
{
	ip -n "$1" -j link show dev "$2" | jq -r '.[0].address'
}

# verdicts NAME COMMAND...: each line of the injector is a result of ours.
verdicts()
{
	local name=$1 verdict rest seen=0
	shift

	while read -r verdict rest; do
		seen=$((seen + 1))
		case $verdict in
		pass) ok "$name: $rest" ;;
		*) fail "$name: ${rest%%: counted*}" "$rest" ;;
		esac
	done < <("$@" 2>&1)
	[ "$seen" -gt 0 ] || fail "$name: ran"
}
