/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a requester of the engine was told, and what it said: a host test tells it the same again
 * (selftests/unit/replay.cc) and must hear the same, or what is tested is not what runs here.
 *
 * All calls are under tx_lock, so they are recorded in their order. They cost a branch that is not
 * taken while nobody records. A recording is of use from the start of the connection on, and only
 * when it is whole.
 */
#ifndef _MRC_TRANSPORT_REPLAY_H
#define _MRC_TRANSPORT_REPLAY_H

#include <linux/tracepoint-defs.h>
#include <linux/types.h>

#include "../../core/cc/cc.h"

struct mrc_batch;
struct mrc_hdr;
struct mrc_paths;
struct mrc_qp;
struct mrc_tx_result;

DECLARE_TRACEPOINT(mrc_replay);

/**
 * enum mrc_replay_op - a call; behind it the words of its record, results after "->"
 * @MRC_REPLAY_START: mrc_req_start(), mrc_sendq_start(): window size, timeout (low, high), linear
 *	and exponential retries, RTT of the peer (low, high), PSN, MTU, immediates, request slots,
 *	how long the peer may be without a receive (low, high)
 * @MRC_REPLAY_QUEUE: mrc_sendq_queue(): bytes, has an immediate
 * @MRC_REPLAY_FORGET: mrc_tx_forget_evs()
 * @MRC_REPLAY_PLAN: mrc_req_plan(): window, room, room for lost packets, room that a
 *	packet needs, bytes to ask after, packets that leave at a time -> something goes out
 * @MRC_REPLAY_BATCH: mrc_req_deal() of it: stride, that many EVs -> packets, rtx, any, ask, PSNs:
 *	of new packets that of the first
 * @MRC_REPLAY_UNSENT: mrc_req_unsent(): PSN -> goes on
 * @MRC_REPLAY_LOSE: mrc_req_lose_evs(): unsent ones too, EVs that are gone here (8 words), at the
 *	peer (8 words) -> lost
 * @MRC_REPLAY_STATE: mrc_req_heed_state(): EV, what is late on it is lost
 * @MRC_REPLAY_SACK: mrc_req_sack(): bytes of the headers, the headers -> error or, without one, see
 *	mrc_replay_answer()
 * @MRC_REPLAY_NACK: mrc_req_nack(): the same
 * @MRC_REPLAY_ACK: mrc_req_ack(): the same
 * @MRC_REPLAY_END: mrc_sendq_end()
 * @MRC_REPLAY_SETTLE: mrc_req_settle()
 * @MRC_REPLAY_ASK: mrc_req_probe_now() -> id of the probe
 * @MRC_REPLAY_TIMER_AT: mrc_req_timer_at() -> when (low, high)
 * @MRC_REPLAY_TIMER: mrc_req_timer() -> what is due, lost, PSNs as in mrc_replay_answer()
 */
enum mrc_replay_op {
	MRC_REPLAY_START	= 'S',
	MRC_REPLAY_QUEUE	= 'Q',
	MRC_REPLAY_FORGET	= 'F',
	MRC_REPLAY_PLAN		= 'P',
	MRC_REPLAY_BATCH	= 'B',
	MRC_REPLAY_UNSENT	= 'U',
	MRC_REPLAY_LOSE		= 'L',
	MRC_REPLAY_STATE	= 'V',
	MRC_REPLAY_SACK		= 'K',
	MRC_REPLAY_NACK		= 'N',
	MRC_REPLAY_ACK		= 'A',
	MRC_REPLAY_END		= 'E',
	MRC_REPLAY_SETTLE	= 'C',
	MRC_REPLAY_ASK		= 'R',
	MRC_REPLAY_TIMER_AT	= 'T',
	MRC_REPLAY_TIMER	= 'D',
};

void mrc_replay_record(const struct mrc_qp *qp, enum mrc_replay_op op, u64 now,
		       const u32 *words, unsigned int count);
void mrc_replay_record_batch(const struct mrc_qp *qp, u64 now, const struct mrc_batch *b,
			     const u16 *ev);
void mrc_replay_record_lose(const struct mrc_qp *qp, const struct mrc_paths *paths, u64 now,
			    u32 lost);
void mrc_replay_record_answer(const struct mrc_qp *qp, enum mrc_replay_op op, u64 now,
			      const struct mrc_hdr *hdr, int err,
			      const struct mrc_tx_result *res);

/* mrc_replay() - a call whose record is these words: one at least. tx_lock held. */
#define mrc_replay(qp, op, now, ...)						\
do {										\
	if (tracepoint_enabled(mrc_replay)) {					\
		const u32 words[] = { __VA_ARGS__ };				\
										\
		mrc_replay_record(qp, op, now, words, ARRAY_SIZE(words));	\
	}									\
} while (0)

/**
 * mrc_replay_grant() - what mrc_req_plan() was granted, and @max; @more: it had something. tx_lock
 * held.
 */
static inline void mrc_replay_grant(const struct mrc_qp *qp, u64 now,
				    const struct mrc_cc_grant *g, unsigned int max, bool more)
{
	mrc_replay(qp, MRC_REPLAY_PLAN, now, g->cwnd, g->room, g->room_lost, g->least,
		   g->ask_after, max, more);
}

/** mrc_replay_batch() - @ev: what @b was dealt to. tx_lock held. */
static inline void mrc_replay_batch(const struct mrc_qp *qp, u64 now,
				    const struct mrc_batch *b, const u16 *ev)
{
	if (tracepoint_enabled(mrc_replay))
		mrc_replay_record_batch(qp, now, b, ev);
}

/**
 * mrc_replay_lose() - mrc_req_heed_ports() knew paths to be gone, and with them @lost packets
 *
 * tx_lock held.
 */
static inline void mrc_replay_lose(const struct mrc_qp *qp, const struct mrc_paths *paths, u64 now,
				   u32 lost)
{
	if (tracepoint_enabled(mrc_replay))
		mrc_replay_record_lose(qp, paths, now, lost);
}

/**
 * mrc_replay_answer() - an answer was digested, or refused
 *
 * Recorded, without an error: packets acknowledged, lost, whether one was late, RTT (low, high),
 * mark, EV; first and next PSN, packets in flight and lost afterwards. tx_lock held.
 */
static inline void mrc_replay_answer(const struct mrc_qp *qp, enum mrc_replay_op op, u64 now,
				     const struct mrc_hdr *hdr, int err,
				     const struct mrc_tx_result *res)
{
	if (tracepoint_enabled(mrc_replay))
		mrc_replay_record_answer(qp, op, now, hdr, err, res);
}

#endif /* _MRC_TRANSPORT_REPLAY_H */
