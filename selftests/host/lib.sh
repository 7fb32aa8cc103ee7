# shellcheck shell=bash disable=SC2034 # "failed" is the exit status of those who source this
# SPDX-License-Identifier: GPL-2.0-only
#
# Helpers of the tests in this folder, which print nothing when all is right.  The exit status is 0
# passed, 1 failed, 4 skipped.

set -uo pipefail

HOST_TMP=$(mktemp -d "${TMPDIR:-/tmp}/mrc-host-test.XXXXXX")
trap 'rm -rf "$HOST_TMP"' EXIT
failed=0

# wrong MESSAGE...: reports an error.
wrong()
{
	printf '%s\n' "$@" >&2
	failed=1
}

# equal NAME WANTED FOUND
equal()
{
	[ "$2" = "$3" ] || wrong "$1:" "wanted: $2" "found:  $3"
}
