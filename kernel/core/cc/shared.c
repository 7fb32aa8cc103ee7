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
	s->queue[0].last = &s->queue[0].first;
	s->queue[1].last = &s->queue[1].first;
}

/* ---- the queue -------------------------------------------------------------- */

/* The queue in which a QP waits, by whether it has been answered. */
static struct mrc_shared_queue *mrc_shared_queue_of(struct mrc_shared *s,
						    const struct mrc_shared_place *place)
{
	return &s->queue[place->state == MRC_SHARED_HEARD];
}

void mrc_shared_wait(struct mrc_shared *s, struct mrc_shared_place *place)
{
	struct mrc_shared_queue *q = mrc_shared_queue_of(s, place);

	if (mrc_shared_waits(place))
		return;
	place->next = NULL;
	place->prev = q->last;
	*q->last = place;
	q->last = &place->next;
}

/* QPs that were not answered yet come first, until they have their part of the window. */
static struct mrc_shared_place *mrc_shared_first(const struct mrc_shared *s)
{
	struct mrc_shared_place *fresh = s->queue[0].first, *heard = s->queue[1].first;

	return fresh && (!heard || s->fresh < s->cc.cwnd / MRC_FRESH_PART) ? fresh : heard;
}

struct mrc_shared_place *mrc_shared_next(const struct mrc_shared *s)
{
	return s->stuck ? NULL : mrc_shared_first(s);
}

/* Does any other QP wait? */
static bool mrc_shared_others_wait(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	const struct mrc_shared_place *fresh = s->queue[0].first, *heard = s->queue[1].first;

	return (fresh && fresh != place) || (heard && heard != place) ||
	       (mrc_shared_waits(place) && place->next);
}

static void mrc_shared_remove(struct mrc_shared *s, struct mrc_shared_place *place)
{
	if (!mrc_shared_waits(place))
		return;
	*place->prev = place->next;
	if (place->next)
		place->next->prev = place->prev;
	else
		mrc_shared_queue_of(s, place)->last = place->prev;
	place->prev = NULL;
}

void mrc_shared_step_aside(struct mrc_shared *s, struct mrc_shared_place *place)
{
	if (!mrc_shared_waits(place))
		return;
	mrc_shared_remove(s, place);
	s->stuck = false;
}

/* ---- what has been heard from a QP ---------------------------------------------- */

/* A QP has @bytes less in flight: counts them off, if it is NEW. */
static void mrc_shared_less_fresh(struct mrc_shared *s, const struct mrc_shared_place *place,
				  u32 bytes)
{
	if (place->state == MRC_SHARED_NEW)
		s->fresh -= min(s->fresh, bytes);
}

/* Changes a QP's state. If it waits, it moves to the queue of that state. */
static void mrc_shared_become(struct mrc_shared *s, struct mrc_shared_place *place,
			      enum mrc_shared_state state)
{
	bool waits = mrc_shared_waits(place);

	if (place->state == state)
		return;
	mrc_shared_less_fresh(s, place, place->bytes);
	mrc_shared_remove(s, place);
	place->state = state;
	if (waits)
		mrc_shared_wait(s, place);
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
	mrc_shared_become(s, place, MRC_SHARED_SILENT);
	s->stuck = false;
}

static void mrc_shared_heard(struct mrc_shared *s, struct mrc_shared_place *place, u64 now)
{
	if (place->state == MRC_SHARED_SILENT && place->bytes)
		mrc_cc_sent(&s->cc, place->bytes, now);
	mrc_shared_become(s, place, MRC_SHARED_HEARD);
}

/* If the real round trip is longer than this, the QP only lacks room for a moment. */
static u64 mrc_shared_patience(const struct mrc_cc *cc)
{
	const struct mrc_timing *timing = cc->timing;
	u64 rtt = cc->base_ns ? (u64)cc->base_ns + cc->avg_ns : mrc_cc_base_guess(timing);

	return SHARED_PATIENCE_RTTS * rtt + timing->sack_delay + timing->probe_slack;
}

bool mrc_shared_timer(struct mrc_shared *s, struct mrc_shared_place *place, u64 now)
{
	u64 at = mrc_shared_timer_at(s, place);

	if (!at || now < at)
		return false;
	mrc_shared_silent(s, place, now);
	return true;
}

/* Does another QP use the window, or wait for it? */
static bool mrc_shared_is_used(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	u32 own = place->state == MRC_SHARED_SILENT ? 0 : place->bytes;

	return s->cc.inflight > own || mrc_shared_others_wait(s, place);
}

/* Is the QP limited to a packet or two? */
static bool mrc_shared_is_held(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	if (!mrc_shared_hears(s) || place->state == MRC_SHARED_HEARD)
		return false;
	return place->state == MRC_SHARED_SILENT || mrc_shared_is_used(s, place);
}

/* Bytes that such a QP may still claim; less than a packet counts as none. */
static u32 mrc_shared_claim(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	bool one = place->state == MRC_SHARED_NEW && mrc_shared_others_wait(s, place);
	u32 most = (one ? 1 : MRC_CLAIM_PACKETS) * s->cc.p.mtu;
	u32 left = most - min(most, place->bytes);

	return left < s->cc.p.mtu ? 0 : left;
}

static bool mrc_shared_has_claim(const struct mrc_shared *s, const struct mrc_shared_place *place)
{
	return !mrc_shared_is_held(s, place) || mrc_shared_claim(s, place);
}

/* ---- turns ------------------------------------------------------------------ */

/*
 * Limits the grant to the QP's claim. The bytes of a silent QP are not in the window, so they need
 * no room there.
 */
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

/* Limits the grant to a turn. After it the QP pauses, and the last packet asks for a SACK. */
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
	const struct mrc_shared_place *first;

	if (!mrc_shared_has_claim(s, place)) {
		mrc_shared_step_aside(s, place);
		return false;
	}
	first = mrc_shared_first(s);
	if (first && first != place) {
		mrc_shared_wait(s, place);
		return false;
	}
	mrc_cc_allow(&s->cc, g);
	if (mrc_shared_is_held(s, place))
		mrc_shared_hold(s, place, g);
	else if (mrc_shared_others_wait(s, place))
		mrc_shared_limit(s, g);
	return true;
}

static void mrc_shared_sent(struct mrc_shared *s, struct mrc_shared_place *place, u32 bytes,
			    u64 now)
{
	if (place->state == MRC_SHARED_NEW && !place->bytes)
		place->until = now + mrc_shared_patience(&s->cc);
	place->bytes += bytes;
	if (place->state == MRC_SHARED_NEW)
		s->fresh += bytes;
	if (place->state != MRC_SHARED_SILENT)
		mrc_cc_sent(&s->cc, bytes, now);
}

/* A QP that had too little room keeps the first place, and has its turn again after a change. */
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

/* The QP's packets have gone with a port, which explains the silence: the QP is NEW again. */
static void mrc_shared_excuse(struct mrc_shared *s, struct mrc_shared_place *place, u64 now)
{
	if (place->bytes)
		mrc_cc_sent(&s->cc, place->bytes, now);
	mrc_shared_become(s, place, MRC_SHARED_NEW);
	s->fresh += place->bytes;
	place->until = now + mrc_shared_patience(&s->cc);
}

void mrc_shared_learn(struct mrc_shared *s, struct mrc_shared_place *place, struct mrc_cc_news *n,
		      u64 now)
{
	u32 gone = min(place->bytes, n->landed + n->lost);

	s->stuck = false;
	if (n->lost && n->cause == MRC_CC_PORT && place->state == MRC_SHARED_SILENT)
		mrc_shared_excuse(s, place, now);
	n->waiting |= !!mrc_shared_first(s);
	if (n->heard && mrc_shared_hears(s))
		mrc_shared_heard(s, place, now);
	mrc_shared_less_fresh(s, place, gone);
	place->bytes -= gone;
	/* The lost bytes of a silent QP were not in the window. */
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
	mrc_shared_less_fresh(s, place, place->bytes);
	s->stuck = false;
	*place = (struct mrc_shared_place){ 0 };
}
