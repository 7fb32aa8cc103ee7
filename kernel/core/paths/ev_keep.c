// SPDX-License-Identifier: GPL-2.0-only
#include "ev_keep.h"
#include "ev_rotation.h"
#include "ev_set.h"

/*
 * What the controller says of an EV is newer than what was seen of it. Return: true: the EV is or
 * was DENIED, so nothing else is kept.
 */
static bool mrc_ev_keep_denied(struct mrc_ev_entry *e, const struct mrc_ev_entry *old, u64 now)
{
	if (e->state == MRC_EV_DENIED && old->state == MRC_EV_DENIED) {
		e->why = old->why;
		e->changed_at = old->changed_at;
	} else if (old->state == MRC_EV_DENIED) {
		e->why = MRC_EV_WHY_ALLOWED;
		e->changed_at = now;
	}
	return e->state == MRC_EV_DENIED || old->state == MRC_EV_DENIED;
}

void mrc_ev_keep(struct mrc_ev_set *s, u16 ev, const struct mrc_ev_entry *old, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	e->heard_at = old->heard_at;
	if (mrc_ev_keep_denied(e, old, now))
		return;
	if (old->state == MRC_EV_ASSUMED_BAD || old->state == MRC_EV_HELD)
		mrc_ev_fall(s, ev, old->state, old->why, now);
	if (old->state == MRC_EV_HELD)
		mrc_ev_rotation_leave(s, mrc_ev_own_plane(s, ev), e);
	if (old->doubted)
		mrc_ev_set_doubted(s, ev, true);
	e->missed = old->missed;
	e->backoff = old->backoff;
	e->flaps = old->flaps;
	e->why = old->why;
	e->answered = old->answered;
	e->returned = old->returned;
	e->changed_at = old->changed_at;
	if (e->state == MRC_EV_ASSUMED_BAD || mrc_ev_is_asked(e))
		e->probe_at = old->probe_at;
}

/* Of the bad EVs on ports that are up, the one that was most recently heard from. */
static u16 mrc_ev_keep_best(const struct mrc_ev_set *s)
{
	u16 i, best = MRC_EV_NONE;

	for (i = 0; i < s->count; i++) {
		const struct mrc_ev_entry *e = &s->ev[i];

		if (e->state == MRC_EV_ASSUMED_BAD && mrc_ev_port_up(s, e->port) &&
		    (best == MRC_EV_NONE || e->heard_at > s->ev[best].heard_at))
			best = i;
	}
	return best;
}

void mrc_ev_keep_told(struct mrc_ev_set *s, u16 ev, u8 told)
{
	s->ev[ev].told = told;
	s->untold = true;
}

void mrc_ev_keep_end(struct mrc_ev_set *s, const struct mrc_ev_set *old, bool fresh, u64 now)
{
	u16 ev;

	s->rtt = old->rtt;
	s->rtt_at = old->rtt_at;
	s->heard_at = old->heard_at;
	s->silent_at = old->silent_at;
	s->silences = old->silences;
	s->searched_at = old->searched_at;
	if (!fresh)
		s->search_since = old->search_since;
	/* Finds when the first probe is due, and takes EVs out of use that only the floor held. */
	mrc_ev_ports(s, s->local_mask, s->remote_mask, now);
	while (s->good < mrc_ev_floor(s)) {
		ev = mrc_ev_keep_best(s);
		if (ev == MRC_EV_NONE)
			break;
		mrc_ev_fall(s, ev, MRC_EV_HELD, MRC_EV_WHY_HELD, now);
	}
}
