// SPDX-License-Identifier: GPL-2.0-only
/*
 * The responder: checks where a packet may write, places it, accounts for it,
 * and answers once per skb.
 */
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "reply.h"
#include "responder.h"

/* SACKs of old news in one answer, for those that were lost. */
#define MRC_SACKS_AGAIN	2u

int mrc_responder_start(struct mrc_qp *qp, u32 rq_psn)
{
	u32 size = qp->params.mpr_rx * MRC_MPR_UNIT;
	void *mem;

	mem = kvzalloc(mrc_rx_window_mem(size, qp->params.wimm_rx),
		       GFP_KERNEL_ACCOUNT);
	if (!mem)
		return -ENOMEM;
	spin_lock_bh(&qp->rx_lock);
	qp->rx_mem = mem;
	mrc_rx_window_init(&qp->rx, mem, size, qp->params.wimm_rx, rq_psn);
	qp->rx.sack_bytes = READ_ONCE(qp->dev->cfg.sack_bytes);
	qp->acked_msn = 0;
	qp->reack = false;
	qp->nak_syndrome = 0;
	qp->refused = false;
	spin_unlock_bh(&qp->rx_lock);
	return 0;
}

void mrc_responder_free(struct mrc_qp *qp)
{
	kvfree(qp->rx_mem);
	qp->rx_mem = NULL;
}

static bool mrc_responder_live(const struct mrc_qp *qp)
{
	return (qp->state == IB_QPS_RTR || qp->state == IB_QPS_RTS) &&
	       !qp->refused;
}

static void mrc_responder_arrival(const struct mrc_rx_pkt *pkt,
				  struct mrc_rx_arrival *a)
{
	const struct mrc_hdr *hdr = &pkt->hdr;

	*a = (struct mrc_rx_arrival){
		.psn = hdr->bth.psn,
		.payload = pkt->len,
		.opflags = mrc_opcode_flags(hdr->bth.opcode),
		.imm = hdr->write.imm,
		.dmalen = hdr->write.dmalen,
		.ev = pkt->ev,
		.tx_timestamp = hdr->write.tx_timestamp,
		.ackreq = hdr->bth.ackreq,
		.rtx = hdr->bth.rtx,
		.ce = pkt->ce,
	};
}

/* Is the packet well formed for this connection? Length rules of an RC write. */
static bool mrc_responder_fits(const struct mrc_qp *qp,
			       const struct mrc_rx_pkt *pkt)
{
	unsigned int flags = mrc_opcode_flags(pkt->hdr.bth.opcode);
	u32 dmalen = pkt->hdr.write.dmalen;

	if (dmalen > MRC_MSG_MAX || pkt->len > dmalen)
		return false;
	if (!(flags & MRC_OPF_LAST))
		return pkt->len == qp->conn.mtu;
	if (flags & MRC_OPF_FIRST)
		return pkt->len == dmalen && dmalen <= qp->conn.mtu;
	return pkt->len && pkt->len <= qp->conn.mtu;
}

/* Copies the payload to its place. Return: 0 or an AETH syndrome. */
static u8 mrc_responder_place(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt)
{
	const struct mrc_write *w = &pkt->hdr.write;
	unsigned int done = 0, n, offset;
	struct page *page;
	struct mrc_mr *mr;
	void *to;

	if (!pkt->len)
		return 0;
	mr = mrc_mr_find(qp->dev, w->rkey);
	if (!mr || !(qp->conn.access & IB_ACCESS_REMOTE_WRITE) ||
	    mrc_mr_check(mr, qp->pd, w->va, pkt->len, IB_ACCESS_REMOTE_WRITE))
		return MRC_NAK_ACCESS;
	while (done < pkt->len) {
		n = mrc_mr_piece(mr, w->va + done, pkt->len - done, &page,
				 &offset);
		to = kmap_local_page(page);
		if (mrc_rx_copy(pkt, done, to + offset, n)) {
			kunmap_local(to);
			return MRC_NAK_OPERATION;
		}
		flush_dcache_page(page);
		kunmap_local(to);
		done += n;
	}
	return 0;
}

/*
 * A packet that may not be executed is never accounted as arrived, so the
 * cumulative PSN stops before it; the NAK goes out when it gets there, after everything
 * that was sent earlier. The oldest such packet counts.
 */
static void mrc_responder_refuse(struct mrc_qp *qp, u32 psn, u8 syndrome)
{
	if (qp->nak_syndrome && mrc_psn_diff(qp->nak_psn, psn) <= 0)
		return;
	qp->nak_psn = psn;
	qp->nak_syndrome = syndrome;
}

static bool mrc_responder_claim(struct mrc_qp *qp, const struct mrc_rx_arrival *a)
{
	enum mrc_rx_verdict verdict = MRC_RX_OOR;

	spin_lock(&qp->rx_lock);
	if (mrc_responder_live(qp)) {
		verdict = mrc_rx_claim(&qp->rx, a->psn);
		if (verdict == MRC_RX_DUP) {
			mrc_rx_note_dup(&qp->rx, a);
			qp->reack = true;
		} else if (verdict == MRC_RX_NEW &&
			   a->psn != mrc_psn_add(qp->rx.cack, 1)) {
			mrc_count(qp->dev, MRC_CNT_OUT_OF_ORDER);
		}
	}
	spin_unlock(&qp->rx_lock);
	if (verdict == MRC_RX_DUP)
		mrc_count(qp->dev, MRC_CNT_DUPLICATES);
	else if (verdict == MRC_RX_OOR)
		mrc_count(qp->dev, MRC_CNT_DROP_OUT_OF_WINDOW);
	return verdict == MRC_RX_NEW;
}

static void mrc_responder_commit(struct mrc_qp *qp,
				 const struct mrc_rx_arrival *a, u8 syndrome)
{
	spin_lock(&qp->rx_lock);
	if (mrc_responder_live(qp)) {
		qp->rx_packets++;
		if (!syndrome && mrc_rx_commit(&qp->rx, a))
			syndrome = MRC_NAK_INVALID;
		else if (syndrome)
			mrc_rx_unclaim(&qp->rx, a->psn);
		if (syndrome)
			mrc_responder_refuse(qp, a->psn, syndrome);
		else if (a->psn == qp->nak_psn)
			qp->nak_syndrome = 0;	/* another copy was right */
	}
	spin_unlock(&qp->rx_lock);
}

void mrc_responder_write(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt)
{
	struct mrc_rx_arrival a;
	u8 syndrome;

	mrc_responder_arrival(pkt, &a);
	if (!mrc_responder_claim(qp, &a))
		return;
	if (mrc_responder_fits(qp, pkt))
		syndrome = mrc_responder_place(qp, pkt);
	else
		syndrome = MRC_NAK_INVALID;
	mrc_responder_commit(qp, &a, syndrome);
}

/* Its completion tells how long it is: as long as what arrived, and as the peer says. */
static bool mrc_responder_imm_fits(const struct mrc_qp *qp,
				   const struct mrc_rx_done *done)
{
	return done->len == (u64)(done->packets - 1) * qp->conn.mtu +
				    done->payload;
}

/* Return: an AETH syndrome, or 0. */
static u8 mrc_responder_imm(struct mrc_qp *qp, const struct mrc_rx_done *done)
{
	if (mrc_responder_imm_fits(qp, done)) {
		if (!qp->ops->recv_imm(qp->priv, done))
			return 0;
		mrc_count(qp->dev, MRC_CNT_NO_RECEIVE);
	}
	mrc_rx_undo(&qp->rx, done);
	qp->nak_psn = done->psn;
	return MRC_NAK_INVALID;
}

/* Completes what is complete in order. Return: an AETH syndrome, or 0. */
static u8 mrc_responder_complete(struct mrc_qp *qp)
{
	struct mrc_rx_done done;
	u8 syndrome = 0;

	while (!syndrome && mrc_rx_next_done(&qp->rx, &done)) {
		mrc_count(qp->dev, MRC_CNT_RX_WRITE_REQUESTS);
		if (done.has_imm && !qp->dead)
			syndrome = mrc_responder_imm(qp, &done);
	}
	if (syndrome)
		return syndrome;
	if (qp->nak_syndrome && qp->nak_psn == mrc_psn_add(qp->rx.cack, 1))
		return qp->nak_syndrome;
	return 0;
}

static void mrc_responder_sack(struct mrc_reply *r, const struct mrc_sack *sack,
			       bool rtx)
{
	struct mrc_hdr *hdr = mrc_reply_add(r, MRC_OP_SACK, sack->cack_psn);

	hdr->bth.rtx = rtx;
	hdr->sack = *sack;
}

/* One place stays free for the ACK, and one for what was told before. */
static void mrc_responder_sacks(struct mrc_qp *qp, struct mrc_reply *r)
{
	unsigned int again;
	struct mrc_sack sack;
	bool rtx;

	while (r->count < MRC_REPLY_MAX - 2 &&
	       mrc_rx_sack_next(&qp->rx, &sack, &rtx))
		mrc_responder_sack(r, &sack, rtx);
	for (again = 0; again < MRC_SACKS_AGAIN; again++) {
		if (r->count == MRC_REPLY_MAX - 1 ||
		    !mrc_rx_sack_again(&qp->rx, &sack, &rtx))
			return;
		mrc_responder_sack(r, &sack, rtx);
	}
}

/*
 * Like the requester's timer, one that is armed is left alone: while data flows it looks, and
 * is armed anew, once in that time. rx_lock held.
 */
static void mrc_responder_arm(struct mrc_qp *qp)
{
	u64 at = mrc_rx_sack_at(&qp->rx);

	if (!at || qp->sack_timer_at)
		return;
	qp->sack_timer_at = at;
	hrtimer_start(&qp->sack_timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Softirq. */
static enum hrtimer_restart mrc_responder_timer(struct hrtimer *timer)
{
	struct mrc_qp *qp = container_of(timer, struct mrc_qp, sack_timer);
	struct mrc_reply r = { .count = 0 };
	u64 now = ktime_get_ns();
	u64 at;

	rcu_read_lock();
	spin_lock(&qp->rx_lock);
	qp->sack_timer_at = 0;
	if (mrc_responder_live(qp)) {
		at = mrc_rx_sack_at(&qp->rx);
		if (at && at <= now) {
			mrc_responder_sacks(qp, &r);
			mrc_rx_heard(&qp->rx, now);
		}
		mrc_responder_arm(qp);
	}
	spin_unlock(&qp->rx_lock);
	mrc_reply_send(qp, &r);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

void mrc_responder_init(struct mrc_qp *qp)
{
	spin_lock_init(&qp->rx_lock);
	hrtimer_init(&qp->sack_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	qp->sack_timer.function = mrc_responder_timer;
}

static void mrc_responder_ack(struct mrc_qp *qp, struct mrc_reply *r,
			      u8 syndrome)
{
	struct mrc_hdr *hdr;
	u32 psn = qp->rx.done_psn;

	if (!syndrome && qp->acked_msn == qp->rx.msn && !qp->reack)
		return;
	if (syndrome)
		psn = qp->nak_psn;
	hdr = mrc_reply_add(r, MRC_OP_ACK, psn);
	hdr->ack.syndrome = syndrome ?: MRC_ACK_OK;
	hdr->ack.msn = qp->rx.msn;
	qp->acked_msn = qp->rx.msn;
	qp->reack = false;
}

static const char *mrc_responder_error(u8 syndrome, enum ib_event_type *event,
				       enum mrc_counter *counter)
{
	if (syndrome == MRC_NAK_ACCESS) {
		*event = IB_EVENT_QP_ACCESS_ERR;
		*counter = MRC_CNT_RESP_REMOTE_ACCESS;
		return "remote access";
	}
	*event = IB_EVENT_QP_REQ_ERR;
	*counter = MRC_CNT_RESP_CQE_ERROR;
	return "invalid request";
}

void mrc_responder_answer(struct mrc_qp *qp)
{
	struct mrc_reply r = { .count = 0 };
	enum mrc_counter counter;
	enum ib_event_type event;
	const char *reason;
	u8 syndrome = 0;

	spin_lock(&qp->rx_lock);
	if (mrc_responder_live(qp)) {
		syndrome = mrc_responder_complete(qp);
		qp->refused = syndrome;
		if (syndrome)
			qp->nak_syndrome = syndrome;
		/* With an ACK, a SACK costs no further skb. */
		if (mrc_rx_sack_due(&qp->rx) ||
		    (qp->acked_msn != qp->rx.msn && mrc_rx_sack_news(&qp->rx)))
			mrc_responder_sacks(qp, &r);
		mrc_responder_ack(qp, &r, syndrome);
		mrc_rx_heard(&qp->rx, ktime_get_ns());
		mrc_responder_arm(qp);
	}
	spin_unlock(&qp->rx_lock);
	mrc_reply_send(qp, &r);
	if (!syndrome)
		return;
	reason = mrc_responder_error(syndrome, &event, &counter);
	mrc_count(qp->dev, counter);
	mrc_qp_fail(qp, IB_WC_WR_FLUSH_ERR, event, reason);
}

void mrc_responder_last_words(struct mrc_qp *qp, struct mrc_last_words *w)
{
	spin_lock_bh(&qp->rx_lock);
	*w = (struct mrc_last_words){
		.done_psn = qp->rx.done_psn,
		.size = qp->rx.size,
		.msn = qp->rx.msn,
		.nak_psn = qp->nak_psn,
		.nak_syndrome = qp->refused ? qp->nak_syndrome : 0,
	};
	spin_unlock_bh(&qp->rx_lock);
}

static void mrc_responder_sacks_probe(struct mrc_qp *qp,
				      const struct mrc_rx_pkt *pkt,
				      struct mrc_reply *r)
{
	unsigned int part = 0;
	struct mrc_sack sack;

	/* One place stays free for the ACK. */
	while (r->count < MRC_REPLY_MAX - 1 &&
	       mrc_rx_sack_probe(&qp->rx, &pkt->hdr.probe, pkt->ev, pkt->ce,
				 part++, &sack))
		mrc_responder_sack(r, &sack, false);
}

void mrc_responder_probe(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt)
{
	struct mrc_reply r = { .count = 0 };

	mrc_count(qp->dev, MRC_CNT_PROBE_RX);
	spin_lock(&qp->rx_lock);
	if (mrc_responder_live(qp)) {
		mrc_responder_sacks_probe(qp, pkt, &r);
		qp->reack = true;
		mrc_responder_ack(qp, &r, 0);
	}
	spin_unlock(&qp->rx_lock);
	mrc_reply_send(qp, &r);
}
