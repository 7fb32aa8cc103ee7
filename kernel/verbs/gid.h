/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the GIDs of an address vector to the IPv6 addresses of a connection.
 *
 * The RDMA core lists all addresses of the anchor as GIDs, and those of netdevs upon it: VLANs,
 * macvlans, masters. Paths go by planes, so only the anchor's own are of use.
 *
 * IPv4 addresses are among them, and programs that choose for themselves take IPv4 first. Packets are
 * IPv6 in any case: between ports on one Ethernet segment an IPv4 GID stands for the link-local address
 * that IPv6 makes of the port's link-layer address. That is GID 0, which such programs would take if
 * there were no IPv4.
 */
#ifndef _MRC_VERBS_GID_H
#define _MRC_VERBS_GID_H

#include <linux/in6.h>
#include <rdma/ib_verbs.h>

/**
 * mrc_gid_addresses() - of both ends of a QP
 * @ibqp: the QP
 * @ah: address vector; the core has found the link-layer address of the next hop
 * @local: result
 * @remote: result
 *
 * What is wrong is in the kernel's log, too. Process context.
 * Return: 0, -EINVAL (no GIDs, or of two kinds), -EADDRNOTAVAIL (not of the anchor), -ENETUNREACH (IPv4
 * GIDs without a segment in common).
 */
int mrc_gid_addresses(const struct ib_qp *ibqp, const struct rdma_ah_attr *ah, struct in6_addr *local,
		      struct in6_addr *remote);

#endif /* _MRC_VERBS_GID_H */
