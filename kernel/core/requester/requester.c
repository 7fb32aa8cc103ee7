// SPDX-License-Identifier: GPL-2.0-only
#include "requester.h"
#include "../paths/paths.h"
#include "../base/psn.h"
#include "../send/tx_sack.h"

void mrc_req_start(struct mrc_req *r, void *mem, const struct mrc_tx_cfg *cfg, u32 psn)
{
	mrc_tx_window_init(&r->tx, mem, cfg, psn);
	mrc_reach_init(&r->reach, cfg->size);
	r->asked_psn = r->tx.nxt;
	r->unasked = 0;
	r->last_ev = MRC_EV_NONE;
	r->ack_wait = 0;
	r->ack_retries = 0;
	r->pauses = 0;
	r->pause_until = 0;
	r->looked_at = 0;
	r->evs_gen = 0;
	r->ports_here = 0;
	r->ports_up = 0;
	r->gone_at = 0;
	r->wait = (struct mrc_req_wait){ .bear = cfg->receive_ns };
	r->stops = false;
	r->next_msn = MRC_MSN_FIRST;
	r->rsp_turn = false;
	r->acked_psn = mrc_psn_add(psn, -1);
	r->answer_until = 0;
	r->answer_rounds = 0;
}

/* ---- the paths ----------------------------------------------------------- */

/*
 * Needs no lock of the paths. Of the peer's ports only those that are up here matter. Return: the
 * set of ports that are up has changed.
 */
static bool mrc_req_see_ports(struct mrc_req *r, const struct mrc_paths *paths)
{
	u32 here = READ_ONCE(paths->set.local_mask);
	u32 up = here & READ_ONCE(paths->set.remote_mask);

	if (here == r->ports_here && up == r->ports_up)
		return false;
	r->ports_here = here;
	r->ports_up = up;
	return true;
}

void mrc_req_sync_evs(struct mrc_req *r, const struct mrc_paths *paths, u32 gen)
{
	if (r->evs_gen == gen)
		return;
	if (!r->evs_gen)
		mrc_req_see_ports(r, paths);
	r->evs_gen = gen;
	mrc_tx_forget_evs(&r->tx);
}

u32 mrc_req_planes(const struct mrc_req *r, const struct mrc_paths *paths)
{
	u32 live = 0, n = 0;
	u16 i;

	for (i = 0; i < paths->count; i++)
		live |= 1u << (paths->set.ev[i].port - 1);
	for (live &= r->ports_up; live; live &= live - 1)
		n++;
	return n;
}

void mrc_req_gone(const struct mrc_req *r, const struct mrc_paths *paths,
		  struct mrc_tx_gone *gone)
{
	u16 i;

	memset(gone, 0, sizeof(*gone));
	gone->unsent = r->ports_up;
	for (i = 0; i < paths->count; i++) {
		u32 port = 1u << (paths->set.ev[i].port - 1);

		if (!(r->ports_here & port))
			__set_bit(i, gone->here);
		else if (!(r->ports_up & port))
			__set_bit(i, gone->there);
	}
}

/*
 * Maybe nothing is in flight now, and what is lost waits until a message has a receive: only an ACK
 * can tell of one.
 */
static void mrc_req_note_lost(struct mrc_req *r, u64 now)
{
	if (r->stops || r->wait.since)
		mrc_req_settle(r, now);
}

void mrc_req_lose_evs(struct mrc_req *r, const struct mrc_tx_gone *gone, u64 now,
		      struct mrc_tx_result *res)
{
	mrc_tx_lose_evs(&r->tx, gone, res);
	r->gone_at = mrc_tx_lose_gone(&r->tx, now, res);
	res->cause = MRC_CC_PORT;
	mrc_req_note_lost(r, now);
}

bool mrc_req_heed_ports(struct mrc_req *r, const struct mrc_paths *paths, u32 gen,
			u64 now, struct mrc_tx_result *res)
{
	struct mrc_tx_gone gone;

	if (!mrc_req_see_ports(r, paths))
		return false;
	mrc_tx_begin(&r->tx, res);
	if (r->evs_gen != gen)
		return true;
	mrc_req_gone(r, paths, &gone);
	mrc_req_lose_evs(r, &gone, now, res);
	return true;
}

/* ---- what goes out ------------------------------------------------------- */

/* Is a packet in flight one of a request, not of a response? */
static bool mrc_req_is_request(const struct mrc_req *r, u32 psn)
{
	const struct mrc_sendq *q = &r->rspq;
	const struct mrc_msg *m;

	if (!mrc_sendq_names(q, psn, r->tx.nxt))
		return true;
	m = mrc_sendq_at(q, mrc_sendq_find(q, psn));
	return mrc_psn_diff(psn, m->psn) >= (s32)m->packets;
}

/* Does a request wait for a receive of the peer, so that no new one goes out? */
static bool mrc_req_is_held(const struct mrc_req *r)
{
	return r->wait.since || r->stops;
}

/* Is a message under way? */
static bool mrc_req_is_open(const struct mrc_sendq *q)
{
	return mrc_sendq_unanswered(q) || mrc_sendq_amid(q);
}

/*
 * PSNs from the oldest message of a queue that was begun, and is not complete, to @psn. A message
 * alone may have 2^23 packets.
 */
static u32 mrc_req_span(const struct mrc_sendq *q, u32 psn)
{
	return mrc_req_is_open(q) ? (psn - mrc_sendq_at(q, q->una)->psn) & MRC_PSN_MASK : 0;
}

/* Has the next packet of a queue its place within MRC_REQ_SPAN_MAX? @psn: its PSN */
static bool mrc_req_fits(const struct mrc_req *r, const struct mrc_sendq *q, u32 psn)
{
	const struct mrc_msg *m = mrc_sendq_at(q, q->cur);

	if (m->sent || (!mrc_req_is_open(&r->sendq) && !mrc_req_is_open(&r->rspq)))
		return true;
	return max(mrc_req_span(&r->sendq, psn), mrc_req_span(&r->rspq, psn)) +
	       m->packets <= MRC_REQ_SPAN_MAX;
}

/* Would mrc_sendq_next() of a queue find a packet, and may it go out? */
static bool mrc_req_is_ready(const struct mrc_req *r, const struct mrc_sendq *q, u32 psn)
{
	return mrc_sendq_ready(q) && mrc_req_fits(r, q, psn);
}

/* May a packet of a response go out? PSNs of a request that was begun are consecutive. */
static bool mrc_req_may_respond(const struct mrc_req *r, u32 psn)
{
	return mrc_sendq_has_new(&r->rspq) && !mrc_sendq_amid(&r->sendq) &&
	       mrc_req_is_ready(r, &r->rspq, psn);
}

/*
 * The queue of the next new packet, with @psn, or NULL: none may go out. PSNs of a message are
 * consecutive, so a message that was begun goes on. Then requests and responses take turns.
 */
static struct mrc_sendq *mrc_req_next_queue(struct mrc_req *r, u32 psn)
{
	bool request = !mrc_req_is_held(r) && mrc_req_is_ready(r, &r->sendq, psn);
	bool response = mrc_req_may_respond(r, psn);

	if (response && (r->rsp_turn || mrc_sendq_amid(&r->rspq) || !request))
		return &r->rspq;
	return request ? &r->sendq : NULL;
}

/* Would mrc_req_next_queue() find one? Mostly there is nothing new in either queue. */
static inline bool mrc_req_has_new(const struct mrc_req *r)
{
	if (!mrc_sendq_has_new(&r->sendq) && !mrc_sendq_has_new(&r->rspq))
		return false;
	return (!mrc_req_is_held(r) && mrc_req_is_ready(r, &r->sendq, r->tx.nxt)) ||
	       mrc_req_may_respond(r, r->tx.nxt);
}

static u32 mrc_req_in_flight(u32 bytes)
{
	return DIV_ROUND_UP(bytes, MRC_TX_BYTES_UNIT) * MRC_TX_BYTES_UNIT;
}

/*
 * Does the peer take this PSN now? Lost packets beyond its window wait, and SENDs for which it has
 * no receive, with the requests behind them. While a message waits for a receive, the peer's window
 * begins at that message.
 */
static bool mrc_req_reaches(const struct mrc_req *r, u32 psn)
{
	if (r->stops && mrc_psn_diff(psn, r->stop_psn) >= 0 && mrc_req_is_request(r, psn))
		return false;
	if (r->wait.since && mrc_psn_diff(psn, r->wait.psn) > (s32)r->tx.size)
		return false;
	return (u32)mrc_psn_diff(psn, r->tx.una) < r->tx.size;
}

/* Finds the first lost packet of a response: it may go out while lost SENDs before it wait. */
static bool mrc_req_lost_response(const struct mrc_req *r, u32 *psn)
{
	const struct mrc_sendq *q = &r->rspq;
	const struct mrc_msg *m;
	u32 index;

	for (index = q->una; index != q->tail; index++) {
		m = mrc_sendq_at(q, index);
		if (mrc_tx_first_lost(&r->tx, m->psn, m->sent, psn))
			return mrc_req_reaches(r, *psn);
	}
	return false;
}

/* The hint may lie before the first lost packet; planning moves the hint. */
static bool mrc_req_resends(const struct mrc_req *r)
{
	u32 psn;

	return r->tx.lost && (mrc_req_reaches(r, r->tx.rtx_hint) ||
			      (r->stops && mrc_req_lost_response(r, &psn)));
}

/* Return: false: there is no lost packet that the peer takes now. */
static bool mrc_req_plan_lost(struct mrc_req *r, u32 max, const struct mrc_cc_grant *g,
			      struct mrc_batch *b)
{
	u32 psn;

	if (!mrc_tx_next_lost(&r->tx, &psn))
		return false;
	if (!mrc_req_reaches(r, psn)) {
		if (!r->stops || !mrc_req_lost_response(r, &psn))
			return false;
		max = 1;	/* nobody has counted how many there are behind it */
	}
	while (b->bytes + g->least <= g->room_lost && mrc_req_reaches(r, psn)) {
		struct mrc_plan *p = &b->plan[b->count++];

		p->psn = psn;
		p->bytes = mrc_tx_bytes(&r->tx, psn);
		b->bytes += p->bytes;
		b->apart |= mrc_tx_was_resent(&r->tx, psn);
		if (b->count == min(r->tx.lost, max))
			break;
		psn = mrc_tx_lost_after(&r->tx, psn);
	}
	return true;
}

/*
 * Room that is worth a batch. A window that opens packet by packet would be refilled packet by
 * packet, one skb each. So wait until an eighth of a large window is open.
 */
static u32 mrc_req_worth(const struct mrc_req *r, const struct mrc_cc_grant *g)
{
	return min(g->cwnd / 8, MRC_BATCH_MAX / 2 * mrc_sendq_bytes_max(r->sendq.mtu));
}

/* PSNs that may be sent; 0 also when the window of PSNs has room, but too little for a batch. */
static u32 mrc_req_psns(const struct mrc_req *r)
{
	u32 room = mrc_tx_room(&r->tx);

	/* While a message waits for a receive, the peer's window begins at that message. */
	if (r->wait.since)
		room = min(room, r->tx.size - min(r->tx.size,
						  (u32)mrc_psn_diff(r->tx.nxt, r->wait.psn)));

	return room < min(r->tx.size / 8, MRC_BATCH_MAX / 2) ? 0 : room;
}

static void mrc_req_plan_new(struct mrc_req *r, u32 max, const struct mrc_cc_grant *g,
			     struct mrc_batch *b)
{
	u32 worth = mrc_req_worth(r, g), least = g->least;
	u32 room = g->room < worth ? 0 : g->room;
	u32 psn = r->tx.nxt, bytes = 0;
	struct mrc_plan *p = b->plan;
	struct mrc_sendq *q;

	max = min(max, mrc_req_psns(r));
	for (; b->count < max && (q = mrc_req_next_queue(r, psn)); b->count++, p++) {
		u32 size = mrc_req_in_flight(mrc_sendq_next_bytes(q));

		if (bytes + min(least, size) > room)
			break;
		mrc_sendq_next(q, psn, &r->next_msn, &p->msg);
		p->response = q == &r->rspq;
		r->rsp_turn = !p->response;
		p->psn = psn;
		p->bytes = size;
		bytes += size;
		psn = mrc_psn_add(psn, 1);
	}
	b->bytes = bytes;
	b->full = bytes + max(worth, least) > room;
}

bool mrc_req_wants(const struct mrc_req *r, u64 now)
{
	if (now < r->pause_until)
		return false;
	return mrc_req_resends(r) || (mrc_req_has_new(r) && mrc_req_psns(r));
}

bool mrc_req_plan(struct mrc_req *r, u64 now, unsigned int max, const struct mrc_cc_grant *g,
		  struct mrc_batch *b)
{
	if (!mrc_req_wants(r, now))
		return false;
	max = min(max, MRC_BATCH_MAX);
	b->count = 0;
	b->bytes = 0;
	b->apart = false;
	b->full = false;
	b->ask_after = g->ask_after;
	b->rtx = r->tx.lost && mrc_req_plan_lost(r, max, g, b);
	b->any = b->rtx && mrc_tx_in_vain(&r->tx);
	if (!b->rtx)
		mrc_req_plan_new(r, max, g, b);
	return b->count;
}

unsigned int mrc_req_stride(const struct mrc_batch *b, unsigned int burst,
			    unsigned int good, unsigned int bad)
{
	/* At least two EVs, because one path may fail. */
	unsigned int want = max(DIV_ROUND_UP(b->count, mrc_req_burst(b, burst)),
				min(b->count, 2u));

	return min(want, max(good + (b->any ? bad : 0), 1u));
}

/* Can an answer name this packet, sent @after the last one that was executed, as what has failed? */
static bool mrc_req_names(const struct mrc_req *r, u32 psn, s32 after)
{
	return (mrc_req_is_open(&r->sendq) || mrc_req_is_open(&r->rspq)) &&
	       mrc_psn_diff(psn, r->acked_psn) >= after && mrc_psn_diff(psn, r->tx.nxt) < 0;
}

static void mrc_req_take(struct mrc_req *r, const struct mrc_batch *b,
			 struct mrc_plan *p, u64 now)
{
	p->was = MRC_EV_NONE;
	if (!b->rtx) {
		mrc_tx_send(&r->tx, p->bytes, p->ev, now);
		return;
	}
	p->was = mrc_tx_ev(&r->tx, p->psn);
	p->response = !mrc_req_is_request(r, p->psn);
	p->msg = mrc_sendq_find(mrc_req_queue_of(r, p), p->psn);
	mrc_tx_resend(&r->tx, p->psn, p->ev, now);
}

/*
 * The last packet before a pause asks for a SACK. When requests run out, it always asks. When the
 * window is full, the SACKs that are due anyway will open it. So it asks then only if much was sent
 * since the last time, because the peer's SACK threshold may be larger than the window.
 */
static bool mrc_req_ask(struct mrc_req *r, const struct mrc_batch *b)
{
	u32 since = (u32)mrc_psn_diff(r->tx.nxt, r->asked_psn);

	if (!b->rtx)
		r->unasked += b->bytes;
	if (mrc_req_resends(r))
		return false;
	if (mrc_req_has_new(r)) {
		bool full = b->full || !mrc_req_psns(r);

		if (!full || (since < r->tx.size / 2 && r->unasked < b->ask_after))
			return false;
	}
	r->asked_psn = r->tx.nxt;
	r->unasked = 0;
	return true;
}

/*
 * Was an EV drawn twice? Then packets of that EV do not leave in the order of PSNs, because they
 * leave skb by skb.
 */
static bool mrc_req_drawn_twice(const u16 *ev, unsigned int stride)
{
	unsigned int i, e;

	for (e = 1; e < stride; e++)
		for (i = 0; i < e; i++)
			if (ev[i] == ev[e])
				return true;
	return false;
}

void mrc_req_deal(struct mrc_req *r, struct mrc_batch *b, const u16 *ev,
		  unsigned int stride, u64 now)
{
	/* Consecutive packets take different EVs, also from one batch to the next. */
	unsigned int skip = stride > 1 && ev[0] == r->last_ev;
	unsigned int i, e;

	b->stride = stride;
	for (i = 0; i < b->count; i++) {
		b->plan[i].ev = ev[(i + skip) % stride];
		mrc_req_take(r, b, &b->plan[i], now);
	}
	if (mrc_req_drawn_twice(ev, stride))
		for (e = 0; e < stride; e++)
			for (i = e; i < b->count; i += stride)
				mrc_tx_leaves(&r->tx, b->plan[i].psn);
	r->last_ev = b->plan[b->count - 1].ev;
	b->ask = mrc_req_ask(r, b);
	r->ack_wait = 0;
}

/* ---- answers ------------------------------------------------------------- */

static void mrc_req_note_acked(struct mrc_req *r, const struct mrc_tx_result *res)
{
	if (res->acked)
		r->pauses = 0;
}

/* Begins a pause, unless there is one: NACKs for packets sent before a pause do not prolong it. */
static void mrc_req_pause(struct mrc_req *r, u64 now)
{
	u64 least = max(r->tx.rtt.srtt_ns, r->tx.rtt.timing->pause);
	u64 most = min(r->tx.rtt.retries.timeout_ns, MRC_TX_INTERVAL_MAX_NS);

	if (now < r->pause_until)
		return;
	r->pause_until = now + min(min(least, most) << r->pauses, most);
	if (r->pauses < MRC_REQ_PAUSES_MAX)
		r->pauses++;
}

/* Has everything arrived that can arrive, so that only an ACK is missing? */
static bool mrc_req_is_done(struct mrc_req *r)
{
	u32 psn;

	if (r->tx.inflight)
		return false;
	if (!r->tx.lost || r->wait.since)
		return true;
	/* The hint may be old: only the first lost packet itself says whether it may go out. */
	return r->stops && mrc_tx_next_lost(&r->tx, &psn) && !mrc_req_reaches(r, psn);
}

/* Is there a message that an ACK would end, or a SEND that an ACK would let go on? */
static bool mrc_req_wants_ack(const struct mrc_req *r)
{
	const struct mrc_sendq *q = &r->sendq;

	return mrc_sendq_unanswered(q) || mrc_sendq_unanswered(&r->rspq) ||
	       (mrc_sendq_has_new(q) && mrc_sendq_waits(q, mrc_sendq_at(q, q->cur)));
}

/*
 * Does the oldest request wait for its response alone? Nothing behind it completes before, so
 * nothing else is worth asking for.
 */
static bool mrc_req_awaits_answer(const struct mrc_req *r)
{
	const struct mrc_sendq *q = &r->sendq;
	const struct mrc_msg *m = mrc_sendq_at(q, q->una);

	return q->reads && mrc_sendq_unanswered(q) && !mrc_sendq_unanswered(&r->rspq) &&
	       mrc_msg_fetches(m) && !m->answered && mrc_psn_diff(r->acked_psn, m->psn) >= 0;
}

/* ns, before which the peer is not asked; 0: it may be asked. */
static u64 mrc_req_unasked_until(const struct mrc_req *r)
{
	if (r->wait.since)
		return r->wait.until;
	return mrc_req_awaits_answer(r) ? r->answer_until : 0;
}

void mrc_req_settle(struct mrc_req *r, u64 now)
{
	if (mrc_req_is_done(r) && mrc_req_wants_ack(r)) {
		if (!r->ack_wait)
			r->ack_wait = max(now, mrc_req_unasked_until(r));
	} else {
		r->ack_wait = 0;
		r->ack_retries = 0;
	}
}

bool mrc_req_unsent(struct mrc_req *r, u32 psn, u64 now, struct mrc_tx_result *res)
{
	if (!mrc_tx_unsent(&r->tx, psn, now, res))
		mrc_req_pause(r, now);
	res->cause = MRC_CC_REFUSED;
	mrc_req_note_lost(r, now);
	return !res->expired;
}

/* How far beyond the cumulative PSN the last packet in a SACK's bitmap is; 0: there is none. */
static u32 mrc_req_shown(const struct mrc_sack *sack)
{
	s32 last = sack->sack_offset + fls64(sack->bitmap) - 1;

	return sack->bitmap && last > 0 ? (u32)last : 0;
}

static void mrc_req_reach_sack(struct mrc_req *r, const struct mrc_sack *sack, u64 now)
{
	mrc_reach_sack(&r->reach, sack->mpr, mrc_req_shown(sack), now);
	r->tx.size = r->reach.now;
}

/*
 * The peer drops all packets beyond its window: no path has lost them. Return: false: this packet
 * was refused for another reason.
 */
static bool mrc_req_put_back(struct mrc_req *r, u32 psn, u64 now, struct mrc_tx_result *res)
{
	u32 ahead = (u32)mrc_psn_diff(psn, r->tx.una) + 1;

	if (!mrc_reach_exceeded(&r->reach, ahead, now))
		return false;
	r->tx.size = r->reach.now;
	if (r->tx.size < mrc_tx_in_window(&r->tx))
		mrc_tx_put_back(&r->tx, mrc_psn_add(r->tx.una, (s32)r->tx.size), r->tx.nxt, res);
	return true;
}

/* A packet in flight was refused: pause, or put back all packets beyond the peer's window. */
static void mrc_req_refused(struct mrc_req *r, const struct mrc_nack *nack, u64 now,
			    struct mrc_tx_result *res)
{
	if (res->expired || nack->reason != MRC_NACK_PSN_OOR_WINDOW ||
	    !mrc_req_put_back(r, nack->psn, now, res))
		mrc_req_pause(r, now);
	mrc_req_note_lost(r, now);
}

int mrc_req_sack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now,
		 struct mrc_tx_result *res)
{
	int err = mrc_tx_sack(&r->tx, &hdr->sack, hdr->bth.rtx, now, res);

	if (err)
		return err;
	mrc_req_reach_sack(r, &hdr->sack, now);
	res->mark = hdr->sack.m;
	res->entropy = hdr->sack.entropy;
	res->penalty = hdr->sack.cwnd_pen;
	res->restore = hdr->sack.restore_cwnd;
	mrc_req_note_acked(r, res);
	mrc_req_settle(r, now);
	return 0;
}

/*
 * Is this the last packet of a WriteImm that may wait for a receive? Then nothing up to it is
 * missing, and the request was not executed.
 */
static bool mrc_req_may_wait(const struct mrc_req *r, u32 psn)
{
	const struct mrc_msg *m;

	if (mrc_psn_diff(psn, r->tx.una) >= 0 || mrc_psn_diff(psn, r->acked_psn) <= 0 ||
	    !mrc_sendq_names(&r->sendq, psn, r->tx.nxt))
		return false;
	m = mrc_sendq_at(&r->sendq, mrc_sendq_find(&r->sendq, psn));
	return m->has_imm && m->op == MRC_MSG_WRITE &&
	       psn == mrc_psn_add(m->psn, (s32)m->packets - 1);
}

/*
 * The peer says by itself when it has a receive. So it is asked rarely: each interval is twice as
 * long as the one before, up to ask_max. Return: false: the wait has been too long.
 */
static bool mrc_req_bear_wait(struct mrc_req *r, u32 psn, u64 now)
{
	const struct mrc_timing *timing = r->tx.rtt.timing;
	struct mrc_req_wait *w = &r->wait;
	u64 least = max(r->tx.rtt.srtt_ns, timing->pause);

	if (!w->since || w->psn != psn)
		*w = (struct mrc_req_wait){ .psn = psn, .since = now, .bear = w->bear };
	if (now - w->since >= w->bear)
		return false;
	w->until = now + min(min(least << w->rounds, timing->ask_max),
			     w->bear - (now - w->since));
	if (w->rounds < MRC_REQ_PAUSES_MAX)
		w->rounds++;
	mrc_tx_heard(&r->tx, now);
	r->ack_wait = 0;
	r->ack_retries = 0;
	mrc_req_settle(r, now);
	return true;
}

/*
 * Puts back the packets in flight of the SENDs that wait: the peer takes none of them. A SACK may
 * have been here before the NACK: then EVs were blamed for packets that the peer has refused.
 */
static void mrc_req_stop_sends(struct mrc_req *r, u32 index, struct mrc_tx_result *res)
{
	const struct mrc_sendq *q = &r->sendq;
	const struct mrc_msg *m;

	for (; index != q->tail && (m = mrc_sendq_at(q, index))->sent; index++) {
		if (!mrc_sendq_waits(q, m))
			continue;
		mrc_tx_put_back(&r->tx, m->psn, mrc_psn_add(m->psn, (s32)m->sent), res);
		mrc_tx_excuse(&r->tx, m->psn, mrc_psn_add(m->psn, (s32)m->sent), res);
	}
}

/* Has the limit changed? Then begun SENDs may wait, or go on. */
static void mrc_req_heed_limit(struct mrc_req *r)
{
	r->stops = r->sendq.limited && mrc_sendq_first_waiting(&r->sendq, &r->stop_psn);
}

/*
 * The SEND to which @psn belongs has no receive, nor have later ones. A NACK that repeats this is
 * no news: the ACK behind it says whether the wait goes on. Return: false: the peer has had none
 * for the oldest request for too long.
 */
static bool mrc_req_limit(struct mrc_req *r, u32 psn, u64 now, struct mrc_tx_result *res)
{
	struct mrc_sendq *q = &r->sendq;
	u32 index = mrc_sendq_find(q, psn);
	const struct mrc_msg *m = mrc_sendq_at(q, index);

	if (mrc_sendq_waits(q, m)) {
		mrc_req_note_lost(r, now);
		return true;
	}
	q->limited = true;
	q->limit = m->rqmsn;
	mrc_req_stop_sends(r, index, res);
	mrc_req_heed_limit(r);
	if (index == q->una)
		return mrc_req_bear_wait(r, m->psn, now);
	mrc_req_settle(r, now);
	return true;
}

/*
 * An ACK tells how many receives are posted for messages after @psn. ACKs overtake each other: one
 * that is older than another tells nothing new, nor does one in the middle of a message. Return:
 * false as for mrc_req_limit().
 */
static bool mrc_req_take_credits(struct mrc_req *r, u8 syndrome, u32 psn, u64 now)
{
	struct mrc_sendq *q = &r->sendq;
	u32 credits = mrc_credits_decode(syndrome);
	bool told = credits != MRC_CREDITS_NONE;
	u32 index = mrc_sendq_after(q, psn), first = mrc_sendq_first_psn(q, index, r->tx.nxt);
	const struct mrc_msg *m = index == q->tail ? NULL : mrc_sendq_at(q, index);
	u16 limit;

	if (psn != r->acked_psn || mrc_psn_diff(first, psn) <= 0)
		return true;
	/* If the peer tells nothing, the next SEND finds out. */
	credits = told ? min(credits, MRC_REQ_CREDITS_MAX) : 1;
	limit = (u16)((m ? m->rqmsn : q->next_rqmsn) + credits);
	if ((s16)(limit - q->limit) > 0)
		q->limit = limit;
	/* Without requests there is nothing to ask for, so the next SEND finds out. */
	q->limited = m && (s16)(q->limit - q->next_rqmsn) < 0;
	mrc_req_heed_limit(r);
	if (m && mrc_sendq_waits(q, m))
		return mrc_req_bear_wait(r, first, now);
	/* To send what was sent before to a peer that tells nothing is part of the wait. */
	if (!m || (m->op == MRC_MSG_SEND && (told || m->sent < m->packets)))
		r->wait.since = 0;
	return true;
}

/*
 * Why a packet was refused. An ACK may have told that there is a receive for its SEND: another QP
 * may have taken that from an SRQ since, or the NACK is an old one. The next ACK tells.
 */
static enum mrc_tx_refusal mrc_req_why(const struct mrc_req *r, const struct mrc_nack *nack)
{
	const struct mrc_sendq *q = &r->sendq;
	const struct mrc_msg *m;

	if (mrc_nack_is_trim(nack->reason))
		return MRC_TX_TRIMMED;
	if (nack->reason != MRC_NACK_NO_RESOURCE || !mrc_sendq_names(q, nack->psn, r->tx.nxt) ||
	    !mrc_req_is_request(r, nack->psn))
		return MRC_TX_NO_ROOM;
	m = mrc_sendq_at(q, mrc_sendq_find(q, nack->psn));
	return m->op == MRC_MSG_SEND ? MRC_TX_NO_RECEIVE : MRC_TX_NO_ROOM;
}

int mrc_req_nack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now,
		 struct mrc_tx_result *res)
{
	const struct mrc_nack *nack = &hdr->nack;
	enum mrc_tx_refusal why = mrc_req_why(r, nack);
	int err;

	mrc_tx_result_init(res);
	/* Of what was executed, a response may be missing. */
	if (mrc_nack_is_fatal(nack->reason) && !mrc_req_names(r, nack->psn, 0))
		return -EINVAL;
	err = mrc_tx_nack(&r->tx, nack->psn, why, now, res);
	res->unwanted = mrc_nack_is_fatal(nack->reason) && !mrc_req_is_request(r, nack->psn);
	res->cause = why == MRC_TX_TRIMMED ? MRC_CC_TRIMMED : MRC_CC_REFUSED;
	if (nack->reason == MRC_NACK_TRIMMED)
		res->mark = MRC_SACK_SKIP_ONCE;
	res->entropy = nack->entropy;
	if (why == MRC_TX_NO_RECEIVE && (!err || mrc_tx_lost_once(&r->tx, nack->psn)))
		res->no_receive = !mrc_req_limit(r, nack->psn, now, res);
	else if (!err && why == MRC_TX_NO_ROOM)
		mrc_req_refused(r, nack, now, res);
	else if (nack->reason == MRC_NACK_NO_RESOURCE && mrc_req_may_wait(r, nack->psn))
		res->no_receive = !mrc_req_bear_wait(r, nack->psn, now);
	else if (!err)
		mrc_req_note_lost(r, now);
	return err;
}

/*
 * The peer is there, and has not answered a READ or atomic yet: the response comes by itself. So
 * the peer is asked rarely: each interval is twice as long as the one before. An ACK that nobody
 * has asked for changes nothing.
 */
static void mrc_req_bear_answer(struct mrc_req *r, u64 now)
{
	const struct mrc_timing *timing = r->tx.rtt.timing;
	u64 least = max(r->tx.rtt.srtt_ns, timing->pause);

	if (now >= r->answer_until) {
		r->answer_until = now + min(least << r->answer_rounds, timing->ask_max);
		if (r->answer_rounds < MRC_REQ_PAUSES_MAX)
			r->answer_rounds++;
	}
	mrc_tx_heard(&r->tx, now);
	r->ack_wait = 0;
	r->ack_retries = 0;
}

int mrc_req_ack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now, u32 *psn,
		struct mrc_tx_result *res)
{
	bool nak = mrc_syndrome_is_nak(hdr->ack.syndrome);
	int err;

	mrc_tx_result_init(res);
	if (nak ? !mrc_req_names(r, hdr->bth.psn, 1) :
		  !mrc_syndrome_is_ack(hdr->ack.syndrome))
		return -EINVAL;
	*psn = nak ? mrc_psn_add(hdr->bth.psn, -1) : hdr->bth.psn;
	err = mrc_tx_ack(&r->tx, *psn, now, res);
	if (err)
		return err;
	res->unwanted = nak && !mrc_req_is_request(r, hdr->bth.psn);
	mrc_req_note_acked(r, res);
	if (mrc_psn_diff(*psn, r->acked_psn) > 0)
		r->acked_psn = *psn;
	if (mrc_psn_diff(*psn, r->wait.psn) >= 0)
		r->wait.since = 0;
	if (!nak && r->sendq.limited)
		res->no_receive = !mrc_req_take_credits(r, hdr->ack.syndrome, *psn, now);
	if (!r->wait.since && mrc_req_awaits_answer(r))
		mrc_req_bear_answer(r, now);
	return 0;
}

/* While a SEND waits for a receive, una does not pass it. */
struct mrc_msg *mrc_req_response_done(const struct mrc_req *r)
{
	const struct mrc_sendq *q = &r->rspq;
	struct mrc_msg *m;

	if (!mrc_sendq_unanswered(q))
		return NULL;
	m = mrc_sendq_done(q, mrc_psn_add(r->tx.una, -1));
	if (m || !r->stops)
		return m;
	m = mrc_sendq_at(q, q->una);
	return mrc_tx_has_arrived(&r->tx, m->psn, m->packets) ? m : NULL;
}

void mrc_req_answered(struct mrc_req *r, u32 index)
{
	mrc_sendq_at(&r->sendq, index)->answered = true;
	r->answer_until = 0;
	r->answer_rounds = 0;
}

/* ---- news ---------------------------------------------------------------- */

static enum mrc_req_verdict mrc_req_judge_nack(u8 reason, int err, const struct mrc_tx_result *res)
{
	if (mrc_nack_is_fatal(reason))
		return res->unwanted ? MRC_REQ_UNWANTED : MRC_REQ_UNEXPECTED;
	if (res->no_receive)
		return MRC_REQ_NO_RECEIVE;
	return !err && res->expired ? MRC_REQ_REFUSED : MRC_REQ_GOES_ON;
}

static enum mrc_req_verdict mrc_req_judge_ack(u8 syndrome, const struct mrc_tx_result *res)
{
	if (mrc_syndrome_is_ack(syndrome))
		return res->no_receive ? MRC_REQ_NO_RECEIVE : MRC_REQ_GOES_ON;
	if (res->unwanted)
		return MRC_REQ_UNWANTED;
	switch (syndrome) {
	case MRC_NAK_ACCESS:
		return MRC_REQ_NO_ACCESS;
	case MRC_NAK_INVALID:
		return MRC_REQ_INVALID;
	default:
		return MRC_REQ_PEER_FAILED;
	}
}

enum mrc_req_verdict mrc_req_judge(const struct mrc_hdr *hdr, int err,
				   const struct mrc_tx_result *res)
{
	if (err == -EINVAL)
		return MRC_REQ_BAD_ANSWER;
	if (hdr->bth.opcode == MRC_OP_NACK)
		return mrc_req_judge_nack(hdr->nack.reason, err, res);
	return mrc_req_judge_ack(hdr->ack.syndrome, res);
}

void mrc_req_cc_news(const struct mrc_req *r, const struct mrc_tx_result *res, u64 now,
		     struct mrc_cc_news *n)
{
	*n = (struct mrc_cc_news) {
		.acked = res->acked_bytes,
		.landed = res->landed_bytes,
		.lost = res->lost_bytes,
		.blameless = res->blameless_bytes,
		.cause = res->cause,
		.rtt_ns = res->data_rtt_ns,
		.marked = res->mark == MRC_SACK_SKIP_ONCE,
		.waiting = mrc_req_wants(r, now),
		.restore = res->restore,
		.penalty = res->penalty,
		.heard = res->acked || res->rtt_ns || res->cause == MRC_CC_TRIMMED,
		.silent = res->silent_since > 1,
	};
}

bool mrc_req_news(struct mrc_req *r, struct mrc_tx_result *res, u64 now,
		  struct mrc_news *n)
{
	bool first = !res->told;

	res->told = true;
	n->rtt_ns = first ? res->rtt_ns : 0;
	n->stirred = first && res->acked;
	n->mark = first ? res->mark : MRC_SACK_NONE;
	n->marked_ev = res->ev;
	n->entropy = res->entropy;
	n->silent_since = res->silent_since;
	n->late_since = res->late_since;
	n->dropped = 0;
	mrc_tx_take_news(&r->tx, now, n);
	return n->count || n->rtt_ns || n->stirred || n->mark != MRC_SACK_NONE ||
	       (first && n->silent_since);
}

bool mrc_req_heed_state(struct mrc_req *r, const struct mrc_paths *paths,
			const struct mrc_news_ev *n, bool *silent)
{
	if (!mrc_news_is_late(n) || n->ev >= paths->count)
		return false;
	*silent = !mrc_ev_is_usable(&paths->set.ev[n->ev]);
	mrc_evidence_set_silent(&r->tx.evidence, n->ev, *silent);
	return true;
}

u16 mrc_req_next_silent(struct mrc_req *r, const struct mrc_paths *paths)
{
	struct mrc_evidence *e = &r->tx.evidence;
	u16 ev;

	for (ev = 0; e->asking && ev < paths->count; ev++) {
		if (!e->ev[ev].asked || e->ev[ev].silent ||
		    READ_ONCE(paths->set.ev[ev].state) != MRC_EV_ASSUMED_BAD)
			continue;
		mrc_evidence_set_silent(e, ev, true);
		return ev;
	}
	return MRC_EV_NONE;
}

/* ---- time ---------------------------------------------------------------- */

/*
 * When the current wait for an ACK has been as long as a timeout. After the last retry there is one
 * more interval before the timer gives up. As for packets, the wait is never less than two smoothed
 * RTTs.
 */
static u64 mrc_req_ack_deadline(const struct mrc_req *r)
{
	u64 interval = mrc_rtt_interval(&r->tx.rtt.retries, r->ack_retries);

	return r->ack_wait + max(interval ?: r->tx.rtt.retries.timeout_ns,
				 min(2 * r->tx.rtt.srtt_ns, MRC_TX_INTERVAL_MAX_NS));
}

/* When to ask for a missing ACK. */
static u64 mrc_req_ask_at(const struct mrc_req *r, u64 now)
{
	return max(mrc_tx_ask_at(&r->tx, now), mrc_req_unasked_until(r));
}

/* The earlier one of two times, where 0 means never. */
static u64 mrc_req_earlier(u64 a, u64 b)
{
	return a && b ? min(a, b) : a + b;
}

static u64 mrc_req_deadline(const struct mrc_req *r, u64 now)
{
	u64 at = r->ack_wait ? min(mrc_req_ack_deadline(r), mrc_req_ask_at(r, now)) :
			       mrc_req_earlier(mrc_tx_deadline(&r->tx, now),
				       mrc_tx_probe_at(&r->tx, now));

	return mrc_req_earlier(mrc_req_earlier(at, r->pause_until), r->gone_at);
}

u64 mrc_req_timer_at(const struct mrc_req *r, u64 now)
{
	u64 at = mrc_req_deadline(r, now);

	return at ? max(at, r->looked_at + r->tx.rtt.timing->look) : 0;
}

/* Return: false: no ACK has come for as long as the retries of a packet take. */
static bool mrc_req_bear_silence(struct mrc_req *r, u64 now)
{
	if (now < mrc_req_ack_deadline(r))
		return true;
	if (!mrc_rtt_interval(&r->tx.rtt.retries, r->ack_retries))
		return false;
	if (r->ack_retries < U8_MAX)
		r->ack_retries++;
	r->ack_wait = now;
	return true;
}

/* The last packets before a pause are not answered: a probe finds out sooner than a timeout. */
static enum mrc_req_due mrc_req_probe(struct mrc_req *r, u64 now,
				      struct mrc_tx_result *res)
{
	if (r->tx.probes)
		res->silent_since = r->tx.quiet_ns;
	mrc_tx_probe(&r->tx, now);
	return MRC_REQ_PROBE;
}

enum mrc_req_due mrc_req_timer(struct mrc_req *r, u64 now,
			       struct mrc_tx_result *res)
{
	u64 at = mrc_req_deadline(r, now);

	mrc_tx_begin(&r->tx, res);
	if (!at)
		return MRC_REQ_NOTHING;
	if (at > now) {
		r->looked_at = now;
		return MRC_REQ_NOTHING;
	}
	if (r->gone_at && now >= r->gone_at) {
		r->gone_at = mrc_tx_lose_gone(&r->tx, now, res);
		res->cause = MRC_CC_PORT;
		mrc_req_note_lost(r, now);
		return MRC_REQ_GONE;
	}
	if (r->pause_until && now >= r->pause_until) {
		r->pause_until = 0;
		return MRC_REQ_GO_ON;
	}
	if (r->ack_wait && !mrc_req_bear_silence(r, now))
		return MRC_REQ_FAILED;
	if (r->ack_wait)
		return mrc_req_ask_at(r, now) > now ? MRC_REQ_NOTHING :
						      mrc_req_probe(r, now, res);
	if (mrc_tx_deadline(&r->tx, now) > now)
		return mrc_req_probe(r, now, res);
	mrc_tx_timeout(&r->tx, now, res);
	mrc_req_note_lost(r, now);
	return res->expired ? MRC_REQ_FAILED : MRC_REQ_LOST;
}

bool mrc_req_probe_now(struct mrc_req *r, u64 now)
{
	if (!mrc_tx_in_window(&r->tx))
		return false;
	mrc_tx_probe(&r->tx, now);
	return true;
}

void mrc_req_put_probe(const struct mrc_req *r, struct mrc_answers *a)
{
	mrc_answers_probe(a, r->tx.probe_id);
	a->ev = r->tx.probe_ev;
	a->evs_gen = r->evs_gen;
}
