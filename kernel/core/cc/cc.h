/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Congestion control: how many bytes may be in flight to a destination. All packets to a
 * destination share one context, which learns what became of them and says how much room is left.
 * There are two algorithms: a fixed window, and NSCC (network signal congestion control; UE,
 * section 3.6.13). NSCC steers by four signals: marks of switches, the delay of round trips,
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

/* No round trip is taken to be longer. */
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
 * enum mrc_cc_algorithm - who sets the window
 * @MRC_CC_NONE: nobody: it is @max_cwnd of struct mrc_cc_params
 * @MRC_CC_NSCC: the network's signals
 */
enum mrc_cc_algorithm {
	MRC_CC_NONE,
	MRC_CC_NSCC,
};

/**
 * struct mrc_cc_params - what is set; 0 unless a field says otherwise: as the others suggest
 * @algorithm: enum mrc_cc_algorithm; MRC_CC_NONE heeds @max_cwnd alone, which then is not 0
 * @mtu: nominal bytes of the largest packet, as they are counted in flight; not 0
 * @rate: bytes a second to the destination, over all planes; never 0
 * @base_rtt_ns: round trip of an empty network; 0: it is measured
 * @target_ns: delay that is aimed at; three quarters of the base RTT; all of it with @ecn_absent
 *             and without @trimming. With neither, and until marks are seen, cc_late of struct
 *             mrc_timing at least
 * @max_cwnd: bytes; one and a half times what the base RTT and the rate hold; cc_room of struct
 *            mrc_timing at least where @base_rtt_ns is not set
 * @adjust_bytes: increases take effect after so many bytes; 8 packets
 * @adjust_ns: or after this; a base RTT
 * @eta: whole bytes that each such time adds, whatever else happens
 * @fi: bytes that a round trip of fair increase adds
 * @fi_scale: what a round trip of fast increase adds, in millionths of the window
 * @gamma: what of the excess of delay a decrease takes, in millionths, one at most; 0 counts
 * @max_md_jump: what a decrease leaves of the window at least, in millionths, one at most; 0 counts
 * @qa_threshold_ns: quick adapt acts at a longer delay, too; never with trimming, else 4 base RTTs,
 *                   or targets if those are longer, cc_late of struct mrc_timing at least
 * @qa_gate: quick adapt acts below the largest window shifted right by this; 0 counts
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
	u8 zero[3];	/* all of it is what is set: settings are compared as memory */
};

/**
 * struct mrc_cc_derived - what follows from the settings (UE, section 3.6.13)
 * @bdp: bytes that the base RTT and the rate hold
 * @max_cwnd: bytes
 * @target_ns: of the delay
 * @fast_ns: a delay below this is none
 * @qa_threshold_ns: 0: never
 * @qa_period_ns: of quick adapt
 * @adjust_bytes: increases take effect after so many bytes
 * @adjust_ns: or after this
 * @alpha_q16: proportional increase: bytes per ns that the delay is below its target, 16 bits of it
 *             behind the point
 * @fi: bytes
 * @fi_scale_q16: fast increase
 * @eta_q8: bytes, 8 bits of it behind the point
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
 * @MRC_CC_FAST: SACKs that found no delay, for a whole window
 * @MRC_CC_PROPORTIONAL: SACKs without a mark and with little delay
 * @MRC_CC_FAIR: SACKs without a mark and with much delay
 * @MRC_CC_HOLD: SACKs with a mark and little delay
 * @MRC_CC_DECREASE: SACKs with a mark and much delay
 * @MRC_CC_CUTS: times that one of these made the window smaller
 * @MRC_CC_QUICK_ADAPTS: times that the window became what had arrived
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
 * Readable for dumps:
 * @p: the settings
 * @d: what follows from them and the base RTT
 * @by_delay: no mark was seen of late: delay counts as one
 * @cwnd: the window, bytes
 * @inflight: bytes on their way
 * @base_ns: base RTT; 0: not known yet
 * @avg_ns: delay beyond it, over the last base RTT or so
 * @count: see enum mrc_cc_count
 */
struct mrc_cc {
	struct mrc_cc_params p;
	struct mrc_cc_derived d;
	const struct mrc_timing *timing;
	u32 cwnd;
	u32 max_cwnd;		/* now: the base RTT and planes change it */
	u64 inflight;
	u32 live;		/* planes of @planes */
	u32 planes;

	u32 base_ns;
	u32 avg_ns;
	u64 avg_at;		/* when the average was changed last */
	u32 lowest_ns;		/* of all RTTs of this way */
	u32 risen_ns;		/* lowest RTT of packets with none before them, since @risen_at */
	u32 seen_ns;		/* lowest of any, the same */
	u64 risen_at;
	u32 early_ns;		/* when to look after that for the first times; 0: they are over */
	u32 drained;		/* the window before it was emptied; 0: it is not */
	u64 alone_at;		/* when packets left and nothing else was in flight */
	u64 idle_at;		/* when the last one had arrived */

	u64 inc;		/* increases to come: bytes times bytes */
	u32 received;		/* bytes since increases took effect */
	u64 adjusted_at;
	u32 eta_rest;		/* of @eta_q8, what is less than a byte */
	u64 decreased_at;
	u32 unhindered;		/* bytes of proportional increase, in a row, that met no delay */
	bool fast;

	bool by_delay;
	bool met;		/* a limit, by which a cut was made */
	bool marks;		/* have been seen, the last one at @marked_at */
	u64 marked_at;
	bool trims;		/* the same */
	u64 trimmed_at;
	u64 lossy_at;		/* the round trip began in which ... */
	u32 lossy;		/* ... so many bytes were lost ... */
	u32 losses;		/* ... in so many losses */
	bool lossy_again;	/* the one before was lossy, too */
	bool lossy_cut;		/* and the window was cut for them */
	u32 vain;		/* bytes lost since something has arrived */

	bool qa_trigger;
	u64 qa_end;		/* of its period; 0: none has begun */
	u32 achieved;		/* bytes that have arrived in it */
	u32 to_ignore;		/* what was in flight at the last quick adapt ... */
	u32 ignored;		/* ... and what of it has been heard of */

	u32 saved;		/* the window before the receiver asked for less; 0: it does not */
	u64 count[MRC_CC_COUNTS];
};

/**
 * enum mrc_cc_cause - why packets count as lost
 * @MRC_CC_LOST: others have arrived, or its time has passed
 * @MRC_CC_PORT: their port has gone: not for congestion. mrc_cc_capacity() takes its share off
 * @MRC_CC_TRIMMED: a switch had no room but for their heads
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
 * @landed: those of them that were in flight until now
 * @lost: bytes in flight until now that are lost
 * @blameless: those of them that timed out with nothing to blame for it: they leave the window, and
 *             do not make it smaller
 * @cause: enum mrc_cc_cause, of @lost
 * @rtt_ns: a round trip, of a packet that came whole; 0: none was measured, and nothing is steered
 * @marked: the packet that it tells of came with a mark
 * @waiting: more would have been sent, had there been room
 * @restore: the receiver takes back what it asked for
 * @penalty: the receiver asks for less, 0 to 127: parts of 128 of what has arrived
 * @heard: it is an answer; for mrc_shared_learn(), as the next one
 * @silent: no answer came in the time in which one should have come
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
 * mrc_cc_derive() - what follows from settings
 * @p: the settings, NSCC's; what is beyond what windows can be is cut to that
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

/** mrc_cc_base_guess() - ns, what a base RTT is taken for of which nothing is known */
u32 mrc_cc_base_guess(const struct mrc_timing *timing);

/** mrc_cc_room() - bytes that may go now; if nothing is in flight, a packet of full size at least */
static inline u32 mrc_cc_room(const struct mrc_cc *cc)
{
	u32 room = cc->inflight < cc->cwnd ? cc->cwnd - (u32)cc->inflight : 0;

	return cc->inflight || room > cc->p.mtu ? room : cc->p.mtu;
}

/**
 * struct mrc_cc_grant - what may be sent now, all in bytes
 * @cwnd: the window
 * @room: what of it is left
 * @room_lost: the same for what is sent again, which may have one packet more: the hole at the
 *             start of a window of PSNs may be what keeps this one full
 * @least: room that a packet needs. MRC 1.0, section 8.3.1, lets one go of which a part fits, and
 *         so does a fixed window. But then a hundred windows of one packet are two hundred packets:
 *         NSCC wants room for all of a packet, as UE does
 * @ask_after: who has sent so much without asking for a SACK asks for one where the window ends
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
	/* A window that moves has to hear of it more often. */
	g->ask_after = cc->cwnd / (cc->p.algorithm == MRC_CC_NONE ? 2 : 8);
}

/** mrc_cc_sent() - @bytes leave; @now: ns */
void mrc_cc_sent(struct mrc_cc *cc, u32 bytes, u64 now);

/** mrc_cc_learn() - what has become of packets; @now: ns */
void mrc_cc_learn(struct mrc_cc *cc, const struct mrc_cc_news *n, u64 now);

/**
 * mrc_cc_capacity() - planes have gone, or are back
 * @cc: the context
 * @live: planes that are up; 0 counts as one
 * @planes: of all that the rate counts; 0 counts as one
 *
 * The largest window follows. Of the window as much goes as of the planes, once: that packets were
 * on their way by those that have gone (MRC_CC_PORT) takes nothing more off. It does not come back
 * with the planes: it grows.
 */
void mrc_cc_capacity(struct mrc_cc *cc, u32 live, u32 planes);

/**
 * mrc_cc_links() - links are faster, or more, than when the context was made; slower ones are no
 * news
 * @cc: the context
 * @rate: bytes a second, of all planes
 * @planes: that it counts; those that are new are up
 */
void mrc_cc_links(struct mrc_cc *cc, u64 rate, u32 planes);

#endif /* _MRC_CORE_CC_H */
