#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NVMe over fabrics between two machines, each with a kernel of its own, joined by two planes: see lib/nvme_hosts.sh.
#
# Usage: nvme_hosts.sh TOP

. "$(dirname "$0")/lib.sh"

series=6.12
shared=$HOST_TMP/shared

# machine ROLE MINE OTHER: runs one of the two machines.
machine()
{
	"$top/scripts/vm" -k $series -c 1 -m 1024 -t 900 -o "$HOST_TMP/$1" -s "$shared" \
		-n "$HOST_TMP/1$2:$HOST_TMP/1$3" -n "$HOST_TMP/2$2:$HOST_TMP/2$3" -- \
		"$top/selftests/lib/nvme_hosts.sh" "$1" "$shared" >"$HOST_TMP/$1.log" 2>&1 </dev/null
}

top=$1
[ -e "${MRC_CACHE:-$HOME/.cache/soft-mrc}/kernels/$series/current/release" ] || exit 4
[ -e "$top/build/modules/$series/mrc.ko" ] || exit 4
for program in qemu-system-x86_64 busybox setpriv jq mkfs.ext4; do
	command -v "$program" >/dev/null || exit 4
done

mkdir "$shared"
machine target a b &
target=$!
machine host b a
equal "the host's exit status" 0 $?
wait "$target"
equal "the target's exit status" 0 $?
[ "$failed" = 0 ] ||
	wrong "$(tail -n 30 "$HOST_TMP"/{target,host}.log; grep -E "mrc|nvme" "$HOST_TMP"/{target,host}/dmesg.log | tail -n 30)"
exit "$failed"
