/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Posting: ibv_post_send(), ibv_post_recv(). */
#include <errno.h>
#include <string.h>

#include "provider.h"

/* A QP of datagrams. Return: as mrc_opcode(). */
static int mrc_ud_opcode(enum ibv_wr_opcode opcode)
{
	if (opcode == IBV_WR_SEND)
		return MRC_WR_SEND;
	return opcode == IBV_WR_SEND_WITH_IMM ? MRC_WR_SEND_IMM : -EINVAL;
}

/* @return the kind of request for the kernel, or a negative errno value. */
static int mrc_opcode(const struct mrc_uqp *qp, enum ibv_wr_opcode opcode)
{
	uint32_t features = to_mrc_ucontext(qp->base.qp.context)->features;
	bool sends = features & MRC_FEATURE_SENDS, reads = features & MRC_FEATURE_READS;

	if (qp->base.qp.qp_type == IBV_QPT_UD)
		return mrc_ud_opcode(opcode);
	switch (opcode) {
	case IBV_WR_RDMA_WRITE:
		return MRC_WR_WRITE;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return MRC_WR_WRITE_IMM;
	case IBV_WR_SEND:
		return sends ? MRC_WR_SEND : -EOPNOTSUPP;
	case IBV_WR_SEND_WITH_IMM:
		return sends ? MRC_WR_SEND_IMM : -EOPNOTSUPP;
	case IBV_WR_RDMA_READ:
		return reads ? MRC_WR_READ : -EOPNOTSUPP;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return reads ? MRC_WR_CMP_SWAP : -EOPNOTSUPP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return reads ? MRC_WR_FETCH_ADD : -EOPNOTSUPP;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
	case IBV_WR_BIND_MW:
	case IBV_WR_TSO:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

/* Without READs there is nothing that a fence would wait for. */
static uint32_t mrc_flags(const struct mrc_uqp *qp, int opcode, unsigned int flags)
{
	bool reads = to_mrc_ucontext(qp->base.qp.context)->features & MRC_FEATURE_READS;
	bool send = opcode == MRC_WR_SEND || opcode == MRC_WR_SEND_IMM;

	return (reads && flags & IBV_SEND_FENCE ? MRC_WR_FENCE : 0) |
	       (flags & IBV_SEND_SIGNALED ? MRC_WR_SIGNALED : 0) |
	       (send && flags & IBV_SEND_SOLICITED ? MRC_WR_SOLICITED : 0);
}

int mrc_send_begin(struct mrc_uqp *qp, uint64_t wr_id, enum ibv_wr_opcode opcode,
		   unsigned int flags, struct mrc_send_wr **entry)
{
	int kind = mrc_opcode(qp, opcode);
	struct mrc_send_wr *wr;

	if (kind < 0)
		return -kind;
	if (!mrc_uring_has_room(&qp->sq))
		return ENOMEM;
	wr = mrc_uring_entry(&qp->sq);
	wr->wr_id = wr_id;
	wr->opcode = (uint32_t)kind;
	wr->flags = mrc_flags(qp, kind, flags);
	wr->remote_addr = 0;
	wr->rkey = 0;
	wr->num_sge = 0;
	wr->inline_len = 0;
	wr->imm_data = 0;
	*entry = wr;
	return 0;
}

int mrc_send_set_sges(struct mrc_uqp *qp, struct mrc_send_wr *wr, const struct ibv_sge *sge,
		      size_t n)
{
	size_t i;

	if (n > qp->max_sge)
		return EINVAL;
	for (i = 0; i < n; i++) {
		wr->sge[i].addr = sge[i].addr;
		wr->sge[i].length = sge[i].length;
		wr->sge[i].lkey = sge[i].lkey;
	}
	wr->num_sge = (uint32_t)n;
	return 0;
}

int mrc_send_add_inline(struct mrc_uqp *qp, struct mrc_send_wr *wr, const void *data,
			size_t length)
{
	if (wr->opcode >= MRC_WR_READ || length > qp->max_inline - wr->inline_len)
		return EINVAL;
	memcpy(wr->inline_data + wr->inline_len, data, length);
	wr->inline_len += (uint32_t)length;
	wr->flags |= MRC_WR_INLINE;
	return 0;
}

int mrc_send_set_element(struct mrc_send_wr *wr, const struct ibv_sge *sge, size_t n)
{
	if (n != 1 || sge->length != sizeof(uint64_t))
		return EINVAL;
	wr->atomic.addr = sge->addr;
	wr->lkey = sge->lkey;
	return 0;
}

static int mrc_fill_inline(struct mrc_uqp *qp, struct mrc_send_wr *wr,
			   const struct ibv_send_wr *src)
{
	int i, err = 0;

	wr->flags |= MRC_WR_INLINE;
	for (i = 0; i < src->num_sge && !err; i++)
		err = mrc_send_add_inline(qp, wr, (const void *)(uintptr_t)src->sg_list[i].addr,
					  src->sg_list[i].length);
	return err;
}

void mrc_send_set_address(struct mrc_send_wr *wr, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	wr->ah = to_mrc_uah(ah)->number;
	wr->remote_qpn = qpn;
	wr->remote_qkey = qkey;
}

static void mrc_fill_remote(struct mrc_send_wr *wr, const struct ibv_send_wr *src)
{
	switch (wr->opcode) {
	case MRC_WR_WRITE:
	case MRC_WR_WRITE_IMM:
	case MRC_WR_READ:
		wr->remote_addr = src->wr.rdma.remote_addr;
		wr->rkey = src->wr.rdma.rkey;
		break;
	case MRC_WR_CMP_SWAP:
	case MRC_WR_FETCH_ADD:
		wr->remote_addr = src->wr.atomic.remote_addr;
		wr->rkey = src->wr.atomic.rkey;
		wr->atomic.compare_add = src->wr.atomic.compare_add;
		wr->atomic.swap = src->wr.atomic.swap;
		break;
	}
	if (wr->opcode == MRC_WR_WRITE_IMM || wr->opcode == MRC_WR_SEND_IMM)
		wr->imm_data = src->imm_data;
}

static int mrc_send_one(struct mrc_uqp *qp, const struct ibv_send_wr *src)
{
	struct mrc_send_wr *wr;
	int err;

	if (src->num_sge < 0)
		return EINVAL;
	err = mrc_send_begin(qp, src->wr_id, src->opcode, src->send_flags, &wr);
	if (err)
		return err;
	mrc_fill_remote(wr, src);
	if (qp->base.qp.qp_type == IBV_QPT_UD)
		mrc_send_set_address(wr, src->wr.ud.ah, src->wr.ud.remote_qpn,
				     src->wr.ud.remote_qkey);
	if (src->send_flags & IBV_SEND_INLINE)
		err = wr->opcode >= MRC_WR_READ ? EINVAL : mrc_fill_inline(qp, wr, src);
	else if (mrc_is_atomic(wr))
		err = mrc_send_set_element(wr, src->sg_list, (size_t)src->num_sge);
	else
		err = mrc_send_set_sges(qp, wr, src->sg_list, (size_t)src->num_sge);
	if (!err)
		qp->sq.index++;
	return err;
}

/* As in verbs: a QP must be connected, or in error, where sends are flushed. */
bool mrc_may_send(const struct ibv_qp *qp)
{
	return qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_ERR || qp->state == IBV_QPS_SQE;
}

int mrc_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct mrc_uqp *qp = to_mrc_uqp(ibqp);
	struct ibv_send_wr *first = wr;
	int err = 0;

	if (!mrc_may_send(ibqp)) {
		*bad_wr = wr;
		return EINVAL;
	}
	pthread_spin_lock(&qp->sq.lock);
	for (; wr; wr = wr->next) {
		err = mrc_send_one(qp, wr);
		if (err)
			break;
	}
	mrc_uring_publish(&qp->sq);
	pthread_spin_unlock(&qp->sq.lock);
	*bad_wr = wr;
	if (wr != first)
		mrc_send_doorbell(qp);
	return err;
}

/* An older module has no room for elements in the ring: it receives immediates only. */
static void mrc_recv_set_sges(struct ibv_context *context, struct mrc_recv_wr *wr,
			      const struct ibv_recv_wr *src)
{
	int i;

	if (!(to_mrc_ucontext(context)->features & MRC_FEATURE_SENDS))
		return;
	for (i = 0; i < src->num_sge; i++) {
		wr->sge[i].addr = src->sg_list[i].addr;
		wr->sge[i].length = src->sg_list[i].length;
		wr->sge[i].lkey = src->sg_list[i].lkey;
	}
	wr->num_sge = (uint32_t)src->num_sge;
}

static int mrc_recv_one(struct ibv_context *context, struct mrc_uring *ring, uint32_t max_sge,
			const struct ibv_recv_wr *src)
{
	struct mrc_recv_wr *wr;

	if (src->num_sge < 0 || (uint32_t)src->num_sge > max_sge)
		return EINVAL;
	if (!mrc_uring_has_room(ring))
		return ENOMEM;
	wr = mrc_uring_entry(ring);
	wr->wr_id = src->wr_id;
	mrc_recv_set_sges(context, wr, src);
	ring->index++;
	return 0;
}

/* Writes receives into a ring. The lock is held. Return: the first one that was refused, or NULL. */
static struct ibv_recv_wr *mrc_recv_list(struct ibv_context *context, struct mrc_uring *ring,
					 uint32_t max_sge, struct ibv_recv_wr *wr, int *err)
{
	for (; wr; wr = wr->next) {
		*err = mrc_recv_one(context, ring, max_sge, wr);
		if (*err)
			break;
	}
	mrc_uring_publish(ring);
	return wr;
}

int mrc_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct mrc_uqp *qp = to_mrc_uqp(ibqp);
	int err = 0;

	*bad_wr = wr;
	if (ibqp->srq || ibqp->state == IBV_QPS_RESET)
		return EINVAL;
	pthread_spin_lock(&qp->rq.lock);
	*bad_wr = mrc_recv_list(ibqp->context, &qp->rq, qp->max_recv_sge, wr, &err);
	pthread_spin_unlock(&qp->rq.lock);
	mrc_recv_doorbell(qp);
	return err;
}

int mrc_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct mrc_usrq *srq = to_mrc_usrq(ibsrq);
	int err = 0;

	pthread_spin_lock(&srq->ring.lock);
	mrc_uring_free_read(&srq->ring);
	*bad_wr = mrc_recv_list(ibsrq->context, &srq->ring, srq->max_sge, wr, &err);
	pthread_spin_unlock(&srq->ring.lock);
	mrc_srq_doorbell(srq);
	return err;
}
