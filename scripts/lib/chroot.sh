# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A file system of their own for other projects' programs, which scripts/programs fetches. It contains this
# machine's devices and this tree.

# chroot_up PROGRAMS ROOT TREE: makes it in the folder ROOT, as a mount.
chroot_up()
{
	local programs=$1 root=$2 tree=$3 folder

	mkdir -p "$root"
	mount -t tmpfs tmpfs "$root" || return 1
	cp -a "$programs/etc" "$programs"/{bin,sbin,lib,lib64} "$root"
	echo "root:x:0:0:root:/tmp:/bin/sh" >"$root/etc/passwd"
	echo "127.0.0.1 localhost $(uname -n)" >"$root/etc/hosts"
	mkdir -p "$root"/{usr,tmp,proc,sys,dev,run} "$root$tree"
	mount --bind "$programs/usr" "$root/usr"
	mount --bind "$tree" "$root$tree"
	for folder in proc sys dev; do
		mount --rbind "/$folder" "$root/$folder"
	done
}
