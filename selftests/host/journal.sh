#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks what mrcd writes to the systemd journal when it decides: the fields of its messages. Runs in
# namespaces of its own, where journald.py replaces the journal.
#
# Usage: journal.sh TOP MRCD

. "$(dirname "$0")/lib.sh"

[ -x "$2" ] || exit 4
unshare -rmn mount -t tmpfs run /run 2>"$HOST_TMP/log" || exit 4
unshare -rmn sh -c 'mount -t tmpfs run /run && exec python3 "$@"' sh \
	"$(dirname "$0")/journal.py" "$2" "$HOST_TMP" || failed=1
exit $failed
