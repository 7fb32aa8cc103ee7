# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes roots of Debian's suites, in which the module is built for the suite's kernels with the suite's
# compilers. A script that sources this sets root, a folder, and log, a file.

# shellcheck disable=SC2154 # root and log: of the caller
mirror=http://deb.debian.org/debian
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# inside COMMAND...: in the root, as in a terminal of its own.
inside()
{
	echo "# $*" >>"$log"
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1 </dev/null
}

# strap SUITE: the root, with the least that there is.
strap()
{
	debootstrap --variant=minbase --keyring="$keyring" --include=ca-certificates "$1" "$root" \
		"$mirror" >>"$log" 2>&1
	# Whoever has archives as they were once is told here, too, that they may be old.
	if apt-config dump | grep -q '^Acquire::Check-Valid-Until "false"'; then
		echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/old"
	fi
}

# build_strictly DIR KERNEL: in the root, with W=1, warnings as errors, and sparse. What sparse says is
# no error to make, nor is that it does not run: Debian 13 leaves out of its headers the script that
# tells make whether it does. sparse 0.6.4 does not know a word of 7.x, nor that what MODULE_INFO()
# asserts there is constant.
build_strictly()
{
	local dir=$1 kernel=$2 said valid

	for valid in "$root"/usr/src/linux-headers-*-common/scripts; do
		valid+=/checker-valid.sh
		[ -e "$valid" ] || install -m 755 /dev/stdin "$valid" <<<$'#!/bin/sh\necho 1'
	done
	inside make -j "$(nproc)" -C "/lib/modules/$kernel/build" M="$dir" W=1 KCFLAGS=-Werror C=1 \
		CF=-D__typeof_unqual__=__typeof__ || return
	said=$(sed -n "\\,^# make -j [0-9]* -C /lib/modules/$kernel/,,\$p" "$log")
	grep -q '^  CHECK ' <<<"$said" || return
	said=$(grep -E "^($dir/)?[a-z_]+[./][^ ]*:[0-9]+:[0-9]+: " <<<"$said" |
		grep -v ': error: bad constant expression$') || return 0
	echo "$said"
	return 1
}
