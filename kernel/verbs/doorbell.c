// SPDX-License-Identifier: GPL-2.0-only
#include <rdma/mrc-abi.h>
#include <rdma/uverbs_std_types.h>

#include "../transport/qp/error.h"
#include "../transport/qp/requester.h"
#include "../transport/qp/responder.h"
#include "bell.h"
#include "doorbell.h"
#include "qp.h"
#include "ud.h"
#include "ulp.h"

#define UVERBS_MODULE_NAME mrc
#include <rdma/uverbs_named_ioctl.h>

/*
 * A QP that went to error before it saw the posted requests has to flush once more. mrc_qp_to_err()
 * checks the state again, because the QP may have been reset meanwhile.
 */
static void mrc_doorbell_flush_late(struct mrc_qp *qp)
{
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		mrc_qp_to_err(qp, BIT(IB_QPS_ERR), NULL);
}

static void mrc_doorbell_send(struct mrc_ib_qp *q)
{
	if (mrc_qp_is_ud(q))
		return mrc_ud_doorbell_send(q);
	mrc_requester_kick(q->qp);
	mrc_doorbell_flush_late(q->qp);
}

static void mrc_doorbell_recv(struct mrc_ib_qp *q)
{
	if (mrc_qp_is_ud(q))
		return mrc_ud_doorbell_recv(q);
	if (mrc_responder_received(q->qp))
		mrc_requester_kick(q->qp);
	mrc_doorbell_flush_late(q->qp);
}

/* ---- users in the kernel ---------------------------------------------------- */

static void mrc_doorbell_work(struct work_struct *work)
{
	struct mrc_ib_qp *q = container_of(work, struct mrc_ib_qp, doorbell);

	mrc_doorbell_send(q);
	if (!q->srq)
		mrc_doorbell_recv(q);
}

void mrc_doorbell_init(struct mrc_ib_qp *q)
{
	INIT_WORK(&q->doorbell, mrc_doorbell_work);
}

void mrc_doorbell_exit(struct mrc_ib_qp *q)
{
	cancel_work_sync(&q->doorbell);
}

/* Any context. */
static void mrc_doorbell_ulp(struct mrc_ib_qp *q)
{
	if (mrc_qp_is_ud(q))
		mrc_ud_doorbell_ulp(q);
	else
		mrc_bell_ring(&q->doorbell);
}

/* ---- device operations ------------------------------------------------------- */

int mrc_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct mrc_ib_qp *q = to_mrc_qp(ibqp);
	int ret;

	if (!q->user) {
		ret = mrc_ulp_post_send(q, wr, bad_wr);
		mrc_doorbell_ulp(q);
		return ret;
	}
	if (wr) {
		*bad_wr = wr;
		return -EOPNOTSUPP;
	}
	mrc_doorbell_send(q);
	return 0;
}

int mrc_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct mrc_ib_qp *q = to_mrc_qp(ibqp);
	int ret;

	if (!q->user && !q->srq) {
		ret = mrc_ulp_post_recv(&q->rq, &q->post_lock, q->recv_sge, wr, bad_wr);
		if (mrc_kring_wants_doorbell(&q->rq))
			mrc_doorbell_ulp(q);
		return ret;
	}
	if (wr) {
		*bad_wr = wr;
		return q->user ? -EOPNOTSUPP : -EINVAL;
	}
	mrc_doorbell_recv(q);
	return 0;
}

/* Of users in the kernel only: the RDMA core offers programs no such call. */
int mrc_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct mrc_ib_srq *srq = to_mrc_srq(ibsrq);
	int ret;

	if (srq->user) {
		*bad_wr = wr;
		return -EOPNOTSUPP;
	}
	ret = mrc_ulp_post_recv(&srq->ring, &srq->post_lock, srq->max_sge, wr, bad_wr);
	if (mrc_kring_wants_doorbell(&srq->ring))
		mrc_bell_ring(&srq->doorbell);
	return ret;
}

/* ---- methods ------------------------------------------------------------------ */

/* The core keeps the QP alive during the call. */
static struct mrc_ib_qp *mrc_doorbell_qp(struct uverbs_attr_bundle *attrs, u16 handle)
{
	return to_mrc_qp(uverbs_attr_get_obj(attrs, handle));
}

static int UVERBS_HANDLER(MRC_METHOD_QP_SEND_DOORBELL)(struct uverbs_attr_bundle *attrs)
{
	mrc_doorbell_send(mrc_doorbell_qp(attrs, MRC_ATTR_QP_SEND_DOORBELL_HANDLE));
	return 0;
}

static int UVERBS_HANDLER(MRC_METHOD_QP_RECV_DOORBELL)(struct uverbs_attr_bundle *attrs)
{
	mrc_doorbell_recv(mrc_doorbell_qp(attrs, MRC_ATTR_QP_RECV_DOORBELL_HANDLE));
	return 0;
}

/* The core keeps the SRQ alive during the call. */
static int UVERBS_HANDLER(MRC_METHOD_SRQ_DOORBELL)(struct uverbs_attr_bundle *attrs)
{
	mrc_srq_doorbell(to_mrc_srq(uverbs_attr_get_obj(attrs, MRC_ATTR_SRQ_DOORBELL_HANDLE)));
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(MRC_METHOD_QP_SEND_DOORBELL,
	UVERBS_ATTR_IDR(MRC_ATTR_QP_SEND_DOORBELL_HANDLE, UVERBS_OBJECT_QP,
			UVERBS_ACCESS_READ, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MRC_METHOD_QP_RECV_DOORBELL,
	UVERBS_ATTR_IDR(MRC_ATTR_QP_RECV_DOORBELL_HANDLE, UVERBS_OBJECT_QP,
			UVERBS_ACCESS_READ, UA_MANDATORY));

ADD_UVERBS_METHODS(mrc_doorbell_methods, UVERBS_OBJECT_QP,
		   &UVERBS_METHOD(MRC_METHOD_QP_SEND_DOORBELL),
		   &UVERBS_METHOD(MRC_METHOD_QP_RECV_DOORBELL));

DECLARE_UVERBS_NAMED_METHOD(MRC_METHOD_SRQ_DOORBELL,
	UVERBS_ATTR_IDR(MRC_ATTR_SRQ_DOORBELL_HANDLE, UVERBS_OBJECT_SRQ,
			UVERBS_ACCESS_READ, UA_MANDATORY));

ADD_UVERBS_METHODS(mrc_srq_methods, UVERBS_OBJECT_SRQ, &UVERBS_METHOD(MRC_METHOD_SRQ_DOORBELL));

const struct uapi_definition mrc_doorbell_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_QP, &mrc_doorbell_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_SRQ, &mrc_srq_methods),
	{},
};
