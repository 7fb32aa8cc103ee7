// SPDX-License-Identifier: GPL-2.0-only
#include "requester.h"
#include "psn.h"

void mrc_req_start(struct mrc_req *r, struct mrc_tx_rec *ring,
		   const struct mrc_tx_cfg *cfg, u32 psn, u32 cwnd)
{
	mrc_tx_window_init(&r->tx, ring, cfg, psn);
	r->cwnd = cwnd;
	r->asked_psn = r->tx.nxt;
}

/*
 * Retransmissions are subject to the congestion window, too, but may have one packet more: the
 * hole at the window's start may be what keeps it full.
 */
static u32 mrc_req_room_lost(const struct mrc_req *r)
{
	return r->cwnd + 1 > r->tx.inflight ? r->cwnd + 1 - r->tx.inflight : 0;
}

/*
 * A window that opens packet by packet would be refilled packet by packet, one skb each. With much
 * in flight, wait until an eighth of it is open.
 */
static u32 mrc_req_room_new(const struct mrc_req *r)
{
	u32 worth = min(r->cwnd / 8, MRC_BATCH_MAX / 2);
	u32 room = 0;

	if (r->tx.inflight < r->cwnd)
		room = min(mrc_tx_room(&r->tx), r->cwnd - r->tx.inflight);
	return room < worth ? 0 : min(room, MRC_BATCH_MAX);
}

static void mrc_req_plan_new(struct mrc_req *r, struct mrc_batch *b)
{
	u32 room = mrc_req_room_new(r);

	for (; b->count < room; b->count++) {
		struct mrc_plan *p = &b->plan[b->count];

		p->psn = mrc_psn_add(r->tx.nxt, (s32)b->count);
		if (!mrc_sendq_next(&r->sendq, p->psn, &p->msg))
			break;
	}
}

bool mrc_req_plan(struct mrc_req *r, struct mrc_batch *b)
{
	b->count = min(min(r->tx.lost, mrc_req_room_lost(r)), MRC_BATCH_MAX);
	b->rtx = b->count;
	b->any = b->rtx && mrc_tx_in_vain(&r->tx);
	if (!r->tx.lost)
		mrc_req_plan_new(r, b);
	return b->count;
}

unsigned int mrc_req_stride(const struct mrc_batch *b, unsigned int burst,
			    unsigned int good, unsigned int bad)
{
	/* Two at least: one path may be the one that fails. */
	unsigned int want = max(DIV_ROUND_UP(b->count, burst), min(b->count, 2u));

	return min(want, max(good + (b->any ? bad : 0), 1u));
}

static void mrc_req_take(struct mrc_req *r, const struct mrc_batch *b,
			 struct mrc_plan *p, u64 now)
{
	const struct mrc_tx_rec *rec;

	p->was = MRC_EV_NONE;
	if (!b->rtx) {
		mrc_tx_send(&r->tx, p->ev, p->msg, now);
		return;
	}
	rec = mrc_tx_next_lost(&r->tx, &p->psn);
	p->was = rec->ev;
	p->msg = rec->cookie;
	mrc_tx_resend(&r->tx, p->psn, p->ev, now);
}

/*
 * The last packet before a pause asks for a SACK. The end of the requests is one; a window that is
 * full opens by the SACKs that are due anyway, unless the peer's threshold is beyond it.
 */
static bool mrc_req_ask(struct mrc_req *r)
{
	u32 since = (u32)mrc_psn_diff(r->tx.nxt, r->asked_psn);
	u32 window = min(r->cwnd, r->tx.cfg.size);

	if (r->tx.lost)
		return false;
	if (mrc_sendq_ready(&r->sendq) &&
	    (mrc_req_room_new(r) || since < window / 2))
		return false;
	r->asked_psn = r->tx.nxt;
	return true;
}

void mrc_req_deal(struct mrc_req *r, struct mrc_batch *b, const u16 *ev,
		  unsigned int stride, u64 now)
{
	unsigned int i, e;

	b->stride = stride;
	for (i = 0; i < b->count; i++) {
		b->plan[i].ev = ev[i % stride];
		mrc_req_take(r, b, &b->plan[i], now);
	}
	/* An EV may have been drawn twice; its packets leave skb by skb. */
	for (e = 0; e < stride; e++)
		for (i = e; i < b->count; i += stride)
			mrc_tx_leaves(&r->tx, b->plan[i].psn);
	b->ask = mrc_req_ask(r);
}
