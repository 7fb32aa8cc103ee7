#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Documentation/counters.md explains each counter of the device once, and no other.
#
# Usage: counters.sh TOP

. "$(dirname "$0")/lib.sh"

top=$1
page=$top/Documentation/counters.md

# documented FROM TO: prints the names in the first column of the tables between two headlines
documented()
{
	sed -n "/^## $1\$/,/^## $2\$/p" "$page" | tr '\140' "'" | grep "^| '" | cut -d '|' -f 2 |
		grep -o "'[a-z0-9_]*'" | tr -d "'"
}

sed -nE 's/^\tX\([A-Z_]+,[[:space:]]*"([a-z0-9_]+)"\).*/\1/p' \
	"$top/kernel/transport/device/counters.h" | sort >"$HOST_TMP/kernel"
documented Traffic Planes | sort >"$HOST_TMP/page"

[ "$(wc -l <"$HOST_TMP/kernel")" -gt 30 ] || wrong "few names found in counters.h"
diff -u --label counters.h --label counters.md "$HOST_TMP/kernel" "$HOST_TMP/page" >&2 ||
	wrong "counters.md and counters.h differ"
# The comparison at the end of the page mentions some of them.
unknown=$(documented 'Names known from elsewhere' '$' | sort -u | comm -23 - "$HOST_TMP/kernel")
equal "compared, but no counter of ours" "" "$unknown"
exit $failed
