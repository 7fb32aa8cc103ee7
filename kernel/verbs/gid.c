// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translates the GIDs of an address vector into the IPv6 addresses of a connection.
 */
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <rdma/ib_cache.h>

#include "device.h"
#include "gid.h"

static const struct in6_addr *mrc_gid_addr(const union ib_gid *gid)
{
	return (const struct in6_addr *)gid->raw;
}

/* Checks that a GID is an address of the anchor itself, and not of a netdev upon the anchor. */
static int mrc_gid_check_netdev(struct ib_device *ib, const char *who,
				const struct ib_gid_attr *gid)
{
	const struct net_device *anchor = to_mrc_dev(ib)->anchor, *ndev;
	int err = 0;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(gid);
	if (IS_ERR(ndev)) {
		err = PTR_ERR(ndev);
	} else if (ndev != anchor) {
		err = -EADDRNOTAVAIL;
		ibdev_warn_ratelimited(ib,
				       "%s: GID %pI6c belongs to %s, not to the anchor %s: use a GID of the anchor\n",
				       who, &gid->gid, ndev->name, anchor->name);
	}
	rcu_read_unlock();
	return err;
}

/* The link-local address that IPv6 makes of a link-layer address; of the anchor's, it is GID 0. */
static struct in6_addr mrc_gid_link_local(const u8 *mac)
{
	struct in6_addr addr = { .s6_addr32[0] = htonl(0xfe800000) };

	addrconf_addr_eui48(&addr.s6_addr[8], mac);
	return addr;
}

/* Whether IPv4 reaches @remote without a router, by the anchor or within this host. */
static bool mrc_gid_on_link(struct mrc_dev *dev, const struct in6_addr *local,
			    const struct in6_addr *remote)
{
	struct flowi4 fl4 = {
		.daddr = remote->s6_addr32[3],
		.saddr = local->s6_addr32[3],
		.flowi4_oif = dev->anchor->ifindex,
	};
	struct rtable *rt = ip_route_output_key(dev->net, &fl4);
	bool on_link;

	if (IS_ERR(rt))
		return false;
	on_link = rt->rt_type == RTN_LOCAL ||
		  (!rt->rt_gw_family && rt->dst.dev == dev->anchor);
	ip_rt_put(rt);
	return on_link;
}

/* Whether the link-local address that an IPv4 GID of this device stands for exists. */
static bool mrc_gid_has_link_local(struct mrc_dev *dev, const struct in6_addr *addr)
{
	bool plane;

	rcu_read_lock();
	plane = mrc_plane_by_ifindex(&dev->planes, dev->anchor->ifindex);
	rcu_read_unlock();
	return plane && ipv6_chk_addr(dev->net, addr, dev->anchor, 1);
}

int mrc_gid_resolve(struct ib_device *ib, const char *who, struct mrc_gids *gids)
{
	struct mrc_dev *dev = to_mrc_dev(ib);
	struct in6_addr own = mrc_gid_link_local(dev->anchor->dev_addr);

	if (!ipv6_addr_v4mapped(&gids->local))
		return 0;
	if (!mrc_gid_has_link_local(dev, &own) ||
	    !mrc_gid_on_link(dev, &gids->local, &gids->remote)) {
		ibdev_warn_ratelimited(ib,
				       "%s: IPv4 GIDs %pI6c and %pI6c work only if anchor %s is a plane, has address %pI6c, and needs no router: use IPv6 GIDs\n",
				       who, &gids->local, &gids->remote, dev->anchor->name, &own);
		return -ENETUNREACH;
	}
	gids->local = own;
	gids->remote = mrc_gid_link_local(gids->dmac);
	return 0;
}

int mrc_gid_read(struct ib_device *ib, const char *who, const struct rdma_ah_attr *ah,
		 struct mrc_gids *gids)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	int err;

	if (!(rdma_ah_get_ah_flags(ah) & IB_AH_GRH) || !grh->sgid_attr)
		return -EINVAL;
	gids->local = *mrc_gid_addr(&grh->sgid_attr->gid);
	gids->remote = *mrc_gid_addr(&grh->dgid);
	memcpy(gids->dmac, ah->roce.dmac, sizeof(gids->dmac));
	err = mrc_gid_check_netdev(ib, who, grh->sgid_attr);
	if (err)
		return err;
	if (ipv6_addr_v4mapped(&gids->local) != ipv6_addr_v4mapped(&gids->remote)) {
		ibdev_warn_ratelimited(ib, "%s: GIDs %pI6c and %pI6c must both be IPv6, or both IPv4\n",
				       who, &gids->local, &gids->remote);
		return -EINVAL;
	}
	return ipv6_addr_is_multicast(&gids->remote) || ipv6_addr_any(&gids->remote) ? -EINVAL : 0;
}
