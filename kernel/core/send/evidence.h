/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known to have arrived, and what that shows of EVs and of packets that have not arrived.
 *
 * A packet in flight counts as lost, by evidence, when
 *  (a) a packet or probe sent later on the same EV was answered (exact on FIFO paths), or
 *  (b) it is very late: lately its EV has taken a small part of that time, and the peer has
 *      answered something that was sent later on another EV. The measure is the packet's own EV,
 *      because the queue of another EV may be shorter; or
 *  (c) its timeout passed. That says nothing of the EV, unless a packet or probe that was sent
 *      later has been answered: a QP that hears of nothing knows nothing of paths.
 * A packet is late before it is very late. When it is late, an EV probe is sent on its EV, and
 * nothing else happens.
 *
 * Other losses need no evidence and blame no EV: a NACK refuses the packet, the packet has not left
 * this host, its path has gone (tx_loss.h), or it lies beyond the peer's window: see
 * mrc_tx_put_back().
 *
 * A packet that later packets of its EV have overtaken was lost. A full queue loses packets, too,
 * so such a loss is counted, and the peer's paths compare what EVs lose (ev_tally.h). An EV by
 * which nothing arrives any more is taken out: see mrc_ev_unheard().
 *
 * Retransmissions have a traffic class of their own and may overtake what waits in a queue. So the
 * arrival of a retransmission says something of other retransmissions alone. First transmissions
 * and probes share a class; their arrival says something of all that was sent before them.
 * A packet that was sent before the first answer came says nothing of its EV: the peer may not have
 * been connected yet.
 */
#ifndef _MRC_CORE_EVIDENCE_H
#define _MRC_CORE_EVIDENCE_H

#include "../base/base.h"
#include "../base/ev_index.h"
#include "news.h"
#include "tx_rec.h"
#include "tx_result.h"

/*
 * The number of first transmissions held to be lost that are remembered. The last bits of a PSN
 * name its element. An element is forgotten after MRC_TX_GIVEN_UP_LASTS more transmissions, because
 * the PSN may soon mean another packet.
 */
#define MRC_TX_GIVEN_UP		64u
#define MRC_TX_GIVEN_UP_LASTS	(1u << 23)

/**
 * struct mrc_tx_given_up - a first transmission that was held to be lost
 * @psn: its PSN
 * @seq: transmissions of the QP until then
 * @ev: index of the EV that it was sent on; MRC_EV_NONE: the element is unused
 */
struct mrc_tx_given_up {
	u32 psn;
	u32 seq;
	u16 ev;
};

/*
 * The time that an EV takes is kept in units of MRC_TX_TAKES_TICKS ticks, up to MRC_TX_TAKES_MAX.
 * An EV that takes longer is treated like the slowest of all EVs.
 *
 * A packet is late after MRC_TX_LATE times the time that its EV takes, and lost after
 * MRC_TX_LOST_AFTER times. The reason: an empty queue may fill up within a round trip or two, and
 * on a path that is four times too slow packets then take eight times as long as those that found
 * the queue empty. Shorter waits suffice where more is known: the answer to a probe has come
 * (MRC_TX_LOST_PROBED), behind which nothing was sent; or the paths hold the EV to be bad, by what
 * others know of it (MRC_TX_LOST_SILENT).
 */
#define MRC_TX_TAKES_TICKS	4u
#define MRC_TX_TAKES_MAX	0xffffu
#define MRC_TX_LATE		3u
#define MRC_TX_LOST_AFTER	8u
#define MRC_TX_LOST_PROBED	2u
#define MRC_TX_LOST_SILENT	2u

/**
 * struct mrc_tx_ev - what is known of the packets that were sent on one EV, and the news of it
 * @sent: send time of the newest first transmission that was SACKed, as in struct mrc_tx_rec
 * @heard: send time of the newest transmission that @acked counts
 * @newest: 1 + the order, within its tick, of the transmission of @sent; 0: none is known
 * @asked: MRC_NEWS_LATE was reported, and nothing has arrived by the EV since
 * @silent: packets that are late on the EV are lost, because the paths hold it to be bad
 * @acked: packets newly acknowledged, with MRC_NEWS_ACKED
 * @takes: longest recent time until a first transmission was acknowledged, in units of
 *         MRC_TX_TAKES_TICKS; 0: nothing is known
 * @what: MRC_NEWS_*; 0: there is no news, and the EV is in no list
 * @next: index of the next EV in its list, if there is one
 */
struct mrc_tx_ev {
	u32 sent;
	u32 heard;
	u16 newest : 14;
	u16 asked : 1;
	u16 silent : 1;
	u16 acked;
	u16 takes;
	u8 what;
	u8 next;
};

static_assert(MRC_EV_MAX - 1 <= U8_MAX, "the next one is a u8");

/**
 * struct mrc_tx_evs - a list of EVs, threaded through the table of EVs
 * @count: EVs in the list
 * @first: index of the first EV, if there is one
 */
struct mrc_tx_evs {
	u16 count;
	u8 first;
};

/**
 * struct mrc_tx_newest - the newest transmission of one kind that is known to have arrived
 * @any: there is one, and it is not so old that send times have wrapped
 * @sent: when it was sent, as in struct mrc_tx_rec
 */
struct mrc_tx_newest {
	bool any;
	u32 sent;
};

/**
 * struct mrc_evidence - what a QP knows of packets that have arrived, or have not
 * @seq: transmissions so far, wraps
 * @tick: time of the newest transmission, as in struct mrc_tx_rec
 * @order: packets that left in that tick
 * @hears: when the answer at hand came, as in struct mrc_tx_rec
 * @first: the newest of first transmissions
 * @again: the newest of retransmissions
 * @probed: the newest of answered probes
 * @met: an answer has come
 * @meeting: some packets that were sent before the first answer are not acknowledged
 * @met_psn: next new PSN when the first answer came
 * @news: EVs with news
 * @losses: EVs with news of which everything except losses has been reported
 * @asking: EVs that are @asked and not @silent
 * @remembered: elements of @given_up that are used
 * @given_up: see struct mrc_tx_given_up
 * @ev: per EV
 */
struct mrc_evidence {
	u32 seq;
	u32 tick;
	u32 order;
	u32 hears;
	struct mrc_tx_newest first;
	struct mrc_tx_newest again;
	struct mrc_tx_newest probed;
	bool met;
	bool meeting;
	u32 met_psn;
	struct mrc_tx_evs news;
	struct mrc_tx_evs losses;
	u32 asking;
	u32 remembered;
	struct mrc_tx_given_up given_up[MRC_TX_GIVEN_UP];
	struct mrc_tx_ev ev[MRC_EV_MAX];
};

/** mrc_evidence_init() - nothing is known; @e is zero */
void mrc_evidence_init(struct mrc_evidence *e);

/**
 * mrc_evidence_launch() - a packet leaves on an EV
 * @e: the evidence
 * @rec: its record until now
 * @ev: index, or MRC_EV_NONE
 * @now: ns
 *
 * Forgets what is so old that wrapped send times would make it look new: of all EVs together, and
 * of this one.
 *
 * Return: its record from now on, with another send time, order and EV.
 */
struct mrc_tx_rec mrc_evidence_launch(struct mrc_evidence *e, struct mrc_tx_rec rec,
				      u16 ev, u64 now);

/** mrc_evidence_leaves() - a packet that was launched just now leaves after all others */
void mrc_evidence_leaves(struct mrc_evidence *e, struct mrc_tx_rec *rec);

/** mrc_evidence_forget_evs() - EV indices have a new meaning from here on */
void mrc_evidence_forget_evs(struct mrc_evidence *e);

/** mrc_evidence_met() - an answer of the peer has come; @nxt: next new PSN; @now: ns */
void mrc_evidence_met(struct mrc_evidence *e, u32 nxt, u64 now);

/** mrc_evidence_passed() - all packets before @una are acknowledged */
void mrc_evidence_passed(struct mrc_evidence *e, u32 una);

/**
 * mrc_evidence_arrived() - this transmission is known to have arrived
 *
 * Packets that were sent before it, in a traffic class that is no slower, are overdue from now on.
 */
void mrc_evidence_arrived(struct mrc_evidence *e, const struct mrc_tx_rec *rec);

/**
 * mrc_evidence_acked() - a packet that was sent once is acknowledged
 *
 * Does what mrc_evidence_arrived() and mrc_evidence_count() do.
 */
void mrc_evidence_acked(struct mrc_evidence *e, const struct mrc_tx_rec *rec);

/** mrc_evidence_count() - one more packet is acknowledged on its EV: that is news */
void mrc_evidence_count(struct mrc_evidence *e, const struct mrc_tx_rec *rec);

/** mrc_evidence_probed() - a probe that left on EV @ev, or MRC_EV_NONE, at @sent_ns is answered */
void mrc_evidence_probed(struct mrc_evidence *e, u16 ev, u64 sent_ns);

/**
 * mrc_evidence_overdue() - is this packet, which is in flight, lost by rule (a)?
 * @e: the evidence
 * @rec: its record
 * @slack: ticks by which a later packet may overtake it
 */
bool mrc_evidence_overdue(const struct mrc_evidence *e,
			  const struct mrc_tx_rec *rec, u32 slack);

/**
 * mrc_evidence_overtaken() - has a packet that was sent later, on any EV, been SACKed?
 * @e: the evidence
 * @rec: record of a packet in flight
 * @window: the later packet was sent more than so many ticks later
 *
 * Probes do not count here: their answers are judged one by one.
 */
bool mrc_evidence_overtaken(const struct mrc_evidence *e,
			    const struct mrc_tx_rec *rec, u32 window);

/**
 * mrc_evidence_late() - is this packet, which is in flight, late?
 * @e: the evidence
 * @rec: its record
 * @times: it is late after so many times the time that its EV takes
 * @longest: ticks that the slowest of all EVs takes: used for an EV of which nothing is known
 */
bool mrc_evidence_late(const struct mrc_evidence *e, const struct mrc_tx_rec *rec, u32 times,
		       u32 longest);

/**
 * mrc_evidence_ask() - a packet is late: news, but only once until something arrives by its EV
 * @e: the evidence
 * @rec: its record
 * @psn: its PSN
 * @now: ns
 * @res: what was learned
 */
void mrc_evidence_ask(struct mrc_evidence *e, const struct mrc_tx_rec *rec, u32 psn, u64 now,
		      struct mrc_tx_result *res);

/** mrc_evidence_is_silent() - are packets that are late on an EV lost? @ev: any number */
static inline bool mrc_evidence_is_silent(const struct mrc_evidence *e, u16 ev)
{
	return ev < MRC_EV_MAX && e->ev[ev].silent;
}

/** mrc_evidence_set_silent() - the paths hold an EV to be bad (@silent) or good; @ev: any number */
static inline void mrc_evidence_set_silent(struct mrc_evidence *e, u16 ev, bool silent)
{
	struct mrc_tx_ev *on;

	if (ev >= MRC_EV_MAX)
		return;
	on = &e->ev[ev];
	e->asking += on->asked && on->silent;
	on->silent = silent;
	e->asking -= on->asked && on->silent;
}

/**
 * mrc_evidence_blame() - a packet is lost on its EV: the news is MRC_NEWS_LOST or MRC_NEWS_MUTE
 * @e: the evidence
 * @rec: its record
 * @psn: its PSN
 * @later: something that was sent later has arrived by its EV
 * @now: ns
 * @res: what was learned, with news of the EV
 */
void mrc_evidence_blame(struct mrc_evidence *e, const struct mrc_tx_rec *rec, u32 psn, bool later,
			u64 now, struct mrc_tx_result *res);

/**
 * mrc_evidence_timed_out() - rule (c): is an EV to blame for a timeout?
 * @e: the evidence
 * @rec: record of the packet
 * @psn: its PSN
 * @now: ns
 * @res: what was learned
 *
 * Return: false: no EV is to blame, because nothing that was sent since has been answered.
 */
bool mrc_evidence_timed_out(struct mrc_evidence *e, const struct mrc_tx_rec *rec,
			    u32 psn, u64 now, struct mrc_tx_result *res);

/** mrc_evidence_blamed() - was an EV blamed lately for losing the first transmission of a PSN? */
bool mrc_evidence_blamed(const struct mrc_evidence *e, u32 psn);

/** mrc_evidence_clear() - the first transmission of a PSN has arrived, maybe after the second */
void mrc_evidence_clear(struct mrc_evidence *e, u32 psn, struct mrc_tx_result *res);

/**
 * mrc_evidence_take_news() - hand out what was learned of EVs
 * @e: the evidence
 * @now: ns
 * @n: result: @n->count and @n->ev, with as many EVs as fit; these are no news any more
 *
 * Times are rounded down to steps of MRC_TX_TICK_NS.
 */
void mrc_evidence_take_news(struct mrc_evidence *e, u64 now, struct mrc_news *n);

/** mrc_evidence_drop_news() - forget all news that was not taken */
void mrc_evidence_drop_news(struct mrc_evidence *e);

/** mrc_evidence_lost_evs() - EVs with news of losses: for tracing; @evs: result, MRC_EV_MAX bits */
void mrc_evidence_lost_evs(const struct mrc_evidence *e, unsigned long *evs);

#endif /* _MRC_CORE_EVIDENCE_H */
