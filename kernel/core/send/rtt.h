/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a QP knows of round trips, and the waits that follow from that: for packets that others have
 * overtaken, for timeouts, and for probes.
 *
 * The reorder window starts at a quarter of the minimum RTT, grows when a
 * retransmission proves spurious, and decays. The slack for packets on one EV grows and decays in
 * the same way, and starts at zero. (Our decision; open point of the specification.)
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
 * struct mrc_retries - timeouts and retries of a packet
 * @timeout_ns: first retransmission timeout; the wait is at least two smoothed RTTs
 * @linear: retries at that interval
 * @exp: further retries, each after twice the interval; MRC_EXP_MAX: retries never end
 */
struct mrc_retries {
	u64 timeout_ns;
	u8 linear;
	u8 exp;
};

/*
 * A Reliability Probe is sent when no news has come for the longer of two smoothed RTTs and the
 * reorder window, plus @probe_slack. A QP that knows no RTT uses that of the peer's other QPs, or
 * @first_rtt if they know none. After retransmissions have timed out, too, the wait is at least a
 * quarter of a timeout: RTTs may have become longer than any that was seen, and probes must not add
 * to the crowd in full queues.
 *
 * A probe or its answer may take a path that is dead. So the first MRC_TX_PROBES_EVEN probes follow
 * at even intervals. Then each interval is twice as long as the one before, up to the longer of
 * @probe_max and 1 / MRC_TX_PROBES_PART of the silence so far. So the end of an outage is noticed
 * after a small part of its time, and a peer that is gone costs little.
 */
#define MRC_TX_PROBES_EVEN	4u
#define MRC_TX_PROBES_PART	8u

/**
 * struct mrc_rtt - round trips of a QP
 * @retries: limits
 * @min_ns: smallest sample, 0 before the first
 * @srtt_ns: smoothed RTT, 0 before the first sample
 * @peer_ns: RTT that the peer's other QPs know, 0: none
 * @high_ns: highest recent RTT
 * @reorder_ns: reordering that rule (b) allows, if RTTs differ by less; 0: a quarter of @min_ns
 * @ev_slack_ns: reordering that rule (a) allows
 * @patience_ns: least timeout, because shorter ones proved wrong; 0: none did
 * @longer_at_ns: @patience_ns does not grow again before this time
 * @timing: the waits; mrc_timing_software unless it is set after the start
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
 * mrc_rtt_interval() - timeout before the next retry: linear, then doubling
 * @cfg: limits
 * @retries: retries before this one
 *
 * Return: ns, at most MRC_TX_INTERVAL_MAX_NS, or 0 when no retry is left.
 */
u64 mrc_rtt_interval(const struct mrc_retries *cfg, unsigned int retries);

/**
 * mrc_rtt_timeout() - how long to wait for the answer to a transmission, also to the last one
 * @r: round trips
 * @retries: retries before this transmission
 *
 * Never less than two smoothed RTTs, nor than the timeout that proved too short lately: a timeout
 * below the RTT would only add to the load.
 *
 * Return: ns, at most MRC_TX_INTERVAL_MAX_NS.
 */
u64 mrc_rtt_timeout(const struct mrc_rtt *r, unsigned int retries);

/**
 * mrc_rtt_sample() - a packet or probe has been answered
 * @r: round trips
 * @ns: time from sending to the answer
 *
 * Return: the sample in ns, never 0.
 */
u64 mrc_rtt_sample(struct mrc_rtt *r, u64 ns);

/**
 * mrc_rtt_longest() - the longest time that an answer has taken lately
 * @r: round trips
 *
 * Twice the smoothed RTT is the limit, so that one RTT much longer than all others does not count.
 *
 * Return: ns, 0: nothing is known.
 */
u64 mrc_rtt_longest(const struct mrc_rtt *r);

/**
 * mrc_rtt_reorder_window() - ns by which a later packet must follow to show that one is lost
 *
 * It is at least one and a half times the recent difference between RTTs of paths: when paths have
 * gone and the others take their load, a queue goes on growing while a packet waits in it.
 */
u64 mrc_rtt_reorder_window(const struct mrc_rtt *r);

/**
 * mrc_rtt_tolerate() - packets were given up wrongly: tolerate more reordering, or longer silence
 * @r: round trips
 * @why: the rules that were wrong, MRC_TX_BY_*; other bits are ignored
 * @now: ns
 */
void mrc_rtt_tolerate(struct mrc_rtt *r, u8 why, u64 now);

/** mrc_rtt_decay() - the tolerances that have grown shrink again, if it is time; @now: ns */
void mrc_rtt_decay(struct mrc_rtt *r, u64 now);

/**
 * mrc_rtt_probe_wait() - how long to wait before the next Reliability Probe
 * @r: round trips
 * @probes: probes that were sent since the last news
 * @silence: ns, from the last news to the newest of these probes
 * @in_vain: retransmissions timed out, too
 *
 * Return: ns.
 */
u64 mrc_rtt_probe_wait(const struct mrc_rtt *r, unsigned int probes, u64 silence, bool in_vain);

#endif /* _MRC_CORE_RTT_H */
