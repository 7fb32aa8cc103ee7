/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The peers of a device: creation, look-up, release, and changes that concern all of them.
 */
#ifndef _MRC_TRANSPORT_PEERS_H
#define _MRC_TRANSPORT_PEERS_H

#include "../peer/peer.h"

/**
 * mrc_peers_get() - get the peer of a key; it is made if it does not exist
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
 * @user: user that the peer counts for, if it has to be made
 *
 * The peer counts as in use until mrc_peers_disconnect() or mrc_qp_leave(), and its EV profile
 * cannot be deleted. Process context, takes dev->cfg_lock. Return: as mrc_peers_get(), and -EDQUOT.
 */
struct mrc_peer *mrc_peers_connect(struct mrc_dev *dev, const struct mrc_peer_key *key, u32 mtu,
				   struct mrc_user *user);
/**
 * mrc_peers_room() - length of the largest packet that any path to a peer has room for, by its MTU
 * @peer: the peer
 * @len: the search ends at a path with this room
 *
 * Process context. Return: bytes from BTH to ICRC; @len or more, too, if nothing is known (no EVs,
 * no route now).
 */
u32 mrc_peers_room(struct mrc_peer *peer, u32 len);
/**
 * mrc_peers_reach() - does a path to a peer lead out of this host?
 * @peer: the peer
 *
 * Yes, too, if a plane is down or the peer has no EVs: planes may come later. Process context.
 * Return: 0; -ENETUNREACH: no EV has a route; -EACCES: IPsec policies cover all of them.
 */
int mrc_peers_reach(struct mrc_peer *peer);
/** mrc_peers_disconnect() - undo mrc_peers_connect(), as the QP did not connect */
void mrc_peers_disconnect(struct mrc_peer *peer, u32 mtu);
/** mrc_peers_use_ev_profile() - has a QP in RTR or RTS an EV profile? dev->cfg_lock held. */
bool mrc_peers_use_ev_profile(struct mrc_dev *dev, u64 id);
/** mrc_peers_put() - drop a reference. Process context, because the last one ends probing. */
void mrc_peers_put(struct mrc_peer *peer);

/**
 * mrc_peers_of() - list of the peers of a pair of GIDs, for rhl_for_each_entry_rcu()
 *
 * A peer in it may have lost its last reference. Under RCU. Return: NULL when there is none.
 */
struct rhlist_head *mrc_peers_of(struct mrc_dev *dev,
				 const struct in6_addr *local,
				 const struct in6_addr *remote);

/**
 * mrc_peers_met() - a peer in a list that has had a QP, or NULL
 *
 * A peer that has never had one was made to answer a stranger, and its host is still a stranger.
 * Under RCU.
 */
struct mrc_peer *mrc_peers_met(struct rhlist_head *list);

int mrc_peers_init(struct mrc_dev *dev);
void mrc_peers_exit(struct mrc_dev *dev);

/** mrc_peers_settings() - apply changed settings of the device. dev->cfg_lock held. */
void mrc_peers_settings(struct mrc_dev *dev);
/**
 * mrc_peers_refresh() - make EVs anew, of peers with this profile or of all. dev->cfg_lock held.
 *
 * Without memory for its new EVs, a peer keeps the old ones, and dev->renew_work tries again.
 */
void mrc_peers_refresh(struct mrc_dev *dev, u64 ev_profile, bool all);
/**
 * mrc_peers_rerouted() - a route of this prefix came, changed or went: make EVs anew if they end at
 * another uSID now. dev->cfg_lock held.
 */
void mrc_peers_rerouted(struct mrc_dev *dev, const struct in6_addr *prefix,
			u8 plen);
/** mrc_peers_renew_work() - makes EVs for which there was no memory */
void mrc_peers_renew_work(struct work_struct *work);
/** mrc_peers_deny() - deny or readmit an EV of a profile at its peers. dev->cfg_lock held. */
void mrc_peers_deny(struct mrc_dev *dev, u64 ev_profile, u16 index, bool deny);
/**
 * mrc_peers_ports() - planes came or went: update port masks, forget routes, tell the peers.
 * dev->cfg_lock held.
 */
void mrc_peers_ports(struct mrc_dev *dev);

/**
 * mrc_peers_from() - get the peer with the lowest number >= @number
 *
 * Each new peer has a larger number, up to U32_MAX; then numbers begin anew. Any context.
 * Return: a reference, or NULL.
 */
struct mrc_peer *mrc_peers_from(struct mrc_dev *dev, u32 number);

/**
 * mrc_peers_next() - walk the peers of a device
 * @dev: the device
 * @peer: NULL for the first peer, else the result of the call before, whose reference is dropped
 *
 * The walk sees each peer once that exists from beginning to end; while dev->cfg_lock is held, no
 * new ones come. A caller that stops early drops the last reference itself. Process context.
 * Return: a reference, or NULL after the last one.
 */
struct mrc_peer *mrc_peers_next(struct mrc_dev *dev, struct mrc_peer *peer);

#endif /* _MRC_TRANSPORT_PEERS_H */
