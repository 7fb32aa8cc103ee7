// SPDX-License-Identifier: GPL-2.0-only
#include "evidence.h"
#include "psn.h"

/* ---- what has arrived ---------------------------------------------------- */

static void mrc_newest_forget_old(struct mrc_tx_newest *n, u64 now)
{
	if (mrc_tx_ticks(now) - n->sent >= MRC_TX_HALF_WRAP)
		n->any = false;
}

static void mrc_newest_add(struct mrc_tx_newest *n, u32 sent)
{
	if (n->any && (s32)(sent - n->sent) <= 0)
		return;
	n->any = true;
	n->sent = sent;
}

/* Was it sent more than @ticks after @rec? */
static bool mrc_newest_is_later(const struct mrc_tx_newest *n,
				const struct mrc_tx_rec *rec, u32 ticks)
{
	return n->any && (s32)(n->sent - rec->sent - ticks) > 0;
}

static void mrc_evidence_forget_given_up(struct mrc_evidence *e)
{
	unsigned int i;

	for (i = 0; i < MRC_TX_GIVEN_UP; i++)
		e->given_up[i].ev = MRC_EV_NONE;
}

void mrc_evidence_init(struct mrc_evidence *e)
{
	mrc_evidence_forget_given_up(e);
}

void mrc_evidence_forget_old(struct mrc_evidence *e, u16 ev, u64 now)
{
	mrc_newest_forget_old(&e->first, now);
	mrc_newest_forget_old(&e->again, now);
	mrc_newest_forget_old(&e->probed, now);
	if (ev < MRC_EV_MAX && e->seq - e->ev[ev].seq >= MRC_TX_HALF_WRAP)
		e->ev[ev].seq = 0;
}

void mrc_evidence_forget_evs(struct mrc_evidence *e)
{
	memset(e->ev, 0, sizeof(e->ev));
	mrc_evidence_forget_given_up(e);
}

void mrc_evidence_met(struct mrc_evidence *e, u32 nxt)
{
	if (e->met)
		return;
	e->met = true;
	e->meeting = true;
	e->met_psn = nxt;
}

void mrc_evidence_passed(struct mrc_evidence *e, u32 una)
{
	if (mrc_psn_diff(una, e->met_psn) >= 0)
		e->meeting = false;
}

void mrc_evidence_arrived(struct mrc_evidence *e, const struct mrc_tx_rec *rec)
{
	bool again = rec->flags & MRC_TX_RESENT;
	struct mrc_tx_ev *on;

	mrc_newest_add(again ? &e->again : &e->first, rec->sent);
	if (again || rec->ev >= MRC_EV_MAX)
		return;
	on = &e->ev[rec->ev];
	if (!on->seq || (s32)(rec->seq + 1 - on->seq) > 0) {
		on->seq = rec->seq + 1;
		on->sent = rec->sent;
	}
}

void mrc_evidence_count(struct mrc_evidence *e, const struct mrc_tx_rec *rec,
			struct mrc_tx_result *res)
{
	struct mrc_tx_ev *on;

	if (rec->ev >= MRC_EV_MAX)
		return;
	on = &e->ev[rec->ev];
	if (!on->acked++ || (s32)(rec->sent - on->heard) > 0)
		on->heard = rec->sent;
	__set_bit(rec->ev, res->acked_evs);
}

void mrc_evidence_probed(struct mrc_evidence *e, u64 sent_ns)
{
	mrc_newest_add(&e->probed, mrc_tx_ticks(sent_ns));
}

/* ---- what has not -------------------------------------------------------- */

bool mrc_evidence_overdue(const struct mrc_evidence *e,
			  const struct mrc_tx_rec *rec, u32 slack)
{
	const struct mrc_tx_ev *on;

	if (rec->ev >= MRC_EV_MAX)
		return false;
	on = &e->ev[rec->ev];
	return on->seq && (s32)(on->seq - 1 - rec->seq) > 0 &&
	       (s32)(on->sent - rec->sent - slack) >= 0;
}

bool mrc_evidence_overtaken(const struct mrc_evidence *e,
			    const struct mrc_tx_rec *rec, u32 window)
{
	return mrc_newest_is_later(&e->first, rec, window) ||
	       (rec->flags & MRC_TX_RESENT &&
		mrc_newest_is_later(&e->again, rec, window));
}

/* ---- who is to blame ----------------------------------------------------- */

/* Where a first transmission of this PSN is remembered. */
static struct mrc_tx_given_up *mrc_evidence_given_up(struct mrc_evidence *e, u32 psn)
{
	return &e->given_up[psn % MRC_TX_GIVEN_UP];
}

/* Others may have heard of the EV since: so it is in doubt, and no other. */
static void mrc_evidence_doubt(const struct mrc_tx_rec *rec, struct mrc_tx_result *res)
{
	if (rec->ev >= MRC_EV_MAX)
		return;
	__set_bit(rec->ev, res->silent_evs);
	if (!res->silent_since)
		res->silent_since = 1;
}

static void mrc_evidence_silent(const struct mrc_tx_rec *rec, u64 now,
				struct mrc_tx_result *res)
{
	/* Not later than it was, be the clock as coarse as it is. */
	u64 since = now - mrc_tx_age_ns(rec, now) - MRC_TX_TICK_NS;

	if (!res->silent_since || since < res->silent_since)
		res->silent_since = since;
	if (rec->ev < MRC_EV_MAX)
		__set_bit(rec->ev, res->silent_evs);
}

void mrc_evidence_blame(struct mrc_evidence *e, const struct mrc_tx_rec *rec,
			u32 psn, struct mrc_tx_result *res)
{
	struct mrc_tx_given_up *g = mrc_evidence_given_up(e, psn);

	if (rec->ev >= MRC_EV_MAX)
		return;
	if (e->meeting && mrc_psn_diff(psn, e->met_psn) < 0)
		return mrc_evidence_doubt(rec, res);
	__set_bit(rec->ev, res->lost_evs);
	if (rec->flags & MRC_TX_RESENT)
		return;
	g->psn = psn;
	g->seq = e->seq;
	g->ev = rec->ev;
}

bool mrc_evidence_timed_out(struct mrc_evidence *e, const struct mrc_tx_rec *rec,
			    u32 psn, u64 now, struct mrc_tx_result *res)
{
	if (mrc_evidence_overtaken(e, rec, 0) ||
	    mrc_newest_is_later(&e->probed, rec, 0)) {
		mrc_evidence_blame(e, rec, psn, res);
		return true;
	}
	if (mrc_newest_is_later(&e->again, rec, 0)) {
		mrc_evidence_doubt(rec, res);
		return true;
	}
	mrc_evidence_silent(rec, now, res);
	return false;
}

void mrc_evidence_clear(struct mrc_evidence *e, u32 psn, struct mrc_tx_result *res)
{
	struct mrc_tx_given_up *g = mrc_evidence_given_up(e, psn);

	if (g->ev == MRC_EV_NONE || g->psn != psn)
		return;
	if (e->seq - g->seq < MRC_TX_GIVEN_UP_LASTS) {
		__set_bit(g->ev, res->cleared_evs);
		res->spurious = true;
	}
	g->ev = MRC_EV_NONE;
}
