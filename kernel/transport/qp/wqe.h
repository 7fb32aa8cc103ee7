/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of a QP inside the kernel: how they come into the queue, what of them goes into packets,
 * how they end.
 */
#ifndef _MRC_TRANSPORT_WQE_H
#define _MRC_TRANSPORT_WQE_H

#include <rdma/ib_verbs.h>

#include "../../core/send/sendq.h"
#include "../device/mr.h"
#include "../peer/qp.h"

/* Requests of one QP in the kernel at a time; the rest waits in the program's ring. */
#define MRC_SENDQ_MAX	128u

#define MRC_WQE_SIGNALED	0x01
#define MRC_WQE_INLINE		0x02

/**
 * struct mrc_seg - one gather element of a request
 * @mr: region; the request holds a reference
 * @addr: first byte
 * @len: bytes
 */
struct mrc_seg {
	struct mrc_mr *mr;
	u64 addr;
	u32 len;
};

/**
 * struct mrc_wqe - a write request inside the kernel
 * @msg: what of it goes over the wire; first, for it is what the queue knows of
 * @wr_id: the program's
 * @flags: MRC_WQE_*
 * @num_sge: elements of @sge; 0 with MRC_WQE_INLINE
 *
 * Filled by verbs. Then either the gather list or the inline bytes.
 */
struct mrc_wqe {
	struct mrc_msg msg;
	u64 wr_id;
	u8 flags;
	u8 num_sge;
	union {
		DECLARE_FLEX_ARRAY(struct mrc_seg, sge);
		DECLARE_FLEX_ARRAY(u8, inline_data);
	};
};

static_assert(!offsetof(struct mrc_wqe, msg));

/** mrc_wqe_init() - how large requests are, and how many there may be; at creation of the QP */
void mrc_wqe_init(struct mrc_qp *qp, const struct mrc_qp_init *init);

static inline struct mrc_wqe *mrc_wqe_of(struct mrc_msg *msg)
{
	return container_of(msg, struct mrc_wqe, msg);
}

/** mrc_wqe_at() - the request of this number */
static inline struct mrc_wqe *mrc_wqe_at(const struct mrc_qp *qp, u32 index)
{
	return mrc_wqe_of(mrc_sendq_at(&qp->req.sendq, index));
}

/** mrc_wqe_slot() - the free slot for the next request, or NULL. From ops->refill. */
struct mrc_wqe *mrc_wqe_slot(struct mrc_qp *qp);
/** mrc_wqe_queue() - the slot of mrc_wqe_slot() is filled. From ops->refill. */
void mrc_wqe_queue(struct mrc_qp *qp);

/** mrc_wqe_chunk_pages() - pieces of an skb, at most, that a packet's payload takes */
unsigned int mrc_wqe_chunk_pages(const struct mrc_wqe *wqe, const struct mrc_chunk *c);
/**
 * mrc_wqe_chunk_put() - adds a packet to an skb
 * @wqe: its request
 * @c: its payload
 * @skb: the skb, open
 * @hdr: its headers
 *
 * Return: 0, -EACCES (a region was revoked), or what mrc_skb_page() and mrc_skb_close() say.
 */
int mrc_wqe_chunk_put(const struct mrc_wqe *wqe, const struct mrc_chunk *c, struct mrc_skb *skb,
		      const struct mrc_hdr *hdr);

/** mrc_wqe_complete() - all up to the one that ends at or before @psn succeeded. tx_lock held. */
void mrc_wqe_complete(struct mrc_qp *qp, u32 psn);

/**
 * mrc_wqe_flush() - end all
 * @qp: in error already
 * @status: of the oldest; the others are flushed. IB_WC_WR_FLUSH_ERR: all are
 *
 * tx_lock held. Return: there was one.
 */
bool mrc_wqe_flush(struct mrc_qp *qp, enum ib_wc_status status);

/** mrc_wqe_drop() - forget all without completions. tx_lock held. */
void mrc_wqe_drop(struct mrc_qp *qp);

#endif /* _MRC_TRANSPORT_WQE_H */
