// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creation and destruction of QPs.
 */
#include <rdma/uverbs_ioctl.h>

#include "../transport/qp/life.h"
#include "context.h"
#include "create.h"
#include "device.h"
#include "doorbell.h"
#include "qp.h"
#include "ud.h"
#include "ulp.h"
#include "work.h"

/* A user may have what extensions allow. The kernel has the GSI, whatever is set. */
static bool mrc_qp_type_ok(struct ib_device *ib, const struct ib_qp_init_attr *init, bool kernel)
{
	switch (init->qp_type) {
	case IB_QPT_RC:
		return true;
	case IB_QPT_UD:
		return !init->srq && READ_ONCE(to_mrc_dev(ib)->cfg.extensions);
	case IB_QPT_GSI:
		return kernel && !init->srq;
	default:
		return false;
	}
}

static int mrc_qp_check_init(struct ib_device *ib, const struct ib_qp_init_attr *init,
			     struct ib_udata *udata)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (!mrc_qp_type_ok(ib, init, !udata) || init->create_flags)
		return -EOPNOTSUPP;
	if (cap->max_send_wr > MRC_MAX_QP_WR || cap->max_send_sge > MRC_MAX_SGE ||
	    cap->max_inline_data > MRC_MAX_INLINE)
		return -EINVAL;
	/* With an SRQ, verbs ignores what the program says of receives. */
	if (!init->srq && (cap->max_recv_wr > MRC_MAX_QP_WR || cap->max_recv_sge > MRC_MAX_SGE))
		return -EINVAL;
	return udata ? mrc_udata_check(udata, offsetof(struct mrc_create_qp_resp, comp_mask)) : 0;
}

static u32 mrc_send_entry_size(const struct ib_qp_cap *cap)
{
	u32 sges = cap->max_send_sge * sizeof(struct mrc_wr_sge);

	return ALIGN(offsetof(struct mrc_send_wr, sge) +
		     max(sges, cap->max_inline_data), 64);
}

/*
 * The program gets all the room of an entry: as much inline data as fits beside its SGEs. A QP with
 * an SRQ has no receives of its own.
 */
static void mrc_qp_grant(struct mrc_ib_qp *q, const struct ib_qp_cap *wish)
{
	u32 room;

	q->cap = *wish;
	if (q->srq) {
		q->cap.max_recv_wr = 0;
		q->cap.max_recv_sge = 0;
	}
	q->recv_sge = q->srq ? q->srq->max_sge : wish->max_recv_sge;
	q->cap.max_send_sge = max(wish->max_send_sge, 1u);
	room = mrc_send_entry_size(&q->cap) - offsetof(struct mrc_send_wr, sge);
	q->cap.max_inline_data = min_t(u32, room, MRC_MAX_INLINE);
}

/* @uctx: NULL: the user is in the kernel */
static int mrc_qp_create_rings(struct mrc_ib_qp *q, struct ib_ucontext *uctx,
			       struct mrc_create_qp_resp *resp)
{
	int ret;

	ret = mrc_kring_create(&q->sq, uctx, max(q->cap.max_send_wr, 1u),
			       mrc_send_entry_size(&q->cap), &resp->sq);
	if (ret)
		return ret;
	q->cap.max_send_wr = q->sq.size;
	if (q->srq)
		return 0;
	ret = mrc_kring_create(&q->rq, uctx, max(q->cap.max_recv_wr, 1u),
			       mrc_recv_entry_size(q->cap.max_recv_sge), &resp->rq);
	if (ret)
		return ret;
	q->cap.max_recv_wr = q->rq.size;
	return 0;
}

static void mrc_qp_destroy_rings(struct mrc_ib_qp *q)
{
	mrc_kring_destroy(&q->sq);
	mrc_kring_destroy(&q->rq);
}

static int mrc_qp_create_rc(struct mrc_ib_qp *q)
{
	struct mrc_qp_init init = {
		.ops = &mrc_work_ops,
		.priv = q,
		.pd = q->ib.pd,
		.recv_pd = q->srq ? q->srq->ib.pd : q->ib.pd,
		.user = q->user,
		.max_sge = q->cap.max_send_sge,
		.max_inline = q->cap.max_inline_data,
		.sq_depth = q->sq.size,
	};
	struct mrc_qp *qp = mrc_qp_create(to_mrc_dev(q->ib.device), &init);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mrc_doorbell_init(q);
	q->qp = qp;
	mrc_held_init(&q->held, qp);
	q->ib.qp_num = qp->qpn;
	mrc_ib_qp_forget(q);
	return 0;
}

/* Gives a QP what it needs to work: rings and its part of the transport. */
static int mrc_qp_setup(struct mrc_ib_qp *q, struct ib_udata *udata)
{
	struct mrc_ib_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct mrc_ib_ucontext, ib);
	struct mrc_create_qp_resp resp = {};
	int ret;

	ret = mrc_qp_create_rings(q, uctx ? &uctx->ib : NULL, &resp);
	if (!ret && udata)
		ret = mrc_udata_answer(udata, &resp, sizeof(resp));
	if (!ret)
		ret = mrc_qp_is_ud(q) ? mrc_ud_open(q) : mrc_qp_create_rc(q);
	if (ret)
		mrc_qp_destroy_rings(q);
	return ret;
}

static void mrc_qp_use_cqs(struct mrc_ib_qp *q)
{
	void (*fail)(struct mrc_ib_qp *q) = mrc_qp_is_ud(q) ? mrc_ud_fail : mrc_ib_qp_fail;

	mrc_cq_use(q->scq, &q->scq_user, q, fail);
	mrc_cq_use(q->rcq, &q->rcq_user, q, fail);
}

/**
 * mrc_create_qp() - create a QP: an RC QP, which is an MRC QP, or a UD QP
 * @ibqp: the QP, its core part filled in
 * @init: the user's wishes; the capabilities are set to those that it gets
 * @udata: the program's response buffer; NULL: the user is in the kernel
 *
 * Context: process, sleeps.
 * Return: 0, -EOPNOTSUPP (another type, flags, wishes of a newer library), -EINVAL (too large, a CQ
 * has failed), -ENOMEM, -EDQUOT (the user has too many QPs).
 */
int mrc_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		  struct ib_udata *udata)
{
	struct mrc_ib_qp *q = to_mrc_qp(ibqp);
	int ret;

	ret = mrc_qp_check_init(ibqp->device, init, udata);
	if (ret)
		return ret;
	q->scq = to_mrc_cq(init->send_cq);
	q->rcq = to_mrc_cq(init->recv_cq);
	if (mrc_cq_failed(q->scq) || mrc_cq_failed(q->rcq))
		return -EINVAL;
	q->srq = init->srq ? to_mrc_srq(init->srq) : NULL;
	q->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	spin_lock_init(&q->post_lock);
	mrc_qp_grant(q, &init->cap);
	q->user = mrc_udata_user(udata);
	ret = mrc_object_add(ibqp->device, q->user, MRC_SHARE_QP);
	if (ret)
		return ret;
	ret = mrc_qp_setup(q, udata);
	if (ret) {
		mrc_object_del(ibqp->device, q->user, MRC_SHARE_QP);
		return ret;
	}
	init->cap = q->cap;
	mrc_qp_use_cqs(q);
	return 0;
}

static void mrc_qp_destroy_rc(struct mrc_ib_qp *q)
{
	struct mrc_qp *qp = q->qp;

	mrc_doorbell_exit(q);
	/*
	 * The transport calls our functions until mrc_qp_destroy() returns. The core may call
	 * mrc_fill_res_qp() and mrc_query_qp() even later; they find NULL then.
	 */
	mrc_qp_hold(qp);
	mrc_qp_destroy(qp);
	if (q->srq)
		mrc_srq_leave(q->srq, &q->held);
	WRITE_ONCE(q->qp, NULL);
	mrc_qp_put(qp);
	mrc_held_destroy(&q->held);
}

/** mrc_destroy_qp() - destroy a QP. Process context, sleeps. */
int mrc_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct mrc_ib_qp *q = to_mrc_qp(ibqp);

	mrc_cq_unuse(q->scq, &q->scq_user);
	mrc_cq_unuse(q->rcq, &q->rcq_user);
	if (mrc_qp_is_ud(q))
		mrc_ud_close(q);
	else
		mrc_qp_destroy_rc(q);
	if (!q->user) {
		mrc_ulp_purge(q->scq, &q->ib);
		mrc_ulp_purge(q->rcq, &q->ib);
	}
	mrc_qp_destroy_rings(q);
	mrc_object_del(ibqp->device, q->user, MRC_SHARE_QP);
	return 0;
}
