/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work requests: from the program's rings into the transport, and back as
 * completions.
 */
#ifndef _MRC_VERBS_WORK_H
#define _MRC_VERBS_WORK_H

#include <rdma/ib_verbs.h>

struct mrc_qp_ops;

/** mrc_work_ops - what the transport calls */
extern const struct mrc_qp_ops mrc_work_ops;

/*
 * Device operations; doorbells. Programs post through the rings, and kernel
 * users do not exist: a list of requests is refused.
 */
int mrc_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int mrc_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

#endif /* _MRC_VERBS_WORK_H */
