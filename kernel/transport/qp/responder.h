/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The responder of a QP writes the payload of packets to memory, and answers.
 */
#ifndef _MRC_TRANSPORT_RESPONDER_H
#define _MRC_TRANSPORT_RESPONDER_H

#include "../../core/receive/last_words.h"
#include "../peer/qp.h"

/** mrc_responder_init() - set up lock and timer, once, when the QP is created */
void mrc_responder_init(struct mrc_qp *qp);

/** mrc_responder_start() - for RTR: make the window. Return: 0 or -ENOMEM. state_lock held. */
int mrc_responder_start(struct mrc_qp *qp, u32 rq_psn);

/** mrc_responder_request() - digest a packet of a message for this QP. Softirq, under RCU. */
void mrc_responder_request(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt);

/** mrc_responder_probe() - answer a Reliability Probe for this QP. Softirq, under RCU. */
void mrc_responder_probe(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt);

/**
 * mrc_responder_answer() - after all packets of an skb: write completions, execute READs and
 * atomics, send SACKs, ACK or NAK
 *
 * Softirq, under RCU, no lock held. Return: true: call mrc_requester_answered() and
 * mrc_requester_run(): responses have come, or are due.
 */
bool mrc_responder_answer(struct mrc_qp *qp);

/**
 * mrc_responder_received() - the program has posted receives: go on with a message that waited for
 * one, or tell the peer, whose SENDs wait for one
 *
 * Process context. Return: true: call mrc_requester_kick(), because responses are due.
 */
bool mrc_responder_received(struct mrc_qp *qp);

/** mrc_responder_last_words() - what a QP that has ended still answers. Any context. */
void mrc_responder_last_words(struct mrc_qp *qp, struct mrc_last_words *w);

/**
 * mrc_responder_trimmed() - answer the head of a packet that a switch has trimmed; @lasthop: the
 * last switch did. Softirq, under RCU.
 */
void mrc_responder_trimmed(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt, bool lasthop);

#endif /* _MRC_TRANSPORT_RESPONDER_H */
