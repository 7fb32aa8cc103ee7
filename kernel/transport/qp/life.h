/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The life of a QP as its program controls it: creation, states up to RTS, destruction.
 */
#ifndef _MRC_TRANSPORT_QP_LIFE_H
#define _MRC_TRANSPORT_QP_LIFE_H

#include "../peer/qp.h"

/**
 * mrc_qp_create() - create a QP in RESET with an unpredictable number
 *
 * Process context. Return: a reference or ERR_PTR (-ENOMEM, -ENOSPC, -ENODEV).
 */
struct mrc_qp *mrc_qp_create(struct mrc_dev *dev,
			     const struct mrc_qp_init *init);

/**
 * mrc_qp_destroy() - stop a QP, and drop the creator's reference
 *
 * Requests still in the kernel are dropped without completions. Process context, sleeps.
 */
void mrc_qp_destroy(struct mrc_qp *qp);

/*
 * State changes; the caller has checked the transition against the verbs table. Process
 * context, qp->state_lock held.
 */
/** mrc_qp_to_reset() - reset, with the parameters that the program had set. Return: 0 */
int mrc_qp_to_reset(struct mrc_qp *qp);
/** mrc_qp_to_init() - Return: 0, or -EINVAL: the QP is not in RESET any more */
int mrc_qp_to_init(struct mrc_qp *qp);
/**
 * mrc_qp_to_rtr() - connect a QP
 * @qp: the QP
 * @conn: connection data
 * @fits: with -EMSGSIZE: gets the largest path MTU that fits, 0 if none does
 *
 * Return: 0, -EINVAL (IPv4 GID, MTU, state), -EMSGSIZE (no path to the peer has room for a full
 * packet), -ENETUNREACH (no path leads to the peer), -EACCES (IPsec policies cover all paths),
 * -ENOENT (no such profile), -ENOMEM, -EDQUOT (the user has too many peers).
 */
int mrc_qp_to_rtr(struct mrc_qp *qp, const struct mrc_qp_conn *conn, u32 *fits);
/**
 * mrc_qp_set_access() - set what the peer may do; @access: as in struct mrc_qp_conn
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_qp_set_access(struct mrc_qp *qp, int access);
/**
 * mrc_qp_to_rts() - let a QP send
 * @qp: the QP
 * @send: how
 *
 * Return: 0, -EINVAL (the QP is not in RTR any more, or its peer expects another first PSN),
 * -ENOMEM
 */
int mrc_qp_to_rts(struct mrc_qp *qp, const struct mrc_qp_send *send);

/**
 * mrc_qp_set_params() - set MRC attributes
 *
 * state_lock held. Return: 0, -EINVAL (out of range), -EBUSY (too late, in this state).
 */
int mrc_qp_set_params(struct mrc_qp *qp, const struct mrc_qp_params *params);

#endif /* _MRC_TRANSPORT_QP_LIFE_H */
