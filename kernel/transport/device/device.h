/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The transport side of a device. It has planes, profiles, routes, peers, QPs and memory regions.
 * The ib_device in verbs/ owns it.
 *
 * The order of all locks is in Documentation/developer/architecture.md.
 */
#ifndef _MRC_TRANSPORT_DEVICE_H
#define _MRC_TRANSPORT_DEVICE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "settings.h"

#include "../../core/base/gate.h"
#include "../../net/plane.h"
#include "../../net/rx.h"
#include "../../net/skb.h"
#include "counters.h"

struct mrc_ask_table;
struct mrc_endpoint;
struct mrc_gone_table;
struct mrc_prober;
struct mrc_routes;
struct mrc_ud;
struct mrc_waiting;

#define MRC_WIMM_DEFAULT	128u

/**
 * struct mrc_dev - a device
 * @name: name of the ib_device
 * @index: unique in the module, never reused
 * @net: namespace of the anchor
 * @anchor: netdev whose addresses are the GIDs; held
 * @cfg: settings; single fields read with READ_ONCE
 * @planes: underlay ports
 * @ports: bit per port that has a plane; written under @cfg_lock
 * @evs_ports: value of @ports when EVs were last made anew; under @cfg_lock
 * @evs_stale: a plane has gone since EVs were last made anew; under @cfg_lock
 * @ports_seen: bit per port that has or had a plane
 * @ports_lost: one of the ports in @ports_seen has been down
 * @ev_version: version of the next EV profile that is added: larger than that of any deleted
 *              profile; under @cfg_lock
 * @peer_numbers: peers by struct mrc_peer::number
 * @next_peer: where the search for the next peer's number begins; under @cfg_lock
 * @routes: see route.h
 * @waiting: see waiting.h
 * @asks: see ask.h
 * @endpoint: see endpoint.h
 * @prober: see prober.h
 * @jobs: see probe_job.h
 * @gone: see gone.h
 * @gsi: its QP 1, see ud.h, or NULL
 * @sock: its UDP port
 * @sock_too: MRC's second UDP port, or NULL
 * @users: users by uid, see user.h
 * @kernel_peers: how many address handles of the kernel have a peer, see verbs/ah.h
 * @qps: number of QPs
 * @dead: the device is being deleted: no new QPs, peers, planes
 * @listed: the device was announced, and changes of its planes are announced, too
 */
struct mrc_dev {
	char name[IB_DEVICE_NAME_MAX];
	u32 index;
	struct net *net;
	struct net_device *anchor;
	netdevice_tracker anchor_tracker;
	struct mrc_dev_cfg cfg;
	bool trims;	/* its sockets take trimmed packets */
	spinlock_t trim_lock;	/* trim_gate */
	struct mrc_gate trim_gate;
	struct mrc_planes planes;
	u32 ports;
	u32 evs_ports;
	bool evs_stale;
	u32 ports_seen;
	bool ports_lost;
	struct mrc_counters __percpu *counters;
	struct mrc_sock *sock;
	struct mrc_sock *sock_too;
	struct mutex cfg_lock;	/* profiles, routes, cfg, sock, sock_too */
	struct list_head ev_profiles;
	u32 ev_version;
	struct list_head cc_profiles;
	struct mrc_routes *routes;
	struct rhltable peers;
	struct xarray peer_numbers;	/* in order of creation */
	u32 next_peer;
	struct mrc_waiting *waiting;
	struct mrc_ask_table *asks;
	struct mrc_endpoint *endpoint;
	struct mrc_prober *prober;
	struct mrc_gone_table *gone;
	struct mrc_ud __rcu *gsi;
	struct mrc_probe_jobs *jobs;
	struct work_struct ports_work;	/* ports of this host have changed */
	struct work_struct told_work;	/* ports of peers have changed: see struct mrc_prober */
	struct delayed_work renew_work;	/* makes EVs for which there was no memory before */
	struct xarray mrs;	/* key >> 8 to struct mrc_mr */
	struct xarray users;
	atomic_t kernel_peers;
	atomic_t qps;
	bool dead;
	bool listed;
	refcount_t ref;
	struct list_head list;
	struct work_struct free_work;
};

static inline void mrc_count_n(struct mrc_dev *dev, enum mrc_counter c, u64 n)
{
	this_cpu_add(dev->counters->v[c], n);
}

static inline void mrc_count(struct mrc_dev *dev, enum mrc_counter c)
{
	mrc_count_n(dev, c, 1);
}

/** mrc_count_unsent() - count a packet that has not left this host; @err: why, < 0. Any context. */
void mrc_count_unsent(struct mrc_dev *dev, int err);

/**
 * mrc_dev_alloc() - make a device with default settings, and without anything else
 * @name: name that the ib_device will have
 * @anchor: netdev; a reference is taken
 *
 * The caller sets the functions of its works. Process context. Return: a reference or NULL.
 */
struct mrc_dev *mrc_dev_alloc(const char *name, struct net_device *anchor);
/** mrc_dev_put_anchor() - let the netdev and its namespace go; before mrc_dev_free() */
void mrc_dev_put_anchor(struct mrc_dev *dev);
/** mrc_dev_free() - undo mrc_dev_alloc(): no reference and no part of the device is left */
void mrc_dev_free(struct mrc_dev *dev);

/**
 * mrc_dev_publish() - let mrc_dev_find() and mrc_dev_next() find the device; @name: its ib_device
 * is registered under this name
 */
void mrc_dev_publish(struct mrc_dev *dev, const char *name);

/** mrc_dev_unlist() - undo mrc_dev_publish(), if that was called. Process context, sleeps. */
void mrc_dev_unlist(struct mrc_dev *dev);
void mrc_dev_get(struct mrc_dev *dev);
void mrc_dev_put(struct mrc_dev *dev);

/**
 * mrc_dev_make_flow() - fill in a flow from one GID to another, by the current settings
 *
 * @cfg_lock held, so that all settings are of one moment.
 */
void mrc_dev_make_flow(struct mrc_dev *dev, struct mrc_flow *f, const struct in6_addr *local,
		       const struct in6_addr *remote);

/** mrc_dev_find() - published device of a namespace by name; reference or NULL */
struct mrc_dev *mrc_dev_find(struct net *net, const char *name);
/**
 * mrc_dev_next() - published device of a namespace with the lowest index >= @index; reference
 * or NULL
 */
struct mrc_dev *mrc_dev_next(struct net *net, u32 index);

/** mrc_dev_has_addr() - does a device's anchor have an address? Any context; @dev is published. */
bool mrc_dev_has_addr(const struct mrc_dev *dev, const struct in6_addr *addr);

/**
 * mrc_dev_by_addr() - published device of a namespace whose anchor has an address
 *
 * Under RCU. Return: no reference, or NULL.
 */
struct mrc_dev *mrc_dev_by_addr(struct net *net, const struct in6_addr *addr);

/**
 * mrc_dev_queue_work() - queue a work that ends with mrc_dev_put(), unless it is queued already
 *
 * Any context; the caller keeps the device alive.
 */
void mrc_dev_queue_work(struct mrc_dev *dev, struct work_struct *work);

/**
 * mrc_dev_queue_later() - queue a work that keeps its device alive by itself
 * @work: the work; if it is queued already, it keeps its time
 * @delay: jiffies
 */
void mrc_dev_queue_later(struct delayed_work *work, unsigned long delay);
/** mrc_dev_hurry() - queue such a work to run now, even if it is queued for later. Any context. */
void mrc_dev_hurry(struct delayed_work *work);

/**
 * mrc_dev_settle_ports() - wait until all QPs know of changed ports, and EVs match the planes
 *
 * Process context, with neither RTNL nor @cfg_lock held.
 */
void mrc_dev_settle_ports(struct mrc_dev *dev);

/**
 * mrc_dev_port_status() - our port status for peers: a bit per port that can receive
 *
 * A port that never had a plane counts as good, because nothing is known about it. Any context.
 */
u32 mrc_dev_port_status(struct mrc_dev *dev);

/** mrc_dev_mtu() - largest path MTU of verbs whose packets all planes take. Any context. */
u32 mrc_dev_mtu(struct mrc_dev *dev);

/**
 * mrc_dev_hears() - does the device accept a packet that came in this way?
 * @dev: the device
 * @plane: the plane by which the packet came in, or NULL
 * @loopback: this host sent the packet to itself
 *
 * A packet that came in by another netdev (a management network, a tunnel) is not from the fabric.
 * Any context.
 */
static inline bool mrc_dev_hears(const struct mrc_dev *dev, const struct mrc_plane *plane,
				 bool loopback)
{
	return plane || loopback || !READ_ONCE(dev->cfg.ingress_filter);
}

/**
 * mrc_devs_count_drop() - count a dropped packet at the device that it was for
 *
 * That device is the one whose anchor has the address, or else the first of the namespace. Any
 * context; slow path.
 */
void mrc_devs_count_drop(struct net *net, const struct in6_addr *daddr,
			 enum mrc_drop why);

/**
 * mrc_devs_count_forged() - count a forged packet at the device whose address it was sent from
 *
 * If no device has the address, the first device of the namespace counts it. Any context; slow
 * path.
 */
void mrc_devs_count_forged(struct net *net, const struct in6_addr *saddr);

int mrc_dev_module_init(void);
/** mrc_dev_module_exit() - waits until the last device is freed */
void mrc_dev_module_exit(void);

#endif /* _MRC_TRANSPORT_DEVICE_H */
