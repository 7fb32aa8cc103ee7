// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives of a QP: of its ring, or those that it holds of its SRQ. The program may change an entry
 * of the ring at any time: so each look at it copies what it needs, and what comes of that is
 * checked against the program's regions.
 */
#include "../transport/device/mr.h"
#include "qp.h"
#include "receive.h"

static_assert(MRC_PLACES_MAX == MRC_MAX_SGE, "a receive has no more elements");

/* ---- posted receives -------------------------------------------------------- */

/*
 * Counts the receives in the ring. If there are no more than @enough, asks the program for a
 * doorbell, and looks once more, because the program may have posted a receive just before it saw
 * that. Of an SRQ takes one more than @enough. Return: their number, or -EBADMSG.
 */
static int mrc_receive_avail(struct mrc_ib_qp *q, u32 enough)
{
	int n;

	if (q->srq)
		return mrc_srq_hold(q->srq, &q->held, enough + 1);
	n = mrc_kring_avail(&q->rq);
	if (n < 0 || (u32)n > enough)
		return n;
	mrc_kring_want_doorbell(&q->rq);
	return mrc_kring_avail(&q->rq);
}

u32 mrc_receive_posted(void *priv)
{
	struct mrc_ib_qp *q = priv;

	return q->srq ? mrc_srq_posted(q->srq, &q->held) : max(mrc_receive_avail(q, 0), 0);
}

/* ---- where payload goes ----------------------------------------------------- */

/* Copies the elements of a receive. Return: their number, or -EBADMSG. */
static int mrc_receive_elements(struct mrc_ib_qp *q, u32 skip, struct mrc_wr_sge *sge)
{
	const struct mrc_recv_wr *wr = q->srq ? mrc_held_at(&q->held, skip) :
						mrc_kring_entry_after(&q->rq, skip);
	u32 n = READ_ONCE(wr->num_sge);

	if (n > q->recv_sge)
		return mrc_ib_qp_corrupt(q);
	mrc_kring_copy(sge, wr->sge, n * sizeof(*sge));
	return n;
}

/* Finds the parts of memory for a stretch. Return: how many. */
static int mrc_receive_walk(const struct mrc_wr_sge *sge, u32 offset, u32 len,
			    struct mrc_place *to)
{
	u32 n, count = 0;

	for (; len; sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		n = min(sge->length - offset, len);
		to[count++] = (struct mrc_place){
			.addr = sge->addr + offset,
			.len = n,
			.lkey = sge->lkey,
		};
		len -= n;
		offset = 0;
	}
	return count;
}

int mrc_receive_place_in(struct mrc_ib_qp *q, u32 skip, const struct mrc_stretch *s,
			 struct mrc_place *to)
{
	struct mrc_wr_sge sge[MRC_MAX_SGE];
	int i, n = mrc_receive_elements(q, skip, sge);
	u64 room = 0;

	for (i = 0; i < n; i++)
		room += sge[i].length;
	if (n < 0)
		return n;
	return s->message > room ? -EMSGSIZE : mrc_receive_walk(sge, s->offset, s->len, to);
}

int mrc_receive_place(void *priv, u32 skip, const struct mrc_stretch *s, struct mrc_place *to)
{
	struct mrc_ib_qp *q = priv;
	int n = mrc_receive_avail(q, skip);

	if (n < 0)
		return mrc_ib_qp_corrupt(q);
	return (u32)n <= skip ? -ENOENT : mrc_receive_place_in(q, skip, s, to);
}

/* ---- completions ------------------------------------------------------------ */

static u32 mrc_receive_flags(const struct mrc_rx_done *done)
{
	if (done->invalidates)
		return MRC_CQE_INV;
	return done->has_imm ? MRC_CQE_IMM : 0;
}

static void mrc_receive_cqe(struct mrc_ib_qp *q, const struct mrc_rx_done *done,
			    enum ib_wc_status status)
{
	struct mrc_cqe cqe = {
		.wr_id = q->srq ? mrc_held_take_wr_id(&q->held) : mrc_kring_take_wr_id(&q->rq),
		.qpn = q->qp->qpn,
		.status = status,
		.opcode = IB_WC_RECV,
	};

	cqe.index = q->rq.index;
	if (done) {
		cqe.opcode = done->send ? IB_WC_RECV : IB_WC_RECV_RDMA_WITH_IMM;
		cqe.imm_data = done->imm;
		cqe.byte_len = done->len;
		cqe.flags = mrc_receive_flags(done);
	}
	mrc_cq_add(q->rcq, &q->ib, &cqe, !done || !done->send || done->solicited);
}

int mrc_receive_done(void *priv, const struct mrc_rx_done *done)
{
	struct mrc_ib_qp *q = priv;
	int n = mrc_receive_avail(q, 0);

	if (n < 0)
		return mrc_ib_qp_corrupt(q);
	if (!n)
		return -ENOENT;
	if (done->invalidates &&
	    mrc_mr_invalidate(q->qp->dev, be32_to_cpu(done->imm), q->qp->pd, true))
		return -EACCES;
	if (!q->srq)
		mrc_kring_want_no_doorbell(&q->rq);
	mrc_receive_cqe(q, done, IB_WC_SUCCESS);
	return 0;
}

/* Return: how many receives are to be flushed: of an SRQ those that the QP holds. */
static int mrc_receive_begin_flush(struct mrc_ib_qp *q)
{
	if (q->srq) {
		mrc_srq_leave(q->srq, &q->held);
		return q->held.count;
	}
	mrc_kring_want_doorbell(&q->rq);
	return mrc_kring_avail(&q->rq);
}

/* The program awaits this event before it destroys a QP that has an SRQ. */
static void mrc_receive_tell_last(struct mrc_ib_qp *q)
{
	if (!q->srq || q->last_told)
		return;
	q->last_told = true;
	mrc_ib_qp_event(q, IB_EVENT_QP_LAST_WQE_REACHED);
}

bool mrc_receive_flush(void *priv, enum ib_wc_status first)
{
	struct mrc_ib_qp *q = priv;
	int n = mrc_receive_begin_flush(q);
	bool any = n > 0;

	for (; n > 0; n--) {
		mrc_receive_cqe(q, NULL, first);
		/* Errors are counted with the NAK that they lead to. */
		mrc_count_n(q->qp->dev, MRC_CNT_RESP_CQE_FLUSH, first == IB_WC_WR_FLUSH_ERR);
		first = IB_WC_WR_FLUSH_ERR;
	}
	mrc_receive_tell_last(q);
	return any;
}
