// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of the send ring. A request is copied out of the ring once, and only the copy is used,
 * because the program may change the original at any time.
 *
 * There are two kinds of bad requests. A request that an honest program can post (with a wrong key
 * or length) ends with an error completion after all requests before it have ended, as verbs
 * demands. A request that no honest provider writes means that the ring is corrupt.
 */
#include "../transport/qp/wqe.h"
#include "device.h"
#include "mr.h"
#include "qp.h"
#include "receive.h"
#include "work.h"

#define MRC_WR_FLAGS	(MRC_WR_SIGNALED | MRC_WR_INLINE | MRC_WR_SOLICITED | MRC_WR_FENCE)

static u16 mrc_msg_cqe_opcode(const struct mrc_msg *msg)
{
	static const u8 opcodes[] = {
		[MRC_MSG_WRITE] = IB_WC_RDMA_WRITE,
		[MRC_MSG_SEND] = IB_WC_SEND,
		[MRC_MSG_READ] = IB_WC_RDMA_READ,
		[MRC_MSG_CMP_SWAP] = IB_WC_COMP_SWAP,
		[MRC_MSG_FETCH_ADD] = IB_WC_FETCH_ADD,
	};

	return opcodes[msg->op];
}

static void mrc_work_cqe(struct mrc_ib_qp *q, u64 wr_id, u16 opcode, u32 len,
			 enum ib_wc_status status)
{
	struct mrc_cqe cqe = {
		.wr_id = wr_id,
		.byte_len = len,
		.qpn = q->qp->qpn,
		/* Entries before this one are free: q->pending later requests have yet to end. */
		.index = q->sq.index - q->pending,
		.status = status,
		.opcode = opcode,
	};

	if (status == IB_WC_WR_FLUSH_ERR)
		mrc_count(q->qp->dev, MRC_CNT_REQ_CQE_FLUSH);
	else if (status != IB_WC_SUCCESS)
		mrc_count(q->qp->dev, MRC_CNT_REQ_CQE_ERROR);
	mrc_cq_add(q->scq, &q->ib, &cqe, status != IB_WC_SUCCESS);
}

static void mrc_send_cqe(struct mrc_ib_qp *q, u64 wr_id, const struct mrc_msg *msg,
			 enum ib_wc_status status)
{
	mrc_work_cqe(q, wr_id, msg ? mrc_msg_cqe_opcode(msg) : IB_WC_RDMA_WRITE,
		     msg ? msg->len : 0, status);
}

static bool mrc_wr_is_signaled(const struct mrc_ib_qp *q, const struct mrc_send_wr *wr)
{
	return q->sig_all || wr->flags & MRC_WR_SIGNALED;
}

static bool mrc_wr_is_atomic(const struct mrc_send_wr *wr)
{
	return wr->opcode == MRC_WR_CMP_SWAP || wr->opcode == MRC_WR_FETCH_ADD;
}

static bool mrc_wr_possible(const struct mrc_ib_qp *q,
			    const struct mrc_send_wr *wr)
{
	if (wr->opcode > (q->user ? (u32)MRC_WR_FETCH_ADD : (u32)MRC_WR_LOCAL_INV) ||
	    (wr->flags & ~MRC_WR_FLAGS))
		return false;
	if (mrc_wr_is_atomic(wr) && wr->num_sge)
		return false;
	if (wr->flags & MRC_WR_INLINE && (wr->opcode == MRC_WR_READ || mrc_wr_is_atomic(wr)))
		return false;
	if (wr->flags & MRC_WR_INLINE)
		return !wr->num_sge && wr->inline_len <= q->cap.max_inline_data;
	return wr->num_sge <= q->cap.max_send_sge;
}

static enum ib_wc_status mrc_fill_seg(struct mrc_ib_qp *q,
				      struct mrc_wqe *wqe,
				      const struct mrc_wr_sge *sge)
{
	const struct mrc_mr_range want = {
		.key = sge->lkey,
		.pd = q->qp->pd,
		.addr = sge->addr,
		.len = sge->length,
		.access = mrc_msg_fetches(&wqe->msg) ? IB_ACCESS_LOCAL_WRITE : 0,
	};
	struct mrc_seg *seg = &wqe->sge[wqe->num_sge];

	if (sge->length > MRC_MSG_MAX - wqe->msg.len)
		return IB_WC_LOC_LEN_ERR;
	seg->mr = mrc_mr_get(q->qp->dev, &want, &seg->version);
	if (!seg->mr)
		return IB_WC_LOC_PROT_ERR;
	if (seg->mr->lent)
		wqe->flags |= MRC_WQE_LENT;
	seg->addr = sge->addr;
	seg->len = sge->length;
	wqe->num_sge++;
	wqe->msg.len += sge->length;
	return IB_WC_SUCCESS;
}

static enum ib_wc_status mrc_fill_sges(struct mrc_ib_qp *q,
				       struct mrc_wqe *wqe,
				       const struct mrc_send_wr *shared, u32 n)
{
	enum ib_wc_status status = IB_WC_SUCCESS;
	struct mrc_wr_sge sge[MRC_MAX_SGE];
	u32 i;

	mrc_kring_copy(sge, shared->sge, n * sizeof(*sge));
	rcu_read_lock();
	for (i = 0; i < n && status == IB_WC_SUCCESS; i++)
		if (sge[i].length)
			status = mrc_fill_seg(q, wqe, &sge[i]);
	rcu_read_unlock();
	while (status != IB_WC_SUCCESS && wqe->num_sge)
		mrc_mr_put(wqe->sge[--wqe->num_sge].mr);
	return status;
}

/* An atomic has one element, which is a part of the entry. */
static enum ib_wc_status mrc_fill_atomic(struct mrc_ib_qp *q, struct mrc_wqe *wqe,
					 const struct mrc_send_wr *shared, u32 lkey)
{
	struct mrc_msg *msg = &wqe->msg;
	struct mrc_wr_atomic atomic;
	enum ib_wc_status status;
	struct mrc_wr_sge sge;

	mrc_kring_copy(&atomic, &shared->atomic, sizeof(atomic));
	msg->value = msg->op == MRC_MSG_CMP_SWAP ? atomic.swap : atomic.compare_add;
	msg->compare = msg->op == MRC_MSG_CMP_SWAP ? atomic.compare_add : 0;
	sge = (struct mrc_wr_sge){
		.addr = atomic.addr,
		.length = MRC_ATOMIC_BYTES,
		.lkey = lkey,
	};
	rcu_read_lock();
	status = mrc_fill_seg(q, wqe, &sge);
	rcu_read_unlock();
	return status;
}

static void mrc_fill_msg(const struct mrc_ib_qp *q, struct mrc_msg *msg,
			 const struct mrc_send_wr *wr)
{
	static const u8 ops[] = {
		[MRC_WR_WRITE] = MRC_MSG_WRITE,
		[MRC_WR_WRITE_IMM] = MRC_MSG_WRITE,
		[MRC_WR_SEND] = MRC_MSG_SEND,
		[MRC_WR_SEND_IMM] = MRC_MSG_SEND,
		[MRC_WR_READ] = MRC_MSG_READ,
		[MRC_WR_CMP_SWAP] = MRC_MSG_CMP_SWAP,
		[MRC_WR_FETCH_ADD] = MRC_MSG_FETCH_ADD,
		[MRC_WR_SEND_INV] = MRC_MSG_SEND,
	};

	msg->op = ops[wr->opcode];
	msg->invalidates = wr->opcode == MRC_WR_SEND_INV;
	msg->has_imm = wr->opcode == MRC_WR_WRITE_IMM || wr->opcode == MRC_WR_SEND_IMM ||
		       msg->invalidates;
	msg->solicited = msg->op == MRC_MSG_SEND && wr->flags & MRC_WR_SOLICITED;
	msg->fence = wr->flags & MRC_WR_FENCE;
	msg->raddr = msg->op == MRC_MSG_SEND ? 0 : wr->remote_addr;
	msg->rkey = wr->rkey;
	msg->imm = wr->imm_data;
	msg->len = 0;
	if (mrc_msg_fetches(msg))
		msg->rdeth = q->qp->conn.rq_psn;
}

/* Does the QP allow this kind of request? */
static bool mrc_fill_allowed(const struct mrc_ib_qp *q, const struct mrc_msg *msg)
{
	if (msg->op == MRC_MSG_WRITE)
		return true;
	/* The setting may have changed since the program opened the device. */
	return READ_ONCE(q->qp->dev->cfg.extensions) &&
	       (!mrc_msg_fetches(msg) || q->qp->req.sendq.reads_max);
}

static enum ib_wc_status mrc_fill_wqe(struct mrc_ib_qp *q, struct mrc_wqe *wqe,
				      const struct mrc_send_wr *wr,
				      const struct mrc_send_wr *shared)
{
	mrc_fill_msg(q, &wqe->msg, wr);
	wqe->wr_id = wr->wr_id;
	wqe->flags = 0;
	wqe->num_sge = 0;
	if (mrc_wr_is_signaled(q, wr))
		wqe->flags |= MRC_WQE_SIGNALED;
	if (!mrc_fill_allowed(q, &wqe->msg))
		return IB_WC_LOC_QP_OP_ERR;
	if (mrc_wr_is_atomic(wr))
		return mrc_fill_atomic(q, wqe, shared, wr->lkey);
	if (!(wr->flags & MRC_WR_INLINE))
		return mrc_fill_sges(q, wqe, shared, wr->num_sge);
	wqe->flags |= MRC_WQE_INLINE;
	wqe->msg.len = wr->inline_len;
	memcpy(wqe->inline_data, shared->inline_data, wr->inline_len);
	return IB_WC_SUCCESS;
}

/* ---- requests that concern this host only ------------------------------------ */

static bool mrc_wr_is_local(const struct mrc_send_wr *wr)
{
	return wr->opcode == MRC_WR_REG_MR || wr->opcode == MRC_WR_LOCAL_INV;
}

static int mrc_local_execute(struct mrc_ib_qp *q, const struct mrc_send_wr *wr)
{
	int access = (__force int)wr->imm_data, err;

	if (wr->opcode == MRC_WR_REG_MR)
		return mrc_mr_register_fast((struct ib_mr *)(uintptr_t)wr->remote_addr, q->ib.pd,
					    wr->rkey, access);
	rcu_read_lock();
	err = mrc_mr_invalidate(q->qp->dev, wr->rkey, q->ib.pd, false);
	rcu_read_unlock();
	return err;
}

/*
 * Executes the next request of the ring, which sends nothing. It waits for all requests before it if
 * it is to complete after them, or if it has a fence; else it may overtake those that are on their way,
 * as verbs allows (IBA 10.8.3.3). Out of line: programs have no such requests. Return: as
 * mrc_take_send().
 */
static noinline int mrc_take_local(struct mrc_ib_qp *q, const struct mrc_send_wr *wr)
{
	u16 opcode = wr->opcode == MRC_WR_REG_MR ? IB_WC_REG_MR : IB_WC_LOCAL_INV;
	bool signaled = mrc_wr_is_signaled(q, wr);
	int err;

	if (q->pending && (signaled || wr->flags & MRC_WR_FENCE))
		return 0;
	err = mrc_local_execute(q, wr);
	if (err && q->pending)
		return 0;
	mrc_kring_consume(&q->sq);
	if (err || signaled)
		mrc_work_cqe(q, wr->wr_id, opcode, 0, err ? IB_WC_MW_BIND_ERR : IB_WC_SUCCESS);
	return err ? -ECANCELED : 1;
}

/* ---- the ring ---------------------------------------------------------------- */

/*
 * Takes the next request from the ring into a slot. Return: 1; 0 when the request has failed, and
 * must wait because other requests are before it; or an error of mrc_qp_ops.refill.
 */
static int mrc_take_send(struct mrc_ib_qp *q, struct mrc_wqe *wqe)
{
	const struct mrc_send_wr *shared = mrc_kring_entry(&q->sq);
	enum ib_wc_status status;
	struct mrc_send_wr wr;

	mrc_kring_copy(&wr, shared, offsetof(struct mrc_send_wr, sge));
	if (!mrc_wr_possible(q, &wr))
		return mrc_ib_qp_corrupt(q);
	if (mrc_wr_is_local(&wr))
		return mrc_take_local(q, &wr);
	status = mrc_fill_wqe(q, wqe, &wr, shared);
	if (status != IB_WC_SUCCESS && q->pending)
		return 0;
	mrc_kring_consume(&q->sq);
	if (status != IB_WC_SUCCESS) {
		mrc_send_cqe(q, wr.wr_id, NULL, status);
		return -ECANCELED;
	}
	q->pending++;
	mrc_wqe_queue(q->qp, &q->qp->req.sendq);
	return 1;
}

static int mrc_refill(void *priv)
{
	struct mrc_ib_qp *q = priv;
	int n = mrc_kring_avail(&q->sq);
	struct mrc_wqe *wqe;
	int ret;

	if (n < 0)
		return mrc_ib_qp_corrupt(q);
	while (n-- > 0) {
		wqe = mrc_wqe_slot(q->qp);
		if (!wqe)
			break;
		ret = mrc_take_send(q, wqe);
		if (ret <= 0)
			return ret;
	}
	return 0;
}

static void mrc_send_done(void *priv, const struct mrc_wqe *wqe,
			  enum ib_wc_status status)
{
	struct mrc_ib_qp *q = priv;

	q->pending--;
	if (status != IB_WC_SUCCESS || (wqe->flags & MRC_WQE_SIGNALED))
		mrc_send_cqe(q, wqe->wr_id, &wqe->msg, status);
}

/*
 * Flushes the requests that are in the ring when it begins, and none that are posted meanwhile: a
 * program that goes on posting would keep it busy. A doorbell follows each post and runs it again.
 */
static void mrc_flush_send(void *priv)
{
	struct mrc_ib_qp *q = priv;
	int n = mrc_kring_avail(&q->sq);

	q->pending = 0;
	while (n-- > 0)
		mrc_send_cqe(q, mrc_kring_take_wr_id(&q->sq), NULL, IB_WC_WR_FLUSH_ERR);
}

static void mrc_work_event(void *priv, enum ib_event_type event)
{
	mrc_ib_qp_event(priv, event);
}

const struct mrc_qp_ops mrc_work_ops = {
	.refill = mrc_refill,
	.send_done = mrc_send_done,
	.recv_done = mrc_receive_done,
	.recv_place = mrc_receive_place,
	.recv_posted = mrc_receive_posted,
	.flush_send = mrc_flush_send,
	.flush_recv = mrc_receive_flush,
	.event = mrc_work_event,
};
