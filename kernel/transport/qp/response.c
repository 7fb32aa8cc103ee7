// SPDX-License-Identifier: GPL-2.0-only
#include <linux/highmem.h>
#include <linux/mm.h>

#include "../device/hazard.h"
#include "../device/mr.h"
#include "replay.h"
#include "response.h"
#include "wqe.h"

/* ---- execution ------------------------------------------------------------- */

static u8 mrc_response_read(struct mrc_qp *qp, struct mrc_fetch *fetch)
{
	const struct mrc_mr_range want = {
		.key = fetch->rkey,
		.pd = qp->pd,
		.addr = fetch->va,
		.len = fetch->len,
		.access = IB_ACCESS_REMOTE_READ,
	};

	if (!(qp->conn.access & IB_ACCESS_REMOTE_READ))
		return MRC_NAK_ACCESS;
	if (!fetch->len)
		return 0;
	fetch->region = mrc_mr_get(qp->dev, &want, &fetch->version);
	return fetch->region ? 0 : MRC_NAK_ACCESS;
}

static u64 mrc_response_swap(u64 *at, const struct mrc_fetch *fetch)
{
	u64 was;

	if (fetch->opcode == MRC_OP_CMP_SWAP)
		return cmpxchg64(at, fetch->compare, fetch->value);
	do {
		was = READ_ONCE(*at);
	} while (cmpxchg64(at, was, was + fetch->value) != was);
	return was;
}

/* The processor's own atomics: other QPs and this host's programs see each one as a whole. */
static u8 mrc_response_swap_in(const struct mrc_mr *mr, struct mrc_fetch *fetch)
{
	unsigned int offset;
	struct page *page;
	void *at;

	mrc_mr_piece(mr, fetch->va, MRC_ATOMIC_BYTES, &page, &offset);
	if (offset % MRC_ATOMIC_BYTES)
		return MRC_NAK_INVALID;
	at = kmap_local_page(page);
	fetch->value = mrc_response_swap(at + offset, fetch);
	flush_dcache_page(page);
	kunmap_local(at);
	return 0;
}

static u8 mrc_response_atomic(struct mrc_qp *qp, struct mrc_fetch *fetch)
{
	const struct mrc_mr_range want = {
		.key = fetch->rkey,
		.pd = qp->pd,
		.addr = fetch->va,
		.len = MRC_ATOMIC_BYTES,
		.access = IB_ACCESS_REMOTE_ATOMIC,
	};
	struct mrc_mr *mr = mrc_mr_find(qp->dev, fetch->rkey);
	u8 syndrome = MRC_NAK_ACCESS;

	if (fetch->va % MRC_ATOMIC_BYTES)
		return MRC_NAK_INVALID;
	if (!mr || !(qp->conn.access & IB_ACCESS_REMOTE_ATOMIC))
		return syndrome;
	mrc_hazard_set(mr, qp);
	if (!mrc_mr_check(mr, &want))
		syndrome = mrc_response_swap_in(mr, fetch);
	mrc_hazard_clear();
	return syndrome;
}

u8 mrc_response_execute(struct mrc_qp *qp, struct mrc_fetch *fetch)
{
	if (!READ_ONCE(qp->dev->cfg.extensions))
		return MRC_NAK_INVALID;
	return fetch->opcode == MRC_OP_READ ? mrc_response_read(qp, fetch) :
					    mrc_response_atomic(qp, fetch);
}

/* ---- the queue -------------------------------------------------------------- */

static bool mrc_response_is_lent(const struct mrc_fetch *fetch)
{
	const struct mrc_mr *mr = fetch->region;

	return mr && mr->lent;
}

static void mrc_response_fill(struct mrc_wqe *wqe, const struct mrc_fetch *fetch)
{
	bool read = fetch->opcode == MRC_OP_READ;

	wqe->msg = (struct mrc_msg){
		.op = read ? MRC_MSG_READ_RSP : MRC_MSG_ATOMIC_RSP,
		.len = fetch->len,
		.rdeth = fetch->msn,
		.value = fetch->value,
	};
	wqe->wr_id = 0;
	wqe->flags = mrc_response_is_lent(fetch) ? MRC_WQE_LENT : 0;
	wqe->num_sge = !!fetch->region;
	if (fetch->region)
		wqe->sge[0] = (struct mrc_seg){
			.mr = fetch->region,
			.addr = fetch->va,
			.len = fetch->len,
			.version = fetch->version,
		};
}

bool mrc_response_first_psn(struct mrc_qp *qp, u32 *psn)
{
	const struct mrc_fetch *fetch;

	spin_lock(&qp->rx_lock);
	fetch = mrc_fetches_oldest(&qp->resp.fetches);
	if (fetch)
		*psn = fetch->first_psn;
	spin_unlock(&qp->rx_lock);
	return fetch;
}

void mrc_response_queue(struct mrc_qp *qp)
{
	struct mrc_sendq *q = &qp->req.rspq;
	struct mrc_fetches *fetches = &qp->resp.fetches;
	struct mrc_fetch *fetch;
	struct mrc_msg *msg;

	if (!mrc_response_due(qp))
		return;
	spin_lock(&qp->rx_lock);
	while ((fetch = mrc_fetches_oldest(fetches)) && (msg = mrc_sendq_slot(q))) {
		mrc_response_fill(mrc_wqe_of(msg), fetch);
		mrc_wqe_queue(qp, q);
		mrc_fetches_pop(fetches);
	}
	spin_unlock(&qp->rx_lock);
}

bool mrc_response_end(struct mrc_qp *qp, u64 now)
{
	u32 ended = 0;
	bool due;

	for (; mrc_req_response_done(&qp->req); ended++)
		mrc_wqe_end(qp, &qp->req.rspq);
	if (!ended)
		return false;
	mrc_req_settle(&qp->req, now);
	mrc_replay(qp, MRC_REPLAY_SETTLE, now, 0);
	spin_lock(&qp->rx_lock);
	due = mrc_resp_answered(&qp->resp, ended);
	spin_unlock(&qp->rx_lock);
	return due;
}

void mrc_response_drop(struct mrc_qp *qp)
{
	struct mrc_fetches *fetches = &qp->resp.fetches;
	struct mrc_fetch *fetch;

	while (qp->req.rspq.una != qp->req.rspq.tail)
		mrc_wqe_end(qp, &qp->req.rspq);
	while ((fetch = mrc_fetches_oldest(fetches))) {
		if (fetch->region)
			mrc_mr_put(fetch->region);
		mrc_fetches_pop(fetches);
	}
}
