/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write packets of a QP on their way out, a batch at a time.
 */
#ifndef _MRC_TRANSPORT_SEND_H
#define _MRC_TRANSPORT_SEND_H

#include "../peer/qp.h"

/**
 * struct mrc_send - packets on their way out
 * @b: which
 * @peer: where to
 * @evs: the version of the EVs that @b means
 * @full: ports by which this host has no room for it, a bit for each
 */
struct mrc_send {
	struct mrc_batch b;
	struct mrc_peer *peer;
	struct mrc_peer_evs *evs;
	u32 full;
};

/**
 * mrc_send_arm() - the QP's timer, for what goes out if no answer comes
 *
 * One that is armed already, and not too late, is left alone: it looks again when it fires. tx_lock
 * held.
 */
void mrc_send_arm(struct mrc_qp *qp, u64 now);

/** mrc_send_learn() - congestion control is told what a call has learned. tx_lock held, in RTS. */
void mrc_send_learn(struct mrc_qp *qp, const struct mrc_tx_result *res, u64 now);

/** mrc_send_count_planes() - congestion control is told what is up. tx_lock held, in RTS. */
void mrc_send_count_planes(struct mrc_qp *qp, const struct mrc_peer_evs *evs);

/**
 * mrc_send_plan() - decides what goes out now
 * @qp: in RTS
 * @s: result
 *
 * tx_lock held; under RCU until mrc_send_all() has returned. Return: false: nothing does.
 */
bool mrc_send_plan(struct mrc_qp *qp, struct mrc_send *s);

/**
 * mrc_send_all() - builds the packets and sends them
 *
 * What this host does not let go is sent again later. Softirq or BH off, under RCU; one CPU at a
 * time, no lock of the QP held. Return: 0, or -EACCES: a region was revoked under a request.
 */
int mrc_send_all(struct mrc_qp *qp, const struct mrc_send *s);

#endif /* _MRC_TRANSPORT_SEND_H */
