/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * READs and atomics that the peer of a QP asks for: they are executed in order by the responder, and
 * the requester sends what they have read, as messages of its own (core/receive/fetches.h).
 *
 * A QP answers from RTR on, as verbs demands. Its program names the first PSN to send only for RTS.
 * So each READ and atomic tells which PSN its sender expects first; the requester of a QP in RTR
 * begins with that PSN when the first of them was executed.
 */
#ifndef _MRC_TRANSPORT_RESPONSE_H
#define _MRC_TRANSPORT_RESPONSE_H

#include "../peer/qp.h"

/**
 * mrc_response_execute() - execute a READ or atomic whose turn has come
 * @qp: the QP
 * @fetch: the READ, whose region gets a reference; or the atomic
 *
 * rx_lock held, under RCU. Return: 0, or the syndrome of the NAK with which it is refused.
 */
u8 mrc_response_execute(struct mrc_qp *qp, struct mrc_fetch *fetch);

/** mrc_response_due() - is there a response that the requester can queue? Any context. */
static inline bool mrc_response_due(const struct mrc_qp *qp)
{
	return READ_ONCE(qp->resp.fetches.executed);
}

/**
 * mrc_response_first_psn() - with which PSN the requester of a QP in RTR begins
 * @qp: the QP
 * @psn: result
 *
 * tx_lock held. Return: false: there is no response to send.
 */
bool mrc_response_first_psn(struct mrc_qp *qp, u32 *psn);

/** mrc_response_queue() - queue responses, as far as there are slots. As ops->refill. */
void mrc_response_queue(struct mrc_qp *qp);

/**
 * mrc_response_end() - responses that have arrived at the peer leave the queue; @now: ns
 *
 * tx_lock held. Return: true: a NAK was waiting for this: call mrc_responder_answer() without it.
 */
bool mrc_response_end(struct mrc_qp *qp, u64 now);

/** mrc_response_drop() - forget all of them. tx_lock and rx_lock held. */
void mrc_response_drop(struct mrc_qp *qp);

#endif /* _MRC_TRANSPORT_RESPONSE_H */
