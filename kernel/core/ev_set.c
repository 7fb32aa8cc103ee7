// SPDX-License-Identifier: GPL-2.0-only
#include "ev_set.h"

/* Exponent from which on the hold time is MRC_EV_HOLD_MAX_NS. */
#define HOLD_EXP_MAX	7u

static_assert(MRC_EV_HOLD_MIN_NS << HOLD_EXP_MAX >= MRC_EV_HOLD_MAX_NS,
	      "the longest hold time must be reachable");

static u32 draw(struct mrc_ev_set *s)
{
	s->rng ^= s->rng << 13;
	s->rng ^= s->rng >> 17;
	s->rng ^= s->rng << 5;
	return s->rng;
}

static u16 draw_below(struct mrc_ev_set *s, u16 bound)
{
	return (u16)((u64)draw(s) * bound >> 32);
}

static u16 gcd16(u16 a, u16 b)
{
	while (b) {
		u16 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Not to start with @last, the EV that the previous rotation ended with. */
static void shuffle(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 last)
{
	p->pos = 0;
	if (p->count == 1)
		return;
	do {
		p->mul = 1 + draw_below(s, p->count - 1);
	} while (gcd16(p->count, p->mul) != 1);
	do {
		p->add = draw_below(s, p->count);
	} while (p->add == last);
}

static int add_planes(struct mrc_ev_set *s)
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
			p->retry_at = U64_MAX;
		}
		p->count++;
		p->good++;
	}
	return 0;
}

int mrc_ev_set_init(struct mrc_ev_set *s, struct mrc_ev_entry *ev, u16 count,
		    u16 min_active, u32 seed)
{
	u16 i;

	memset(s, 0, sizeof(*s));
	if (!count || count > MRC_EV_MAX || min_active > count)
		return -EINVAL;
	s->ev = ev;
	s->count = count;
	s->min_active = min_active;
	s->good = count;
	s->local_mask = ~0u;
	s->remote_mask = ~0u;
	s->rng = seed ? seed : 0x9e3779b9;
	if (add_planes(s))
		return -EINVAL;

	for (i = 0; i < count; i++)
		ev[i] = (struct mrc_ev_entry){
			.state = MRC_EV_GOOD, .port = ev[i].port,
		};
	for (i = 0; i < s->nplanes; i++)
		shuffle(s, &s->planes[i], MRC_EV_NONE);
	s->next_plane = draw_below(s, s->nplanes);
	return 0;
}

static bool port_up(const struct mrc_ev_set *s, u8 port)
{
	return (s->local_mask & s->remote_mask) >> (port - 1) & 1;
}

static bool plane_up(const struct mrc_ev_set *s, const struct mrc_ev_plane *p)
{
	return port_up(s, s->ev[p->first].port);
}

static struct mrc_ev_plane *plane_of(struct mrc_ev_set *s, u16 ev)
{
	struct mrc_ev_plane *p = s->planes;

	while (ev >= p->first + p->count)
		p++;
	return p;
}

static bool is_active(const struct mrc_ev_entry *e)
{
	return e->state == MRC_EV_GOOD || e->state == MRC_EV_SKIP;
}

/* All changes between active and not go through here, to keep the counts. */
static void set_state(struct mrc_ev_set *s, struct mrc_ev_plane *p,
		      struct mrc_ev_entry *e, u8 state)
{
	int was = is_active(e);
	int diff;

	e->state = state;
	diff = is_active(e) - was;
	p->good = (u16)(p->good + diff);
	if (port_up(s, e->port))
		s->good = (u16)(s->good + diff);
}

/* The next EV of the permutation, as index in the set. */
static u16 step(struct mrc_ev_set *s, struct mrc_ev_plane *p)
{
	u16 at = p->add;

	p->add += p->mul;
	if (p->add >= p->count)
		p->add -= p->count;
	if (++p->pos >= p->count)
		shuffle(s, p, at);
	return p->first + at;
}

static bool take(struct mrc_ev_set *s, struct mrc_ev_plane *p,
		 struct mrc_ev_entry *e, u64 now)
{
	switch (e->state) {
	case MRC_EV_GOOD:
		return true;
	case MRC_EV_SKIP:
		/* Stepped over for the whole batch, and picks of a batch share @now. */
		if (!e->retry_at)
			e->retry_at = now;
		if (e->retry_at == now)
			return false;
		e->state = MRC_EV_GOOD;
		return true;
	case MRC_EV_ASSUMED_BAD:
		if (now < e->retry_at)
			return false;
		e->trial = true;
		set_state(s, p, e, MRC_EV_GOOD);
		return true;
	default:
		return false;
	}
}

static void find_retry_at(struct mrc_ev_set *s, struct mrc_ev_plane *p)
{
	u16 i;

	p->retry_at = U64_MAX;
	for (i = p->first; i < p->first + p->count; i++)
		if (s->ev[i].state == MRC_EV_ASSUMED_BAD)
			p->retry_at = min(p->retry_at, s->ev[i].retry_at);
}

static u16 pick_state(struct mrc_ev_set *s, struct mrc_ev_plane *p, u8 state)
{
	unsigned int n;

	for (n = 2u * p->count; n; n--) {
		u16 ev = step(s, p);

		if (s->ev[ev].state == state)
			return ev;
	}
	return MRC_EV_NONE;
}

/*
 * The plane's next usable EV. From any position 2 * count steps pass every EV.
 * Where all are to be skipped one is taken nevertheless: the plane keeps its share.
 */
static u16 pick_usable(struct mrc_ev_set *s, struct mrc_ev_plane *p, u64 now)
{
	unsigned int n;

	if (!p->good && now < p->retry_at)
		return MRC_EV_NONE;
	for (n = 2u * p->count; n; n--) {
		u16 ev = step(s, p);

		if (take(s, p, &s->ev[ev], now))
			return ev;
	}
	find_retry_at(s, p);
	return p->good ? pick_state(s, p, MRC_EV_SKIP) : MRC_EV_NONE;
}

/* One round over the planes, each getting its turn. */
static u16 pick_round(struct mrc_ev_set *s, bool usable, u64 now)
{
	u16 n;

	for (n = 0; n < s->nplanes; n++) {
		struct mrc_ev_plane *p = &s->planes[s->next_plane];
		u16 ev;

		if (++s->next_plane == s->nplanes)
			s->next_plane = 0;
		if (!plane_up(s, p))
			continue;
		ev = usable ? pick_usable(s, p, now) :
			      pick_state(s, p, MRC_EV_ASSUMED_BAD);
		if (ev != MRC_EV_NONE)
			return ev;
	}
	return MRC_EV_NONE;
}

u16 mrc_ev_pick(struct mrc_ev_set *s, u64 now)
{
	u16 ev = pick_round(s, true, now);

	return ev != MRC_EV_NONE ? ev : pick_round(s, false, now);
}

void mrc_ev_marked(struct mrc_ev_set *s, u16 ev)
{
	if (ev >= s->count || s->ev[ev].state != MRC_EV_GOOD)
		return;
	s->ev[ev].state = MRC_EV_SKIP;
	s->ev[ev].retry_at = 0;
}

static bool floor_reached(const struct mrc_ev_set *s,
			  const struct mrc_ev_entry *e)
{
	return port_up(s, e->port) &&
	       (s->good <= s->min_active || s->good == 1);
}

static u64 hold_ns(u8 exp)
{
	return min(MRC_EV_HOLD_MIN_NS << exp, MRC_EV_HOLD_MAX_NS);
}

bool mrc_ev_lost(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_plane *p;
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return false;
	e = &s->ev[ev];
	if (!is_active(e) || floor_reached(s, e))
		return false;
	if (e->trial && e->hold < HOLD_EXP_MAX)
		e->hold++;
	e->trial = false;
	e->retry_at = now + hold_ns(e->hold);

	p = plane_of(s, ev);
	p->retry_at = min(p->retry_at, e->retry_at);
	set_state(s, p, e, MRC_EV_ASSUMED_BAD);
	return true;
}

bool mrc_ev_acked(struct mrc_ev_set *s, u16 ev)
{
	if (ev >= s->count || !s->ev[ev].trial)
		return false;
	s->ev[ev].trial = false;
	s->ev[ev].hold = 0;
	return true;
}

bool mrc_ev_cleared(struct mrc_ev_set *s, u16 ev)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count || s->ev[ev].state != MRC_EV_ASSUMED_BAD)
		return false;
	e = &s->ev[ev];
	e->hold = 0;
	set_state(s, plane_of(s, ev), e, MRC_EV_GOOD);
	return true;
}

void mrc_ev_deny(struct mrc_ev_set *s, u16 ev, bool deny)
{
	struct mrc_ev_entry *e;
	bool denied;

	if (ev >= s->count)
		return;
	e = &s->ev[ev];
	denied = e->state == MRC_EV_DENIED;
	if (deny == denied)
		return;
	e->trial = false;
	e->hold = 0;
	set_state(s, plane_of(s, ev), e, deny ? MRC_EV_DENIED : MRC_EV_GOOD);
}

void mrc_ev_ports(struct mrc_ev_set *s, u32 local_mask, u32 remote_mask)
{
	u16 i;

	s->local_mask = local_mask;
	s->remote_mask = remote_mask;
	s->good = 0;
	for (i = 0; i < s->nplanes; i++)
		if (plane_up(s, &s->planes[i]))
			s->good += s->planes[i].good;
}
