#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/dkms-tree makes the same tree each time. That tree builds by itself, somewhere else, with a
# compiler and make: without this tree, Python or git. What the tree tells dkms is right.
#
# Usage: dkms.sh TOP

. "$(dirname "$0")/lib.sh"

top=$1
python3 -c 'import yaml' 2>/dev/null || exit 4
kdir=$("$top/scripts/kernels" 6.12 2>"$HOST_TMP/log") || { cat "$HOST_TMP/log" >&2; exit 4; }
kdir=${kdir#* }
version=$(sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' "$top/kernel/main.c")

# listed TREE: prints each file, with its content, its mode and time.
listed()
{
	(cd "$1" && find . -printf '%p %m %T@\n' | sort && find . -type f -exec sha256sum {} + | sort)
}

tree=$("$top/scripts/dkms-tree" "$HOST_TMP/a") || exit 1
equal "its path" "$HOST_TMP/a/soft-mrc-$version" "$tree"
# Makes it in a tree in which there was a build, and with another umask.
mkdir -p "$HOST_TMP/b/soft-mrc-$version"
touch "$HOST_TMP/b/soft-mrc-$version/main.o"
again=$(umask 077; "$top/scripts/dkms-tree" "$HOST_TMP/b") || exit 1
diff -u <(listed "$tree") <(listed "$again") >&2 || wrong "another tree, of the same source"
equal "beside it" "soft-mrc-$version" "$(ls -A "$HOST_TMP/b")"
for name in COPYING LICENSES/BSD-2-Clause.txt README Kbuild netlink/spec.c; do
	[ -s "$tree/$name" ] || wrong "no $name"
done

# dkms reads its file with bash. These are the names that it reads there.
# shellcheck disable=SC2034 # by that file
kernel_source_dir=KDIR dkms_tree=/var/lib/dkms
# shellcheck disable=SC1091 # made above
. "$tree/dkms.conf" || exit 1
equal "what dkms builds" "soft-mrc/$version mrc" "$PACKAGE_NAME/$PACKAGE_VERSION ${BUILT_MODULE_NAME[0]}"
equal "how" "make -C KDIR M=/var/lib/dkms/soft-mrc/$version/build" "${MAKE[0]}"

# The programs of a machine that has neither. (pahole comes with the headers, if they need it.)
mkdir "$HOST_TMP/bin"
find /usr/bin /usr/sbin /bin /sbin -maxdepth 1 \( -type f -o -type l \) ! -name 'python*' ! -name 'git*' \
	-exec ln -sf -t "$HOST_TMP/bin" {} +
arguments=()
command -v pahole >/dev/null || arguments+=(CONFIG_DEBUG_INFO_BTF_MODULES=)
! PATH=$HOST_TMP/bin command -v python3 >/dev/null || wrong "there is a python3"
! grep -rl python "$tree" >&2 || wrong "the tree speaks of Python"

# A host with another RDMA core: its headers come before the kernel's, and its symbols are known to be
# its own.
ofed=$HOST_TMP/ofed
mkdir -p "$ofed/include/rdma" "$ofed/include/linux"
cat >"$ofed/include/linux/compat-2.6.h" <<-'HEADER'
	#ifndef CONFIG_MODULES
	#error "before the configuration of the kernel"
	#endif
	#define MRC_OFED_CONFIG 1
HEADER
cat >"$ofed/include/rdma/ib_verbs.h" <<-'HEADER'
	#ifndef MRC_OFED_CONFIG
	#error "without compat-2.6.h"
	#endif
	#include_next <rdma/ib_verbs.h>
HEADER
awk -F '\t' -v OFS='\t' '$3 == "drivers/infiniband/core/ib_core" { $3 = "ofed/ofed_core"; print }' \
	"$kdir/Module.symvers" >"$ofed/Module.symvers"

mkdir "$HOST_TMP/elsewhere"
cp -a "$tree" "$HOST_TMP/elsewhere/mrc"
if ! env -i PATH="$HOST_TMP/bin" make -s -j "$(nproc)" -C "$kdir" M="$HOST_TMP/elsewhere/mrc" OFED="$ofed" \
	"${arguments[@]}" >"$HOST_TMP/log" 2>&1; then
	cat "$HOST_TMP/log" >&2
	exit 1
fi
ko=$HOST_TMP/elsewhere/mrc/mrc.ko
info()
{
	PATH=$PATH:/sbin:/usr/sbin modinfo -F "$1" "$ko"
}
equal "kernel of mrc.ko" "$(cat "$kdir/include/config/kernel.release")" "$(info vermagic | cut -d ' ' -f 1)"
equal "its name and version" "mrc $version" "$(info name) $(info version)"
[[ ,$(info depends), = *,ofed_core,* ]] || wrong "it does not need the other RDMA core: $(info depends)"
dependencies=$HOST_TMP/elsewhere/mrc/verbs/.link.o.cmd
for header in "$ofed/include/rdma/ib_verbs.h" "$ofed/include/linux/compat-2.6.h"; do
	grep -qF "$header" "$dependencies" || wrong "compiled without $header"
done
said=$(make -s -C "$kdir" M="$HOST_TMP/elsewhere/mrc" OFED="$HOST_TMP/none" 2>&1) &&
	wrong "a folder of OFED that is not there is taken"
grep -q "OFED=$HOST_TMP/none: there is no Module.symvers" <<<"$said" || wrong "$said"
exit $failed
