/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending the write packets of a QP, a batch at a time.
 */
#ifndef _MRC_TRANSPORT_SEND_H
#define _MRC_TRANSPORT_SEND_H

#include "../peer/qp.h"

/**
 * struct mrc_send - a batch that is being sent
 * @b: the batch
 * @peer: the receiver
 * @evs: the version of the EVs that the indices in @b refer to
 * @full: bit per port whose queues on this host are full
 * @ask: result of mrc_send_all(): a response could not be sent again, because its region was revoked. The
 *       peer may have the whole response, and must be asked for a SACK
 */
struct mrc_send {
	struct mrc_batch b;
	struct mrc_peer *peer;
	struct mrc_peer_evs *evs;
	u32 full;
	bool ask;
};

/**
 * mrc_send_arm() - arm the QP's timer, which acts if no answer comes
 *
 * A timer that is armed already and fires early enough is left alone: it computes the time again
 * when it fires. tx_lock held.
 */
void mrc_send_arm(struct mrc_qp *qp, u64 now);

/** mrc_send_learn() - pass the result of a call to congestion control. tx_lock held, in RTS. */
void mrc_send_learn(struct mrc_qp *qp, const struct mrc_tx_result *res, u64 now);

/** mrc_send_count_planes() - tell congestion control which planes are up. tx_lock held, in RTS. */
void mrc_send_count_planes(struct mrc_qp *qp, const struct mrc_peer_evs *evs);

/**
 * mrc_send_plan() - decide which packets are sent now
 * @qp: a QP in RTS
 * @s: result
 *
 * tx_lock held; under RCU until mrc_send_all() has returned. Return: false: none is.
 */
bool mrc_send_plan(struct mrc_qp *qp, struct mrc_send *s);

/**
 * mrc_send_all() - build the packets and send them
 *
 * Packets that cannot leave this host are sent again later. Softirq or BH off, under RCU; one CPU
 * at a time, no lock of the QP held. Return: 0; -EACCES: a region of a request was revoked;
 * -EPERM: that of a response, which the peer cannot have.
 */
int mrc_send_all(struct mrc_qp *qp, struct mrc_send *s);

#endif /* _MRC_TRANSPORT_SEND_H */
