/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion control: how many bytes may be in flight to a destination. All packets to a
 * destination share one context, which learns what became of them and says how much room is left.
 * There are two algorithms: a fixed window, and NSCC (network signal congestion control;
 * UE, section 3.6.13). NSCC steers by four signals: marks of switches, the delay of round trips,
 * trimmed packets and lost packets.
 *
 * A SACK brings a mark or none, and a delay below or above its target. That makes four quadrants:
 *
 *                      | delay below the target          | delay at or above the target
 *   -------------------+---------------------------------+-------------------------------------
 *   no mark            | increase, by the distance to    | fair increase: the queue drains, and
 *                      | the target; fast without delay  | all flows get the same
 *   mark               | hold: one path is congested,    | decrease, once in a round trip
 *                      | and is skipped; others are not  |
 *
 * If no switch has marked a packet lately, nothing would push back before packets are trimmed or
 * lost. So delay then counts as a mark, with a target beyond the delay that a busy host adds by
 * itself. Where the settings say that switches trim, this holds only once they do trim. Where the
 * settings say nothing of switches, the rate of links is not believed either: a window begins
 * small, and gains are those of a small network.
 *
 * Bytes are nominal ones (mrc_nominal_len()) throughout. Nothing here sleeps, allocates or reads a
 * clock; the caller serialises all calls on one context and brings the time in nanoseconds of a
 * monotonic clock, in which it may step back a little.
 */
#ifndef _MRC_CORE_CC_H
#define _MRC_CORE_CC_H

#include "../base/base.h"
#include "../base/timing.h"
#include "../send/tx_rec.h"

/* Fractions in settings are in millionths, here and on netlink. */
#define MRC_CC_ONE		1000000u

/* A longer round trip counts as one of this length. */
#define MRC_CC_RTT_MAX_NS	4000000000u

/* Ranges of settings. */
#define MRC_CC_RATE_MIN		1000000ull		/* 8 Mb/s */
#define MRC_CC_RATE_MAX		(1ull << 38)		/* 2.2 Tb/s */
#define MRC_CC_BASE_RTT_MIN	1000u
#define MRC_CC_BASE_RTT_MAX	1000000000u
#define MRC_CC_CWND_MAX		(256u << 20)
#define MRC_CC_FI_MAX		(64u << 20)
#define MRC_CC_ETA_MAX		(1u << 20)
#define MRC_CC_FI_SCALE_MAX	(64u * MRC_CC_ONE)
#define MRC_CC_QA_GATE_MAX	15u
#define MRC_CC_QA_GATE_DEFAULT	3u
#define MRC_CC_GAMMA_DEFAULT	800000u
#define MRC_CC_MD_JUMP_DEFAULT	500000u

/**
 * enum mrc_cc_algorithm - what sets the window
 * @MRC_CC_NONE: nothing: the window is fixed, @max_cwnd of struct mrc_cc_params
 * @MRC_CC_NSCC: the network's signals
 */
enum mrc_cc_algorithm {
	MRC_CC_NONE,
	MRC_CC_NSCC,
};

/**
 * struct mrc_cc_params - settings; 0 means the default, unless a field says otherwise
 * @algorithm: enum mrc_cc_algorithm; MRC_CC_NONE uses @max_cwnd alone, which then is not 0
 * @mtu: nominal bytes of the largest packet, as they are counted in flight; not 0
 * @rate: bytes a second to the destination, over all planes; never 0
 * @base_rtt_ns: round trip of an empty network; 0: it is measured
 * @target_ns: delay at which to aim. Default: three quarters of the base RTT; all of it with
 *             @ecn_absent and without @trimming. While delay counts as a mark because no mark was
 *             seen lately: a quarter of it, or three quarters with @trimming, but at least cc_late
 *             of struct mrc_timing
 * @max_cwnd: bytes of the largest window. Default: one and a half times what the base RTT and the
 *            rate hold; where @base_rtt_ns is not set, at least cc_room of struct mrc_timing
 * @adjust_bytes: increases take effect after so many bytes ... Default: 8 packets
 * @adjust_ns: ... or after this time. Default: a base RTT
 * @eta: whole bytes that each such time adds, whatever else happens
 * @fi: bytes that a round trip of fair increase adds
 * @fi_scale: part of the window that a round trip of fast increase adds, in millionths
 * @gamma: part of the excess of delay by which a decrease shrinks the window, in millionths, at
 *         most one; 0 means 0
 * @max_md_jump: part of the window that a decrease leaves at least, and losses that show a full
 *               queue leave, in millionths, at most one; 0 means 0
 * @qa_threshold_ns: quick adapt also acts when the delay is longer than this. Default: never with
 *                   @trimming; else 4 base RTTs, or 4 targets if those are longer, but at least
 *                   cc_late of struct mrc_timing
 * @qa_gate: quick adapt acts below the largest window shifted right by this; 0 means 0
 * @disable_qa: no quick adapt
 * @trimming: switches on the way trim what they cannot hold
 * @ecn_absent: switches on the way do not mark: delay counts as a mark
 * @zero: 0
 */
struct mrc_cc_params {
	u64 rate;
	u32 mtu;
	u32 base_rtt_ns;
	u32 target_ns;
	u32 max_cwnd;
	u32 adjust_bytes;
	u32 adjust_ns;
	u32 eta;
	u32 fi;
	u32 fi_scale;
	u32 gamma;
	u32 max_md_jump;
	u32 qa_threshold_ns;
	u8 algorithm;
	u8 qa_gate;
	bool disable_qa;
	bool trimming;
	bool ecn_absent;
	u8 zero[3];	/* no padding: settings are compared as memory */
};

/**
 * struct mrc_cc_derived - what follows from the settings (UE, section 3.6.13)
 * @bdp: bytes that the base RTT and the rate hold
 * @max_cwnd: bytes
 * @target_ns: target of the delay
 * @fast_ns: a shorter delay counts as none
 * @qa_threshold_ns: delay beyond which quick adapt acts; 0: never
 * @qa_period_ns: period of quick adapt
 * @adjust_bytes: increases take effect after so many bytes ...
 * @adjust_ns: ... or after this time
 * @alpha_q16: proportional increase: bytes per ns by which the delay is below its target, with 16
 *             bits behind the point
 * @fi: fair increase: bytes
 * @fi_scale_q16: fast increase: part of the window, with 16 bits behind the point
 * @eta_q8: bytes that each @adjust_ns adds, with 8 bits behind the point
 */
struct mrc_cc_derived {
	u32 bdp;
	u32 max_cwnd;
	u32 target_ns;
	u32 fast_ns;
	u32 qa_threshold_ns;
	u32 qa_period_ns;
	u32 adjust_bytes;
	u32 adjust_ns;
	u64 alpha_q16;
	u32 fi;
	u32 fi_scale_q16;
	u32 eta_q8;
};

/**
 * enum mrc_cc_count - what a context counts
 * @MRC_CC_FAST: SACKs of fast increase: no delay for a whole window
 * @MRC_CC_PROPORTIONAL: SACKs without a mark and with little delay
 * @MRC_CC_FAIR: SACKs without a mark and with much delay
 * @MRC_CC_HOLD: SACKs with a mark and little delay
 * @MRC_CC_DECREASE: SACKs with a mark and much delay
 * @MRC_CC_CUTS: how often a decrease, or losses that showed a full queue, cut the window by a part
 *               of it. Losses and trims by whose bytes the window shrinks do not count
 * @MRC_CC_QUICK_ADAPTS: how often the window became what had arrived
 * @MRC_CC_TRIMS: packets that were trimmed
 * @MRC_CC_PENALTIES: SACKs by which the receiver asked for less
 */
enum mrc_cc_count {
	MRC_CC_FAST,
	MRC_CC_PROPORTIONAL,
	MRC_CC_FAIR,
	MRC_CC_HOLD,
	MRC_CC_DECREASE,
	MRC_CC_CUTS,
	MRC_CC_QUICK_ADAPTS,
	MRC_CC_TRIMS,
	MRC_CC_PENALTIES,
	MRC_CC_COUNTS,
};

/**
 * struct mrc_cc - a congestion context
 *
 * Fields that dumps may read:
 * @p: the settings
 * @d: what follows from the settings and the base RTT
 * @by_delay: delay counts as a mark, because no mark was seen lately. False with @ecn_absent, where
 *            delay always counts
 * @cwnd: the window, bytes
 * @inflight: bytes on their way
 * @base_ns: base RTT; 0: not known yet
 * @avg_ns: delay beyond the base RTT, averaged over the last base RTT or so
 * @count: see enum mrc_cc_count
 */
struct mrc_cc {
	struct mrc_cc_params p;
	struct mrc_cc_derived d;
	const struct mrc_timing *timing;
	u32 cwnd;
	u32 max_cwnd;		/* current one: the base RTT and planes change it */
	u64 inflight;
	u32 live;		/* planes that are up, of @planes */
	u32 planes;

	u32 base_ns;
	u32 avg_ns;
	u64 avg_at;		/* when the average changed last */
	u32 lowest_ns;		/* lowest of all RTTs of this path */
	u32 risen_ns;		/* lowest RTT, since @risen_at, of packets that were alone */
	u32 seen_ns;		/* lowest RTT of all packets since @risen_at */
	u64 risen_at;		/* when the current period of watching RTTs began */
	u32 early_ns;		/* time of the next early look after @risen_at; 0: no more */
	u32 drained;		/* the window before it was drained; 0: it is not drained */
	u64 alone_at;		/* when packets left last while nothing else was in flight */
	u64 idle_at;		/* when nothing was left in flight, last */

	u64 inc;		/* increases that have not taken effect: bytes times bytes */
	u32 received;		/* bytes since increases took effect */
	u64 adjusted_at;
	u32 eta_rest;		/* sum of @eta_q8, the part below a byte */
	u64 decreased_at;
	u32 unhindered;		/* bytes of proportional increase, in a row, without delay */
	bool fast;		/* fast increase */

	bool by_delay;
	bool met;		/* delay or losses have shown a limit of the network */
	bool marks;		/* marks have been seen, the last one at @marked_at */
	u64 marked_at;
	bool trims;		/* trims have been seen, the last one at @trimmed_at */
	u64 trimmed_at;
	u64 lossy_at;		/* when the round trip began in which ... */
	u32 lossy;		/* ... so many bytes were lost ... */
	u32 losses;		/* ... in so many losses ... */
	bool lossy_again;	/* ... after another lossy round trip ... */
	bool lossy_cut;		/* ... and the window was cut for them */
	u32 vain;		/* bytes lost since something arrived last */

	bool qa_trigger;	/* a trim has come: quick adapt may act */
	u64 qa_end;		/* end of the period of quick adapt; 0: none has begun */
	u32 achieved;		/* bytes that have arrived in the period */
	u32 to_ignore;		/* bytes in flight at the last quick adapt ... */
	u32 ignored;		/* ... and those of them that have been heard of */

	u32 saved;		/* the window before the receiver asked for less; 0: it did not */
	u64 count[MRC_CC_COUNTS];
};

/**
 * enum mrc_cc_cause - why packets count as lost
 * @MRC_CC_LOST: later packets have arrived, or the timeout has passed
 * @MRC_CC_PORT: their port has gone, which is no congestion; mrc_cc_capacity() makes the window
 *               smaller
 * @MRC_CC_TRIMMED: a switch had room for their heads only
 * @MRC_CC_REFUSED: this host or the peer did not take them: the network has nothing to do with it
 */
enum mrc_cc_cause {
	MRC_CC_LOST,
	MRC_CC_PORT,
	MRC_CC_TRIMMED,
	MRC_CC_REFUSED,
};

/**
 * struct mrc_cc_news - what was learned of packets in flight
 * @acked: bytes newly known to have arrived
 * @landed: the part of @acked that was in flight until now
 * @lost: bytes in flight until now that are lost
 * @blameless: the part of @lost that timed out without anything to blame: these bytes leave the
 *             window, and do not make it smaller
 * @cause: enum mrc_cc_cause, of @lost
 * @rtt_ns: round trip of a packet that arrived whole; 0: none was measured, so nothing is steered
 * @marked: that packet came with a mark
 * @waiting: more would have been sent if there had been room
 * @restore: the receiver takes its penalty back
 * @penalty: the receiver asks for a smaller window, by 0 to 127 parts in 128 of @acked
 * @heard: the news come from an answer; only for mrc_shared_learn()
 * @silent: no answer came in the time in which one should have come; only for mrc_shared_learn()
 */
struct mrc_cc_news {
	u32 acked;
	u32 landed;
	u32 lost;
	u32 blameless;
	u8 cause;
	u64 rtt_ns;
	bool marked;
	bool waiting;
	bool restore;
	u8 penalty;
	bool heard;
	bool silent;
};

/**
 * mrc_cc_derive() - derive values from settings
 * @p: the settings, of NSCC; values beyond the range of windows are cut to that range
 * @timing: how exact this host's times are
 * @base_ns: base RTT, not 0
 * @live: planes that are up, 1 at least
 * @planes: planes that @p->rate counts, @live at least
 * @d: result
 */
void mrc_cc_derive(const struct mrc_cc_params *p, const struct mrc_timing *timing, u32 base_ns,
		   u32 live, u32 planes, struct mrc_cc_derived *d);

/**
 * mrc_cc_init() - nothing is in flight, nothing is known
 * @cc: the context
 * @p: settings
 * @timing: how exact this host's times are
 * @now: ns
 */
void mrc_cc_init(struct mrc_cc *cc, const struct mrc_cc_params *p,
		 const struct mrc_timing *timing, u64 now);

/** mrc_cc_base_guess() - ns, the base RTT that is assumed while none is known */
u32 mrc_cc_base_guess(const struct mrc_timing *timing);

/** mrc_cc_room() - bytes that may go now; at least a packet of full size if nothing is in flight */
static inline u32 mrc_cc_room(const struct mrc_cc *cc)
{
	u32 room = cc->inflight < cc->cwnd ? cc->cwnd - (u32)cc->inflight : 0;

	return cc->inflight || room > cc->p.mtu ? room : cc->p.mtu;
}

/**
 * struct mrc_cc_grant - what may be sent now, all in bytes
 * @cwnd: the window
 * @room: room that is left in the window
 * @room_lost: the same for retransmissions. They may have one packet more, because the hole at the
 *             start of the window of PSNs may be what keeps this window full
 * @least: room that a packet needs. With a fixed window a packet may go if a part of it fits, as in
 *         MRC 1.0, section 8.3.1. But then a hundred windows of one packet make two hundred
 *         packets, so NSCC wants room for the whole packet, as UE does
 * @ask_after: a QP that has sent so much without asking for a SACK asks for one when the window is
 *             full
 */
struct mrc_cc_grant {
	u32 cwnd;
	u32 room;
	u32 room_lost;
	u32 least;
	u32 ask_after;
};

/** mrc_cc_allow() - what may be sent now; @g: result */
static inline void mrc_cc_allow(const struct mrc_cc *cc, struct mrc_cc_grant *g)
{
	u32 more = cc->cwnd + cc->p.mtu;

	g->cwnd = cc->cwnd;
	g->room = mrc_cc_room(cc);
	g->room_lost = cc->inflight < more ? more - (u32)cc->inflight : 0;
	g->least = cc->p.algorithm == MRC_CC_NONE ? 1 : cc->p.mtu;
	/* A window that moves needs news more often. */
	g->ask_after = cc->cwnd / (cc->p.algorithm == MRC_CC_NONE ? 2 : 8);
}

/** mrc_cc_sent() - @bytes leave; @now: ns */
void mrc_cc_sent(struct mrc_cc *cc, u32 bytes, u64 now);

/** mrc_cc_learn() - learn what has become of packets; @now: ns */
void mrc_cc_learn(struct mrc_cc *cc, const struct mrc_cc_news *n, u64 now);

/**
 * mrc_cc_capacity() - planes have gone, or are back
 * @cc: the context
 * @live: planes that are up; 0 counts as one
 * @planes: all planes that the rate counts; 0 counts as one
 *
 * The largest window follows the planes. The window shrinks once, by the share of the planes that
 * have gone; packets that were on their way by these planes (MRC_CC_PORT) do not shrink it further.
 * When planes are back, the window does not jump back, but grows.
 */
void mrc_cc_capacity(struct mrc_cc *cc, u32 live, u32 planes);

/**
 * mrc_cc_links() - links may be faster, or more, than when the context was made
 * @cc: the context
 * @rate: bytes a second, of all planes; a rate that is not higher than before changes nothing
 * @planes: planes that the rate counts; new ones are up
 */
void mrc_cc_links(struct mrc_cc *cc, u64 rate, u32 planes);

#endif /* _MRC_CORE_CC_H */
