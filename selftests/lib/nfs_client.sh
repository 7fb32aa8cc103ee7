# SPDX-License-Identifier: GPL-2.0-only
#
# Usage: nfs_client.sh ADDRESS
#
# Copies files to what a host exports, and compares them, until there is a file /tmp/end. /tmp/rounds says how often.

mount -t nfs4 -o "proto=rdma6,port=20049" "[$1]:/" /mnt
round=0
while [ ! -e /tmp/end ]; do
	cp -r /etc /mnt/etc
	dd if=/dev/urandom of=/tmp/data bs=1M count=8
	cp /tmp/data /mnt/data
	# What is compared comes from the other host again.
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cmp /tmp/data /mnt/data
	diff -r --no-dereference /etc /mnt/etc
	rm -r /mnt/etc /mnt/data
	round=$((round + 1))
	echo $round >/tmp/rounds
done
umount /mnt
