# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packets made by hand for the second QP of mrc_hold (inject.py), behind lib.sh and
# hold.sh: in a fabric in which h2 has that QP.

# What the caller wants to add to each call.
INJECT_OPTIONS=()

# inject COMMAND [OPTION]...
inject()
{
	python3 "$SELFTESTS/lib/inject.py" "$@" --device mrc1 --held "$HOLD_FILE" \
		"${INJECT_OPTIONS[@]}"
}

# inject_plain, inject_srv6 COMMAND [OPTION]...: to h2, from the last switch as it
# leaves the fabric; or through all of it.
inject_plain()
{
	inject "$@" --via p1t0r2:h2 --mac "$(mac_of h2 eth1)"
}

inject_srv6()
{
	inject "$@" --via h1:eth1 --mac "$(mac_of p1t0r1 h1)" --outer-src "$(lab sid h1)" \
		--outer "$(lab path h1 h2 1)"
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
