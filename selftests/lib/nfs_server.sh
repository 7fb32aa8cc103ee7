# SPDX-License-Identifier: GPL-2.0-only
#
# Exports /srv by NFS over RDMA. What it mounts is there for this process and its daemons.

mount -t nfsd nfsd /proc/fs/nfsd
exportfs -ra
rpc.mountd -N 2 -N 3
rpc.nfsd -N 3 -G 10 -L 10 --rdma=20049 2
