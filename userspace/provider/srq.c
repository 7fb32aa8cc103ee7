/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues: creation, attributes, destruction. */
#include <errno.h>
#include <stdlib.h>

#include "provider.h"

struct mrc_create_srq_answer {
	struct ib_uverbs_create_srq_resp core;
	struct mrc_create_srq_resp mrc;
};
_Static_assert(offsetof(struct mrc_create_srq_answer, mrc) ==
		       sizeof(struct ib_uverbs_create_srq_resp),
	       "padding in a response");

static int mrc_setup_srq(struct mrc_usrq *srq, struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct mrc_create_srq_answer answer = {};
	struct ibv_create_srq cmd = {};
	int err;

	err = ibv_cmd_create_srq(pd, &srq->base, attr, &cmd, sizeof(cmd), &answer.core,
				 sizeof(answer));
	if (err)
		return err;
	srq->max_sge = attr->attr.max_sge;
	err = mrc_uring_map(&srq->ring, pd->context->cmd_fd, &answer.mrc.srq);
	if (err)
		ibv_cmd_destroy_srq(&srq->base);
	return err;
}

struct ibv_srq *mrc_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct mrc_usrq *srq;
	int err;

	/* An older module would refuse it, too, but says so with another error. */
	if (!(to_mrc_ucontext(pd->context)->features & MRC_FEATURE_SRQS)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	err = mrc_setup_srq(srq, pd, attr);
	if (!err)
		return &srq->base;
	free(srq);
	errno = err;
	return NULL;
}

int mrc_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_modify_srq cmd = {};

	return ibv_cmd_modify_srq(srq, attr, mask, &cmd, sizeof(cmd));
}

int mrc_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int mrc_destroy_srq(struct ibv_srq *ibsrq)
{
	struct mrc_usrq *srq = to_mrc_usrq(ibsrq);
	int err = ibv_cmd_destroy_srq(ibsrq);

	if (err)
		return err;
	mrc_uring_unmap(&srq->ring);
	free(srq);
	return 0;
}
