// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending control packets. Packets of the same length, and a shorter one behind them, share a
 * segmented skb.
 */
#include "../endpoint/prober.h"
#include "reply.h"

/* An answer is tried on so many EVs. */
#define MRC_REPLY_TRIES	3u

/**
 * struct mrc_reply - answers that are being sent
 * @peer: the receiver
 * @evs: its EVs
 * @a: the packets
 * @qpn: the peer's QP
 * @pkey: partition key
 */
struct mrc_reply {
	struct mrc_peer *peer;
	struct mrc_peer_evs *evs;
	const struct mrc_answers *a;
	u32 qpn;
	u16 pkey;
};

static bool mrc_reply_put(struct mrc_skb *b, const struct mrc_hdr *hdr)
{
	u8 *buf = mrc_skb_hdr(b, mrc_opcode_hdr_len(hdr->bth.opcode));

	if (!buf)
		return false;
	mrc_hdr_encode(buf, hdr);
	return !mrc_skb_close(b);
}

static u8 mrc_reply_tclass(const struct mrc_dev_cfg *cfg,
			   const struct mrc_hdr *hdr)
{
	if (mrc_answers_traffic(hdr) == MRC_TRAFFIC_DATA)
		return READ_ONCE(cfg->dscp_data) << 2 | MRC_ECN_ECT0;
	return READ_ONCE(cfg->dscp_control) << 2;
}

/* Adds packets from @from on, @max at most, as far as they fit. Return: how many. */
static unsigned int mrc_reply_fill(struct mrc_skb *b, const struct mrc_reply *r,
				   unsigned int from, unsigned int max)
{
	struct mrc_hdr hdr;
	unsigned int i, len;

	for (i = 0; i < max; i++) {
		hdr = r->a->hdr[from + i];
		len = mrc_opcode_hdr_len(hdr.bth.opcode) + MRC_ICRC_LEN;
		if (i && !mrc_skb_fits(b, len, 0))
			break;
		hdr.bth.qpn = r->qpn;
		hdr.bth.pkey = r->pkey;
		if (!mrc_reply_put(b, &hdr))
			return 0;
	}
	return i;
}

/*
 * Sends packets from @from on by an EV, as many as fit into one skb. Return: 0 and their number in
 * @n, or an error.
 */
static int mrc_reply_skb(const struct mrc_reply *r, u16 ev, unsigned int from, unsigned int *n)
{
	struct mrc_dev *dev = r->peer->dev;
	unsigned int max = READ_ONCE(dev->cfg.burst) == 1 ? 1 : r->a->count - from;
	struct mrc_skb b;
	int err;

	err = mrc_skb_open(&b, rcu_dereference(r->peer->flow), &r->evs->path[ev],
			   r->evs->paths.ev[ev].bits,
			   mrc_reply_tclass(&dev->cfg, &r->a->hdr[from]), max);
	if (err)
		return err;
	if (mrc_answers_traffic(&r->a->hdr[from]) == MRC_TRAFFIC_CONTROL)
		mrc_skb_hurry(&b);
	*n = mrc_reply_fill(&b, r, from, max);
	if (!*n) {
		mrc_skb_abort(&b);
		return -ENOMEM;
	}
	mrc_count_n(dev, MRC_CNT_TX_PACKETS, b.packets);
	mrc_count_n(dev, MRC_CNT_TX_BYTES, b.bytes);
	return mrc_skb_xmit(&b);
}

static enum mrc_counter mrc_reply_counter(const struct mrc_hdr *hdr)
{
	switch (hdr->bth.opcode) {
	case MRC_OP_SACK:
		return MRC_CNT_SACK_TX;
	case MRC_OP_NACK:
		return MRC_CNT_NACK_TX;
	case MRC_OP_PROBE:
		return MRC_CNT_PROBE_TX;
	default:
		return mrc_syndrome_is_ack(hdr->ack.syndrome) ? MRC_CNT_ACK_TX : MRC_CNT_NAK_TX;
	}
}

/*
 * Sends all answers by one EV. If nothing can leave this host by that EV, it is not used for
 * answers any more, and another one is tried: a transport ACK that is not sent would be missed for
 * long.
 */
static void mrc_reply_all(const struct mrc_reply *r, u16 ev)
{
	/* What must take a certain EV, as a probe that tests it, is not tried on other EVs. */
	unsigned int tries = r->a->ev == MRC_ANSWERS_ANY_EV ? MRC_REPLY_TRIES : 1;
	unsigned int i = 0, n = 0;
	enum mrc_sent sent;
	int err;

	while (i < r->a->count && ev != MRC_EV_NONE) {
		err = mrc_reply_skb(r, ev, i, &n);
		if (!err) {
			i += n;
			continue;
		}
		sent = mrc_sent_verdict(err);
		mrc_count_unsent(r->peer->dev, err);
		mrc_prober_sent(r->peer, r->evs, ev, sent);
		if (!mrc_sent_is_lost(sent) || !--tries)
			return;
		ev = mrc_prober_reverse_ev(r->peer, r->evs);
	}
}

/* If the requested EV is denied, nothing is sent, not even by another EV. */
static u16 mrc_reply_ev(const struct mrc_reply *r)
{
	if (r->a->evs_gen != r->evs->gen || r->a->ev >= r->evs->paths.count)
		return mrc_prober_reverse_ev(r->peer, r->evs);
	return READ_ONCE(r->evs->paths.set.ev[r->a->ev].state) == MRC_EV_DENIED ? MRC_EV_NONE :
										  r->a->ev;
}

bool mrc_reply_send_to(struct mrc_peer *peer, u32 qpn, u16 pkey,
		       const struct mrc_answers *a)
{
	const struct mrc_reply r = {
		.peer = peer,
		.evs = rcu_dereference(peer->evs),
		.a = a,
		.qpn = qpn,
		.pkey = pkey,
	};
	u16 ev = mrc_reply_ev(&r);
	unsigned int i;

	if (ev == MRC_EV_NONE) {
		mrc_count(peer->dev, MRC_CNT_TX_NO_PATH);
		return false;
	}
	for (i = 0; i < a->count; i++)
		mrc_count(peer->dev, mrc_reply_counter(&a->hdr[i]));
	mrc_reply_all(&r, ev);
	return true;
}

static bool mrc_reply_of(struct mrc_qp *qp, struct mrc_peer *peer, const struct mrc_answers *a)
{
	return peer && a->count &&
	       mrc_reply_send_to(peer, qp->conn.dest_qpn, qp->conn.pkey, a);
}

void mrc_reply_ask(struct mrc_qp *qp, const struct mrc_answers *a)
{
	mrc_reply_of(qp, READ_ONCE(qp->peer), a);
}

void mrc_reply_send(struct mrc_qp *qp, const struct mrc_answers *a)
{
	struct mrc_peer *peer = READ_ONCE(qp->peer);

	if (mrc_reply_of(qp, peer, a))
		mrc_prober_reverse(peer, rcu_dereference(peer->evs));
}
