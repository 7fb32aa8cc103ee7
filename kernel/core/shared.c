// SPDX-License-Identifier: GPL-2.0-only
#include "shared.h"

/* Round trips in which the first answer should come. */
#define SHARED_PATIENCE_RTTS	2u

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
	if (!mrc_shared_waits(place))
		return;
	mrc_shared_remove(s, place);
	s->stuck = false;
}

/* ---- what has been heard of a QP ---------------------------------------------- */

/* A fixed window is bounded by nothing but its size. */
static bool mrc_shared_hears(const struct mrc_shared *s)
{
	return s->cc.p.algorithm != MRC_CC_NONE;
}

static void mrc_shared_uncount(struct mrc_shared *s, const struct mrc_shared_place *place, u64 now)
{
	const struct mrc_cc_news n = {
		.lost = place->bytes,
		.cause = MRC_CC_REFUSED,
	};

	if (place->state != MRC_SHARED_SILENT)
		mrc_cc_learn(&s->cc, &n, now);
}

static void mrc_shared_silent(struct mrc_shared *s, struct mrc_shared_place *place, u64 now)
{
	mrc_shared_uncount(s, place, now);
	place->state = MRC_SHARED_SILENT;
	s->stuck = false;
}

static void mrc_shared_heard(struct mrc_shared *s, struct mrc_shared_place *place, u64 now)
{
	if (place->state == MRC_SHARED_SILENT && place->bytes)
		mrc_cc_sent(&s->cc, place->bytes, now);
	place->state = MRC_SHARED_HEARD;
}

/* Before anything is known of round trips: as long as an answer to an EV probe may take. */
static u64 mrc_shared_patience(const struct mrc_cc *cc)
{
	const struct mrc_timing *timing = cc->timing;

	if (!cc->base_ns)
		return timing->ev_probe;
	return SHARED_PATIENCE_RTTS * ((u64)cc->base_ns + cc->avg_ns) + timing->sack_delay +
	       timing->probe_slack;
}

bool mrc_shared_timer(struct mrc_shared *s, struct mrc_shared_place *place, u64 now)
{
	u64 at = mrc_shared_timer_at(s, place);

	if (!at || now < at || !mrc_shared_hears(s))
		return false;
	mrc_shared_silent(s, place, now);
	return true;
}

/* Does another QP use the window, or wait for it? */
static bool mrc_shared_is_used(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	u32 own = place->state == MRC_SHARED_SILENT ? 0 : place->bytes;

	return s->cc.inflight > own || (s->first && (s->first != place || place->next));
}

/* May it claim no more than a packet or two? */
static bool mrc_shared_is_held(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	if (!mrc_shared_hears(s) || place->state == MRC_SHARED_HEARD)
		return false;
	return place->state == MRC_SHARED_SILENT || mrc_shared_is_used(s, place);
}

/* Of what such a QP may claim: less than a packet's room is none. */
static u32 mrc_shared_claim(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	u32 most = MRC_CLAIM_PACKETS * s->cc.p.mtu;
	u32 left = most - min(most, place->bytes);

	return left < s->cc.p.mtu ? 0 : left;
}

static bool mrc_shared_has_claim(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	return !mrc_shared_is_held(s, place) || mrc_shared_claim(s, place);
}

/* ---- turns ------------------------------------------------------------------ */

/* Bytes of a silent QP are not in the window, so it needs no room there. */
static void mrc_shared_hold(const struct mrc_shared *s, const struct mrc_shared_place *place,
			    struct mrc_cc_grant *g)
{
	u32 claim = mrc_shared_claim(s, place);

	if (place->state != MRC_SHARED_SILENT)
		claim = min(claim, g->room);
	g->cwnd = MRC_CLAIM_PACKETS * s->cc.p.mtu;
	g->room = claim;
	g->room_lost = claim;
	g->ask_after = 0;
}

/* After its turn the QP pauses, and a pause begins with a SACK. */
static void mrc_shared_limit(const struct mrc_shared *s, struct mrc_cc_grant *g)
{
	const u32 turn = MRC_TURN_PACKETS * s->cc.p.mtu;

	g->room = min(g->room, turn);
	g->room_lost = min(g->room_lost, turn);
	g->ask_after = 0;
}

bool mrc_shared_begin(struct mrc_shared *s, struct mrc_shared_place *place,
		      struct mrc_cc_grant *g)
{
	if (!mrc_shared_has_claim(s, place)) {
		mrc_shared_step_aside(s, place);
		return false;
	}
	if (s->first && s->first != place) {
		mrc_shared_wait(s, place);
		return false;
	}
	mrc_cc_allow(&s->cc, g);
	if (mrc_shared_is_held(s, place))
		mrc_shared_hold(s, place, g);
	else if (s->first && place->next)
		mrc_shared_limit(s, g);
	return true;
}

static void mrc_shared_sent(struct mrc_shared *s, struct mrc_shared_place *place, u32 bytes,
			    u64 now)
{
	if (place->state == MRC_SHARED_NEW && !place->bytes)
		place->until = now + mrc_shared_patience(&s->cc);
	place->bytes += bytes;
	if (place->state != MRC_SHARED_SILENT)
		mrc_cc_sent(&s->cc, bytes, now);
}

/* A QP that had too little room keeps the first place, and is asked again after a change. */
void mrc_shared_end(struct mrc_shared *s, struct mrc_shared_place *place, u32 packets, u32 bytes,
		    bool wants, u64 now)
{
	s->given += packets;
	mrc_shared_sent(s, place, bytes, now);
	if (s->alone)
		return;
	wants = wants && mrc_shared_has_claim(s, place);
	s->stuck = wants && !bytes;
	if (s->stuck && mrc_shared_waits(place))
		return;
	mrc_shared_remove(s, place);
	if (wants)
		mrc_shared_wait(s, place);
}

/* ---- news ------------------------------------------------------------------- */

void mrc_shared_learn(struct mrc_shared *s, struct mrc_shared_place *place, struct mrc_cc_news *n,
		      u64 now)
{
	u32 gone = min(place->bytes, n->landed + n->lost);

	s->stuck = false;
	n->waiting |= !!s->first;
	if (n->heard && mrc_shared_hears(s))
		mrc_shared_heard(s, place, now);
	place->bytes -= gone;
	/* What is lost of a silent QP was not in the window. */
	if (place->state == MRC_SHARED_SILENT)
		n->lost = 0;
	mrc_cc_learn(&s->cc, n, now);
	if (n->silent && mrc_shared_hears(s))
		mrc_shared_silent(s, place, now);
}

void mrc_shared_capacity(struct mrc_shared *s, u32 live)
{
	s->stuck = false;
	mrc_cc_capacity(&s->cc, live, s->cc.planes);
}

void mrc_shared_leave(struct mrc_shared *s, struct mrc_shared_place *place, u64 now)
{
	mrc_shared_remove(s, place);
	mrc_shared_uncount(s, place, now);
	s->stuck = false;
	*place = (struct mrc_shared_place){ 0 };
}
