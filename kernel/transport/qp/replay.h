/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records all calls into a requester of the engine (core/requester), and their results. A host test
 * (selftests/unit/replay.cc) makes the same calls again, and must get the same results. If it does
 * not, the engine that is tested is not the one that runs here.
 *
 * All calls are made under tx_lock, so they are recorded in order. While nothing records, each
 * costs a branch that is not taken. A recording is useful only if it begins with the connection,
 * and is complete.
 */
#ifndef _MRC_TRANSPORT_REPLAY_H
#define _MRC_TRANSPORT_REPLAY_H

#include <linux/tracepoint-defs.h>
#include <linux/types.h>

#include "../../core/cc/cc.h"
#include "../../core/send/sendq.h"

struct mrc_batch;
struct mrc_hdr;
struct mrc_paths;
struct mrc_qp;
struct mrc_tx_result;

DECLARE_TRACEPOINT(mrc_replay);

/**
 * enum mrc_replay_op - calls. Each has the words of its record behind it, results after "->"
 * @MRC_REPLAY_START: mrc_req_start(), mrc_sendq_start(): window size, timeout (low, high), linear
 *	and exponential retries, RTT of the peer (low, high), PSN, MTU, immediates, request slots,
 *	how long the peer may lack a receive (low, high), READs and atomics under way
 * @MRC_REPLAY_QUEUE: mrc_sendq_queue(): bytes, kind (bit 0: has an immediate, bit 1: is a SEND, bits
 *	2 to 4: enum mrc_msg_op of all others, bit 5: has a fence)
 * @MRC_REPLAY_FORGET: mrc_tx_forget_evs()
 * @MRC_REPLAY_PLAN: mrc_req_plan(): window, room, room for lost packets, room that a packet needs,
 *	bytes after which a SACK is asked for, packets that may leave -> there is a batch
 * @MRC_REPLAY_BATCH: mrc_req_deal() of that batch: stride, stride EVs -> packets, rtx, any, ask,
 *	PSNs: of each retransmission, or of the first new packet
 * @MRC_REPLAY_UNSENT: mrc_req_unsent(): PSN -> goes on
 * @MRC_REPLAY_LOSE: mrc_req_lose_evs(): whether unsent packets are lost, too, EVs that are gone
 *	here (8 words), at the peer (8 words) -> lost
 * @MRC_REPLAY_STATE: mrc_req_heed_state(): EV, whether late packets on it are lost
 * @MRC_REPLAY_SACK: mrc_req_sack(): bytes of the headers, the headers -> the error; if 0, the words
 *	of mrc_replay_answer()
 * @MRC_REPLAY_NACK: mrc_req_nack(): as @MRC_REPLAY_SACK
 * @MRC_REPLAY_ACK: mrc_req_ack(): as @MRC_REPLAY_SACK
 * @MRC_REPLAY_END: mrc_sendq_end(): the oldest message that is left, whether it is a response
 * @MRC_REPLAY_ANSWERED: mrc_req_answered(): the request
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
	MRC_REPLAY_ANSWERED	= 'W',
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

/* mrc_replay() - record a call with these words, at least one. tx_lock held. */
#define mrc_replay(qp, op, now, ...)						\
do {										\
	if (tracepoint_enabled(mrc_replay)) {					\
		const u32 words[] = { __VA_ARGS__ };				\
										\
		mrc_replay_record(qp, op, now, words, ARRAY_SIZE(words));	\
	}									\
} while (0)

/** mrc_replay_queue() - record mrc_sendq_queue() of @msg. tx_lock held. */
static inline void mrc_replay_queue(const struct mrc_qp *qp, const struct mrc_msg *msg)
{
	u32 op = msg->op == MRC_MSG_SEND ? 2 : msg->op << 2;

	mrc_replay(qp, MRC_REPLAY_QUEUE, 0, msg->len, msg->has_imm | op | msg->fence << 5);
}

/**
 * mrc_replay_grant() - record mrc_req_plan(): its grant, @max, and @more: there is a batch. tx_lock
 * held.
 */
static inline void mrc_replay_grant(const struct mrc_qp *qp, u64 now,
				    const struct mrc_cc_grant *g, unsigned int max, bool more)
{
	mrc_replay(qp, MRC_REPLAY_PLAN, now, g->cwnd, g->room, g->room_lost, g->least,
		   g->ask_after, max, more);
}

/** mrc_replay_batch() - record mrc_req_deal(); @ev: EVs that @b was dealt to. tx_lock held. */
static inline void mrc_replay_batch(const struct mrc_qp *qp, u64 now,
				    const struct mrc_batch *b, const u16 *ev)
{
	if (tracepoint_enabled(mrc_replay))
		mrc_replay_record_batch(qp, now, b, ev);
}

/**
 * mrc_replay_lose() - record mrc_req_heed_ports(), which found @lost packets lost on dead paths
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
 * mrc_replay_answer() - record an answer that was digested, or refused with an error
 *
 * Words without an error: packets acknowledged, lost, spurious losses, RTT (low, high), mark, EV;
 * and afterwards: first and next PSN, packets in flight and lost. tx_lock held.
 */
static inline void mrc_replay_answer(const struct mrc_qp *qp, enum mrc_replay_op op, u64 now,
				     const struct mrc_hdr *hdr, int err,
				     const struct mrc_tx_result *res)
{
	if (tracepoint_enabled(mrc_replay))
		mrc_replay_record_answer(qp, op, now, hdr, err, res);
}

#endif /* _MRC_TRANSPORT_REPLAY_H */
