// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users in the kernel.
 */
#include "ah.h"
#include "qp.h"
#include "ulp.h"

/* ---- posting -------------------------------------------------------------------- */

/* q->post_lock held. Return: the next free entry, or NULL. */
static void *mrc_ulp_free_entry(const struct mrc_kring *ring)
{
	u32 at = ring->mem->producer;

	/* Pairs with mrc_kring_consume(): the entry is not read any more. */
	if (at - smp_load_acquire(&ring->mem->consumer) >= ring->size)
		return NULL;
	return mrc_kring_at(ring, at);
}

/* q->post_lock held. */
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

static void mrc_ulp_fill_send(struct mrc_send_wr *to, const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	bool imm = wr->opcode == IB_WR_SEND_WITH_IMM;

	*to = (struct mrc_send_wr){
		.wr_id = wr->wr_id,
		.ah = to_mrc_ah(ud->ah)->av->number,
		.remote_qpn = ud->remote_qpn,
		.remote_qkey = ud->remote_qkey,
		.imm_data = imm ? wr->ex.imm_data : 0,
		.opcode = imm ? MRC_WR_SEND_IMM : MRC_WR_SEND,
		.flags = (wr->send_flags & IB_SEND_SIGNALED ? MRC_WR_SIGNALED : 0) |
			 (wr->send_flags & IB_SEND_SOLICITED ? MRC_WR_SOLICITED : 0),
		.num_sge = wr->num_sge,
	};
	mrc_ulp_copy_sges(to->sge, wr->sg_list, wr->num_sge);
}

static int mrc_ulp_send_one(struct mrc_ib_qp *q, const struct ib_send_wr *wr)
{
	struct mrc_send_wr *entry;

	if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM)
		return -EOPNOTSUPP;
	if (wr->num_sge < 0 || wr->num_sge > q->cap.max_send_sge ||
	    wr->send_flags & IB_SEND_INLINE)
		return -EINVAL;
	entry = mrc_ulp_free_entry(&q->sq);
	if (!entry)
		return -ENOMEM;
	mrc_ulp_fill_send(entry, wr);
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

static int mrc_ulp_recv_one(struct mrc_ib_qp *q, const struct ib_recv_wr *wr)
{
	struct mrc_recv_wr *entry;

	if (wr->num_sge < 0 || wr->num_sge > q->recv_sge)
		return -EINVAL;
	entry = mrc_ulp_free_entry(&q->rq);
	if (!entry)
		return -ENOMEM;
	entry->wr_id = wr->wr_id;
	entry->num_sge = wr->num_sge;
	mrc_ulp_copy_sges(entry->sge, wr->sg_list, wr->num_sge);
	mrc_ulp_publish(&q->rq);
	return 0;
}

int mrc_ulp_post_recv(struct mrc_ib_qp *q, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&q->post_lock, flags);
	for (; wr && !err; wr = err ? wr : wr->next)
		err = mrc_ulp_recv_one(q, wr);
	spin_unlock_irqrestore(&q->post_lock, flags);
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
