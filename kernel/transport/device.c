// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices: creation, settings, and what a change of planes means to traffic.
 */
#include <linux/netlink.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>

#include "../net/sock.h"
#include "cc_profile.h"
#include "device.h"
#include "endpoint.h"
#include "ev_profile.h"
#include "event.h"
#include "gone.h"
#include "prober.h"
#include "qp.h"
#include "receive.h"
#include "route.h"

static DEFINE_MUTEX(mrc_devs_lock);
static LIST_HEAD(mrc_devs);	/* by index, ascending */
static u32 mrc_dev_last_index;

/* Devices not freed yet: module exit waits for zero. */
static atomic_t mrc_dev_count = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(mrc_dev_wait);
/* Our own, to know when its last work has left our code. */
static struct workqueue_struct *mrc_dev_wq;

static const struct mrc_dev_cfg mrc_dev_cfg_default = {
	.burst = MRC_BURST_DEFAULT,
	.icrc = true,
	.udp_port = MRC_UDP_PORT,
	.hop_limit = 64,
	.dscp_data = 4,
	.dscp_rtx = 8,
	.dscp_control = 46,
	.mpr = MRC_MPR_DEFAULT,
	.sack_bytes = MRC_SACK_BYTES_DEFAULT,
};

/* Ports that have a plane, whatever its state. */
static u32 mrc_dev_ports(struct mrc_dev *dev)
{
	struct mrc_plane *plane;
	u32 ports = 0;
	u8 port;

	for (port = 1; port <= MRC_PORT_MAX; port++) {
		plane = mrc_plane_get(&dev->planes, port);
		if (!plane)
			continue;
		if (!READ_ONCE(plane->gone))
			ports |= BIT(port - 1);
		mrc_plane_put(plane);
	}
	return ports;
}

/*
 * Often under RTNL: only the masks by which packets take EVs change here, and peers are told. QPs
 * follow in a work, for there may be thousands.
 */
static void mrc_dev_planes_changed(struct mrc_planes *planes,
				   struct mrc_plane *plane)
{
	struct mrc_dev *dev = container_of(planes, struct mrc_dev, planes);
	struct mrc_event event = {
		.type = MRC_EVENT_PLANE,
		.dev = dev,
		.plane = plane,
	};
	u32 ports = mrc_dev_ports(dev);

	mutex_lock(&dev->cfg_lock);
	WRITE_ONCE(dev->ports_seen, dev->ports_seen | ports);
	if (mrc_dev_port_status(dev) != ~0u)
		WRITE_ONCE(dev->ports_lost, true);
	mrc_peers_ports(dev);
	WRITE_ONCE(dev->ports, ports);
	mutex_unlock(&dev->cfg_lock);
	mrc_dev_queue_work(dev, &dev->ports_work);
	/* Its first plane comes before the device can be seen, the last goes after. */
	if (READ_ONCE(dev->listed))
		mrc_event_notify(&event);
}

u32 mrc_dev_port_status(struct mrc_dev *dev)
{
	return mrc_planes_mask(&dev->planes) | ~READ_ONCE(dev->ports_seen);
}

/*
 * Planes have come or gone: EVs are made anew for those of @ports, and EV indices mean something
 * else afterwards. If @ports is not true any more, nothing is done: the work runs again. Return:
 * EVs were made anew.
 */
static bool mrc_dev_renew_evs(struct mrc_dev *dev, u32 ports)
{
	bool renew;

	mutex_lock(&dev->cfg_lock);
	renew = dev->ports == ports && dev->evs_ports != ports && !dev->dead;
	if (renew) {
		dev->evs_ports = ports;
		mrc_peers_refresh(dev, 0, true);
	}
	mutex_unlock(&dev->cfg_lock);
	return renew;
}

/*
 * Ports have changed, here or at a peer. QPs give up what is in flight on dead ports now, without
 * waiting for a timer. They are told before EVs are made anew, for they know packets by EV index.
 */
static void mrc_dev_ports_work(struct work_struct *work)
{
	struct mrc_dev *dev = container_of(work, struct mrc_dev, ports_work);
	u32 ports = READ_ONCE(dev->ports);

	mrc_qps_heed_ports(dev);
	if (mrc_dev_renew_evs(dev, ports))
		mrc_qps_kick(dev);
	mrc_dev_put(dev);
}

void mrc_dev_settle_ports(struct mrc_dev *dev)
{
	flush_work(&dev->ports_work);
}

void mrc_dev_queue_work(struct mrc_dev *dev, struct work_struct *work)
{
	mrc_dev_get(dev);
	if (!queue_work(mrc_dev_wq, work))
		mrc_dev_put(dev);
}

static void mrc_dev_free(struct mrc_dev *dev)
{
	mrc_prober_fini(dev);
	mrc_endpoint_fini(dev);
	mrc_gone_fini(dev);
	mrc_ev_profiles_free(dev);
	mrc_cc_profiles_free(dev);
	mrc_routes_free(dev);
	mrc_peers_exit(dev);
	xa_destroy(&dev->mrs);
	free_percpu(dev->counters);
	netdev_put(dev->anchor, &dev->anchor_tracker);
	kfree(dev);
	if (atomic_dec_and_test(&mrc_dev_count))
		wake_up_all(&mrc_dev_wait);
}

static void mrc_dev_free_work(struct work_struct *work)
{
	mrc_dev_free(container_of(work, struct mrc_dev, free_work));
}

static struct mrc_dev *mrc_dev_alloc(const char *name,
				     struct net_device *anchor)
{
	struct mrc_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	dev->counters = alloc_percpu(struct mrc_counters);
	if (!dev->counters || mrc_peers_init(dev)) {
		free_percpu(dev->counters);
		kfree(dev);
		return NULL;
	}
	strscpy(dev->name, name, sizeof(dev->name));
	dev->net = dev_net(anchor);
	dev->anchor = anchor;
	netdev_hold(anchor, &dev->anchor_tracker, GFP_KERNEL);
	dev->cfg = mrc_dev_cfg_default;
	mutex_init(&dev->cfg_lock);
	INIT_LIST_HEAD(&dev->list);
	INIT_LIST_HEAD(&dev->ev_profiles);
	INIT_LIST_HEAD(&dev->cc_profiles);
	INIT_WORK(&dev->free_work, mrc_dev_free_work);
	INIT_WORK(&dev->ports_work, mrc_dev_ports_work);
	xa_init_flags(&dev->mrs, XA_FLAGS_ACCOUNT);
	refcount_set(&dev->ref, 1);
	atomic_inc(&mrc_dev_count);
	return dev;
}

static void mrc_dev_listen_no_more(struct mrc_dev *dev)
{
	if (dev->sock)
		mrc_sock_put(dev->sock);
	if (dev->sock_too)
		mrc_sock_put(dev->sock_too);
}

/* Without the other port that MRC may have, where somebody else has it. */
static struct mrc_sock *mrc_dev_listen_too(struct mrc_dev *dev, u16 port)
{
	struct mrc_sock *sock;

	if (port != MRC_UDP_PORT)
		return NULL;
	sock = mrc_sock_get(dev->net, MRC_UDP_PORT_TOO);
	return IS_ERR(sock) ? NULL : sock;
}

/* No longer where it did before. In case of an error nothing has changed. */
static int mrc_dev_listen(struct mrc_dev *dev, u16 port)
{
	struct mrc_sock *sock = mrc_sock_get(dev->net, port);

	if (IS_ERR(sock))
		return PTR_ERR(sock);
	mrc_dev_listen_no_more(dev);
	dev->sock = sock;
	dev->sock_too = mrc_dev_listen_too(dev, port);
	return 0;
}

/* What is made is freed with the device. */
static int mrc_dev_init_parts(struct mrc_dev *dev)
{
	return mrc_routes_init(dev) ?: mrc_endpoint_init(dev) ?: mrc_prober_init(dev) ?:
	       mrc_gone_init(dev) ?: mrc_cc_profiles_init(dev) ?: mrc_ev_profiles_init(dev);
}

struct mrc_dev *mrc_dev_create(const char *name, struct net_device *anchor,
			       struct netlink_ext_ack *extack)
{
	struct mrc_dev *dev = mrc_dev_alloc(name, anchor);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	err = mrc_dev_init_parts(dev);
	if (err)
		goto err_free;
	err = mrc_dev_listen(dev, dev->cfg.udp_port);
	if (err) {
		NL_SET_ERR_MSG_MOD(extack, "the UDP port is taken; does rdma_rxe hold it?");
		goto err_free;
	}
	mrc_planes_init(&dev->planes, mrc_dev_planes_changed);
	return dev;

err_free:
	mrc_dev_free(dev);
	return ERR_PTR(err);
}

void mrc_dev_publish(struct mrc_dev *dev, const char *name)
{
	struct mrc_event event = { .type = MRC_EVENT_DEVICE_NEW, .dev = dev };

	mutex_lock(&mrc_devs_lock);
	strscpy(dev->name, name, sizeof(dev->name));
	if (!dev->listed) {
		dev->index = ++mrc_dev_last_index;
		list_add_tail_rcu(&dev->list, &mrc_devs);
		WRITE_ONCE(dev->listed, true);
	}
	mutex_unlock(&mrc_devs_lock);
	mrc_event_notify(&event);
}

void mrc_dev_shutdown(struct mrc_dev *dev)
{
	struct mrc_event event = { .type = MRC_EVENT_DEVICE_DEL, .dev = dev };

	if (dev->listed) {
		mutex_lock(&mrc_devs_lock);
		list_del_rcu(&dev->list);
		WRITE_ONCE(dev->listed, false);
		mutex_unlock(&mrc_devs_lock);
		synchronize_rcu();
		mrc_event_notify(&event);
	}
	mutex_lock(&dev->cfg_lock);
	dev->dead = true;
	mutex_unlock(&dev->cfg_lock);
	mrc_planes_destroy(&dev->planes);
	mrc_dev_listen_no_more(dev);
	mrc_dev_put(dev);
}

void mrc_dev_get(struct mrc_dev *dev)
{
	refcount_inc(&dev->ref);
}

/* The last reference may go in softirq; freeing sleeps. */
void mrc_dev_put(struct mrc_dev *dev)
{
	if (refcount_dec_and_test(&dev->ref))
		queue_work(mrc_dev_wq, &dev->free_work);
}

struct mrc_dev *mrc_dev_find(struct net *net, const char *name)
{
	struct mrc_dev *dev, *found = NULL;

	mutex_lock(&mrc_devs_lock);
	list_for_each_entry(dev, &mrc_devs, list) {
		if (!net_eq(dev->net, net) || strcmp(dev->name, name))
			continue;
		found = dev;
		mrc_dev_get(dev);
		break;
	}
	mutex_unlock(&mrc_devs_lock);
	return found;
}

struct mrc_dev *mrc_dev_next(struct net *net, u32 index)
{
	struct mrc_dev *dev, *found = NULL;

	mutex_lock(&mrc_devs_lock);
	list_for_each_entry(dev, &mrc_devs, list) {
		if (!net_eq(dev->net, net) || dev->index < index)
			continue;
		found = dev;
		mrc_dev_get(dev);
		break;
	}
	mutex_unlock(&mrc_devs_lock);
	return found;
}

#define MRC_CFG_CHECK(cond, text)				\
	do {							\
		if (!(cond)) {					\
			NL_SET_ERR_MSG_MOD(extack, text);	\
			return -EINVAL;				\
		}						\
	} while (0)

static int mrc_dev_check_cfg(const struct mrc_dev_cfg *cfg,
			     struct netlink_ext_ack *extack)
{
	MRC_CFG_CHECK(cfg->burst && cfg->burst <= MRC_BURST_MAX,
		      "burst must be 1 to 16");
	MRC_CFG_CHECK(cfg->udp_port, "udp-port must not be 0");
	MRC_CFG_CHECK(cfg->hop_limit, "hop-limit must not be 0");
	MRC_CFG_CHECK((cfg->dscp_data | cfg->dscp_rtx | cfg->dscp_control) < 64,
		      "a DSCP is 0 to 63");
	MRC_CFG_CHECK(cfg->mpr, "mpr must be 1 to 255");
	MRC_CFG_CHECK(cfg->sack_bytes && cfg->sack_bytes <= MRC_SACK_BYTES_MAX,
		      "sack-bytes must be 1 to 1048576");
	return 0;
}

struct mrc_dev *mrc_dev_by_addr(struct net *net, const struct in6_addr *addr)
{
	struct mrc_dev *dev;

	list_for_each_entry_rcu(dev, &mrc_devs, list)
		if (net_eq(dev->net, net) &&
		    ipv6_chk_addr(net, addr, dev->anchor, 0))
			return dev;
	return NULL;
}

void mrc_devs_count_drop(struct net *net, const struct in6_addr *daddr,
			 enum mrc_drop why)
{
	struct mrc_dev *dev, *charged = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &mrc_devs, list) {
		if (!net_eq(dev->net, net))
			continue;
		if (!charged || ipv6_chk_addr(net, daddr, dev->anchor, 0))
			charged = dev;
	}
	if (charged)
		mrc_count(charged, mrc_drop_counter(why));
	rcu_read_unlock();
}

static int mrc_dev_set_port(struct mrc_dev *dev, u16 port,
			    struct netlink_ext_ack *extack)
{
	int err;

	if (port == dev->cfg.udp_port)
		return 0;
	if (atomic_read(&dev->qps)) {
		NL_SET_ERR_MSG_MOD(extack, "udp-port cannot change while QPs exist");
		return -EBUSY;
	}
	err = mrc_dev_listen(dev, port);
	if (err)
		NL_SET_ERR_MSG_MOD(extack, "the UDP port is taken");
	return err;
}

int mrc_dev_set_cfg(struct mrc_dev *dev, const struct mrc_dev_cfg *cfg,
		    struct netlink_ext_ack *extack)
{
	int err = mrc_dev_check_cfg(cfg, extack);

	if (err)
		return err;
	mutex_lock(&dev->cfg_lock);
	err = dev->dead ? -ENODEV : mrc_dev_set_port(dev, cfg->udp_port, extack);
	if (!err) {
		dev->cfg = *cfg;
		mrc_peers_settings(dev);
	}
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_transport_module_init(void)
{
	int err;

	mrc_dev_wq = alloc_workqueue("mrc_dev", WQ_UNBOUND, 0);
	if (!mrc_dev_wq)
		return -ENOMEM;
	err = mrc_receive_init();
	if (err)
		destroy_workqueue(mrc_dev_wq);
	return err;
}

void mrc_transport_module_exit(void)
{
	mrc_receive_exit();
	/* QPs and peers give up their device in RCU callbacks. */
	rcu_barrier();
	rcu_barrier();
	wait_event(mrc_dev_wait, !atomic_read(&mrc_dev_count));
	destroy_workqueue(mrc_dev_wq);
	rcu_barrier();
}
