/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* QPs: creation, state, destruction. */
#include <errno.h>
#include <stdlib.h>

#include "provider.h"

struct mrc_create_qp_answer {
	struct ib_uverbs_ex_create_qp_resp core;
	struct mrc_create_qp_resp mrc;
};
_Static_assert(offsetof(struct mrc_create_qp_answer, mrc) ==
		       sizeof(struct ib_uverbs_ex_create_qp_resp),
	       "padding in a response");

#define MRC_QP_INIT_ATTRS                                              \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS |         \
	 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

static uint64_t mrc_send_ops(struct ibv_context *context, enum ibv_qp_type type)
{
	uint32_t features = to_mrc_ucontext(context)->features;

	if (type == IBV_QPT_UD)
		return MRC_SEND_OPS;
	return MRC_WRITE_OPS | (features & MRC_FEATURE_SENDS ? MRC_SEND_OPS : 0) |
	       (features & MRC_FEATURE_READS ? MRC_READ_OPS : 0);
}

static bool mrc_has_type(struct ibv_context *context, enum ibv_qp_type type)
{
	return type == IBV_QPT_RC ||
	       (type == IBV_QPT_UD && to_mrc_ucontext(context)->features & MRC_FEATURE_UD);
}

static int mrc_check_init(struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr)
{
	if (!mrc_has_type(context, attr->qp_type) || (attr->comp_mask & ~MRC_QP_INIT_ATTRS))
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) && attr->create_flags)
		return EOPNOTSUPP;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	    (attr->send_ops_flags & ~mrc_send_ops(context, attr->qp_type)))
		return EOPNOTSUPP;
	return 0;
}

static void mrc_unmap_rings(struct mrc_uqp *qp)
{
	mrc_uring_unmap(&qp->sq);
	mrc_uring_unmap(&qp->rq);
}

static int mrc_join_cqs(struct mrc_uqp *qp)
{
	int err = mrc_cq_add_qp(to_mrc_ucq(qp->base.qp.send_cq), qp);

	return err ? err : mrc_cq_add_qp(to_mrc_ucq(qp->base.qp.recv_cq), qp);
}

static void mrc_leave_cqs(struct mrc_uqp *qp)
{
	mrc_cq_del_qp(to_mrc_ucq(qp->base.qp.send_cq), qp);
	mrc_cq_del_qp(to_mrc_ucq(qp->base.qp.recv_cq), qp);
}

static int mrc_setup_qp(struct mrc_uqp *qp, struct ibv_context *context,
			struct ibv_qp_init_attr_ex *attr)
{
	struct mrc_create_qp_answer answer = {};
	struct ibv_create_qp_ex cmd = {};
	int err;

	err = ibv_cmd_create_qp_ex2(context, &qp->base, attr, &cmd, sizeof(cmd), &answer.core,
				    sizeof(answer) MRC_NO_ATTRIBUTES);
	if (err)
		return err;
	err = mrc_uring_map(&qp->sq, context->cmd_fd, &answer.mrc.sq);
	if (!err && !attr->srq)
		err = mrc_uring_map(&qp->rq, context->cmd_fd, &answer.mrc.rq);
	if (!err)
		err = mrc_join_cqs(qp);
	if (err) {
		mrc_leave_cqs(qp);
		ibv_cmd_destroy_qp(&qp->base.qp);
		mrc_unmap_rings(qp);
		return err;
	}
	qp->max_sge = attr->cap.max_send_sge;
	qp->max_recv_sge = attr->cap.max_recv_sge;
	qp->max_inline = attr->cap.max_inline_data;
	return 0;
}

struct ibv_qp *mrc_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct mrc_uqp *qp;
	int err = mrc_check_init(context, attr);

	if (err) {
		errno = err;
		return NULL;
	}
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	err = mrc_setup_qp(qp, context, attr);
	if (err) {
		free(qp);
		errno = err;
		return NULL;
	}
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		mrc_wr_init(qp, attr->send_ops_flags);
	return &qp->base.qp;
}

struct ibv_qp *mrc_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = mrc_create_qp_ex(pd->context, &ex);

	if (qp)
		attr->cap = ex.cap;
	return qp;
}

int mrc_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask)
{
	struct mrc_uqp *qp = to_mrc_uqp(ibqp);
	struct ibv_modify_qp cmd = {};
	int err = ibv_cmd_modify_qp(ibqp, attr, mask, &cmd, sizeof(cmd));

	if (!err && (mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RESET) {
		mrc_cq_reset_qp(to_mrc_ucq(ibqp->send_cq), qp, &qp->sq);
		mrc_cq_reset_qp(to_mrc_ucq(ibqp->recv_cq), qp, &qp->rq);
	}
	return err;
}

int mrc_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	struct ibv_query_qp cmd = {};

	return ibv_cmd_query_qp(qp, attr, mask, init, &cmd, sizeof(cmd));
}

int mrc_destroy_qp(struct ibv_qp *ibqp)
{
	struct mrc_uqp *qp = to_mrc_uqp(ibqp);
	int err = ibv_cmd_destroy_qp(ibqp);

	if (err)
		return err;
	mrc_leave_cqs(qp);
	mrc_unmap_rings(qp);
	free(qp);
	return 0;
}
