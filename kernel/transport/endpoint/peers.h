/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The peers of a device: how they come, are found and go, and what is done to all of them.
 */
#ifndef _MRC_TRANSPORT_PEERS_H
#define _MRC_TRANSPORT_PEERS_H

#include "../peer/peer.h"

/**
 * mrc_peers_get() - the peer of a key, made when it does not exist
 *
 * Process context, takes dev->cfg_lock. Return: a reference or ERR_PTR (-ENOENT: no such
 * profile, -ENOMEM, -ENODEV: the device is being deleted).
 */
struct mrc_peer *mrc_peers_get(struct mrc_dev *dev,
			       const struct mrc_peer_key *key);
/**
 * mrc_peers_connect() - as mrc_peers_get(), for a QP that connects
 * @dev: the device
 * @key: the peer's
 * @mtu: path MTU of the QP, a power of two from 256 to 4096
 * @user: whose the peer is, if it has to be made
 *
 * The peer is in use, and so its EV profile stays, until mrc_peers_disconnect() or
 * mrc_qp_leave(). Process context, takes dev->cfg_lock. Return: as mrc_peers_get(), and -EDQUOT.
 */
struct mrc_peer *mrc_peers_connect(struct mrc_dev *dev, const struct mrc_peer_key *key, u32 mtu,
				   struct mrc_user *user);
/**
 * mrc_peers_room() - bytes of a packet, from BTH to ICRC, that some path to a peer has room for
 * @peer: the peer
 * @len: more than these nobody needs to know of
 *
 * Process context. Return: @len or more when a path has that room, or no one knows (no EVs, no
 * route now); else what the one with the most room has.
 */
u32 mrc_peers_room(struct mrc_peer *peer, u32 len);
/**
 * mrc_peers_reach() - does a path to a peer lead out of this host?
 * @peer: the peer
 *
 * A plane that is down counts as one that leads somewhere, and so do no EVs at all: planes come.
 * Process context. Return: 0; -ENETUNREACH (no EV has a route) or -EACCES (IPsec has them all).
 */
int mrc_peers_reach(struct mrc_peer *peer);
/** mrc_peers_disconnect() - the QP did not connect after all. Gives up its reference. */
void mrc_peers_disconnect(struct mrc_peer *peer, u32 mtu);
/** mrc_peers_use_ev_profile() - a QP in RTR or RTS has an EV profile. dev->cfg_lock held. */
bool mrc_peers_use_ev_profile(struct mrc_dev *dev, u64 id);
/** mrc_peers_put() - give up a reference. Process context: the last one stops the timer. */
void mrc_peers_put(struct mrc_peer *peer);

/**
 * mrc_peers_of() - peers of a pair of GIDs, for rhl_for_each_entry_rcu()
 *
 * They may be losing their last reference. Under RCU. Return: NULL when there is none.
 */
struct rhlist_head *mrc_peers_of(struct mrc_dev *dev,
				 const struct in6_addr *local,
				 const struct in6_addr *remote);

int mrc_peers_init(struct mrc_dev *dev);
void mrc_peers_exit(struct mrc_dev *dev);

/** mrc_peers_settings() - settings of the device have changed. dev->cfg_lock held. */
void mrc_peers_settings(struct mrc_dev *dev);
/**
 * mrc_peers_refresh() - make EVs anew where profile or planes have changed. dev->cfg_lock held.
 *
 * Peers for which there is no memory keep those that they have, and dev->renew_work tries again.
 */
void mrc_peers_refresh(struct mrc_dev *dev, u64 ev_profile, bool all);
/**
 * mrc_peers_rerouted() - a route of this prefix came, changed or went: make EVs anew that go on
 * to another uSID now. dev->cfg_lock held.
 */
void mrc_peers_rerouted(struct mrc_dev *dev, const struct in6_addr *prefix,
			u8 plen);
/** mrc_peers_renew_work() - makes EVs for which there was no memory */
void mrc_peers_renew_work(struct work_struct *work);
/** mrc_peers_deny() - an EV of a profile was denied or readmitted. dev->cfg_lock held. */
void mrc_peers_deny(struct mrc_dev *dev, u64 ev_profile, u16 index, bool deny);
/**
 * mrc_peers_ports() - planes came or went: update port masks, forget routes, tell the peers.
 * dev->cfg_lock held.
 */
void mrc_peers_ports(struct mrc_dev *dev);

/**
 * mrc_peers_from() - the peer with the lowest number >= @number
 *
 * Numbers grow in the order in which peers come, up to U32_MAX, and then begin anew. Any context.
 * Return: a reference, or NULL.
 */
struct mrc_peer *mrc_peers_from(struct mrc_dev *dev, u32 number);

/**
 * mrc_peers_next() - walk the peers of a device
 * @dev: the device
 * @peer: NULL for the first one, else what the call before returned; its reference is
 *        given up
 *
 * Peers that exist all the time are seen once each; with dev->cfg_lock held no new ones
 * come. Who stops early puts the last one itself. Process context.
 * Return: a reference, or NULL after the last one.
 */
struct mrc_peer *mrc_peers_next(struct mrc_dev *dev, struct mrc_peer *peer);

#endif /* _MRC_TRANSPORT_PEERS_H */
