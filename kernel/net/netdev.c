// SPDX-License-Identifier: GPL-2.0-only
/*
 * Masters of netdevs.
 */
#include <net/addrconf.h>
#include <net/l3mdev.h>

#include "change.h"
#include "netdev.h"

/* Under RCU. Return: the master that takes the netdev's packets, or NULL. */
static struct net_device *mrc_netdev_taker(struct net_device *dev)
{
	return netif_is_l3_slave(dev) ? NULL : netdev_master_upper_dev_get_rcu(dev);
}

bool mrc_netdev_taken(struct net_device *dev)
{
	bool taken;

	rcu_read_lock();
	taken = mrc_netdev_taker(dev);
	rcu_read_unlock();
	return taken;
}

bool mrc_netdev_deaf(const struct net_device *dev)
{
#ifdef CONFIG_NET_L3_MASTER_DEV
	return netif_is_l3_slave(dev) && !READ_ONCE(dev_net(dev)->ipv4.sysctl_udp_l3mdev_accept);
#else
	return false;
#endif
}

bool mrc_netdev_has_addr(const struct net_device *dev, const struct in6_addr *addr)
{
	struct net *net = dev_net(dev);

	return ipv6_chk_addr(net, addr, dev, 0) || ipv6_chk_addr(net, addr, NULL, 0);
}

int mrc_netdev_check(struct net_device *dev, const struct mrc_change *change)
{
	const struct net_device *taker;
	int err = 0;

	rcu_read_lock();
	taker = mrc_netdev_taker(dev);
	if (taker)
		err = mrc_refuse_fmt(change, -EBUSY, MRC_A_PLANE_IFINDEX,
				     "%s is a port of %s, which takes its packets",
				     dev->name, taker->name);
	rcu_read_unlock();
	return err;
}

void mrc_netdev_tell(struct net_device *dev)
{
	const struct net_device *master;

	rcu_read_lock();
	master = netdev_master_upper_dev_get_rcu(dev);
	if (master && mrc_netdev_taker(dev))
		pr_warn("mrc: %s, a plane, is a port of %s, which takes its packets: the plane is down\n",
			dev->name, master->name);
	else if (master && mrc_netdev_deaf(dev))
		pr_warn("mrc: %s, a plane, is in VRF %s: paths without SRv6 need net.ipv4.udp_l3mdev_accept=1\n",
			dev->name, master->name);
	rcu_read_unlock();
}
