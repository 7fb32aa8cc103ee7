#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks mrcd as a service: the file of Documentation/cluster.md; its unit, as systemd reads it; and
# what mrcd says to systemd.
#
# Usage: service.sh TOP BUILD

. "$(dirname "$0")/lib.sh"

top=$1 build=$2
mrcd=$build/mrcd/mrcd
[ -x "$mrcd" ] || exit 4

# In that file hosts are found by their host names.
# shellcheck disable=SC2016 # marks of Markdown
sed -n '/^# \/etc\/mrc\/mrcd.toml$/,/^```$/{/^```$/!p}' "$top/Documentation/cluster.md" |
	sed 's/^\[local\]$/&\nhost = "h1"/' >"$HOST_TMP/cluster.toml"
"$mrcd" --check "$HOST_TMP/cluster.toml" >"$HOST_TMP/log" 2>&1 ||
	wrong "the file of cluster.md:" "$(cat "$HOST_TMP/log")"
equal "planes of that file" 4 "$(sed -n 's/^planes = \([0-9]*\)$/\1/p' "$HOST_TMP/cluster.toml")"

# The unit's program and manual pages are not installed here.
sed "s,^ExecStart=.*,ExecStart=$mrcd,; s,^ExecReload=[^ ]*,ExecReload=$mrcd,; /^Documentation=/d" "$build/mrcd/mrcd.service" \
	>"$HOST_TMP/mrcd.service"
if command -v systemd-analyze >/dev/null; then
	systemd-analyze verify "$HOST_TMP/mrcd.service" >"$HOST_TMP/log" 2>&1 ||
		wrong "systemd-analyze verify:" "$(cat "$HOST_TMP/log")"
	systemd-analyze security --offline=yes --threshold=25 "$HOST_TMP/mrcd.service" \
		>"$HOST_TMP/log" 2>&1 || wrong "too exposed:" "$(tail -n 3 "$HOST_TMP/log")"
fi
equal "capabilities" "CapabilityBoundingSet=CAP_NET_ADMIN" \
	"$(grep '^CapabilityBoundingSet=' "$HOST_TMP/mrcd.service")"

# A reload waits for the result.
reload=$(sed -n 's/^ExecReload=//p' "$HOST_TMP/mrcd.service")
equal "reload" "mrcd --reload" "$(basename "${reload%% *}") ${reload#* }"
equal "what is found survives a restart" "RuntimeDirectory=mrc RuntimeDirectoryPreserve=yes" \
	"$(grep '^RuntimeDirectory' "$HOST_TMP/mrcd.service" | paste -sd ' ')"
equal "the module comes with it" "Wants=modprobe@mrc.service" \
	"$(grep '^Wants=' "$HOST_TMP/mrcd.service")"

# In a network namespace of its own it can change nothing on this host.
alone=()
! unshare -n true 2>/dev/null || alone=(unshare -n)
"${alone[@]}" python3 "$(dirname "$0")/service.py" "$mrcd" "$HOST_TMP" || failed=1
exit $failed
