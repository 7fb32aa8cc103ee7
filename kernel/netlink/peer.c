// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for peers and their EVs. Dumps walk the peers by number; the numbers are
 * internal.
 */
#include "../compat/compat_netlink.h"
#include "../transport/peer/congestion.h"
#include "../transport/endpoint/peers.h"
#include "../transport/endpoint/prober.h"
#include "message.h"

static_assert((int)MRC_EV_GOOD == (int)MRC_NL_EV_STATE_GOOD);
static_assert((int)MRC_EV_ASSUMED_BAD == (int)MRC_NL_EV_STATE_ASSUMED_BAD);
static_assert((int)MRC_EV_DENIED == (int)MRC_NL_EV_STATE_DENIED);
static_assert((int)MRC_EV_SKIP == (int)MRC_NL_EV_STATE_SKIP);
static_assert((int)MRC_EV_HELD == (int)MRC_NL_EV_STATE_HELD);

static_assert((int)MRC_A_PEER_REMOTE_GID == (int)MRC_A_PEER_EV_REMOTE_GID,
	      "one policy for both dumps");

static bool mrc_nl_peer_wanted(const struct mrc_peer *peer, const struct nlattr *remote)
{
	return !remote || !memcmp(&peer->key.remote, nla_data(remote), sizeof(peer->key.remote));
}

typedef int (*mrc_nl_peer_fn)(struct sk_buff *skb, struct netlink_callback *cb,
			      struct mrc_peer *peer);

static int mrc_nl_peers_walk(struct sk_buff *skb, struct netlink_callback *cb,
			     struct mrc_dev *dev, mrc_nl_peer_fn fill)
{
	struct nlattr *remote = mrc_dump_attrs(cb)[MRC_A_PEER_REMOTE_GID];
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_peer *peer;
	int err = 0;

	while (!err && cur->next <= U32_MAX && (peer = mrc_peers_from(dev, cur->next))) {
		if (peer->number != cur->next)
			mrc_nl_lost(cb);
		cur->next = peer->number;
		if (mrc_nl_peer_wanted(peer, remote))
			err = fill(skb, cb, peer);
		if (!err) {
			cur->next++;
			cur->sub = 0;
		}
		mrc_peers_put(peer);
	}
	if (!err)
		mrc_nl_lost(cb);
	return err;
}

/* Numbers of EVs by their state, for MRC_A_PEER_EVS* and MRC_A_PORT_EVS_*. */
struct mrc_nl_ev_counts {
	u16 evs;
	u16 good;
	u16 spare;
	u16 skip;
	u16 held;
	u16 assumed_bad;
	u16 denied;
};

/* Sums over all EVs of a peer. */
struct mrc_nl_peer_sum {
	struct mrc_nl_ev_counts all;
	struct mrc_nl_ev_counts port[MRC_PORT_MAX];
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

static void mrc_nl_ev_count(struct mrc_nl_ev_counts *n, const struct mrc_ev_set *set,
			    unsigned int i)
{
	n->evs++;
	n->good += set->ev[i].state == MRC_EV_GOOD;
	n->spare += mrc_ev_is_spare(set, i);
	n->skip += set->ev[i].state == MRC_EV_SKIP;
	n->held += set->ev[i].state == MRC_EV_HELD;
	n->assumed_bad += set->ev[i].state == MRC_EV_ASSUMED_BAD;
	n->denied += set->ev[i].state == MRC_EV_DENIED;
}

static void mrc_nl_peer_add_up(struct mrc_peer *peer,
			       struct mrc_nl_peer_sum *sum)
{
	const struct mrc_peer_evs *evs;
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	spin_lock_bh(&peer->lock);
	sum->min_active = evs->paths.set.min_active;
	sum->usid = evs->via ? READ_ONCE(peer->usid) : 0;
	sum->local_ports = evs->paths.set.local_mask;
	sum->remote_ports = evs->paths.set.remote_mask;
	for (i = 0; i < evs->paths.count; i++) {
		mrc_nl_ev_count(&sum->all, &evs->paths.set, i);
		mrc_nl_ev_count(&sum->port[evs->paths.set.ev[i].port - 1], &evs->paths.set, i);
		sum->tx_packets += evs->paths.ev[i].tx_packets;
		sum->lost += evs->paths.ev[i].lost;
		sum->marked += evs->paths.ev[i].marked;
		sum->acked += evs->paths.ev[i].acked;
		sum->probed += evs->paths.ev[i].probed;
	}
	spin_unlock_bh(&peer->lock);
	rcu_read_unlock();
}

static int mrc_nl_put_port_evs(struct sk_buff *skb, u8 port, const struct mrc_nl_ev_counts *n)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PEER_PORT_EVS);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u8(skb, MRC_A_PORT_EVS_PORT, port) ||
	    nla_put_u16(skb, MRC_A_PORT_EVS_EVS, n->evs) ||
	    nla_put_u16(skb, MRC_A_PORT_EVS_GOOD, n->good) ||
	    nla_put_u16(skb, MRC_A_PORT_EVS_SPARE, n->spare) ||
	    nla_put_u16(skb, MRC_A_PORT_EVS_SKIP, n->skip) ||
	    nla_put_u16(skb, MRC_A_PORT_EVS_HELD, n->held) ||
	    nla_put_u16(skb, MRC_A_PORT_EVS_ASSUMED_BAD, n->assumed_bad) ||
	    nla_put_u16(skb, MRC_A_PORT_EVS_DENIED, n->denied))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int mrc_nl_put_ports_evs(struct sk_buff *skb, const struct mrc_nl_ev_counts *port)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < MRC_PORT_MAX && !err; i++)
		if (port[i].evs)
			err = mrc_nl_put_port_evs(skb, i + 1, &port[i]);
	return err;
}

/* History of the EVs of one port, for MRC_A_PORT_HISTORY_*. */
struct mrc_nl_port_history {
	u8 why;
	u64 changed_at;
	u64 heard_at;
	u64 tx_packets;
	u64 lost;
	u64 acked;
	u64 probed;
};

static void mrc_nl_port_history_add(struct mrc_nl_port_history *h, const struct mrc_paths *paths,
				    unsigned int i)
{
	const struct mrc_ev_entry *e = &paths->set.ev[i];
	const struct mrc_paths_ev *ev = &paths->ev[i];

	h->tx_packets += ev->tx_packets;
	h->lost += ev->lost;
	h->acked += ev->acked;
	h->probed += ev->probed;
	h->heard_at = max(h->heard_at, e->heard_at);
	if (e->state == MRC_EV_DENIED || e->changed_at <= h->changed_at)
		return;
	h->changed_at = e->changed_at;
	h->why = e->why;
}

static int mrc_nl_put_port_history(struct sk_buff *skb, u8 port,
				   const struct mrc_nl_port_history *h)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PEER_PORT_HISTORY);

	if (!nest || nla_put_u8(skb, MRC_A_PORT_HISTORY_PORT, port) ||
	    (h->changed_at &&
	     nla_put_string(skb, MRC_A_PORT_HISTORY_REASON, mrc_prober_ev_reason(h->why))) ||
	    mrc_nl_put_u64(skb, MRC_A_PORT_HISTORY_CHANGED, h->changed_at) ||
	    mrc_nl_put_u64(skb, MRC_A_PORT_HISTORY_HEARD, h->heard_at) ||
	    mrc_nl_put_u64(skb, MRC_A_PORT_HISTORY_TX_PACKETS, h->tx_packets) ||
	    mrc_nl_put_u64(skb, MRC_A_PORT_HISTORY_LOST, h->lost) ||
	    mrc_nl_put_u64(skb, MRC_A_PORT_HISTORY_ACKED, h->acked) ||
	    mrc_nl_put_u64(skb, MRC_A_PORT_HISTORY_PROBED, h->probed))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Whether a port has an EV that is good, and not only HELD in use. peer->lock held. */
static bool mrc_nl_port_is_good(const struct mrc_ev_set *set, const struct mrc_ev_plane *plane)
{
	unsigned int i;

	for (i = plane->first; i < plane->first + plane->count; i++)
		if (set->ev[i].state == MRC_EV_GOOD || set->ev[i].state == MRC_EV_SKIP)
			return true;
	return false;
}

/* Only for ports without a good EV: nobody asks about the others, and a dump has many peers. */
static int mrc_nl_put_port_histories(struct sk_buff *skb, struct mrc_peer *peer)
{
	const struct mrc_ev_plane *plane;
	const struct mrc_peer_evs *evs;
	unsigned int n, i;
	bool good;
	int err = 0;

	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	for (n = 0; n < evs->paths.set.nplanes && !err; n++) {
		struct mrc_nl_port_history h = {};

		plane = &evs->paths.set.planes[n];
		spin_lock_bh(&peer->lock);
		good = mrc_nl_port_is_good(&evs->paths.set, plane);
		for (i = plane->first; !good && i < plane->first + plane->count; i++)
			mrc_nl_port_history_add(&h, &evs->paths, i);
		spin_unlock_bh(&peer->lock);
		if (!good)
			err = mrc_nl_put_port_history(skb, evs->paths.set.ev[plane->first].port,
						      &h);
	}
	rcu_read_unlock();
	return err;
}

static int mrc_nl_put_peer_sum(struct sk_buff *skb,
			       const struct mrc_nl_peer_sum *sum)
{
	if (sum->usid && nla_put_u16(skb, MRC_A_PEER_USID, sum->usid))
		return -EMSGSIZE;
	return nla_put_u16(skb, MRC_A_PEER_EVS, sum->all.evs) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_GOOD, sum->all.good) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_SPARE, sum->all.spare) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_SKIP, sum->all.skip) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_HELD, sum->all.held) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_ASSUMED_BAD, sum->all.assumed_bad) ?:
	       nla_put_u16(skb, MRC_A_PEER_EVS_DENIED, sum->all.denied) ?:
	       nla_put_u16(skb, MRC_A_PEER_MIN_ACTIVE, sum->min_active) ?:
	       nla_put_u32(skb, MRC_A_PEER_LOCAL_PORTS, sum->local_ports) ?:
	       nla_put_u32(skb, MRC_A_PEER_REMOTE_PORTS, sum->remote_ports) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_TX_PACKETS, sum->tx_packets) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_LOST, sum->lost) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_MARKED, sum->marked) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_ACKED, sum->acked) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_PROBED, sum->probed) ?:
	       mrc_nl_put_ports_evs(skb, sum->port);
}

static int mrc_nl_put_congestion_sum(struct sk_buff *skb, const struct mrc_congestion_sum *sum)
{
	return nla_put_u32(skb, MRC_A_PEER_CONGESTION_CONTEXTS, sum->contexts) ?:
	       nla_put_u32(skb, MRC_A_PEER_CONGESTION_QPS, sum->qps) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_CONGESTION_CWND, sum->cwnd) ?:
	       nla_put_u32(skb, MRC_A_PEER_CONGESTION_CWND_LOWEST, sum->lowest_cwnd) ?:
	       nla_put_u32(skb, MRC_A_PEER_CONGESTION_CWND_HIGHEST, sum->highest_cwnd) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_CONGESTION_MAX_CWND, sum->max_cwnd) ?:
	       mrc_nl_put_u64(skb, MRC_A_PEER_CONGESTION_INFLIGHT, sum->inflight) ?:
	       nla_put_u32(skb, MRC_A_PEER_CONGESTION_BASE_RTT, sum->base_ns) ?:
	       nla_put_u32(skb, MRC_A_PEER_CONGESTION_DELAY, (u32)sum->delay_ns) ?:
	       nla_put_u32(skb, MRC_A_PEER_CONGESTION_TARGET_DELAY, (u32)sum->target_ns) ?:
	       mrc_nl_put_cc_counts(skb, MRC_A_PEER_CONGESTION_FAST, sum->count);
}

/* Puts nothing as long as NSCC has not steered a context of the peer. */
static int mrc_nl_put_peer_congestion(struct sk_buff *skb, struct mrc_peer *peer)
{
	struct mrc_congestion_sum sum;
	struct nlattr *nest;

	mrc_congestion_add_up(peer, &sum);
	if (!sum.contexts && !memchr_inv(sum.count, 0, sizeof(sum.count)))
		return 0;
	nest = nla_nest_start(skb, MRC_A_PEER_CONGESTION);
	if (!nest || mrc_nl_put_congestion_sum(skb, &sum))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int mrc_nl_peer_fill(struct sk_buff *skb, struct netlink_callback *cb,
			    struct mrc_peer *peer)
{
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	struct mrc_nl_peer_sum sum;
	void *hdr;

	cb->seq = 0;	/* a dump by number is always consistent */
	hdr = mrc_nl_start(skb, &to, MRC_CMD_PEER_GET, peer->dev);
	if (!hdr)
		return -EMSGSIZE;
	mrc_nl_peer_add_up(peer, &sum);
	if (nla_put_in6_addr(skb, MRC_A_PEER_REMOTE_GID, &peer->key.remote) ||
	    nla_put_in6_addr(skb, MRC_A_PEER_LOCAL_GID, &peer->key.local) ||
	    mrc_nl_put_u64(skb, MRC_A_PEER_EV_PROFILE, peer->key.ev_profile) ||
	    nla_put_u8(skb, MRC_A_PEER_LOOPBACK, peer->local) ||
	    mrc_nl_put_peer_sum(skb, &sum) || mrc_nl_put_peer_congestion(skb, peer) ||
	    mrc_nl_put_port_histories(skb, peer)) {
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

/* A peer with EVs on all ports does not fit into the smallest buffer that a dump gets. */
int mrc_nl_peer_get_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = MRC_NL_MSG_SIZE;
	return 0;
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

/* Reads both under one lock, because state and spare belong together. */
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

/* This part of a dump becomes inconsistent only if the peer's EVs are made anew. */
static int mrc_nl_peer_ev_fill(struct sk_buff *skb, struct netlink_callback *cb,
			       struct mrc_peer *peer)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	const struct mrc_peer_evs *evs;
	int err = 0;

	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	mrc_nl_resume(cb, evs->gen);
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
