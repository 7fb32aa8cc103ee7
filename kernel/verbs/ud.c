// SPDX-License-Identifier: GPL-2.0-only
/*
 * UD QPs: requests, receives, states.
 *
 * As in verbs, a send that fails on this host takes the QP to SQE: later sends are flushed, and
 * datagrams are still received, until the QP is moved to RTS again.
 */
#include <linux/slab.h>
#include <net/ipv6.h>

#include "../transport/ud/ud.h"
#include "ah.h"
#include "device.h"
#include "receive.h"
#include "ud.h"

/* The pause, jiffies, after the queues of this host were full. */
#define MRC_UD_PAUSE	1
/* A Q_Key with this bit in a request stands for the QP's own (IBA 10.2.5). */
#define MRC_UD_OWN_QKEY	0x80000000u

#define MRC_UD_WR_FLAGS	(MRC_WR_SIGNALED | MRC_WR_INLINE | MRC_WR_SOLICITED | MRC_WR_FENCE)

static struct workqueue_struct *mrc_ud_wq;

/* ---- completions ------------------------------------------------------------------ */

static void mrc_ud_send_cqe(struct mrc_ib_qp *q, u64 wr_id, u32 len, enum ib_wc_status status)
{
	struct mrc_dev *dev = to_mrc_dev(q->ib.device);
	const struct mrc_cqe cqe = {
		.wr_id = wr_id,
		.byte_len = len,
		.qpn = q->ib.qp_num,
		.index = q->sq.index,
		.status = status,
		.opcode = IB_WC_SEND,
	};

	local_bh_disable();
	if (status == IB_WC_WR_FLUSH_ERR)
		mrc_count(dev, MRC_CNT_REQ_CQE_FLUSH);
	else if (status != IB_WC_SUCCESS)
		mrc_count(dev, MRC_CNT_REQ_CQE_ERROR);
	mrc_cq_add(q->scq, &q->ib, &cqe, status != IB_WC_SUCCESS);
	local_bh_enable();
}

/* The lock of the transport's part is held. */
static void mrc_ud_recv_cqe(struct mrc_ib_qp *q, const struct mrc_ud_done *done)
{
	struct mrc_cqe cqe = {
		.wr_id = mrc_kring_take_wr_id(&q->rq),
		.imm_data = done->imm,
		.byte_len = done->len,
		.qpn = q->ib.qp_num,
		.status = done->status,
		.opcode = IB_WC_RECV,
		.flags = done->src_qpn << MRC_CQE_SRC_QP_SHIFT | MRC_CQE_GRH |
			 (done->ip4 ? MRC_CQE_GRH_IP4 : 0) | (done->has_imm ? MRC_CQE_IMM : 0),
	};

	cqe.index = q->rq.index;
	mrc_cq_add(q->rcq, &q->ib, &cqe, done->solicited || done->status != IB_WC_SUCCESS);
}

static void mrc_ud_event(struct mrc_ib_qp *q)
{
	mrc_ib_qp_event(q, IB_EVENT_QP_FATAL);
}

/* ---- calls of the transport --------------------------------------------------------- */

static int mrc_ud_recv_place(void *priv, const struct mrc_stretch *s, struct mrc_place *to)
{
	struct mrc_ib_qp *q = priv;
	int n = mrc_kring_avail(&q->rq);

	if (n < 0)
		return mrc_ib_qp_corrupt(q);
	return n ? mrc_receive_place_in(q, 0, s, to) : -ENOENT;
}

static void mrc_ud_recv_done(void *priv, const struct mrc_ud_done *done)
{
	struct mrc_ib_qp *q = priv;

	if (done->status != IB_WC_SUCCESS)
		mrc_count(to_mrc_dev(q->ib.device), MRC_CNT_RESP_CQE_ERROR);
	mrc_ud_recv_cqe(q, done);
}

/* Any context. */
static void mrc_ud_hurry(struct mrc_ib_qp *q)
{
	mod_delayed_work(mrc_ud_wq, &q->ud.work, 0);
}

/* The work flushes. */
static void mrc_ud_failed(void *priv)
{
	struct mrc_ib_qp *q = priv;

	mrc_ud_event(q);
	mrc_ud_hurry(q);
}

static const struct mrc_ud_ops mrc_ud_qp_ops = {
	.recv_place = mrc_ud_recv_place,
	.recv_done = mrc_ud_recv_done,
	.failed = mrc_ud_failed,
};

/* ---- sending ------------------------------------------------------------------------ */

static bool mrc_ud_wr_possible(const struct mrc_ib_qp *q, const struct mrc_send_wr *wr)
{
	if (wr->opcode != MRC_WR_SEND && wr->opcode != MRC_WR_SEND_IMM)
		return false;
	if (wr->flags & ~MRC_UD_WR_FLAGS)
		return false;
	if (wr->flags & MRC_WR_INLINE)
		return !wr->num_sge && wr->inline_len <= q->cap.max_inline_data;
	return wr->num_sge <= q->cap.max_send_sge;
}

/* Copies the payload. q->ud.lock held. */
static enum ib_wc_status mrc_ud_gather(struct mrc_ib_qp *q, const struct mrc_send_wr *wr,
				       const struct mrc_send_wr *shared, struct mrc_ud_msg *m)
{
	struct mrc_dev *dev = to_mrc_dev(q->ib.device);
	u32 i, room = min_t(u32, mrc_dev_mtu(dev), MRC_MTU_MAX);
	struct mrc_wr_sge sge[MRC_MAX_SGE];

	if (wr->flags & MRC_WR_INLINE) {
		m->len = wr->inline_len;
		if (m->len <= room)
			mrc_kring_copy(q->ud.buf, shared->inline_data, m->len);
		return m->len <= room ? IB_WC_SUCCESS : IB_WC_LOC_LEN_ERR;
	}
	mrc_kring_copy(sge, shared->sge, wr->num_sge * sizeof(*sge));
	for (i = 0; i < wr->num_sge; m->len += sge[i++].length) {
		const struct mrc_mr_range from = {
			.key = sge[i].lkey,
			.pd = q->ib.pd,
			.addr = sge[i].addr,
			.len = sge[i].length,
		};

		if (sge[i].length > room - m->len)
			return IB_WC_LOC_LEN_ERR;
		if (sge[i].length && mrc_mr_read(dev, &from, q->ud.buf + m->len))
			return IB_WC_LOC_PROT_ERR;
	}
	return IB_WC_SUCCESS;
}

/*
 * Sends to an address vector. A datagram to a host that cannot be reached is lost, as it would be on the
 * way. Return: enum ib_wc_status, or -EAGAIN as mrc_ud_send().
 */
static int mrc_ud_send_to(struct mrc_ib_qp *q, struct mrc_av *av, struct mrc_ud_msg *m)
{
	char who[sizeof("QP 0x123456")];
	struct mrc_peer *peer;

	if (av->pd != q->ib.pd)
		return IB_WC_LOC_QP_OP_ERR;
	snprintf(who, sizeof(who), "QP 0x%06x", q->ib.qp_num);
	peer = mrc_av_peer(av, q->ib.device, who);
	if (IS_ERR(peer)) {
		mrc_count(av->dev, MRC_CNT_TX_NO_PATH);
		return IB_WC_SUCCESS;
	}
	/* Only the connection manager answers to GIDs. Programs know link-local ones, too. */
	m->ip4 = !q->user && ipv6_addr_v4mapped(&av->gids.local);
	m->saddr4 = av->gids.local.s6_addr32[3];
	m->daddr4 = av->gids.remote.s6_addr32[3];
	return mrc_ud_send(q->ud.ud, peer, m) ?: IB_WC_SUCCESS;
}

/* Return: as mrc_ud_send_to(). q->ud.lock held. */
static int mrc_ud_send_wr(struct mrc_ib_qp *q, const struct mrc_send_wr *wr,
			  const struct mrc_send_wr *shared, struct mrc_ud_msg *m)
{
	enum ib_wc_status status;
	struct mrc_av *av;
	int ret;

	*m = (struct mrc_ud_msg){
		.data = q->ud.buf,
		.qpn = wr->remote_qpn & MRC_QPN_MASK,
		.qkey = wr->remote_qkey & MRC_UD_OWN_QKEY ? q->ud.ud->qkey : wr->remote_qkey,
		.imm = wr->imm_data,
		.has_imm = wr->opcode == MRC_WR_SEND_IMM,
		.solicited = wr->flags & MRC_WR_SOLICITED,
	};
	if (!READ_ONCE(to_mrc_dev(q->ib.device)->cfg.extensions))
		return IB_WC_LOC_QP_OP_ERR;
	status = mrc_ud_gather(q, wr, shared, m);
	if (status != IB_WC_SUCCESS)
		return status;
	av = mrc_av_get(q->ib.device, wr->ah);
	if (!av)
		return IB_WC_LOC_QP_OP_ERR;
	ret = mrc_ud_send_to(q, av, m);
	mrc_av_put(av);
	return ret;
}

/* The QP goes from one state to another, unless it has left the first one. q->ud.lock held. */
static bool mrc_ud_move(struct mrc_ib_qp *q, enum ib_qp_state from, enum ib_qp_state to)
{
	struct mrc_ud *ud = q->ud.ud;
	bool moved;

	spin_lock_bh(&ud->lock);
	moved = ud->state == from;
	if (moved)
		WRITE_ONCE(ud->state, to);
	spin_unlock_bh(&ud->lock);
	return moved;
}

/* Takes the next send out of the ring. q->ud.lock held. Return: 0, -EAGAIN, -EBADMSG. */
static int mrc_ud_take_send(struct mrc_ib_qp *q)
{
	const struct mrc_send_wr *shared = mrc_kring_entry(&q->sq);
	struct mrc_send_wr wr;
	struct mrc_ud_msg m;
	int ret;

	mrc_kring_copy(&wr, shared, offsetof(struct mrc_send_wr, sge));
	if (!mrc_ud_wr_possible(q, &wr))
		return mrc_ib_qp_corrupt(q);
	ret = mrc_ud_send_wr(q, &wr, shared, &m);
	if (ret < 0)
		return ret;
	mrc_kring_consume(&q->sq);
	if (ret != IB_WC_SUCCESS)
		mrc_ud_move(q, IB_QPS_RTS, IB_QPS_SQE);
	if (ret != IB_WC_SUCCESS || q->sig_all || wr.flags & MRC_WR_SIGNALED)
		mrc_ud_send_cqe(q, wr.wr_id, m.len, ret);
	return 0;
}

/* Sends or flushes the next request. q->ud.lock held. Return: 0; -EAGAIN; -EBADMSG; -EINVAL: not now. */
static int mrc_ud_next(struct mrc_ib_qp *q)
{
	switch (READ_ONCE(q->ud.ud->state)) {
	case IB_QPS_RTS:
		return mrc_ud_take_send(q);
	case IB_QPS_SQE:
	case IB_QPS_ERR:
		mrc_ud_send_cqe(q, mrc_kring_take_wr_id(&q->sq), 0, IB_WC_WR_FLUSH_ERR);
		return 0;
	default:
		return -EINVAL;
	}
}

/* Sends what was posted when it begins. q->ud.lock held. Return: 0, or an error of mrc_ud_next(). */
static int mrc_ud_send_all(struct mrc_ib_qp *q)
{
	int ret = 0, n = mrc_kring_avail(&q->sq);

	if (n < 0)
		return mrc_ib_qp_corrupt(q);
	for (; n > 0 && !ret; n--) {
		ret = mrc_ud_next(q);
		cond_resched();
	}
	return ret;
}

/* Process context. If the queues of this host are full, the work goes on after a pause. */
static void mrc_ud_send_posted(struct mrc_ib_qp *q)
{
	int ret = 0;

	mutex_lock(&q->ud.lock);
	if (q->ud.ud)
		ret = mrc_ud_send_all(q);
	if (ret == -EBADMSG)
		mrc_ud_fail(q);
	else if (ret == -EAGAIN)
		queue_delayed_work(mrc_ud_wq, &q->ud.work, MRC_UD_PAUSE);
	mutex_unlock(&q->ud.lock);
}

/* ---- error ------------------------------------------------------------------------- */

/* Flushes all receives of a QP in error. BH on. */
static void mrc_ud_flush_recv(struct mrc_ib_qp *q, struct mrc_ud *ud)
{
	const struct mrc_ud_done done = { .status = IB_WC_WR_FLUSH_ERR };
	int n = 0;

	spin_lock_bh(&ud->lock);
	if (ud->state == IB_QPS_ERR) {
		mrc_kring_want_doorbell(&q->rq);
		n = mrc_kring_avail(&q->rq);
	}
	for (; n > 0; n--) {
		mrc_ud_recv_cqe(q, &done);
		mrc_count(ud->dev, MRC_CNT_RESP_CQE_FLUSH);
	}
	spin_unlock_bh(&ud->lock);
}

static void mrc_ud_work(struct work_struct *work)
{
	struct mrc_ib_qp *q = container_of(work, struct mrc_ib_qp, ud.work.work);

	mrc_ud_send_posted(q);
	mutex_lock(&q->ud.lock);
	if (q->ud.ud)
		mrc_ud_flush_recv(q, q->ud.ud);
	mutex_unlock(&q->ud.lock);
}

/* Any context in which the QP is not being closed. */
void mrc_ud_fail(struct mrc_ib_qp *q)
{
	struct mrc_ud *ud = q->ud.ud;
	bool fails;

	spin_lock_bh(&ud->lock);
	fails = ud->state != IB_QPS_RESET && ud->state != IB_QPS_ERR;
	if (fails) {
		WRITE_ONCE(ud->state, IB_QPS_ERR);
		mrc_ud_failed(q);
	}
	spin_unlock_bh(&ud->lock);
}

/* ---- doorbells ----------------------------------------------------------------------- */

void mrc_ud_doorbell_send(struct mrc_ib_qp *q)
{
	mrc_ud_send_posted(q);
}

void mrc_ud_doorbell_recv(struct mrc_ib_qp *q)
{
	mrc_ud_flush_recv(q, q->ud.ud);
}

void mrc_ud_doorbell_ulp(struct mrc_ib_qp *q)
{
	mrc_ud_hurry(q);
}

/* ---- states -------------------------------------------------------------------------- */

/* Return: the state to go to, or a negative error. q->ud.lock held. */
static int mrc_ud_check_modify(struct mrc_ib_qp *q, const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state cur = READ_ONCE(q->ud.ud->state);
	int next = mrc_ib_qp_next(cur, attr, mask);

	if (next < 0)
		return next;
	return ib_modify_qp_is_ok(cur, next, q->ib.qp_type, mask) ? next : -EINVAL;
}

/* Rings are read under the one or the other lock. q->ud.lock held. */
static void mrc_ud_reset(struct mrc_ib_qp *q)
{
	struct mrc_ud *ud = q->ud.ud;

	spin_lock_bh(&ud->lock);
	WRITE_ONCE(ud->state, IB_QPS_RESET);
	mrc_kring_reset(&q->sq);
	mrc_kring_reset(&q->rq);
	WRITE_ONCE(ud->qkey, 0);
	spin_unlock_bh(&ud->lock);
	mrc_ib_qp_forget(q);
}

/* q->ud.lock held. */
static void mrc_ud_to_err(struct mrc_ib_qp *q)
{
	struct mrc_ud *ud = q->ud.ud;

	spin_lock_bh(&ud->lock);
	WRITE_ONCE(ud->state, IB_QPS_ERR);
	spin_unlock_bh(&ud->lock);
	mrc_ud_flush_recv(q, ud);
	mrc_ud_send_all(q);
}

/* q->ud.lock held. Return: 0 or -EINVAL: a CQ has failed, or the QP has. */
static int mrc_ud_transition(struct mrc_ib_qp *q, enum ib_qp_state next,
			     const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state cur = READ_ONCE(q->ud.ud->state);

	switch (next) {
	case IB_QPS_RESET:
		mrc_ud_reset(q);
		return 0;
	case IB_QPS_ERR:
		mrc_ud_to_err(q);
		return 0;
	case IB_QPS_INIT:
		q->ib.port = 1;
		if (!mrc_ud_move(q, cur, next))
			return -EINVAL;
		/* From now on a CQ that fails takes the QP with it. */
		if (!mrc_cq_failed(q->scq) && !mrc_cq_failed(q->rcq))
			return 0;
		mrc_ud_reset(q);
		return -EINVAL;
	default:
		if (mask & IB_QP_SQ_PSN)
			q->ud.ud->psn = attr->sq_psn & MRC_PSN_MASK;
		return mrc_ud_move(q, cur, next) ? 0 : -EINVAL;
	}
}

static int mrc_ud_apply(struct mrc_ib_qp *q, const struct ib_qp_attr *attr, int mask)
{
	int next = mrc_ud_check_modify(q, attr, mask), ret = 0;

	if (next < 0)
		return next;
	if (mask & IB_QP_STATE && next != READ_ONCE(q->ud.ud->state))
		ret = mrc_ud_transition(q, next, attr, mask);
	if (ret || next == IB_QPS_RESET)
		return ret;
	if (mask & IB_QP_QKEY) {
		q->attr.qkey = attr->qkey;
		WRITE_ONCE(q->ud.ud->qkey, attr->qkey);
	}
	if (mask & IB_QP_SQ_PSN)
		q->attr.sq_psn = attr->sq_psn & MRC_PSN_MASK;
	return 0;
}

int mrc_ud_modify(struct mrc_ib_qp *q, const struct ib_qp_attr *attr, int mask)
{
	int ret;

	mutex_lock(&q->ud.lock);
	ret = mrc_ud_apply(q, attr, mask);
	mutex_unlock(&q->ud.lock);
	return ret;
}

int mrc_ud_query(struct mrc_ib_qp *q, struct ib_qp_attr *attr)
{
	struct mrc_ud *ud;

	mutex_lock(&q->ud.lock);
	ud = q->ud.ud;
	*attr = q->attr;
	attr->qp_state = ud ? READ_ONCE(ud->state) : IB_QPS_RESET;
	mutex_unlock(&q->ud.lock);
	return ud ? 0 : -EAGAIN;
}

/* ---- life ------------------------------------------------------------------------------ */

int mrc_ud_open(struct mrc_ib_qp *q)
{
	bool gsi = q->ib.qp_type == IB_QPT_GSI;
	struct mrc_ud *ud;

	q->ud.buf = kmalloc(MRC_MTU_MAX, GFP_KERNEL_ACCOUNT);
	if (!q->ud.buf)
		return -ENOMEM;
	mutex_init(&q->ud.lock);
	INIT_DELAYED_WORK(&q->ud.work, mrc_ud_work);
	ud = mrc_ud_create(to_mrc_dev(q->ib.device), &mrc_ud_qp_ops, q, q->ib.pd, gsi);
	if (IS_ERR(ud)) {
		kfree(q->ud.buf);
		return PTR_ERR(ud);
	}
	q->ud.ud = ud;
	q->ib.qp_num = ud->qpn;
	mrc_ib_qp_forget(q);
	return 0;
}

void mrc_ud_close(struct mrc_ib_qp *q)
{
	struct mrc_ud *ud = q->ud.ud;

	mutex_lock(&q->ud.lock);
	q->ud.ud = NULL;
	mutex_unlock(&q->ud.lock);
	mrc_ud_destroy(ud);
	cancel_delayed_work_sync(&q->ud.work);
	kfree(q->ud.buf);
	q->ud.buf = NULL;
}

int mrc_ud_module_init(void)
{
	mrc_ud_wq = alloc_workqueue("mrc_ud", WQ_UNBOUND, 0);
	return mrc_ud_wq ? 0 : -ENOMEM;
}

void mrc_ud_module_exit(void)
{
	destroy_workqueue(mrc_ud_wq);
}
