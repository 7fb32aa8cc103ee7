/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A peer is what all QPs between one local GID and one remote GID with one EV profile share: the
 * flow, the paths, the state of each EV.
 */
#ifndef _MRC_TRANSPORT_PEER_H
#define _MRC_TRANSPORT_PEER_H

#include <linux/rhashtable.h>
#include <linux/seqlock.h>
#include <linux/timerqueue.h>

#include "../../core/paths/pending.h"
#include "../../core/cc/cc.h"
#include "../../core/paths/paths.h"
#include "../../core/paths/probing.h"
#include "../../core/base/turns.h"
#include "../device/device.h"
#include "../device/user.h"

/** struct mrc_peer_key - key of a peer, unique on a device */
struct mrc_peer_key {
	struct in6_addr local;
	struct in6_addr remote;
	u64 ev_profile;
};

/**
 * struct mrc_peer_evs - a version of the EVs towards a peer; replaced as a whole
 * @rcu: freed after readers
 * @gen: differs between versions of one peer's EVs, never 0
 * @via: some EVs depend on the uSID of the route to the peer
 * @drawn: the device has drawn the EV bits, in @format
 * @format: enum mrc_ev_format
 * @paths: state of the EVs, under peer->lock, except what never changes: their number, bits,
 *         indices in the profile and ports
 * @path: path of each EV, same index as in @paths
 */
struct mrc_peer_evs {
	struct rcu_head rcu;
	u32 gen;
	bool via;
	bool drawn;
	u8 format;
	struct mrc_paths paths;
	struct mrc_path path[];
};

/**
 * struct mrc_peer_due - when something is due for a peer; under prober->lock
 * @node: in @waiting of the prober
 * @at: ns, its time in @waiting; U64_MAX: not in @waiting. May be read without the lock
 * @turn: in @turns of the prober
 * @stopped: the peer goes: it is not put into @waiting or @turns any more
 */
struct mrc_peer_due {
	struct timerqueue_node node;
	u64 at;
	struct mrc_turn turn;
	bool stopped;
};

/**
 * struct mrc_peer - a remote GID in use
 * @node: in dev->peers, by the two GIDs: peers that differ only in the profile are in one list
 * @number: in dev->peer_numbers, for walks
 * @key: its key
 * @dev: device, a reference
 * @user: the first user that connected to it, a reference; NULL: it was made for answers, or for the
 *        connection manager. Set while a reference is held
 * @flow: headers, one of @flows, under RCU; replaced under dev->cfg_lock
 * @flows: the current flow, and the one before
 * @lock: protects the paths in @evs, @probing, @congestions and @qps
 * @evs: current EVs, under RCU; replaced under dev->cfg_lock
 * @gen: version of @evs, under dev->cfg_lock
 * @usid: uSID of the peer, appended to EVs that end at a switch; 0: none; written under
 *        dev->cfg_lock
 * @stale: there was no memory for the EVs that its profile, planes or route need; under
 *         dev->cfg_lock
 * @local: the remote GID is one of this host's
 * @probing: state of probing and of port status
 * @congestions: congestion contexts that NSCC controls, shared ones first; changes under @lock,
 *               readers under RCU
 * @congestions_past: counts of contexts that have ended, see enum mrc_cc_count
 * @congestions_seq: changes with @congestions_past
 * @qps: QPs that are connected to it, in no order
 * @nqps: number of @qps
 * @told: in @told of the prober; under prober->lock
 * @due: when something is due
 * @asked: limits requests to it; under the lock of dev->asks
 * @forgotten: the peer goes, no request may name it; under the lock of dev->asks
 * @ref: QPs that use it, and readers
 */
struct mrc_peer {
	struct rhlist_head node;
	u32 number;
	struct mrc_peer_key key;
	struct mrc_dev *dev;
	struct mrc_user *user;
	const struct mrc_flow __rcu *flow;
	struct mrc_flow flows[2];
	spinlock_t lock;
	struct mrc_peer_evs __rcu *evs;
	u32 gen;
	u16 usid;
	bool stale;
	bool local;
	struct mrc_probing probing;
	struct list_head congestions;
	u64 congestions_past[MRC_CC_COUNTS];
	seqcount_spinlock_t congestions_seq;
	struct list_head qps;
	unsigned int nqps;
	struct list_head told;
	struct mrc_peer_due due;
	struct mrc_pending_peer asked;
	bool forgotten;
	refcount_t ref;
	struct rcu_head rcu;
};

void mrc_peer_hold(struct mrc_peer *peer);

/**
 * mrc_peer_usid() - uSID of the route to the peer, even if the QP named its profile itself
 *
 * Without such a route the peer keeps its uSID: deleting routes takes no path from existing QPs.
 */
u16 mrc_peer_usid(const struct mrc_peer *peer);

/**
 * mrc_peer_renew_evs() - make the EVs of a peer, for the first time or anew
 * @peer: the peer
 * @gfp: GFP_KERNEL_ACCOUNT charges the program that connects; GFP_KERNEL, when a setting is
 *       changed, charges no program
 *
 * An EV that stays, with the same port and path, keeps its state.
 *
 * dev->cfg_lock held. The caller must then call mrc_prober_evs_changed(). Return: the EVs, or
 * ERR_PTR (-ENOENT: the profile is gone, -ENOMEM), and then the EVs have not changed.
 */
struct mrc_peer_evs *mrc_peer_renew_evs(struct mrc_peer *peer, gfp_t gfp);

/** mrc_peer_free_evs() - free the EVs, if any. The peer must not be reachable any more. */
void mrc_peer_free_evs(struct mrc_peer *peer);

/**
 * mrc_peer_make_flow() - fill in the unused flow by the current settings, and use it from now on
 *
 * Senders see either the old flow or the new one as a whole. dev->cfg_lock held.
 */
void mrc_peer_make_flow(struct mrc_peer *peer);

#endif /* _MRC_TRANSPORT_PEER_H */
