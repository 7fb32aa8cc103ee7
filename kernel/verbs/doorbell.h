/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbells: a program has put requests into a ring. They are driver methods on the QP object of the
 * uverbs ioctl. A write() to the device's file would do as well, but the core refuses that to a
 * process whose credentials have changed since it opened the device, however little: setuid(),
 * capset(), a new keyring.
 */
#ifndef _MRC_VERBS_DOORBELL_H
#define _MRC_VERBS_DOORBELL_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

/** mrc_doorbell_uapi_defs - for ib_device.driver_def */
extern const struct uapi_definition mrc_doorbell_uapi_defs[];

/*
 * Device operations: the doorbells of older libraries. Programs post through the rings, and kernel
 * users do not exist: a list of requests is refused.
 */
int mrc_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int mrc_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

#endif /* _MRC_VERBS_DOORBELL_H */
