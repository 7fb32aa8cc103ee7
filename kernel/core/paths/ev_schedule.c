// SPDX-License-Identifier: GPL-2.0-only
#include "ev_schedule.h"

/* Follows a longer round trip by half of the difference, a shorter one by one part in @parts. */
static void mrc_ev_schedule_follow(struct mrc_ev_set *s, u64 ns, unsigned int parts)
{
	u64 rtt = s->rtt;

	WRITE_ONCE(s->rtt, ns > rtt ? rtt + (ns - rtt) / 2 : rtt - (rtt - ns) / parts);
}

void mrc_ev_round_trip(struct mrc_ev_set *s, u64 ns)
{
	mrc_ev_schedule_follow(s, min(ns, s->timing->ask_max), 16);
}

/*
 * A shorter round trip is followed once in a round trip, however many answers come in it. A queue
 * of our own probes is gone as soon as the probes stop; if it was forgotten at once, the next
 * probes would fill it again.
 */
void mrc_ev_probe_round_trip(struct mrc_ev_set *s, u64 ns, u64 now)
{
	ns = min(ns, s->timing->ask_max);
	if (ns <= s->rtt && now < s->rtt_at + s->rtt)
		return;
	s->rtt_at = now;
	mrc_ev_schedule_follow(s, ns, 4);
}

u64 mrc_ev_patience(const struct mrc_ev_set *s, u64 least)
{
	return max(least, min(2 * READ_ONCE(s->rtt), s->timing->ask_max));
}

u64 mrc_ev_probe_interval(const struct mrc_ev_set *s, u8 exp)
{
	return min(max(s->timing->ev_probe << exp, s->rtt), s->timing->ev_probe_max);
}

/* The next exponent, unless the interval is the longest already. */
static u8 mrc_ev_schedule_back_off(const struct mrc_ev_set *s, u8 exp)
{
	return mrc_ev_probe_interval(s, exp) < s->timing->ev_probe_max ? exp + 1 : exp;
}

void mrc_ev_schedule(struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 at)
{
	e->probe_at = at;
	s->probe_at = min(s->probe_at, at);
}

/* To be called before the state changes: if no EV is probed yet, @s->probe_at is out of date. */
void mrc_ev_schedule_start(struct mrc_ev_set *s, struct mrc_ev_entry *e, u8 backoff, u64 at)
{
	if (!s->bad && !s->asked)
		s->probe_at = U64_MAX;
	e->backoff = backoff;
	mrc_ev_schedule(s, e, at);
}

u8 mrc_ev_schedule_flaps(const struct mrc_ev_set *s, const struct mrc_ev_entry *e, u64 now)
{
	u64 at = e->changed_at + s->timing->ev_steady;
	u8 flaps = e->flaps;

	if (!e->returned)
		return flaps;
	if (now < e->changed_at + s->timing->ev_flap)
		return flaps < MRC_EV_FLAPS_MAX ? mrc_ev_schedule_back_off(s, flaps) : flaps;
	for (; flaps && now >= at; at += s->timing->ev_steady)
		flaps--;
	return flaps;
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

/* The next EV whose probe is due, or MRC_EV_NONE. */
static u16 mrc_ev_schedule_due(const struct mrc_ev_set *s, u64 now)
{
	u16 ev = s->next_probe, n;

	for (n = s->count; n; n--) {
		if (mrc_ev_is_probed(s, &s->ev[ev]) && now >= s->ev[ev].probe_at)
			return ev;
		if (++ev == s->count)
			ev = 0;
	}
	return MRC_EV_NONE;
}

u16 mrc_ev_probe_next(struct mrc_ev_set *s, u64 now)
{
	struct mrc_ev_entry *e;
	u16 ev;

	if (now < mrc_ev_probe_at(s))
		return MRC_EV_NONE;
	ev = mrc_ev_schedule_due(s, now);
	if (ev != MRC_EV_NONE) {
		e = &s->ev[ev];
		e->backoff = mrc_ev_schedule_back_off(s, e->backoff);
		mrc_ev_schedule(s, e, now + mrc_ev_probe_interval(s, e->backoff));
		s->next_probe = ev + 1 == s->count ? 0 : ev + 1;
	}
	/* Then mrc_ev_probe_at() tells a caller with many sets whether this one has more to do. */
	if (ev == MRC_EV_NONE || mrc_ev_schedule_due(s, now) == MRC_EV_NONE)
		mrc_ev_schedule_find(s);
	return ev;
}

u8 mrc_ev_schedule_enough(const struct mrc_ev_entry *e)
{
	unsigned int flaps = e->flaps;

	return MRC_EV_PROBE_GOOD << min(flaps, MRC_EV_DOUBTS_MAX);
}

/* If there were answers, the EV has flapped on its way back. */
void mrc_ev_schedule_restart(const struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 now)
{
	if (!e->answered)
		return;
	e->answered = 0;
	if (e->backoff < e->flaps)
		e->backoff = e->flaps;
	e->probe_at = max(e->probe_at, now + mrc_ev_probe_interval(s, e->flaps));
}

void mrc_ev_probe_unsent(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count || !mrc_ev_is_probed(s, &s->ev[ev]))
		return;
	e = &s->ev[ev];
	if (e->backoff)
		e->backoff--;
	mrc_ev_schedule(s, e, now + mrc_ev_probe_interval(s, e->backoff));
}
