// SPDX-License-Identifier: GPL-2.0-only
#include "reverse.h"
#include "ev_rotation.h"

void mrc_reverse_init(struct mrc_reverse *r)
{
	unsigned int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < MRC_PORT_MAX; i++)
		r->plane[i].ev = MRC_EV_NONE;
}

static bool mrc_reverse_plane_up(const struct mrc_ev_set *s, u16 plane)
{
	return mrc_ev_port_up(s, s->ev[s->planes[plane].first].port);
}

static bool mrc_reverse_is_usable(const struct mrc_ev_set *s, u16 ev)
{
	return mrc_ev_is_usable(&s->ev[ev]);
}

static bool mrc_reverse_suits(const struct mrc_ev_set *s, u16 ev, bool in_doubt)
{
	return mrc_reverse_is_usable(s, ev) && (in_doubt || !s->ev[ev].doubted);
}

/* Which EV of a plane is used; MRC_EV_NONE: none can be. */
typedef u16 mrc_reverse_choice(struct mrc_reverse *r, const struct mrc_ev_set *s, u16 plane,
			       bool in_doubt);

/* A usable EV of the plane; if possible the one that was answered last. */
static u16 mrc_reverse_usable(struct mrc_reverse *r, const struct mrc_ev_set *s,
			      u16 plane, bool in_doubt)
{
	u16 ev = r->plane[plane].ev, first = s->planes[plane].first;

	if (ev != MRC_EV_NONE && mrc_reverse_suits(s, ev, in_doubt))
		return ev;
	for (ev = first; ev < first + s->planes[plane].count; ev++)
		if (mrc_reverse_suits(s, ev, in_doubt))
			return ev;
	return MRC_EV_NONE;
}

/* The next usable EV of the plane. */
static u16 mrc_reverse_other(struct mrc_reverse *r, const struct mrc_ev_set *s, u16 plane,
			     bool in_doubt)
{
	const struct mrc_ev_plane *p = &s->planes[plane];
	u8 *turn = &r->plane[plane].turn;
	u16 n, ev;

	for (n = 0; n < p->count; n++) {
		*turn = (u8)((*turn + 1u) % p->count);
		ev = p->first + *turn;
		if (mrc_reverse_suits(s, ev, in_doubt))
			return ev;
	}
	return MRC_EV_NONE;
}

/* One round over the planes that are known to be alive. */
static u16 mrc_reverse_round(struct mrc_reverse *r, const struct mrc_ev_set *s, bool in_doubt,
			     mrc_reverse_choice *choose)
{
	u16 n, plane, ev;

	for (n = 0; n < s->nplanes; n++) {
		plane = r->next;
		if (++r->next >= s->nplanes)
			r->next = 0;
		if (r->plane[plane].lost >= MRC_REVERSE_LOST_MAX ||
		    !mrc_reverse_plane_up(s, plane))
			continue;
		ev = choose(r, s, plane, in_doubt);
		if (ev != MRC_EV_NONE)
			return ev;
	}
	return MRC_EV_NONE;
}

static u16 mrc_reverse_choose(struct mrc_reverse *r, struct mrc_ev_set *s, u64 now,
			      mrc_reverse_choice *choose)
{
	u16 ev;

	if (mrc_ev_searching(s))
		return mrc_ev_pick_any(s);
	ev = mrc_reverse_round(r, s, false, choose);
	if (ev == MRC_EV_NONE)
		ev = mrc_reverse_round(r, s, true, choose);
	return ev != MRC_EV_NONE ? ev : mrc_ev_pick(s, now);
}

u16 mrc_reverse_pick(struct mrc_reverse *r, struct mrc_ev_set *s, u64 now)
{
	return mrc_reverse_choose(r, s, now, mrc_reverse_usable);
}

u16 mrc_reverse_vary(struct mrc_reverse *r, struct mrc_ev_set *s, u64 now)
{
	return mrc_reverse_choose(r, s, now, mrc_reverse_other);
}

static bool mrc_reverse_may_carry(const struct mrc_ev_set *s, u16 ev)
{
	return ev < s->count && s->ev[ev].state != MRC_EV_DENIED &&
	       mrc_ev_port_up(s, s->ev[ev].port);
}

static bool mrc_reverse_is_among(const u16 *ev, unsigned int n, u16 which)
{
	while (n--)
		if (ev[n] == which)
			return true;
	return false;
}

unsigned int mrc_reverse_answer(struct mrc_reverse *r, struct mrc_ev_set *s,
				u16 mirror, u64 now,
				u16 ev[MRC_REVERSE_COPIES])
{
	unsigned int n = 0;
	u16 tries, any;

	if (!mrc_ev_searching(s)) {
		ev[0] = mrc_reverse_pick(r, s, now);
		return ev[0] != MRC_EV_NONE;
	}
	if (mrc_reverse_may_carry(s, mirror))
		ev[n++] = mirror;
	for (tries = s->count; tries && n < MRC_REVERSE_COPIES; tries--) {
		any = mrc_ev_pick_any(s);
		if (any == MRC_EV_NONE)
			break;
		if (!mrc_reverse_is_among(ev, n, any))
			ev[n++] = any;
	}
	return n;
}

/* A random EV of the plane, if possible a usable one: a bad EV says nothing of its plane. */
static u16 mrc_reverse_any_of(const struct mrc_ev_set *s, u16 plane, u32 random)
{
	const struct mrc_ev_plane *p = &s->planes[plane];
	u16 n, ev, bad = MRC_EV_NONE;

	for (n = 0; n < p->count; n++) {
		ev = p->first + (random + n) % p->count;
		if (mrc_reverse_is_usable(s, ev))
			return ev;
		if (s->ev[ev].state != MRC_EV_DENIED)
			bad = ev;
	}
	return bad;
}

u16 mrc_reverse_probe(struct mrc_reverse *r, const struct mrc_ev_set *s,
		      u32 random)
{
	u16 n, plane, ev;

	for (n = 0; n < s->nplanes; n++) {
		plane = r->probe;
		if (++r->probe >= s->nplanes)
			r->probe = 0;
		if (!mrc_reverse_plane_up(s, plane))
			continue;
		ev = mrc_reverse_any_of(s, plane, random);
		if (ev != MRC_EV_NONE)
			return ev;
	}
	return MRC_EV_NONE;
}

void mrc_reverse_start(struct mrc_reverse *r, const struct mrc_ev_set *s,
		       u32 random)
{
	u16 i;

	r->next = (random >> 16) % s->nplanes;
	for (i = 0; i < s->nplanes; i++)
		r->plane[i].ev = mrc_reverse_any_of(s, i, random & 0xffff);
}

void mrc_reverse_keep(struct mrc_reverse *r, const struct mrc_ev_set *s, u16 ev,
		      const struct mrc_reverse *old, const struct mrc_ev_set *old_s, u16 was)
{
	const struct mrc_reverse_plane *known = &old->plane[mrc_ev_plane_of(old_s, was)];
	struct mrc_reverse_plane *p = &r->plane[mrc_ev_plane_of(s, ev)];

	p->lost = known->lost;
	if (known->ev == was && mrc_reverse_is_usable(s, ev))
		p->ev = ev;
}

void mrc_reverse_alive(struct mrc_reverse *r, const struct mrc_ev_set *s,
		       u16 ev)
{
	struct mrc_reverse_plane *p = &r->plane[mrc_ev_plane_of(s, ev)];

	p->lost = 0;
	if (mrc_reverse_is_usable(s, ev))
		p->ev = ev;
}

bool mrc_reverse_lost(struct mrc_reverse *r, const struct mrc_ev_set *s, u16 ev)
{
	u16 plane = mrc_ev_plane_of(s, ev);
	struct mrc_reverse_plane *p = &r->plane[plane];

	if (p->ev == ev)
		p->ev = MRC_EV_NONE;
	if (!mrc_reverse_is_usable(s, ev) || p->lost >= MRC_REVERSE_LOST_MAX)
		return false;
	r->probe = plane;
	return ++p->lost < MRC_REVERSE_LOST_MAX;
}
