// SPDX-License-Identifier: GPL-2.0-only
#include "tx_sack.h"
#include "../base/psn.h"

/* PSNs that the bitmap of a SACK covers. */
#define MRC_TX_SACK_SPAN	64u

/* A packet in flight has arrived. */
static void mrc_tx_land(struct mrc_tx_window *w, u32 bytes, struct mrc_tx_result *res)
{
	w->inflight--;
	w->inflight_bytes -= bytes;
	res->landed_bytes += bytes;
}

/*
 * Acknowledges a packet that was held to be lost, or was sent again. If it was sent more than once,
 * only its own SACK tells which transmission arrived (see mrc_tx_identify()). So here it is no
 * evidence against other packets.
 *
 * Return: the flags of a packet that was held to be lost but not sent again yet, else 0.
 */
static u8 mrc_tx_ack_troubled(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 bytes, u32 psn,
			      struct mrc_tx_result *res)
{
	u8 flags = rec->flags;

	if (flags & MRC_TX_LOST)
		w->lost--;
	else
		mrc_tx_land(w, bytes, res);
	rec->flags = (flags & ~MRC_TX_LOST) | MRC_TX_ACKED;
	if (flags & MRC_TX_RESENT) {
		if (flags & MRC_TX_CERTAIN)
			mrc_evidence_count(&w->evidence, rec);
		return 0;
	}
	mrc_evidence_acked(&w->evidence, rec);
	if (!(flags & MRC_TX_LOST))
		return 0;
	mrc_evidence_clear(&w->evidence, psn, res);
	return flags;
}

/* Return: as mrc_tx_ack_troubled(), which few packets need. Runs once per PSN, so it is inline. */
static inline u8 mrc_tx_ack_rec(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn,
				struct mrc_tx_result *res)
{
	u32 bytes;

	if (rec->flags & MRC_TX_ACKED)
		return 0;
	bytes = mrc_tx_rec_bytes(w, rec);
	res->acked++;
	res->acked_bytes += bytes;
	if (rec->flags)
		return mrc_tx_ack_troubled(w, rec, bytes, psn, res);
	mrc_tx_land(w, bytes, res);
	mrc_evidence_acked(&w->evidence, rec);
	rec->flags = MRC_TX_ACKED;
	return 0;
}

/* Moves the end of what is acknowledged to @psn, if that is further. */
static void mrc_tx_note_high(struct mrc_tx_window *w, u32 psn)
{
	if (mrc_psn_diff(psn, w->high) > 0)
		w->high = psn;
}

/* Everything up to and including @cack has arrived. The loop runs once per PSN in all. */
static u8 mrc_tx_apply_cack(struct mrc_tx_window *w, u32 cack,
			    struct mrc_tx_result *res)
{
	s32 n = mrc_psn_diff(cack, w->una) + 1;
	struct mrc_tx_rec *rec = &w->ring[w->head];
	u8 wrong = 0;

	if (n <= 0)
		return 0;
	for (; n; n--) {
		wrong |= mrc_tx_ack_rec(w, rec, w->una, res);
		w->una = mrc_psn_add(w->una, 1);
		rec = mrc_tx_rec_next(w, rec);
	}
	w->head = (u32)(rec - w->ring);
	mrc_tx_note_high(w, w->una);
	if (mrc_psn_diff(w->rtx_hint, w->una) < 0)
		w->rtx_hint = w->una;
	mrc_evidence_passed(&w->evidence, w->una);
	/* @told must not fall so far behind that serial numbers wrap. */
	if (mrc_psn_diff(w->told, w->una) < -1)
		w->told = mrc_psn_add(w->una, -1);
	return wrong;
}

static u8 mrc_tx_apply_bitmap(struct mrc_tx_window *w, u32 base, u64 bits,
			      struct mrc_tx_result *res)
{
	/* In this order: a PSN half the number space behind una must not look ahead of it. */
	s32 ahead = mrc_psn_diff(base, w->una);
	u8 wrong = 0;

	if (ahead <= -64)
		return 0;
	if (ahead < 0)
		bits &= ~0ull << -ahead;
	if (bits)
		mrc_tx_note_high(w, mrc_psn_add(base, fls64(bits)));
	for (; bits; bits &= bits - 1) {
		u32 psn = mrc_psn_add(base, (s32)__ffs64(bits));

		wrong |= mrc_tx_ack_rec(w, mrc_tx_rec_at(w, psn), psn, res);
	}
	return wrong;
}

/*
 * Has more arrived than is known of? Then a SACK is late, or was lost. Both numbers only grow, in
 * whatever order SACKs come. If SACKs told less than is known, the peer does not count, and so the
 * answer is yes, too.
 */
static bool mrc_tx_uninformed(const struct mrc_tx_window *w)
{
	u32 known = mrc_tx_in_window(w) - w->inflight - w->lost;

	return mrc_psn_diff(w->told, w->una) + 1 != (s32)known;
}

static u32 mrc_tx_told_by(const struct mrc_sack *sack)
{
	return mrc_psn_add(sack->cack_psn, sack->ooo_count);
}

/* Ignores a count of more packets than were ever sent. */
static void mrc_tx_note_told(struct mrc_tx_window *w, const struct mrc_sack *sack)
{
	u32 told = mrc_tx_told_by(sack);

	if (!mrc_tx_never_sent(w, told) && mrc_psn_diff(told, w->told) > 0)
		w->told = told;
}

/*
 * struct mrc_tx_judge - how packets in flight are judged
 * @probe: the probe that has been answered, NULL: the answer was to a packet
 * @slack: ticks of reordering that rule (a) tolerates
 * @window: ticks by which a packet that was SACKed must have been sent later, for rule (b)
 * @longest: ticks that the slowest EV takes
 * @times: rule (b) holds a packet to be lost after so many times the time that its EV takes
 * @now: ns
 */
struct mrc_tx_judge {
	const struct mrc_tx_probed *probe;
	u32 slack;
	u32 window;
	u32 longest;
	u32 times;
	u64 now;
};

static struct mrc_tx_judge mrc_tx_judge_by(const struct mrc_tx_window *w,
					   const struct mrc_tx_probed *probe, u64 now)
{
	return (struct mrc_tx_judge) {
		.probe = probe,
		.slack = mrc_tx_ticks(w->rtt.ev_slack_ns),
		.window = mrc_tx_ticks(mrc_rtt_reorder_window(&w->rtt)),
		.longest = mrc_tx_ticks(w->rtt.high_ns),
		.times = probe ? MRC_TX_LOST_PROBED : MRC_TX_LOST_AFTER,
		.now = now,
	};
}

/* Has the peer answered something that was sent later, on any EV? */
static bool mrc_tx_overtaken(const struct mrc_tx_window *w, const struct mrc_tx_rec *rec,
			     const struct mrc_tx_judge *j)
{
	u32 latest;

	if (!j->probe)
		return w->rtt.min_ns && mrc_evidence_overtaken(&w->evidence, rec, j->window);
	latest = mrc_tx_ticks(j->probe->sent_ns) - j->window;
	return (s32)(latest - rec->sent) > 0;
}

/* Rule (a) by a probe that took the packet's EV, in the same traffic class. */
static bool mrc_tx_behind(const struct mrc_tx_rec *rec, const struct mrc_tx_judge *j)
{
	return j->probe && rec->ev == j->probe->ev && !(rec->flags & MRC_TX_RESENT) &&
	       (s32)(mrc_tx_ticks(j->probe->sent_ns) - rec->sent - j->slack) > 0;
}

/* Is a later probe on the packet's EV unanswered, too, while an even later one was answered? */
static bool mrc_tx_probed_in_vain(const struct mrc_tx_window *w, const struct mrc_tx_rec *rec,
				  const struct mrc_tx_judge *j)
{
	const struct mrc_tx_probed *p;
	unsigned int i;

	for (i = 0; i < MRC_TX_PROBES_KEPT && j->probe; i++) {
		p = &w->probed[i];
		if (p->sent_ns && !p->answered && p->ev == rec->ev &&
		    p->sent_ns < j->probe->sent_ns &&
		    (s32)(mrc_tx_ticks(p->sent_ns) - rec->sent) > 0)
			return true;
	}
	return false;
}

/* Return: the rule by which a packet in flight is lost, MRC_TX_BY_*; 0: it is not. */
static u8 mrc_tx_lost_by(struct mrc_tx_window *w, const struct mrc_tx_rec *rec, u32 psn,
			 const struct mrc_tx_judge *j, struct mrc_tx_result *res)
{
	struct mrc_evidence *e = &w->evidence;
	bool silent = mrc_evidence_is_silent(e, (u16)rec->ev);
	u32 late = silent ? MRC_TX_LOST_SILENT : min(j->times, MRC_TX_LATE);

	if (mrc_evidence_overdue(e, rec, j->slack) || mrc_tx_behind(rec, j))
		return MRC_TX_BY_EV;
	if (!mrc_tx_overtaken(w, rec, j) || !mrc_evidence_late(e, rec, late, j->longest))
		return 0;
	if (silent || mrc_evidence_late(e, rec, j->times, j->longest))
		return MRC_TX_BY_TIME;
	mrc_evidence_ask(e, rec, psn, j->now, res);
	return 0;
}

/*
 * Judges the packets in [@psn, @end), which lies in [una, nxt). Stops as soon as it has seen as
 * many packets in flight as can lie there, so mere reordering costs little.
 */
static void mrc_tx_infer_losses(struct mrc_tx_window *w, u32 psn, u32 end,
				const struct mrc_tx_judge *j, struct mrc_tx_result *res)
{
	/* All packets beyond the highest that has arrived are in flight or lost. */
	u32 beyond = mrc_psn_diff(end, w->high) < 0 ? 0 : (u32)mrc_psn_diff(w->nxt, end);
	u32 beyond_inflight = beyond - min(w->lost, beyond);
	u32 left = w->inflight - min(w->inflight, beyond_inflight);
	struct mrc_tx_rec *rec;
	u8 why;

	mrc_tx_for_each_inflight(w, rec, psn, end, left) {
		why = mrc_tx_lost_by(w, rec, psn, j, res);
		if (why == MRC_TX_BY_TIME && mrc_tx_probed_in_vain(w, rec, j))
			mrc_evidence_ask(&w->evidence, rec, psn, j->now, res);
		if (!why)
			continue;
		mrc_evidence_blame(&w->evidence, rec, psn, why == MRC_TX_BY_EV, j->now, res);
		mrc_tx_mark_lost(w, rec, psn, why, res);
	}
}

static u32 mrc_tx_psn_clamp(u32 psn, u32 from, u32 to)
{
	if (mrc_psn_diff(psn, from) < 0)
		return from;
	return mrc_psn_diff(psn, to) > 0 ? to : psn;
}

/*
 * Narrows [@from, @end) to the PSNs of which this SACK, which has been applied, says for certain
 * what has not arrived. An older SACK knew of fewer arrivals: packets that it leaves out may have
 * arrived since.
 *
 * Return: false when the SACK says nothing for certain.
 */
static bool mrc_tx_covered(const struct mrc_tx_window *w, const struct mrc_sack *sack,
			   u32 *from, u32 *end)
{
	u32 base = mrc_psn_add(sack->cack_psn, sack->sack_offset);

	if (!mrc_tx_uninformed(w))
		return true;
	*from = mrc_tx_psn_clamp(base, *from, *end);
	*end = mrc_tx_psn_clamp(mrc_psn_add(base, MRC_TX_SACK_SPAN), *from, *end);
	return mrc_psn_diff(mrc_tx_told_by(sack), w->told) >= 0;
}

static void mrc_tx_judge_packets(struct mrc_tx_window *w, const struct mrc_sack *sack, u32 end,
				 u64 now, struct mrc_tx_result *res)
{
	struct mrc_tx_judge j = mrc_tx_judge_by(w, NULL, now);
	u32 from = w->una;

	if (mrc_tx_covered(w, sack, &from, &end))
		mrc_tx_infer_losses(w, from, end, &j, res);
}

static struct mrc_tx_probed *mrc_tx_find_probe(struct mrc_tx_window *w, u16 id, u64 now)
{
	struct mrc_tx_probed *p = &w->probed[id % MRC_TX_PROBES_KEPT];

	if (!p->sent_ns || p->id != id || now - p->sent_ns > MRC_TX_INTERVAL_MAX_NS)
		return NULL;
	return p;
}

/*
 * The answer to a probe, or a part of it, after its bitmap has been applied. When no arrival is
 * left unknown, further parts are ignored, so that a peer cannot make us walk over the window again
 * and again.
 */
static void mrc_tx_apply_probe(struct mrc_tx_window *w, const struct mrc_sack *sack,
			       u64 now, struct mrc_tx_result *res)
{
	struct mrc_tx_probed *p = mrc_tx_find_probe(w, (u16)sack->ack_offset, now);
	u32 from = w->una, end = w->nxt;
	struct mrc_tx_probed probe;
	struct mrc_tx_judge j;
	u32 lost = res->lost;
	bool first;

	if (!p)
		return;
	probe = *p;
	first = !p->answered;
	p->answered = true;
	if (!mrc_tx_uninformed(w))
		p->sent_ns = 0;
	if (first)
		res->rtt_ns = mrc_rtt_sample(&w->rtt, now - probe.sent_ns);
	mrc_evidence_probed(&w->evidence, first ? probe.ev : MRC_EV_NONE, probe.sent_ns);
	w->in_vain = false;
	if (w->probe_rounds >= MRC_TX_PROBE_ROUNDS || !mrc_tx_covered(w, sack, &from, &end))
		return;
	j = mrc_tx_judge_by(w, &probe, now);
	mrc_tx_infer_losses(w, from, end, &j, res);
	w->probe_rounds += first && res->lost > lost;
}

/*
 * struct mrc_tx_digest - a SACK while it is applied
 * @sack: the SACK
 * @rtx: its BTH.rtx
 * @base: PSN of the first bit in @bits
 * @bits: its bitmap without the zeros before the first one
 * @end: losses are looked for before this PSN
 * @wrong: MRC_TX_BY_*, the rules that gave up packets which have arrived
 */
struct mrc_tx_digest {
	const struct mrc_sack *sack;
	bool rtx;
	u32 base;
	u64 bits;
	u32 end;
	u8 wrong;
};

/* Both ends of the bitmap are checked, because far enough from @nxt the serial order reverses. */
static bool mrc_tx_sack_plausible(const struct mrc_tx_window *w, const struct mrc_tx_digest *d)
{
	const struct mrc_sack *sack = d->sack;
	u32 trigger = mrc_psn_add(sack->cack_psn, sack->ack_offset);

	if (mrc_tx_never_sent(w, sack->cack_psn))
		return false;
	if (!sack->probe && mrc_tx_never_sent(w, trigger))
		return false;
	return !d->bits || (!mrc_tx_never_sent(w, d->base) &&
			    !mrc_tx_never_sent(w, mrc_psn_add(d->base, fls64(d->bits) - 1)));
}

/*
 * Finds the packet whose arrival caused the SACK. The SACK's rtx flag tells whether the original or
 * a retransmission arrived. Only if that singles out one transmission, the SACK gives an RTT and
 * names an EV. A retransmission was sent after packets with higher PSNs, so its arrival says
 * something of those, too.
 */
static void mrc_tx_identify(struct mrc_tx_window *w, struct mrc_tx_digest *d, u64 now,
			    struct mrc_tx_result *res)
{
	u32 psn = mrc_psn_add(d->sack->cack_psn, d->sack->ack_offset);
	struct mrc_tx_rec *rec = mrc_tx_rec_find(w, psn);
	bool resent;

	if (d->sack->probe)
		return;
	if (!d->rtx)
		mrc_evidence_clear(&w->evidence, psn, res);
	if (!rec)
		return;
	resent = rec->flags & MRC_TX_RESENT;
	if (resent && !d->rtx && !(rec->flags & MRC_TX_ACKED)) {
		res->spurious = true;
		d->wrong |= rec->flags;
	}
	if (resent != d->rtx || rec->flags & MRC_TX_RESENT_MORE)
		return;

	res->ev = mrc_tx_rec_ev(rec);
	if (rec->flags & MRC_TX_ACKED)
		return;
	res->rtt_ns = mrc_rtt_sample(&w->rtt, mrc_tx_age_ns(rec, now));
	if (!resent) {
		res->data_rtt_ns = res->rtt_ns;
		return;
	}
	rec->flags |= MRC_TX_CERTAIN;
	mrc_evidence_arrived(&w->evidence, rec);
	d->end = w->nxt;
}

static void mrc_tx_note_acked(struct mrc_tx_window *w, u64 now,
			      const struct mrc_tx_result *res)
{
	if (!res->acked)
		return;
	mrc_tx_heard(w, now);
	w->probe_rounds = 0;
	w->refusals = 0;
	w->refused_at = 0;
	w->trimmed_at = 0;
	w->in_vain = false;
}

/* Applies what has arrived. */
static void mrc_tx_acknowledge(struct mrc_tx_window *w, struct mrc_tx_digest *d, u64 now,
			       struct mrc_tx_result *res)
{
	u8 early = mrc_tx_apply_cack(w, d->sack->cack_psn, res);

	early |= mrc_tx_apply_bitmap(w, d->base, d->bits, res);
	if (early)
		res->spurious = true;
	mrc_rtt_tolerate(&w->rtt, d->wrong | early, now);
	mrc_tx_note_told(w, d->sack);
	mrc_tx_note_acked(w, now, res);
}

/* Infers what is lost from what has not arrived. */
static void mrc_tx_infer(struct mrc_tx_window *w, const struct mrc_tx_digest *d, u64 now,
			 struct mrc_tx_result *res)
{
	u32 end = mrc_psn_diff(d->end, w->high) < 0 ? w->high : d->end;

	if (res->acked || mrc_tx_uninformed(w))
		mrc_tx_judge_packets(w, d->sack, end, now, res);
	if (d->sack->probe)
		mrc_tx_apply_probe(w, d->sack, now, res);
}

int mrc_tx_sack(struct mrc_tx_window *w, const struct mrc_sack *sack, bool rtx,
		u64 now, struct mrc_tx_result *res)
{
	struct mrc_tx_digest d = {
		.sack = sack,
		.rtx = rtx,
		.base = mrc_psn_add(sack->cack_psn, sack->sack_offset),
		.bits = sack->bitmap,
		.end = w->una,
	};

	mrc_tx_result_init(res);
	if (d.bits) {
		d.base = mrc_psn_add(d.base, (s32)__ffs64(d.bits));
		d.bits >>= __ffs64(d.bits);
	}
	if (!mrc_tx_sack_plausible(w, &d))
		return -EINVAL;

	mrc_tx_begin(w, res);
	mrc_evidence_met(&w->evidence, w->nxt, now);
	w->waits_from = 0;
	mrc_rtt_decay(&w->rtt, now);
	mrc_tx_identify(w, &d, now, res);
	mrc_tx_acknowledge(w, &d, now, res);
	mrc_tx_infer(w, &d, now, res);
	return 0;
}

int mrc_tx_ack(struct mrc_tx_window *w, u32 psn, u64 now,
	       struct mrc_tx_result *res)
{
	mrc_tx_result_init(res);
	if (mrc_tx_never_sent(w, psn))
		return -EINVAL;
	mrc_tx_begin(w, res);
	mrc_evidence_met(&w->evidence, w->nxt, now);
	if (mrc_tx_apply_cack(w, psn, res))
		res->spurious = true;
	mrc_tx_note_acked(w, now, res);
	return 0;
}

u64 mrc_tx_ask_at(const struct mrc_tx_window *w, u64 now)
{
	u64 silence = w->quiet_ns - min(w->news_ns, w->quiet_ns);

	return max(w->quiet_ns + mrc_rtt_probe_wait(&w->rtt, w->probes, silence, w->in_vain), now);
}

u64 mrc_tx_probe_at(const struct mrc_tx_window *w, u64 now)
{
	if (!w->inflight || w->probe_rounds >= MRC_TX_PROBE_ROUNDS)
		return 0;
	return mrc_tx_ask_at(w, now);
}

/* The EV of the oldest packet in flight, or MRC_EV_NONE. */
static u16 mrc_tx_oldest_ev(const struct mrc_tx_window *w)
{
	u32 psn = w->una, left = w->inflight;
	struct mrc_tx_rec *rec;

	mrc_tx_for_each_inflight(w, rec, psn, w->nxt, left)
		return mrc_tx_rec_ev(rec);
	return MRC_EV_NONE;
}

u16 mrc_tx_probe(struct mrc_tx_window *w, u64 now)
{
	u16 id = ++w->probe_id;

	w->probe_ev = w->probes % 2 ? MRC_EV_NONE : mrc_tx_oldest_ev(w);
	if (mrc_evidence_is_silent(&w->evidence, w->probe_ev))
		w->probe_ev = MRC_EV_NONE;
	w->probed[id % MRC_TX_PROBES_KEPT] = (struct mrc_tx_probed){
		.sent_ns = now, .id = id, .ev = w->probe_ev,
	};
	w->quiet_ns = now;
	if (w->probes < U8_MAX)
		w->probes++;
	return id;
}
