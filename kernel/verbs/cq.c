// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues.
 *
 * MRC has no solicited-event bit on the wire (it is zero). A receive completion
 * exists only because the peer asked for one by sending an immediate, so all of
 * them count as solicited, and so do errors.
 */
#include "context.h"
#include "cq.h"
#include "device.h"

static void mrc_cq_fail_work(struct work_struct *work)
{
	struct mrc_ib_cq *cq = container_of(work, struct mrc_ib_cq, fail_work);
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};
	struct mrc_cq_user *user;

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
	mutex_lock(&cq->qps_lock);
	list_for_each_entry(user, &cq->qps, list)
		user->fail(user->qp);
	mutex_unlock(&cq->qps_lock);
}

/* Under cq->lock. */
static void mrc_cq_fail(struct mrc_ib_cq *cq, bool nonsense)
{
	cq->failed = true;
	if (nonsense)
		mrc_count(to_mrc_dev(cq->ib.device), MRC_CNT_RING_CORRUPT);
	queue_work(system_unbound_wq, &cq->fail_work);
}

/* Under cq->lock. Return: whether the program is to be woken up. */
static bool mrc_cq_push(struct mrc_ib_cq *cq, const struct mrc_cqe *cqe,
			bool solicited)
{
	int room = mrc_kring_room(&cq->ring);

	if (room <= 0) {
		mrc_cq_fail(cq, room < 0);
		return false;
	}
	memcpy(mrc_kring_entry(&cq->ring), cqe, sizeof(*cqe));
	mrc_kring_produce(&cq->ring);
	cq->added++;
	if (!cq->armed || (cq->armed == IB_CQ_SOLICITED && !solicited))
		return false;
	cq->armed = 0;
	return true;
}

void mrc_cq_add(struct mrc_ib_cq *cq, const struct mrc_cqe *cqe,
		bool solicited)
{
	bool wake = false;

	spin_lock_bh(&cq->lock);
	if (!cq->failed)
		wake = mrc_cq_push(cq, cqe, solicited);
	spin_unlock_bh(&cq->lock);
	if (wake)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

bool mrc_cq_failed(struct mrc_ib_cq *cq)
{
	bool failed;

	spin_lock_bh(&cq->lock);
	failed = cq->failed;
	spin_unlock_bh(&cq->lock);
	return failed;
}

void mrc_cq_use(struct mrc_ib_cq *cq, struct mrc_cq_user *user,
		struct mrc_ib_qp *qp, void (*fail)(struct mrc_ib_qp *qp))
{
	user->qp = qp;
	user->fail = fail;
	mutex_lock(&cq->qps_lock);
	list_add_tail(&user->list, &cq->qps);
	mutex_unlock(&cq->qps_lock);
}

void mrc_cq_unuse(struct mrc_ib_cq *cq, struct mrc_cq_user *user)
{
	mutex_lock(&cq->qps_lock);
	list_del(&user->list);
	mutex_unlock(&cq->qps_lock);
}

static void mrc_cq_init(struct mrc_ib_cq *cq)
{
	spin_lock_init(&cq->lock);
	mutex_init(&cq->qps_lock);
	INIT_LIST_HEAD(&cq->qps);
	INIT_WORK(&cq->fail_work, mrc_cq_fail_work);
}

/* Return: 0, -EINVAL (size), -EOPNOTSUPP (flags, kernel users, newer libraries), -ENOMEM. Process context. */
int mrc_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  mrc_create_cq_arg *arg)
{
	struct ib_udata *udata = mrc_create_cq_udata(arg);
	struct mrc_ib_cq *cq = to_mrc_cq(ibcq);
	struct mrc_create_cq_resp resp = {};
	struct mrc_ib_ucontext *uctx;
	int ret;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > MRC_MAX_CQE)
		return -EINVAL;
	ret = mrc_udata_check(udata, offsetof(typeof(resp), comp_mask));
	if (ret)
		return ret;
	mrc_cq_init(cq);
	uctx = rdma_udata_to_drv_context(udata, struct mrc_ib_ucontext, ib);
	if (!uctx)
		return -EINVAL;
	ret = mrc_object_add(ibcq->device, MRC_OBJECT_CQ);
	if (ret)
		return ret;
	ret = mrc_kring_create(&cq->ring, &uctx->ib, attr->cqe,
			       sizeof(struct mrc_cqe), &resp.cq);
	if (!ret)
		ret = mrc_udata_answer(udata, &resp, sizeof(resp));
	if (ret) {
		mrc_kring_destroy(&cq->ring);
		mrc_object_del(ibcq->device, MRC_OBJECT_CQ);
		return ret;
	}
	ibcq->cqe = cq->ring.size;
	return 0;
}

/** mrc_destroy_cq() - no QP uses it any more. Process context, sleeps. */
int mrc_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct mrc_ib_cq *cq = to_mrc_cq(ibcq);
	struct mrc_kring ring;

	cancel_work_sync(&cq->fail_work);
	/* The core may still ask for details. */
	spin_lock_bh(&cq->lock);
	ring = cq->ring;
	cq->ring.mem = NULL;
	spin_unlock_bh(&cq->lock);
	mrc_kring_destroy(&ring);
	mrc_object_del(ibcq->device, MRC_OBJECT_CQ);
	return 0;
}

/* Wake up once. Return: 0, or 1 when asked for and completions wait. Any context. */
int mrc_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct mrc_ib_cq *cq = to_mrc_cq(ibcq);
	u8 want = flags & IB_CQ_SOLICITED_MASK;
	int ret = 0;

	spin_lock_bh(&cq->lock);
	/* A weaker wish does not replace a stronger one. */
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = want;
	if ((flags & IB_CQ_REPORT_MISSED_EVENTS) &&
	    mrc_kring_room(&cq->ring) != (int)cq->ring.size)
		ret = 1;
	spin_unlock_bh(&cq->lock);
	return ret;
}
