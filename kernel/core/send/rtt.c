// SPDX-License-Identifier: GPL-2.0-only
#include "rtt.h"

/* Smoothed RTTs for which a grown tolerance for reordering stays at least. */
#define QUIET_RTTS	64u

/* Number of samples in which the highest RTT falls by two thirds of its excess. */
#define HIGH_RTT_SAMPLES	64u
/* Timeouts that prove too short grow up to so many times the configured one. */
#define PATIENCE_MAX	16u

static u64 mrc_rtt_first_timeout(const struct mrc_retries *cfg)
{
	return min(cfg->timeout_ns, MRC_TX_INTERVAL_MAX_NS);
}

u64 mrc_rtt_interval(const struct mrc_retries *cfg, unsigned int retries)
{
	u64 ns = mrc_rtt_first_timeout(cfg);
	unsigned int shift;

	if (retries >= (unsigned int)cfg->linear + cfg->exp &&
	    cfg->exp < MRC_EXP_MAX)
		return 0;
	if (retries < cfg->linear)
		return ns;
	/* The first timeout is not doubled, also if there are no linear retries. */
	shift = retries - cfg->linear + (cfg->linear ? 1 : 0);
	if (shift >= 38 || ns > MRC_TX_INTERVAL_MAX_NS >> shift)
		return MRC_TX_INTERVAL_MAX_NS;
	return ns << shift;
}

u64 mrc_rtt_timeout(const struct mrc_rtt *r, unsigned int retries)
{
	u64 ns = mrc_rtt_interval(&r->retries, retries);
	u64 least = max(2 * r->srtt_ns, r->patience_ns);

	if (!ns && retries)
		ns = mrc_rtt_interval(&r->retries, retries - 1);
	if (!ns)
		ns = mrc_rtt_first_timeout(&r->retries);
	return max(ns, min(least, MRC_TX_INTERVAL_MAX_NS));
}

u64 mrc_rtt_sample(struct mrc_rtt *r, u64 ns)
{
	if (ns < MRC_TX_TICK_NS)
		ns = MRC_TX_TICK_NS;
	if (!r->min_ns || ns < r->min_ns)
		r->min_ns = ns;
	if (!r->srtt_ns)
		r->srtt_ns = ns;
	else
		r->srtt_ns = r->srtt_ns - r->srtt_ns / 8 + ns / 8;
	if (ns > r->high_ns)
		r->high_ns = ns;
	else
		r->high_ns -= (r->high_ns - ns) / HIGH_RTT_SAMPLES;
	return ns;
}

/* How far a slow path is behind a fast one: the difference of their RTTs. */
static u64 mrc_rtt_spread(const struct mrc_rtt *r)
{
	return r->high_ns - r->min_ns;
}

u64 mrc_rtt_longest(const struct mrc_rtt *r)
{
	return r->srtt_ns ? min(r->high_ns, 2 * r->srtt_ns) + r->timing->sack_delay : 0;
}

u64 mrc_rtt_reorder_window(const struct mrc_rtt *r)
{
	u64 allowed = r->reorder_ns ? r->reorder_ns : r->min_ns / 4;

	return max(allowed, mrc_rtt_spread(r) * 3 / 2);
}

/*
 * A timeout was too short: a queue has grown faster than the smoothed RTT, and retransmissions
 * often give no RTT. The timeout grows once per such wait, for all packets that were given up in
 * it.
 */
static void mrc_rtt_wait_longer(struct mrc_rtt *r, u64 now)
{
	u64 most = PATIENCE_MAX * mrc_rtt_first_timeout(&r->retries);

	if (now < r->longer_at_ns)
		return;
	r->patience_ns = min(2 * mrc_rtt_timeout(r, 0), max(most, 2 * r->srtt_ns));
	r->longer_at_ns = now + r->patience_ns;
}

static u64 mrc_rtt_quiet(const struct mrc_rtt *r)
{
	return max((u64)QUIET_RTTS * r->srtt_ns, r->timing->quiet);
}

/*
 * Queues of different planes may differ by more than the smallest RTT ever seen, so the reordering
 * that rule (b) allows may grow to twice the smoothed RTT, if that is more. Rule (a) is exact for
 * packets, but SACKs take several paths back: the SACK of a later packet may overtake that of an
 * earlier one. Tolerances never become smaller here, because while one path stands still, the
 * others make the smoothed RTT small.
 */
void mrc_rtt_tolerate(struct mrc_rtt *r, u8 why, u64 now)
{
	u64 most = max(4 * r->min_ns, 2 * r->srtt_ns);
	u64 slack = min(max(2 * r->ev_slack_ns, r->min_ns / 4),
			max(r->min_ns, mrc_rtt_spread(r)));
	u64 reorder = min(2 * mrc_rtt_reorder_window(r), most);
	u64 quiet = mrc_rtt_quiet(r);

	if (why & MRC_TX_BY_EV)
		r->ev_slack_ns = max(r->ev_slack_ns, slack);
	if (why & MRC_TX_BY_TIME)
		r->reorder_ns = max(r->reorder_ns, reorder);
	if (why & MRC_TX_BY_TIMER)
		mrc_rtt_wait_longer(r, now);
	if (why & (MRC_TX_BY_EV | MRC_TX_BY_TIME | MRC_TX_BY_TIMER))
		r->decay_at_ns = now + quiet;
}

void mrc_rtt_decay(struct mrc_rtt *r, u64 now)
{
	if (!r->decay_at_ns || now < r->decay_at_ns)
		return;
	r->ev_slack_ns /= 2;
	if (r->ev_slack_ns < r->min_ns / 16)
		r->ev_slack_ns = 0;
	r->reorder_ns /= 2;
	if (r->reorder_ns <= r->min_ns / 4)
		r->reorder_ns = 0;
	r->patience_ns /= 2;
	if (r->patience_ns <= mrc_rtt_first_timeout(&r->retries))
		r->patience_ns = 0;
	r->decay_at_ns = 0;
	if (r->ev_slack_ns || r->reorder_ns || r->patience_ns)
		r->decay_at_ns = now + mrc_rtt_quiet(r);
}

/* The wait after more than MRC_TX_PROBES_EVEN probes: twice as long for each, within bounds. */
static u64 mrc_rtt_back_off(const struct mrc_rtt *r, u64 wait, unsigned int probes, u64 silence)
{
	u64 most = max(wait, max(r->timing->probe_max, silence / MRC_TX_PROBES_PART));
	unsigned int twice = probes - MRC_TX_PROBES_EVEN + 1;

	return twice < 16 ? min(wait << twice, most) : most;
}

u64 mrc_rtt_probe_wait(const struct mrc_rtt *r, unsigned int probes, u64 silence, bool in_vain)
{
	u64 rtt = r->srtt_ns ?: r->peer_ns ?: r->timing->first_rtt;
	u64 wait = max(2 * rtt, mrc_rtt_reorder_window(r)) + r->timing->probe_slack;
	u64 timeout = mrc_rtt_first_timeout(&r->retries);

	/* The RTT may be wrong if it is not the QP's own. */
	if (!r->srtt_ns)
		wait = min(wait, timeout / 2);
	else if (in_vain)
		wait = max(wait, timeout / 4);
	return probes < MRC_TX_PROBES_EVEN ? wait : mrc_rtt_back_off(r, wait, probes, silence);
}
