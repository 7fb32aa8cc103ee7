// SPDX-License-Identifier: GPL-2.0-only
#include "tx_loss.h"
#include "../base/psn.h"

/* Return: false when refusals have lasted too long. Their number does not matter, only time. */
static bool mrc_tx_bear_refusal(struct mrc_tx_window *w, u64 now)
{
	u64 interval = mrc_rtt_interval(&w->rtt.retries, w->refusals);

	if (!w->refused_at)
		w->refused_at = now;
	if (!interval)
		return false;
	if (now - w->refused_at >= interval) {
		w->refused_at = now;
		if (w->refusals < U8_MAX)
			w->refusals++;
	}
	return true;
}

/*
 * Trims have a longer limit than refusals, because in an incast each packet may be trimmed many
 * times.
 */
static bool mrc_tx_bear_trim(struct mrc_tx_window *w, u64 now)
{
	if (!w->trimmed_at)
		w->trimmed_at = now;
	return now - w->trimmed_at < MRC_TX_TRIMS_NS;
}

static bool mrc_tx_bear(struct mrc_tx_window *w, enum mrc_tx_refusal why, u64 now)
{
	switch (why) {
	case MRC_TX_TRIMMED:
		return mrc_tx_bear_trim(w, now);
	case MRC_TX_NO_RECEIVE:
		return true;
	default:
		return mrc_tx_bear_refusal(w, now);
	}
}

static void mrc_tx_refuse(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn,
			  enum mrc_tx_refusal why, u64 now, struct mrc_tx_result *res)
{
	mrc_tx_begin(w, res);
	res->expired = !mrc_tx_bear(w, why, now);
	if (res->expired)
		return;
	res->ev = mrc_tx_rec_ev(rec);
	mrc_tx_mark_lost(w, rec, psn, 0, res);
}

/* The NACK answers an earlier transmission. That came to the peer, so its EV has not lost it. */
static int mrc_tx_nack_late(struct mrc_tx_window *w, u32 psn,
			    struct mrc_tx_result *res)
{
	if (mrc_evidence_blamed(&w->evidence, psn)) {
		mrc_tx_begin(w, res);
		mrc_evidence_clear(&w->evidence, psn, res);
	}
	return -EALREADY;
}

/*
 * Does a NACK come so soon that it must answer an earlier transmission? The limit is shorter for
 * trims: the head of a trimmed packet overtakes what waits in the queues on its path. The SACKs
 * that gave the smallest RTT were those of packets that waited, in up to three queues, each as long
 * as the path itself.
 */
static bool mrc_tx_nack_soon(const struct mrc_tx_window *w, const struct mrc_tx_rec *rec,
			     bool trimmed, u64 now)
{
	u64 least = trimmed ? w->rtt.min_ns / 4 : w->rtt.min_ns;

	return rec->flags & MRC_TX_RESENT && mrc_tx_age_ns(rec, now) < least;
}

int mrc_tx_nack(struct mrc_tx_window *w, u32 psn, enum mrc_tx_refusal why, u64 now,
		struct mrc_tx_result *res)
{
	struct mrc_tx_rec *rec;

	mrc_tx_result_init(res);
	if (mrc_tx_never_sent(w, psn))
		return -EINVAL;
	rec = mrc_tx_rec_find(w, psn);
	if (!rec || rec->flags & MRC_TX_DONE)
		return mrc_tx_nack_late(w, psn, res);
	if (mrc_tx_nack_soon(w, rec, why == MRC_TX_TRIMMED, now))
		return mrc_tx_nack_late(w, psn, res);
	mrc_tx_refuse(w, rec, psn, why, now, res);
	return 0;
}

bool mrc_tx_lost_once(const struct mrc_tx_window *w, u32 psn)
{
	const struct mrc_tx_rec *rec = mrc_tx_rec_find(w, psn);

	return rec && (rec->flags & (MRC_TX_LOST | MRC_TX_RESENT)) == MRC_TX_LOST;
}

void mrc_tx_excuse(struct mrc_tx_window *w, u32 psn, u32 end, struct mrc_tx_result *res)
{
	if (mrc_psn_diff(psn, w->una) < 0)
		psn = w->una;
	for (; mrc_psn_diff(psn, end) < 0; psn = mrc_psn_add(psn, 1))
		if (mrc_evidence_blamed(&w->evidence, psn))
			mrc_evidence_clear(&w->evidence, psn, res);
}

int mrc_tx_unsent(struct mrc_tx_window *w, u32 psn, u64 now,
		  struct mrc_tx_result *res)
{
	struct mrc_tx_rec *rec = mrc_tx_rec_find(w, psn);

	mrc_tx_result_init(res);
	if (!rec || rec->flags & MRC_TX_DONE)
		return -EALREADY;
	mrc_tx_refuse(w, rec, psn, MRC_TX_NO_ROOM, now, res);
	rec->ev = MRC_TX_ON_NONE;
	return 0;
}

/* Marks a packet whose path is gone at this host. Return: true: the packet is lost now. */
static bool mrc_tx_note_gone(struct mrc_tx_rec *rec, const struct mrc_tx_gone *gone)
{
	if (rec->ev >= MRC_EV_MAX)
		return gone->unsent && rec->ev == MRC_TX_ON_NONE;
	if (test_bit(rec->ev, gone->here))
		rec->ev = MRC_TX_ON_GONE;
	return rec->ev < MRC_EV_MAX && test_bit(rec->ev, gone->there);
}

void mrc_tx_lose_evs(struct mrc_tx_window *w, const struct mrc_tx_gone *gone,
		     struct mrc_tx_result *res)
{
	u32 psn = w->una, left = w->inflight;
	struct mrc_tx_rec *rec;

	mrc_tx_begin(w, res);
	/* A port that is back may lead to a peer that was silent: probe as often as at first. */
	w->probes = 0;
	w->news_ns = w->quiet_ns;
	mrc_tx_for_each_inflight(w, rec, psn, w->nxt, left) {
		if (mrc_tx_note_gone(rec, gone))
			mrc_tx_mark_lost(w, rec, psn, 0, res);
	}
}

/*
 * Return: ticks that are left of @wait since the packet left, 0: none. Another CPU's clock may be
 * ahead.
 */
static u32 mrc_tx_left_of(const struct mrc_tx_rec *rec, u32 wait, u64 now)
{
	s32 left = (s32)(rec->sent + wait - mrc_tx_ticks(now));

	return left > 0 ? (u32)left : 0;
}

u64 mrc_tx_lose_gone(struct mrc_tx_window *w, u64 now, struct mrc_tx_result *res)
{
	u32 wait = mrc_tx_ticks(mrc_rtt_longest(&w->rtt)), next = U32_MAX;
	u32 psn = w->una, left = w->inflight;
	struct mrc_tx_rec *rec;

	mrc_tx_for_each_inflight(w, rec, psn, w->nxt, left) {
		u32 early = mrc_tx_left_of(rec, wait, now);

		if (rec->ev == MRC_TX_ON_GONE && early)
			next = min(next, early);
		else if (rec->ev == MRC_TX_ON_GONE)
			mrc_tx_mark_lost(w, rec, psn, 0, res);
	}
	if (next == U32_MAX)
		return 0;
	return now + (u64)max(next + 1, wait / 4) * MRC_TX_TICK_NS;
}

u64 mrc_tx_deadline(const struct mrc_tx_window *w, u64 now)
{
	return w->inflight ? max(w->deadline_ns, now) : 0;
}

/* Return: ns, when to look at this packet again; U64_MAX when it is held to be lost. */
static u64 mrc_tx_check_timeout(struct mrc_tx_window *w, struct mrc_tx_rec *rec,
				u32 psn, u64 now, struct mrc_tx_result *res)
{
	u64 interval = mrc_rtt_timeout(&w->rtt, rec->retries);

	if (mrc_tx_ticks(now) - rec->sent < mrc_tx_ticks(interval))
		return now + (interval - mrc_tx_age_ns(rec, now));
	if (!mrc_rtt_interval(&w->rtt.retries, rec->retries)) {
		res->expired = true;
		return now;
	}
	if (rec->retries < MRC_TX_RETRIES_MAX)
		rec->retries++;
	if (!mrc_evidence_timed_out(&w->evidence, rec, psn, now, res)) {
		res->blameless_bytes += mrc_tx_rec_bytes(w, rec);
		w->in_vain |= !!(rec->flags & MRC_TX_RESENT);
	}
	mrc_tx_mark_lost(w, rec, psn, MRC_TX_BY_TIMER, res);
	return U64_MAX;
}

void mrc_tx_timeout(struct mrc_tx_window *w, u64 now,
		    struct mrc_tx_result *res)
{
	u32 psn = w->una, left = w->inflight;
	struct mrc_tx_rec *rec;
	u64 next = U64_MAX;

	mrc_tx_begin(w, res);
	if (!left || now < w->deadline_ns)
		return;
	mrc_tx_for_each_inflight(w, rec, psn, w->nxt, left)
		next = min(next, mrc_tx_check_timeout(w, rec, psn, now, res));
	w->deadline_ns = next;
	w->waits_from = 0;
	if (res->lost)
		w->probe_rounds = 0;
}
