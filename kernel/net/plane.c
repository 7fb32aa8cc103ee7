// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planes and their tables. All tables are on one list for the netdev notifier. In the order of
 * locks, the list's mutex stands between RTNL and the tables' own locks.
 */
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/ipv6.h>

#include "../compat/compat_net.h"
#include "change.h"
#include "netdev.h"
#include "plane.h"

/* A plane whose link does not know its speed counts as so many Mb/s. */
#define MRC_PLANE_SPEED	SPEED_10000

static LIST_HEAD(mrc_planes_all);
static DEFINE_MUTEX(mrc_planes_all_lock);
static struct workqueue_struct *mrc_plane_wq;

static struct mrc_plane *mrc_plane_locked(struct mrc_planes *planes,
					  unsigned int port)
{
	if (!port || port > MRC_PORT_MAX)
		return NULL;
	return rcu_dereference_protected(planes->port[port - 1],
					 lockdep_is_held(&planes->lock));
}

static void mrc_plane_free(struct rcu_head *rcu)
{
	struct mrc_plane *plane = container_of(rcu, struct mrc_plane, rcu);

	free_percpu(plane->stats);
	kfree(plane);
}

/** mrc_plane_put() - drop a reference. Any context. */
void mrc_plane_put(struct mrc_plane *plane)
{
	/* Counters are written under RCU without a reference. */
	if (plane && refcount_dec_and_test(&plane->ref))
		call_rcu(&plane->rcu, mrc_plane_free);
}

struct mrc_plane *mrc_plane_get(struct mrc_planes *planes, u8 port)
{
	struct mrc_plane *plane;

	if (!port || port > MRC_PORT_MAX)
		return NULL;
	rcu_read_lock();
	plane = rcu_dereference(planes->port[port - 1]);
	if (plane && !refcount_inc_not_zero(&plane->ref))
		plane = NULL;
	rcu_read_unlock();
	return plane;
}

struct mrc_plane *mrc_plane_by_ifindex(struct mrc_planes *planes, int ifindex)
{
	struct mrc_plane *plane;
	unsigned int i;

	for (i = 0; i < MRC_PORT_MAX; i++) {
		plane = rcu_dereference(planes->port[i]);
		if (plane && plane->ifindex == ifindex)
			return plane;
	}
	return NULL;
}

u32 mrc_planes_mask(struct mrc_planes *planes)
{
	const struct mrc_plane *plane;
	unsigned int i;
	u32 mask = 0;

	rcu_read_lock();
	for (i = 0; i < MRC_PORT_MAX; i++) {
		plane = rcu_dereference(planes->port[i]);
		if (plane && mrc_plane_usable(plane))
			mask |= BIT(i);
	}
	rcu_read_unlock();
	return mask;
}

bool mrc_planes_await(struct mrc_planes *planes)
{
	struct mrc_plane *plane;
	bool waits = true;
	unsigned int i;

	for (i = 0; i < MRC_PORT_MAX; i++) {
		plane = rcu_dereference(planes->port[i]);
		if (plane && mrc_plane_usable(plane))
			waits &= mrc_backlog_await(&plane->backlog);
	}
	return waits;
}

unsigned int mrc_plane_mtu(const struct mrc_plane *plane)
{
	const struct net_device *dev;
	unsigned int mtu;

	rcu_read_lock();
	dev = rcu_dereference(plane->dev);
	mtu = dev ? READ_ONCE(dev->mtu) : 0;
	rcu_read_unlock();
	return mtu;
}

unsigned int mrc_planes_mtu(struct mrc_planes *planes)
{
	const struct mrc_plane *plane;
	unsigned int i, mtu = 0;

	rcu_read_lock();
	for (i = 0; i < MRC_PORT_MAX; i++) {
		plane = rcu_dereference(planes->port[i]);
		if (plane)
			mtu = min_not_zero(mtu, mrc_plane_mtu(plane));
	}
	rcu_read_unlock();
	return mtu;
}

u64 mrc_planes_mbps(struct mrc_planes *planes)
{
	const struct mrc_plane *plane;
	unsigned int i;
	u64 sum = 0;

	rcu_read_lock();
	for (i = 0; i < MRC_PORT_MAX; i++) {
		plane = rcu_dereference(planes->port[i]);
		if (plane)
			sum += READ_ONCE(plane->mbps) ?: MRC_PLANE_SPEED;
	}
	rcu_read_unlock();
	return sum ?: MRC_PLANE_SPEED;
}

unsigned int mrc_planes_count(struct mrc_planes *planes)
{
	unsigned int i, n = 0;

	for (i = 0; i < MRC_PORT_MAX; i++)
		n += !!rcu_access_pointer(planes->port[i]);
	return n;
}

/*
 * Asks the link of a plane for its speed. A link that is down does not know it: then the plane
 * keeps the old speed, which the link will have again. Under RTNL, but not under the netdev's own
 * lock.
 */
static void mrc_plane_ask(struct mrc_plane *plane, struct net_device *dev)
{
	struct ethtool_link_ksettings settings = {};
	u32 speed;

	/* Some drivers do not survive the question while their hardware is down. */
	if (!netif_running(dev) || !netif_device_present(dev))
		return;
	if (__ethtool_get_link_ksettings(dev, &settings))
		return;
	speed = settings.base.speed;
	if (speed && speed != (u32)SPEED_UNKNOWN)
		WRITE_ONCE(plane->mbps, speed);
}

/* Takes RTNL: under it, a netdev that a plane names stays. */
static void mrc_plane_look(struct mrc_plane *plane)
{
	struct net_device *dev;

	rtnl_lock();
	dev = rtnl_dereference(plane->dev);
	if (dev)
		mrc_plane_ask(plane, dev);
	rtnl_unlock();
}

static void mrc_plane_look_work(struct work_struct *work)
{
	struct mrc_plane *plane = container_of(work, struct mrc_plane, look_work);

	mrc_plane_look(plane);
	mrc_plane_put(plane);
}

/*
 * For notifiers: has the link asked later, from a work. A notifier may be called with the netdev's
 * own lock held, and asking takes that lock (if the driver's operations have one, in kernels from
 * about 7.2 on).
 */
static void mrc_plane_look_later(struct mrc_plane *plane)
{
	refcount_inc(&plane->ref);
	if (!queue_work(mrc_plane_wq, &plane->look_work))
		mrc_plane_put(plane);
}

/* The kernel takes IPv6 off a netdev whose MTU is below IPV6_MIN_MTU. */
static bool mrc_dev_running(struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev) &&
	       READ_ONCE(dev->mtu) >= IPV6_MIN_MTU && !mrc_netdev_taken(dev);
}

static void mrc_plane_changed(struct mrc_planes *planes,
			      struct mrc_plane *plane)
{
	if (planes->changed)
		planes->changed(planes, plane, true);
}

static void mrc_plane_remove(struct mrc_planes *planes,
			     struct mrc_plane *plane)
{
	struct net_device *dev = rcu_dereference_protected(plane->dev,
					lockdep_is_held(&planes->lock));

	WRITE_ONCE(plane->gone, true);
	WRITE_ONCE(plane->running, false);
	RCU_INIT_POINTER(planes->port[plane->port - 1], NULL);
	mrc_plane_changed(planes, plane);
	mrc_backlog_close(&plane->backlog);
	/* Nothing will leave by it any more: wake the QPs that wait for room. */
	planes->room(planes);
	RCU_INIT_POINTER(plane->dev, NULL);
	netdev_put(dev, &plane->tracker);
	mrc_plane_put(plane);
}

static void mrc_plane_set_running(struct mrc_planes *planes,
				  struct mrc_plane *plane, bool running)
{
	if (plane->running == running)
		return;
	WRITE_ONCE(plane->running, running);
	mrc_plane_changed(planes, plane);
}

/**
 * mrc_planes_init() - make an empty table
 * @planes: the table
 * @changed: see struct mrc_planes; may be NULL. Runs under RTNL when a netdev event is the
 *           cause. So it must not take RTNL, not wait for a task that takes RTNL, and not call
 *           functions that take planes->lock
 * @room: see struct mrc_planes
 *
 * Context: process, sleeps; RTNL may be held.
 */
void mrc_planes_init(struct mrc_planes *planes,
		     void (*changed)(struct mrc_planes *, struct mrc_plane *, bool ports),
		     void (*room)(struct mrc_planes *))
{
	memset(planes, 0, sizeof(*planes));
	mutex_init(&planes->lock);
	planes->changed = changed;
	planes->room = room;
	mutex_lock(&mrc_planes_all_lock);
	list_add_tail(&planes->list, &mrc_planes_all);
	mutex_unlock(&mrc_planes_all_lock);
}

/**
 * mrc_planes_destroy() - remove all planes; the table may be freed after an RCU grace period
 * @planes: the table
 *
 * Holders of a reference to the device may still call mrc_plane_add() afterwards: it fails.
 *
 * Context: process, sleeps; RTNL may be held.
 */
void mrc_planes_destroy(struct mrc_planes *planes)
{
	struct mrc_plane *plane;
	unsigned int port;

	mutex_lock(&mrc_planes_all_lock);
	list_del(&planes->list);
	mutex_unlock(&mrc_planes_all_lock);

	mutex_lock(&planes->lock);
	planes->closed = true;
	for (port = 1; port <= MRC_PORT_MAX; port++) {
		plane = mrc_plane_locked(planes, port);
		if (plane)
			mrc_plane_remove(planes, plane);
	}
	mutex_unlock(&planes->lock);
}

static int mrc_plane_check_dev(struct net_device *dev, const struct mrc_change *change)
{
	if (dev->type != ARPHRD_ETHER)
		return mrc_refuse(change, -EINVAL, MRC_A_PLANE_IFINDEX,
				  "A plane needs an Ethernet netdev");
	if (READ_ONCE(dev->mtu) < IPV6_MIN_MTU)
		return mrc_refuse(change, -EINVAL, MRC_A_PLANE_IFINDEX,
				  "MTU of the netdev is below 1280");
	/*
	 * If the netdev begins to go away after this, or gets a master, its notifier waits for
	 * planes->lock, which we hold, and then finds the new plane in the table.
	 */
	if (!mrc_netdev_registered(dev))
		return mrc_refuse(change, -EINVAL, MRC_A_PLANE_IFINDEX,
				  "The netdev is going away");
	return mrc_netdev_check(dev, change);
}

/* Return: port, -EEXIST, -ENOSPC or -EINVAL. */
static int mrc_plane_find_port(struct mrc_planes *planes, unsigned int port,
			       const struct net_device *dev,
			       const struct mrc_change *change)
{
	const struct mrc_plane *plane;
	unsigned int i, free = 0;

	if (port > MRC_PORT_MAX)
		return mrc_refuse(change, -EINVAL, MRC_A_PLANE_PORT,
				  "Ports are numbered 1 to 32");
	for (i = MRC_PORT_MAX; i; i--) {
		plane = mrc_plane_locked(planes, i);
		if (!plane)
			free = i;
		else if (rcu_access_pointer(plane->dev) == dev)
			return mrc_refuse(change, -EEXIST, MRC_A_PLANE_IFINDEX,
					  "The netdev is already a plane of this device");
	}
	if (port && mrc_plane_locked(planes, port))
		return mrc_refuse(change, -EEXIST, MRC_A_PLANE_PORT,
				  "Port is in use");
	if (!port && !free)
		return mrc_refuse(change, -ENOSPC, 0, "All 32 ports are in use");
	return port ?: free;
}

/* Any context, interrupts off. */
static void mrc_plane_has_room(struct mrc_backlog *b)
{
	struct mrc_planes *planes = container_of(b, struct mrc_plane, backlog)->planes;

	planes->room(planes);
}

static struct mrc_plane *mrc_plane_alloc(struct mrc_planes *planes, u8 port,
					 struct net_device *dev)
{
	struct mrc_plane *plane = kzalloc(sizeof(*plane), GFP_KERNEL);
	int cpu;

	if (!plane)
		return NULL;
	plane->stats = alloc_percpu(struct mrc_plane_stats);
	if (!plane->stats || mrc_backlog_open(&plane->backlog, dev, mrc_plane_has_room)) {
		free_percpu(plane->stats);
		kfree(plane);
		return NULL;
	}
	plane->planes = planes;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(plane->stats, cpu)->syncp);
	plane->ifindex = dev->ifindex;
	plane->port = port;
	plane->admin_up = true;
	plane->running = mrc_dev_running(dev);
	refcount_set(&plane->ref, 1);
	INIT_WORK(&plane->look_work, mrc_plane_look_work);
	RCU_INIT_POINTER(plane->dev, dev);
	netdev_hold(dev, &plane->tracker, GFP_KERNEL);
	return plane;
}

int mrc_plane_add(struct mrc_planes *planes, u8 port, struct net_device *dev,
		  const struct mrc_change *change)
{
	struct mrc_plane *plane = NULL;
	int ret;

	mutex_lock(&planes->lock);
	planes->asked = change->attrs;
	if (planes->closed) {
		ret = mrc_refuse(change, -ENODEV, 0,
				 "The device is being deleted");
		goto out;
	}
	ret = mrc_plane_check_dev(dev, change);
	if (!ret)
		ret = mrc_plane_find_port(planes, port, dev, change);
	if (ret < 0)
		goto out;
	plane = mrc_plane_alloc(planes, ret, dev);
	if (!plane) {
		ret = -ENOMEM;
		goto out;
	}
	plane->owner = mrc_change_owner(change, MRC_NL_OWNER_NONE);
	refcount_inc(&plane->ref);
	rcu_assign_pointer(planes->port[ret - 1], plane);
	mrc_plane_changed(planes, plane);
out:
	planes->asked = false;
	mutex_unlock(&planes->lock);
	if (ret > 0) {
		mrc_netdev_tell(dev);
		mrc_plane_look(plane);
		mrc_plane_put(plane);
	}
	return ret;
}

/* The plane that a request may change, or ERR_PTR. */
static struct mrc_plane *mrc_plane_claim(struct mrc_planes *planes, u8 port,
					 const struct mrc_change *change)
{
	struct mrc_plane *plane = mrc_plane_locked(planes, port);
	int err;

	if (!plane)
		return ERR_PTR(mrc_refuse(change, -ENOENT, MRC_A_PLANE_PORT,
					  "No plane on this port"));
	err = mrc_change_claim(change, plane->owner, MRC_A_PLANE_OWNER);
	return err ? ERR_PTR(err) : plane;
}

int mrc_plane_del(struct mrc_planes *planes, u8 port,
		  const struct mrc_change *change)
{
	struct mrc_plane *plane;

	mutex_lock(&planes->lock);
	planes->asked = change->attrs;
	plane = mrc_plane_claim(planes, port, change);
	if (!IS_ERR(plane))
		mrc_plane_remove(planes, plane);
	planes->asked = false;
	mutex_unlock(&planes->lock);
	return PTR_ERR_OR_ZERO(plane);
}

static void mrc_plane_apply(struct mrc_planes *planes, struct mrc_plane *plane,
			    bool up, u8 owner)
{
	bool ports = plane->admin_up != up;

	if (!ports && plane->owner == owner)
		return;
	WRITE_ONCE(plane->admin_up, up);
	WRITE_ONCE(plane->owner, owner);
	if (planes->changed)
		planes->changed(planes, plane, ports);
}

int mrc_plane_set(struct mrc_planes *planes, u8 port, const bool *up,
		  const struct mrc_change *change)
{
	struct mrc_plane *plane;

	mutex_lock(&planes->lock);
	planes->asked = change->attrs;
	plane = mrc_plane_claim(planes, port, change);
	if (!IS_ERR(plane))
		mrc_plane_apply(planes, plane, up ? *up : plane->admin_up,
				mrc_change_owner(change, plane->owner));
	planes->asked = false;
	mutex_unlock(&planes->lock);
	return PTR_ERR_OR_ZERO(plane);
}

bool mrc_plane_dropped(struct mrc_plane *plane, u64 now)
{
	const struct net_device *dev = rcu_dereference(plane->dev);

	return dev && mrc_backlog_dropped(&plane->backlog, dev, now);
}

void mrc_plane_count_tx(struct mrc_plane *plane, unsigned int packets,
			unsigned int bytes, bool error)
{
	struct mrc_plane_stats *s = this_cpu_ptr(plane->stats);

	u64_stats_update_begin(&s->syncp);
	if (error) {
		u64_stats_add(&s->tx_errors, packets);
	} else {
		u64_stats_add(&s->tx_packets, packets);
		u64_stats_add(&s->tx_bytes, bytes);
	}
	u64_stats_update_end(&s->syncp);
}

void mrc_plane_count_rx(struct mrc_plane *plane, unsigned int packets,
			unsigned int bytes, bool ce)
{
	struct mrc_plane_stats *s = this_cpu_ptr(plane->stats);

	u64_stats_update_begin(&s->syncp);
	u64_stats_add(&s->rx_packets, packets);
	u64_stats_add(&s->rx_bytes, bytes);
	if (ce)
		u64_stats_add(&s->rx_ce, packets);
	u64_stats_update_end(&s->syncp);
}

static void mrc_plane_add_totals(const struct mrc_plane_stats *s,
				 struct mrc_plane_totals *totals)
{
	struct mrc_plane_totals t;
	unsigned int seq;

	do {
		seq = u64_stats_fetch_begin(&s->syncp);
		t.tx_packets = u64_stats_read(&s->tx_packets);
		t.tx_bytes = u64_stats_read(&s->tx_bytes);
		t.tx_errors = u64_stats_read(&s->tx_errors);
		t.rx_packets = u64_stats_read(&s->rx_packets);
		t.rx_bytes = u64_stats_read(&s->rx_bytes);
		t.rx_ce = u64_stats_read(&s->rx_ce);
	} while (u64_stats_fetch_retry(&s->syncp, seq));
	totals->tx_packets += t.tx_packets;
	totals->tx_bytes += t.tx_bytes;
	totals->tx_errors += t.tx_errors;
	totals->rx_packets += t.rx_packets;
	totals->rx_bytes += t.rx_bytes;
	totals->rx_ce += t.rx_ce;
}

/** mrc_plane_totals() - read the counters. Any context. */
void mrc_plane_totals(const struct mrc_plane *plane,
		      struct mrc_plane_totals *totals)
{
	int cpu;

	memset(totals, 0, sizeof(*totals));
	for_each_possible_cpu(cpu)
		mrc_plane_add_totals(per_cpu_ptr(plane->stats, cpu), totals);
}

static void mrc_plane_event(struct mrc_planes *planes, struct mrc_plane *plane,
			    unsigned long event, struct net_device *dev)
{
	switch (event) {
	case NETDEV_UNREGISTER:
		mrc_plane_remove(planes, plane);
		break;
	case NETDEV_GOING_DOWN:
		mrc_plane_set_running(planes, plane, false);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		mrc_plane_look_later(plane);
		mrc_plane_set_running(planes, plane, mrc_dev_running(dev));
		break;
	case NETDEV_CHANGEMTU:
		WRITE_ONCE(plane->running, mrc_dev_running(dev));
		mrc_plane_changed(planes, plane);
		break;
	case NETDEV_CHANGEUPPER:
		mrc_netdev_tell(dev);
		mrc_plane_set_running(planes, plane, mrc_dev_running(dev));
		break;
	}
}

static void mrc_planes_event(struct mrc_planes *planes, unsigned long event,
			     struct net_device *dev)
{
	struct mrc_plane *plane;
	unsigned int port;

	mutex_lock(&planes->lock);
	for (port = 1; port <= MRC_PORT_MAX; port++) {
		plane = mrc_plane_locked(planes, port);
		if (plane && rcu_access_pointer(plane->dev) == dev)
			mrc_plane_event(planes, plane, event, dev);
	}
	mutex_unlock(&planes->lock);
}

static int mrc_plane_netdev_event(struct notifier_block *nb,
				  unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct mrc_planes *planes;

	switch (event) {
	case NETDEV_UNREGISTER:
	case NETDEV_GOING_DOWN:
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_CHANGEUPPER:
		mutex_lock(&mrc_planes_all_lock);
		list_for_each_entry(planes, &mrc_planes_all, list)
			mrc_planes_event(planes, event, dev);
		mutex_unlock(&mrc_planes_all_lock);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block mrc_plane_notifier = {
	.notifier_call = mrc_plane_netdev_event,
};

/** mrc_plane_module_init() - follow netdevs. Process context, takes RTNL. */
int mrc_plane_module_init(void)
{
	int err;

	mrc_plane_wq = alloc_workqueue("mrc_plane", WQ_UNBOUND, 0);
	if (!mrc_plane_wq)
		return -ENOMEM;
	err = register_netdevice_notifier(&mrc_plane_notifier);
	if (err)
		destroy_workqueue(mrc_plane_wq);
	return err;
}

/** mrc_plane_module_exit() - all tables must have been destroyed. Process context, takes RTNL. */
void mrc_plane_module_exit(void)
{
	unregister_netdevice_notifier(&mrc_plane_notifier);
	destroy_workqueue(mrc_plane_wq);
	rcu_barrier();	/* mrc_plane_free() is our code */
}
