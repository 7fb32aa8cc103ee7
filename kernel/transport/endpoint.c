// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoint packets: requests on their way out, their answers, and the answers we give.
 *
 * We answer peers, whatever state their QPs are in, and EV probes of those to whom a route
 * leads: these need a peer to be made, in process context and at a low rate. Nobody else gets
 * a word.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "device.h"
#include "endpoint.h"
#include "peers.h"
#include "prober.h"
#include "route.h"

static int mrc_ep_put(struct mrc_skb *b, const struct mrc_hdr *hdr)
{
	u8 *buf = mrc_skb_hdr(b, mrc_opcode_hdr_len(hdr->bth.opcode));

	if (!buf)
		return -ENOMEM;
	mrc_hdr_encode(buf, hdr);
	return mrc_skb_close(b);
}

/* @room: see struct mrc_ep_ask. */
static int mrc_ep_xmit(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		       const struct mrc_hdr *hdr, unsigned int room)
{
	struct mrc_dev *dev = peer->dev;
	struct mrc_skb b;
	int err;

	err = mrc_skb_open(&b, rcu_dereference(peer->flow), &evs->path[ev],
			   evs->paths.ev[ev].bits,
			   READ_ONCE(dev->cfg.dscp_control) << 2, 1);
	if (err) {
		mrc_count(dev, err == -ENOMEM ? MRC_CNT_TX_NO_MEMORY :
						MRC_CNT_TX_NO_PATH);
		return err;
	}
	if (!mrc_skb_mtu_fits(&b, room)) {
		mrc_skb_abort(&b);
		return -EMSGSIZE;
	}
	if (mrc_ep_put(&b, hdr)) {
		mrc_skb_abort(&b);
		mrc_count(dev, MRC_CNT_TX_NO_MEMORY);
		return -ENOMEM;
	}
	mrc_count(dev, MRC_CNT_TX_PACKETS);
	mrc_count_n(dev, MRC_CNT_TX_BYTES, b.bytes);
	return mrc_skb_xmit(&b);
}

/* ---- requests ------------------------------------------------------------ */

static void mrc_ep_arm(struct mrc_endpoint *ep)
{
	hrtimer_start(&ep->timer, ns_to_ktime(mrc_asks_timer_at(&ep->asks)),
		      HRTIMER_MODE_ABS_SOFT);
}

unsigned int mrc_endpoint_room(struct mrc_dev *dev, u64 now)
{
	struct mrc_endpoint *ep = dev->endpoint;
	unsigned int room;

	spin_lock(&ep->lock);
	room = mrc_asks_room(&ep->asks, now);
	spin_unlock(&ep->lock);
	return room;
}

static void mrc_ep_release(struct mrc_endpoint *ep, u16 slot)
{
	ep->pending[slot].peer = NULL;
	mrc_asks_end(&ep->asks, slot);
}

/* Registers a request. Return: 0 and its @id, or what mrc_endpoint_send() says. */
static int mrc_ep_enter(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
			const struct mrc_ep_ask *ask, u64 now, u16 *id)
{
	struct mrc_endpoint *ep = peer->dev->endpoint;
	u16 slot = MRC_ASK_NONE;
	int err = -EBUSY;

	spin_lock(&ep->lock);
	if (peer->forgotten)
		err = -ESHUTDOWN;
	else
		slot = mrc_asks_add(&ep->asks, ask->op != MRC_EP_PORT_STATUS,
				    get_random_u32(), now);
	if (slot != MRC_ASK_NONE) {
		err = 0;
		*id = ep->asks.slot[slot].id;
		ep->pending[slot] = (struct mrc_ep_pending){
			.peer = peer, .ask = *ask, .sent_at = now, .evs_gen = evs->gen, .ev = ev,
		};
		if (ep->asks.count == 1)
			mrc_ep_arm(ep);
	}
	spin_unlock(&ep->lock);
	return err;
}

/* False: it has been answered or given up already. */
static bool mrc_ep_cancel(struct mrc_endpoint *ep, u16 id)
{
	u16 slot;

	spin_lock(&ep->lock);
	slot = mrc_asks_find(&ep->asks, id);
	if (slot != MRC_ASK_NONE)
		mrc_ep_release(ep, slot);
	spin_unlock(&ep->lock);
	return slot != MRC_ASK_NONE;
}

/* Want of memory or a full queue says nothing of the path, other errors are its own. */
static int mrc_ep_verdict(int err)
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

int mrc_endpoint_send(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		      const struct mrc_ep_ask *ask)
{
	u64 now = ktime_get_ns();
	struct mrc_hdr hdr = {
		.bth.opcode = MRC_OP_EP_REQ,
		.bth.pkey = MRC_PKEY_DEFAULT,
		.bth.qpn = MRC_QPN_ENDPOINT,
		.ep.op = ask->op,
		.ep.port_mask = ask->port_mask,
		.ep.tx_timestamp = mrc_port_stamp(now),
		.ep.tsr = true,
	};
	u16 id;
	int err;

	err = mrc_ep_enter(peer, evs, ev, ask, now, &id);
	if (err)
		return err;
	hdr.bth.psn = id;
	err = mrc_ep_xmit(peer, evs, ev, &hdr, ask->room);
	if (!err)
		mrc_count(peer->dev, MRC_CNT_EP_REQ_TX);
	else if (mrc_ep_cancel(peer->dev->endpoint, id))
		return mrc_ep_verdict(err);
	return 0;
}

static void mrc_ep_batch_less(struct mrc_ep_batch *batch)
{
	if (!--batch->left)
		complete(&batch->done);
}

/* Whoever waits in process context is told under the lock: detach keeps out the rest. */
static void mrc_ep_batch_end(struct mrc_ep_pending *p, u64 rtt, u8 rx_port)
{
	struct mrc_ep_batch *batch = p->ask.batch;
	struct mrc_ep_result *res;

	if (!batch)
		return;
	res = &batch->result[p->ask.index];
	res->answered = rtt;
	res->rtt_ns = rtt;
	res->rx_port = rx_port;
	mrc_ep_batch_less(batch);
}

/* Takes out one lost request. True: there was one. */
static bool mrc_ep_expire(struct mrc_endpoint *ep, u64 now,
			  struct mrc_ep_pending *lost)
{
	u16 slot = mrc_asks_lost(&ep->asks, now);

	if (slot == MRC_ASK_NONE)
		return false;
	mrc_ep_batch_end(&ep->pending[slot], 0, 0);
	*lost = ep->pending[slot];
	mrc_ep_release(ep, slot);
	return true;
}

/* Softirq. */
static enum hrtimer_restart mrc_ep_timer(struct hrtimer *timer)
{
	struct mrc_endpoint *ep = container_of(timer, struct mrc_endpoint, timer);
	u64 now = ktime_get_ns();
	struct mrc_ep_pending lost;
	bool more;

	rcu_read_lock();
	do {
		spin_lock(&ep->lock);
		more = mrc_ep_expire(ep, now, &lost);
		if (!more && ep->asks.count)
			mrc_ep_arm(ep);
		spin_unlock(&ep->lock);
		if (more && lost.ask.op == MRC_EP_EV_PROBE)
			mrc_prober_lost(lost.peer, lost.evs_gen, lost.ev,
					lost.sent_at);
	} while (more);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

void mrc_endpoint_forget(struct mrc_peer *peer)
{
	struct mrc_endpoint *ep = peer->dev->endpoint;
	u16 slot;

	spin_lock_bh(&ep->lock);
	/* Who came by the peer under RCU may still be about to send. */
	peer->forgotten = true;
	for (slot = 0; slot < MRC_ASKS_MAX; slot++) {
		if (ep->pending[slot].peer != peer)
			continue;
		mrc_ep_batch_end(&ep->pending[slot], 0, 0);
		mrc_ep_release(ep, slot);
	}
	spin_unlock_bh(&ep->lock);
}

void mrc_endpoint_skip(struct mrc_dev *dev, struct mrc_ep_batch *batch)
{
	spin_lock_bh(&dev->endpoint->lock);
	mrc_ep_batch_less(batch);
	spin_unlock_bh(&dev->endpoint->lock);
}

void mrc_endpoint_detach(struct mrc_dev *dev, const struct mrc_ep_batch *batch)
{
	struct mrc_endpoint *ep = dev->endpoint;
	struct mrc_ep_pending *p;

	spin_lock_bh(&ep->lock);
	for (p = ep->pending; p < ep->pending + MRC_ASKS_MAX; p++)
		if (p->peer && p->ask.batch == batch)
			p->ask.batch = NULL;
	spin_unlock_bh(&ep->lock);
}

/* ---- answers to us ------------------------------------------------------- */

static bool mrc_ep_from(const struct mrc_peer *peer,
			const struct mrc_rx_pkt *pkt)
{
	return ipv6_addr_equal(&peer->key.remote, pkt->saddr) &&
	       ipv6_addr_equal(&peer->key.local, pkt->daddr);
}

static u8 mrc_ep_rx_port(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	struct mrc_plane *plane = mrc_plane_by_ifindex(&dev->planes,
						       pkt->ifindex);

	return plane ? plane->port : 0;
}

/* Which request is answered? Copied to @p; the slot is free then. */
static bool mrc_ep_match(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt,
			 u64 now, struct mrc_ep_pending *p)
{
	struct mrc_endpoint *ep = dev->endpoint;
	bool found;
	u16 slot;

	spin_lock(&ep->lock);
	slot = mrc_asks_find(&ep->asks, pkt->hdr.bth.psn & 0xffff);
	found = slot != MRC_ASK_NONE && mrc_ep_from(ep->pending[slot].peer, pkt);
	if (found) {
		*p = ep->pending[slot];
		mrc_ep_batch_end(p, max(now - p->sent_at, 1ull), mrc_ep_rx_port(dev, pkt));
		mrc_ep_release(ep, slot);
	}
	spin_unlock(&ep->lock);
	return found;
}

static bool mrc_ep_response(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	struct mrc_ep_pending p;

	if (!mrc_ep_match(dev, pkt, ktime_get_ns(), &p))
		return false;
	mrc_count(dev, MRC_CNT_EP_RSP_RX);
	if (p.ask.op == MRC_EP_EV_PROBE)
		mrc_prober_answered(p.peer, p.evs_gen, p.ev, p.sent_at);
	else
		mrc_prober_port_answered(p.peer, p.ask.port_mask, p.sent_at);
	return true;
}

/* ---- our answers --------------------------------------------------------- */

static void mrc_ep_respond(struct mrc_peer *peer, const struct mrc_ep_came *came)
{
	struct mrc_peer_evs *evs = rcu_dereference(peer->evs);
	struct mrc_hdr hdr = {
		.bth.opcode = MRC_OP_EP_RSP,
		.bth.pkey = MRC_PKEY_DEFAULT,
		.bth.qpn = MRC_QPN_ENDPOINT,
		.bth.psn = came->id,
		.ep.op = came->op,
		.ep.tx_timestamp = came->tx_timestamp,
	};
	u16 ev[MRC_REVERSE_COPIES];
	unsigned int i, n;

	n = mrc_prober_answer_evs(peer, evs, came->port, came->bits, ev);
	if (!n)
		mrc_count(peer->dev, MRC_CNT_TX_NO_PATH);
	for (i = 0; i < n; i++)
		if (!mrc_ep_xmit(peer, evs, ev[i], &hdr, 0))
			mrc_count(peer->dev, MRC_CNT_EP_RSP_TX);
}

static bool mrc_ep_take_stranger(struct mrc_endpoint *ep,
				 struct mrc_ep_stranger *s)
{
	bool some;

	spin_lock_bh(&ep->lock);
	some = ep->nstrangers;
	if (some)
		*s = ep->strangers[--ep->nstrangers];
	spin_unlock_bh(&ep->lock);
	return some;
}

/* Only for this answer: the peer's EVs go again with it. */
static void mrc_ep_answer_stranger(struct mrc_dev *dev,
				   const struct mrc_ep_stranger *s)
{
	struct mrc_peer_key key = { .local = s->local, .remote = s->remote };
	struct mrc_route route;
	struct mrc_peer *peer;

	if (!mrc_route_lookup(dev, &s->remote, &route))
		return;
	key.ev_profile = route.ev_profile;
	peer = mrc_peers_get(dev, &key);
	if (IS_ERR(peer))
		return;
	local_bh_disable();
	rcu_read_lock();
	mrc_ep_respond(peer, &s->came);
	rcu_read_unlock();
	local_bh_enable();
	mrc_peers_put(peer);
}

static void mrc_ep_work(struct work_struct *work)
{
	struct mrc_endpoint *ep = container_of(work, struct mrc_endpoint, work);
	struct mrc_dev *dev = ep->dev;
	struct mrc_ep_stranger s;

	while (mrc_ep_take_stranger(ep, &s))
		mrc_ep_answer_stranger(dev, &s);
	mrc_dev_put(dev);
}

static void mrc_ep_note(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt,
			struct mrc_ep_came *came)
{
	*came = (struct mrc_ep_came){
		.bits = pkt->ev,
		.id = pkt->hdr.bth.psn,
		.tx_timestamp = pkt->hdr.ep.tx_timestamp,
		.op = pkt->hdr.ep.op,
		.port = mrc_ep_rx_port(dev, pkt),
	};
}

/*
 * Before anything is looked up. A gate of its own: those to whom no route leads do not use up
 * what the others may have.
 */
static bool mrc_ep_may_look(struct mrc_endpoint *ep, u64 now)
{
	bool may;

	spin_lock(&ep->lock);
	may = ep->nstrangers < MRC_EP_STRANGERS_MAX &&
	      mrc_gate_pass(&ep->look, now, MRC_EP_LOOK_RATE);
	spin_unlock(&ep->lock);
	return may;
}

static bool mrc_ep_enter_stranger(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt,
				  u64 now)
{
	struct mrc_endpoint *ep = dev->endpoint;
	struct mrc_ep_stranger *s = NULL;

	spin_lock(&ep->lock);
	if (ep->nstrangers < MRC_EP_STRANGERS_MAX &&
	    mrc_gate_pass(&ep->stranger, now, MRC_EP_STRANGER_RATE)) {
		s = &ep->strangers[ep->nstrangers++];
		s->local = *pkt->daddr;
		s->remote = *pkt->saddr;
		mrc_ep_note(dev, pkt, &s->came);
	}
	spin_unlock(&ep->lock);
	return s;
}

static bool mrc_ep_stranger(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	u64 now = ktime_get_ns();
	struct mrc_route route;

	if (pkt->hdr.ep.op != MRC_EP_EV_PROBE || !mrc_ep_may_look(dev->endpoint, now) ||
	    !mrc_route_lookup(dev, pkt->saddr, &route) ||
	    !mrc_ep_enter_stranger(dev, pkt, now))
		return false;
	mrc_dev_queue_work(dev, &dev->endpoint->work);
	return true;
}

/*
 * Peers that differ in the profile each act upon it as far as they can; it is answered, and
 * not said again, when one has heard it.
 */
static bool mrc_ep_port_status(struct rhlist_head *list, const struct mrc_ep *ep)
{
	struct rhlist_head *at;
	struct mrc_peer *peer;
	bool heard = false;

	rhl_for_each_entry_rcu(peer, at, list, node)
		heard |= mrc_prober_port_status(peer, ep);
	return heard;
}

/* Those without a QP are there for an answer to a stranger, who is none the less one. */
static struct mrc_peer *mrc_ep_met(struct rhlist_head *list)
{
	struct rhlist_head *at;
	struct mrc_peer *peer;

	rhl_for_each_entry_rcu(peer, at, list, node)
		if (READ_ONCE(peer->probing.met))
			return peer;
	return NULL;
}

static bool mrc_ep_request(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	struct rhlist_head *list = mrc_peers_of(dev, pkt->daddr, pkt->saddr);
	const struct mrc_ep *ep = &pkt->hdr.ep;
	struct mrc_peer *peer = mrc_ep_met(list);
	struct mrc_ep_came came;

	if (!peer)
		return mrc_ep_stranger(dev, pkt);
	if (!mrc_prober_may_answer(peer, ep->op))
		return false;
	if (ep->op == MRC_EP_PORT_STATUS && !mrc_ep_port_status(list, ep))
		return false;
	mrc_ep_note(dev, pkt, &came);
	mrc_ep_respond(peer, &came);
	mrc_prober_reverse(peer, rcu_dereference(peer->evs));
	return true;
}

void mrc_endpoint_receive(const struct mrc_rx_pkt *pkt)
{
	struct mrc_dev *dev = mrc_dev_by_addr(pkt->net, pkt->daddr);
	bool fine;

	if (!dev) {
		mrc_devs_count_drop(pkt->net, pkt->daddr, MRC_DROP_ENDPOINT);
		return;
	}
	if (READ_ONCE(dev->cfg.icrc) && !mrc_rx_icrc_ok(pkt)) {
		mrc_count(dev, MRC_CNT_DROP_ICRC);
		return;
	}
	if (pkt->hdr.bth.qpn != MRC_QPN_ENDPOINT) {
		mrc_count(dev, MRC_CNT_DROP_NO_QP);
		return;
	}
	if (pkt->hdr.bth.opcode == MRC_OP_EP_RSP) {
		fine = mrc_ep_response(dev, pkt);
	} else {
		mrc_count(dev, MRC_CNT_EP_REQ_RX);
		fine = mrc_ep_request(dev, pkt);
	}
	if (!fine)
		mrc_count(dev, MRC_CNT_DROP_ENDPOINT);
}

/* ---- life ----------------------------------------------------------------- */

int mrc_endpoint_init(struct mrc_dev *dev)
{
	struct mrc_endpoint *ep = kzalloc(sizeof(*ep), GFP_KERNEL);

	if (!ep)
		return -ENOMEM;
	ep->dev = dev;
	spin_lock_init(&ep->lock);
	mrc_asks_init(&ep->asks);
	hrtimer_init(&ep->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	ep->timer.function = mrc_ep_timer;
	INIT_WORK(&ep->work, mrc_ep_work);
	dev->endpoint = ep;
	return 0;
}

void mrc_endpoint_fini(struct mrc_dev *dev)
{
	if (!dev->endpoint)
		return;
	hrtimer_cancel(&dev->endpoint->timer);
	kfree(dev->endpoint);
}
