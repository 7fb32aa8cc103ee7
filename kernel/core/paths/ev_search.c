// SPDX-License-Identifier: GPL-2.0-only
#include "ev_search.h"
#include "ev_rotation.h"
#include "ev_set.h"

/* Puts a GOOD EV in doubt: it is probed at once, until it is heard from. */
static void mrc_ev_search_doubt(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	if (mrc_ev_lasting(e->state) != MRC_EV_GOOD || e->doubted ||
	    !mrc_ev_port_up(s, e->port))
		return;
	e->state = MRC_EV_GOOD;
	e->thinned = 0;
	mrc_ev_schedule_start(s, e, 0, now);
	mrc_ev_set_doubted(s, ev, true);
}

/* Puts all GOOD EVs in doubt, and probes all EVs at once that are bad, HELD or in doubt. */
static void mrc_ev_search_doubt_all(struct mrc_ev_set *s, u64 now)
{
	u16 i;

	s->silent_at = now;
	if (s->silences < U8_MAX)
		s->silences++;
	for (i = 0; i < s->count; i++) {
		if (mrc_ev_is_probed(s, &s->ev[i]))
			mrc_ev_schedule(s, &s->ev[i], now);
		else
			mrc_ev_search_doubt(s, i, now);
	}
}

/* Least time from mrc_ev_search_doubt_all() to its next call for another silence. */
static u64 mrc_ev_search_silence_ns(const struct mrc_ev_set *s)
{
	unsigned int n = s->silences;

	if (!n)
		return 0;
	return min(s->timing->ev_silence << (min(n, 8u) - 1), s->timing->ev_probe_max);
}

void mrc_ev_silent(struct mrc_ev_set *s, u16 ev, u64 since, u64 now)
{
	if (s->heard_at < since) {
		if (now >= s->silent_at + mrc_ev_search_silence_ns(s))
			mrc_ev_search_doubt_all(s, now);
	} else if (ev < s->count &&
		   now >= s->ev[ev].heard_at + mrc_ev_patience(s, s->timing->ev_doubt)) {
		mrc_ev_search_doubt(s, ev, now);
	}
}

/* Is something late on several EVs of a plane, and has nothing sent after @since arrived by it? */
static bool mrc_ev_search_plane_silent(const struct mrc_ev_set *s, const struct mrc_ev_plane *p,
				       u64 since)
{
	unsigned int unheard = 0;
	u16 i;

	for (i = p->first; i < p->first + p->count; i++) {
		if (s->ev[i].heard_at > since)
			return false;
		unheard += s->ev[i].missed > 0;
	}
	return unheard >= MRC_EV_PLANE_UNHEARD;
}

static void mrc_ev_search_lose_plane(struct mrc_ev_set *s, const struct mrc_ev_plane *p, u64 now)
{
	u16 i;

	for (i = p->first; i < p->first + p->count; i++)
		mrc_ev_lost(s, i, MRC_EV_WHY_LOSS, now);
}

void mrc_ev_unheard(struct mrc_ev_set *s, u16 ev, u64 since, u64 now)
{
	struct mrc_ev_plane *p;
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return;
	e = &s->ev[ev];
	p = mrc_ev_own_plane(s, ev);
	if (!mrc_ev_is_usable(e) || !mrc_ev_port_up(s, e->port) || e->heard_at > since)
		return;
	mrc_ev_search_doubt(s, ev, now);
	if (e->missed < MRC_EV_PROBE_MISSED)
		e->missed++;
	if (mrc_ev_search_plane_silent(s, p, since))
		mrc_ev_search_lose_plane(s, p, now);
	else if (e->missed == MRC_EV_PROBE_MISSED)
		mrc_ev_lost(s, ev, MRC_EV_WHY_LOSS, now);
}

/* Probes all EVs at once, and restarts their intervals from the shortest. */
static void mrc_ev_search_anew(struct mrc_ev_set *s, u64 now)
{
	u16 i;

	for (i = 0; i < s->count; i++)
		s->ev[i].backoff = 0;
	mrc_ev_search_doubt_all(s, now);
}

void mrc_ev_stirred(struct mrc_ev_set *s, u64 now)
{
	if (mrc_ev_searching(s) &&
	    now >= s->silent_at + mrc_ev_patience(s, s->timing->ev_doubt))
		mrc_ev_search_anew(s, now);
}

static bool mrc_ev_search_any_good(const struct mrc_ev_set *s)
{
	u16 i;

	for (i = 0; i < s->count; i++)
		if (mrc_ev_lasting(s->ev[i].state) == MRC_EV_GOOD &&
		    mrc_ev_port_up(s, s->ev[i].port))
			return true;
	return false;
}

/* A probe of @e, sent at @since, is lost, and nothing that was sent later has arrived. */
static void mrc_ev_search_begin(struct mrc_ev_set *s, const struct mrc_ev_entry *e, u64 since,
				u64 now)
{
	if (mrc_ev_searching(s) || (e->state == MRC_EV_HELD && mrc_ev_search_any_good(s)))
		return;
	s->search_since = since;
	if (!s->searched_at || now >= s->searched_at + s->timing->ev_search)
		mrc_ev_search_anew(s, now);
	else
		mrc_ev_search_doubt_all(s, now);
	s->searched_at = now;
}

static bool mrc_ev_search_end(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];
	bool back = e->state == MRC_EV_ASSUMED_BAD;

	s->search_since = 0;
	if (back)
		mrc_ev_come_back(s, ev, why, now);
	mrc_ev_rotation_enter(s, mrc_ev_own_plane(s, ev), e);
	return back;
}

/* Data or a probe has arrived: does what mrc_ev_heard() does, without ending a silence. */
static bool mrc_ev_search_heard(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 sent,
				u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	e->heard_at = max(e->heard_at, sent);
	s->heard_at = max(s->heard_at, sent);
	e->missed = 0;
	if (e->doubted)
		mrc_ev_set_doubted(s, ev, false);
	if (e->state == MRC_EV_DENIED || !mrc_ev_port_up(s, e->port))
		return false;
	if (mrc_ev_searching(s) && sent >= s->search_since)
		return mrc_ev_search_end(s, ev, why, now);
	if (e->state != MRC_EV_ASSUMED_BAD || s->good >= mrc_ev_floor(s))
		return false;
	mrc_ev_fall(s, ev, MRC_EV_HELD, MRC_EV_WHY_HELD, now);
	return true;
}

bool mrc_ev_heard(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now)
{
	if (ev >= s->count)
		return false;
	s->silences = 0;
	return mrc_ev_search_heard(s, ev, MRC_EV_WHY_HEARD, sent, now);
}

bool mrc_ev_probed(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now)
{
	struct mrc_ev_entry *e;
	bool changed;

	if (ev >= s->count)
		return false;
	changed = mrc_ev_search_heard(s, ev, MRC_EV_WHY_PROBES_ANSWERED, sent, now);
	e = &s->ev[ev];
	if (!mrc_ev_is_probed(s, e))
		return changed;
	if (++e->answered < mrc_ev_schedule_enough(e)) {
		e->backoff = 0;
		mrc_ev_schedule(s, e, now + mrc_ev_probe_interval(s, 0));
		return changed;
	}
	mrc_ev_come_back(s, ev, MRC_EV_WHY_PROBES_ANSWERED, now);
	return true;
}

bool mrc_ev_probe_lost(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return false;
	e = &s->ev[ev];
	if (mrc_ev_is_probed(s, e))
		mrc_ev_schedule_restart(s, e, now);
	if (!mrc_ev_is_usable(e) || !mrc_ev_port_up(s, e->port))
		return false;
	if (s->heard_at < sent) {
		mrc_ev_search_begin(s, e, sent, now);
		return false;
	}
	if (e->missed < MRC_EV_PROBE_MISSED)
		e->missed++;
	return e->missed == MRC_EV_PROBE_MISSED &&
	       mrc_ev_lost(s, ev, MRC_EV_WHY_PROBES_LOST, now);
}
