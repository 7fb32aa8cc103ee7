// SPDX-License-Identifier: GPL-2.0-only
#include "cc.h"

/* The network for which the constants are written down: 100 Gb/s, 12 us. */
#define CC_REF_BDP	150000u
#define CC_REF_RTT_NS	12000u

/* A queue whose senders steer by delay is no longer than so many targets. */
#define CC_QUEUE_TARGETS	4u
/* The base RTT rises after so much time in which packets that were alone in flight took longer. */
#define CC_RISE_NS		4000000000ull
/*
 * A context that begins while others fill a queue takes the time in the queue for the length of its
 * path. So it looks again after this time, and then each time after twice as long, up to
 * CC_RISE_NS: it must learn the real length before the others starve.
 */
#define CC_EARLY_NS		250000000u
/*
 * Where nothing but delay is known, it shrinks a window to no less than so many packets for each
 * plane. So a sender that knows the length of its path does not starve beside senders that take the
 * queue for part of the path.
 */
#define CC_BLIND_LEAST		8u
/*
 * A round trip is lossy when it has CC_LOSSES losses or more, and they are more than one part in
 * CC_LOSSY_PART of the window. All packets that one answer shows as lost are one loss, because
 * packets that share an skb are lost together. Four links that lose a hundredth each often lose a
 * sixteenth of a small window, so the part is twice that.
 */
#define CC_LOSSES		3u
#define CC_LOSSY_PART		8u
/* Largest factor between a network and that of the constants, where delay alone steers. */
#define CC_BY_DELAY_A_Q16	(1ull << 16)
/* The same where the rate may be wrong, too; fast increase there is half a window a round trip. */
#define CC_BLIND_A_Q16		(1ull << 14)
#define CC_BLIND_SCALE_Q16	(1u << 15)
/* A window is drained for so long at most. */
#define CC_DRAIN_NS		500000000ull
/* Switches count as marking, or trimming, for so long after a mark or trim was seen. */
#define CC_MARKS_NS		10000000000ull
/* Limit of the bandwidth-delay product; the largest window is one and a half times the product. */
#define CC_BDP_MAX		(MRC_CC_CWND_MAX / 3 * 2)

/* ---- settings ------------------------------------------------------------- */

/* No overflow: one factor is less than 2^29, the other less than 2^30. */
static u32 mrc_cc_bdp(u64 rate, u32 base_ns, u32 mtu)
{
	u64 bdp = div64_u64(div64_u64(rate, 1000) * base_ns, 1000000);

	return (u32)min(max(bdp, 2ull * mtu), (u64)CC_BDP_MAX);
}

static u64 mrc_cc_live_rate(const struct mrc_cc_params *p, u32 live, u32 planes)
{
	return div64_u64(p->rate * live, planes);
}

static u32 mrc_cc_max_cwnd(const struct mrc_cc_params *p, const struct mrc_timing *timing, u32 bdp,
			   u32 live, u32 planes)
{
	u64 most = p->max_cwnd ? div64_u64((u64)p->max_cwnd * live, planes) : bdp / 2 * 3;

	if (!p->max_cwnd && !p->base_rtt_ns)
		most = max(most, timing->cc_room);
	return (u32)min(max(most, (u64)p->mtu), (u64)MRC_CC_CWND_MAX);
}

/*
 * UE aims at the whole base RTT where nothing is trimmed. But where the ramp of marks ends before
 * that delay, as UE's own ramp does at 0.8, the queue stays at the end of the ramp: all packets are
 * marked, no delay is above the target, and windows stay as they are, however unequal. So the whole
 * base RTT is the target only where there are no marks.
 */
static u32 mrc_cc_target(const struct mrc_cc_params *p, const struct mrc_timing *timing,
			 u32 base_ns)
{
	u64 target = p->trimming || !p->ecn_absent ? (u64)base_ns * 3 / 4 : base_ns;

	return p->target_ns ? p->target_ns : (u32)max(target, timing->cc_target);
}

/* Return: 0: quick adapt never acts by delay. */
static u32 mrc_cc_qa_threshold(const struct mrc_cc_params *p, const struct mrc_timing *timing,
			       u32 target_ns, u32 base_ns)
{
	u64 late = max(4ull * max(target_ns, base_ns), timing->cc_late);

	if (p->qa_threshold_ns)
		return p->qa_threshold_ns;
	return p->trimming ? 0 : (u32)min(late, (u64)U32_MAX);
}

/*
 * @a_q16: how many times larger the network is than that of the constants.
 *
 * UE's proportional increase adds alpha * target in a round trip without delay. That is four
 * packets in the network of the constants; with a longer target it is as many times more. So the
 * increase would grow with the square of the base RTT, but the window grows only with the RTT
 * itself, and from some 100 us on the increase exceeds the room of switches. So here the increase
 * does not grow with the target.
 */
static void mrc_cc_derive_gains(const struct mrc_cc_params *p, u64 a_q16,
				struct mrc_cc_derived *d)
{
	u64 fi = 5 * p->mtu * a_q16 >> 16;
	u64 eta = div64_u64(15 * p->mtu * a_q16, 100) >> 8;
	u64 scale = p->fi_scale ? div64_u64((u64)p->fi_scale << 16, MRC_CC_ONE) : a_q16 / 4;

	d->alpha_q16 = div64_u64(4 * p->mtu * a_q16, max(CC_REF_RTT_NS, d->target_ns));
	d->fi = p->fi ? p->fi : (u32)min(max(fi, 1ull), (u64)MRC_CC_FI_MAX);
	d->fi_scale_q16 = (u32)min(scale, (u64)MRC_CC_FI_SCALE_MAX / MRC_CC_ONE << 16);
	d->eta_q8 = p->eta ? min(p->eta, MRC_CC_ETA_MAX) << 8 : (u32)min(eta, (u64)U32_MAX);
}

void mrc_cc_derive(const struct mrc_cc_params *p, const struct mrc_timing *timing, u32 base_ns,
		   u32 live, u32 planes, struct mrc_cc_derived *d)
{
	memset(d, 0, sizeof(*d));
	d->bdp = mrc_cc_bdp(mrc_cc_live_rate(p, live, planes), base_ns, p->mtu);
	d->max_cwnd = mrc_cc_max_cwnd(p, timing, d->bdp, live, planes);
	d->target_ns = mrc_cc_target(p, timing, base_ns);
	d->fast_ns = max(base_ns / 8, 1000u);
	d->qa_threshold_ns = mrc_cc_qa_threshold(p, timing, d->target_ns, base_ns);
	d->qa_period_ns = (u32)min((u64)base_ns + d->target_ns, (u64)U32_MAX);
	d->adjust_bytes = p->adjust_bytes ? p->adjust_bytes : 8 * p->mtu;
	d->adjust_ns = p->adjust_ns ? p->adjust_ns : base_ns;
	mrc_cc_derive_gains(p, div64_u64((u64)d->bdp << 16, CC_REF_BDP), d);
}

/* By the settings nothing but losses pushes back. Marks may, too; then they are seen. */
static bool mrc_cc_unsaid(const struct mrc_cc_params *p)
{
	return !p->ecn_absent && !p->trimming;
}

/*
 * For networks without marks. Where switches just drop what they cannot hold, only delay shows a
 * queue before it is full. The target must be longer than the delay that a busy host adds by
 * itself. Delay comes later than marks, and when it is seen the queue may be about to overflow. So
 * increases are at most those of the constants' network: four packets in a round trip. Where no
 * base RTT is set either, the rate of links may be a hundred times what the network carries. There
 * the increase is at most one packet in a round trip.
 */
static void mrc_cc_derive_by_delay(const struct mrc_cc_params *p, const struct mrc_timing *timing,
				   u32 base_ns, struct mrc_cc_derived *d)
{
	u64 late = min(timing->cc_late, (u64)MRC_CC_BASE_RTT_MAX);
	u64 a_q16 = div64_u64((u64)d->bdp << 16, CC_REF_BDP);

	if (!p->target_ns)
		d->target_ns = max(p->trimming ? d->target_ns : base_ns / 4, (u32)late);
	d->qa_threshold_ns = mrc_cc_qa_threshold(p, timing, d->target_ns, base_ns);
	d->qa_period_ns = (u32)min((u64)base_ns + d->target_ns, (u64)U32_MAX);
	if (p->trimming)
		return mrc_cc_derive_gains(p, a_q16, d);
	if (p->base_rtt_ns)
		return mrc_cc_derive_gains(p, min(a_q16, CC_BY_DELAY_A_Q16), d);
	mrc_cc_derive_gains(p, min(a_q16, CC_BLIND_A_Q16), d);
	if (!p->fi_scale)
		d->fi_scale_q16 = CC_BLIND_SCALE_Q16;
}

/* The delay that a host adds by itself is taken for a tenth of the base RTT. */
u32 mrc_cc_base_guess(const struct mrc_timing *timing)
{
	return (u32)min(10 * timing->cc_target, (u64)MRC_CC_BASE_RTT_MAX);
}

/* The base RTT has changed. Gains still follow from the configured base RTT, if there is one. */
static void mrc_cc_rebase(struct mrc_cc *cc, u32 base_ns)
{
	const struct mrc_cc_params *p = &cc->p;
	u32 bdp, base;

	cc->base_ns = max(base_ns, MRC_CC_BASE_RTT_MIN);
	base = p->base_rtt_ns ? p->base_rtt_ns : cc->base_ns;
	mrc_cc_derive(p, cc->timing, base, cc->live, cc->planes, &cc->d);
	if (cc->by_delay)
		mrc_cc_derive_by_delay(p, cc->timing, base, &cc->d);
	bdp = mrc_cc_bdp(mrc_cc_live_rate(p, cc->live, cc->planes), cc->base_ns, p->mtu);
	cc->max_cwnd = min(mrc_cc_max_cwnd(p, cc->timing, bdp, cc->live, cc->planes),
			   cc->d.max_cwnd);
	cc->cwnd = min(cc->cwnd, cc->max_cwnd);
}

/*
 * UE begins with the largest window. That suits a network whose rate and round trip are known.
 * Where they are not known, the rate of links may be wrong (that of virtual links is), and a
 * mebibyte may be more than switches hold. So a window begins with cc_start there, and doubles in a
 * few round trips.
 */
static u32 mrc_cc_first_window(const struct mrc_cc *cc)
{
	const struct mrc_cc_params *p = &cc->p;

	if (!mrc_cc_unsaid(p) || p->base_rtt_ns || p->max_cwnd || !cc->timing->cc_start)
		return cc->max_cwnd;
	return min(cc->max_cwnd, max((u32)cc->timing->cc_start, p->mtu));
}

void mrc_cc_init(struct mrc_cc *cc, const struct mrc_cc_params *p,
		 const struct mrc_timing *timing, u64 now)
{
	memset(cc, 0, sizeof(*cc));
	/* All of it, so that settings can be compared as memory. */
	memcpy(&cc->p, p, sizeof(*p));
	cc->timing = timing;
	cc->live = 1;
	cc->planes = 1;
	cc->cwnd = p->max_cwnd;
	cc->max_cwnd = p->max_cwnd;
	if (p->algorithm == MRC_CC_NONE)
		return;
	cc->by_delay = mrc_cc_unsaid(p);
	mrc_cc_rebase(cc, p->base_rtt_ns ? p->base_rtt_ns : mrc_cc_base_guess(timing));
	cc->base_ns = p->base_rtt_ns;
	cc->cwnd = mrc_cc_first_window(cc);
	cc->lowest_ns = U32_MAX;
	cc->risen_ns = U32_MAX;
	cc->seen_ns = U32_MAX;
	cc->risen_at = now;
	cc->early_ns = CC_EARLY_NS;
	cc->avg_at = now;
	cc->adjusted_at = now;
	cc->decreased_at = now;
	cc->idle_at = now;
}

/* Shrinks the window to @part / @all. */
static void mrc_cc_keep(struct mrc_cc *cc, u32 part, u32 all)
{
	cc->cwnd = max((u32)div64_u64((u64)cc->cwnd * part, all), cc->p.mtu);
	if (cc->drained)
		cc->drained = max((u32)div64_u64((u64)cc->drained * part, all), cc->p.mtu);
	if (cc->saved)
		cc->saved = (u32)div64_u64((u64)cc->saved * part, all);
}

void mrc_cc_capacity(struct mrc_cc *cc, u32 live, u32 planes)
{
	planes = max(planes, 1u);
	live = max(min(live, planes), 1u);
	if (cc->p.algorithm == MRC_CC_NONE || (live == cc->live && planes == cc->planes))
		return;
	if (live < cc->live && planes == cc->planes)
		mrc_cc_keep(cc, live, cc->live);
	cc->live = live;
	cc->planes = planes;
	if (cc->base_ns)
		return mrc_cc_rebase(cc, cc->base_ns);
	mrc_cc_rebase(cc, mrc_cc_base_guess(cc->timing));
	cc->base_ns = 0;
}

void mrc_cc_links(struct mrc_cc *cc, u64 rate, u32 planes)
{
	u32 live = cc->live;

	if (cc->p.algorithm == MRC_CC_NONE || rate <= cc->p.rate)
		return;
	cc->p.rate = rate;
	if (planes > cc->planes)
		live += planes - cc->planes;
	/* All is computed anew, and the window does not shrink by a share of the old planes. */
	cc->planes = 0;
	mrc_cc_capacity(cc, live, planes);
}

/* ---- round trips ---------------------------------------------------------- */

/* Other CPUs' clocks may be ahead of this one's. */
static u64 mrc_cc_since(u64 then, u64 now)
{
	return now > then ? now - then : 0;
}

/* RTTs of packets that were alone may differ by so much without a reason. */
static u32 mrc_cc_slack(const struct mrc_cc *cc)
{
	return max(cc->base_ns / 16, 1000u);
}

/* Was a packet that is answered after @rtt_ns sent when nothing else was in flight? */
static bool mrc_cc_was_alone(const struct mrc_cc *cc, u32 rtt_ns, u64 now)
{
	u64 sent = now - rtt_ns;

	return mrc_cc_since(cc->alone_at, sent) <= 2 * MRC_TX_TICK_NS &&
	       mrc_cc_since(sent, cc->alone_at) <= 2 * MRC_TX_TICK_NS;
}

/*
 * Has the path become longer, or is this a queue of others? If their senders steer by marks, marks
 * are seen. If they steer by delay, the queue is at most some targets long.
 */
static bool mrc_cc_is_longer_way(const struct mrc_cc *cc, u32 rtt_ns)
{
	if (cc->marks)
		return mrc_cc_since(cc->marked_at, cc->risen_at);
	return rtt_ns > cc->lowest_ns + CC_QUEUE_TARGETS * (u64)cc->d.target_ns;
}

/*
 * A path may become longer. Then no round trip is as short as the shortest one was; but a standing
 * queue has the same effect. Packets that left when nothing else was in flight have not waited for
 * packets of this host. If they may have waited in others' queues, twice the shortest round trip is
 * the limit, because a longer base RTT also makes the queue longer at which control aims. If that
 * cannot be, the shortest round trip is forgotten: it was that of another path.
 */
static void mrc_cc_raise_base(struct mrc_cc *cc, u32 rtt_ns)
{
	u64 risen;

	if (mrc_cc_is_longer_way(cc, rtt_ns))
		cc->lowest_ns = rtt_ns;
	risen = min((u64)rtt_ns, 2ull * cc->lowest_ns);
	if (risen > (u64)cc->base_ns + mrc_cc_slack(cc))
		mrc_cc_rebase(cc, (u32)min(risen, (u64)MRC_CC_BASE_RTT_MAX));
}

static void mrc_cc_end_drain(struct mrc_cc *cc)
{
	if (!cc->drained)
		return;
	cc->cwnd = min(cc->drained, cc->max_cwnd);
	cc->drained = 0;
	/* Arrivals while the window was drained say nothing of the network. */
	cc->qa_end = 0;
}

/*
 * A sender that always has something in flight never has a packet that is alone. If no round trip
 * was as short as the base RTT either, nothing more goes out until all that is in flight has
 * arrived; then the next packet is alone. That costs a round trip. In return all senders that share
 * a queue learn the length of their path without the queue, in whatever order they came.
 */
static void mrc_cc_drain(struct mrc_cc *cc)
{
	cc->drained = cc->cwnd;
	cc->cwnd = cc->p.mtu;
	cc->inc = 0;
}

/* Without marks, trims and a configured base RTT, only the rate of links is known. */
static bool mrc_cc_blind(const struct mrc_cc *cc)
{
	return cc->by_delay && mrc_cc_unsaid(&cc->p) && !cc->p.base_rtt_ns;
}

/* The early looks at the length of the path, see CC_EARLY_NS. Return: one is due, or goes on. */
static bool mrc_cc_look_early(struct mrc_cc *cc, u64 watched, bool alone)
{
	if (!cc->early_ns || watched < cc->early_ns || watched >= CC_RISE_NS)
		return false;
	if (!cc->drained) {
		mrc_cc_drain(cc);
	} else if (alone || watched >= (u64)cc->early_ns + CC_DRAIN_NS) {
		mrc_cc_end_drain(cc);
		cc->early_ns = cc->early_ns < CC_RISE_NS / 2 ? 2 * cc->early_ns : 0;
	}
	return true;
}

/* Watches RTTs for a period, to see whether the base RTT has risen. May drain the window. */
static void mrc_cc_watch_base(struct mrc_cc *cc, u32 rtt_ns, u64 now)
{
	u64 watched = mrc_cc_since(cc->risen_at, now);
	bool alone = mrc_cc_was_alone(cc, rtt_ns, now);

	cc->seen_ns = min(cc->seen_ns, rtt_ns);
	if (alone)
		cc->risen_ns = min(cc->risen_ns, rtt_ns);
	if ((mrc_cc_blind(cc) && mrc_cc_look_early(cc, watched, alone)) || watched < CC_RISE_NS)
		return;
	if (cc->risen_ns == U32_MAX && watched < CC_RISE_NS + CC_DRAIN_NS &&
	    cc->seen_ns > (u64)cc->base_ns + mrc_cc_slack(cc)) {
		if (!cc->drained)
			mrc_cc_drain(cc);
		return;
	}
	mrc_cc_end_drain(cc);
	if (cc->risen_ns != U32_MAX)
		mrc_cc_raise_base(cc, cc->risen_ns);
	cc->risen_ns = U32_MAX;
	cc->seen_ns = U32_MAX;
	cc->risen_at = now;
}

static void mrc_cc_note_base(struct mrc_cc *cc, u32 rtt_ns, u64 now)
{
	bool untouched = cc->cwnd == cc->max_cwnd;

	cc->lowest_ns = min(cc->lowest_ns, rtt_ns);
	if (!cc->base_ns) {
		mrc_cc_rebase(cc, rtt_ns);
		if (untouched)
			cc->cwnd = cc->max_cwnd;
	} else if (rtt_ns < cc->base_ns) {
		mrc_cc_rebase(cc, rtt_ns);
	}
	if (!cc->p.base_rtt_ns)
		mrc_cc_watch_base(cc, rtt_ns, now);
}

/*
 * Averages over the time of a round trip, not over a number of samples, because there may be a SACK
 * for each packet or one for each window.
 */
static void mrc_cc_average(struct mrc_cc *cc, u32 delay_ns, u64 now)
{
	u64 passed = mrc_cc_since(cc->avg_at, now);
	u32 base = max(cc->base_ns, MRC_CC_BASE_RTT_MIN);

	cc->avg_at = max(cc->avg_at, now);
	if (passed >= base)
		cc->avg_ns = delay_ns;
	else if (delay_ns >= cc->avg_ns)
		cc->avg_ns += (u32)div64_u64((delay_ns - cc->avg_ns) * passed, base);
	else
		cc->avg_ns -= (u32)div64_u64((cc->avg_ns - delay_ns) * passed, base);
}

/* ---- the window ----------------------------------------------------------- */

/* While the window is drained, changes apply to the window that will be restored. */
static u32 *mrc_cc_window(struct mrc_cc *cc)
{
	return cc->drained ? &cc->drained : &cc->cwnd;
}

static void mrc_cc_grow(struct mrc_cc *cc, u64 bytes)
{
	u32 *cwnd = mrc_cc_window(cc);

	*cwnd = (u32)min(*cwnd + bytes, (u64)cc->max_cwnd);
}

static void mrc_cc_shrink(struct mrc_cc *cc, u32 bytes)
{
	u32 *cwnd = mrc_cc_window(cc);

	*cwnd = max(*cwnd - min(*cwnd, bytes), cc->p.mtu);
}

/* Increases take effect. Time adds eta, too, once per period however many bytes arrive. */
static void mrc_cc_fulfil(struct mrc_cc *cc, u64 now)
{
	bool time = mrc_cc_since(cc->adjusted_at, now) >= cc->d.adjust_ns;

	if (!time && cc->received <= cc->d.adjust_bytes)
		return;
	mrc_cc_grow(cc, div64_u64(cc->inc, *mrc_cc_window(cc)));
	if (time) {
		u64 eta = (u64)cc->eta_rest + cc->d.eta_q8;

		mrc_cc_grow(cc, eta >> 8);
		cc->eta_rest = eta & 0xff;
		cc->adjusted_at = now;
	}
	cc->inc = 0;
	cc->received = 0;
}

/* No overflow: a step is at most the largest window, and @bytes is less than 2^29. */
static void mrc_cc_add(struct mrc_cc *cc, u64 step, u32 bytes)
{
	u64 most = (u64)*mrc_cc_window(cc) * cc->max_cwnd;

	cc->inc = min(cc->inc + min(step, (u64)cc->max_cwnd) * bytes, most);
}

static bool mrc_cc_fast_increase(struct mrc_cc *cc, u32 bytes, u32 delay_ns)
{
	if (delay_ns >= cc->d.fast_ns) {
		cc->unhindered = 0;
		cc->fast = false;
		return false;
	}
	cc->unhindered = min(cc->unhindered + bytes, MRC_CC_CWND_MAX + bytes);
	if (cc->unhindered <= *mrc_cc_window(cc) && !cc->fast)
		return false;
	cc->fast = true;
	cc->count[MRC_CC_FAST]++;
	mrc_cc_grow(cc, (u64)bytes * cc->d.fi_scale_q16 >> 16);
	return true;
}

static void mrc_cc_proportional(struct mrc_cc *cc, u32 bytes, u32 delay_ns)
{
	if (mrc_cc_fast_increase(cc, bytes, delay_ns))
		return;
	cc->count[MRC_CC_PROPORTIONAL]++;
	/* No delay or loss has shown yet how much the network holds. */
	if (mrc_cc_blind(cc) && !cc->met)
		return mrc_cc_grow(cc, bytes / 8);
	mrc_cc_add(cc, cc->d.alpha_q16 * (cc->d.target_ns - delay_ns) >> 16, bytes);
}

static void mrc_cc_fair(struct mrc_cc *cc, u32 bytes)
{
	cc->count[MRC_CC_FAIR]++;
	mrc_cc_add(cc, cc->d.fi, bytes);
}

/*
 * Where switches mark, queues are as long as a base RTT or two. Without marks queues may be many
 * times as long, and so is the time until a cut has its effect.
 */
static u64 mrc_cc_round_trip(const struct mrc_cc *cc)
{
	return (u64)cc->base_ns + (mrc_cc_blind(cc) ? cc->avg_ns : 0);
}

/* The largest part of the window that a cut takes, in millionths. */
static u64 mrc_cc_most(const struct mrc_cc *cc)
{
	return MRC_CC_ONE - min(cc->p.max_md_jump, MRC_CC_ONE);
}

static u32 mrc_cc_part(u32 bytes, u64 millionths)
{
	return (u32)div64_u64(bytes * millionths, MRC_CC_ONE);
}

/* Is the window so small that the delay must be caused by others? */
static bool mrc_cc_is_least(struct mrc_cc *cc)
{
	return mrc_cc_blind(cc) && *mrc_cc_window(cc) <= CC_BLIND_LEAST * cc->live * cc->p.mtu;
}

/* Shrinks the window once in a round trip, by the excess of the average delay. */
static void mrc_cc_decrease(struct mrc_cc *cc, u64 now)
{
	u64 cut;

	cc->count[MRC_CC_DECREASE]++;
	cc->fast = false;
	cc->unhindered = 0;
	cc->met = true;
	if (cc->avg_ns <= cc->d.target_ns || mrc_cc_is_least(cc) ||
	    mrc_cc_since(cc->decreased_at, now) <= mrc_cc_round_trip(cc))
		return;
	cut = div64_u64((u64)min(cc->p.gamma, MRC_CC_ONE) * (cc->avg_ns - cc->d.target_ns),
			cc->avg_ns);
	cut = min(cut, mrc_cc_most(cc));
	mrc_cc_shrink(cc, mrc_cc_part(*mrc_cc_window(cc), cut));
	cc->decreased_at = now;
	cc->count[MRC_CC_CUTS]++;
}

/* ---- quick adapt ---------------------------------------------------------- */

static bool mrc_cc_starved(const struct mrc_cc *cc, bool lost, u32 delay_ns)
{
	bool late = cc->d.qa_threshold_ns && delay_ns > cc->d.qa_threshold_ns;

	return cc->qa_end && !cc->drained && (cc->qa_trigger || lost || late) &&
	       cc->achieved < cc->max_cwnd >> cc->p.qa_gate;
}

/*
 * When next to nothing has arrived in a period, and something shows that the network is full, the
 * window becomes what has arrived. After that, marks and trims of packets that were sent before say
 * nothing new.
 *
 * Return: true: this signal needs no further handling.
 */
static bool mrc_cc_quick_adapt(struct mrc_cc *cc, bool lost, bool marked, u32 delay_ns, u64 now)
{
	bool handled = cc->ignored < cc->to_ignore && marked;

	if (cc->p.disable_qa)
		return false;
	if (!handled && now >= cc->qa_end) {
		handled = mrc_cc_starved(cc, lost, delay_ns);
		if (handled) {
			cc->cwnd = min(max(cc->achieved, cc->p.mtu), cc->max_cwnd);
			cc->to_ignore = (u32)min(cc->inflight, (u64)U32_MAX);
			cc->ignored = 0;
			cc->qa_trigger = false;
			cc->count[MRC_CC_QUICK_ADAPTS]++;
		}
		cc->achieved = 0;
		cc->qa_end = now + cc->d.qa_period_ns;
	}
	if (handled) {
		cc->inc = 0;
		cc->received = 0;
	}
	return handled;
}

/* ---- news ----------------------------------------------------------------- */

/* The receiver's penalty does not hold any more. The window may have grown beyond @saved since. */
static void mrc_cc_take_back(struct mrc_cc *cc)
{
	u32 *cwnd = mrc_cc_window(cc);

	*cwnd = max(*cwnd, min(cc->saved, cc->max_cwnd));
	cc->saved = 0;
}

/* Return: true: the receiver asks for less, so nothing increases. */
static bool mrc_cc_heed_receiver(struct mrc_cc *cc, const struct mrc_cc_news *n)
{
	u32 *cwnd = mrc_cc_window(cc);

	if (n->penalty) {
		if (!cc->saved)
			cc->saved = *cwnd;
		cc->count[MRC_CC_PENALTIES]++;
		*cwnd = (u32)min((u64)*cwnd, max(cc->inflight, (u64)cc->p.mtu));
		mrc_cc_shrink(cc, (u32)min((u64)n->penalty * n->acked >> 7, (u64)U32_MAX));
		return true;
	}
	if (n->restore)
		mrc_cc_take_back(cc);
	return false;
}

/* @limited: not the window limits what is sent, or the receiver asks for less: do not increase. */
static void mrc_cc_steer(struct mrc_cc *cc, const struct mrc_cc_news *n, u32 delay_ns,
			 bool limited, u64 now)
{
	bool late = delay_ns >= cc->d.target_ns;
	bool marked = n->marked ||
		      ((cc->p.ecn_absent || cc->by_delay) && late &&
		       cc->avg_ns > cc->d.target_ns);

	if (mrc_cc_quick_adapt(cc, false, marked, delay_ns, now))
		return;
	if (marked && late)
		mrc_cc_decrease(cc, now);
	else if (marked)
		cc->count[MRC_CC_HOLD]++;
	else if (!limited && late)
		mrc_cc_fair(cc, n->acked);
	else if (!limited)
		mrc_cc_proportional(cc, n->acked, delay_ns);
	mrc_cc_fulfil(cc, now);
}

static u32 mrc_cc_count_up(u32 sum, u32 bytes)
{
	return sum + min(bytes, U32_MAX - sum);
}

/* Marks and trims are forgotten after a while. */
static void mrc_cc_forget(struct mrc_cc *cc, u64 now)
{
	if (cc->marks && mrc_cc_since(cc->marked_at, now) >= CC_MARKS_NS)
		cc->marks = false;
	if (cc->trims && mrc_cc_since(cc->trimmed_at, now) >= CC_MARKS_NS)
		cc->trims = false;
}

/*
 * Decides whether delay counts as a mark. Marks that arrive show that switches mark. Where the
 * settings say that switches trim, and no marks come, only trims push back; where many hosts send
 * to one, every third packet or more is trimmed. So there delay counts as a mark once trims come.
 * Not before: a base RTT that was set too short would then cost most of the rate.
 */
static void mrc_cc_note_mark(struct mrc_cc *cc, bool marked, u64 now)
{
	bool by_delay;

	if (marked) {
		cc->marks = true;
		cc->marked_at = now;
	}
	mrc_cc_forget(cc, now);
	by_delay = !cc->p.ecn_absent && !cc->marks && (!cc->p.trimming || cc->trims);
	if (by_delay == cc->by_delay)
		return;
	cc->by_delay = by_delay;
	/* Marks show a queue: the window need not be drained to find it. */
	mrc_cc_end_drain(cc);
	mrc_cc_rebase(cc, cc->base_ns);
}

/* @before: bytes in flight before this news */
static void mrc_cc_arrived(struct mrc_cc *cc, const struct mrc_cc_news *n, u64 before, u64 now)
{
	bool limited = mrc_cc_heed_receiver(cc, n) ||
		       (!n->waiting && before < cc->cwnd / 2);
	u32 rtt_ns = (u32)min(n->rtt_ns, (u64)MRC_CC_RTT_MAX_NS);
	u32 delay_ns;

	cc->received = mrc_cc_count_up(cc->received, n->acked);
	cc->achieved = mrc_cc_count_up(cc->achieved, n->acked);
	cc->ignored = mrc_cc_count_up(cc->ignored, n->acked);
	if (n->acked)
		cc->vain = 0;
	if (!rtt_ns)
		return;
	mrc_cc_note_base(cc, rtt_ns, now);
	mrc_cc_note_mark(cc, n->marked, now);
	delay_ns = rtt_ns - min(rtt_ns, cc->base_ns);
	mrc_cc_average(cc, delay_ns, now);
	mrc_cc_steer(cc, n, delay_ns, limited, now);
}

/*
 * The answer to the head of a packet comes sooner than one to the whole packet, so it measures no
 * delay. It counts as a delay of one base RTT: of the configured one, if any, because a shorter one
 * might be below the target, which follows from the configured one.
 */
static void mrc_cc_trimmed(struct mrc_cc *cc, u32 bytes, u64 now)
{
	cc->count[MRC_CC_TRIMS]++;
	cc->trims = true;
	cc->trimmed_at = now;
	mrc_cc_average(cc, cc->p.base_rtt_ns ? cc->p.base_rtt_ns : cc->base_ns, now);
	cc->qa_trigger = true;
	if (!mrc_cc_quick_adapt(cc, true, true, 0, now))
		mrc_cc_shrink(cc, bytes);
}

/* Has more been lost in this round trip than links lose without congestion? */
static bool mrc_cc_is_lossy(struct mrc_cc *cc)
{
	return cc->losses >= CC_LOSSES && cc->lossy > *mrc_cc_window(cc) / CC_LOSSY_PART;
}

/* Have losses shown that a queue has overflowed? */
static bool mrc_cc_overflows(struct mrc_cc *cc, u32 bytes, u64 now)
{
	u64 passed = mrc_cc_since(cc->lossy_at, now), round_trip = mrc_cc_round_trip(cc);

	if (passed > round_trip) {
		cc->lossy_again = passed <= 2 * round_trip && !cc->lossy_cut &&
				  mrc_cc_is_lossy(cc);
		cc->lossy_at = now;
		cc->lossy = 0;
		cc->losses = 0;
		cc->lossy_cut = false;
	}
	cc->lossy = mrc_cc_count_up(cc->lossy, bytes);
	cc->losses = mrc_cc_count_up(cc->losses, 1);
	cc->vain = mrc_cc_count_up(cc->vain, bytes);
	if (cc->vain > *mrc_cc_window(cc))
		return true;
	if (cc->avg_ns > cc->d.target_ns)
		return cc->losses > 1;
	return cc->lossy_again && mrc_cc_is_lossy(cc);
}

/* Cuts the window, at most once in a round trip, as a decrease does. */
static void mrc_cc_cut(struct mrc_cc *cc)
{
	if (cc->lossy_cut)
		return;
	cc->lossy_cut = true;
	cc->met = true;
	cc->fast = false;
	cc->unhindered = 0;
	cc->inc = 0;
	mrc_cc_shrink(cc, mrc_cc_part(*mrc_cc_window(cc), mrc_cc_most(cc)));
	cc->count[MRC_CC_CUTS]++;
}

/*
 * In general the window shrinks by the bytes that are lost. Where the settings say nothing of
 * switches and no marks come, only delay and losses push back; there a queue that overflows cuts
 * the window. Such a queue loses more than once while the delay is beyond the target. A queue that
 * is too short for such a delay makes two round trips lossy. A queue that holds nothing of a burst
 * loses a whole window, and then its retransmissions. All other losses are those of a link: they
 * say nothing of what the network holds.
 */
static void mrc_cc_dropped(struct mrc_cc *cc, u32 bytes, u64 now)
{
	if (!cc->by_delay || !mrc_cc_unsaid(&cc->p))
		return mrc_cc_shrink(cc, bytes);
	if (mrc_cc_overflows(cc, bytes, now))
		mrc_cc_cut(cc);
	else if (cc->avg_ns > cc->d.target_ns)
		mrc_cc_shrink(cc, bytes);
}

static void mrc_cc_lost(struct mrc_cc *cc, const struct mrc_cc_news *n, u64 now)
{
	u32 lost = n->lost - min(n->lost, n->blameless);

	if (n->cause == MRC_CC_REFUSED || !lost)
		return;
	cc->ignored = mrc_cc_count_up(cc->ignored, lost);
	if (n->cause == MRC_CC_TRIMMED)
		mrc_cc_trimmed(cc, lost, now);
	else if (n->cause == MRC_CC_LOST)
		mrc_cc_dropped(cc, lost, now);
}

void mrc_cc_learn(struct mrc_cc *cc, const struct mrc_cc_news *n, u64 now)
{
	u64 before = cc->inflight;

	cc->inflight -= min(cc->inflight, (u64)n->landed + n->lost);
	if (before && !cc->inflight)
		cc->idle_at = now;
	if (cc->p.algorithm == MRC_CC_NONE)
		return;
	if (n->acked || n->rtt_ns)
		mrc_cc_arrived(cc, n, before, now);
	if (n->lost)
		mrc_cc_lost(cc, n, now);
}

/*
 * After a pause nothing is known of queues, and the receiver's penalty is out of date. After a long
 * pause the window is at least as large as at the start: what had made it small is over, or will
 * show again. A larger window stays as it is.
 */
static void mrc_cc_resume(struct mrc_cc *cc, u64 now)
{
	u64 idle = mrc_cc_since(cc->idle_at, now);

	cc->alone_at = now;
	if (idle <= cc->base_ns)
		return;
	mrc_cc_take_back(cc);
	if (idle > cc->timing->quiet) {
		mrc_cc_end_drain(cc);
		cc->cwnd = max(cc->cwnd, mrc_cc_first_window(cc));
		cc->met = false;
		cc->vain = 0;
	}
	cc->avg_ns = 0;
	cc->qa_end = 0;
	cc->qa_trigger = false;
}

void mrc_cc_sent(struct mrc_cc *cc, u32 bytes, u64 now)
{
	if (!cc->inflight && cc->p.algorithm != MRC_CC_NONE)
		mrc_cc_resume(cc, now);
	cc->inflight += bytes;
}
