/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UD QPs as verbs sees them: datagrams. Their sends are taken out of the ring in process context, in
 * the doorbell of a program or in a work, because a peer may have to be made; payload is copied.
 */
#ifndef _MRC_VERBS_UD_H
#define _MRC_VERBS_UD_H

#include "qp.h"

/** mrc_qp_is_ud() - is the QP of this kind? A GSI is */
static inline bool mrc_qp_is_ud(const struct mrc_ib_qp *q)
{
	return q->ib.qp_type != IB_QPT_RC;
}

int mrc_ud_module_init(void);
/** mrc_ud_module_exit() - no QP is left */
void mrc_ud_module_exit(void);

/** mrc_ud_open() - make the transport's part. Process context. Return: 0, -ENOMEM, -ENOSPC, -EBUSY */
int mrc_ud_open(struct mrc_ib_qp *q);
/** mrc_ud_close() - undo it; nothing is sent and received afterwards. Process context, sleeps. */
void mrc_ud_close(struct mrc_ib_qp *q);

/**
 * mrc_ud_fail() - a CQ has failed: move its QP to error, and send IB_EVENT_QP_FATAL
 *
 * As mrc_ib_qp_fail().
 */
void mrc_ud_fail(struct mrc_ib_qp *q);

/** mrc_ud_doorbell_send() - a program has posted sends. Process context, sleeps. */
void mrc_ud_doorbell_send(struct mrc_ib_qp *q);
/** mrc_ud_doorbell_recv() - a program has posted receives. Process context. */
void mrc_ud_doorbell_recv(struct mrc_ib_qp *q);
/** mrc_ud_doorbell_ulp() - a user in the kernel has posted sends or receives. Any context. */
void mrc_ud_doorbell_ulp(struct mrc_ib_qp *q);

/**
 * mrc_ud_modify() - change state and attributes, all or nothing
 *
 * Process context, sleeps. Return: 0, -EINVAL (transition, attribute, a failed CQ), -EOPNOTSUPP (mask).
 */
int mrc_ud_modify(struct mrc_ib_qp *q, const struct ib_qp_attr *attr, int mask);
/** mrc_ud_query() - the attributes. Process context, sleeps. Return: 0 or -EAGAIN: it is closed. */
int mrc_ud_query(struct mrc_ib_qp *q, struct ib_qp_attr *attr);

#endif /* _MRC_VERBS_UD_H */
