#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mrcd as a service: its unit, as systemd reads it, and what it tells systemd.
#
# Usage: service.sh TOP BUILD

# shellcheck source=selftests/host/lib.sh
. "$(dirname "$0")/lib.sh"

build=$2
mrcd=$build/mrcd/mrcd
[ -x "$mrcd" ] || exit 4

# What it is to start is not installed here, nor are its manual pages.
sed "s,^ExecStart=.*,ExecStart=$mrcd,; /^Documentation=/d" "$build/mrcd/mrcd.service" \
	>"$HOST_TMP/mrcd.service"
if command -v systemd-analyze >/dev/null; then
	systemd-analyze verify "$HOST_TMP/mrcd.service" >"$HOST_TMP/log" 2>&1 ||
		wrong "systemd-analyze verify:" "$(cat "$HOST_TMP/log")"
	systemd-analyze security --offline=yes --threshold=25 "$HOST_TMP/mrcd.service" \
		>"$HOST_TMP/log" 2>&1 || wrong "too exposed:" "$(tail -n 3 "$HOST_TMP/log")"
fi
equal "capabilities" "CapabilityBoundingSet=CAP_NET_ADMIN" \
	"$(grep '^CapabilityBoundingSet=' "$HOST_TMP/mrcd.service")"

# In a network of its own it can change nothing of this host's.
alone=()
[ "$(id -u)" != 0 ] || alone=(unshare -n)
"${alone[@]}" python3 "$(dirname "$0")/service.py" "$mrcd" "$HOST_TMP" || failed=1
exit $failed
