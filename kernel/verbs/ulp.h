/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users in the kernel (ULPs), as the connection manager, NVMe over fabrics and NFS. They post lists of
 * requests and poll by calls, where programs write into rings and read from them. This file writes and
 * reads for them, and the rest of the module sees the same rings.
 */
#ifndef _MRC_VERBS_ULP_H
#define _MRC_VERBS_ULP_H

#include <rdma/ib_verbs.h>

struct mrc_ib_cq;
struct mrc_ib_qp;
struct mrc_kring;

/**
 * mrc_ulp_post_send() - write requests into the ring of a QP
 * @q: the QP
 * @wr: list of requests
 * @bad: result: the first request that was refused
 *
 * Any context; the caller rings the doorbell. Return: 0, -ENOMEM (the ring is full), -EINVAL (a
 * request with too many elements or inline bytes), -EOPNOTSUPP (an opcode that this kind of QP does not
 * have).
 */
int mrc_ulp_post_send(struct mrc_ib_qp *q, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad);
/**
 * mrc_ulp_post_recv() - write receives into a ring, of a QP or an SRQ
 * @ring: the ring
 * @lock: guards its producer; interrupts off
 * @sges: the most elements of a receive
 * @wr: list of receives
 * @bad: result: the first receive that was refused
 *
 * As for sends. Return: 0, -ENOMEM, -EINVAL.
 */
int mrc_ulp_post_recv(struct mrc_kring *ring, spinlock_t *lock, u32 sges,
		      const struct ib_recv_wr *wr, const struct ib_recv_wr **bad);

/** mrc_ulp_purge() - drop the completions of a QP that nobody has polled. Any context. */
void mrc_ulp_purge(struct mrc_ib_cq *cq, const struct ib_qp *qp);

/* Device operation. Any context. */
int mrc_poll_cq(struct ib_cq *ibcq, int max, struct ib_wc *wc);

#endif /* _MRC_VERBS_ULP_H */
