// SPDX-License-Identifier: GPL-2.0-only
/*
 * Our requests to endpoints: sending them, and finding their outcome.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "../../compat/compat_timer.h"
#include "ask.h"
#include "../device/device.h"
#include "packet.h"
#include "../peer/peer.h"

static void mrc_ask_arm(struct mrc_ask_table *table)
{
	hrtimer_start(&table->timer, ns_to_ktime(mrc_pending_timer_at(&table->pending)),
		      HRTIMER_MODE_ABS_SOFT);
}

unsigned int mrc_ask_room(struct mrc_dev *dev, u64 now)
{
	struct mrc_ask_table *table = dev->asks;
	unsigned int room;

	spin_lock(&table->lock);
	room = mrc_pending_room(&table->pending, now);
	spin_unlock(&table->lock);
	return room;
}

bool mrc_ask_may(struct mrc_peer *peer)
{
	struct mrc_ask_table *table = peer->dev->asks;
	bool may;

	spin_lock(&table->lock);
	may = mrc_pending_peer_may(&peer->asked);
	spin_unlock(&table->lock);
	return may;
}

static void mrc_ask_release(struct mrc_ask_table *table, u16 slot)
{
	table->ask[slot].remote = NULL;
	mrc_pending_end(&table->pending, slot);
}

/* ---- sending -------------------------------------------------------------- */

/*
 * Half of the id of a request. If an answer comes so late that its slot has another request by
 * then, this half and the time stamp in the answer still identify it. The half is a keyed hash, so
 * it reveals nothing about requests to other hosts, or at other times with the same stamp.
 */
static u32 mrc_ask_mark(const struct mrc_ask_table *table, const struct in6_addr *remote,
			u64 sent_at)
{
	const struct {
		struct in6_addr remote;
		u64 unit;
	} of = { *remote, sent_at >> MRC_PORTS_STAMP_SHIFT };

	return hsiphash(&of, sizeof(of), &table->mark_key);
}

/*
 * A raw probe has no mark, because its stamp is not a time. The limits per peer do not hold for
 * requests that a probe job waits for.
 */
static u16 mrc_ask_add(struct mrc_ask_table *table, const struct mrc_ask *p,
		       enum mrc_pending_kind kind)
{
	struct mrc_pending_peer *peer = p->peer && !p->request.batch ? &p->peer->asked : NULL;
	u32 random = p->peer ? mrc_ask_mark(table, p->remote, p->sent_at) : get_random_u32();

	return mrc_pending_add(&table->pending, peer, kind, p->wait, random, p->sent_at);
}

/* Registers a request, which is sent next. Return: 0 and its @id, or -EBUSY, -ESHUTDOWN. */
static int mrc_ask_enter(struct mrc_ask_table *table, const struct mrc_ask *p,
			 enum mrc_pending_kind kind, u16 *id)
{
	u16 slot = MRC_PENDING_NONE;
	int err = -EBUSY;

	spin_lock(&table->lock);
	if (p->peer && p->peer->forgotten)
		err = -ESHUTDOWN;
	else
		slot = mrc_ask_add(table, p, kind);
	if (slot != MRC_PENDING_NONE) {
		err = 0;
		*id = table->pending.slot[slot].id;
		table->ask[slot] = *p;
		if (mrc_pending_timer_at(&table->pending) == p->sent_at + p->wait)
			mrc_ask_arm(table);
	}
	spin_unlock(&table->lock);
	return err;
}

/* Return: false: the request has been answered or given up already. */
static bool mrc_ask_cancel(struct mrc_ask_table *table, u16 id)
{
	u16 slot;

	spin_lock(&table->lock);
	slot = mrc_pending_find(&table->pending, id);
	if (slot != MRC_PENDING_NONE)
		mrc_ask_release(table, slot);
	spin_unlock(&table->lock);
	return slot != MRC_PENDING_NONE;
}

static u64 mrc_ask_wait(const struct mrc_peer_evs *evs, const struct mrc_ask_request *request)
{
	return request->batch ? mrc_timing_software.ask : mrc_paths_ask_wait(&evs->paths);
}

static enum mrc_pending_kind mrc_ask_kind(const struct mrc_ask_request *request)
{
	if (request->op == MRC_EP_PORT_STATUS)
		return MRC_PENDING_STATUS;
	return request->reverse ? MRC_PENDING_REVERSE : MRC_PENDING_PROBE;
}

static struct mrc_hdr mrc_ask_hdr(const struct mrc_ask *p, u16 id)
{
	return (struct mrc_hdr) {
		.bth.opcode = MRC_OP_EP_REQ,
		.bth.pkey = MRC_PKEY_DEFAULT,
		.bth.qpn = MRC_QPN_ENDPOINT,
		.bth.psn = id,
		.ep.op = p->request.op,
		.ep.port_mask = p->request.port_mask,
		.ep.tx_timestamp = p->stamp,
		.ep.tsr = true,
	};
}

int mrc_ask_send(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		 const struct mrc_ask_request *request)
{
	u64 now = ktime_get_ns();
	const struct mrc_ask p = {
		.peer = peer,
		.local = &peer->key.local,
		.remote = &peer->key.remote,
		.request = *request,
		.sent_at = now,
		.wait = mrc_ask_wait(evs, request),
		.stamp = mrc_port_stamp(now),
		.evs_gen = evs->gen,
		.ev = ev,
	};
	struct mrc_hdr hdr;
	u16 id;
	int err;

	err = mrc_ask_enter(peer->dev->asks, &p, mrc_ask_kind(request), &id);
	if (err)
		return err;
	hdr = mrc_ask_hdr(&p, id);
	err = mrc_ep_xmit(peer, evs, ev, &hdr, request->room);
	if (!err)
		mrc_count(peer->dev, MRC_CNT_EP_REQ_TX);
	else if (mrc_ask_cancel(peer->dev->asks, id))
		return err;
	return 0;
}

/*
 * The stamp of a raw request. A request may wait for seconds, and a stranger could try all ids in
 * that time. So the stamp of a probe is random: a forger has to guess it, too. The stamp of a port
 * status is a time, because the peer uses it. A forged answer to it takes a guess of 16 bits, and
 * claims no more than that the peer has heard the status.
 */
static u16 mrc_ask_raw_stamp(const struct mrc_ask_request *request, u64 now)
{
	return request->op == MRC_EP_EV_PROBE ? get_random_u32() : mrc_port_stamp(now);
}

int mrc_ask_send_raw(struct mrc_dev *dev, const struct mrc_ep_way *way, u64 wait,
		     const struct mrc_ask_request *request)
{
	u64 now = ktime_get_ns();
	const struct mrc_ask p = {
		.local = &way->flow.saddr,
		.remote = &way->flow.daddr,
		.request = *request,
		.sent_at = now,
		.wait = wait,
		.stamp = mrc_ask_raw_stamp(request, now),
	};
	struct mrc_hdr hdr;
	u16 id;
	int err;

	err = mrc_ask_enter(dev->asks, &p, MRC_PENDING_RAW, &id);
	if (err)
		return err;
	hdr = mrc_ask_hdr(&p, id);
	err = mrc_ep_xmit_by(dev, way, &hdr);
	if (!err)
		mrc_count(dev, MRC_CNT_EP_REQ_TX);
	else if (mrc_ask_cancel(dev->asks, id))
		return err;
	return 0;
}

/* ---- no answer ------------------------------------------------------------ */

static void mrc_ask_batch_less(struct mrc_ask_batch *batch)
{
	WRITE_ONCE(batch->left, batch->left - 1);
	if (!batch->left)
		batch->done(batch);
}

/* The result is filled in under the lock. So after mrc_ask_detach() none is filled in any more. */
static void mrc_ask_batch_end(struct mrc_ask *p, u64 rtt, u8 rx_port)
{
	struct mrc_ask_batch *batch = p->request.batch;
	struct mrc_ask_result *res;

	if (!batch)
		return;
	res = &batch->result[p->request.index];
	res->answered = rtt;
	res->rtt_ns = rtt;
	res->rx_port = rx_port;
	mrc_ask_batch_less(batch);
}

/* Takes one lost request out of the table. Return: true: there was one. */
static bool mrc_ask_expire(struct mrc_ask_table *table, u64 now,
			   struct mrc_ask *lost)
{
	u16 slot = mrc_pending_lost(&table->pending, now);

	if (slot == MRC_PENDING_NONE)
		return false;
	mrc_ask_batch_end(&table->ask[slot], 0, 0);
	*lost = table->ask[slot];
	table->ask[slot].remote = NULL;
	mrc_pending_give_up(&table->pending, slot);
	return true;
}

/* Softirq. */
static enum hrtimer_restart mrc_ask_timer(struct hrtimer *timer)
{
	struct mrc_ask_table *table = container_of(timer, struct mrc_ask_table, timer);
	u64 now = ktime_get_ns();
	struct mrc_ask lost;
	bool more;

	rcu_read_lock();
	do {
		spin_lock(&table->lock);
		more = mrc_ask_expire(table, now, &lost);
		if (!more && table->pending.count)
			mrc_ask_arm(table);
		spin_unlock(&table->lock);
		if (more && lost.peer && lost.request.op == MRC_EP_EV_PROBE)
			table->ops->lost(lost.peer, lost.evs_gen, lost.ev, lost.sent_at);
	} while (more);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

void mrc_ask_forget(struct mrc_peer *peer)
{
	struct mrc_ask_table *table = peer->dev->asks;
	u16 slot;

	spin_lock_bh(&table->lock);
	/* A sender that found the peer under RCU may still be about to send. */
	peer->forgotten = true;
	for (slot = 0; slot < MRC_PENDING_MAX; slot++) {
		if (!table->ask[slot].remote || table->ask[slot].peer != peer)
			continue;
		mrc_ask_batch_end(&table->ask[slot], 0, 0);
		mrc_ask_release(table, slot);
	}
	spin_unlock_bh(&table->lock);
}

void mrc_ask_skip(struct mrc_dev *dev, struct mrc_ask_batch *batch)
{
	spin_lock_bh(&dev->asks->lock);
	mrc_ask_batch_less(batch);
	spin_unlock_bh(&dev->asks->lock);
}

void mrc_ask_detach(struct mrc_dev *dev, const struct mrc_ask_batch *batch)
{
	struct mrc_ask_table *table = dev->asks;
	struct mrc_ask *p;
	u16 slot;

	spin_lock_bh(&table->lock);
	for (slot = 0; slot < MRC_PENDING_MAX; slot++) {
		p = &table->ask[slot];
		if (!p->remote || p->request.batch != batch)
			continue;
		p->request.batch = NULL;
		if (!p->peer)
			mrc_ask_release(table, slot);
	}
	spin_unlock_bh(&table->lock);
}

/* ---- answers -------------------------------------------------------------- */

static bool mrc_ask_is_from(const struct mrc_ask *p, const struct mrc_rx_pkt *pkt)
{
	return ipv6_addr_equal(p->remote, pkt->saddr) && ipv6_addr_equal(p->local, pkt->daddr) &&
	       (p->peer || p->stamp == pkt->hdr.ep.tx_timestamp);
}

/* Return: the round trip in ns, at least 1; 0: the answer to a raw probe has come too late. */
static u64 mrc_ask_rtt(const struct mrc_ask *p, u64 now)
{
	u64 rtt = max(now - p->sent_at, 1ull);

	return p->peer || rtt <= p->wait ? rtt : 0;
}

/* Finds the request that a packet answers, copies it to @p, and frees its slot. */
static bool mrc_ask_match(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt,
			  u64 now, struct mrc_ask *p)
{
	struct mrc_ask_table *table = dev->asks;
	bool found;
	u16 slot;

	spin_lock(&table->lock);
	slot = mrc_pending_find(&table->pending, pkt->hdr.bth.psn & 0xffff);
	found = slot != MRC_PENDING_NONE && mrc_ask_is_from(&table->ask[slot], pkt);
	if (found) {
		*p = table->ask[slot];
		mrc_ask_batch_end(p, mrc_ask_rtt(p, now), mrc_ep_rx_port(dev, pkt));
		mrc_ask_release(table, slot);
	}
	spin_unlock(&table->lock);
	return found;
}

bool mrc_ask_response(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	const struct mrc_ask_ops *ops = dev->asks->ops;
	struct mrc_ask p;

	if (!mrc_ask_match(dev, pkt, ktime_get_ns(), &p))
		return false;
	mrc_count(dev, MRC_CNT_EP_RSP_RX);
	if (!p.peer)
		return true;
	if (p.request.op == MRC_EP_EV_PROBE)
		ops->answered(p.peer, p.evs_gen, p.ev, p.sent_at);
	else
		ops->port_answered(p.peer, p.request.port_mask, p.sent_at);
	return true;
}

u64 mrc_ask_late_since(const struct mrc_dev *dev, const struct mrc_rx_pkt *pkt, u64 now)
{
	u64 sent_at = mrc_port_stamp_at(pkt->hdr.ep.tx_timestamp, now);
	u32 mark = mrc_ask_mark(dev->asks, pkt->saddr, sent_at);

	return (pkt->hdr.bth.psn ^ mark) & MRC_PENDING_ID_RANDOM ? 0 : sent_at;
}

bool mrc_ask_late(struct mrc_peer *peer, u64 wait, u64 now)
{
	struct mrc_ask_table *table = peer->dev->asks;
	bool late;

	spin_lock(&table->lock);
	late = mrc_pending_peer_late(&peer->asked, wait, now);
	spin_unlock(&table->lock);
	return late;
}

/* ---- life ----------------------------------------------------------------- */

int mrc_ask_init(struct mrc_dev *dev, const struct mrc_ask_ops *ops)
{
	struct mrc_ask_table *table = kzalloc(sizeof(*table), GFP_KERNEL);

	if (!table)
		return -ENOMEM;
	table->ops = ops;
	get_random_bytes(&table->mark_key, sizeof(table->mark_key));
	spin_lock_init(&table->lock);
	mrc_pending_init(&table->pending);
	mrc_hrtimer_setup(&table->timer, mrc_ask_timer);
	dev->asks = table;
	return 0;
}

void mrc_ask_fini(struct mrc_dev *dev)
{
	if (!dev->asks)
		return;
	hrtimer_cancel(&dev->asks->timer);
	kfree(dev->asks);
}
