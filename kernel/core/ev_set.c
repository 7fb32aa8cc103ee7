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

/* Not to start with @last, the slot that the previous rotation ended with. */
static void shuffle(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 last)
{
	p->pos = 0;
	if (p->quota == 1)
		return;
	do {
		p->mul = 1 + draw_below(s, p->quota - 1);
	} while (gcd16(p->quota, p->mul) != 1);
	do {
		p->add = draw_below(s, p->quota);
	} while (p->add == last);
}

/* The EV in a slot of the plane, as index in the set. */
static u16 in_slot(const struct mrc_ev_set *s, const struct mrc_ev_plane *p,
		   u16 slot)
{
	return p->first + s->ev[p->first + slot].in_slot;
}

static void put_in_slot(struct mrc_ev_set *s, const struct mrc_ev_plane *p,
			u16 slot, u16 ev)
{
	s->ev[p->first + slot].in_slot = (u8)(ev - p->first);
	s->ev[ev].slot = (u8)slot;
}

static void swap_slots(struct mrc_ev_set *s, const struct mrc_ev_plane *p,
		       u16 a, u16 b)
{
	u16 ev = in_slot(s, p, a);

	put_in_slot(s, p, a, in_slot(s, p, b));
	put_in_slot(s, p, b, ev);
}

/* EVs stand in slots as listed; where some are spares, chance says which. */
static void init_slots(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 quota)
{
	u16 i;

	p->quota = min(quota, p->count);
	p->next_spare = p->quota;
	for (i = 0; i < p->count; i++)
		put_in_slot(s, p, i, p->first + i);
	for (i = 0; p->quota < p->count && i < p->quota; i++)
		swap_slots(s, p, i, i + draw_below(s, p->count - i));
	shuffle(s, p, MRC_EV_NONE);
	p->next_any = p->add;
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
		    u16 min_active, u16 active, u32 seed)
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
	if (add_planes(s))
		return -EINVAL;

	for (i = 0; i < count; i++)
		ev[i] = (struct mrc_ev_entry){
			.state = MRC_EV_GOOD,
			.told = MRC_EV_GOOD,
			.port = ev[i].port,
		};
	quota = active ? DIV_ROUND_UP(active, s->nplanes) : count;
	for (i = 0; i < s->nplanes; i++)
		init_slots(s, &s->planes[i], quota);
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

/* In use, and probed nevertheless. */
static bool is_asked(const struct mrc_ev_entry *e)
{
	return e->state == MRC_EV_HELD || e->doubted;
}

static void count_entry(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			const struct mrc_ev_entry *e, int n)
{
	int n_up = mrc_ev_port_up(s, e->port) ? n : 0;

	if (mrc_ev_is_usable(e)) {
		p->good += n;
		s->good += n_up;
		p->asked += is_asked(e) ? n : 0;
		s->asked += is_asked(e) ? n_up : 0;
	} else if (e->state == MRC_EV_ASSUMED_BAD) {
		p->bad += n;
		s->bad += n_up;
	}
}

static bool usable_in(const struct mrc_ev_set *s, const struct mrc_ev_plane *p,
		      u16 slot)
{
	return mrc_ev_is_usable(&s->ev[in_slot(s, p, slot)]);
}

/* The slot of the spare whose turn it is, of those that are GOOD, or HELD. 0: there is none. */
static u16 find_spare(const struct mrc_ev_set *s, const struct mrc_ev_plane *p,
		      u8 state)
{
	u16 n, slot = p->next_spare;

	for (n = p->quota; n < p->count; n++, slot++) {
		if (slot >= p->count)
			slot = p->quota;
		if (s->ev[in_slot(s, p, slot)].state == state)
			return slot;
	}
	return 0;
}

/* A spare comes into the rotation; false when there is none. */
static bool use_spare(struct mrc_ev_set *s, struct mrc_ev_plane *p, u16 slot)
{
	u16 spare = find_spare(s, p, MRC_EV_GOOD) ?:
		    find_spare(s, p, MRC_EV_HELD);

	if (!spare)
		return false;
	swap_slots(s, p, slot, spare);
	p->next_spare = spare + 1;
	return true;
}

/* An EV outside the rotation has become usable: it comes in if that is short of EVs. */
static void fill_rotation(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			  u16 slot)
{
	u16 i;

	if (p->good > p->quota)
		return;
	for (i = 0; i < p->quota; i++) {
		if (usable_in(s, p, i))
			continue;
		swap_slots(s, p, i, slot);
		return;
	}
}

/* To step over an EV once is no change: what was sent before tells of it still. */
static u8 lasting(u8 state)
{
	return state == MRC_EV_SKIP ? MRC_EV_GOOD : state;
}

/* All changes of state go through here, to keep the counts and the rotation. */
static void set_state(struct mrc_ev_set *s, struct mrc_ev_plane *p,
		      struct mrc_ev_entry *e, u8 state, enum mrc_ev_why why,
		      u64 now)
{
	bool was = mrc_ev_is_usable(e), is;
	u8 old = e->state;

	count_entry(s, p, e, -1);
	e->state = state;
	e->doubted = false;
	count_entry(s, p, e, 1);
	if (lasting(old) == lasting(state))
		return;
	e->missed = 0;
	e->why = why;
	e->changed_at = now;
	s->untold = true;
	is = mrc_ev_is_usable(e);
	if (!was && is && e->slot >= p->quota)
		fill_rotation(s, p, e->slot);
	else if (was && !is && e->slot < p->quota)
		use_spare(s, p, e->slot);
}

u16 mrc_ev_next_change(struct mrc_ev_set *s, u8 *old)
{
	u16 i;

	for (i = 0; s->untold && i < s->count; i++) {
		struct mrc_ev_entry *e = &s->ev[i];

		if (e->told == lasting(e->state))
			continue;
		*old = e->told;
		e->told = lasting(e->state);
		return i;
	}
	s->untold = false;
	return MRC_EV_NONE;
}

/* The next EV of the permutation, as index in the set. */
static u16 step(struct mrc_ev_set *s, struct mrc_ev_plane *p)
{
	u16 at = p->add;

	p->add += p->mul;
	if (p->add >= p->quota)
		p->add -= p->quota;
	if (++p->pos >= p->quota)
		shuffle(s, p, at);
	return in_slot(s, p, at);
}

static bool take(struct mrc_ev_entry *e, u64 now)
{
	switch (e->state) {
	case MRC_EV_GOOD:
	case MRC_EV_HELD:
		return true;
	case MRC_EV_SKIP:
		/* Stepped over for the whole batch, and picks of a batch share @now. */
		if (!e->skip_at)
			e->skip_at = now;
		if (e->skip_at == now)
			return false;
		e->state = MRC_EV_GOOD;
		return true;
	default:
		return false;
	}
}

static u16 pick_skipped(struct mrc_ev_set *s, struct mrc_ev_plane *p)
{
	unsigned int n;

	for (n = 2u * p->quota; n; n--) {
		u16 ev = step(s, p);

		if (s->ev[ev].state == MRC_EV_SKIP)
			return ev;
	}
	return MRC_EV_NONE;
}

/*
 * The plane's next usable EV. From any position 2 * quota steps pass every slot.
 * Where all are to be skipped one is taken nevertheless: the plane keeps its share.
 */
static u16 pick_usable(struct mrc_ev_set *s, struct mrc_ev_plane *p, u64 now)
{
	unsigned int n;

	if (!p->good)
		return MRC_EV_NONE;
	for (n = 2u * p->quota; n; n--) {
		u16 ev = step(s, p);

		if (take(&s->ev[ev], now))
			return ev;
	}
	return pick_skipped(s, p);
}

/* The plane's next EV, in the rotation or not, whatever is believed of it. */
static u16 pick_any(const struct mrc_ev_set *s, struct mrc_ev_plane *p)
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
		ev = usable ? pick_usable(s, p, now) : pick_any(s, p);
		if (ev != MRC_EV_NONE)
			return ev;
	}
	return MRC_EV_NONE;
}

u16 mrc_ev_pick(struct mrc_ev_set *s, u64 now)
{
	u16 ev = MRC_EV_NONE;

	if (!mrc_ev_searching(s))
		ev = pick_round(s, true, now);
	return ev != MRC_EV_NONE ? ev : mrc_ev_pick_any(s);
}

u16 mrc_ev_pick_any(struct mrc_ev_set *s)
{
	return pick_round(s, false, 0);
}

void mrc_ev_marked(struct mrc_ev_set *s, u16 ev)
{
	/* One in doubt shares its schedule of probes with what SKIP remembers. */
	if (ev >= s->count || s->ev[ev].state != MRC_EV_GOOD ||
	    s->ev[ev].doubted || mrc_ev_is_spare(s, ev))
		return;
	s->ev[ev].state = MRC_EV_SKIP;
	s->ev[ev].skip_at = 0;
}

/* So many EVs stay in use, if there are as many that are not DENIED. */
static u16 floor_of(const struct mrc_ev_set *s)
{
	return s->min_active ? s->min_active : 1;
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

static bool is_probed(const struct mrc_ev_set *s, const struct mrc_ev_entry *e)
{
	return (e->state == MRC_EV_ASSUMED_BAD || is_asked(e)) &&
	       mrc_ev_port_up(s, e->port);
}

static void schedule_probe(struct mrc_ev_set *s, struct mrc_ev_entry *e, u64 at)
{
	e->probe_at = at;
	s->probe_at = min(s->probe_at, at);
}

/* Before the state is one in which it is probed. */
static void start_probing(struct mrc_ev_set *s, struct mrc_ev_entry *e,
			  u8 backoff, u64 at)
{
	if (!s->bad && !s->asked)
		s->probe_at = U64_MAX;
	e->backoff = backoff;
	schedule_probe(s, e, at);
}

/* The exponent that probing starts with: how often the EV has flapped of late. */
static u8 flap_backoff(const struct mrc_ev_entry *e, u64 now)
{
	u64 steady;

	if (!e->returned)
		return e->flaps;
	if (now < e->changed_at + MRC_EV_FLAP_NS)
		return e->flaps < MRC_EV_FLAPS_MAX ? back_off(e->flaps) :
						     e->flaps;
	steady = (now - e->changed_at) / MRC_EV_STEADY_NS;
	return steady < e->flaps ? (u8)(e->flaps - steady) : 0;
}

/* Out of the rotation, if a spare of the plane can take its place; usable as before. */
static void give_way(struct mrc_ev_set *s, struct mrc_ev_plane *p,
		     const struct mrc_ev_entry *e)
{
	if (e->slot < p->quota)
		use_spare(s, p, e->slot);
}

/* Takes an EV that is lost to @state, ASSUMED_BAD or HELD, in which it is probed. */
static void fall(struct mrc_ev_set *s, u16 ev, u8 state, enum mrc_ev_why why,
		 u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	/* One that was lost before is probed as it was. */
	if (lasting(e->state) == MRC_EV_GOOD) {
		e->flaps = flap_backoff(e, now);
		e->answered = 0;
		start_probing(s, e, e->flaps, now + probe_interval(e->flaps));
	}
	set_state(s, plane_of(s, ev), e, state, why, now);
}

/*
 * Of the EVs in a state on ports that are up, the one that was heard of last after @than; the
 * first one that was heard of before if @longest_ago.
 */
static u16 heard_of(const struct mrc_ev_set *s, u8 state, u64 than,
		    bool longest_ago)
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

/* Enough others are GOOD: what the floor kept goes. */
static void settle(struct mrc_ev_set *s, u64 now)
{
	u16 ev;

	while (s->good > floor_of(s)) {
		ev = heard_of(s, MRC_EV_HELD, U64_MAX, true);
		if (ev == MRC_EV_NONE)
			break;
		fall(s, ev, MRC_EV_ASSUMED_BAD, MRC_EV_WHY_BETTER, now);
	}
}

/* Nothing but the floor keeps it: unless there is one that was heard of later. */
static bool lost_at_floor(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why,
			  u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];
	u16 better = heard_of(s, MRC_EV_ASSUMED_BAD, e->heard_at, false);

	if (better != MRC_EV_NONE) {
		fall(s, better, MRC_EV_HELD, MRC_EV_WHY_HELD, now);
		fall(s, ev, MRC_EV_ASSUMED_BAD,
		     e->state == MRC_EV_HELD ? MRC_EV_WHY_BETTER : why, now);
		return true;
	}
	give_way(s, plane_of(s, ev), e);
	if (e->state == MRC_EV_HELD)
		return false;
	fall(s, ev, MRC_EV_HELD, why, now);
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
	if (s->good <= floor_of(s))
		return lost_at_floor(s, ev, why, now);
	fall(s, ev, MRC_EV_ASSUMED_BAD,
	     e->state == MRC_EV_HELD ? MRC_EV_WHY_BETTER : why, now);
	return true;
}

static void set_doubted(struct mrc_ev_set *s, u16 ev, bool doubted)
{
	struct mrc_ev_plane *p = plane_of(s, ev);
	struct mrc_ev_entry *e = &s->ev[ev];

	count_entry(s, p, e, -1);
	e->doubted = doubted;
	count_entry(s, p, e, 1);
}

/* GOOD as it is, it is probed at once until it is heard of. */
static void doubt(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	if (lasting(e->state) != MRC_EV_GOOD || e->doubted ||
	    !mrc_ev_port_up(s, e->port))
		return;
	e->state = MRC_EV_GOOD;
	start_probing(s, e, 0, now);
	set_doubted(s, ev, true);
}

/* Each is probed at once, and again and again until it is heard of. */
static void doubt_all(struct mrc_ev_set *s, u64 now)
{
	u16 i;

	s->silent_at = now;
	if (s->silences < U8_MAX)
		s->silences++;
	for (i = 0; i < s->count; i++) {
		if (is_probed(s, &s->ev[i]))
			schedule_probe(s, &s->ev[i], now);
		else
			doubt(s, i, now);
	}
}

/* How long after doubt_all() it is not called for another silence. */
static u64 silence_ns(const struct mrc_ev_set *s)
{
	unsigned int n = s->silences;

	if (!n)
		return 0;
	return min(MRC_EV_SILENCE_NS << (min(n, 8u) - 1), MRC_EV_PROBE_MAX_NS);
}

void mrc_ev_silent(struct mrc_ev_set *s, u16 ev, u64 since, u64 now)
{
	if (s->heard_at < since) {
		if (now >= s->silent_at + silence_ns(s))
			doubt_all(s, now);
	} else if (ev < s->count && now >= s->ev[ev].heard_at + MRC_EV_DOUBT_NS) {
		doubt(s, ev, now);
	}
}

/* At once, and soon again. */
static void probe_all_anew(struct mrc_ev_set *s, u64 now)
{
	u16 i;

	for (i = 0; i < s->count; i++)
		s->ev[i].backoff = 0;
	doubt_all(s, now);
}

void mrc_ev_stirred(struct mrc_ev_set *s, u64 now)
{
	if (mrc_ev_searching(s) && now >= s->silent_at + MRC_EV_DOUBT_NS)
		probe_all_anew(s, now);
}

static bool any_good(const struct mrc_ev_set *s)
{
	u16 i;

	for (i = 0; i < s->count; i++)
		if (lasting(s->ev[i].state) == MRC_EV_GOOD &&
		    mrc_ev_port_up(s, s->ev[i].port))
			return true;
	return false;
}

/* A probe of @e, sent at @since, is lost, and nothing has been heard that was sent later. */
static void begin_search(struct mrc_ev_set *s, const struct mrc_ev_entry *e,
			 u64 since, u64 now)
{
	if (mrc_ev_searching(s) || (e->state == MRC_EV_HELD && any_good(s)))
		return;
	s->search_since = since;
	if (!s->searched_at || now >= s->searched_at + MRC_EV_SEARCH_NS)
		probe_all_anew(s, now);
	else
		doubt_all(s, now);
	s->searched_at = now;
}

/* Into the rotation, for that of its EVs which was heard of longest ago. */
static void enter_rotation(struct mrc_ev_set *s, struct mrc_ev_plane *p,
			   const struct mrc_ev_entry *e)
{
	struct mrc_ev_entry *out = &s->ev[in_slot(s, p, 0)], *at;
	u16 slot;

	if (e->slot < p->quota)
		return;
	for (slot = 1; slot < p->quota; slot++) {
		at = &s->ev[in_slot(s, p, slot)];
		if (at->heard_at < out->heard_at)
			out = at;
	}
	swap_slots(s, p, out->slot, e->slot);
	/* A spare has no batch to be left out of. */
	if (out->state == MRC_EV_SKIP)
		out->state = MRC_EV_GOOD;
}

static void come_back(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	e->returned = true;
	set_state(s, plane_of(s, ev), e, MRC_EV_GOOD, why, now);
	settle(s, now);
}

static bool end_search(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why,
		       u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];
	bool back = e->state == MRC_EV_ASSUMED_BAD;

	s->search_since = 0;
	if (back)
		come_back(s, ev, why, now);
	enter_rotation(s, plane_of(s, ev), e);
	return back;
}

/* Of data, or of a probe: what mrc_ev_heard() says, but for the end of a silence. */
static bool heard(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 sent,
		  u64 now)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	e->heard_at = max(e->heard_at, sent);
	s->heard_at = max(s->heard_at, sent);
	e->missed = 0;
	if (e->doubted)
		set_doubted(s, ev, false);
	if (e->state == MRC_EV_DENIED || !mrc_ev_port_up(s, e->port))
		return false;
	if (mrc_ev_searching(s) && sent >= s->search_since)
		return end_search(s, ev, why, now);
	if (e->state != MRC_EV_ASSUMED_BAD || s->good >= floor_of(s))
		return false;
	fall(s, ev, MRC_EV_HELD, MRC_EV_WHY_HELD, now);
	return true;
}

bool mrc_ev_heard(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now)
{
	if (ev >= s->count)
		return false;
	s->silences = 0;
	return heard(s, ev, MRC_EV_WHY_HEARD, sent, now);
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
	set_state(s, plane_of(s, ev), e, MRC_EV_GOOD, MRC_EV_WHY_LATE, now);
	settle(s, now);
	return true;
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

bool mrc_ev_probed(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now)
{
	struct mrc_ev_entry *e;
	bool changed;

	if (ev >= s->count)
		return false;
	changed = heard(s, ev, MRC_EV_WHY_PROBES_ANSWERED, sent, now);
	e = &s->ev[ev];
	if (!is_probed(s, e))
		return changed;
	if (++e->answered < enough(e)) {
		e->backoff = 0;
		schedule_probe(s, e, now + probe_interval(0));
		return changed;
	}
	come_back(s, ev, MRC_EV_WHY_PROBES_ANSWERED, now);
	return true;
}

/* It has flapped on its way back. */
static void restart_probing(struct mrc_ev_entry *e, u64 now)
{
	if (!e->answered)
		return;
	e->answered = 0;
	if (e->backoff < e->flaps)
		e->backoff = e->flaps;
	e->probe_at = max(e->probe_at, now + probe_interval(e->flaps));
}

bool mrc_ev_probe_lost(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count)
		return false;
	e = &s->ev[ev];
	if (is_probed(s, e))
		restart_probing(e, now);
	if (!mrc_ev_is_usable(e) || !mrc_ev_port_up(s, e->port))
		return false;
	if (s->heard_at < sent) {
		begin_search(s, e, sent, now);
		return false;
	}
	if (e->missed < MRC_EV_PROBE_MISSED)
		e->missed++;
	return e->missed == MRC_EV_PROBE_MISSED &&
	       mrc_ev_lost(s, ev, MRC_EV_WHY_PROBES_LOST, now);
}

void mrc_ev_probe_unsent(struct mrc_ev_set *s, u16 ev, u64 now)
{
	struct mrc_ev_entry *e;

	if (ev >= s->count || !is_probed(s, &s->ev[ev]))
		return;
	e = &s->ev[ev];
	if (e->backoff)
		e->backoff--;
	schedule_probe(s, e, now + probe_interval(e->backoff));
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
	set_state(s, plane_of(s, ev), e, deny ? MRC_EV_DENIED : MRC_EV_GOOD,
		  deny ? MRC_EV_WHY_DENIED : MRC_EV_WHY_ALLOWED, now);
	settle(s, now);
}

void mrc_ev_ports(struct mrc_ev_set *s, u32 local_mask, u32 remote_mask,
		  u64 now)
{
	u16 i;

	s->local_mask = local_mask;
	s->remote_mask = remote_mask;
	s->good = 0;
	s->bad = 0;
	s->asked = 0;
	for (i = 0; i < s->nplanes; i++) {
		if (!plane_up(s, &s->planes[i]))
			continue;
		s->good += s->planes[i].good;
		s->bad += s->planes[i].bad;
		s->asked += s->planes[i].asked;
	}
	find_probe_at(s);
	settle(s, now);
}
