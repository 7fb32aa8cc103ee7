// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users in the kernel.
 */
#include "ah.h"
#include "qp.h"
#include "ud.h"
#include "ulp.h"

/* ---- posting -------------------------------------------------------------------- */

/* The lock of the ring is held. Return: the next free entry, or NULL. */
static void *mrc_ulp_free_entry(const struct mrc_kring *ring)
{
	u32 at = ring->mem->producer;

	/* Pairs with mrc_kring_consume(): the entry is not read any more. */
	if (at - smp_load_acquire(&ring->mem->consumer) >= ring->size)
		return NULL;
	return mrc_kring_at(ring, at);
}

/* Likewise. */
static void mrc_ulp_publish(struct mrc_kring *ring)
{
	/* Pairs with mrc_kring_avail(): the entry has been written. */
	smp_store_release(&ring->mem->producer, ring->mem->producer + 1);
}

static void mrc_ulp_copy_sges(struct mrc_wr_sge *to, const struct ib_sge *from, int n)
{
	int i;

	for (i = 0; i < n; i++)
		to[i] = (struct mrc_wr_sge){
			.addr = from[i].addr,
			.length = from[i].length,
			.lkey = from[i].lkey,
		};
}

static void mrc_ulp_fill_ud(struct mrc_send_wr *to, const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);

	to->ah = to_mrc_ah(ud->ah)->av->number;
	to->remote_qpn = ud->remote_qpn;
	to->remote_qkey = ud->remote_qkey;
}

static void mrc_ulp_fill_atomic(struct mrc_send_wr *to, const struct ib_send_wr *wr)
{
	const struct ib_atomic_wr *atomic = atomic_wr(wr);

	to->remote_addr = atomic->remote_addr;
	to->rkey = atomic->rkey;
	to->num_sge = 0;
	to->lkey = wr->sg_list[0].lkey;
	to->atomic = (struct mrc_wr_atomic){
		.compare_add = atomic->compare_add,
		.swap = atomic->swap,
		.addr = wr->sg_list[0].addr,
	};
}

static void mrc_ulp_fill_reg(struct mrc_send_wr *to, const struct ib_reg_wr *reg)
{
	to->remote_addr = (uintptr_t)reg->mr;
	to->rkey = reg->key;
	to->imm_data = (__force __be32)reg->access;
}

/* Fills in what only this kind of request has. */
static void mrc_ulp_fill_kind(struct mrc_send_wr *to, const struct ib_send_wr *wr)
{
	switch (to->opcode) {
	case MRC_WR_WRITE_IMM:
		to->imm_data = wr->ex.imm_data;
		fallthrough;
	case MRC_WR_WRITE:
	case MRC_WR_READ:
		to->remote_addr = rdma_wr(wr)->remote_addr;
		to->rkey = rdma_wr(wr)->rkey;
		break;
	case MRC_WR_SEND_IMM:
		to->imm_data = wr->ex.imm_data;
		break;
	case MRC_WR_SEND_INV:
		to->imm_data = cpu_to_be32(wr->ex.invalidate_rkey);
		break;
	case MRC_WR_CMP_SWAP:
	case MRC_WR_FETCH_ADD:
		mrc_ulp_fill_atomic(to, wr);
		break;
	case MRC_WR_REG_MR:
		mrc_ulp_fill_reg(to, reg_wr(wr));
		break;
	case MRC_WR_LOCAL_INV:
		to->rkey = wr->ex.invalidate_rkey;
		break;
	}
}

static u32 mrc_ulp_flags(const struct ib_send_wr *wr)
{
	return (wr->send_flags & IB_SEND_SIGNALED ? MRC_WR_SIGNALED : 0) |
	       (wr->send_flags & IB_SEND_SOLICITED ? MRC_WR_SOLICITED : 0) |
	       (wr->send_flags & IB_SEND_FENCE ? MRC_WR_FENCE : 0);
}

/* Inline data are at addresses of the kernel. */
static void mrc_ulp_copy_inline(struct mrc_send_wr *to, const struct ib_send_wr *wr)
{
	int i;

	to->flags |= MRC_WR_INLINE;
	to->num_sge = 0;
	for (i = 0; i < wr->num_sge; i++) {
		memcpy(to->inline_data + to->inline_len, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		to->inline_len += wr->sg_list[i].length;
	}
}

static void mrc_ulp_fill_send(const struct mrc_ib_qp *q, struct mrc_send_wr *to,
			      const struct ib_send_wr *wr, u32 opcode)
{
	*to = (struct mrc_send_wr){
		.wr_id = wr->wr_id,
		.opcode = opcode,
		.flags = mrc_ulp_flags(wr),
		.num_sge = wr->num_sge,
	};
	if (wr->send_flags & IB_SEND_INLINE)
		mrc_ulp_copy_inline(to, wr);
	else
		mrc_ulp_copy_sges(to->sge, wr->sg_list, wr->num_sge);
	mrc_ulp_fill_kind(to, wr);
	if (mrc_qp_is_ud(q))
		mrc_ulp_fill_ud(to, wr);
}

/* Return: an opcode of a ring, or -EOPNOTSUPP: the QP has no such requests. */
static int mrc_ulp_opcode(const struct mrc_ib_qp *q, const struct ib_send_wr *wr)
{
	static const s8 opcodes[] = {
		[IB_WR_RDMA_WRITE] = MRC_WR_WRITE,
		[IB_WR_RDMA_WRITE_WITH_IMM] = MRC_WR_WRITE_IMM,
		[IB_WR_SEND] = MRC_WR_SEND,
		[IB_WR_SEND_WITH_IMM] = MRC_WR_SEND_IMM,
		[IB_WR_RDMA_READ] = MRC_WR_READ,
		[IB_WR_ATOMIC_CMP_AND_SWP] = MRC_WR_CMP_SWAP,
		[IB_WR_ATOMIC_FETCH_AND_ADD] = MRC_WR_FETCH_ADD,
		[IB_WR_LSO] = -1,
		[IB_WR_SEND_WITH_INV] = MRC_WR_SEND_INV,
		[IB_WR_RDMA_READ_WITH_INV] = -1,
		[IB_WR_LOCAL_INV] = MRC_WR_LOCAL_INV,
	};
	int opcode = -1;

	if (wr->opcode == IB_WR_REG_MR)
		opcode = MRC_WR_REG_MR;
	else if (wr->opcode < ARRAY_SIZE(opcodes))
		opcode = opcodes[wr->opcode];
	if (opcode < 0 || (mrc_qp_is_ud(q) && opcode != MRC_WR_SEND && opcode != MRC_WR_SEND_IMM))
		return -EOPNOTSUPP;
	return opcode;
}

/* Return: 0, or -EINVAL: more elements or bytes than an entry has room for. */
static int mrc_ulp_fits(const struct mrc_ib_qp *q, const struct ib_send_wr *wr, u32 opcode)
{
	bool atomic = opcode == MRC_WR_CMP_SWAP || opcode == MRC_WR_FETCH_ADD;
	u64 bytes = 0;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > q->cap.max_send_sge || (atomic && wr->num_sge != 1))
		return -EINVAL;
	if (!(wr->send_flags & IB_SEND_INLINE))
		return 0;
	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return atomic || bytes > q->cap.max_inline_data ? -EINVAL : 0;
}

static int mrc_ulp_send_one(struct mrc_ib_qp *q, const struct ib_send_wr *wr)
{
	int opcode = mrc_ulp_opcode(q, wr), err;
	struct mrc_send_wr *entry;

	if (opcode < 0)
		return opcode;
	err = mrc_ulp_fits(q, wr, opcode);
	if (err)
		return err;
	entry = mrc_ulp_free_entry(&q->sq);
	if (!entry)
		return -ENOMEM;
	mrc_ulp_fill_send(q, entry, wr, opcode);
	mrc_ulp_publish(&q->sq);
	return 0;
}

int mrc_ulp_post_send(struct mrc_ib_qp *q, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&q->post_lock, flags);
	for (; wr && !err; wr = err ? wr : wr->next)
		err = mrc_ulp_send_one(q, wr);
	spin_unlock_irqrestore(&q->post_lock, flags);
	*bad = wr;
	return err;
}

/* The lock of the ring is held. */
static int mrc_ulp_recv_one(struct mrc_kring *ring, u32 sges, const struct ib_recv_wr *wr)
{
	struct mrc_recv_wr *entry;

	if (wr->num_sge < 0 || wr->num_sge > sges)
		return -EINVAL;
	entry = mrc_ulp_free_entry(ring);
	if (!entry)
		return -ENOMEM;
	entry->wr_id = wr->wr_id;
	entry->num_sge = wr->num_sge;
	mrc_ulp_copy_sges(entry->sge, wr->sg_list, wr->num_sge);
	mrc_ulp_publish(ring);
	return 0;
}

int mrc_ulp_post_recv(struct mrc_kring *ring, spinlock_t *lock, u32 sges,
		      const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(lock, flags);
	for (; wr && !err; wr = err ? wr : wr->next)
		err = mrc_ulp_recv_one(ring, sges, wr);
	spin_unlock_irqrestore(lock, flags);
	*bad = wr;
	return err;
}

/* ---- polling -------------------------------------------------------------------- */

static void mrc_ulp_fill_wc(struct ib_wc *wc, const struct mrc_ulp_cqe *entry)
{
	const struct mrc_cqe *cqe = &entry->cqe;

	*wc = (struct ib_wc){
		.wr_id = cqe->wr_id,
		.status = cqe->status,
		.opcode = cqe->opcode,
		.byte_len = cqe->byte_len,
		.qp = entry->qp,
		.port_num = 1,
	};
	if (cqe->flags & MRC_CQE_IMM) {
		wc->ex.imm_data = cqe->imm_data;
		wc->wc_flags |= IB_WC_WITH_IMM;
	}
	if (cqe->flags & MRC_CQE_INV) {
		wc->ex.invalidate_rkey = be32_to_cpu(cqe->imm_data);
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
	}
	if (cqe->flags & MRC_CQE_GRH) {
		wc->src_qp = cqe->flags >> MRC_CQE_SRC_QP_SHIFT;
		wc->wc_flags |= IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
		wc->network_hdr_type = cqe->flags & MRC_CQE_GRH_IP4 ? RDMA_NETWORK_IPV4 :
								      RDMA_NETWORK_IPV6;
	}
}

int mrc_poll_cq(struct ib_cq *ibcq, int max, struct ib_wc *wc)
{
	struct mrc_ib_cq *cq = to_mrc_cq(ibcq);
	struct mrc_kring *ring = &cq->ring;
	unsigned long flags;
	u32 at, end;
	int n = 0;

	if (cq->user)
		return -EOPNOTSUPP;
	spin_lock_irqsave(&cq->poll_lock, flags);
	at = ring->mem->consumer;
	/* Pairs with mrc_kring_produce(). */
	end = smp_load_acquire(&ring->mem->producer);
	while (n < max && at != end)
		mrc_ulp_fill_wc(&wc[n++], mrc_kring_at(ring, at++));
	/* Pairs with mrc_kring_room(). */
	smp_store_release(&ring->mem->consumer, at);
	spin_unlock_irqrestore(&cq->poll_lock, flags);
	return n;
}

/* The others move towards the end, where completions are added; none of this QP is. */
void mrc_ulp_purge(struct mrc_ib_cq *cq, const struct ib_qp *qp)
{
	struct mrc_kring *ring = &cq->ring;
	struct mrc_ulp_cqe *entry;
	unsigned long flags;
	u32 from, to;

	spin_lock_irqsave(&cq->poll_lock, flags);
	from = smp_load_acquire(&ring->mem->producer);
	to = from;
	while (from != ring->mem->consumer) {
		entry = mrc_kring_at(ring, --from);
		if (entry->qp != qp)
			*(struct mrc_ulp_cqe *)mrc_kring_at(ring, --to) = *entry;
	}
	smp_store_release(&ring->mem->consumer, to);
	spin_unlock_irqrestore(&cq->poll_lock, flags);
}
