/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Planes: the underlay ports of a device. A plane is a netdev with a port
 * number, an admin state set by the operator and an operational state that
 * follows the netdev (admin-up and carrier) through the netdev notifier.
 *
 * No function here takes RTNL, except module init and exit, and those that say so. The order of
 * locks is in Documentation/developer/architecture.md.
 */
#ifndef _MRC_NET_PLANE_H
#define _MRC_NET_PLANE_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/u64_stats_sync.h>
#include <linux/workqueue.h>

#include "../core/paths/ev_set.h"
#include "backlog.h"

struct mrc_change;
struct mrc_path_route;
struct mrc_planes;

/**
 * struct mrc_plane_stats - per-CPU counters of a plane
 * @tx_packets: MRC packets sent (not skbs)
 * @tx_bytes: their bytes from the BTH to the ICRC
 * @tx_errors: packets that the stack refused
 * @rx_packets: MRC packets received
 * @rx_bytes: their bytes from the BTH to the ICRC
 * @rx_ce: of these, CE-marked
 * @syncp: 64-bit consistency on 32-bit machines
 */
struct mrc_plane_stats {
	u64_stats_t tx_packets;
	u64_stats_t tx_bytes;
	u64_stats_t tx_errors;
	u64_stats_t rx_packets;
	u64_stats_t rx_bytes;
	u64_stats_t rx_ce;
	struct u64_stats_sync syncp;
};

/** struct mrc_plane_totals - sum of struct mrc_plane_stats over all CPUs */
struct mrc_plane_totals {
	u64 tx_packets;
	u64 tx_bytes;
	u64 tx_errors;
	u64 rx_packets;
	u64 rx_bytes;
	u64 rx_ce;
};

/**
 * struct mrc_plane - one underlay port
 * @ifindex: of the netdev, for matching received packets
 * @port: 1..MRC_PORT_MAX
 * @admin_up: the operator allows the plane to carry traffic
 * @running: the netdev is up and has carrier, and no master takes its packets
 * @gone: removed from its table, or its netdev is gone; never usable again
 * @owner: enum mrc_nl_owner, or another controller's number
 * @mbps: last known speed of the link, Mb/s; 0: the link has never reported one
 * @dev: the netdev, held until the plane is removed; read under RCU
 * @tracker: tracks the reference to @dev
 * @route: result of the last route look-up of a path, see path.c; no reference
 * @stats: counters
 * @planes: the plane's table; valid until the plane is @gone
 * @backlog: skbs that wait on this host to leave by the plane
 * @look_work: asks the link for its speed; holds a reference to the plane
 * @ref: references: the table's, one per path, and that of @look_work
 * @rcu: freed after readers
 */
struct mrc_plane {
	int ifindex;
	u8 port;
	bool admin_up;
	bool running;
	bool gone;
	u8 owner;
	u32 mbps;
	struct net_device __rcu *dev;
	netdevice_tracker tracker;
	struct mrc_path_route __rcu *route;
	struct mrc_plane_stats __percpu *stats;
	struct mrc_planes *planes;
	struct mrc_backlog backlog;
	struct work_struct look_work;
	refcount_t ref;
	struct rcu_head rcu;
};

/**
 * struct mrc_planes - the planes of one device
 * @lock: serialises changes; taken under RTNL (by the notifier) or alone; RTNL is never taken under
 *        it
 * @port: element n is port n + 1
 * @changed: called for each change of a plane, with @lock held, process context, may sleep; also
 *           when a plane appears or is about to be released (@gone set). @ports: whether packets
 *           can be sent may have changed; false: only the owner has
 * @room: a full plane has room for half of its bound again, see struct mrc_backlog; not called any
 *        more when mrc_planes_destroy() has returned
 * @list: all tables, for the notifier
 * @closed: the table was destroyed: no plane is added any more
 * @asked: for @changed: a request of the family "mrc" causes the change, and @changed runs in the
 *         context of its sender; false: a netdev causes the change
 */
struct mrc_planes {
	struct mutex lock;	/* changes */
	struct mrc_plane __rcu *port[MRC_PORT_MAX];
	void (*changed)(struct mrc_planes *planes, struct mrc_plane *plane, bool ports);
	void (*room)(struct mrc_planes *planes);
	struct list_head list;
	bool closed;
	bool asked;
};

/** mrc_plane_usable() - may packets be sent through this plane now? */
static inline bool mrc_plane_usable(const struct mrc_plane *p)
{
	return READ_ONCE(p->admin_up) && READ_ONCE(p->running) &&
	       !READ_ONCE(p->gone);
}

void mrc_planes_init(struct mrc_planes *planes,
		     void (*changed)(struct mrc_planes *, struct mrc_plane *, bool ports),
		     void (*room)(struct mrc_planes *));
void mrc_planes_destroy(struct mrc_planes *planes);

/**
 * mrc_plane_add() - attach a netdev as a plane
 * @planes: the table
 * @port: 1..MRC_PORT_MAX, or 0 for the lowest free one
 * @dev: an Ethernet or dummy netdev with MTU of at least 1280, no port of a bond or bridge
 * @change: gets the reason for a refusal
 *
 * Context: process, takes RTNL.
 * Return: the port, -EEXIST (port or netdev taken), -ENOSPC, -EINVAL, -EBUSY (it has a master),
 * -ENOMEM, -ENODEV (the table was destroyed meanwhile).
 */
int mrc_plane_add(struct mrc_planes *planes, u8 port, struct net_device *dev,
		  const struct mrc_change *change);

/**
 * mrc_plane_del() - detach the netdev of a port
 *
 * Context: process, sleeps.
 * Return: 0, -ENOENT, -ESTALE (it belongs to another owner than @change names).
 */
int mrc_plane_del(struct mrc_planes *planes, u8 port,
		  const struct mrc_change *change);

/**
 * mrc_plane_set() - set admin state and owner of a plane
 * @planes: the table
 * @port: of the plane
 * @up: the admin state; NULL: leave it
 * @change: names the owner, and gets the reason for a refusal
 *
 * Context: process, sleeps.
 * Return: 0, -ENOENT, -ESTALE (it belongs to another owner than @change names).
 */
int mrc_plane_set(struct mrc_planes *planes, u8 port, const bool *up,
		  const struct mrc_change *change);

/** mrc_plane_get() - reference to the plane of a port, or NULL. Any context. */
struct mrc_plane *mrc_plane_get(struct mrc_planes *planes, u8 port);
void mrc_plane_put(struct mrc_plane *plane);

/** mrc_plane_by_ifindex() - plane that a packet came in by, or NULL. Under RCU. */
struct mrc_plane *mrc_plane_by_ifindex(struct mrc_planes *planes, int ifindex);

/** mrc_planes_mask() - mask of the ports that are usable now; bit 0 is port 1. Any context. */
u32 mrc_planes_mask(struct mrc_planes *planes);

/**
 * mrc_planes_await() - have @room called once a full plane has room for half of its bound again
 *
 * Under RCU. Return: false: a usable plane has as much room now.
 */
bool mrc_planes_await(struct mrc_planes *planes);

/** mrc_plane_mtu() - MTU of a plane's netdev; 0: the netdev has gone. Any context. */
unsigned int mrc_plane_mtu(const struct mrc_plane *plane);

/** mrc_planes_mtu() - the smallest MTU of all planes, 0 without planes. Any context. */
unsigned int mrc_planes_mtu(struct mrc_planes *planes);

/**
 * mrc_planes_mbps() - sum of the link speeds of all planes, Mb/s
 *
 * A change of speed is seen a moment later. A link that does not know its speed counts as 10 Gb/s.
 * A table without planes counts as 10 Gb/s, too. Any context.
 */
u64 mrc_planes_mbps(struct mrc_planes *planes);

/** mrc_planes_count() - number of planes. Any context. */
unsigned int mrc_planes_count(struct mrc_planes *planes);

/**
 * mrc_plane_dropped() - has a queue of the plane's netdev dropped a packet of late? @now: ns
 *
 * Under RCU.
 */
bool mrc_plane_dropped(struct mrc_plane *plane, u64 now);

/** mrc_plane_count_tx() - count packets that were sent, or refused (@error). BH disabled. */
void mrc_plane_count_tx(struct mrc_plane *plane, unsigned int packets,
			unsigned int bytes, bool error);

/** mrc_plane_count_rx() - count received packets. The layer above calls it. BH disabled. */
void mrc_plane_count_rx(struct mrc_plane *plane, unsigned int packets,
			unsigned int bytes, bool ce);
void mrc_plane_totals(const struct mrc_plane *plane,
		      struct mrc_plane_totals *totals);

int mrc_plane_module_init(void);	/* netdev notifier */
void mrc_plane_module_exit(void);

#endif /* _MRC_NET_PLANE_H */
