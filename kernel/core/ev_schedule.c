// SPDX-License-Identifier: GPL-2.0-only
#include "ev_schedule.h"

/* Exponent from which on every interval is MRC_EV_PROBE_MAX_NS. */
#define MRC_EV_BACKOFF_MAX	20u

static_assert(MRC_EV_PROBE_NS << MRC_EV_BACKOFF_MAX >= MRC_EV_PROBE_MAX_NS,
	      "the longest interval must be reachable");

u64 mrc_ev_probe_interval(u8 exp)
{
	return min(MRC_EV_PROBE_NS << exp, MRC_EV_PROBE_MAX_NS);
}

/* The next exponent, unless the interval is the longest already. */
static u8 mrc_ev_schedule_back_off(u8 exp)
{
	return mrc_ev_probe_interval(exp) < MRC_EV_PROBE_MAX_NS ? exp + 1 : exp;
}

void mrc_ev_schedule(struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 at)
{
	e->probe_at = at;
	s->probe_at = min(s->probe_at, at);
}

/* Before the state is one in which it is probed. */
void mrc_ev_schedule_start(struct mrc_ev_set *s, struct mrc_ev_entry *e, u8 backoff, u64 at)
{
	if (!s->bad && !s->asked)
		s->probe_at = U64_MAX;
	e->backoff = backoff;
	mrc_ev_schedule(s, e, at);
}

/* The exponent that probing starts with: how often the EV has flapped of late. */
u8 mrc_ev_schedule_flaps(const struct mrc_ev_entry *e, u64 now)
{
	u64 steady;

	if (!e->returned)
		return e->flaps;
	if (now < e->changed_at + MRC_EV_FLAP_NS)
		return e->flaps < MRC_EV_FLAPS_MAX ? mrc_ev_schedule_back_off(e->flaps) :
						     e->flaps;
	steady = (now - e->changed_at) / MRC_EV_STEADY_NS;
	return steady < e->flaps ? (u8)(e->flaps - steady) : 0;
}

void mrc_ev_schedule_find(struct mrc_ev_set *s)
{
	u16 i;

	s->probe_at = U64_MAX;
	for (i = 0; i < s->count; i++)
		if (mrc_ev_is_probed(s, &s->ev[i]))
			s->probe_at = min(s->probe_at, s->ev[i].probe_at);
}

u64 mrc_ev_probe_at(const struct mrc_ev_set *s)
{
	return s->bad || s->asked ? s->probe_at : U64_MAX;
}

u16 mrc_ev_probe_next(struct mrc_ev_set *s, u64 now)
{
	u16 n;

	if (now < mrc_ev_probe_at(s))
		return MRC_EV_NONE;
	for (n = s->count; n; n--) {
		u16 ev = s->next_probe;
		struct mrc_ev_entry *e = &s->ev[ev];

		if (++s->next_probe == s->count)
			s->next_probe = 0;
		if (!mrc_ev_is_probed(s, e) || now < e->probe_at)
			continue;
		e->backoff = mrc_ev_schedule_back_off(e->backoff);
		mrc_ev_schedule(s, e, now + mrc_ev_probe_interval(e->backoff));
		return ev;
	}
	mrc_ev_schedule_find(s);
	return MRC_EV_NONE;
}

/* Answers in a row that bring it back. */
u8 mrc_ev_schedule_enough(const struct mrc_ev_entry *e)
{
	unsigned int flaps = e->flaps;

	return MRC_EV_PROBE_GOOD << min(flaps, MRC_EV_DOUBTS_MAX);
}

/* It has flapped on its way back. */
void mrc_ev_schedule_restart(struct mrc_ev_entry *e, u64 now)
{
	if (!e->answered)
		return;
	e->answered = 0;
	if (e->backoff < e->flaps)
		e->backoff = e->flaps;
	e->probe_at = max(e->probe_at, now + mrc_ev_probe_interval(e->flaps));
}

void mrc_ev_probe_unsent(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count || !mrc_ev_is_probed(s, &s->ev[ev]))
		return;
	e = &s->ev[ev];
	if (e->backoff)
		e->backoff--;
	mrc_ev_schedule(s, e, now + mrc_ev_probe_interval(e->backoff));
}
