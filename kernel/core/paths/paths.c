// SPDX-License-Identifier: GPL-2.0-only
#include "paths.h"
#include "ev_keep.h"
#include "ev_rotation.h"
#include "ev_tally.h"
#include "../wire/wire.h"

int mrc_paths_init(struct mrc_paths *p, struct mrc_paths_ev *ev,
		   struct mrc_ev_entry *entry, u16 count, u16 min_active,
		   u16 active, u32 random)
{
	int err;

	memset(p, 0, sizeof(*p));
	p->ev = ev;
	p->turn = random;
	if (!count)
		return 0;
	err = mrc_ev_set_init(&p->set, entry, count, min(min_active, count),
			      min(active, count), random);
	if (err)
		return err;
	p->count = count;
	mrc_reverse_init(&p->reverse);
	mrc_reverse_start(&p->reverse, &p->set, random);
	return 0;
}

static void mrc_paths_keep_ev(struct mrc_paths *p, u16 ev, const struct mrc_paths *old, u16 was,
			      u64 now)
{
	const struct mrc_paths_ev *known = &old->ev[was];
	struct mrc_paths_ev *e = &p->ev[ev];

	e->lost = known->lost;
	e->probed = known->probed;
	e->tx_packets = known->tx_packets;
	e->acked = known->acked;
	e->marked = known->marked;
	mrc_ev_keep(&p->set, ev, &old->set.ev[was], now);
}

/* A watcher knows EVs by their index in the profile: it takes a new EV for the old one there. */
static void mrc_paths_keep_told(struct mrc_paths *p, const struct mrc_paths *old)
{
	u16 ev, was = 0;

	for (ev = 0; ev < p->count; ev++) {
		while (was < old->count && old->ev[was].index < p->ev[ev].index)
			was++;
		mrc_ev_keep_told(&p->set, ev,
				 was < old->count && old->ev[was].index == p->ev[ev].index ?
				 old->set.ev[was].told : MRC_EV_GOOD);
	}
}

/* Chooses the EVs for answers anew: those that were chosen before @old was known may be bad. */
static void mrc_paths_keep_reverse(struct mrc_paths *p, const struct mrc_paths *old,
				   const u16 *from)
{
	u16 ev;

	mrc_reverse_start(&p->reverse, &p->set, p->set.rng);
	for (ev = 0; ev < p->count; ev++)
		if (from[ev] < old->count)
			mrc_reverse_keep(&p->reverse, &p->set, ev, &old->reverse, &old->set,
					 from[ev]);
	p->reverse_at = old->reverse_at;
}

void mrc_paths_keep(struct mrc_paths *p, const struct mrc_paths *old, const u16 *from, u64 now)
{
	bool any = false, fresh = false;
	u16 ev;

	for (ev = 0; ev < p->count; ev++) {
		if (from[ev] >= old->count) {
			fresh |= p->set.ev[ev].state != MRC_EV_DENIED;
			continue;
		}
		mrc_paths_keep_ev(p, ev, old, from[ev], now);
		any = true;
	}
	if (any) {
		mrc_ev_keep_end(&p->set, &old->set, fresh, now);
		mrc_paths_keep_reverse(p, old, from);
		p->heard_at = old->heard_at;
	}
	mrc_paths_keep_told(p, old);
}

/* ---- data ------------------------------------------------------------------ */

/*
 * Where a batch does not divide evenly, the first elements get a packet more. The planes are drawn
 * in turn, so without a turn of the elements the same planes could come first in each batch. Turns
 * of sqrt(2) - 1 keep time with no number of planes and EVs.
 */
static unsigned int mrc_paths_turn(struct mrc_paths *p, unsigned int packets, unsigned int stride)
{
	if (packets % stride == 0)
		return 0;
	p->turn += MRC_PATHS_TURN;
	return (u64)p->turn * stride >> 32;
}

void mrc_paths_draw(struct mrc_paths *p, bool any, unsigned int packets, u64 now,
		    u16 *ev, unsigned int stride)
{
	unsigned int i, at = mrc_paths_turn(p, packets, stride);

	for (i = 0; i < stride; i++, at++) {
		if (at == stride)
			at = 0;
		ev[at] = MRC_EV_NONE;
		if (p->count)
			ev[at] = any ? mrc_ev_pick_any(&p->set) :
				       mrc_ev_pick(&p->set, now);
		if (ev[at] != MRC_EV_NONE)
			p->ev[ev[at]].tx_packets += DIV_ROUND_UP(packets - at, stride);
	}
}

void mrc_paths_resent(struct mrc_paths *p, u16 ev)
{
	if (ev < p->count)
		p->ev[ev].lost++;
}

/* ---- evidence -------------------------------------------------------------- */

/* Has the EV changed its state since a probe was sent? Then the probe says nothing of it now. */
static bool mrc_paths_is_stale(const struct mrc_paths *p, u16 ev, u64 sent)
{
	return p->set.ev[ev].changed_at > sent;
}

static void mrc_paths_arrived(struct mrc_paths *p, u16 ev, u64 sent, u64 now)
{
	WRITE_ONCE(p->heard_at, now);
	mrc_ev_tally_arrived(&p->set, ev, now - min(sent, now));
	mrc_ev_heard(&p->set, ev, sent, now);
	mrc_reverse_alive(&p->reverse, &p->set, ev);
}

static void mrc_paths_probe_answered(struct mrc_paths *p, u16 ev, u64 sent,
				     u64 now)
{
	WRITE_ONCE(p->heard_at, now);
	mrc_ev_probe_round_trip(&p->set, now - sent, now);
	if (!mrc_paths_is_stale(p, ev, sent))
		mrc_ev_probed(&p->set, ev, sent, now);
	mrc_reverse_alive(&p->reverse, &p->set, ev);
}

/* Answers avoid the EV. If the plane may be dead, another EV of it is probed at once. */
static void mrc_paths_reverse_lost(struct mrc_paths *p, u16 ev)
{
	if (mrc_reverse_lost(&p->reverse, &p->set, ev))
		WRITE_ONCE(p->reverse_at, 0);
}

static void mrc_paths_probe_lost(struct mrc_paths *p, u16 ev, u64 sent, u64 now)
{
	if (mrc_paths_is_stale(p, ev, sent))
		return;
	mrc_paths_reverse_lost(p, ev);
	mrc_ev_probe_lost(&p->set, ev, sent, now);
}

/*
 * A queue of this host may have dropped the probe. Such a queue drops some of an EV's packets, but
 * not all of them: an EV by which nothing arrives for long is blamed all the same.
 */
static void mrc_paths_probe_dropped(struct mrc_paths *p, u16 ev, u64 sent, u64 now)
{
	const struct mrc_ev_entry *e = &p->set.ev[ev];

	if (!mrc_ev_is_usable(e) || now - min(now, e->heard_at) >= MRC_PATHS_DROPPED_NS)
		mrc_paths_probe_lost(p, ev, sent, now);
}

/* Nothing can leave this host by the EV: that is certain, whatever else is heard. */
static void mrc_paths_no_way(struct mrc_paths *p, u16 ev, enum mrc_ev_why why,
			     u64 now)
{
	mrc_paths_reverse_lost(p, ev);
	if (!mrc_ev_lost(&p->set, ev, why, now))
		mrc_ev_probe_lost(&p->set, ev, 0, now);
}

static void mrc_paths_skip_once(struct mrc_paths *p, u16 ev, u64 now)
{
	mrc_ev_marked(&p->set, ev, now);
	p->ev[ev].marked++;
}

void mrc_paths_report(struct mrc_paths *p, enum mrc_seen seen, u16 ev, u64 sent,
		      u64 now)
{
	if (!p->count)
		return;
	if (seen == MRC_SEEN_STIRRED)
		return mrc_ev_stirred(&p->set, now);
	if (seen == MRC_SEEN_SILENT)
		return mrc_ev_silent(&p->set, ev, sent, now);
	if (ev >= p->count)
		return;
	switch (seen) {
	case MRC_SEEN_ARRIVED:
		return mrc_paths_arrived(p, ev, sent, now);
	case MRC_SEEN_ARRIVED_LATE:
		mrc_ev_tally_cleared(&p->set, ev);
		mrc_ev_cleared(&p->set, ev, now);
		return;
	case MRC_SEEN_LOST:
		if (mrc_ev_tally_lost(&p->set, ev))
			mrc_ev_lost(&p->set, ev, MRC_EV_WHY_LOSS, now);
		return;
	case MRC_SEEN_UNHEARD:
		return mrc_ev_unheard(&p->set, ev, sent, now);
	case MRC_SEEN_SKIP_ONCE:
		return mrc_paths_skip_once(p, ev, now);
	case MRC_SEEN_SKIP_ALWAYS:
		mrc_ev_lost(&p->set, ev, MRC_EV_WHY_SKIP, now);
		return;
	case MRC_SEEN_PROBE_ANSWERED:
		return mrc_paths_probe_answered(p, ev, sent, now);
	case MRC_SEEN_PROBE_LOST:
		return mrc_paths_probe_lost(p, ev, sent, now);
	case MRC_SEEN_PROBE_DROPPED:
		return mrc_paths_probe_dropped(p, ev, sent, now);
	case MRC_SEEN_NO_ROUTE:
		return mrc_paths_no_way(p, ev, MRC_EV_WHY_NO_ROUTE, now);
	case MRC_SEEN_NO_ROOM:
		return mrc_paths_no_way(p, ev, MRC_EV_WHY_NO_ROOM, now);
	case MRC_SEEN_REFUSED:
		return mrc_paths_no_way(p, ev, MRC_EV_WHY_REFUSED, now);
	default:
		return;
	}
}

u64 mrc_paths_overdue(const struct mrc_paths *p, u64 sent, u64 now)
{
	u64 wait;

	if (!p->count)
		return 0;
	wait = mrc_paths_ask_wait(p);
	return now - sent > wait ? wait : 0;
}

void mrc_paths_late(struct mrc_paths *p, u64 sent, u64 now)
{
	if (p->count)
		mrc_ev_probe_round_trip(&p->set, now - sent, now);
}

/*
 * The EV that an answer names by EV bits, and by the PSN of a packet that took the EV. An answer
 * that others have overtaken names a PSN that was acknowledged long ago; then only the bits tell
 * the EV. Bits that no EV has are a stranger's, or those of EVs that have been replaced.
 */
static u16 mrc_paths_named(const struct mrc_paths *p, const struct mrc_news *n)
{
	u16 ev;

	if (n->marked_ev < p->count)
		return p->ev[n->marked_ev].bits == n->entropy ? n->marked_ev :
								MRC_EV_NONE;
	for (ev = 0; ev < p->count; ev++)
		if (p->ev[ev].bits == n->entropy)
			return ev;
	return MRC_EV_NONE;
}

/* A packet (MRC_NEWS_MUTE) and a later probe on its EV (_LATE) may both be missed: each counts. */
static void mrc_paths_learn_late(struct mrc_paths *p, const struct mrc_news *n,
				 const struct mrc_news_ev *e, u64 now)
{
	/*
	 * Late packets on this EV were sent after all packets that arrived by it. The first late
	 * packet of the QP, maybe on another EV, may have been sent before.
	 */
	u64 since = max(n->late_since, e->heard_ns);
	/* Other QPs may have heard from the EV. */
	bool heard = p->set.ev[e->ev].heard_at > since;

	if (e->what & MRC_NEWS_LATE)
		mrc_paths_report(p, MRC_SEEN_UNHEARD, e->ev, since, now);
	if (e->what & MRC_NEWS_MUTE)
		mrc_paths_report(p, heard ? MRC_SEEN_LOST : MRC_SEEN_UNHEARD, e->ev, since, now);
}

u32 mrc_paths_missed(const struct mrc_paths *p, const struct mrc_news *n)
{
	unsigned int i;
	u32 ports = 0;

	for (i = 0; i < n->count; i++)
		if (n->ev[i].ev < p->count && mrc_news_misses(&n->ev[i]))
			ports |= 1u << (p->set.ev[n->ev[i].ev].port - 1);
	return ports;
}

/* Packets that a queue of this host may have dropped are no loss of an EV: a probe finds out. */
static bool mrc_paths_dropped_here(const struct mrc_paths *p, const struct mrc_news *n,
				   const struct mrc_news_ev *e)
{
	return mrc_news_misses(e) && n->dropped >> (p->set.ev[e->ev].port - 1) & 1;
}

static void mrc_paths_learn_ev(struct mrc_paths *p, const struct mrc_news *n,
			       const struct mrc_news_ev *e, u64 now)
{
	if (e->ev >= p->count)
		return;
	if (e->what & MRC_NEWS_ACKED) {
		p->ev[e->ev].acked += e->acked;
		mrc_paths_report(p, MRC_SEEN_ARRIVED, e->ev, e->heard_ns, now);
	}
	if (e->what & MRC_NEWS_CLEARED)
		mrc_paths_report(p, MRC_SEEN_ARRIVED_LATE, e->ev, 0, now);
	if (mrc_paths_dropped_here(p, n, e))
		return mrc_paths_report(p, MRC_SEEN_SILENT, e->ev, 1, now);
	if (e->what & MRC_NEWS_LOST)
		mrc_paths_report(p, MRC_SEEN_LOST, e->ev, 0, now);
	mrc_paths_learn_late(p, n, e, now);
	if (e->what & MRC_NEWS_SILENT)
		mrc_paths_report(p, MRC_SEEN_SILENT, e->ev, n->silent_since, now);
}

void mrc_paths_learn(struct mrc_paths *p, const struct mrc_news *n, u64 now)
{
	unsigned int i;

	if (n->rtt_ns && p->count)
		mrc_ev_round_trip(&p->set, n->rtt_ns);
	if (n->stirred)
		mrc_paths_report(p, MRC_SEEN_STIRRED, MRC_EV_NONE, 0, now);
	for (i = 0; i < n->count; i++)
		mrc_paths_learn_ev(p, n, &n->ev[i], now);
	if (n->mark == MRC_SACK_SKIP_ONCE)
		mrc_paths_report(p, MRC_SEEN_SKIP_ONCE, mrc_paths_named(p, n), 0,
				 now);
	else if (n->mark != MRC_SACK_NONE)
		mrc_paths_report(p, MRC_SEEN_SKIP_ALWAYS, mrc_paths_named(p, n), 0,
				 now);
	/* Packets that were sent on no known EV may be unanswered, too. */
	if (n->silent_since)
		mrc_paths_report(p, MRC_SEEN_SILENT, MRC_EV_NONE,
				 n->silent_since, now);
}

/* ---- the way back ---------------------------------------------------------- */

u16 mrc_paths_reverse_ev(struct mrc_paths *p, u64 now)
{
	return p->count ? mrc_reverse_pick(&p->reverse, &p->set, now) :
			  MRC_EV_NONE;
}

u16 mrc_paths_vary_ev(struct mrc_paths *p, u64 now)
{
	return p->count ? mrc_reverse_vary(&p->reverse, &p->set, now) :
			  MRC_EV_NONE;
}

/*
 * A guess at the EV that leads back the way a probe came: in the plane by which the probe came, the
 * EV with the same index in its profile. If the peer chooses EV bits as we do, the low half of the
 * bits was that index when the EV was new. For other bits, any EV of the plane is as good.
 */
static u16 mrc_paths_mirror(const struct mrc_paths *p, u8 port, u16 index)
{
	u16 ev, mirror = MRC_EV_NONE;

	for (ev = 0; ev < p->count; ev++) {
		if (p->set.ev[ev].port != port)
			continue;
		if (mirror == MRC_EV_NONE || p->ev[ev].index == index)
			mirror = ev;
	}
	return mirror;
}

unsigned int mrc_paths_answer_evs(struct mrc_paths *p, u8 port, u32 bits, u64 now,
				  u16 ev[MRC_REVERSE_COPIES])
{
	u16 mirror = MRC_EV_NONE;

	if (!p->count)
		return 0;
	if (mrc_ev_searching(&p->set))
		mirror = mrc_paths_mirror(p, port, bits & 0xffff);
	return mrc_reverse_answer(&p->reverse, &p->set, mirror, now, ev);
}

bool mrc_paths_want_reverse(const struct mrc_paths *p, u64 now)
{
	return p->count && now >= READ_ONCE(p->reverse_at) &&
	       now >= READ_ONCE(p->heard_at) + p->set.timing->reverse_probe;
}

u16 mrc_paths_reverse_probe(struct mrc_paths *p, u32 random, u64 now)
{
	if (!mrc_paths_want_reverse(p, now))
		return MRC_EV_NONE;
	WRITE_ONCE(p->reverse_at, now + max(p->set.timing->reverse_probe,
					    p->set.rtt / MRC_PATHS_REVERSE_RTT));
	return mrc_reverse_probe(&p->reverse, &p->set, random);
}

/* ---- what is decided elsewhere --------------------------------------------- */

void mrc_paths_deny(struct mrc_paths *p, u16 index, bool deny, u64 now)
{
	u16 ev;

	for (ev = 0; ev < p->count; ev++)
		if (p->ev[ev].index == index)
			mrc_ev_deny(&p->set, ev, deny, now);
}

void mrc_paths_ports(struct mrc_paths *p, u32 local_mask, u32 remote_mask, u64 now)
{
	if (p->count)
		mrc_ev_ports(&p->set, local_mask, remote_mask, now);
}
