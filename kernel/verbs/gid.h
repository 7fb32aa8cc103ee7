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
 * these programs would take if there were no IPv4. Datagrams say
 * which of the two was meant (IP4ETH in core/wire), because their receivers answer to what they see.
 */
#ifndef _MRC_VERBS_GID_H
#define _MRC_VERBS_GID_H

#include <linux/if_ether.h>
#include <linux/in6.h>
#include <rdma/ib_verbs.h>

/**
 * struct mrc_gids - the addresses of an address vector
 * @local: GID of this end, or the address that it stands for
 * @remote: of the other end, likewise
 * @dmac: link-layer address of the next hop
 */
struct mrc_gids {
	struct in6_addr local;
	struct in6_addr remote;
	u8 dmac[ETH_ALEN];
};

/**
 * mrc_gid_read() - take the GIDs out of an address vector
 * @ib: the device
 * @who: whose address vector it is, for the kernel's log, which says what is wrong
 * @ah: address vector; the core has found the link-layer address of the next hop
 * @gids: result
 *
 * Any context. Return: 0, -EINVAL (no GIDs, or an IPv4 and an IPv6 one), -EADDRNOTAVAIL (the local
 * GID is not the anchor's).
 */
int mrc_gid_read(struct ib_device *ib, const char *who, const struct rdma_ah_attr *ah,
		 struct mrc_gids *gids);

/**
 * mrc_gid_resolve() - replace IPv4 GIDs by the link-local addresses that they stand for
 *
 * As for mrc_gid_read(). Process context. Return: 0, -ENETUNREACH (the ports are not on one segment).
 */
int mrc_gid_resolve(struct ib_device *ib, const char *who, struct mrc_gids *gids);

#endif /* _MRC_VERBS_GID_H */
