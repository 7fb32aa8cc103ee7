/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ibv_wr_* calls. Requests are built in place in the send ring and become
 * visible to the kernel together, by ibv_wr_complete(). The ring's lock is held
 * from ibv_wr_start() on.
 */
#include <errno.h>

#include "provider.h"

static struct mrc_uqp *to_mrc_wr_qp(struct ibv_qp_ex *qp)
{
	return to_mrc_uqp(&qp->qp_base);
}

static void mrc_wr_start(struct ibv_qp_ex *ex)
{
	struct mrc_uqp *qp = to_mrc_wr_qp(ex);

	pthread_spin_lock(&qp->sq.lock);
	qp->wr_start = qp->sq.index;
	qp->wr_error = 0;
	qp->wr = NULL;
}

static void mrc_wr_abort(struct ibv_qp_ex *ex)
{
	struct mrc_uqp *qp = to_mrc_wr_qp(ex);

	qp->sq.index = qp->wr_start;
	pthread_spin_unlock(&qp->sq.lock);
}

static int mrc_wr_complete(struct ibv_qp_ex *ex)
{
	struct mrc_uqp *qp = to_mrc_wr_qp(ex);
	int err = mrc_may_send(&ex->qp_base) ? qp->wr_error : EINVAL;
	bool any;

	if (err) {
		mrc_wr_abort(ex);
		return err;
	}
	any = qp->sq.index != qp->wr_start;
	mrc_uring_publish(&qp->sq);
	pthread_spin_unlock(&qp->sq.lock);
	if (any)
		mrc_send_doorbell(qp);
	return 0;
}

static void mrc_wr_note(struct mrc_uqp *qp, int err)
{
	if (err && !qp->wr_error)
		qp->wr_error = err;
}

static void mrc_wr_begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey,
			 uint64_t remote_addr, __be32 imm_data)
{
	struct mrc_uqp *qp = to_mrc_wr_qp(ex);
	int err;

	qp->wr = NULL;
	err = mrc_send_begin(qp, ex->wr_id, opcode, ex->wr_flags, &qp->wr);
	if (err) {
		mrc_wr_note(qp, err);
		return;
	}
	qp->wr->rkey = rkey;
	qp->wr->remote_addr = remote_addr;
	qp->wr->imm_data = imm_data;
	qp->sq.index++;
}

static void mrc_wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr)
{
	mrc_wr_begin(ex, IBV_WR_RDMA_WRITE, rkey, remote_addr, 0);
}

static void mrc_wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr,
				  __be32 imm_data)
{
	mrc_wr_begin(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr, imm_data);
}

static void mrc_wr_send(struct ibv_qp_ex *ex)
{
	mrc_wr_begin(ex, IBV_WR_SEND, 0, 0, 0);
}

static void mrc_wr_send_imm(struct ibv_qp_ex *ex, __be32 imm_data)
{
	mrc_wr_begin(ex, IBV_WR_SEND_WITH_IMM, 0, 0, imm_data);
}

static void mrc_wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr)
{
	mrc_wr_begin(ex, IBV_WR_RDMA_READ, rkey, remote_addr, 0);
}

static void mrc_wr_atomic(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey,
			  uint64_t remote_addr, struct mrc_wr_atomic atomic)
{
	struct mrc_uqp *qp = to_mrc_wr_qp(ex);

	mrc_wr_begin(ex, opcode, rkey, remote_addr, 0);
	if (qp->wr)
		qp->wr->atomic = atomic;
}

static void mrc_wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr,
				  uint64_t compare, uint64_t swap)
{
	mrc_wr_atomic(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr,
		      (struct mrc_wr_atomic){ .compare_add = compare, .swap = swap });
}

static void mrc_wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t remote_addr,
				    uint64_t add)
{
	mrc_wr_atomic(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr,
		      (struct mrc_wr_atomic){ .compare_add = add });
}

static void mrc_wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn,
			       uint32_t qkey)
{
	struct mrc_uqp *qp = to_mrc_wr_qp(ex);

	if (qp->wr)
		mrc_send_set_address(qp->wr, ah, qpn, qkey);
}

static void mrc_wr_set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *sge)
{
	struct mrc_uqp *qp = to_mrc_wr_qp(ex);

	if (qp->wr)
		mrc_wr_note(qp, mrc_is_atomic(qp->wr) ? mrc_send_set_element(qp->wr, sge, n) :
							 mrc_send_set_sges(qp, qp->wr, sge, n));
}

static void mrc_wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	mrc_wr_set_sge_list(ex, 1, &sge);
}

static void mrc_wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	struct mrc_uqp *qp = to_mrc_wr_qp(ex);

	if (qp->wr)
		mrc_wr_note(qp, mrc_send_add_inline(qp, qp->wr, addr, length));
}

static void mrc_wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t n,
					const struct ibv_data_buf *buf)
{
	size_t i;

	for (i = 0; i < n; i++)
		mrc_wr_set_inline_data(ex, buf[i].addr, buf[i].length);
}

void mrc_wr_init(struct mrc_uqp *qp, uint64_t ops)
{
	struct ibv_qp_ex *ex = &qp->base.qp_ex;

	qp->base.comp_mask |= VERBS_QP_EX;
	ex->wr_start = mrc_wr_start;
	ex->wr_complete = mrc_wr_complete;
	ex->wr_abort = mrc_wr_abort;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE)
		ex->wr_rdma_write = mrc_wr_rdma_write;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ex->wr_rdma_write_imm = mrc_wr_rdma_write_imm;
	if (ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = mrc_wr_send;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = mrc_wr_send_imm;
	if (ops & IBV_QP_EX_WITH_RDMA_READ)
		ex->wr_rdma_read = mrc_wr_rdma_read;
	if (ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ex->wr_atomic_cmp_swp = mrc_wr_atomic_cmp_swp;
	if (ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ex->wr_atomic_fetch_add = mrc_wr_atomic_fetch_add;
	if (qp->base.qp.qp_type == IBV_QPT_UD)
		ex->wr_set_ud_addr = mrc_wr_set_ud_addr;
	ex->wr_set_sge = mrc_wr_set_sge;
	ex->wr_set_sge_list = mrc_wr_set_sge_list;
	ex->wr_set_inline_data = mrc_wr_set_inline_data;
	ex->wr_set_inline_data_list = mrc_wr_set_inline_data_list;
}
