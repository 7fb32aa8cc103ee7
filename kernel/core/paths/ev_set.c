// SPDX-License-Identifier: GPL-2.0-only
#include "ev_set.h"
#include "ev_rotation.h"
#include "ev_schedule.h"

static int mrc_ev_set_add_planes(struct mrc_ev_set *s)
{
	struct mrc_ev_plane *p = NULL;
	u8 port = 0;
	u16 i;

	for (i = 0; i < s->count; i++) {
		if (s->ev[i].port < port || !s->ev[i].port ||
		    s->ev[i].port > MRC_PORT_MAX)
			return -EINVAL;
		if (s->ev[i].port != port) {
			port = s->ev[i].port;
			p = &s->planes[s->nplanes++];
			p->first = i;
		}
		p->count++;
		p->good++;
	}
	return 0;
}

int mrc_ev_set_init(struct mrc_ev_set *s, struct mrc_ev_entry *ev, u16 count, u16 min_active,
		    u16 active, u32 seed)
{
	u16 i, quota;

	memset(s, 0, sizeof(*s));
	if (!count || count > MRC_EV_MAX || min_active > count || active > count)
		return -EINVAL;
	s->ev = ev;
	s->count = count;
	s->min_active = min_active;
	s->good = count;
	s->local_mask = ~0u;
	s->remote_mask = ~0u;
	s->rng = seed ? seed : 0x9e3779b9;
	s->probe_at = U64_MAX;
	s->timing = &mrc_timing_software;
	if (mrc_ev_set_add_planes(s))
		return -EINVAL;

	for (i = 0; i < count; i++)
		ev[i] = (struct mrc_ev_entry){
			.state = MRC_EV_GOOD,
			.told = MRC_EV_GOOD,
			.port = ev[i].port,
		};
	quota = active ? DIV_ROUND_UP(active, s->nplanes) : count;
	mrc_ev_rotation_start(s, quota);
	return 0;
}

static void mrc_ev_set_count(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			     const struct mrc_ev_entry *e, int n)
{
	int n_up = mrc_ev_port_up(s, e->port) ? n : 0;

	if (mrc_ev_is_usable(e)) {
		p->good += n;
		s->good += n_up;
		p->asked += mrc_ev_is_asked(e) ? n : 0;
		s->asked += mrc_ev_is_asked(e) ? n_up : 0;
	} else if (e->state == MRC_EV_ASSUMED_BAD) {
		p->bad += n;
		s->bad += n_up;
	}
}

/* Lasting changes of state go through here, which keeps the counts and the rotation right. */
static void mrc_ev_set_state(struct mrc_ev_set *s, struct mrc_ev_plane *p, struct mrc_ev_entry *e,
			     u8 state, enum mrc_ev_why why, u64 now)
{
	bool was = mrc_ev_is_usable(e), is;
	u8 old = e->state;

	mrc_ev_set_count(s, p, e, -1);
	e->state = state;
	e->doubted = false;
	mrc_ev_set_count(s, p, e, 1);
	if (mrc_ev_lasting(old) == mrc_ev_lasting(state))
		return;
	e->thinned = 0;
	if (state == MRC_EV_GOOD)
		e->probe_at = 0;
	e->missed = 0;
	e->why = why;
	e->changed_at = now;
	s->untold = true;
	is = mrc_ev_is_usable(e);
	if (!was && is && e->slot >= p->quota)
		mrc_ev_rotation_fill(s, p, e->slot);
	else if (was && !is && e->slot < p->quota)
		mrc_ev_rotation_leave(s, p, e);
}

u16 mrc_ev_next_change(struct mrc_ev_set *s, u8 *old)
{
	u16 i;

	for (i = 0; s->untold && i < s->count; i++) {
		struct mrc_ev_entry *e = &s->ev[i];

		if (e->told == mrc_ev_lasting(e->state))
			continue;
		*old = e->told;
		e->told = mrc_ev_lasting(e->state);
		return i;
	}
	s->untold = false;
	return MRC_EV_NONE;
}

/* Does an EV carry data, without being in doubt, and was it marked lately? */
static bool mrc_ev_marked_lately(const struct mrc_ev_set *s, const struct mrc_ev_entry *e, u64 now)
{
	return mrc_ev_lasting(e->state) == MRC_EV_GOOD && !e->doubted &&
	       mrc_ev_mark_age(e, now) < MRC_EV_CALM_TRIPS * s->rtt;
}

/*
 * Were so few of the other EVs that carry data marked lately that the reason must be this EV's own
 * path, and not a place where all paths meet? Spares and EVs of planes that are down cannot be
 * marked, so they do not count.
 */
static bool mrc_ev_marked_alone(const struct mrc_ev_set *s, u16 ev, u64 now)
{
	unsigned int used = 0, others = 0;
	const struct mrc_ev_plane *p;
	u16 n, i;

	for (n = 0; n < s->nplanes; n++) {
		p = &s->planes[n];
		for (i = p->first; i < p->first + p->count && mrc_ev_plane_up(s, p); i++) {
			if (!mrc_ev_is_usable(&s->ev[i]) || s->ev[i].slot >= p->quota)
				continue;
			used++;
			others += i != ev && mrc_ev_marked_lately(s, &s->ev[i], now);
		}
	}
	return others * MRC_EV_ALONE < used;
}

/* Counts one mark in a round trip: further marks in that time come from the same queue. */
static void mrc_ev_mark_again(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];
	u64 age = mrc_ev_mark_age(e, now);

	if (age < s->rtt)
		return;
	e->marked = mrc_tx_ticks(now);
	if (age >= MRC_EV_CALM_TRIPS * mrc_ev_takes(s, e))
		e->thinned = 0;
	else if (!mrc_ev_marked_alone(s, ev, now))
		e->thinned -= !!e->thinned;
	else if (e->thinned < MRC_EV_THINNED_MAX)
		e->thinned++;
}

void mrc_ev_marked(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return;
	e = &s->ev[ev];
	if (mrc_ev_lasting(e->state) != MRC_EV_GOOD)
		return;
	/* An EV in doubt cannot be SKIP: its schedule of probes has the same place in the entry. */
	if (e->doubted || mrc_ev_is_spare(s, ev))
		return;
	mrc_ev_mark_again(s, ev, now);
	if (e->state == MRC_EV_SKIP)
		return;
	e->state = MRC_EV_SKIP;
	e->batch = 0;
	e->skips = 1u << e->thinned;
}

void mrc_ev_fall(struct mrc_ev_set *s, u16 ev, u8 state, enum mrc_ev_why why, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	/* The probes of an EV that was lost before go on as they were. */
	if (mrc_ev_lasting(e->state) == MRC_EV_GOOD) {
		e->flaps = mrc_ev_schedule_flaps(s, e, now);
		e->answered = 0;
		mrc_ev_schedule_start(s, e, e->flaps, now + mrc_ev_probe_interval(s, e->flaps));
	}
	mrc_ev_set_state(s, mrc_ev_own_plane(s, ev), e, state, why, now);
}

/*
 * Of the EVs in a state, on ports that are up: the one that was most recently heard from, if that
 * was after @than. With @longest_ago: the one that was heard from longest ago, if that was before
 * @than.
 */
static u16 mrc_ev_set_heard(const struct mrc_ev_set *s, u8 state, u64 than, bool longest_ago)
{
	u16 i, found = MRC_EV_NONE;

	for (i = 0; i < s->count; i++) {
		const struct mrc_ev_entry *e = &s->ev[i];

		if (e->state != state || !mrc_ev_port_up(s, e->port) ||
		    (longest_ago ? e->heard_at >= than : e->heard_at <= than))
			continue;
		than = e->heard_at;
		found = i;
	}
	return found;
}

/* Takes HELD EVs out of use while more EVs are in use than the floor wants. */
static void mrc_ev_settle(struct mrc_ev_set *s, u64 now)
{
	u16 ev;

	while (s->good > mrc_ev_floor(s)) {
		ev = mrc_ev_set_heard(s, MRC_EV_HELD, U64_MAX, true);
		if (ev == MRC_EV_NONE)
			break;
		mrc_ev_fall(s, ev, MRC_EV_ASSUMED_BAD, MRC_EV_WHY_BETTER, now);
	}
}

/* A loss at the floor: the EV stays in use as HELD, unless a bad EV was heard from later. */
static bool mrc_ev_set_lost_at_floor(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];
	u16 better = mrc_ev_set_heard(s, MRC_EV_ASSUMED_BAD, e->heard_at, false);

	if (better != MRC_EV_NONE) {
		mrc_ev_fall(s, better, MRC_EV_HELD, MRC_EV_WHY_HELD, now);
		mrc_ev_fall(s, ev, MRC_EV_ASSUMED_BAD,
		     e->state == MRC_EV_HELD ? MRC_EV_WHY_BETTER : why, now);
		return true;
	}
	mrc_ev_rotation_leave(s, mrc_ev_own_plane(s, ev), e);
	if (e->state == MRC_EV_HELD)
		return false;
	mrc_ev_fall(s, ev, MRC_EV_HELD, why, now);
	return true;
}

bool mrc_ev_lost(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return false;
	e = &s->ev[ev];
	if (!mrc_ev_is_usable(e) || !mrc_ev_port_up(s, e->port))
		return false;
	if (s->good <= mrc_ev_floor(s))
		return mrc_ev_set_lost_at_floor(s, ev, why, now);
	mrc_ev_fall(s, ev, MRC_EV_ASSUMED_BAD,
	     e->state == MRC_EV_HELD ? MRC_EV_WHY_BETTER : why, now);
	return true;
}

void mrc_ev_set_doubted(struct mrc_ev_set *s, u16 ev, bool doubted)
{
	struct mrc_ev_plane *p = mrc_ev_own_plane(s, ev);
	struct mrc_ev_entry *e = &s->ev[ev];

	mrc_ev_set_count(s, p, e, -1);
	e->doubted = doubted;
	/* The schedule of probes and what is known of marks share their place in the entry. */
	if (!doubted)
		e->probe_at = 0;
	mrc_ev_set_count(s, p, e, 1);
}

void mrc_ev_come_back(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	e->returned = true;
	mrc_ev_set_state(s, mrc_ev_own_plane(s, ev), e, MRC_EV_GOOD, why, now);
	mrc_ev_settle(s, now);
}

bool mrc_ev_cleared(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return false;
	e = &s->ev[ev];
	if (e->state != MRC_EV_ASSUMED_BAD && e->state != MRC_EV_HELD)
		return false;
	e->flaps = 0;
	mrc_ev_set_state(s, mrc_ev_own_plane(s, ev), e, MRC_EV_GOOD, MRC_EV_WHY_LATE, now);
	mrc_ev_settle(s, now);
	return true;
}

void mrc_ev_deny(struct mrc_ev_set *s, u16 ev, bool deny, u64 now)
{
	struct mrc_ev_entry *e;
	bool denied;

	if (ev >= s->count)
		return;
	e = &s->ev[ev];
	denied = e->state == MRC_EV_DENIED;
	if (deny == denied)
		return;
	e->flaps = 0;
	e->returned = false;
	mrc_ev_set_state(s, mrc_ev_own_plane(s, ev), e, deny ? MRC_EV_DENIED : MRC_EV_GOOD,
		  deny ? MRC_EV_WHY_DENIED : MRC_EV_WHY_ALLOWED, now);
	mrc_ev_settle(s, now);
}

void mrc_ev_ports(struct mrc_ev_set *s, u32 local_mask, u32 remote_mask, u64 now)
{
	u16 i;

	s->local_mask = local_mask;
	s->remote_mask = remote_mask;
	s->good = 0;
	s->bad = 0;
	s->asked = 0;
	for (i = 0; i < s->nplanes; i++) {
		if (!mrc_ev_plane_up(s, &s->planes[i]))
			continue;
		s->good += s->planes[i].good;
		s->bad += s->planes[i].bad;
		s->asked += s->planes[i].asked;
	}
	mrc_ev_schedule_find(s);
	mrc_ev_settle(s, now);
}
