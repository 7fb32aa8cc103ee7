// SPDX-License-Identifier: GPL-2.0-only
#include "evidence.h"
#include "../base/psn.h"

#define ARRIVALS	(MRC_NEWS_ACKED | MRC_NEWS_CLEARED)

/*
 * The time of a tick in ns. The result is the same whenever this is called, and not later than any
 * packet that left in the tick.
 */
static u64 mrc_evidence_tick_ns(u32 tick, u64 now)
{
	return now - now % MRC_TX_TICK_NS - (u64)(mrc_tx_ticks(now) - tick + 1) * MRC_TX_TICK_NS;
}

/* ---- news ---------------------------------------------------------------- */

static void mrc_evidence_push(struct mrc_evidence *e, struct mrc_tx_evs *list, u8 ev)
{
	e->ev[ev].next = list->first;
	list->first = ev;
	list->count++;
}

static u8 mrc_evidence_pop(struct mrc_evidence *e, struct mrc_tx_evs *list)
{
	u8 ev = list->first;

	list->first = e->ev[ev].next;
	list->count--;
	return ev;
}

/* @ev: less than MRC_EV_MAX */
static void mrc_evidence_tell(struct mrc_evidence *e, u16 ev, u8 what)
{
	if (!e->ev[ev].what)
		mrc_evidence_push(e, &e->news, (u8)ev);
	e->ev[ev].what |= what;
}

static void mrc_evidence_take_ev(struct mrc_evidence *e, u8 ev, u8 what, u64 now,
				 struct mrc_news *n)
{
	struct mrc_news_ev *item = &n->ev[n->count++];
	struct mrc_tx_ev *on = &e->ev[ev];

	item->ev = ev;
	item->what = on->what & what;
	on->what &= ~what;
	if (mrc_news_is_late(item))
		item->heard_ns = on->newest ? mrc_evidence_tick_ns(on->sent, now) : 0;
	if (!(item->what & MRC_NEWS_ACKED))
		return;
	item->acked = on->acked;
	on->acked = 0;
	item->heard_ns = mrc_evidence_tick_ns(on->heard, now);
}

/* Arrivals of all EVs come before losses of any: see struct mrc_news. */
void mrc_evidence_take_news(struct mrc_evidence *e, u64 now, struct mrc_news *n)
{
	u8 ev;

	n->count = 0;
	while (e->news.count && n->count < MRC_NEWS_MAX) {
		ev = mrc_evidence_pop(e, &e->news);
		if (e->ev[ev].what & ARRIVALS)
			mrc_evidence_take_ev(e, ev, ARRIVALS, now, n);
		if (e->ev[ev].what)
			mrc_evidence_push(e, &e->losses, ev);
	}
	if (e->news.count)
		return;
	while (e->losses.count && n->count < MRC_NEWS_MAX)
		mrc_evidence_take_ev(e, mrc_evidence_pop(e, &e->losses), U8_MAX, now, n);
}

static void mrc_evidence_drop_list(struct mrc_evidence *e, struct mrc_tx_evs *list)
{
	struct mrc_tx_ev *on;

	while (list->count) {
		on = &e->ev[mrc_evidence_pop(e, list)];
		on->what = 0;
		on->acked = 0;
	}
}

void mrc_evidence_drop_news(struct mrc_evidence *e)
{
	mrc_evidence_drop_list(e, &e->news);
	mrc_evidence_drop_list(e, &e->losses);
}

void mrc_evidence_lost_evs(const struct mrc_evidence *e, unsigned long *evs)
{
	unsigned int ev;

	bitmap_zero(evs, MRC_EV_MAX);
	for (ev = 0; ev < MRC_EV_MAX; ev++)
		if (e->ev[ev].what & (MRC_NEWS_LOST | MRC_NEWS_MUTE))
			__set_bit(ev, evs);
}

/* ---- what has arrived ---------------------------------------------------- */

static void mrc_evidence_newest_forget_old(struct mrc_tx_newest *n, u32 tick)
{
	if (tick - n->sent >= MRC_TX_HALF_WRAP)
		n->any = false;
}

static void mrc_evidence_newest_add(struct mrc_tx_newest *n, u32 sent)
{
	if (n->any && (s32)(sent - n->sent) <= 0)
		return;
	n->any = true;
	n->sent = sent;
}

/* Was the newest transmission sent more than @ticks after @rec? */
static bool mrc_evidence_newest_is_later(const struct mrc_tx_newest *n,
					 const struct mrc_tx_rec *rec, u32 ticks)
{
	return n->any && (s32)(n->sent - rec->sent - ticks) > 0;
}

static void mrc_evidence_forget_given_up(struct mrc_evidence *e)
{
	unsigned int i;

	for (i = 0; i < MRC_TX_GIVEN_UP; i++)
		e->given_up[i].ev = MRC_EV_NONE;
	e->remembered = 0;
}

void mrc_evidence_init(struct mrc_evidence *e)
{
	mrc_evidence_forget_given_up(e);
}

static void mrc_evidence_new_tick(struct mrc_evidence *e, u32 tick)
{
	e->tick = tick;
	e->order = 0;
	mrc_evidence_newest_forget_old(&e->first, tick);
	mrc_evidence_newest_forget_old(&e->again, tick);
	mrc_evidence_newest_forget_old(&e->probed, tick);
}

static u32 mrc_evidence_next_order(struct mrc_evidence *e)
{
	return e->order < MRC_TX_ORDER_MAX ? e->order++ : MRC_TX_ORDER_MAX;
}

void mrc_evidence_leaves(struct mrc_evidence *e, struct mrc_tx_rec *rec)
{
	rec->order = mrc_evidence_next_order(e);
}

struct mrc_tx_rec mrc_evidence_launch(struct mrc_evidence *e, struct mrc_tx_rec rec,
				      u16 ev, u64 now)
{
	u32 tick = mrc_tx_ticks(now);

	if (tick != e->tick)
		mrc_evidence_new_tick(e, tick);
	e->seq++;
	if (ev >= MRC_EV_MAX)
		ev = MRC_TX_ON_NONE;
	else if (tick - e->ev[ev].sent >= MRC_TX_HALF_WRAP)
		e->ev[ev].newest = 0;
	rec.sent = tick;
	rec.order = mrc_evidence_next_order(e);
	rec.ev = ev;
	return rec;
}

void mrc_evidence_forget_evs(struct mrc_evidence *e)
{
	e->news.count = 0;
	e->losses.count = 0;
	memset(e->ev, 0, sizeof(e->ev));
	e->asking = 0;
	mrc_evidence_forget_given_up(e);
}

void mrc_evidence_met(struct mrc_evidence *e, u32 nxt, u64 now)
{
	e->hears = mrc_tx_ticks(now);
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

/* A first transmission has arrived on an EV. */
static void mrc_evidence_note_on(struct mrc_evidence *e, struct mrc_tx_ev *on,
				 const struct mrc_tx_rec *rec)
{
	s32 later = (s32)(rec->sent - on->sent);

	if (on->newest && (later < 0 || (!later && rec->order < on->newest)))
		return;
	on->sent = rec->sent;
	on->newest = (rec->order + 1) & 0x3fff;
	e->asking -= on->asked && !on->silent;
	on->asked = false;
	on->silent = false;
}

/* A packet or probe that left on an EV in a tick has arrived. */
static void mrc_evidence_hear(struct mrc_evidence *e, u16 ev, u32 tick)
{
	struct mrc_tx_ev *on = &e->ev[ev];

	if (!(on->what & MRC_NEWS_ACKED) || (s32)(tick - on->heard) > 0)
		on->heard = tick;
	mrc_evidence_tell(e, ev, MRC_NEWS_ACKED);
}

static void mrc_evidence_count_on(struct mrc_evidence *e, struct mrc_tx_ev *on,
				  const struct mrc_tx_rec *rec)
{
	mrc_evidence_hear(e, (u16)rec->ev, rec->sent);
	on->acked++;
}

void mrc_evidence_arrived(struct mrc_evidence *e, const struct mrc_tx_rec *rec)
{
	bool again = rec->flags & MRC_TX_RESENT;

	mrc_evidence_newest_add(again ? &e->again : &e->first, rec->sent);
	if (!again && rec->ev < MRC_EV_MAX)
		mrc_evidence_note_on(e, &e->ev[rec->ev], rec);
}

void mrc_evidence_count(struct mrc_evidence *e, const struct mrc_tx_rec *rec)
{
	if (rec->ev < MRC_EV_MAX)
		mrc_evidence_count_on(e, &e->ev[rec->ev], rec);
}

/* Learns how long the EV takes: a longer time counts at once, a shorter one little by little. */
static void mrc_evidence_took(const struct mrc_evidence *e, struct mrc_tx_ev *on,
			      const struct mrc_tx_rec *rec)
{
	u32 took = min((e->hears - rec->sent) / MRC_TX_TAKES_TICKS + 1, MRC_TX_TAKES_MAX);

	if (took >= on->takes)
		on->takes = (u16)took;
	else
		on->takes -= (u16)((on->takes - took) / 8);
}

void mrc_evidence_acked(struct mrc_evidence *e, const struct mrc_tx_rec *rec)
{
	struct mrc_tx_ev *on;

	mrc_evidence_newest_add(&e->first, rec->sent);
	if (rec->ev >= MRC_EV_MAX)
		return;
	on = &e->ev[rec->ev];
	mrc_evidence_note_on(e, on, rec);
	mrc_evidence_took(e, on, rec);
	mrc_evidence_count_on(e, on, rec);
}

void mrc_evidence_probed(struct mrc_evidence *e, u16 ev, u64 sent_ns)
{
	mrc_evidence_newest_add(&e->probed, mrc_tx_ticks(sent_ns));
	if (ev < MRC_EV_MAX)
		mrc_evidence_hear(e, ev, mrc_tx_ticks(sent_ns));
}

/* ---- what has not -------------------------------------------------------- */

bool mrc_evidence_overdue(const struct mrc_evidence *e,
			  const struct mrc_tx_rec *rec, u32 slack)
{
	const struct mrc_tx_ev *on;
	s32 later;

	if (rec->ev >= MRC_EV_MAX)
		return false;
	on = &e->ev[rec->ev];
	later = (s32)(on->sent - rec->sent);
	return on->newest && later >= (s32)slack &&
	       (later || on->newest > rec->order + 1);
}

bool mrc_evidence_overtaken(const struct mrc_evidence *e,
			    const struct mrc_tx_rec *rec, u32 window)
{
	return mrc_evidence_newest_is_later(&e->first, rec, window) ||
	       (rec->flags & MRC_TX_RESENT &&
		mrc_evidence_newest_is_later(&e->again, rec, window));
}

bool mrc_evidence_late(const struct mrc_evidence *e, const struct mrc_tx_rec *rec, u32 times,
		       u32 longest)
{
	u32 takes = longest;

	if (rec->ev < MRC_EV_MAX && e->ev[rec->ev].takes &&
	    e->ev[rec->ev].takes < MRC_TX_TAKES_MAX)
		takes = e->ev[rec->ev].takes * MRC_TX_TAKES_TICKS;
	return (u64)(e->hears - rec->sent) > (u64)times * takes;
}

/* ---- who is to blame ----------------------------------------------------- */

/* The element in which a first transmission of this PSN is remembered. */
static struct mrc_tx_given_up *mrc_evidence_given_up(struct mrc_evidence *e, u32 psn)
{
	return &e->given_up[psn % MRC_TX_GIVEN_UP];
}

/* When a packet was sent, rounded down. */
static u64 mrc_evidence_sent_ns(const struct mrc_tx_rec *rec, u64 now)
{
	return mrc_evidence_tick_ns(rec->sent, now);
}

/* Puts the packet's EV in doubt, and no other: other QPs may have heard from the EV since. */
static void mrc_evidence_doubt(struct mrc_evidence *e, const struct mrc_tx_rec *rec,
			       struct mrc_tx_result *res)
{
	if (rec->ev >= MRC_EV_MAX)
		return;
	mrc_evidence_tell(e, (u16)rec->ev, MRC_NEWS_SILENT);
	if (!res->silent_since)
		res->silent_since = 1;
}

static void mrc_evidence_silent(struct mrc_evidence *e, const struct mrc_tx_rec *rec,
				u64 now, struct mrc_tx_result *res)
{
	u64 since = mrc_evidence_sent_ns(rec, now);

	if (!res->silent_since || since < res->silent_since)
		res->silent_since = since;
	if (rec->ev < MRC_EV_MAX)
		mrc_evidence_tell(e, (u16)rec->ev, MRC_NEWS_SILENT);
}

/* A packet is late or lost, and nothing later has arrived by its EV. */
static void mrc_evidence_unheard(struct mrc_evidence *e, const struct mrc_tx_rec *rec, u8 what,
				 u64 now, struct mrc_tx_result *res)
{
	u64 sent = mrc_evidence_sent_ns(rec, now);

	if (!res->late_since || sent < res->late_since)
		res->late_since = sent;
	mrc_evidence_tell(e, (u16)rec->ev, what);
}

/* Was the packet sent before the first answer, when the peer may not have been connected yet? */
static bool mrc_evidence_unmet(const struct mrc_evidence *e, u32 psn)
{
	return e->meeting && mrc_psn_diff(psn, e->met_psn) < 0;
}

void mrc_evidence_ask(struct mrc_evidence *e, const struct mrc_tx_rec *rec, u32 psn, u64 now,
		      struct mrc_tx_result *res)
{
	if (rec->ev >= MRC_EV_MAX || e->ev[rec->ev].asked || mrc_evidence_unmet(e, psn))
		return;
	e->ev[rec->ev].asked = true;
	e->asking += !e->ev[rec->ev].silent;
	mrc_evidence_unheard(e, rec, MRC_NEWS_LATE, now, res);
}

void mrc_evidence_blame(struct mrc_evidence *e, const struct mrc_tx_rec *rec, u32 psn, bool later,
			u64 now, struct mrc_tx_result *res)
{
	struct mrc_tx_given_up *g = mrc_evidence_given_up(e, psn);

	if (rec->ev >= MRC_EV_MAX)
		return;
	if (mrc_evidence_unmet(e, psn))
		return mrc_evidence_doubt(e, rec, res);
	if (later)
		mrc_evidence_tell(e, (u16)rec->ev, MRC_NEWS_LOST);
	else
		mrc_evidence_unheard(e, rec, MRC_NEWS_MUTE, now, res);
	if (rec->flags & MRC_TX_RESENT)
		return;
	e->remembered += g->ev == MRC_EV_NONE;
	g->psn = psn;
	g->seq = e->seq;
	g->ev = (u16)rec->ev;
}

bool mrc_evidence_timed_out(struct mrc_evidence *e, const struct mrc_tx_rec *rec,
			    u32 psn, u64 now, struct mrc_tx_result *res)
{
	if (mrc_evidence_overtaken(e, rec, 0) ||
	    mrc_evidence_newest_is_later(&e->probed, rec, 0)) {
		mrc_evidence_blame(e, rec, psn, mrc_evidence_overdue(e, rec, 0), now, res);
		return true;
	}
	if (mrc_evidence_newest_is_later(&e->again, rec, 0)) {
		mrc_evidence_doubt(e, rec, res);
		return true;
	}
	mrc_evidence_silent(e, rec, now, res);
	return false;
}

bool mrc_evidence_blamed(const struct mrc_evidence *e, u32 psn)
{
	const struct mrc_tx_given_up *g = &e->given_up[psn % MRC_TX_GIVEN_UP];

	return e->remembered && g->ev != MRC_EV_NONE && g->psn == psn &&
	       e->seq - g->seq < MRC_TX_GIVEN_UP_LASTS;
}

void mrc_evidence_clear(struct mrc_evidence *e, u32 psn, struct mrc_tx_result *res)
{
	struct mrc_tx_given_up *g = mrc_evidence_given_up(e, psn);

	if (!e->remembered || g->ev == MRC_EV_NONE || g->psn != psn)
		return;
	if (e->seq - g->seq < MRC_TX_GIVEN_UP_LASTS) {
		mrc_evidence_tell(e, g->ev, MRC_NEWS_CLEARED);
		res->spurious = true;
	}
	g->ev = MRC_EV_NONE;
	e->remembered--;
}
