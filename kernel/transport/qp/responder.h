/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The responder side of a QP: packets become bytes in memory, and answers.
 */
#ifndef _MRC_TRANSPORT_RESPONDER_H
#define _MRC_TRANSPORT_RESPONDER_H

#include "../../core/receive/last_words.h"
#include "../peer/qp.h"

/** mrc_responder_init() - once, at creation of the QP */
void mrc_responder_init(struct mrc_qp *qp);

/** mrc_responder_start() - RTR: receive window. Return: 0 or -ENOMEM. state_lock held. */
int mrc_responder_start(struct mrc_qp *qp, u32 rq_psn);

/** mrc_responder_write() - a write packet for this QP. Softirq, under RCU. */
void mrc_responder_write(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt);

/** mrc_responder_probe() - a Reliability Probe for this QP. Softirq, under RCU. */
void mrc_responder_probe(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt);

/**
 * mrc_responder_answer() - after the packets of an skb: completions, SACKs, ACK or NAK.
 * Softirq, under RCU.
 */
void mrc_responder_answer(struct mrc_qp *qp);

/**
 * mrc_responder_received() - the program has posted receives: a message may have waited for one.
 * Process context.
 */
void mrc_responder_received(struct mrc_qp *qp);

/** mrc_responder_last_words() - what is left to say when the QP has ended. Any context. */
void mrc_responder_last_words(struct mrc_qp *qp, struct mrc_last_words *w);

/**
 * mrc_responder_trimmed() - the head of a write packet, which a switch has trimmed; @lasthop: the
 * last one. Softirq, under RCU.
 */
void mrc_responder_trimmed(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt, bool lasthop);

#endif /* _MRC_TRANSPORT_RESPONDER_H */
