// SPDX-License-Identifier: GPL-2.0-only
/*
 * Our requests to endpoints: on their way out, and what becomes of them.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "../compat/compat_timer.h"
#include "ask.h"
#include "device.h"
#include "ep.h"
#include "peer.h"

static void mrc_ask_arm(struct mrc_ask_table *table)
{
	hrtimer_start(&table->timer, ns_to_ktime(mrc_asks_timer_at(&table->asks)),
		      HRTIMER_MODE_ABS_SOFT);
}

unsigned int mrc_ask_room(struct mrc_dev *dev, u64 now)
{
	struct mrc_ask_table *table = dev->asks;
	unsigned int room;

	spin_lock(&table->lock);
	room = mrc_asks_room(&table->asks, now);
	spin_unlock(&table->lock);
	return room;
}

static void mrc_ask_release(struct mrc_ask_table *table, u16 slot)
{
	table->pending[slot].peer = NULL;
	mrc_asks_end(&table->asks, slot);
}

/* ---- sending -------------------------------------------------------------- */

/* Registers a request. Return: 0 and its @id, or what mrc_ask_send() says. */
static int mrc_ask_enter(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
			 const struct mrc_ask_request *request, u64 now, u16 *id)
{
	u64 wait = request->batch ? mrc_timing_software.ask : mrc_paths_ask_wait(&evs->paths);
	struct mrc_ask_table *table = peer->dev->asks;
	u16 slot = MRC_ASK_NONE;
	int err = -EBUSY;

	spin_lock(&table->lock);
	if (peer->forgotten)
		err = -ESHUTDOWN;
	else
		slot = mrc_asks_add(&table->asks, request->op != MRC_EP_PORT_STATUS, wait,
				    get_random_u32(), now);
	if (slot != MRC_ASK_NONE) {
		err = 0;
		*id = table->asks.slot[slot].id;
		table->pending[slot] = (struct mrc_ask_pending){
			.peer = peer,
			.request = *request,
			.sent_at = now,
			.evs_gen = evs->gen,
			.ev = ev,
		};
		if (mrc_asks_timer_at(&table->asks) == now + wait)
			mrc_ask_arm(table);
	}
	spin_unlock(&table->lock);
	return err;
}

/* False: it has been answered or given up already. */
static bool mrc_ask_cancel(struct mrc_ask_table *table, u16 id)
{
	u16 slot;

	spin_lock(&table->lock);
	slot = mrc_asks_find(&table->asks, id);
	if (slot != MRC_ASK_NONE)
		mrc_ask_release(table, slot);
	spin_unlock(&table->lock);
	return slot != MRC_ASK_NONE;
}

/* Want of memory or a full queue says nothing of the path, other errors are its own. */
static int mrc_ask_verdict(int err)
{
	switch (err) {
	case -ENOMEM:
	case -ENOBUFS:
		return -EBUSY;
	case -EMSGSIZE:
		return err;
	default:
		return -ENETUNREACH;
	}
}

int mrc_ask_send(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		 const struct mrc_ask_request *request)
{
	u64 now = ktime_get_ns();
	struct mrc_hdr hdr = {
		.bth.opcode = MRC_OP_EP_REQ,
		.bth.pkey = MRC_PKEY_DEFAULT,
		.bth.qpn = MRC_QPN_ENDPOINT,
		.ep.op = request->op,
		.ep.port_mask = request->port_mask,
		.ep.tx_timestamp = mrc_port_stamp(now),
		.ep.tsr = true,
	};
	u16 id;
	int err;

	err = mrc_ask_enter(peer, evs, ev, request, now, &id);
	if (err)
		return err;
	hdr.bth.psn = id;
	err = mrc_ep_xmit(peer, evs, ev, &hdr, request->room);
	if (!err)
		mrc_count(peer->dev, MRC_CNT_EP_REQ_TX);
	else if (mrc_ask_cancel(peer->dev->asks, id))
		return mrc_ask_verdict(err);
	return 0;
}

/* ---- no answer ------------------------------------------------------------ */

static void mrc_ask_batch_less(struct mrc_ask_batch *batch)
{
	WRITE_ONCE(batch->left, batch->left - 1);
	if (!batch->left)
		batch->done(batch);
}

/* Whoever waits is told under the lock: detach keeps out the rest. */
static void mrc_ask_batch_end(struct mrc_ask_pending *p, u64 rtt, u8 rx_port)
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

/* Takes out one lost request. True: there was one. */
static bool mrc_ask_expire(struct mrc_ask_table *table, u64 now,
			   struct mrc_ask_pending *lost)
{
	u16 slot = mrc_asks_lost(&table->asks, now);

	if (slot == MRC_ASK_NONE)
		return false;
	mrc_ask_batch_end(&table->pending[slot], 0, 0);
	*lost = table->pending[slot];
	mrc_ask_release(table, slot);
	return true;
}

/* Softirq. */
static enum hrtimer_restart mrc_ask_timer(struct hrtimer *timer)
{
	struct mrc_ask_table *table = container_of(timer, struct mrc_ask_table, timer);
	u64 now = ktime_get_ns();
	struct mrc_ask_pending lost;
	bool more;

	rcu_read_lock();
	do {
		spin_lock(&table->lock);
		more = mrc_ask_expire(table, now, &lost);
		if (!more && table->asks.count)
			mrc_ask_arm(table);
		spin_unlock(&table->lock);
		if (more && lost.request.op == MRC_EP_EV_PROBE)
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
	/* Who came by the peer under RCU may still be about to send. */
	peer->forgotten = true;
	for (slot = 0; slot < MRC_ASKS_MAX; slot++) {
		if (table->pending[slot].peer != peer)
			continue;
		mrc_ask_batch_end(&table->pending[slot], 0, 0);
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
	struct mrc_ask_pending *p;

	spin_lock_bh(&table->lock);
	for (p = table->pending; p < table->pending + MRC_ASKS_MAX; p++)
		if (p->peer && p->request.batch == batch)
			p->request.batch = NULL;
	spin_unlock_bh(&table->lock);
}

/* ---- answers -------------------------------------------------------------- */

static bool mrc_ask_from(const struct mrc_peer *peer,
			 const struct mrc_rx_pkt *pkt)
{
	return ipv6_addr_equal(&peer->key.remote, pkt->saddr) &&
	       ipv6_addr_equal(&peer->key.local, pkt->daddr);
}

/* Which request is answered? Copied to @p; the slot is free then. */
static bool mrc_ask_match(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt,
			  u64 now, struct mrc_ask_pending *p)
{
	struct mrc_ask_table *table = dev->asks;
	bool found;
	u16 slot;

	spin_lock(&table->lock);
	slot = mrc_asks_find(&table->asks, pkt->hdr.bth.psn & 0xffff);
	found = slot != MRC_ASK_NONE && mrc_ask_from(table->pending[slot].peer, pkt);
	if (found) {
		*p = table->pending[slot];
		mrc_ask_batch_end(p, max(now - p->sent_at, 1ull), mrc_ep_rx_port(dev, pkt));
		mrc_ask_release(table, slot);
	}
	spin_unlock(&table->lock);
	return found;
}

bool mrc_ask_response(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	const struct mrc_ask_ops *ops = dev->asks->ops;
	struct mrc_ask_pending p;

	if (!mrc_ask_match(dev, pkt, ktime_get_ns(), &p))
		return false;
	mrc_count(dev, MRC_CNT_EP_RSP_RX);
	if (p.request.op == MRC_EP_EV_PROBE)
		ops->answered(p.peer, p.evs_gen, p.ev, p.sent_at);
	else
		ops->port_answered(p.peer, p.request.port_mask, p.sent_at);
	return true;
}

/* ---- life ----------------------------------------------------------------- */

int mrc_ask_init(struct mrc_dev *dev, const struct mrc_ask_ops *ops)
{
	struct mrc_ask_table *table = kzalloc(sizeof(*table), GFP_KERNEL);

	if (!table)
		return -ENOMEM;
	table->ops = ops;
	spin_lock_init(&table->lock);
	mrc_asks_init(&table->asks);
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
