/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Details of objects for "rdma resource show ... -d".
 */
#ifndef _MRC_VERBS_RESTRACK_H
#define _MRC_VERBS_RESTRACK_H

#include <rdma/ib_verbs.h>

/* Device operations. */
int mrc_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int mrc_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);
int mrc_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);

#endif /* _MRC_VERBS_RESTRACK_H */
