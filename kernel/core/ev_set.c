// SPDX-License-Identifier: GPL-2.0-only
#include "ev_set.h"

/* Exponent from which on every interval is MRC_EV_PROBE_MAX_NS. */
#define BACKOFF_MAX	20u

static_assert(MRC_EV_PROBE_NS << BACKOFF_MAX >= MRC_EV_PROBE_MAX_NS,
	      "the longest interval must be reachable");

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
	s->probe_at = U64_MAX;
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

static bool plane_up(const struct mrc_ev_set *s, const struct mrc_ev_plane *p)
{
	return mrc_ev_port_up(s, s->ev[p->first].port);
}

static struct mrc_ev_plane *plane_of(struct mrc_ev_set *s, u16 ev)
{
	return &s->planes[mrc_ev_plane_of(s, ev)];
}

static void count_entry(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			const struct mrc_ev_entry *e, int n)
{
	bool up = mrc_ev_port_up(s, e->port);

	if (mrc_ev_is_active(e)) {
		p->good += n;
		s->good += up ? n : 0;
	} else if (e->state == MRC_EV_ASSUMED_BAD) {
		p->bad += n;
		s->bad += up ? n : 0;
	}
}

/* All changes of state go through here, to keep the counts. */
static void set_state(struct mrc_ev_set *s, struct mrc_ev_plane *p,
		      struct mrc_ev_entry *e, u8 state, u64 now)
{
	bool active = mrc_ev_is_active(e);

	count_entry(s, p, e, -1);
	e->state = state;
	e->skip_at = 0;
	/* To step over an EV once is no change: what was sent before tells of it still. */
	if (!active || !mrc_ev_is_active(e)) {
		e->missed = 0;
		e->changed_at = now;
	}
	count_entry(s, p, e, 1);
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
		if (!e->skip_at)
			e->skip_at = now;
		if (e->skip_at == now)
			return false;
		set_state(s, p, e, MRC_EV_GOOD, now);
		return true;
	default:
		return false;
	}
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

	if (!p->good)
		return MRC_EV_NONE;
	for (n = 2u * p->count; n; n--) {
		u16 ev = step(s, p);

		if (take(s, p, &s->ev[ev], now))
			return ev;
	}
	return pick_state(s, p, MRC_EV_SKIP);
}

/* The plane's next EV where nothing better is left in any plane. */
static u16 pick_bad(struct mrc_ev_set *s, struct mrc_ev_plane *p)
{
	return p->bad ? pick_state(s, p, MRC_EV_ASSUMED_BAD) : MRC_EV_NONE;
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
		ev = usable ? pick_usable(s, p, now) : pick_bad(s, p);
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

void mrc_ev_marked(struct mrc_ev_set *s, u16 ev, u64 now)
{
	if (ev >= s->count || s->ev[ev].state != MRC_EV_GOOD)
		return;
	set_state(s, plane_of(s, ev), &s->ev[ev], MRC_EV_SKIP, now);
}

static bool floor_reached(const struct mrc_ev_set *s)
{
	return s->good <= s->min_active || s->good == 1;
}

static u64 probe_interval(u8 exp)
{
	return min(MRC_EV_PROBE_NS << exp, MRC_EV_PROBE_MAX_NS);
}

/* The next exponent, unless the interval is the longest already. */
static u8 back_off(u8 exp)
{
	return probe_interval(exp) < MRC_EV_PROBE_MAX_NS ? exp + 1 : exp;
}

static void schedule_probe(struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 at)
{
	e->probe_at = at;
	s->probe_at = min(s->probe_at, at);
}

/* The exponent that probing starts with: how often the EV has flapped of late. */
static u8 flap_backoff(const struct mrc_ev_entry *e, u64 now)
{
	u64 steady;

	if (!e->returned_at)
		return e->flaps;
	if (now < e->returned_at + MRC_EV_FLAP_NS)
		return e->flaps < MRC_EV_FLAPS_MAX ? back_off(e->flaps) :
						     e->flaps;
	steady = (now - e->returned_at) / MRC_EV_STEADY_NS;
	return steady < e->flaps ? (u8)(e->flaps - steady) : 0;
}

bool mrc_ev_lost(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return false;
	e = &s->ev[ev];
	if (!mrc_ev_is_active(e) || !mrc_ev_port_up(s, e->port) || floor_reached(s))
		return false;
	e->flaps = flap_backoff(e, now);
	e->backoff = e->flaps;
	e->answered = 0;
	if (!s->bad)
		s->probe_at = U64_MAX;
	set_state(s, plane_of(s, ev), e, MRC_EV_ASSUMED_BAD, now);
	schedule_probe(s, e, now + probe_interval(e->backoff));
	return true;
}

bool mrc_ev_all(const struct mrc_ev_set *s, const unsigned long *evs)
{
	u16 i;

	for (i = 0; i < s->count; i++)
		if (mrc_ev_is_active(&s->ev[i]) && mrc_ev_port_up(s, s->ev[i].port) &&
		    !test_bit(i, evs))
			return false;
	return true;
}

bool mrc_ev_cleared(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count || s->ev[ev].state != MRC_EV_ASSUMED_BAD)
		return false;
	e = &s->ev[ev];
	e->flaps = 0;
	set_state(s, plane_of(s, ev), e, MRC_EV_GOOD, now);
	return true;
}

static bool is_probed(const struct mrc_ev_set *s, const struct mrc_ev_entry *e)
{
	return e->state == MRC_EV_ASSUMED_BAD && mrc_ev_port_up(s, e->port);
}

static void find_probe_at(struct mrc_ev_set *s)
{
	u16 i;

	s->probe_at = U64_MAX;
	for (i = 0; i < s->count; i++)
		if (is_probed(s, &s->ev[i]))
			s->probe_at = min(s->probe_at, s->ev[i].probe_at);
}

u64 mrc_ev_probe_at(const struct mrc_ev_set *s)
{
	return s->bad ? s->probe_at : U64_MAX;
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
		if (!is_probed(s, e) || now < e->probe_at)
			continue;
		e->backoff = back_off(e->backoff);
		schedule_probe(s, e, now + probe_interval(e->backoff));
		return ev;
	}
	find_probe_at(s);
	return MRC_EV_NONE;
}

/* Answers in a row that bring it back. */
static u8 enough(const struct mrc_ev_entry *e)
{
	unsigned int flaps = e->flaps;

	return MRC_EV_PROBE_GOOD << min(flaps, MRC_EV_DOUBTS_MAX);
}

bool mrc_ev_probed(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return false;
	e = &s->ev[ev];
	e->missed = 0;
	if (!is_probed(s, e))
		return false;
	if (++e->answered < enough(e)) {
		e->backoff = 0;
		schedule_probe(s, e, now + probe_interval(0));
		return false;
	}
	e->returned_at = now;
	set_state(s, plane_of(s, ev), e, MRC_EV_GOOD, now);
	return true;
}

/* It has flapped on its way back. */
static void restart_probing(struct mrc_ev_entry *e, u64 now)
{
	if (!e->answered)
		return;
	e->answered = 0;
	e->backoff = max(e->backoff, e->flaps);
	e->probe_at = max(e->probe_at, now + probe_interval(e->flaps));
}

bool mrc_ev_probe_lost(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return false;
	e = &s->ev[ev];
	if (is_probed(s, e))
		restart_probing(e, now);
	if (!mrc_ev_is_active(e) || !mrc_ev_port_up(s, e->port))
		return false;
	if (e->missed < MRC_EV_PROBE_MISSED)
		e->missed++;
	return e->missed == MRC_EV_PROBE_MISSED && mrc_ev_lost(s, ev, now);
}

void mrc_ev_probe_unsent(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count || !is_probed(s, &s->ev[ev]))
		return;
	e = &s->ev[ev];
	if (e->backoff)
		e->backoff--;
	schedule_probe(s, e, now + probe_interval(0));
}

void mrc_ev_alive(struct mrc_ev_set *s, u16 ev)
{
	if (ev < s->count)
		s->ev[ev].missed = 0;
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
	e->returned_at = 0;
	set_state(s, plane_of(s, ev), e, deny ? MRC_EV_DENIED : MRC_EV_GOOD,
		  now);
}

void mrc_ev_ports(struct mrc_ev_set *s, u32 local_mask, u32 remote_mask)
{
	u16 i;

	s->local_mask = local_mask;
	s->remote_mask = remote_mask;
	s->good = 0;
	s->bad = 0;
	for (i = 0; i < s->nplanes; i++) {
		if (!plane_up(s, &s->planes[i]))
			continue;
		s->good += s->planes[i].good;
		s->bad += s->planes[i].bad;
	}
	find_probe_at(s);
}
