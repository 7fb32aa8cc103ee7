/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester of a QP makes packets from requests, and digests SACKs, NACKs and ACKs.
 *
 * One CPU at a time sends (MRC_RUN_BUSY). It plans a batch under tx_lock, and builds and transmits
 * the batch without the lock (send.h). A CPU that finds the QP busy sets MRC_RUN_WANTED, and leaves
 * the work to the busy CPU. Only the busy CPU refills request slots. So a slot that a batch refers
 * to keeps its contents, even if its request completes meanwhile.
 */
#ifndef _MRC_TRANSPORT_REQUESTER_H
#define _MRC_TRANSPORT_REQUESTER_H

#include "../peer/qp.h"

#define MRC_RUN_BUSY	0
#define MRC_RUN_WANTED	1

/** mrc_requester_init() - set up lock and timer, once, when the QP is created */
void mrc_requester_init(struct mrc_qp *qp);

/**
 * mrc_requester_prepare() - make window and slots, and join a congestion context
 * @qp: a QP that is not in RTS
 * @peer: its peer
 * @params: its attributes
 *
 * state_lock held. Return: 0 or -ENOMEM.
 */
int mrc_requester_prepare(struct mrc_qp *qp, struct mrc_peer *peer,
			  const struct mrc_qp_params *params);

/**
 * mrc_requester_start() - for RTS: begin to send. It may have begun in RTR, see response.h
 * @qp: a QP in RTR
 * @send: how it sends
 *
 * state_lock held. Return: 0, -ENOMEM, or -EINVAL: the peer expects another first PSN.
 */
int mrc_requester_start(struct mrc_qp *qp, const struct mrc_qp_send *send);

/** mrc_requester_answered() - READs and atomics may be complete. Softirq or BH off, under RCU. */
void mrc_requester_answered(struct mrc_qp *qp);

/** mrc_requester_run() - send what may be sent. Softirq or BH off, under RCU. */
void mrc_requester_run(struct mrc_qp *qp);

/**
 * mrc_requester_kick() - doorbell: take requests from the ring and send
 *
 * Process context or softirq.
 */
void mrc_requester_kick(struct mrc_qp *qp);

/**
 * mrc_requester_nudge() - as mrc_requester_kick(), but one batch only; the timer sends the next
 * one, after other QPs had their turn
 */
void mrc_requester_nudge(struct mrc_qp *qp);

/**
 * mrc_requester_new_ports() - digest a change of the set of ports that are up, here or at the peer
 *
 * Packets in flight by a port that is down at the peer are lost. By a port that is down here, they
 * are lost after they had time to arrive. Packets that were sent while no port was up are lost as
 * soon as one is. Process context. Return: true: the set of ports has changed.
 */
bool mrc_requester_new_ports(struct mrc_qp *qp);

/**
 * mrc_requester_new_evs() - if an EV has become bad, and packets on it are late, ask the peer at
 * once which packets have arrived
 *
 * Process context.
 */
void mrc_requester_new_evs(struct mrc_qp *qp);

/*
 * Digest a received answer. Softirq, under RCU. @answer: set if mrc_responder_answer() is due.
 * Return: true: mrc_requester_run() is worth it.
 */
bool mrc_requester_sack(struct mrc_qp *qp, const struct mrc_hdr *hdr, bool *answer);
bool mrc_requester_nack(struct mrc_qp *qp, const struct mrc_hdr *hdr);
bool mrc_requester_ack(struct mrc_qp *qp, const struct mrc_hdr *hdr, bool *answer);

#endif /* _MRC_TRANSPORT_REQUESTER_H */
