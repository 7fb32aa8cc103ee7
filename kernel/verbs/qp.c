// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that all code that works on QPs needs.
 */
#include <linux/random.h>

#include "../transport/qp/error.h"
#include "device.h"
#include "qp.h"

void mrc_ib_qp_forget(struct mrc_ib_qp *q)
{
	q->attr = (struct ib_qp_attr){
		.rnr_retry = MRC_RNR_RETRY_FOR_EVER,
		.max_rd_atomic = MRC_READS_MAX,
		.sq_psn = get_random_u32() & MRC_PSN_MASK,
	};
}

int mrc_ib_qp_next(enum ib_qp_state cur, const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : cur;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	if ((mask & IB_QP_CUR_STATE) && attr->cur_qp_state != cur)
		return -EINVAL;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index)
		return -EINVAL;
	if (mask & IB_QP_STATE && (next == IB_QPS_SQD || next == IB_QPS_SQE))
		return -EINVAL;
	return next;
}

struct mrc_qp *mrc_ib_qp_get(struct mrc_ib_qp *q)
{
	struct mrc_qp *qp;

	rcu_read_lock();
	qp = READ_ONCE(q->qp);
	if (qp && !mrc_qp_tryhold(qp))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

void mrc_ib_qp_event(struct mrc_ib_qp *q, enum ib_event_type event)
{
	struct ib_event ev = {
		.device = q->ib.device,
		.element.qp = &q->ib,
		.event = event,
	};

	if (q->ib.event_handler)
		q->ib.event_handler(&ev, q->ib.qp_context);
}

void mrc_ib_qp_fail(struct mrc_ib_qp *q)
{
	if (mrc_qp_to_err(q->qp, ~BIT(IB_QPS_RESET),
			  "completion queue overrun"))
		mrc_ib_qp_event(q, IB_EVENT_QP_FATAL);
}

int mrc_ib_qp_corrupt(struct mrc_ib_qp *q)
{
	mrc_count(to_mrc_dev(q->ib.device), MRC_CNT_RING_CORRUPT);
	return -EBADMSG;
}
