// SPDX-License-Identifier: GPL-2.0-only
#include "ev_rotation.h"
#include "ev_schedule.h"

static u32 mrc_ev_rotation_random(struct mrc_ev_set *s)
{
	s->rng ^= s->rng << 13;
	s->rng ^= s->rng >> 17;
	s->rng ^= s->rng << 5;
	return s->rng;
}

static u16 mrc_ev_rotation_below(struct mrc_ev_set *s, u16 bound)
{
	return (u16)((u64)mrc_ev_rotation_random(s) * bound >> 32);
}

static u16 mrc_ev_rotation_gcd(u16 a, u16 b)
{
	while (b) {
		u16 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Draws a permutation that does not start with @last, the slot with which the one before ended. */
static void mrc_ev_rotation_shuffle(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 last)
{
	p->pos = 0;
	if (p->quota == 1)
		return;
	do {
		p->mul = 1 + mrc_ev_rotation_below(s, p->quota - 1);
	} while (mrc_ev_rotation_gcd(p->quota, p->mul) != 1);
	do {
		p->add = mrc_ev_rotation_below(s, p->quota);
	} while (p->add == last);
}

/* The EV in a slot of the plane, as index in the set. */
static u16 mrc_ev_rotation_at(const struct mrc_ev_set *s, const struct mrc_ev_plane *p, u16 slot)
{
	return p->first + s->ev[p->first + slot].in_slot;
}

static void mrc_ev_rotation_put(struct mrc_ev_set *s, const struct mrc_ev_plane *p, u16 slot,
				u16 ev)
{
	s->ev[p->first + slot].in_slot = (u8)(ev - p->first);
	s->ev[ev].slot = (u8)slot;
}

static void mrc_ev_rotation_swap(struct mrc_ev_set *s, const struct mrc_ev_plane *p, u16 a, u16 b)
{
	u16 ev = mrc_ev_rotation_at(s, p, a);

	mrc_ev_rotation_put(s, p, a, mrc_ev_rotation_at(s, p, b));
	mrc_ev_rotation_put(s, p, b, ev);
}

/* Puts a plane's EVs into slots in their order, and draws the spares, if there are any. */
static void mrc_ev_rotation_init(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 quota)
{
	u16 i;

	p->quota = min(quota, p->count);
	p->next_spare = p->quota;
	for (i = 0; i < p->count; i++)
		mrc_ev_rotation_put(s, p, i, p->first + i);
	for (i = 0; p->quota < p->count && i < p->quota; i++)
		mrc_ev_rotation_swap(s, p, i, i + mrc_ev_rotation_below(s, p->count - i));
	mrc_ev_rotation_shuffle(s, p, MRC_EV_NONE);
	p->next_any = p->add;
}

void mrc_ev_rotation_start(struct mrc_ev_set *s, u16 quota)
{
	u16 i;

	for (i = 0; i < s->nplanes; i++)
		mrc_ev_rotation_init(s, &s->planes[i], quota);
	s->next_plane = mrc_ev_rotation_below(s, s->nplanes);
}

static bool mrc_ev_rotation_usable(const struct mrc_ev_set *s, const struct mrc_ev_plane *p,
				   u16 slot)
{
	return mrc_ev_is_usable(&s->ev[mrc_ev_rotation_at(s, p, slot)]);
}

/* The slot of the next spare in state @state, GOOD or HELD. 0: there is none. */
static u16 mrc_ev_rotation_find_spare(const struct mrc_ev_set *s, const struct mrc_ev_plane *p,
				      u8 state)
{
	u16 n, slot = p->next_spare;

	for (n = p->quota; n < p->count; n++, slot++) {
		if (slot >= p->count)
			slot = p->quota;
		if (s->ev[mrc_ev_rotation_at(s, p, slot)].state == state)
			return slot;
	}
	return 0;
}

/* A spare takes the place in @slot, in the rotation; false when there is no spare. */
static bool mrc_ev_rotation_replace(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 slot)
{
	u16 spare = mrc_ev_rotation_find_spare(s, p, MRC_EV_GOOD) ?:
		    mrc_ev_rotation_find_spare(s, p, MRC_EV_HELD);

	if (!spare)
		return false;
	mrc_ev_rotation_swap(s, p, slot, spare);
	p->next_spare = spare + 1;
	return true;
}

void mrc_ev_rotation_fill(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 slot)
{
	u16 i;

	if (p->good > p->quota)
		return;
	for (i = 0; i < p->quota; i++) {
		if (mrc_ev_rotation_usable(s, p, i))
			continue;
		mrc_ev_rotation_swap(s, p, i, slot);
		return;
	}
}

/* The next EV of the permutation, as index in the set. */
static u16 mrc_ev_rotation_step(struct mrc_ev_set *s, struct mrc_ev_plane *p)
{
	u16 at = p->add;

	p->add += p->mul;
	if (p->add >= p->quota)
		p->add -= p->quota;
	if (++p->pos >= p->quota)
		mrc_ev_rotation_shuffle(s, p, at);
	return mrc_ev_rotation_at(s, p, at);
}

/* An EV is in a batch again. If it was calm, it is in more batches from now on. */
static void mrc_ev_rotation_return(const struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 now)
{
	if (e->thinned && mrc_ev_mark_age(e, now) >= MRC_EV_CALM_TRIPS * mrc_ev_takes(s, e)) {
		e->thinned--;
		e->marked = mrc_tx_ticks(now);
	}
	if (!e->thinned)
		e->state = MRC_EV_GOOD;
}

/*
 * An EV is stepped over for whole batches; all picks of a batch share @now. Return: true: the EV is
 * left out of this batch.
 */
static bool mrc_ev_rotation_skip(const struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 now)
{
	u32 batch = now & MRC_EV_BATCH_MASK;

	if (!e->batch)
		e->batch = batch;
	if (e->batch == batch)
		return e->skips;
	e->batch = batch;
	if (!e->skips)
		e->skips = 1u << e->thinned;
	if (--e->skips)
		return true;
	mrc_ev_rotation_return(s, e, now);
	return false;
}

static bool mrc_ev_rotation_take(const struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 now)
{
	switch (e->state) {
	case MRC_EV_GOOD:
	case MRC_EV_HELD:
		return true;
	case MRC_EV_SKIP:
		return !mrc_ev_rotation_skip(s, e, now);
	default:
		return false;
	}
}

/* The EVs that a pick accepts, from best to worst. */
enum mrc_ev_demand {
	MRC_EV_WANT_USABLE,
	/* EVs in rotation that are left out of this batch. */
	MRC_EV_WANT_SKIPPED,
	/* All EVs except DENIED ones, spares among them. */
	MRC_EV_WANT_ANY,
};

/* The plane's next SKIP EV. From any position, 2 * quota steps pass every slot of the rotation. */
static u16 mrc_ev_rotation_skipped(struct mrc_ev_set *s, struct mrc_ev_plane *p)
{
	unsigned int n;

	for (n = 2u * p->quota; n; n--) {
		u16 ev = mrc_ev_rotation_step(s, p);

		if (s->ev[ev].state == MRC_EV_SKIP)
			return ev;
	}
	return MRC_EV_NONE;
}

/* The plane's next usable EV. */
static u16 mrc_ev_rotation_next(struct mrc_ev_set *s, struct mrc_ev_plane *p, u64 now)
{
	unsigned int n;

	for (n = 2u * p->quota; n; n--) {
		u16 ev = mrc_ev_rotation_step(s, p);

		if (mrc_ev_rotation_take(s, &s->ev[ev], now))
			return ev;
	}
	return MRC_EV_NONE;
}

/* The plane's next EV, in the rotation or not, whatever is believed of it. */
static u16 mrc_ev_rotation_any(const struct mrc_ev_set *s, struct mrc_ev_plane *p)
{
	u16 n, ev;

	for (n = 0; n < p->count; n++) {
		ev = p->first + p->next_any;
		if (++p->next_any == p->count)
			p->next_any = 0;
		if (s->ev[ev].state != MRC_EV_DENIED)
			return ev;
	}
	return MRC_EV_NONE;
}

static u16 mrc_ev_rotation_turn(struct mrc_ev_set *s, struct mrc_ev_plane *p,
				enum mrc_ev_demand demand, u64 now)
{
	if (demand == MRC_EV_WANT_ANY)
		return mrc_ev_rotation_any(s, p);
	/* SKIP EVs count as good. */
	if (!p->good)
		return MRC_EV_NONE;
	if (demand == MRC_EV_WANT_SKIPPED)
		return mrc_ev_rotation_skipped(s, p);
	return mrc_ev_rotation_next(s, p, now);
}

/* Does this host have no room for data by the plane? A pick of any EV does not care. */
static bool mrc_ev_rotation_full(const struct mrc_ev_set *s, const struct mrc_ev_plane *p,
				 enum mrc_ev_demand demand)
{
	return demand != MRC_EV_WANT_ANY && s->full_mask >> (s->ev[p->first].port - 1) & 1;
}

/* Gives the planes their turns, until one of them has a suitable EV. */
static u16 mrc_ev_rotation_round(struct mrc_ev_set *s, enum mrc_ev_demand demand, u64 now)
{
	u16 n;

	for (n = 0; n < s->nplanes; n++) {
		struct mrc_ev_plane *p = &s->planes[s->next_plane];
		u16 ev;

		if (++s->next_plane == s->nplanes)
			s->next_plane = 0;
		if (!mrc_ev_plane_up(s, p) || mrc_ev_rotation_full(s, p, demand))
			continue;
		ev = mrc_ev_rotation_turn(s, p, demand, now);
		if (ev != MRC_EV_NONE)
			return ev;
	}
	return MRC_EV_NONE;
}

/*
 * Is there a search whose answers are late? A search probes all EVs at once. Packets that were sent
 * in vain take any EV meanwhile. Other packets do so only when the answers are late, because one
 * lost probe of an EV in doubt may have begun the search.
 */
static bool mrc_ev_rotation_knows_none(const struct mrc_ev_set *s, u64 now)
{
	return mrc_ev_searching(s) && now >= s->searched_at + mrc_ev_patience(s, 0);
}

/* The best EV of the planes that are not full; if these have none, of all planes. */
static u16 mrc_ev_rotation_best(struct mrc_ev_set *s, u64 now)
{
	u16 ev;

	for (;;) {
		ev = mrc_ev_rotation_round(s, MRC_EV_WANT_USABLE, now);
		if (ev == MRC_EV_NONE)
			ev = mrc_ev_rotation_round(s, MRC_EV_WANT_SKIPPED, now);
		if (ev != MRC_EV_NONE || !s->full_mask)
			return ev;
		s->full_mask = 0;
	}
}

u16 mrc_ev_pick(struct mrc_ev_set *s, u64 now)
{
	u16 ev = MRC_EV_NONE;

	if (!mrc_ev_rotation_knows_none(s, now))
		ev = mrc_ev_rotation_best(s, now);
	return ev != MRC_EV_NONE ? ev : mrc_ev_pick_any(s);
}

u16 mrc_ev_pick_any(struct mrc_ev_set *s)
{
	return mrc_ev_rotation_round(s, MRC_EV_WANT_ANY, 0);
}

void mrc_ev_rotation_leave(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			   const struct mrc_ev_entry *e)
{
	if (e->slot < p->quota)
		mrc_ev_rotation_replace(s, p, e->slot);
}

void mrc_ev_rotation_enter(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			   const struct mrc_ev_entry *e)
{
	struct mrc_ev_entry *out = &s->ev[mrc_ev_rotation_at(s, p, 0)], *at;
	u16 slot;

	if (e->slot < p->quota)
		return;
	for (slot = 1; slot < p->quota; slot++) {
		at = &s->ev[mrc_ev_rotation_at(s, p, slot)];
		if (at->heard_at < out->heard_at)
			out = at;
	}
	mrc_ev_rotation_swap(s, p, out->slot, e->slot);
	/* A spare is in no batch, so it cannot be left out of one. */
	if (out->state == MRC_EV_SKIP)
		out->state = MRC_EV_GOOD;
}
