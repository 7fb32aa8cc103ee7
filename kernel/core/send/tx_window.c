// SPDX-License-Identifier: GPL-2.0-only
#include "tx_window.h"
#include "../base/psn.h"

void mrc_tx_window_init(struct mrc_tx_window *w, void *mem, const struct mrc_tx_cfg *cfg, u32 psn)
{
	memset(w, 0, sizeof(*w));
	w->size = cfg->size;
	w->rtt.retries = cfg->retries;
	w->rtt.peer_ns = cfg->peer_rtt_ns;
	w->rtt.timing = &mrc_timing_software;
	w->ring = mem;
	w->units = (u8 *)&w->ring[cfg->size];
	w->ring_size = cfg->size;
	w->una = psn & MRC_PSN_MASK;
	w->nxt = w->una;
	w->high = w->una;
	w->told = mrc_psn_add(w->una, -1);
	w->rtx_hint = w->una;
	mrc_evidence_init(&w->evidence);
}

void mrc_tx_begin(struct mrc_tx_window *w, struct mrc_tx_result *res)
{
	mrc_tx_result_init(res);
	mrc_evidence_drop_news(&w->evidence);
}

void mrc_tx_heard(struct mrc_tx_window *w, u64 now)
{
	w->quiet_ns = max(w->quiet_ns, now);
	w->news_ns = w->quiet_ns;
	w->probes = 0;
}

u32 mrc_tx_room(const struct mrc_tx_window *w)
{
	u32 size = min(w->size, w->ring_size);
	u32 used = mrc_tx_in_window(w);

	return used < size ? size - used : 0;
}

u32 mrc_tx_bytes(const struct mrc_tx_window *w, u32 psn)
{
	return w->units[mrc_tx_ring_index(w, psn)] * MRC_TX_BYTES_UNIT;
}

bool mrc_tx_was_resent(const struct mrc_tx_window *w, u32 psn)
{
	return mrc_tx_rec_at(w, psn)->flags & MRC_TX_RESENT;
}

u16 mrc_tx_ev(const struct mrc_tx_window *w, u32 psn)
{
	return mrc_tx_rec_ev(mrc_tx_rec_at(w, psn));
}

/*
 * A packet is about to leave: updates the deadline. First transmissions that leave at the same time
 * have the same timeout, so one update serves all of them.
 */
static void mrc_tx_wait_for(struct mrc_tx_window *w, const struct mrc_tx_rec *rec,
			    u64 now)
{
	u64 deadline;

	if (w->inflight && !rec->retries && now == w->waits_from)
		return;
	deadline = now + mrc_rtt_timeout(&w->rtt, rec->retries);
	if (!w->inflight || deadline < w->deadline_ns)
		w->deadline_ns = deadline;
	w->waits_from = rec->retries ? 0 : now;
}

static void mrc_tx_launch(struct mrc_tx_window *w, struct mrc_tx_rec *rec,
			  struct mrc_tx_rec was, u32 bytes, u16 ev, u64 now)
{
	mrc_tx_wait_for(w, &was, now);
	*rec = mrc_evidence_launch(&w->evidence, was, ev, now);
	w->quiet_ns = now;
	w->news_ns = now;
	w->probes = 0;
	w->inflight++;
	w->inflight_bytes += bytes;
}

u32 mrc_tx_send(struct mrc_tx_window *w, u32 bytes, u16 ev, u64 now)
{
	u32 units = DIV_ROUND_UP(min(bytes, MRC_TX_BYTES_MAX), MRC_TX_BYTES_UNIT);
	u32 psn = w->nxt, index = mrc_tx_ring_index(w, psn);

	w->units[index] = (u8)units;
	mrc_tx_launch(w, &w->ring[index], (struct mrc_tx_rec){ 0 }, units * MRC_TX_BYTES_UNIT, ev,
		      now);
	w->nxt = mrc_psn_add(psn, 1);
	return psn;
}

const struct mrc_tx_rec *mrc_tx_next_lost(struct mrc_tx_window *w, u32 *psn)
{
	struct mrc_tx_rec *rec;

	if (!w->lost)
		return NULL;
	rec = mrc_tx_rec_at(w, w->rtx_hint);
	while (!(rec->flags & MRC_TX_LOST)) {
		w->rtx_hint = mrc_psn_add(w->rtx_hint, 1);
		rec = mrc_tx_rec_next(w, rec);
	}
	*psn = w->rtx_hint;
	return rec;
}

u32 mrc_tx_lost_after(const struct mrc_tx_window *w, u32 psn)
{
	struct mrc_tx_rec *rec = mrc_tx_rec_at(w, psn);

	do {
		psn = mrc_psn_add(psn, 1);
		rec = mrc_tx_rec_next(w, rec);
	} while (!(rec->flags & MRC_TX_LOST));
	return psn;
}

bool mrc_tx_first_lost(const struct mrc_tx_window *w, u32 psn, u32 count, u32 *lost)
{
	u32 end = mrc_psn_add(psn, (s32)count);

	if (mrc_psn_diff(psn, w->una) < 0)
		psn = w->una;
	for (; mrc_psn_diff(psn, end) < 0; psn = mrc_psn_add(psn, 1)) {
		if (!(mrc_tx_rec_at(w, psn)->flags & MRC_TX_LOST))
			continue;
		*lost = psn;
		return true;
	}
	return false;
}

bool mrc_tx_has_arrived(const struct mrc_tx_window *w, u32 psn, u32 count)
{
	u32 end = mrc_psn_add(psn, (s32)count);

	if (mrc_psn_diff(psn, w->una) < 0)
		psn = w->una;
	while (mrc_psn_diff(psn, end) < 0 && mrc_tx_rec_at(w, psn)->flags & MRC_TX_ACKED)
		psn = mrc_psn_add(psn, 1);
	return mrc_psn_diff(psn, end) >= 0;
}

void mrc_tx_resend(struct mrc_tx_window *w, u32 psn, u16 ev, u64 now)
{
	struct mrc_tx_rec *rec = mrc_tx_rec_find(w, psn);
	struct mrc_tx_rec was;

	if (!rec || !(rec->flags & MRC_TX_LOST))
		return;
	was = *rec;
	was.flags &= ~(MRC_TX_LOST | MRC_TX_CERTAIN);
	was.flags |= was.flags & MRC_TX_RESENT ? MRC_TX_RESENT_MORE : MRC_TX_RESENT;
	w->lost--;
	mrc_tx_launch(w, rec, was, mrc_tx_rec_bytes(w, rec), ev, now);
}

void mrc_tx_leaves(struct mrc_tx_window *w, u32 psn)
{
	struct mrc_tx_rec *rec = mrc_tx_rec_find(w, psn);

	if (rec)
		mrc_evidence_leaves(&w->evidence, rec);
}

void mrc_tx_mark_lost(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn, u8 why,
		      struct mrc_tx_result *res)
{
	u32 bytes = mrc_tx_rec_bytes(w, rec);

	rec->flags |= MRC_TX_LOST | why;
	w->inflight--;
	w->inflight_bytes -= bytes;
	res->lost_bytes += bytes;
	if (!w->lost++ || mrc_psn_diff(psn, w->rtx_hint) < 0)
		w->rtx_hint = psn;
	res->lost++;
}

void mrc_tx_put_back(struct mrc_tx_window *w, u32 psn, u32 end, struct mrc_tx_result *res)
{
	u32 left = w->inflight;
	struct mrc_tx_rec *rec;

	if (mrc_psn_diff(psn, w->una) < 0)
		psn = w->una;
	if (mrc_psn_diff(end, psn) <= 0)
		return;
	mrc_tx_for_each_inflight(w, rec, psn, end, left)
		mrc_tx_mark_lost(w, rec, psn, 0, res);
}

void mrc_tx_forget_evs(struct mrc_tx_window *w)
{
	struct mrc_tx_rec *rec = &w->ring[w->head];
	u32 left = mrc_tx_in_window(w);
	unsigned int i;

	for (; left; left--) {
		if (rec->ev != MRC_TX_ON_GONE)
			rec->ev = MRC_TX_ON_NONE;
		rec = mrc_tx_rec_next(w, rec);
	}
	for (i = 0; i < MRC_TX_PROBES_KEPT; i++)
		w->probed[i].ev = MRC_EV_NONE;
	w->probe_ev = MRC_EV_NONE;
	mrc_evidence_forget_evs(&w->evidence);
}
