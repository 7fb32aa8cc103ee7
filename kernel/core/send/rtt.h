/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a QP knows of round trips, and the waits that follow from that: for packets that others have
 * overtaken, for timeouts, and for probes.
 *
 * The reorder window starts at a quarter of the minimum RTT, grows when a
 * retransmission proves spurious and decays; the slack of packets on one EV is of the same
 * kind and starts at zero. (Our decision; open point of the specification.)
 */
#ifndef _MRC_CORE_RTT_H
#define _MRC_CORE_RTT_H

#include "../base/base.h"
#include "../base/timing.h"
#include "tx_rec.h"

/* Verbs timeout exponent: 1.024 us * 2^timeout, at most 24 (17.17 s). */
#define MRC_TIMEOUT_MAX		24u
#define MRC_LINEAR_MAX		7u
#define MRC_EXP_MAX		25u	/* 25: for ever */

#define MRC_TX_INTERVAL_MAX_NS	0x4000000000ull	/* 275 s */

/**
 * struct mrc_retries - how often and how long a packet is waited for
 * @timeout_ns: first retransmission timeout; two smoothed RTTs are waited for at least
 * @linear: retries at that interval
 * @exp: further retries with doubling; MRC_EXP_MAX: for ever
 */
struct mrc_retries {
	u64 timeout_ns;
	u8 linear;
	u8 exp;
};

/*
 * A probe is sent after two smoothed RTTs, or the reorder window, and @probe_slack have passed
 * without news. While a QP knows no RTT that of its peer's other QPs counts, and @first_rtt where
 * there are none. At least a quarter of a timeout passes when all has been in vain for longer than
 * one: RTTs may have become longer than any that was seen, and where all is crowded, probes must
 * not be what crowds it. A probe, or its answer, may take a path that is dead: so a few follow one
 * another, then each waits twice as long as the one before, up to @probe_max or, if that is more, a
 * part of the silence so far: so an outage is noticed to be over after a small part of its time,
 * and a peer that is gone costs little.
 */
#define MRC_TX_PROBES_EVEN	4u
#define MRC_TX_PROBES_PART	8u

/**
 * struct mrc_rtt - round trips of a QP
 * @retries: limits
 * @min_ns: smallest sample, 0 before the first
 * @srtt_ns: smoothed, 0 before the first sample
 * @peer_ns: what the peer's other QPs know, 0: nothing
 * @high_ns: highest of late
 * @reorder_ns: what rule (b) allows, if RTTs differ by less; 0: a quarter of @min_ns
 * @ev_slack_ns: what rule (a) allows
 * @patience_ns: no timeout is shorter: shorter ones were wrong; 0: none were
 * @longer_at_ns: @patience_ns does not grow again before
 * @timing: how long is waited; mrc_timing_software unless it is set after the start
 * @decay_at_ns: when @reorder_ns, @ev_slack_ns and @patience_ns shrink again; 0: they are at rest
 */
struct mrc_rtt {
	struct mrc_retries retries;
	u64 min_ns;
	u64 srtt_ns;
	u64 peer_ns;
	u64 high_ns;
	u64 reorder_ns;
	u64 ev_slack_ns;
	u64 patience_ns;
	u64 longer_at_ns;
	u64 decay_at_ns;
	const struct mrc_timing *timing;
};

/**
 * mrc_rtt_interval() - timeout that leads to the n-th retry: linear, then doubling
 * @cfg: limits
 * @retries: retries before this one
 *
 * Return: ns, at most MRC_TX_INTERVAL_MAX_NS, or 0 when no retry is left.
 */
u64 mrc_rtt_interval(const struct mrc_retries *cfg, unsigned int retries);

/**
 * mrc_rtt_timeout() - how long a transmission is waited for, the last one included
 * @r: round trips
 * @retries: before this transmission
 *
 * Never less than two round trips, nor than what was too short of late: a timeout below the RTT
 * would only add to the load.
 *
 * Return: ns, at most MRC_TX_INTERVAL_MAX_NS.
 */
u64 mrc_rtt_timeout(const struct mrc_rtt *r, unsigned int retries);

/**
 * mrc_rtt_sample() - a packet or probe has been answered
 * @r: round trips
 * @ns: after so long
 *
 * Return: the sample in ns, never 0.
 */
u64 mrc_rtt_sample(struct mrc_rtt *r, u64 ns);

/**
 * mrc_rtt_longest() - how long an answer takes at most, as far as is known of late
 * @r: round trips
 *
 * One time much longer than all others does not count: twice the smoothed one is enough.
 *
 * Return: ns, 0: nothing is known.
 */
u64 mrc_rtt_longest(const struct mrc_rtt *r);

/**
 * mrc_rtt_reorder_window() - how much later others are sent that show that a packet is lost, ns
 *
 * Half as much again as paths differed by of late: a queue goes on growing while a packet
 * waits in it, when paths have gone and the others take their load.
 */
u64 mrc_rtt_reorder_window(const struct mrc_rtt *r);

/**
 * mrc_rtt_tolerate() - packets were given up wrongly: more reordering, or longer silence, is borne
 * @r: round trips
 * @why: the rules that were wrong, MRC_TX_BY_*; other bits are ignored
 * @now: ns
 */
void mrc_rtt_tolerate(struct mrc_rtt *r, u8 why, u64 now);

/** mrc_rtt_decay() - what has grown shrinks again, when its time has come; @now: ns */
void mrc_rtt_decay(struct mrc_rtt *r, u64 now);

/**
 * mrc_rtt_probe_wait() - what is waited for before a Reliability Probe
 * @r: round trips
 * @probes: that were sent since there was news
 * @silence: ns, from the news to the newest of these
 * @in_vain: what was sent again timed out, too
 *
 * Return: ns.
 */
u64 mrc_rtt_probe_wait(const struct mrc_rtt *r, unsigned int probes, u64 silence, bool in_vain);

#endif /* _MRC_CORE_RTT_H */
