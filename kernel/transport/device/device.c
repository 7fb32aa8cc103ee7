// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices: references, and how they are found.
 */
#include <linux/ipv6.h>
#include <linux/log2.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <linux/wait.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>

#include "../../core/paths/sent.h"
#include "../../core/wire/wire.h"
#include "device.h"
#include "event.h"

/* Outer header, inner header, UDP, MRC's own headers and ICRC. */
#define MRC_OVERHEAD	((int)(2 * sizeof(struct ipv6hdr) + sizeof(struct udphdr) +	\
			       MRC_WRITE_HDR_MAX + MRC_ICRC_LEN))

void mrc_count_unsent(struct mrc_dev *dev, int err)
{
	switch (mrc_sent_verdict(err)) {
	case MRC_SENT_DOWN:
	case MRC_SENT_NO_WAY:
	case MRC_SENT_REFUSED:
	case MRC_SENT_GONE:
		mrc_count(dev, MRC_CNT_TX_NO_PATH);
		break;
	default:
		if (err == -ENOMEM)
			mrc_count(dev, MRC_CNT_TX_NO_MEMORY);
	}
}

static DEFINE_MUTEX(mrc_devs_lock);
static LIST_HEAD(mrc_devs);	/* by index, ascending */
static u32 mrc_dev_last_index;

/* Devices not freed yet: module exit waits for zero. */
static atomic_t mrc_dev_count = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(mrc_dev_wait);
/* A workqueue of our own: when it is destroyed, its last work has left this module's code. */
static struct workqueue_struct *mrc_dev_wq;

static const struct mrc_dev_cfg mrc_dev_cfg_default = MRC_DEV_CFG_DEFAULT;

struct mrc_dev *mrc_dev_alloc(const char *name, struct net_device *anchor)
{
	struct mrc_dev *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return NULL;
	dev->counters = alloc_percpu(struct mrc_counters);
	if (!dev->counters) {
		kfree(dev);
		return NULL;
	}
	strscpy(dev->name, name, sizeof(dev->name));
	dev->net = dev_net(anchor);
	dev->anchor = anchor;
	netdev_hold(anchor, &dev->anchor_tracker, GFP_KERNEL);
	dev->cfg = mrc_dev_cfg_default;
	mutex_init(&dev->cfg_lock);
	spin_lock_init(&dev->trim_lock);
	INIT_LIST_HEAD(&dev->list);
	INIT_LIST_HEAD(&dev->ev_profiles);
	INIT_LIST_HEAD(&dev->cc_profiles);
	xa_init_flags(&dev->mrs, XA_FLAGS_ACCOUNT);
	refcount_set(&dev->ref, 1);
	atomic_inc(&mrc_dev_count);
	return dev;
}

/* A second call does nothing. */
void mrc_dev_put_anchor(struct mrc_dev *dev)
{
	netdev_put(dev->anchor, &dev->anchor_tracker);
	dev->anchor = NULL;
}

void mrc_dev_free(struct mrc_dev *dev)
{
	xa_destroy(&dev->mrs);
	free_percpu(dev->counters);
	mrc_dev_put_anchor(dev);
	kfree(dev);
	if (atomic_dec_and_test(&mrc_dev_count))
		wake_up_all(&mrc_dev_wait);
}

void mrc_dev_get(struct mrc_dev *dev)
{
	refcount_inc(&dev->ref);
}

/* A work frees the device: the last reference may be dropped in softirq, and freeing sleeps. */
void mrc_dev_put(struct mrc_dev *dev)
{
	if (refcount_dec_and_test(&dev->ref))
		queue_work(mrc_dev_wq, &dev->free_work);
}

void mrc_dev_queue_work(struct mrc_dev *dev, struct work_struct *work)
{
	mrc_dev_get(dev);
	if (!queue_work(mrc_dev_wq, work))
		mrc_dev_put(dev);
}

void mrc_dev_make_flow(struct mrc_dev *dev, struct mrc_flow *f, const struct in6_addr *local,
		       const struct in6_addr *remote)
{
	const struct mrc_dev_cfg *cfg = &dev->cfg;

	lockdep_assert_held(&dev->cfg_lock);
	f->net = dev->net;
	f->saddr = *local;
	f->daddr = *remote;
	f->tunnel_saddr = ipv6_addr_any(&cfg->tunnel_source) ? *local : cfg->tunnel_source;
	f->dport = htons(cfg->udp_port);
	f->hop_limit = cfg->hop_limit;
	f->icrc = cfg->icrc;
}

void mrc_dev_queue_later(struct delayed_work *work, unsigned long delay)
{
	queue_delayed_work(mrc_dev_wq, work, delay);
}

void mrc_dev_hurry(struct delayed_work *work)
{
	mod_delayed_work(mrc_dev_wq, work, 0);
}

void mrc_dev_settle_ports(struct mrc_dev *dev)
{
	flush_work(&dev->ports_work);
}

u32 mrc_dev_port_status(struct mrc_dev *dev)
{
	return mrc_planes_mask(&dev->planes) | ~READ_ONCE(dev->ports_seen);
}

u32 mrc_dev_mtu(struct mrc_dev *dev)
{
	int mtu = mrc_planes_mtu(&dev->planes);

	if (!mtu)
		return MRC_MTU_MAX;
	return rounddown_pow_of_two(clamp_t(int, mtu - MRC_OVERHEAD, MRC_MTU_MIN, MRC_MTU_MAX));
}

/* ---- look-up ---------------------------------------------------------------- */

/* Does a program make or delete the device? A work deletes it when its netdev or namespace goes. */
static bool mrc_dev_asked(void)
{
	return !(current->flags & PF_KTHREAD);
}

/*
 * Indices begin at the time since boot, in units of 8 ms. So they are larger than all indices of a
 * module that was loaded before, if it made fewer than one device in 8 ms: controllers may have
 * left state that names these. A year has fewer units than there are numbers.
 */
static u32 mrc_dev_next_index(void)
{
	lockdep_assert_held(&mrc_devs_lock);
	if (!mrc_dev_last_index)
		mrc_dev_last_index = ktime_get_boottime_ns() >> 23;
	return ++mrc_dev_last_index;
}

void mrc_dev_publish(struct mrc_dev *dev, const char *name)
{
	struct mrc_event event = {
		.type = MRC_EVENT_DEVICE_NEW,
		.dev = dev,
		.asked = mrc_dev_asked(),
	};

	mutex_lock(&mrc_devs_lock);
	strscpy(dev->name, name, sizeof(dev->name));
	if (!dev->listed) {
		dev->index = mrc_dev_next_index();
		list_add_tail_rcu(&dev->list, &mrc_devs);
		WRITE_ONCE(dev->listed, true);
	}
	mutex_unlock(&mrc_devs_lock);
	mrc_event_notify(&event);
}

void mrc_dev_unlist(struct mrc_dev *dev)
{
	struct mrc_event event = {
		.type = MRC_EVENT_DEVICE_DEL,
		.dev = dev,
		.asked = mrc_dev_asked(),
	};

	if (!dev->listed)
		return;
	mutex_lock(&mrc_devs_lock);
	list_del_rcu(&dev->list);
	WRITE_ONCE(dev->listed, false);
	mutex_unlock(&mrc_devs_lock);
	synchronize_rcu();
	mrc_event_notify(&event);
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

bool mrc_dev_has_addr(const struct mrc_dev *dev, const struct in6_addr *addr)
{
	/* Strict: otherwise, an address of any other netdev of the namespace would do. */
	return ipv6_chk_addr(dev->net, addr, dev->anchor, 1);
}

struct mrc_dev *mrc_dev_by_addr(struct net *net, const struct in6_addr *addr)
{
	struct mrc_dev *dev;

	list_for_each_entry_rcu(dev, &mrc_devs, list)
		if (net_eq(dev->net, net) && mrc_dev_has_addr(dev, addr))
			return dev;
	return NULL;
}

/* The device whose anchor has the address, otherwise the first of the namespace. */
static void mrc_devs_count(struct net *net, const struct in6_addr *addr, enum mrc_counter c)
{
	struct mrc_dev *dev, *charged = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &mrc_devs, list) {
		if (!net_eq(dev->net, net))
			continue;
		if (!charged || mrc_dev_has_addr(dev, addr))
			charged = dev;
	}
	if (charged)
		mrc_count(charged, c);
	rcu_read_unlock();
}

void mrc_devs_count_drop(struct net *net, const struct in6_addr *daddr,
			 enum mrc_drop why)
{
	mrc_devs_count(net, daddr, mrc_drop_counter(why));
}

void mrc_devs_count_forged(struct net *net, const struct in6_addr *saddr)
{
	mrc_devs_count(net, saddr, MRC_CNT_TX_FORGED);
}

/* ---- the module ------------------------------------------------------------- */

int mrc_dev_module_init(void)
{
	mrc_dev_wq = alloc_workqueue("mrc_dev", WQ_UNBOUND, 0);
	return mrc_dev_wq ? 0 : -ENOMEM;
}

void mrc_dev_module_exit(void)
{
	wait_event(mrc_dev_wait, !atomic_read(&mrc_dev_count));
	destroy_workqueue(mrc_dev_wq);
}
