// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control packets on their way out. Those that are equally long, and a shorter one behind them,
 * share a segmented skb.
 */
#include "prober.h"
#include "reply.h"

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

/* Sends packets from @from on as far as they fit one skb; returns the next one. */
static unsigned int mrc_reply_skb(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
				  u32 qpn, u16 pkey, const struct mrc_answers *a,
				  unsigned int from)
{
	u8 tclass = mrc_reply_tclass(&peer->dev->cfg, &a->hdr[from]);
	struct mrc_dev *dev = peer->dev;
	unsigned int i = from, max = a->count - from, len;
	struct mrc_hdr hdr;
	struct mrc_skb b;
	int err;

	if (READ_ONCE(dev->cfg.burst) == 1)
		max = 1;
	err = mrc_skb_open(&b, rcu_dereference(peer->flow), &evs->path[ev],
			   evs->paths.ev[ev].bits, tclass, max);
	if (err) {
		mrc_count(dev, err == -ENOMEM ? MRC_CNT_TX_NO_MEMORY :
						MRC_CNT_TX_NO_PATH);
		return a->count;
	}
	for (; i < from + max; i++) {
		len = mrc_opcode_hdr_len(a->hdr[i].bth.opcode) + MRC_ICRC_LEN;
		if (i > from && !mrc_skb_fits(&b, len, 0))
			break;
		hdr = a->hdr[i];
		hdr.bth.qpn = qpn;
		hdr.bth.pkey = pkey;
		if (!mrc_reply_put(&b, &hdr)) {
			mrc_skb_abort(&b);
			mrc_count(dev, MRC_CNT_TX_NO_MEMORY);
			return a->count;
		}
	}
	mrc_count_n(dev, MRC_CNT_TX_PACKETS, b.packets);
	mrc_count_n(dev, MRC_CNT_TX_BYTES, b.bytes);
	mrc_skb_xmit(&b);
	return i;
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
		return hdr->ack.syndrome == MRC_ACK_OK ? MRC_CNT_ACK_TX :
							 MRC_CNT_NAK_TX;
	}
}

bool mrc_reply_send_to(struct mrc_peer *peer, u32 qpn, u16 pkey,
		       const struct mrc_answers *a)
{
	struct mrc_peer_evs *evs = rcu_dereference(peer->evs);
	unsigned int i;
	u16 ev;

	if (a->evs_gen == evs->gen && a->ev < evs->paths.count)
		ev = a->ev;
	else
		ev = mrc_prober_reverse_ev(peer, evs);
	if (ev == MRC_EV_NONE) {
		mrc_count(peer->dev, MRC_CNT_TX_NO_PATH);
		return false;
	}
	for (i = 0; i < a->count; i++)
		mrc_count(peer->dev, mrc_reply_counter(&a->hdr[i]));
	for (i = 0; i < a->count;)
		i = mrc_reply_skb(peer, evs, ev, qpn, pkey, a, i);
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
