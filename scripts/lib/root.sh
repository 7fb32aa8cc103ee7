# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes roots of Debian's suites, in which the module is built for the suite's kernels with the suite's
# compilers. A script that sources this sets root, a folder, and log, a file.

# shellcheck disable=SC2154 # root and log: of the caller
mirror=http://deb.debian.org/debian
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# inside COMMAND...: runs it in the root, with a terminal of its own.
inside()
{
	echo "# $*" >>"$log"
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1 </dev/null
}

# strap SUITE: makes the root, with as few packages as possible. All suites of today have the script of
# sid; a debootstrap that is older than the suite does not know the suite's name.
strap()
{
	debootstrap --variant=minbase --keyring="$keyring" --include=ca-certificates "$1" "$root" \
		"$mirror" /usr/share/debootstrap/scripts/sid >>"$log" 2>&1 || return
	# Accept archive snapshots, which may be old.
	if grep -q '^Acquire::Check-Valid-Until "false"' <(apt-config dump); then
		echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/old"
	fi
}

# build_strictly DIR KERNEL: builds in the root, with W=1, warnings as errors, and sparse. make does not
# treat sparse's messages as errors, nor a sparse that does not run: Debian 13's headers lack the script
# by which make finds out whether it runs. sparse 0.6.4 does not know a keyword of 7.x, nor that the
# expression which MODULE_INFO() asserts there is constant.
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
