// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of a QP inside the kernel.
 */
#include <linux/log2.h>

#include "../device/hazard.h"
#include "replay.h"
#include "wqe.h"

static u32 mrc_wqe_stride(const struct mrc_qp_init *init)
{
	size_t tail = max_t(size_t, init->max_inline,
			    init->max_sge * sizeof(struct mrc_seg));

	return ALIGN(sizeof(struct mrc_wqe) + tail, 8);
}

void mrc_wqe_init(struct mrc_qp *qp, const struct mrc_qp_init *init)
{
	qp->req.sendq.stride = mrc_wqe_stride(init);
	qp->req.sendq.depth = roundup_pow_of_two(clamp(init->sq_depth, 1u,
						   MRC_SENDQ_MAX));
	/* A response has one gather element. */
	qp->req.rspq.stride = ALIGN(sizeof(struct mrc_wqe) + sizeof(struct mrc_seg), 8);
	qp->req.rspq.depth = MRC_READS_MAX;
}

/* ---- the queue -------------------------------------------------------------- */

struct mrc_wqe *mrc_wqe_slot(struct mrc_qp *qp)
{
	struct mrc_msg *msg = mrc_sendq_slot(&qp->req.sendq);

	return msg ? mrc_wqe_of(msg) : NULL;
}

static void mrc_wqe_count(const struct mrc_qp *qp, const struct mrc_msg *msg)
{
	static const u8 counters[] = {
		[MRC_MSG_WRITE] = MRC_CNT_TX_WRITES,
		[MRC_MSG_SEND] = MRC_CNT_TX_SENDS,
		[MRC_MSG_READ] = MRC_CNT_TX_READS,
		[MRC_MSG_CMP_SWAP] = MRC_CNT_TX_ATOMICS,
		[MRC_MSG_FETCH_ADD] = MRC_CNT_TX_ATOMICS,
	};

	if (msg->op < ARRAY_SIZE(counters))
		mrc_count(qp->dev, counters[msg->op]);
}

void mrc_wqe_queue(struct mrc_qp *qp, struct mrc_sendq *q)
{
	struct mrc_msg *msg = mrc_sendq_slot(q);

	mrc_sendq_queue(q);
	mrc_replay_queue(qp, msg);
	mrc_wqe_count(qp, msg);
}

/* ---- packets ---------------------------------------------------------------- */

/* Calls @fn for each stretch of a chunk that lies in one gather element. */
static int mrc_wqe_walk(const struct mrc_wqe *wqe,
			const struct mrc_chunk *c, void *arg,
			int (*fn)(const struct mrc_seg *seg, u64 addr,
				  u32 len, void *arg))
{
	u32 skip = c->offset, left = c->len, n;
	const struct mrc_seg *seg = wqe->sge;
	int err;

	for (; left; seg++) {
		if (skip >= seg->len) {
			skip -= seg->len;
			continue;
		}
		n = min(seg->len - skip, left);
		err = fn(seg, seg->addr + skip, n, arg);
		if (err)
			return err;
		left -= n;
		skip = 0;
	}
	return 0;
}

static int mrc_wqe_count_pages(const struct mrc_seg *seg, u64 addr, u32 len,
			       void *arg)
{
	u64 at = addr - seg->mr->iova + seg->mr->offset;
	unsigned int *pages = arg;

	*pages += ((at & ~PAGE_MASK) + len + PAGE_SIZE - 1) >> PAGE_SHIFT;
	return 0;
}

unsigned int mrc_wqe_chunk_pages(const struct mrc_wqe *wqe, const struct mrc_chunk *c)
{
	unsigned int pages = 0;

	if (wqe->flags & MRC_WQE_INLINE)
		return !!c->len;
	mrc_wqe_walk(wqe, c, &pages, mrc_wqe_count_pages);
	return pages;
}

/* Calls @put for each piece of memory, until @put fails. @put may allocate nothing: see mrc_hazard_set(). */
static int mrc_wqe_each_piece(const struct mrc_seg *seg, u64 addr, u32 len, void *arg,
			      int (*put)(void *arg, struct page *page, unsigned int offset,
					 unsigned int len))
{
	unsigned int n, offset;
	struct page *page;
	int err = 0;

	mrc_hazard_set(seg->mr, NULL);
	if (!mrc_mr_is(seg->mr, seg->version))
		err = -EACCES;
	for (; len && !err; addr += n, len -= n) {
		n = mrc_mr_piece(seg->mr, addr, len, &page, &offset);
		err = put(arg, page, offset, n);
	}
	mrc_hazard_clear();
	return err;
}

static int mrc_wqe_put_page(void *arg, struct page *page, unsigned int offset, unsigned int len)
{
	return mrc_skb_page(arg, page, offset, len);
}

static int mrc_wqe_read(void *arg, struct page *page, unsigned int offset, unsigned int len)
{
	u8 **to = arg;

	mrc_skb_read_page(*to, page, offset, len);
	*to += len;
	return 0;
}

/* A stretch is at most a packet's payload. */
static int mrc_wqe_put_lent(const struct mrc_seg *seg, u64 addr, u32 len, void *arg)
{
	u8 *data = mrc_skb_buffer(len), *to = data;
	int err;

	if (!data)
		return -ENOMEM;
	err = mrc_wqe_each_piece(seg, addr, len, &to, mrc_wqe_read);
	if (!err)
		return mrc_skb_add_buffer(arg, data, len);
	mrc_skb_drop_buffer(data);
	return err;
}

/* The skb has its own references to the pages, so the region is in use only until it has them. */
static int mrc_wqe_put_pages(const struct mrc_seg *seg, u64 addr, u32 len, void *arg)
{
	unsigned int pages = 0;

	if (seg->mr->lent)
		return mrc_wqe_put_lent(seg, addr, len, arg);
	mrc_wqe_count_pages(seg, addr, len, &pages);
	return mrc_skb_reserve(arg, pages) ?:
	       mrc_wqe_each_piece(seg, addr, len, arg, mrc_wqe_put_page);
}

static int mrc_wqe_put_copies(const struct mrc_seg *seg, u64 addr, u32 len, void *arg)
{
	u8 data[MRC_SKB_COPY_MAX], *to = data;

	return mrc_wqe_each_piece(seg, addr, len, &to, mrc_wqe_read) ?:
	       mrc_skb_copy(arg, data, len);
}

int mrc_wqe_chunk_put(const struct mrc_wqe *wqe, const struct mrc_chunk *c, struct mrc_skb *skb,
		      const struct mrc_hdr *hdr)
{
	u8 *buf = mrc_skb_hdr(skb, mrc_opcode_hdr_len(hdr->bth.opcode));
	int err;

	if (!buf)
		return -ENOMEM;
	mrc_hdr_encode(buf, hdr);
	if (wqe->flags & MRC_WQE_INLINE)
		err = mrc_skb_copy(skb, wqe->inline_data + c->offset, c->len);
	else
		err = mrc_wqe_walk(wqe, c, skb, c->len <= MRC_SKB_COPY_MAX ? mrc_wqe_put_copies :
								       mrc_wqe_put_pages);
	return err ?: mrc_skb_close(skb);
}

int mrc_wqe_places(const struct mrc_wqe *wqe, u32 offset, u32 len, struct mrc_place *to)
{
	const struct mrc_seg *seg = wqe->sge;
	int count = 0;
	u32 n;

	for (; len; seg++) {
		if (offset >= seg->len) {
			offset -= seg->len;
			continue;
		}
		n = min(seg->len - offset, len);
		to[count++] = (struct mrc_place){
			.addr = seg->addr + offset,
			.len = n,
			/* No region has key 0. */
			.lkey = mrc_mr_is(seg->mr, seg->version) ? seg->mr->key : 0,
		};
		len -= n;
		offset = 0;
	}
	return count;
}

/* ---- the end --------------------------------------------------------------- */

static void mrc_wqe_release(struct mrc_wqe *wqe)
{
	unsigned int i;

	for (i = 0; i < wqe->num_sge; i++)
		mrc_mr_put(wqe->sge[i].mr);
	wqe->num_sge = 0;
}

/* Counts what verbs cannot count: it sees each CQE, but not what led to it. */
static void mrc_wqe_count_end(const struct mrc_qp *qp,
			      enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_REM_ACCESS_ERR:
		mrc_count(qp->dev, MRC_CNT_REQ_REMOTE_ACCESS);
		break;
	case IB_WC_REM_INV_REQ_ERR:
		mrc_count(qp->dev, MRC_CNT_REQ_REMOTE_INVALID);
		break;
	case IB_WC_RETRY_EXC_ERR:
		mrc_count(qp->dev, MRC_CNT_RETRY_EXCEEDED);
		break;
	case IB_WC_RNR_RETRY_EXC_ERR:
		mrc_count(qp->dev, MRC_CNT_NO_RECEIVE_THERE);
		break;
	default:
		break;
	}
}

void mrc_wqe_end(struct mrc_qp *qp, struct mrc_sendq *q)
{
	mrc_wqe_release(mrc_wqe_of(mrc_sendq_at(q, q->una)));
	mrc_sendq_end(q);
	mrc_replay(qp, MRC_REPLAY_END, 0, q->una, q == &qp->req.rspq);
}

/* Ends the oldest request. tx_lock held. */
static void mrc_wqe_done(struct mrc_qp *qp, enum ib_wc_status status)
{
	struct mrc_wqe *wqe = mrc_wqe_at(qp, qp->req.sendq.una);

	mrc_wqe_count_end(qp, status);
	if (!qp->dead)
		qp->ops->send_done(qp->priv, wqe, status);
	mrc_wqe_end(qp, &qp->req.sendq);
}

void mrc_wqe_complete(struct mrc_qp *qp, u32 psn)
{
	while (mrc_sendq_done(&qp->req.sendq, psn))
		mrc_wqe_done(qp, IB_WC_SUCCESS);
}

bool mrc_wqe_flush(struct mrc_qp *qp, enum ib_wc_status status)
{
	struct mrc_sendq *q = &qp->req.sendq;
	bool any = q->una != q->tail;

	while (q->una != q->tail) {
		mrc_wqe_done(qp, status);
		status = IB_WC_WR_FLUSH_ERR;
	}
	return any;
}

void mrc_wqe_drop(struct mrc_qp *qp)
{
	struct mrc_sendq *q = &qp->req.sendq;

	for (; q->una != q->tail; q->una++)
		mrc_wqe_release(mrc_wqe_at(qp, q->una));
	q->cur = q->tail;
}
