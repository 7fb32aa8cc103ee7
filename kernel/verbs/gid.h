/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Translates the GIDs of an address vector into the IPv6 addresses of a connection.
 *
 * The RDMA core lists as GIDs all addresses of the anchor and of the netdevs upon it: VLANs,
 * macvlans, masters. Paths go by planes, so only the anchor's own addresses are of use.
 *
 * Some of these GIDs are IPv4 addresses, and programs that choose a GID themselves take IPv4 first.
 * Packets are IPv6 in any case. So between ports on one Ethernet segment an IPv4 GID stands for the
 * link-local address that IPv6 makes of the port's link-layer address. That address is GID 0, which
 * these programs would take if there were no IPv4.
 */
#ifndef _MRC_VERBS_GID_H
#define _MRC_VERBS_GID_H

#include <linux/in6.h>
#include <rdma/ib_verbs.h>

/**
 * mrc_gid_addresses() - find the addresses of both ends of a QP
 * @ibqp: the QP
 * @ah: address vector; the core has found the link-layer address of the next hop
 * @local: result
 * @remote: result
 *
 * The kernel's log also says what is wrong. Process context.
 * Return: 0, -EINVAL (no GIDs, or an IPv4 and an IPv6 one), -EADDRNOTAVAIL (the local GID is not
 * the anchor's), -ENETUNREACH (IPv4 GIDs, and the ports are not on one segment).
 */
int mrc_gid_addresses(const struct ib_qp *ibqp, const struct rdma_ah_attr *ah, struct in6_addr *local,
		      struct in6_addr *remote);

#endif /* _MRC_VERBS_GID_H */
