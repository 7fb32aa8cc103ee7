/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester side of a QP: requests become packets, SACKs, NACKs and ACKs
 * become progress.
 *
 * Sending is done by one CPU at a time (MRC_RUN_BUSY), which plans a batch
 * under tx_lock and builds and transmits it outside (send.h). Whoever finds the QP busy
 * leaves MRC_RUN_WANTED behind. The busy CPU alone refills request slots, so a slot that
 * a batch refers to keeps its contents even when its request completes meanwhile.
 */
#ifndef _MRC_TRANSPORT_REQUESTER_H
#define _MRC_TRANSPORT_REQUESTER_H

#include "../peer/qp.h"

#define MRC_RUN_BUSY	0
#define MRC_RUN_WANTED	1

/** mrc_requester_init() - once, at creation of the QP */
void mrc_requester_init(struct mrc_qp *qp);

/**
 * mrc_requester_start() - RTS: window and request slots. Return: 0 or -ENOMEM. state_lock held.
 */
int mrc_requester_start(struct mrc_qp *qp, u32 sq_psn, u64 receive_ns);

/** mrc_requester_run() - send what may be sent. Softirq or BH off, under RCU. */
void mrc_requester_run(struct mrc_qp *qp);

/**
 * mrc_requester_kick() - doorbell: take requests from the ring and send
 *
 * Process context or softirq.
 */
void mrc_requester_kick(struct mrc_qp *qp);

/**
 * mrc_requester_nudge() - as mrc_requester_kick(), but in steps: one batch now, and the next by the
 * timer, after other QPs had their turn
 */
void mrc_requester_nudge(struct mrc_qp *qp);

/**
 * mrc_requester_new_ports() - if other ports are up than before, here or at the peer, what is in
 * flight on those that are down is lost, here when it has had its time, and once one is up so is
 * what was sent while none was
 *
 * Process context. Return: other ports are up.
 */
bool mrc_requester_new_ports(struct mrc_qp *qp);

/**
 * mrc_requester_new_evs() - if an EV is bad since, on which packets are late, the peer is asked at
 * once what has arrived
 *
 * Process context.
 */
void mrc_requester_new_evs(struct mrc_qp *qp);

/* Received packets; softirq, under RCU. True: worth a mrc_requester_run(). */
bool mrc_requester_sack(struct mrc_qp *qp, const struct mrc_hdr *hdr);
bool mrc_requester_nack(struct mrc_qp *qp, const struct mrc_hdr *hdr);
bool mrc_requester_ack(struct mrc_qp *qp, const struct mrc_hdr *hdr);

#endif /* _MRC_TRANSPORT_REQUESTER_H */
