// SPDX-License-Identifier: GPL-2.0-only
#include "ev_tally.h"

/* Sums over several EVs. */
struct mrc_tally {
	u32 evs;
	u32 arrived;
	u32 lost;
	u64 took;	/* ns, sum over @timed EVs */
	u32 timed;
};

static void mrc_tally_add(struct mrc_tally *t, const struct mrc_ev_entry *e)
{
	t->evs++;
	t->arrived += e->arrived;
	t->lost += e->lost;
	if (!e->took_ns)
		return;
	t->took += e->took_ns;
	t->timed++;
}

static u32 mrc_tally_events(const struct mrc_tally *t)
{
	return t->arrived + t->lost;
}

/*
 * Does @t lose more than @others? A comparison with others that had far fewer events shows nothing.
 * Half as many are enough: @t has just had one more.
 *
 * No overflow: each EV has less than 2^16 events of a kind, and there are at most 2^8 EVs.
 */
static bool mrc_tally_loses_more(const struct mrc_tally *t, const struct mrc_tally *others,
				 u32 chance)
{
	u32 events = mrc_tally_events(t), their = mrc_tally_events(others);

	if (their < events / 2 || t->lost * MRC_TALLY_PART < events || t->lost < chance)
		return false;
	return (u64)(t->lost - chance) * their >= (u64)MRC_TALLY_TIMES * events * others->lost;
}

/* Does @t take longer than @others by more than one part in @part? Then its queue is longer. */
static bool mrc_tally_takes_longer(const struct mrc_ev_set *s, const struct mrc_tally *t,
				   const struct mrc_tally *others, u32 part)
{
	u64 took, theirs;

	if (!t->timed || !others->timed)
		return false;
	took = div64_u64(t->took, t->timed);
	theirs = div64_u64(others->took, others->timed);
	return took > theirs + theirs / part + s->timing->probe_slack;
}

/* Sums up the EV's own plane without the EV, and all other planes. */
static void mrc_tally_sum(const struct mrc_ev_set *s, u16 ev, struct mrc_tally *siblings,
			  struct mrc_tally *others)
{
	u8 port = s->ev[ev].port;
	u16 i;

	for (i = 0; i < s->count; i++) {
		if (i != ev && mrc_ev_port_up(s, s->ev[i].port))
			mrc_tally_add(s->ev[i].port == port ? siblings : others, &s->ev[i]);
	}
}

static bool mrc_ev_tally_to_blame(const struct mrc_ev_set *s, u16 ev)
{
	struct mrc_tally own = { 0 }, siblings = { 0 }, others = { 0 }, plane;

	mrc_tally_add(&own, &s->ev[ev]);
	mrc_tally_sum(s, ev, &siblings, &others);
	if (mrc_tally_loses_more(&own, &siblings, MRC_TALLY_EV_LOST) &&
	    !mrc_tally_takes_longer(s, &own, &siblings, 2))
		return true;
	plane = siblings;
	mrc_tally_add(&plane, &s->ev[ev]);
	return mrc_tally_loses_more(&plane, &others, max(MRC_TALLY_PLANE_LOST, plane.evs + 1)) &&
	       !mrc_tally_takes_longer(s, &plane, &others, 4);
}

static void mrc_ev_tally_halve(struct mrc_ev_set *s)
{
	u16 i;

	s->tallied = 0;
	for (i = 0; i < s->count; i++) {
		s->ev[i].arrived /= 2;
		s->ev[i].lost /= 2;
	}
}

/* No count wraps: all are halved long before. */
static void mrc_ev_tally_count(struct mrc_ev_set *s, u16 *count)
{
	(*count)++;
	if (++s->tallied >= MRC_TALLY_EVENTS * s->count)
		mrc_ev_tally_halve(s);
}

void mrc_ev_tally_arrived(struct mrc_ev_set *s, u16 ev, u64 took)
{
	struct mrc_ev_entry *e = &s->ev[ev];
	u32 ns = (u32)min(took, (u64)U32_MAX);

	e->took_ns = e->took_ns ? e->took_ns - e->took_ns / 8 + ns / 8 : ns;
	mrc_ev_tally_count(s, &e->arrived);
}

bool mrc_ev_tally_lost(struct mrc_ev_set *s, u16 ev)
{
	struct mrc_ev_entry *e = &s->ev[ev];

	mrc_ev_tally_count(s, &e->lost);
	if (!mrc_ev_tally_to_blame(s, ev))
		return false;
	e->arrived = 0;
	e->lost = 0;
	return true;
}

void mrc_ev_tally_cleared(struct mrc_ev_set *s, u16 ev)
{
	if (s->ev[ev].lost)
		s->ev[ev].lost--;
}
