/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbells. By ringing one, a program says that it has put requests into a ring. Doorbells are
 * driver methods on the QP object of the uverbs ioctl. A write() to the device's file would do as
 * well, but the core refuses it to a process whose credentials have changed since the process
 * opened the device, even if they changed only by setuid(), capset() or a new keyring.
 */
#ifndef _MRC_VERBS_DOORBELL_H
#define _MRC_VERBS_DOORBELL_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

struct mrc_ib_qp;

/** mrc_doorbell_uapi_defs - for ib_device.driver_def */
extern const struct uapi_definition mrc_doorbell_uapi_defs[];

/** mrc_doorbell_init() - prepare a QP for mrc_post_send() and mrc_post_recv() by users in the kernel */
void mrc_doorbell_init(struct mrc_ib_qp *q);
/** mrc_doorbell_exit() - its user posts nothing any more. Process context, sleeps. */
void mrc_doorbell_exit(struct mrc_ib_qp *q);

/*
 * Device operations. Users in the kernel post lists of requests, in any context. Of programs these are
 * the doorbells of older libraries, without requests.
 */
int mrc_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int mrc_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
int mrc_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

#endif /* _MRC_VERBS_DOORBELL_H */
