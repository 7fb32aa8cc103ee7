/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Peers: what all QPs between one local GID and one remote GID with one EV
 * profile share - the flow, the paths, the state of each EV.
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
 * @drawn: their bits are the device's, and of @format
 * @format: enum mrc_ev_format
 * @paths: what is known of them, under peer->lock but for what never changes: how many there are,
 *         their bits, indices in the profile and ports
 * @path: where each EV goes, same index as in @paths
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
 * @at: ns, that it stands there for; U64_MAX: it does not. May be read without the lock
 * @turn: in @turns of the prober
 * @stopped: the peer goes: it waits for nothing any more
 */
struct mrc_peer_due {
	struct timerqueue_node node;
	u64 at;
	struct mrc_turn turn;
	bool stopped;
};

/**
 * struct mrc_peer - a remote GID in use
 * @node: in dev->peers, by the two GIDs: peers that differ in the profile stand together
 * @number: in dev->peer_numbers, for walks
 * @key: who
 * @dev: device, a reference
 * @user: whose QP it was made for, a reference; NULL: made for answers. Set before anybody else
 *        can give up the last reference
 * @flow: headers, one of @flows, under RCU; replaced under dev->cfg_lock
 * @lock: guards the paths in @evs, @probing, @congestions and @qps
 * @evs: current EVs, under RCU; replaced under dev->cfg_lock
 * @gen: of @evs, under dev->cfg_lock
 * @usid: that EVs which end at a switch go on to, 0: none; written under dev->cfg_lock
 * @stale: there was no memory for EVs that its profile, planes or route want; under dev->cfg_lock
 * @local: the remote GID is one of this host's
 * @probing: what is done to know the paths
 * @congestions: congestion contexts that NSCC steers, those that QPs share first; changes under
 *               @lock, readers under RCU
 * @congestions_past: what those counted that have ended, see enum mrc_cc_count
 * @congestions_seq: changes with @congestions_past
 * @qps: QPs that are connected to it, in no order
 * @nqps: how many
 * @told: in @told of the prober; under prober->lock
 * @due: when
 * @asked: what limits requests to it; under the lock of dev->asks
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
 * mrc_peer_usid() - as the route to the peer says, whoever named the profile
 *
 * Without one all stays: to delete routes takes no path from QPs that there are.
 */
u16 mrc_peer_usid(const struct mrc_peer *peer);

/**
 * mrc_peer_renew_evs() - makes the EVs of a peer (anew)
 * @peer: the peer
 * @gfp: the program whose connection made the peer is charged, who configures is not
 *
 * What was known of EVs that stay, of the same port and path, is kept.
 *
 * dev->cfg_lock held. The prober is still to be told: mrc_prober_evs_changed(). Return: the EVs, or
 * ERR_PTR (-ENOENT: the profile is gone, -ENOMEM), and then they are as they were.
 */
struct mrc_peer_evs *mrc_peer_renew_evs(struct mrc_peer *peer, gfp_t gfp);

/** mrc_peer_free_evs() - if there are any. Nobody else knows the peer any more. */
void mrc_peer_free_evs(struct mrc_peer *peer);

/**
 * mrc_peer_make_flow() - writes the flow that nobody uses, as the settings are
 *
 * Senders see the old one or the new one as a whole. dev->cfg_lock held.
 */
void mrc_peer_make_flow(struct mrc_peer *peer);

#endif /* _MRC_TRANSPORT_PEER_H */
