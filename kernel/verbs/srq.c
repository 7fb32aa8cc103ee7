// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared receive queues.
 */
#include <rdma/uverbs_ioctl.h>

#include "../transport/qp/requester.h"
#include "../transport/qp/responder.h"
#include "context.h"
#include "device.h"
#include "srq.h"

/* ---- taking ------------------------------------------------------------------ */

static void mrc_srq_event(struct mrc_ib_srq *srq, enum ib_event_type event)
{
	struct ib_event ev = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = event,
	};

	if (srq->ib.event_handler)
		srq->ib.event_handler(&ev, srq->ib.srq_context);
}

/* srq->lock held. Return: receives in the ring; if there are none, a doorbell follows the next. */
static int mrc_srq_avail(struct mrc_ib_srq *srq)
{
	int n = mrc_kring_avail(&srq->ring);

	if (!n) {
		mrc_kring_want_doorbell(&srq->ring);
		n = mrc_kring_avail(&srq->ring);
	}
	if (n < 0 && !srq->corrupt) {
		srq->corrupt = true;
		mrc_srq_event(srq, IB_EVENT_SRQ_ERR);
	}
	return n;
}

/* srq->lock held. @left: receives that are left in the ring. */
static void mrc_srq_check_limit(struct mrc_ib_srq *srq, u32 left)
{
	if (left >= srq->limit)
		return;
	WRITE_ONCE(srq->limit, 0);
	mrc_srq_event(srq, IB_EVENT_SRQ_LIMIT_REACHED);
}

/*
 * A QP that has found no receive may take one that was posted since, before the doorbell comes. The
 * QP stays first in the list then, because an older message of the QP may wait for the doorbell.
 * srq->lock held.
 */
static void mrc_srq_feed(struct mrc_ib_srq *srq, struct mrc_held *h)
{
	h->hungry = false;
	if (!list_empty(&h->starves)) {
		list_move(&h->starves, &srq->starving);
		h->fed = true;
	} else if (list_empty(&srq->starving)) {
		mrc_kring_want_no_doorbell(&srq->ring);
	}
}

/* srq->lock held. */
static void mrc_srq_starve(struct mrc_ib_srq *srq, struct mrc_held *h)
{
	if (!list_empty(&h->starves))
		return;
	h->since = srq->round;
	list_add_tail(&h->starves, &srq->starving);
}

/* srq->lock held. Return: 1; 0: there is none; -EBADMSG. */
static int mrc_srq_take(struct mrc_ib_srq *srq, struct mrc_held *h)
{
	int n = mrc_srq_avail(srq);

	if (n < 0)
		return n;
	if (!n) {
		h->hungry = true;
		mrc_srq_starve(srq, h);
		return 0;
	}
	mrc_kring_copy(mrc_held_next(h), mrc_kring_entry(&srq->ring), srq->ring.entry_size);
	mrc_kring_consume(&srq->ring);
	mrc_held_add(h);
	mrc_srq_feed(srq, h);
	mrc_srq_check_limit(srq, n - 1);
	return 1;
}

int mrc_srq_hold(struct mrc_ib_srq *srq, struct mrc_held *h, u32 enough)
{
	int ret = 1;

	if (h->count >= enough)
		return h->count;
	spin_lock_bh(&srq->lock);
	while (ret > 0 && h->count < min(enough, h->size))
		ret = mrc_srq_take(srq, h);
	spin_unlock_bh(&srq->lock);
	return ret < 0 ? ret : h->count;
}

u32 mrc_srq_posted(struct mrc_ib_srq *srq, struct mrc_held *h)
{
	int n;

	spin_lock_bh(&srq->lock);
	if (h->hungry && !h->count && h->size)
		mrc_srq_take(srq, h);
	n = mrc_srq_avail(srq);
	if (!n && !h->count)
		mrc_srq_starve(srq, h);
	spin_unlock_bh(&srq->lock);
	return h->count + max(n, 0);
}

/* ---- QPs that wait ----------------------------------------------------------- */

void mrc_srq_leave(struct mrc_ib_srq *srq, struct mrc_held *h)
{
	spin_lock_bh(&srq->lock);
	list_del_init(&h->starves);
	h->fed = false;
	spin_unlock_bh(&srq->lock);
}

/* Receives were posted. Return: the number of this round. */
static u32 mrc_srq_begin_round(struct mrc_ib_srq *srq)
{
	u32 round;

	spin_lock_bh(&srq->lock);
	round = ++srq->round;
	spin_unlock_bh(&srq->lock);
	return round;
}

/* A QP looks at a ring that is corrupt, too, and ends. srq->lock held. */
static bool mrc_srq_has_turn(struct mrc_ib_srq *srq, const struct mrc_held *h, u32 round)
{
	return (s32)(h->since - round) < 0 && (h->fed || mrc_srq_avail(srq));
}

/*
 * Finds a QP that may go on, and had no turn in this round. A QP that finds no receive in its turn need
 * not get another one: it has asked for a doorbell. Return: a reference, or NULL: none.
 */
static struct mrc_qp *mrc_srq_next_starving(struct mrc_ib_srq *srq, u32 round)
{
	struct mrc_qp *qp = NULL;
	struct mrc_held *h;

	spin_lock_bh(&srq->lock);
	h = list_first_entry_or_null(&srq->starving, struct mrc_held, starves);
	if (h && mrc_srq_has_turn(srq, h, round)) {
		list_del_init(&h->starves);
		h->fed = false;
		qp = h->qp;
		mrc_qp_hold(qp);
	}
	spin_unlock_bh(&srq->lock);
	return qp;
}

/* Each QP that lacks a receive gets one turn, as long as there are receives. */
void mrc_srq_doorbell(struct mrc_ib_srq *srq)
{
	u32 round = mrc_srq_begin_round(srq);
	struct mrc_qp *qp;

	while ((qp = mrc_srq_next_starving(srq, round))) {
		if (mrc_responder_received(qp))
			mrc_requester_kick(qp);
		mrc_qp_put(qp);
		cond_resched();
	}
}

static void mrc_srq_doorbell_work(struct work_struct *work)
{
	mrc_srq_doorbell(container_of(work, struct mrc_ib_srq, doorbell));
}

/* ---- device operations ------------------------------------------------------- */

static int mrc_srq_check_init(const struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > MRC_MAX_SRQ_WR ||
	    init->attr.max_sge > MRC_MAX_SGE)
		return -EINVAL;
	return udata ? mrc_udata_check(udata, offsetof(struct mrc_create_srq_resp, comp_mask)) : 0;
}

static int mrc_srq_create_ring(struct mrc_ib_srq *srq, const struct ib_srq_attr *attr,
			       struct ib_udata *udata)
{
	struct mrc_ib_ucontext *uctx = rdma_udata_to_drv_context(udata, struct mrc_ib_ucontext, ib);
	struct mrc_create_srq_resp resp = {};
	int ret;

	srq->max_sge = max(attr->max_sge, 1u);
	ret = mrc_kring_create(&srq->ring, uctx ? &uctx->ib : NULL, attr->max_wr,
			       mrc_recv_entry_size(srq->max_sge), &resp.srq);
	if (ret || !udata)
		return ret;
	ret = mrc_udata_answer(udata, &resp, sizeof(resp));
	if (ret)
		mrc_kring_destroy(&srq->ring);
	return ret;
}

/**
 * mrc_create_srq() - create a shared receive queue
 * @ibsrq: the SRQ, its core part filled in
 * @init: the program's wishes; set to what it gets. As in verbs, the limit is not looked at
 * @udata: the program's response buffer; NULL: the user is in the kernel
 *
 * Context: process, sleeps.
 * Return: 0, -EOPNOTSUPP (another type, wishes of a newer library), -EINVAL
 * (too large), -ENOMEM, -EDQUOT (the user has too many).
 */
int mrc_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct mrc_ib_srq *srq = to_mrc_srq(ibsrq);
	int ret;

	ret = mrc_srq_check_init(init, udata);
	if (ret)
		return ret;
	spin_lock_init(&srq->lock);
	spin_lock_init(&srq->post_lock);
	INIT_LIST_HEAD(&srq->starving);
	INIT_WORK(&srq->doorbell, mrc_srq_doorbell_work);
	srq->user = mrc_udata_user(udata);
	ret = mrc_object_add(ibsrq->device, srq->user, MRC_SHARE_SRQ);
	if (ret)
		return ret;
	ret = mrc_srq_create_ring(srq, &init->attr, udata);
	if (ret) {
		mrc_object_del(ibsrq->device, srq->user, MRC_SHARE_SRQ);
		return ret;
	}
	init->attr.max_wr = srq->ring.size;
	init->attr.max_sge = srq->max_sge;
	return 0;
}

/**
 * mrc_modify_srq() - ask for an event when few receives are left
 * @ibsrq: the SRQ
 * @attr: new values
 * @mask: IB_SRQ_LIMIT; the size cannot be changed
 * @udata: must ask for nothing
 *
 * The event comes once, when a receive is taken and fewer than the limit are left.
 *
 * Context: process, sleeps.
 * Return: 0, -EOPNOTSUPP (another size, wishes of a newer library), -EINVAL (a limit beyond the
 * size).
 */
int mrc_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata)
{
	struct mrc_ib_srq *srq = to_mrc_srq(ibsrq);
	int ret = udata ? mrc_udata_check(udata, 0) : 0;

	if (ret)
		return ret;
	if (mask & ~IB_SRQ_LIMIT)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > srq->ring.size)
		return -EINVAL;
	spin_lock_bh(&srq->lock);
	WRITE_ONCE(srq->limit, attr->srq_limit);
	spin_unlock_bh(&srq->lock);
	return 0;
}

/** mrc_query_srq() - size, and the limit, which is 0 after its event. Process context. Return: 0 */
int mrc_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct mrc_ib_srq *srq = to_mrc_srq(ibsrq);

	attr->max_wr = srq->ring.size;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = READ_ONCE(srq->limit);
	return 0;
}

/** mrc_destroy_srq() - destroy an SRQ that no QP uses any more. Process context, sleeps. */
int mrc_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct mrc_ib_srq *srq = to_mrc_srq(ibsrq);

	cancel_work_sync(&srq->doorbell);
	mrc_kring_destroy(&srq->ring);
	mrc_object_del(ibsrq->device, srq->user, MRC_SHARE_SRQ);
	return 0;
}
