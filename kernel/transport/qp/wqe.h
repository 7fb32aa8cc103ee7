/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of a QP inside the kernel: queueing them, putting their data into packets, ending them.
 */
#ifndef _MRC_TRANSPORT_WQE_H
#define _MRC_TRANSPORT_WQE_H

#include <rdma/ib_verbs.h>

#include "../../core/send/sendq.h"
#include "../device/mr.h"
#include "../peer/qp.h"

/* At most so many requests of a QP are in the kernel; others wait in the program's ring. */
#define MRC_SENDQ_MAX	128u

#define MRC_WQE_SIGNALED	0x01
#define MRC_WQE_INLINE		0x02
/* Some of its memory is lent: see struct mrc_mr. */
#define MRC_WQE_LENT		0x04

/**
 * struct mrc_seg - one gather element of a request
 * @mr: region; the request holds a reference
 * @addr: first byte
 * @len: bytes
 * @version: of the region; the request is in error once that differs
 */
struct mrc_seg {
	struct mrc_mr *mr;
	u64 addr;
	u32 len;
	u32 version;
};

/**
 * struct mrc_wqe - a request inside the kernel
 * @msg: the message as it goes over the wire; the first member, because the queue knows only this
 * @wr_id: the program's
 * @flags: MRC_WQE_*
 * @num_sge: elements of @sge; 0 with MRC_WQE_INLINE
 *
 * Verbs fills it in. Either the gather list or the inline bytes follow.
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

/** mrc_wqe_init() - set the size and number of requests, when the QP is created */
void mrc_wqe_init(struct mrc_qp *qp, const struct mrc_qp_init *init);

static inline struct mrc_wqe *mrc_wqe_of(struct mrc_msg *msg)
{
	return container_of(msg, struct mrc_wqe, msg);
}

/** mrc_wqe_at() - request with this number */
static inline struct mrc_wqe *mrc_wqe_at(const struct mrc_qp *qp, u32 index)
{
	return mrc_wqe_of(mrc_sendq_at(&qp->req.sendq, index));
}

/** mrc_wqe_planned() - request or response of a packet */
static inline struct mrc_wqe *mrc_wqe_planned(struct mrc_qp *qp, const struct mrc_plan *p)
{
	return mrc_wqe_of(mrc_sendq_at(mrc_req_queue_of(&qp->req, p), p->msg));
}

/** mrc_wqe_slot() - free slot for the next request, or NULL. For ops->refill. */
struct mrc_wqe *mrc_wqe_slot(struct mrc_qp *qp);
/**
 * mrc_wqe_queue() - queue what is in the free slot of a queue
 * @qp: the QP
 * @q: its queue of requests, for ops->refill; or its queue of responses
 */
void mrc_wqe_queue(struct mrc_qp *qp, struct mrc_sendq *q);

/**
 * mrc_wqe_places() - where the payload of a packet of a response goes: into the memory of its READ
 * @wqe: the READ or atomic
 * @offset: of the payload
 * @len: bytes
 * @to: result, MRC_PLACES_MAX elements
 *
 * Return: elements of @to. tx_lock or rx_lock held, while the READ waits for its response.
 */
int mrc_wqe_places(const struct mrc_wqe *wqe, u32 offset, u32 len, struct mrc_place *to);

/** mrc_wqe_chunk_pages() - at most so many fragments of an skb hold a packet's payload */
unsigned int mrc_wqe_chunk_pages(const struct mrc_wqe *wqe, const struct mrc_chunk *c);
/**
 * mrc_wqe_chunk_put() - add a packet to an skb
 * @wqe: its request
 * @c: its payload
 * @skb: the skb, open
 * @hdr: its headers
 *
 * Return: 0, -EACCES (a region was revoked), or an error of mrc_skb_page() or mrc_skb_close().
 */
int mrc_wqe_chunk_put(const struct mrc_wqe *wqe, const struct mrc_chunk *c, struct mrc_skb *skb,
		      const struct mrc_hdr *hdr);

/** mrc_wqe_end() - the oldest message of a queue ends without completion. tx_lock held. */
void mrc_wqe_end(struct mrc_qp *qp, struct mrc_sendq *q);

/** mrc_wqe_complete() - complete all requests that end at or before @psn. tx_lock held. */
void mrc_wqe_complete(struct mrc_qp *qp, u32 psn);

/**
 * mrc_wqe_flush() - end all requests
 * @qp: a QP that is in error already
 * @status: status of the oldest request; the others get IB_WC_WR_FLUSH_ERR
 *
 * tx_lock held. Return: true: there was a request.
 */
bool mrc_wqe_flush(struct mrc_qp *qp, enum ib_wc_status status);

/** mrc_wqe_drop() - forget all requests without completions. tx_lock held. */
void mrc_wqe_drop(struct mrc_qp *qp);

#endif /* _MRC_TRANSPORT_WQE_H */
