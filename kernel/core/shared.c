// SPDX-License-Identifier: GPL-2.0-only
#include "shared.h"

void mrc_shared_init(struct mrc_shared *s, const struct mrc_cc_params *p,
		    const struct mrc_timing *timing, bool alone, u64 now)
{
	memset(s, 0, sizeof(*s));
	mrc_cc_init(&s->cc, p, timing, now);
	s->alone = alone;
	s->last = &s->first;
}

/* ---- the queue -------------------------------------------------------------- */

void mrc_shared_wait(struct mrc_shared *s, struct mrc_shared_place *place)
{
	if (mrc_shared_waits(place))
		return;
	place->next = NULL;
	place->prev = s->last;
	*s->last = place;
	s->last = &place->next;
}

static void mrc_shared_remove(struct mrc_shared *s, struct mrc_shared_place *place)
{
	if (!mrc_shared_waits(place))
		return;
	*place->prev = place->next;
	if (place->next)
		place->next->prev = place->prev;
	else
		s->last = place->prev;
	place->prev = NULL;
}

void mrc_shared_step_aside(struct mrc_shared *s, struct mrc_shared_place *place)
{
	mrc_shared_remove(s, place);
	s->stuck = false;
}

void mrc_shared_leave(struct mrc_shared *s, struct mrc_shared_place *place, u32 bytes, u64 now)
{
	const struct mrc_cc_news n = {
		.lost = bytes,
		.cause = MRC_CC_REFUSED,
	};

	mrc_shared_step_aside(s, place);
	mrc_cc_learn(&s->cc, &n, now);
}

/* ---- turns ------------------------------------------------------------------ */

/* Does anybody else wait? @place is in the first place, or in none. */
static bool mrc_shared_others_wait(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	return s->first && (s->first != place || place->next);
}

bool mrc_shared_begin(struct mrc_shared *s, struct mrc_shared_place *place, struct mrc_cc_grant *g)
{
	const u32 turn = MRC_TURN_PACKETS * s->cc.p.mtu;

	if (s->first && s->first != place) {
		mrc_shared_wait(s, place);
		return false;
	}
	mrc_cc_allow(&s->cc, g);
	/* This one pauses after its turn, and a pause begins with a SACK. */
	if (mrc_shared_others_wait(s, place)) {
		g->room = min(g->room, turn);
		g->room_lost = min(g->room_lost, turn);
		g->ask_after = 0;
	}
	return true;
}

/* A QP that had too little room keeps the first place, and is asked again after a change. */
void mrc_shared_end(struct mrc_shared *s, struct mrc_shared_place *place, u32 bytes, bool wants,
		   u64 now)
{
	mrc_cc_sent(&s->cc, bytes, now);
	if (s->alone)
		return;
	s->stuck = wants && !bytes;
	if (s->stuck && mrc_shared_waits(place))
		return;
	mrc_shared_remove(s, place);
	if (wants)
		mrc_shared_wait(s, place);
}

/* ---- news ------------------------------------------------------------------- */

void mrc_shared_learn(struct mrc_shared *s, struct mrc_cc_news *n, u64 now)
{
	n->waiting |= !!s->first;
	s->stuck = false;
	mrc_cc_learn(&s->cc, n, now);
}

void mrc_shared_capacity(struct mrc_shared *s, u32 live)
{
	s->stuck = false;
	mrc_cc_capacity(&s->cc, live, s->cc.planes);
}
