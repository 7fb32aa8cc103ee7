// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink: peers and their EVs. Peers have no number, so dumps go by key: the
 * list is walked for the few lowest keys beyond the cursor, again and again.
 */
#include "../compat/compat_netlink.h"
#include "../transport/peers.h"
#include "message.h"

/* Peers taken out of the list in one walk. */
#define MRC_NL_PEER_BATCH	64u

static_assert((int)MRC_EV_GOOD == (int)MRC_NL_EV_STATE_GOOD);
static_assert((int)MRC_EV_ASSUMED_BAD == (int)MRC_NL_EV_STATE_ASSUMED_BAD);
static_assert((int)MRC_EV_DENIED == (int)MRC_NL_EV_STATE_DENIED);
static_assert((int)MRC_EV_SKIP == (int)MRC_NL_EV_STATE_SKIP);
static_assert((int)MRC_EV_HELD == (int)MRC_NL_EV_STATE_HELD);

static_assert((int)MRC_A_PEER_REMOTE_GID == (int)MRC_A_PEER_EV_REMOTE_GID,
	      "one policy for both dumps");

/**
 * struct mrc_nl_peers - the lowest keys beyond a cursor
 * @count: elements
 * @peer: references, in the order of mrc_nl_peer_cmp()
 */
struct mrc_nl_peers {
	unsigned int count;
	struct mrc_peer *peer[MRC_NL_PEER_BATCH];
};

static int mrc_nl_peer_cmp(const struct mrc_peer_key *a,
			   const struct mrc_peer_key *b)
{
	int diff = memcmp(&a->remote, &b->remote, sizeof(a->remote)) ?:
		   memcmp(&a->local, &b->local, sizeof(a->local));

	if (diff || a->ev_profile == b->ev_profile)
		return diff;
	return a->ev_profile < b->ev_profile ? -1 : 1;
}

static bool mrc_nl_peer_wanted(const struct mrc_peer *peer,
			       const struct mrc_peer_key *from,
			       const struct nlattr *remote)
{
	if (remote && memcmp(&peer->key.remote, nla_data(remote),
			     sizeof(peer->key.remote)))
		return false;
	return mrc_nl_peer_cmp(&peer->key, from) >= 0;
}

/* Takes over the reference to @peer. */
static void mrc_nl_peers_insert(struct mrc_nl_peers *batch,
				struct mrc_peer *peer)
{
	unsigned int at = batch->count;

	if (at == MRC_NL_PEER_BATCH) {
		if (mrc_nl_peer_cmp(&batch->peer[--at]->key, &peer->key) <= 0) {
			mrc_peers_put(peer);
			return;
		}
		mrc_peers_put(batch->peer[at]);
	} else {
		batch->count++;
	}
	for (; at && mrc_nl_peer_cmp(&batch->peer[at - 1]->key, &peer->key) > 0;
	     at--)
		batch->peer[at] = batch->peer[at - 1];
	batch->peer[at] = peer;
}

static void mrc_nl_peers_collect(struct mrc_nl_peers *batch,
				 struct mrc_dev *dev,
				 const struct mrc_peer_key *from,
				 const struct nlattr *remote)
{
	struct mrc_peer *peer = NULL;

	batch->count = 0;
	while ((peer = mrc_peers_next(dev, peer))) {
		if (!mrc_nl_peer_wanted(peer, from, remote))
			continue;
		mrc_peer_hold(peer);
		mrc_nl_peers_insert(batch, peer);
	}
}

/* The cursor moves behind @key. */
static void mrc_nl_peer_after(struct mrc_nl_cursor *cur,
			      const struct mrc_peer_key *key)
{
	unsigned int i;

	cur->peer = *key;
	cur->sub = 0;
	if (++cur->peer.ev_profile)
		return;
	for (i = sizeof(key->local); i-- && !++cur->peer.local.s6_addr[i];)
		;
}

typedef int (*mrc_nl_peer_fn)(struct sk_buff *skb, struct netlink_callback *cb,
			      struct mrc_peer *peer);

/* Runs @fill for one batch; 0 with an empty batch when no peer is left. */
static int mrc_nl_peers_batch(struct sk_buff *skb, struct netlink_callback *cb,
			      struct mrc_dev *dev, mrc_nl_peer_fn fill,
			      struct mrc_nl_peers *batch)
{
	struct nlattr *remote = mrc_dump_attrs(cb)[MRC_A_PEER_REMOTE_GID];
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	unsigned int i;
	int err = 0;

	mrc_nl_peers_collect(batch, dev, &cur->peer, remote);
	for (i = 0; i < batch->count; i++) {
		if (!err && mrc_nl_peer_cmp(&batch->peer[i]->key, &cur->peer)) {
			cur->peer = batch->peer[i]->key;
			cb->prev_seq = cur->sub ? U32_MAX : 0;
			cur->sub = 0;
		}
		if (!err)
			err = fill(skb, cb, batch->peer[i]);
		if (!err)
			mrc_nl_peer_after(cur, &batch->peer[i]->key);
		mrc_peers_put(batch->peer[i]);
	}
	return err;
}

static int mrc_nl_peers_walk(struct sk_buff *skb, struct netlink_callback *cb,
			     struct mrc_dev *dev, mrc_nl_peer_fn fill)
{
	struct mrc_nl_peers *batch = kmalloc(sizeof(*batch), GFP_KERNEL);
	int err;

	if (!batch)
		return -ENOMEM;
	do {
		err = mrc_nl_peers_batch(skb, cb, dev, fill, batch);
	} while (!err && batch->count == MRC_NL_PEER_BATCH);
	kfree(batch);
	return err;
}

/* What the EVs of a peer add up to. */
struct mrc_nl_peer_sum {
	u16 evs;
	u16 good;
	u16 spare;
	u16 skip;
	u16 held;
	u16 assumed_bad;
	u16 denied;
	u16 min_active;
	u16 usid;
	u32 local_ports;
	u32 remote_ports;
	u64 tx_packets;
	u64 lost;
	u64 marked;
	u64 acked;
	u64 probed;
};

static void mrc_nl_peer_add_up(struct mrc_peer *peer,
			       struct mrc_nl_peer_sum *sum)
{
	const struct mrc_peer_evs *evs;
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	spin_lock_bh(&peer->lock);
	sum->evs = evs->paths.count;
	sum->min_active = evs->paths.set.min_active;
	sum->usid = evs->via ? READ_ONCE(peer->usid) : 0;
	sum->local_ports = evs->paths.set.local_mask;
	sum->remote_ports = evs->paths.set.remote_mask;
	for (i = 0; i < evs->paths.count; i++) {
		sum->good += evs->paths.set.ev[i].state == MRC_EV_GOOD;
		sum->spare += mrc_ev_is_spare(&evs->paths.set, i);
		sum->skip += evs->paths.set.ev[i].state == MRC_EV_SKIP;
		sum->held += evs->paths.set.ev[i].state == MRC_EV_HELD;
		sum->assumed_bad += evs->paths.set.ev[i].state == MRC_EV_ASSUMED_BAD;
		sum->denied += evs->paths.set.ev[i].state == MRC_EV_DENIED;
		sum->tx_packets += evs->paths.ev[i].tx_packets;
		sum->lost += evs->paths.ev[i].lost;
		sum->marked += evs->paths.ev[i].marked;
		sum->acked += evs->paths.ev[i].acked;
		sum->probed += evs->paths.ev[i].probed;
	}
	spin_unlock_bh(&peer->lock);
	rcu_read_unlock();
}

static int mrc_nl_put_peer_sum(struct sk_buff *skb,
			       const struct mrc_nl_peer_sum *sum)
{
	if (sum->usid && nla_put_u16(skb, MRC_A_PEER_USID, sum->usid))
		return -EMSGSIZE;
	return nla_put_u16(skb, MRC_A_PEER_EVS, sum->evs) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_GOOD, sum->good) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_SPARE, sum->spare) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_SKIP, sum->skip) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_HELD, sum->held) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_ASSUMED_BAD,
			   sum->assumed_bad) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_DENIED, sum->denied) ?:
	       nla_put_u16(skb, MRC_A_PEER_MIN_ACTIVE, sum->min_active) ?:
	       nla_put_u32(skb, MRC_A_PEER_LOCAL_PORTS, sum->local_ports) ?:
	       nla_put_u32(skb, MRC_A_PEER_REMOTE_PORTS, sum->remote_ports) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_TX_PACKETS, sum->tx_packets) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_LOST, sum->lost) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_MARKED, sum->marked) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_ACKED, sum->acked) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_PROBED, sum->probed);
}

static int mrc_nl_peer_fill(struct sk_buff *skb, struct netlink_callback *cb,
			    struct mrc_peer *peer)
{
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	struct mrc_nl_peer_sum sum;
	void *hdr;

	cb->seq = 0;	/* going by key, a dump is always consistent */
	hdr = mrc_nl_start(skb, &to, MRC_CMD_PEER_GET, peer->dev);
	if (!hdr)
		return -EMSGSIZE;
	mrc_nl_peer_add_up(peer, &sum);
	if (nla_put_in6_addr(skb, MRC_A_PEER_REMOTE_GID, &peer->key.remote) ||
	    nla_put_in6_addr(skb, MRC_A_PEER_LOCAL_GID, &peer->key.local) ||
	    mrc_nl_put_u64(skb, MRC_A_PEER_EV_PROFILE, peer->key.ev_profile) ||
	    nla_put_u8(skb, MRC_A_PEER_LOOPBACK, peer->local) ||
	    mrc_nl_put_peer_sum(skb, &sum)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int mrc_nl_peers_fill(struct sk_buff *skb, struct netlink_callback *cb,
			     struct mrc_dev *dev)
{
	return mrc_nl_peers_walk(skb, cb, dev, mrc_nl_peer_fill);
}

int mrc_nl_peer_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_peers_fill);
}

int mrc_nl_put_peer_ev_history(struct sk_buff *skb,
			       const struct mrc_peer_evs *evs, unsigned int i)
{
	const struct mrc_paths_ev *ev = &evs->paths.ev[i];

	return mrc_nl_put_u64(skb, MRC_A_PEER_EV_ACKED, READ_ONCE(ev->acked)) ?:
	       nla_put_u32(skb, MRC_A_PEER_EV_PROBED, READ_ONCE(ev->probed)) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_EV_CHANGED,
			      READ_ONCE(evs->paths.set.ev[i].changed_at));
}

/* The two belong together. */
static int mrc_nl_put_peer_ev_state(struct sk_buff *skb, struct mrc_peer *peer,
				    const struct mrc_peer_evs *evs,
				    unsigned int i)
{
	bool spare;
	u8 state;

	spin_lock_bh(&peer->lock);
	state = evs->paths.set.ev[i].state;
	spare = mrc_ev_is_spare(&evs->paths.set, i);
	spin_unlock_bh(&peer->lock);
	return nla_put_u8(skb, MRC_A_PEER_EV_STATE, state) ?:
	       nla_put_u8(skb, MRC_A_PEER_EV_SPARE, spare);
}

static int mrc_nl_put_peer_ev(struct sk_buff *skb, const struct mrc_nl_to *to,
			      struct mrc_peer *peer,
			      const struct mrc_peer_evs *evs, unsigned int i)
{
	const struct mrc_paths_ev *ev = &evs->paths.ev[i];

	return nla_put_u16(skb, MRC_A_PEER_EV_INDEX, ev->index) ?:
	       nla_put_u8(skb, MRC_A_PEER_EV_PORT, evs->paths.set.ev[i].port) ?:
	       mrc_nl_put_peer_ev_state(skb, peer, evs, i) ?:
	       (to->admin ?
		nla_put_u32(skb, MRC_A_PEER_EV_VALUE, ev->bits) : 0) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_EV_TX_PACKETS,
			      READ_ONCE(ev->tx_packets)) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_EV_LOST, READ_ONCE(ev->lost)) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_EV_MARKED,
			      READ_ONCE(ev->marked)) ?:
	       mrc_nl_put_peer_ev_history(skb, evs, i);
}

static int mrc_nl_peer_ev_msg(struct sk_buff *skb, const struct mrc_nl_to *to,
			      struct mrc_peer *peer,
			      const struct mrc_peer_evs *evs, unsigned int i)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_PEER_EV_GET, peer->dev);

	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_in6_addr(skb, MRC_A_PEER_EV_REMOTE_GID,
			     &peer->key.remote) ||
	    nla_put_in6_addr(skb, MRC_A_PEER_EV_LOCAL_GID, &peer->key.local) ||
	    mrc_nl_put_u64(skb, MRC_A_PEER_EV_EV_PROFILE,
			   peer->key.ev_profile) ||
	    mrc_nl_put_peer_ev(skb, to, peer, evs, i)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* Only a new version of the peer's EVs makes this part of a dump inconsistent. */
static int mrc_nl_peer_ev_fill(struct sk_buff *skb, struct netlink_callback *cb,
			       struct mrc_peer *peer)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	const struct mrc_peer_evs *evs;
	int err = 0;

	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	cb->seq = evs->gen;
	for (; cur->sub < evs->paths.count; cur->sub++) {
		err = mrc_nl_peer_ev_msg(skb, &to, peer, evs, cur->sub);
		if (err)
			break;
	}
	rcu_read_unlock();
	if (!err)
		cb->prev_seq = 0;
	return err;
}

static int mrc_nl_peer_evs_fill(struct sk_buff *skb,
				struct netlink_callback *cb,
				struct mrc_dev *dev)
{
	return mrc_nl_peers_walk(skb, cb, dev, mrc_nl_peer_ev_fill);
}

int mrc_nl_peer_ev_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_peer_evs_fill);
}
