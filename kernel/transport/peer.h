/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Peers: what all QPs between one local GID and one remote GID with one EV
 * profile share - the flow, the paths, the state of each EV.
 */
#ifndef _MRC_TRANSPORT_PEER_H
#define _MRC_TRANSPORT_PEER_H

#include <linux/rhashtable.h>

#include "../core/paths.h"
#include "../core/probing.h"
#include "device.h"
#include "prober.h"

/** struct mrc_peer_key - what tells peers of a device apart */
struct mrc_peer_key {
	struct in6_addr local;
	struct in6_addr remote;
	u64 ev_profile;
};


/**
 * struct mrc_peer_evs - a version of the EVs towards a peer; replaced as a whole
 * @rcu: freed after readers
 * @gen: differs between versions of one peer's EVs, never 0
 * @via: some depend on the uSID of the route to the peer
 * @paths: what is known of them, under peer->lock but for what never changes: how many there are,
 *         their bits, indices in the profile and ports
 * @path: where each EV goes, same index as in @paths
 */
struct mrc_peer_evs {
	struct rcu_head rcu;
	u32 gen;
	bool via;
	struct mrc_paths paths;
	struct mrc_path path[];
};

/**
 * struct mrc_peer - a remote GID in use
 * @node: in dev->peers, by the two GIDs: peers that differ in the profile stand together
 * @list: in dev->peer_list, for walks
 * @key: who
 * @dev: device, a reference
 * @flow: headers, one of @flows, under RCU; replaced under dev->cfg_lock
 * @lock: guards the paths in @evs, and @probing
 * @evs: current EVs, under RCU; replaced under dev->cfg_lock
 * @gen: of @evs, under dev->cfg_lock
 * @usid: that EVs which end at a switch go on to, 0: none; written under dev->cfg_lock
 * @local: the remote GID is one of this host's
 * @probing: what is done to know the paths
 * @prober: when
 * @forgotten: the peer goes, no request may name it; under endpoint.lock
 * @ref: QPs that use it, and readers
 */
struct mrc_peer {
	struct rhlist_head node;
	struct list_head list;
	struct mrc_peer_key key;
	struct mrc_dev *dev;
	const struct mrc_flow __rcu *flow;
	struct mrc_flow flows[2];
	spinlock_t lock;
	struct mrc_peer_evs __rcu *evs;
	u32 gen;
	u16 usid;
	bool local;
	struct mrc_probing probing;
	struct mrc_prober_peer prober;
	bool forgotten;
	refcount_t ref;
	struct rcu_head rcu;
};

/**
 * mrc_peer_get() - the peer of a key, made when it does not exist
 *
 * Process context, takes dev->cfg_lock. Return: a reference or ERR_PTR (-ENOENT: no such
 * profile, -ENOMEM, -ENODEV: the device is being deleted).
 */
struct mrc_peer *mrc_peer_get(struct mrc_dev *dev,
			      const struct mrc_peer_key *key);
void mrc_peer_hold(struct mrc_peer *peer);
/** mrc_peer_put() - give up a reference. Process context: the last one stops the timer. */
void mrc_peer_put(struct mrc_peer *peer);

/**
 * mrc_peers_of() - peers of a pair of GIDs, for rhl_for_each_entry_rcu()
 *
 * They may be losing their last reference. Under RCU. Return: NULL when there is none.
 */
struct rhlist_head *mrc_peers_of(struct mrc_dev *dev,
				 const struct in6_addr *local,
				 const struct in6_addr *remote);

/**
 * mrc_peer_evs_changed() - EVs may have another state now: probe them, tell those who watch
 *
 * To be called once after what may have changed states. peer->lock held.
 */
void mrc_peer_evs_changed(struct mrc_peer *peer, struct mrc_peer_evs *evs);

int mrc_peers_init(struct mrc_dev *dev);
void mrc_peers_exit(struct mrc_dev *dev);

/** mrc_peers_settings() - settings of the device have changed. dev->cfg_lock held. */
void mrc_peers_settings(struct mrc_dev *dev);
/**
 * mrc_peers_refresh() - make EVs anew where profile or planes have changed. dev->cfg_lock held.
 */
void mrc_peers_refresh(struct mrc_dev *dev, u64 ev_profile, bool all);
/**
 * mrc_peers_rerouted() - a route of this prefix came, changed or went: make EVs anew that go on
 * to another uSID now. dev->cfg_lock held.
 */
void mrc_peers_rerouted(struct mrc_dev *dev, const struct in6_addr *prefix,
			u8 plen);
/** mrc_peers_deny() - an EV of a profile was denied or readmitted. dev->cfg_lock held. */
void mrc_peers_deny(struct mrc_dev *dev, u64 ev_profile, u16 index, bool deny);
/**
 * mrc_peers_ports() - planes came or went: update port masks, forget routes, tell the peers.
 * dev->cfg_lock held.
 */
void mrc_peers_ports(struct mrc_dev *dev);

/**
 * mrc_peer_next() - walk the peers of a device
 * @dev: the device
 * @peer: NULL for the first one, else what the call before returned; its reference is
 *        given up
 *
 * Peers that exist all the time are seen once each; with dev->cfg_lock held no new ones
 * come. Who stops early puts the last one itself. Process context.
 * Return: a reference, or NULL after the last one.
 */
struct mrc_peer *mrc_peer_next(struct mrc_dev *dev, struct mrc_peer *peer);

#endif /* _MRC_TRANSPORT_PEER_H */
