/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Creation and destruction of QPs.
 */
#ifndef _MRC_VERBS_CREATE_H
#define _MRC_VERBS_CREATE_H

#include <rdma/ib_verbs.h>

/* Device operations. */
int mrc_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata);
int mrc_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

#endif /* _MRC_VERBS_CREATE_H */
