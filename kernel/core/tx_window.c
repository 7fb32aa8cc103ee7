// SPDX-License-Identifier: GPL-2.0-only
#include "tx_window.h"
#include "psn.h"

#define REC_ACKED	0x01
#define REC_LOST	0x02	/* waits for retransmission */
#define REC_RESENT	0x04
#define REC_RESENT_MORE	0x08	/* twice or more: nobody knows which one is answered */
#define REC_BY_EV	0x10	/* was held to be lost by rule (a) ... */
#define REC_BY_TIME	0x20	/* ... by rule (b) ... */
#define REC_BY_TIMER	0x40	/* ... by its timeout */
#define REC_CERTAIN	0x80	/* resent, and the newest transmission has arrived */
#define REC_DONE	(REC_ACKED | REC_LOST)

#define HALF_WRAP	0x80000000u

/* PSNs that the bitmap of a SACK covers. */
#define SACK_SPAN	64u

/* How long the tolerance for reordering stays after it had to grow. */
#define QUIET_RTTS	64u
#define QUIET_MIN_NS	(1000ull * 1000 * 1000)

/* Samples in which the highest RTT comes down by two thirds. */
#define HIGH_RTT_SAMPLES	64u
/* Timeouts that turn out to be too short grow to so many times the configured one. */
#define PATIENCE_MAX	16u

static u32 ticks(u64 ns)
{
	return (u32)(ns / MRC_TX_TICK_NS);
}

static void forget_given_up(struct mrc_tx_window *w)
{
	unsigned int i;

	for (i = 0; i < MRC_TX_GIVEN_UP; i++)
		w->given_up[i].ev = MRC_EV_NONE;
}

void mrc_tx_window_init(struct mrc_tx_window *w, struct mrc_tx_rec *ring,
			const struct mrc_tx_cfg *cfg, u32 psn)
{
	memset(w, 0, sizeof(*w));
	w->cfg = *cfg;
	w->ring = ring;
	w->ring_size = cfg->size;
	w->una = psn & MRC_PSN_MASK;
	w->nxt = w->una;
	w->high = w->una;
	w->told = mrc_psn_add(w->una, -1);
	w->rtx_hint = w->una;
	forget_given_up(w);
}

void mrc_tx_result_init(struct mrc_tx_result *res)
{
	memset(res, 0, sizeof(*res));
	res->ev = MRC_EV_NONE;
}

static u32 in_window(const struct mrc_tx_window *w)
{
	return (u32)mrc_psn_diff(w->nxt, w->una);
}

u32 mrc_tx_room(const struct mrc_tx_window *w)
{
	u32 size = min(w->cfg.size, w->ring_size);
	u32 used = in_window(w);

	return used < size ? size - used : 0;
}

/* Ring index of a PSN in [una, nxt]. */
static u32 ring_index(const struct mrc_tx_window *w, u32 psn)
{
	u32 at = w->head + (u32)mrc_psn_diff(psn, w->una);

	return at >= w->ring_size ? at - w->ring_size : at;
}

static struct mrc_tx_rec *rec_at(const struct mrc_tx_window *w, u32 psn)
{
	return &w->ring[ring_index(w, psn)];
}

static struct mrc_tx_rec *rec_next(const struct mrc_tx_window *w,
				   struct mrc_tx_rec *rec)
{
	return ++rec == w->ring + w->ring_size ? w->ring : rec;
}

static bool never_sent(const struct mrc_tx_window *w, u32 psn)
{
	return mrc_psn_diff(psn, w->nxt) >= 0;
}

/* The record of a PSN, or NULL when it is not in [una, nxt). */
static struct mrc_tx_rec *rec_find(const struct mrc_tx_window *w, u32 psn)
{
	s32 off = mrc_psn_diff(psn, w->una);

	return off >= 0 && (u32)off < in_window(w) ? rec_at(w, psn) : NULL;
}

static u64 age_ns(const struct mrc_tx_rec *rec, u64 now)
{
	return (u64)(ticks(now) - rec->sent) * MRC_TX_TICK_NS;
}

u64 mrc_tx_interval(const struct mrc_tx_cfg *cfg, unsigned int retries)
{
	u64 ns = min(cfg->timeout_ns, MRC_TX_INTERVAL_MAX_NS);
	unsigned int shift;

	if (retries >= (unsigned int)cfg->linear + cfg->exp &&
	    cfg->exp < MRC_EXP_MAX)
		return 0;
	if (retries < cfg->linear)
		return ns;
	/* without linear retries the first timeout is not doubled either */
	shift = retries - cfg->linear + (cfg->linear ? 1 : 0);
	if (shift >= 38 || ns > MRC_TX_INTERVAL_MAX_NS >> shift)
		return MRC_TX_INTERVAL_MAX_NS;
	return ns << shift;
}

/*
 * How long this transmission is waited for, its last retry included. Never less
 * than two round trips, nor than what was too short of late: a timeout below the RTT would
 * only add to the load.
 */
static u64 rec_interval(const struct mrc_tx_window *w, unsigned int retries)
{
	u64 ns = mrc_tx_interval(&w->cfg, retries);
	u64 least = max(2 * w->srtt_ns, w->patience_ns);

	if (!ns && retries)
		ns = mrc_tx_interval(&w->cfg, retries - 1);
	if (!ns)
		ns = min(w->cfg.timeout_ns, MRC_TX_INTERVAL_MAX_NS);
	return max(ns, min(least, MRC_TX_INTERVAL_MAX_NS));
}

static void newest_forget_old(struct mrc_tx_newest *n, u64 now)
{
	if (ticks(now) - n->sent >= HALF_WRAP)
		n->any = false;
}

static void newest_add(struct mrc_tx_newest *n, u32 sent)
{
	if (n->any && (s32)(sent - n->sent) <= 0)
		return;
	n->any = true;
	n->sent = sent;
}

/* Was it sent more than @ticks after @rec? */
static bool newest_is_later(const struct mrc_tx_newest *n,
			    const struct mrc_tx_rec *rec, u32 ticks)
{
	return n->any && (s32)(n->sent - rec->sent - ticks) > 0;
}

/*
 * Forget evidence that is so old that serial numbers would show it as new:
 * the newest acknowledged send time, and the same per EV by its sequence number.
 */
static void forget_old(struct mrc_tx_window *w, u16 ev, u64 now)
{
	newest_forget_old(&w->first, now);
	newest_forget_old(&w->again, now);
	newest_forget_old(&w->probed_at, now);
	if (ev < MRC_EV_MAX && w->seq - w->ev[ev].seq >= HALF_WRAP)
		w->ev[ev].seq = 0;
}

static void launch(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u16 ev,
		   u64 now)
{
	u64 deadline = now + rec_interval(w, rec->retries);

	forget_old(w, ev, now);
	rec->sent = ticks(now);
	rec->seq = w->seq++;
	rec->ev = ev;
	w->quiet_ns = now;
	w->probes = 0;
	if (!w->inflight++ || deadline < w->deadline_ns)
		w->deadline_ns = deadline;
}

u32 mrc_tx_send(struct mrc_tx_window *w, u16 ev, u32 cookie, u64 now)
{
	struct mrc_tx_rec *rec = rec_at(w, w->nxt);
	u32 psn = w->nxt;

	rec->retries = 0;
	rec->flags = 0;
	rec->cookie = cookie;
	launch(w, rec, ev, now);
	w->nxt = mrc_psn_add(psn, 1);
	return psn;
}

const struct mrc_tx_rec *mrc_tx_next_lost(struct mrc_tx_window *w, u32 *psn)
{
	struct mrc_tx_rec *rec;

	if (!w->lost)
		return NULL;
	rec = rec_at(w, w->rtx_hint);
	while (!(rec->flags & REC_LOST)) {
		w->rtx_hint = mrc_psn_add(w->rtx_hint, 1);
		rec = rec_next(w, rec);
	}
	*psn = w->rtx_hint;
	return rec;
}

void mrc_tx_resend(struct mrc_tx_window *w, u32 psn, u16 ev, u64 now)
{
	struct mrc_tx_rec *rec = rec_find(w, psn);

	if (!rec || !(rec->flags & REC_LOST))
		return;
	rec->flags &= ~(REC_LOST | REC_CERTAIN);
	rec->flags |= rec->flags & REC_RESENT ? REC_RESENT_MORE : REC_RESENT;
	w->lost--;
	launch(w, rec, ev, now);
}

void mrc_tx_leaves(struct mrc_tx_window *w, u32 psn)
{
	struct mrc_tx_rec *rec = rec_find(w, psn);

	if (rec)
		rec->seq = w->seq++;
}

/* Where a first transmission of this PSN is remembered. */
static struct mrc_tx_given_up *given_up(struct mrc_tx_window *w, u32 psn)
{
	return &w->given_up[psn % MRC_TX_GIVEN_UP];
}

static void mark_lost(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn,
		      u8 why, struct mrc_tx_result *res)
{
	rec->flags |= REC_LOST | why;
	w->inflight--;
	if (!w->lost++ || mrc_psn_diff(psn, w->rtx_hint) < 0)
		w->rtx_hint = psn;
	res->lost++;
}

/* Others may have heard of the EV since: so it is in doubt, and no other. */
static void doubt_ev(const struct mrc_tx_rec *rec, struct mrc_tx_result *res)
{
	if (rec->ev >= MRC_EV_MAX)
		return;
	__set_bit(rec->ev, res->silent_evs);
	if (!res->silent_since)
		res->silent_since = 1;
}

static void blame_ev(struct mrc_tx_window *w, const struct mrc_tx_rec *rec,
		     u32 psn, struct mrc_tx_result *res)
{
	struct mrc_tx_given_up *g = given_up(w, psn);

	if (rec->ev >= MRC_EV_MAX)
		return;
	if (w->meeting && mrc_psn_diff(psn, w->met_psn) < 0)
		return doubt_ev(rec, res);
	__set_bit(rec->ev, res->lost_evs);
	if (rec->flags & REC_RESENT)
		return;
	g->psn = psn;
	g->seq = w->seq;
	g->ev = rec->ev;
}

static void give_up(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn,
		    u8 why, struct mrc_tx_result *res)
{
	blame_ev(w, rec, psn, res);
	mark_lost(w, rec, psn, why, res);
}

/* The first transmission of this PSN has arrived, be it long after the second. */
static void clear_evs(struct mrc_tx_window *w, u32 psn,
		      struct mrc_tx_result *res)
{
	struct mrc_tx_given_up *g = given_up(w, psn);

	if (g->ev == MRC_EV_NONE || g->psn != psn)
		return;
	if (w->seq - g->seq < MRC_TX_GIVEN_UP_LASTS) {
		__set_bit(g->ev, res->cleared_evs);
		res->spurious = true;
	}
	g->ev = MRC_EV_NONE;
}

/* The peer speaks. */
static void note_met(struct mrc_tx_window *w)
{
	if (w->met)
		return;
	w->met = true;
	w->meeting = true;
	w->met_psn = w->nxt;
}

/* A transmission is known to have arrived: what goes no slower and was sent before it is overdue. */
static void add_evidence(struct mrc_tx_window *w, const struct mrc_tx_rec *rec)
{
	bool again = rec->flags & REC_RESENT;
	struct mrc_tx_ev *e;

	newest_add(again ? &w->again : &w->first, rec->sent);
	if (again || rec->ev >= MRC_EV_MAX)
		return;
	e = &w->ev[rec->ev];
	if (!e->seq || (s32)(rec->seq + 1 - e->seq) > 0) {
		e->seq = rec->seq + 1;
		e->sent = rec->sent;
	}
}

static void count_acked(struct mrc_tx_window *w, const struct mrc_tx_rec *rec,
			struct mrc_tx_result *res)
{
	struct mrc_tx_ev *e;

	if (rec->ev >= MRC_EV_MAX)
		return;
	e = &w->ev[rec->ev];
	if (!e->acked++ || (s32)(rec->sent - e->heard) > 0)
		e->heard = rec->sent;
	__set_bit(rec->ev, res->acked_evs);
}

/*
 * Of a packet that was sent more than once only its own SACK tells which one
 * arrived (see apply_trigger()); here it is no evidence against others.
 *
 * Return: the flags of a packet that had been given up though it was not sent
 * again yet, else 0.
 */
static u8 ack_rec(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn,
		  struct mrc_tx_result *res)
{
	u8 flags = rec->flags;

	if (flags & REC_ACKED)
		return 0;
	if (flags & REC_LOST)
		w->lost--;
	else
		w->inflight--;
	rec->flags = (flags & ~REC_LOST) | REC_ACKED;
	res->acked++;
	if (!(flags & REC_RESENT))
		add_evidence(w, rec);
	if (!(flags & REC_RESENT) || flags & REC_CERTAIN)
		count_acked(w, rec, res);
	if (mrc_psn_diff(psn, w->high) >= 0)
		w->high = mrc_psn_add(psn, 1);
	if (flags & REC_LOST && !(flags & REC_RESENT))
		clear_evs(w, psn, res);
	return flags & REC_LOST && !(flags & REC_RESENT) ? flags : 0;
}

/* Everything up to and including @cack has arrived; once per PSN in all. */
static u8 apply_cack(struct mrc_tx_window *w, u32 cack,
		     struct mrc_tx_result *res)
{
	s32 n = mrc_psn_diff(cack, w->una) + 1;
	struct mrc_tx_rec *rec = &w->ring[w->head];
	u8 wrong = 0;

	if (n <= 0)
		return 0;
	for (; n; n--) {
		wrong |= ack_rec(w, rec, w->una, res);
		w->una = mrc_psn_add(w->una, 1);
		rec = rec_next(w, rec);
	}
	w->head = (u32)(rec - w->ring);
	if (mrc_psn_diff(w->rtx_hint, w->una) < 0)
		w->rtx_hint = w->una;
	if (mrc_psn_diff(w->una, w->met_psn) >= 0)
		w->meeting = false;
	/* Never so far behind that serial numbers turn. */
	if (mrc_psn_diff(w->told, w->una) < -1)
		w->told = mrc_psn_add(w->una, -1);
	return wrong;
}

static u8 apply_bitmap(struct mrc_tx_window *w, u32 base, u64 bits,
		       struct mrc_tx_result *res)
{
	/* This way round: half the number space behind una must not look ahead of it. */
	s32 ahead = mrc_psn_diff(base, w->una);
	u8 wrong = 0;

	if (ahead <= -64)
		return 0;
	if (ahead < 0)
		bits &= ~0ull << -ahead;
	for (; bits; bits &= bits - 1) {
		u32 psn = mrc_psn_add(base, (s32)__ffs64(bits));

		wrong |= ack_rec(w, rec_at(w, psn), psn, res);
	}
	return wrong;
}

static void rtt_sample(struct mrc_tx_window *w, u64 rtt,
		       struct mrc_tx_result *res)
{
	if (rtt < MRC_TX_TICK_NS)
		rtt = MRC_TX_TICK_NS;
	res->rtt_ns = rtt;
	if (!w->min_rtt_ns || rtt < w->min_rtt_ns)
		w->min_rtt_ns = rtt;
	if (!w->srtt_ns)
		w->srtt_ns = rtt;
	else
		w->srtt_ns = w->srtt_ns - w->srtt_ns / 8 + rtt / 8;
	if (rtt > w->high_rtt_ns)
		w->high_rtt_ns = rtt;
	else
		w->high_rtt_ns -= (w->high_rtt_ns - rtt) / HIGH_RTT_SAMPLES;
}

/* A slow path is as far behind a fast one as their RTTs differ. */
static u64 rtt_spread(const struct mrc_tx_window *w)
{
	return w->high_rtt_ns - w->min_rtt_ns;
}

/*
 * Half as much again as paths differed by of late: a queue goes on growing while a packet
 * waits in it, when paths have gone and the others take their load.
 */
static u64 reorder_window(const struct mrc_tx_window *w)
{
	u64 allowed = w->reorder_ns ? w->reorder_ns : w->min_rtt_ns / 4;

	return max(allowed, rtt_spread(w) * 3 / 2);
}

/*
 * A timeout was too short: a queue has grown faster than the smoothed RTT, and what is sent
 * again gives no RTT. Once per time waited, for all that was given up in it.
 */
static void wait_longer(struct mrc_tx_window *w, u64 now)
{
	u64 most = PATIENCE_MAX * min(w->cfg.timeout_ns, MRC_TX_INTERVAL_MAX_NS);

	if (now < w->longer_at_ns)
		return;
	w->patience_ns = min(2 * rec_interval(w, 0), max(most, 2 * w->srtt_ns));
	w->longer_at_ns = now + w->patience_ns;
}

/*
 * A packet was given up wrongly, by the rules in @why: allow more reordering.
 * Queues of different planes may differ by more than the smallest RTT ever
 * seen, so rule (b) may grow to twice the smoothed RTT if that is more. Rule (a)
 * is exact for packets, but SACKs take several ways back: one that tells of a later
 * packet may overtake the one that tells of an earlier. Never less than before: while a
 * path stands still the others make the smoothed RTT small.
 */
static void tolerate(struct mrc_tx_window *w, u8 why, u64 now)
{
	u64 quiet = max((u64)QUIET_RTTS * w->srtt_ns, QUIET_MIN_NS);
	u64 most = max(4 * w->min_rtt_ns, 2 * w->srtt_ns);
	u64 slack = min(max(2 * w->ev_slack_ns, w->min_rtt_ns / 4),
			max(w->min_rtt_ns, rtt_spread(w)));
	u64 reorder = min(2 * reorder_window(w), most);

	if (why & REC_BY_EV)
		w->ev_slack_ns = max(w->ev_slack_ns, slack);
	if (why & REC_BY_TIME)
		w->reorder_ns = max(w->reorder_ns, reorder);
	if (why & REC_BY_TIMER)
		wait_longer(w, now);
	if (why & (REC_BY_EV | REC_BY_TIME | REC_BY_TIMER))
		w->decay_at_ns = now + quiet;
}

static void decay(struct mrc_tx_window *w, u64 now)
{
	if (!w->decay_at_ns || now < w->decay_at_ns)
		return;
	w->ev_slack_ns /= 2;
	if (w->ev_slack_ns < w->min_rtt_ns / 16)
		w->ev_slack_ns = 0;
	w->reorder_ns /= 2;
	if (w->reorder_ns <= w->min_rtt_ns / 4)
		w->reorder_ns = 0;
	w->patience_ns /= 2;
	if (w->patience_ns <= min(w->cfg.timeout_ns, MRC_TX_INTERVAL_MAX_NS))
		w->patience_ns = 0;
	w->decay_at_ns = 0;
	if (w->ev_slack_ns || w->reorder_ns || w->patience_ns)
		w->decay_at_ns = now + max((u64)QUIET_RTTS * w->srtt_ns,
					   QUIET_MIN_NS);
}

/*
 * The packet whose arrival caused the SACK. The SACK's rtx flag tells whether
 * the original or a retransmission arrived; only where that singles out one
 * transmission does it give an RTT and name an EV.
 *
 * Return: how far to look for losses: a retransmission, sent after packets
 * with higher PSNs, says something of those too.
 */
static u32 apply_trigger(struct mrc_tx_window *w, const struct mrc_sack *sack,
			 bool rtx, u64 now, u8 *wrong,
			 struct mrc_tx_result *res)
{
	u32 psn = mrc_psn_add(sack->cack_psn, sack->ack_offset);
	struct mrc_tx_rec *rec = rec_find(w, psn);
	bool resent;

	if (!rtx)
		clear_evs(w, psn, res);
	if (!rec)
		return w->una;
	resent = rec->flags & REC_RESENT;
	if (resent && !rtx && !(rec->flags & REC_ACKED)) {
		res->spurious = true;
		*wrong |= rec->flags;
	}
	if (resent != rtx || rec->flags & REC_RESENT_MORE)
		return w->una;

	res->ev = rec->ev;
	if (rec->flags & REC_ACKED)
		return w->una;
	rtt_sample(w, age_ns(rec, now), res);
	if (!resent)
		return w->una;
	rec->flags |= REC_CERTAIN;
	add_evidence(w, rec);
	return w->nxt;
}

/* Has something arrived that goes no faster and was sent more than @ticks later? */
static bool arrived_later(const struct mrc_tx_window *w,
			  const struct mrc_tx_rec *rec, u32 ticks)
{
	return newest_is_later(&w->first, rec, ticks) ||
	       (rec->flags & REC_RESENT && newest_is_later(&w->again, rec, ticks));
}

static bool overdue_on_ev(const struct mrc_tx_window *w,
			  const struct mrc_tx_rec *rec, u32 slack)
{
	const struct mrc_tx_ev *e;

	if (rec->ev >= MRC_EV_MAX)
		return false;
	e = &w->ev[rec->ev];
	return e->seq && (s32)(e->seq - 1 - rec->seq) > 0 &&
	       (s32)(e->sent - rec->sent - slack) >= 0;
}

static bool overdue_by_time(const struct mrc_tx_window *w,
			    const struct mrc_tx_rec *rec, u32 window)
{
	return w->min_rtt_ns && arrived_later(w, rec, window);
}

/*
 * Has more arrived than is known of? Then a SACK is late, or was lost. Both numbers only grow,
 * in whatever order SACKs come. If less has been told the peer does not count, and nobody knows.
 */
static bool uninformed(const struct mrc_tx_window *w)
{
	u32 known = in_window(w) - w->inflight - w->lost;

	return mrc_psn_diff(w->told, w->una) + 1 != (s32)known;
}

static u32 told_by(const struct mrc_sack *sack)
{
	return mrc_psn_add(sack->cack_psn, sack->ooo_count);
}

/* More than was ever sent cannot have arrived: who says so is not counted on. */
static void note_told(struct mrc_tx_window *w, const struct mrc_sack *sack)
{
	u32 told = told_by(sack);

	if (!never_sent(w, told) && mrc_psn_diff(told, w->told) > 0)
		w->told = told;
}

/*
 * Rules (a) and (b) over [@psn, @end), all of it in [una, nxt). Stops as soon as all packets in
 * flight that can lie there have been looked at, so mere reordering costs little.
 */
static void infer_losses(struct mrc_tx_window *w, u32 psn, u32 end,
			 struct mrc_tx_result *res)
{
	/* Beyond the highest that has arrived all is in flight or lost. */
	u32 beyond = mrc_psn_diff(end, w->high) < 0 ? 0 : (u32)mrc_psn_diff(w->nxt, end);
	u32 beyond_inflight = beyond - min(w->lost, beyond);
	u32 left = w->inflight - min(w->inflight, beyond_inflight);
	u32 slack = ticks(w->ev_slack_ns);
	u32 window = ticks(reorder_window(w));
	struct mrc_tx_rec *rec = rec_at(w, psn);

	for (; left && psn != end; psn = mrc_psn_add(psn, 1)) {
		if (!(rec->flags & REC_DONE)) {
			u8 why = 0;

			if (overdue_on_ev(w, rec, slack))
				why |= REC_BY_EV;
			if (overdue_by_time(w, rec, window))
				why |= REC_BY_TIME;
			if (why)
				give_up(w, rec, psn, why, res);
			left--;
		}
		rec = rec_next(w, rec);
	}
}

static u32 psn_clamp(u32 psn, u32 from, u32 to)
{
	if (mrc_psn_diff(psn, from) < 0)
		return from;
	return mrc_psn_diff(psn, to) > 0 ? to : psn;
}

/*
 * Narrows [@from, @end) to that of which this SACK, which has been applied, tells for certain
 * what has not arrived. One that is older than another knew of less: what it leaves out may
 * have come since.
 *
 * Return: false when there is nothing.
 */
static bool covered(const struct mrc_tx_window *w, const struct mrc_sack *sack,
		    u32 *from, u32 *end)
{
	u32 base = mrc_psn_add(sack->cack_psn, sack->sack_offset);

	if (!uninformed(w))
		return true;
	*from = psn_clamp(base, *from, *end);
	*end = psn_clamp(mrc_psn_add(base, SACK_SPAN), *from, *end);
	return mrc_psn_diff(told_by(sack), w->told) >= 0;
}

static void judge(struct mrc_tx_window *w, const struct mrc_sack *sack, u32 end,
		  struct mrc_tx_result *res)
{
	u32 from = w->una;

	if (covered(w, sack, &from, &end))
		infer_losses(w, from, end, res);
}

static struct mrc_tx_probed *find_probe(struct mrc_tx_window *w, u16 id, u64 now)
{
	struct mrc_tx_probed *p = &w->probed[id % MRC_TX_PROBES_KEPT];

	if (!p->sent_ns || p->id != id || now - p->sent_ns > MRC_TX_INTERVAL_MAX_NS)
		return NULL;
	return p;
}

/* Rule (b) over [@psn, @end) for a probe that was sent at @sent and has been answered. */
static void lose_before(struct mrc_tx_window *w, u64 sent, u32 psn, u32 end,
			struct mrc_tx_result *res)
{
	u32 latest = ticks(sent) - ticks(reorder_window(w));
	struct mrc_tx_rec *rec = rec_at(w, psn);
	u32 left = w->inflight;

	for (; left && psn != end; psn = mrc_psn_add(psn, 1)) {
		if (!(rec->flags & REC_DONE)) {
			if ((s32)(latest - rec->sent) > 0)
				give_up(w, rec, psn, REC_BY_TIME, res);
			left--;
		}
		rec = rec_next(w, rec);
	}
}

/*
 * The answer to a probe, or a part of it, after its bitmap has been applied. One that leaves
 * nothing open is the last that is looked at: nobody gets us to go over the window again.
 */
static void apply_probe(struct mrc_tx_window *w, const struct mrc_sack *sack,
			u64 now, struct mrc_tx_result *res)
{
	struct mrc_tx_probed *p = find_probe(w, (u16)sack->ack_offset, now);
	u32 from = w->una, end = w->nxt;
	u32 lost = res->lost;
	u64 sent;
	bool first;

	if (!p)
		return;
	sent = p->sent_ns;
	first = !p->answered;
	p->answered = true;
	if (!uninformed(w))
		p->sent_ns = 0;
	if (first)
		rtt_sample(w, now - sent, res);
	newest_add(&w->probed_at, ticks(sent));
	w->in_vain = false;
	if (w->probe_rounds >= MRC_TX_PROBE_ROUNDS || !covered(w, sack, &from, &end))
		return;
	lose_before(w, sent, from, end, res);
	w->probe_rounds += first && res->lost > lost;
}

/* Both ends of the bitmap count: far enough from @nxt the serial order turns. */
static bool sack_plausible(const struct mrc_tx_window *w,
			   const struct mrc_sack *sack, u32 base, u64 bits)
{
	u32 trigger = mrc_psn_add(sack->cack_psn, sack->ack_offset);

	if (never_sent(w, sack->cack_psn))
		return false;
	if (!sack->probe && never_sent(w, trigger))
		return false;
	return !bits || (!never_sent(w, base) &&
			 !never_sent(w, mrc_psn_add(base, fls64(bits) - 1)));
}

static void note_acked(struct mrc_tx_window *w, u64 now,
		       const struct mrc_tx_result *res)
{
	if (!res->acked)
		return;
	w->quiet_ns = max(w->quiet_ns, now);
	w->probes = 0;
	w->probe_rounds = 0;
	w->refusals = 0;
	w->refused_at = 0;
	w->in_vain = false;
}

int mrc_tx_sack(struct mrc_tx_window *w, const struct mrc_sack *sack, bool rtx,
		u64 now, struct mrc_tx_result *res)
{
	u32 base = mrc_psn_add(sack->cack_psn, sack->sack_offset);
	u64 bits = sack->bitmap;
	u32 end = w->una;
	u8 wrong = 0;
	u8 early;

	mrc_tx_result_init(res);
	if (bits) {
		base = mrc_psn_add(base, (s32)__ffs64(bits));
		bits >>= __ffs64(bits);
	}
	if (!sack_plausible(w, sack, base, bits))
		return -EINVAL;

	note_met(w);
	decay(w, now);
	if (!sack->probe)
		end = apply_trigger(w, sack, rtx, now, &wrong, res);
	early = apply_cack(w, sack->cack_psn, res);
	early |= apply_bitmap(w, base, bits, res);
	if (early)
		res->spurious = true;
	tolerate(w, wrong | early, now);

	if (mrc_psn_diff(end, w->high) < 0)
		end = w->high;
	note_told(w, sack);
	note_acked(w, now, res);
	if (res->acked || uninformed(w))
		judge(w, sack, end, res);
	if (sack->probe)
		apply_probe(w, sack, now, res);
	return 0;
}

/* Return: false when refusals have been borne for long enough. However many come, time counts. */
static bool bear_refusal(struct mrc_tx_window *w, u64 now)
{
	u64 interval = mrc_tx_interval(&w->cfg, w->refusals);

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

static void refuse(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn,
		   u64 now, struct mrc_tx_result *res)
{
	res->expired = !bear_refusal(w, now);
	if (res->expired)
		return;
	res->ev = rec->ev;
	mark_lost(w, rec, psn, 0, res);
}

int mrc_tx_nack(struct mrc_tx_window *w, u32 psn, u64 now,
		struct mrc_tx_result *res)
{
	struct mrc_tx_rec *rec;

	mrc_tx_result_init(res);
	if (never_sent(w, psn))
		return -EINVAL;
	rec = rec_find(w, psn);
	if (!rec || rec->flags & REC_DONE)
		return -EALREADY;
	if (rec->flags & REC_RESENT && age_ns(rec, now) < w->min_rtt_ns)
		return -EALREADY;
	refuse(w, rec, psn, now, res);
	return 0;
}

int mrc_tx_unsent(struct mrc_tx_window *w, u32 psn, u64 now,
		  struct mrc_tx_result *res)
{
	struct mrc_tx_rec *rec = rec_find(w, psn);

	mrc_tx_result_init(res);
	if (!rec || rec->flags & REC_DONE)
		return -EALREADY;
	refuse(w, rec, psn, now, res);
	rec->ev = MRC_EV_NONE;
	return 0;
}

int mrc_tx_ack(struct mrc_tx_window *w, u32 psn, u64 now,
	       struct mrc_tx_result *res)
{
	mrc_tx_result_init(res);
	if (never_sent(w, psn))
		return -EINVAL;
	note_met(w);
	if (apply_cack(w, psn, res))
		res->spurious = true;
	note_acked(w, now, res);
	return 0;
}

u32 mrc_tx_take_acked(struct mrc_tx_window *w, u16 ev)
{
	u32 acked;

	if (ev >= MRC_EV_MAX)
		return 0;
	acked = w->ev[ev].acked;
	w->ev[ev].acked = 0;
	return acked;
}

u64 mrc_tx_heard_ns(const struct mrc_tx_window *w, u16 ev, u64 now)
{
	/* The rest of its tick may have passed since: not to be later than what came after. */
	return now - (u64)(ticks(now) - w->ev[ev].heard + 1) * MRC_TX_TICK_NS;
}

/* What is waited for before a probe that follows @probes others. */
static u64 probe_wait(const struct mrc_tx_window *w, unsigned int probes)
{
	u64 wait = max(2 * w->srtt_ns, reorder_window(w)) +
		   MRC_TX_PROBE_SLACK_NS;
	u64 timeout = min(w->cfg.timeout_ns, MRC_TX_INTERVAL_MAX_NS);

	if (!w->srtt_ns)
		wait = timeout / 2;
	else if (w->in_vain)
		wait = max(wait, timeout / 4);
	return probes < MRC_TX_PROBES_EVEN ?
	       wait : wait << (probes - MRC_TX_PROBES_EVEN + 1);
}

u64 mrc_tx_probe_at(const struct mrc_tx_window *w, u64 now)
{
	if (!w->inflight || w->probes >= MRC_TX_PROBES_MAX ||
	    w->probe_rounds >= MRC_TX_PROBE_ROUNDS)
		return 0;
	return max(w->quiet_ns + probe_wait(w, w->probes), now);
}

u16 mrc_tx_probe(struct mrc_tx_window *w, u64 now)
{
	u16 id = ++w->probe_id;

	w->probed[id % MRC_TX_PROBES_KEPT] = (struct mrc_tx_probed){
		.sent_ns = now, .id = id,
	};
	w->quiet_ns = now;
	if (w->probes < U8_MAX)
		w->probes++;
	return id;
}

void mrc_tx_lose_evs(struct mrc_tx_window *w, const unsigned long *evs,
		     bool unsent, struct mrc_tx_result *res)
{
	struct mrc_tx_rec *rec = &w->ring[w->head];
	u32 left = w->inflight;
	u32 psn;

	mrc_tx_result_init(res);
	for (psn = w->una; left; psn = mrc_psn_add(psn, 1)) {
		if (!(rec->flags & REC_DONE)) {
			if (rec->ev < MRC_EV_MAX ? test_bit(rec->ev, evs) :
						   unsent)
				give_up(w, rec, psn, 0, res);
			left--;
		}
		rec = rec_next(w, rec);
	}
}

void mrc_tx_forget_evs(struct mrc_tx_window *w)
{
	struct mrc_tx_rec *rec = &w->ring[w->head];
	u32 left = in_window(w);

	for (; left; left--) {
		rec->ev = MRC_EV_NONE;
		rec = rec_next(w, rec);
	}
	memset(w->ev, 0, sizeof(w->ev));
	forget_given_up(w);
}

u64 mrc_tx_deadline(const struct mrc_tx_window *w, u64 now)
{
	return w->inflight ? max(w->deadline_ns, now) : 0;
}

static void note_silent(struct mrc_tx_window *w, const struct mrc_tx_rec *rec,
			u64 now, struct mrc_tx_result *res)
{
	/* Not later than it was, be the clock as coarse as it is. */
	u64 since = now - age_ns(rec, now) - MRC_TX_TICK_NS;

	if (rec->flags & REC_RESENT)
		w->in_vain = true;
	if (!res->silent_since || since < res->silent_since)
		res->silent_since = since;
	if (rec->ev < MRC_EV_MAX)
		__set_bit(rec->ev, res->silent_evs);
}

/* Return: when to look at this packet again, U64_MAX when it is held to be lost. */
static u64 check_timeout(struct mrc_tx_window *w, struct mrc_tx_rec *rec,
			 u32 psn, u64 now, struct mrc_tx_result *res)
{
	u64 interval = rec_interval(w, rec->retries);

	if (ticks(now) - rec->sent < ticks(interval))
		return now + (interval - age_ns(rec, now));
	if (!mrc_tx_interval(&w->cfg, rec->retries)) {
		res->expired = true;
		return now;
	}
	if (rec->retries < U8_MAX)
		rec->retries++;
	if (arrived_later(w, rec, 0) || newest_is_later(&w->probed_at, rec, 0))
		blame_ev(w, rec, psn, res);
	else if (newest_is_later(&w->again, rec, 0))
		doubt_ev(rec, res);
	else
		note_silent(w, rec, now, res);
	mark_lost(w, rec, psn, REC_BY_TIMER, res);
	return U64_MAX;
}

void mrc_tx_timeout(struct mrc_tx_window *w, u64 now,
		    struct mrc_tx_result *res)
{
	struct mrc_tx_rec *rec = &w->ring[w->head];
	u32 left = w->inflight;
	u64 next = U64_MAX;
	u32 psn;

	mrc_tx_result_init(res);
	if (!left || now < w->deadline_ns)
		return;
	for (psn = w->una; left; psn = mrc_psn_add(psn, 1)) {
		if (!(rec->flags & REC_DONE)) {
			next = min(next, check_timeout(w, rec, psn, now, res));
			left--;
		}
		rec = rec_next(w, rec);
	}
	w->deadline_ns = next;
	if (res->lost)
		w->probe_rounds = 0;
}
