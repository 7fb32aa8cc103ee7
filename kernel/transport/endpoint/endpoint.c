// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoint packets that come: requests, and our answers.
 *
 * We answer peers, whatever state their QPs are in. We also answer EV probes of strangers, if a
 * route leads to them: a peer has to be made for the answer, in process context and at a low rate.
 * Nobody else gets an answer.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "ask.h"
#include "../device/device.h"
#include "endpoint.h"
#include "packet.h"
#include "peers.h"
#include "prober.h"
#include "../profile/route.h"

/* ---- answers --------------------------------------------------------------- */

static void mrc_endpoint_note(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt,
			      struct mrc_endpoint_came *came)
{
	*came = (struct mrc_endpoint_came){
		.bits = pkt->ev,
		.id = pkt->hdr.bth.psn,
		.tx_timestamp = pkt->hdr.ep.tx_timestamp,
		.op = pkt->hdr.ep.op,
		.port = mrc_ep_rx_port(dev, pkt),
	};
}

static void mrc_endpoint_respond(struct mrc_peer *peer, const struct mrc_endpoint_came *came)
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
	int err;

	n = mrc_prober_answer_evs(peer, evs, came->port, came->bits, ev);
	if (!n)
		mrc_count(peer->dev, MRC_CNT_TX_NO_PATH);
	for (i = 0; i < n; i++) {
		err = mrc_ep_xmit(peer, evs, ev[i], &hdr, 0);
		if (!err)
			mrc_count(peer->dev, MRC_CNT_EP_RSP_TX);
		mrc_prober_sent(peer, evs, ev[i], mrc_sent_verdict(err));
	}
}

/* ---- strangers ------------------------------------------------------------- */

static bool mrc_endpoint_take_stranger(struct mrc_endpoint *ep,
				       struct mrc_endpoint_stranger *s)
{
	bool some;

	spin_lock_bh(&ep->lock);
	some = ep->nstrangers;
	if (some)
		*s = ep->strangers[--ep->nstrangers];
	spin_unlock_bh(&ep->lock);
	return some;
}

/* The peer is made only for this answer. Its EVs are freed with it. */
static void mrc_endpoint_answer_stranger(struct mrc_dev *dev,
					 const struct mrc_endpoint_stranger *s)
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
	mrc_endpoint_respond(peer, &s->came);
	rcu_read_unlock();
	local_bh_enable();
	mrc_peers_put(peer);
}

static void mrc_endpoint_work(struct work_struct *work)
{
	struct mrc_endpoint *ep = container_of(work, struct mrc_endpoint, work);
	struct mrc_dev *dev = ep->dev;
	struct mrc_endpoint_stranger s;

	while (mrc_endpoint_take_stranger(ep, &s))
		mrc_endpoint_answer_stranger(dev, &s);
	mrc_dev_put(dev);
}

/*
 * May the route to a stranger be looked up? Look-ups have a gate of their own, so that hosts
 * without a route do not use up the answers that are meant for others.
 */
static bool mrc_endpoint_may_look(struct mrc_endpoint *ep, u64 now)
{
	bool may;

	spin_lock(&ep->lock);
	may = ep->nstrangers < MRC_ENDPOINT_STRANGERS_MAX &&
	      mrc_gate_pass(&ep->look, now, MRC_ENDPOINT_LOOK_RATE);
	spin_unlock(&ep->lock);
	return may;
}

static bool mrc_endpoint_enter_stranger(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt,
					u64 now)
{
	struct mrc_endpoint *ep = dev->endpoint;
	struct mrc_endpoint_stranger *s = NULL;

	spin_lock(&ep->lock);
	if (ep->nstrangers < MRC_ENDPOINT_STRANGERS_MAX &&
	    mrc_gate_pass(&ep->stranger, now, MRC_ENDPOINT_STRANGER_RATE)) {
		s = &ep->strangers[ep->nstrangers++];
		s->local = *pkt->daddr;
		s->remote = *pkt->saddr;
		mrc_endpoint_note(dev, pkt, &s->came);
	}
	spin_unlock(&ep->lock);
	return s;
}

static bool mrc_endpoint_stranger(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	u64 now = ktime_get_ns();
	struct mrc_route route;

	if (pkt->hdr.ep.op != MRC_EP_EV_PROBE || !mrc_endpoint_may_look(dev->endpoint, now) ||
	    !mrc_route_lookup(dev, pkt->saddr, &route) ||
	    !mrc_endpoint_enter_stranger(dev, pkt, now))
		return false;
	mrc_dev_queue_work(dev, &dev->endpoint->work);
	return true;
}

/* ---- requests -------------------------------------------------------------- */

/*
 * Passes a port status to all peers of the sender, which differ in the profile; each acts on it as
 * far as it can. If one has heard it, it is answered, and the sender does not repeat it.
 */
static bool mrc_endpoint_port_status(struct rhlist_head *list, const struct mrc_ep *ep)
{
	struct rhlist_head *at;
	struct mrc_peer *peer;
	bool heard = false;

	rhl_for_each_entry_rcu(peer, at, list, node)
		heard |= mrc_prober_port_status(peer, ep);
	return heard;
}

static bool mrc_endpoint_request(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	struct rhlist_head *list = mrc_peers_of(dev, pkt->daddr, pkt->saddr);
	const struct mrc_ep *ep = &pkt->hdr.ep;
	struct mrc_peer *peer = mrc_peers_met(list);
	struct mrc_endpoint_came came;

	if (!peer)
		return mrc_endpoint_stranger(dev, pkt);
	if (!mrc_prober_may_answer(peer, ep->op))
		return false;
	if (ep->op == MRC_EP_PORT_STATUS && !mrc_endpoint_port_status(list, ep))
		return false;
	mrc_endpoint_note(dev, pkt, &came);
	mrc_endpoint_respond(peer, &came);
	mrc_prober_reverse(peer, rcu_dereference(peer->evs));
	return true;
}

/* ---- responses ------------------------------------------------------------- */

/* A late answer means a slow host, so it counts for all peers of that host. */
static void mrc_endpoint_late(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	struct rhlist_head *list = mrc_peers_of(dev, pkt->daddr, pkt->saddr), *at;
	u64 now = ktime_get_ns(), sent_at = mrc_ask_late_since(dev, pkt, now);
	struct mrc_peer *peer;

	if (!sent_at)
		return;
	rhl_for_each_entry_rcu(peer, at, list, node)
		mrc_prober_late(peer, sent_at, now);
}

static bool mrc_endpoint_response(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	if (mrc_ask_response(dev, pkt))
		return true;
	mrc_endpoint_late(dev, pkt);
	return false;
}

/* ---- receiving ------------------------------------------------------------- */

void mrc_endpoint_receive(const struct mrc_rx_pkt *pkt)
{
	struct mrc_dev *dev = mrc_dev_by_addr(pkt->net, pkt->daddr);
	bool fine;

	if (!dev) {
		mrc_devs_count_drop(pkt->net, pkt->daddr, MRC_DROP_ENDPOINT);
		return;
	}
	if (!mrc_dev_hears(dev, mrc_plane_by_ifindex(&dev->planes, pkt->ifindex),
			   pkt->loopback)) {
		mrc_count(dev, MRC_CNT_DROP_INGRESS);
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
		fine = mrc_endpoint_response(dev, pkt);
	} else {
		mrc_count(dev, MRC_CNT_EP_REQ_RX);
		fine = mrc_endpoint_request(dev, pkt);
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
	INIT_WORK(&ep->work, mrc_endpoint_work);
	dev->endpoint = ep;
	return 0;
}

void mrc_endpoint_fini(struct mrc_dev *dev)
{
	kfree(dev->endpoint);
}
