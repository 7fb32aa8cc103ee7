/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state machine of a QP. It follows the rules of verbs, and tolerates attributes that MRC has
 * no use for.
 */
#ifndef _MRC_VERBS_MODIFY_H
#define _MRC_VERBS_MODIFY_H

#include <rdma/ib_verbs.h>

/* Device operations. */
int mrc_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int mrc_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);

#endif /* _MRC_VERBS_MODIFY_H */
