// SPDX-License-Identifier: GPL-2.0-only
/*
 * The responder: checks where the payload of a packet may go, and copies it there.
 * core/receive/responder.c accounts for the packet, and decides on the answers, which are sent once
 * per skb.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "../../compat/compat_timer.h"
#include "error.h"
#include "../device/hazard.h"
#include "../device/mr.h"
#include "../device/place.h"
#include "reply.h"
#include "responder.h"
#include "response.h"
#include "../peer/trace.h"
#include "wqe.h"

int mrc_responder_start(struct mrc_qp *qp, u32 rq_psn)
{
	struct mrc_resp_cfg cfg = {
		.size = qp->params.mpr_rx * MRC_MPR_UNIT,
		.imm_max = qp->params.wimm_rx,
		.mtu = qp->conn.mtu,
		.sack_bytes = READ_ONCE(qp->dev->cfg.sack_bytes),
	};
	void *mem;

	mem = kvzalloc(mrc_rx_window_mem(cfg.size, cfg.imm_max),
		       GFP_KERNEL_ACCOUNT);
	if (!mem)
		return -ENOMEM;
	spin_lock_bh(&qp->rx_lock);
	qp->rx_mem = mem;
	qp->bad_receive = IB_WC_SUCCESS;
	mrc_resp_start(&qp->resp, mem, &cfg, rq_psn);
	spin_unlock_bh(&qp->rx_lock);
	return 0;
}

/* The state changes under both locks, so one of them is enough to read it for sure. */
static bool mrc_responder_live(const struct mrc_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	return state == IB_QPS_RTR || state == IB_QPS_RTS;
}

/* ---- packets ------------------------------------------------------------- */

/**
 * struct mrc_target - where the payload of a packet goes
 * @place: parts of memory, in the order of the payload
 * @count: elements of @place; negative: an error of mrc_resp_receive() or ops->recv_place;
 *         -EOPNOTSUPP: extensions are off; -EINVAL: nobody has asked for this response
 */
struct mrc_target {
	struct mrc_place place[MRC_PLACES_MAX];
	int count;
};

/* The response to an atomic has its payload in a header. */
static int mrc_responder_bytes(const struct mrc_rx_pkt *pkt, unsigned int from, void *to,
			       unsigned int n)
{
	if (pkt->hdr.bth.opcode != MRC_OP_ATOMIC_RSP)
		return mrc_rx_copy(pkt, from, to, n);
	memcpy(to, (const u8 *)&pkt->hdr.write.value + from, n);
	return 0;
}

/*
 * Copies a part of the payload to its place, unless the region is being deregistered or the QP
 * destroyed: once that has returned, the memory may be used for something else. Return: 0 or an
 * AETH syndrome.
 */
static u8 mrc_responder_place(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt, unsigned int from,
			      const struct mrc_place *to, const void *pd, int access)
{
	const struct mrc_mr_range want = {
		.key = to->lkey,
		.pd = pd,
		.addr = to->addr,
		.len = to->len,
		.access = access,
	};
	struct mrc_mr *mr = mrc_mr_find(qp->dev, to->lkey);
	u8 syndrome = MRC_NAK_ACCESS;

	if (!mr)
		return syndrome;
	mrc_hazard_set(mr, qp);
	if (mrc_responder_live(qp) && !mrc_mr_check(mr, &want))
		syndrome = mrc_place_copy(pkt, from, mr, to, mrc_responder_bytes) ?
			   MRC_NAK_OPERATION : 0;
	mrc_hazard_clear();
	return syndrome;
}

static u8 mrc_responder_place_write(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt)
{
	const struct mrc_place to = {
		.addr = pkt->hdr.write.va,
		.len = pkt->len,
		.lkey = pkt->hdr.write.rkey,
	};

	if (!pkt->len)
		return 0;
	if (!(qp->conn.access & IB_ACCESS_REMOTE_WRITE))
		return MRC_NAK_ACCESS;
	return mrc_responder_place(qp, pkt, 0, &to, qp->pd, IB_ACCESS_REMOTE_WRITE);
}

/*
 * @pd: protection domain of the memory. Return: 0 or an AETH syndrome. @status: result, how the
 * receive or READ ends if it is at fault.
 */
static u8 mrc_responder_place_named(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt,
				    const struct mrc_target *t, const void *pd,
				    enum ib_wc_status *status)
{
	unsigned int from = 0;
	int i;

	if (t->count == -EMSGSIZE) {
		*status = IB_WC_LOC_LEN_ERR;
		return MRC_NAK_INVALID;
	}
	if (t->count < 0)
		return t->count == -EBADMSG ? MRC_NAK_OPERATION : MRC_NAK_INVALID;
	for (i = 0; i < t->count; i++) {
		if (mrc_responder_place(qp, pkt, from, &t->place[i], pd, IB_ACCESS_LOCAL_WRITE)) {
			*status = IB_WC_LOC_PROT_ERR;
			return MRC_NAK_OPERATION;
		}
		from += t->place[i].len;
	}
	return 0;
}

static bool mrc_responder_is_response(const struct mrc_rx_arrival *a)
{
	return a->opflags & MRC_OPF_RESPONSE;
}

/* Does its payload go to memory that a receive or READ of this end names? */
static bool mrc_responder_is_named(const struct mrc_rx_arrival *a)
{
	return a->opflags & (MRC_OPF_SEND | MRC_OPF_RESPONSE);
}

/* Finds the READ or atomic of a response. rx_lock held. Return: elements of @to, or -EINVAL. */
static int mrc_responder_find_read(struct mrc_qp *qp, const struct mrc_rx_arrival *a,
				   struct mrc_place *to)
{
	const struct mrc_read *read = mrc_reads_find(&qp->resp.reads, a, qp->conn.mtu);

	if (!read)
		return -EINVAL;
	return mrc_wqe_places(mrc_wqe_at(qp, read->index), a->offset,
			      read->atomic ? MRC_ATOMIC_BYTES : a->payload, to);
}

/*
 * Finds the receive of a SEND packet. rx_lock held. Return: false: it is not posted, and the packet
 * counts as never seen.
 */
static bool mrc_responder_find_receive(struct mrc_qp *qp, const struct mrc_rx_arrival *a,
				       struct mrc_target *t)
{
	const struct mrc_stretch s = {
		.offset = a->offset,
		.len = a->payload,
		.message = a->dmalen,
	};
	int skip;

	skip = mrc_resp_receive(&qp->resp, a);
	t->count = skip < 0 ? skip : qp->ops->recv_place(qp->priv, skip, &s, t->place);
	if (t->count != -ENOENT)
		return true;
	mrc_count_n(qp->dev, MRC_CNT_NO_RECEIVE, mrc_resp_starve(&qp->resp, a));
	return false;
}

/*
 * Finds where payload goes that does not say it. rx_lock held. Return: false as for
 * mrc_responder_find_receive().
 */
static bool mrc_responder_find(struct mrc_qp *qp, const struct mrc_rx_arrival *a,
			       struct mrc_target *t)
{
	t->count = -EOPNOTSUPP;
	if (!READ_ONCE(qp->dev->cfg.extensions))
		return true;
	t->count = -EINVAL;
	if (!mrc_resp_fits(&qp->resp, a))
		return true;
	if (!mrc_responder_is_response(a))
		return mrc_responder_find_receive(qp, a, t);
	t->count = mrc_responder_find_read(qp, a, t->place);
	return true;
}

/*
 * @t: result, of a SEND or response; NULL for others. Return: true: the packet is to be placed, and
 * mrc_responder_commit() to be called.
 */
static bool mrc_responder_claim(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt,
				const struct mrc_rx_arrival *a, struct mrc_target *t)
{
	enum mrc_rx_verdict verdict = MRC_RX_OOR;
	bool place = false;

	spin_lock(&qp->rx_lock);
	if (mrc_responder_live(qp))
		verdict = mrc_resp_claim(&qp->resp, a);
	if (verdict == MRC_RX_NEW)
		place = !t || mrc_responder_find(qp, a, t);
	qp->placing += place && t;
	if (place && a->psn != mrc_psn_add(qp->resp.rx.cack, 1))
		mrc_count(qp->dev, MRC_CNT_OUT_OF_ORDER);
	spin_unlock(&qp->rx_lock);
	trace_mrc_arrival(qp, pkt, verdict);
	if (verdict == MRC_RX_DUP)
		mrc_count(qp->dev, MRC_CNT_DUPLICATES);
	else if (verdict == MRC_RX_OOR)
		mrc_count(qp->dev, MRC_CNT_DROP_OUT_OF_WINDOW);
	return place;
}

/* Notes the fault of the oldest packet. rx_lock held. */
static void mrc_responder_blame(struct mrc_qp *qp, u32 psn, enum ib_wc_status status)
{
	if (status == IB_WC_SUCCESS && qp->bad_receive_psn == psn)
		qp->bad_receive = IB_WC_SUCCESS;	/* another copy was right */
	if (status == IB_WC_SUCCESS ||
	    (qp->bad_receive != IB_WC_SUCCESS && mrc_psn_diff(qp->bad_receive_psn, psn) <= 0))
		return;
	qp->bad_receive_psn = psn;
	qp->bad_receive = status;
}

/* @status: how the receive of the packet ends, if the receive is at fault, else IB_WC_SUCCESS. */
static void mrc_responder_commit(struct mrc_qp *qp, const struct mrc_rx_arrival *a, u8 syndrome,
				 enum ib_wc_status status)
{
	bool flush = false;

	spin_lock(&qp->rx_lock);
	if (mrc_responder_is_named(a) && !--qp->placing) {
		mrc_qp_flush_receives(qp);
		flush = qp->flush_waits;
	}
	if (mrc_responder_live(qp)) {
		qp->rx_packets++;
		mrc_resp_commit(&qp->resp, a, syndrome);
		mrc_responder_blame(qp, a->psn, status);
	}
	spin_unlock(&qp->rx_lock);
	if (flush)
		mrc_qp_flush_late(qp);
}

/* A packet that says itself where its payload goes, or that has none: a write, READ or atomic. */
static void mrc_responder_plain(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt,
				const struct mrc_rx_arrival *a)
{
	u8 syndrome = MRC_NAK_INVALID;

	if (!mrc_responder_claim(qp, pkt, a, NULL))
		return;
	if (mrc_resp_fits(&qp->resp, a))
		syndrome = mrc_responder_place_write(qp, pkt);
	mrc_responder_commit(qp, a, syndrome, IB_WC_SUCCESS);
}

/* Apart from writes, which need no room for places on the stack. */
static noinline_for_stack void mrc_responder_named(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt,
						   const struct mrc_rx_arrival *a)
{
	enum ib_wc_status status = IB_WC_SUCCESS;
	bool response = mrc_responder_is_response(a);
	struct mrc_target t;
	u8 syndrome;

	if (!mrc_responder_claim(qp, pkt, a, &t))
		return;
	syndrome = mrc_responder_place_named(qp, pkt, &t, response ? qp->pd : qp->recv_pd,
					     &status);
	mrc_responder_commit(qp, a, syndrome, response ? IB_WC_SUCCESS : status);
	if (response && status != IB_WC_SUCCESS)
		mrc_qp_fail_request(qp, status, "the memory region of a READ was revoked");
}

void mrc_responder_request(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt)
{
	struct mrc_rx_arrival a;

	mrc_resp_arrival(&pkt->hdr, pkt->len, pkt->ev, pkt->ce, &a);
	if (mrc_responder_is_named(&a))
		mrc_responder_named(qp, pkt, &a);
	else
		mrc_responder_plain(qp, pkt, &a);
}

/* ---- answers ------------------------------------------------------------- */

/* rx_lock held. Return: true: the message had a receive. */
static bool mrc_responder_take(struct mrc_qp *qp, const struct mrc_rx_done *done)
{
	int err = qp->ops->recv_done(qp->priv, done);

	if (err == -ENOENT)
		mrc_count_n(qp->dev, MRC_CNT_NO_RECEIVE, mrc_resp_wait(&qp->resp, done));
	else if (err)
		mrc_resp_refuse_done(&qp->resp, done,
				     err == -EACCES ? MRC_NAK_ACCESS : MRC_NAK_INVALID);
	return !err;
}

/* Executes a READ or atomic. rx_lock held. */
static void mrc_responder_execute(struct mrc_qp *qp, const struct mrc_rx_done *done,
				  struct mrc_fetch *fetch)
{
	u8 syndrome = mrc_response_execute(qp, fetch);

	if (syndrome) {
		mrc_resp_refuse_done(&qp->resp, done, syndrome);
		return;
	}
	mrc_resp_executed(&qp->resp);
	mrc_count(qp->dev, fetch->opcode == MRC_OP_READ ? MRC_CNT_RX_READ_REQUESTS :
							MRC_CNT_RX_ATOMIC_REQUESTS);
}

/* A message is complete in order. rx_lock held. */
static void mrc_responder_done(struct mrc_qp *qp, const struct mrc_rx_done *done)
{
	struct mrc_fetch *fetch = mrc_resp_fetch(&qp->resp, done);

	if (fetch)
		mrc_responder_execute(qp, done, fetch);
	else if (!done->takes && mrc_resp_response(&qp->resp))
		return;
	else if (!done->takes || qp->dead || mrc_responder_take(qp, done))
		mrc_count(qp->dev, done->send ? MRC_CNT_RX_SEND_REQUESTS :
						MRC_CNT_RX_WRITE_REQUESTS);
}

/* Completes messages, in order. rx_lock held. */
static void mrc_responder_complete(struct mrc_qp *qp)
{
	struct mrc_rx_done done;

	while (mrc_resp_next_done(&qp->resp, &done))
		mrc_responder_done(qp, &done);
}

/* ACKs tell a peer that sends SENDs how many receives are posted. rx_lock held. */
static void mrc_responder_count_receives(struct mrc_qp *qp)
{
	if (qp->resp.sends && !qp->dead)
		mrc_resp_posted(&qp->resp, qp->ops->recv_posted(qp->priv));
}

/*
 * A timer that is armed already is left alone, as the requester's is. So while data flows, the
 * timer fires, and is armed anew, only once in its time. rx_lock held.
 */
static void mrc_responder_arm(struct mrc_qp *qp)
{
	u64 at = mrc_resp_timer_at(&qp->resp);

	if (!at || qp->sack_timer_at)
		return;
	qp->sack_timer_at = at;
	hrtimer_start(&qp->sack_timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Softirq. */
static enum hrtimer_restart mrc_responder_timer(struct hrtimer *timer)
{
	struct mrc_qp *qp = container_of(timer, struct mrc_qp, sack_timer);
	struct mrc_answers a;

	mrc_answers_init(&a);
	rcu_read_lock();
	spin_lock(&qp->rx_lock);
	qp->sack_timer_at = 0;
	if (mrc_responder_live(qp)) {
		mrc_resp_timer(&qp->resp, ktime_get_ns(), &a);
		mrc_responder_arm(qp);
	}
	spin_unlock(&qp->rx_lock);
	mrc_reply_send(qp, &a);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

void mrc_responder_init(struct mrc_qp *qp)
{
	spin_lock_init(&qp->rx_lock);
	mrc_hrtimer_setup(&qp->sack_timer, mrc_responder_timer);
}

static const char *mrc_responder_error(u8 syndrome, enum ib_event_type *event,
				       enum mrc_counter *counter)
{
	if (syndrome == MRC_NAK_ACCESS) {
		*event = IB_EVENT_QP_ACCESS_ERR;
		*counter = MRC_CNT_RESP_REMOTE_ACCESS;
		return "remote access error";
	}
	*event = IB_EVENT_QP_REQ_ERR;
	*counter = MRC_CNT_RESP_CQE_ERROR;
	return "invalid request";
}

bool mrc_responder_answer(struct mrc_qp *qp)
{
	struct mrc_answers a;
	enum mrc_counter counter;
	enum ib_event_type event;
	const char *reason;
	u8 syndrome = 0;

	mrc_answers_init(&a);
	spin_lock(&qp->rx_lock);
	if (mrc_responder_live(qp)) {
		mrc_responder_complete(qp);
		mrc_responder_count_receives(qp);
		syndrome = mrc_resp_answer(&qp->resp, ktime_get_ns(), &a);
		mrc_responder_arm(qp);
	}
	spin_unlock(&qp->rx_lock);
	mrc_reply_send(qp, &a);
	if (!syndrome)
		return READ_ONCE(qp->resp.reads.arrivals) || mrc_response_due(qp);
	reason = mrc_responder_error(syndrome, &event, &counter);
	mrc_count(qp->dev, counter);
	mrc_qp_fail(qp, event, reason);
	return false;
}

bool mrc_responder_received(struct mrc_qp *qp)
{
	bool resumed;

	local_bh_disable();
	rcu_read_lock();
	spin_lock(&qp->rx_lock);
	resumed = mrc_responder_live(qp) && mrc_resp_resume(&qp->resp);
	spin_unlock(&qp->rx_lock);
	resumed = resumed && mrc_responder_answer(qp);
	rcu_read_unlock();
	local_bh_enable();
	return resumed;
}

void mrc_responder_probe(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt)
{
	struct mrc_answers a;

	mrc_count(qp->dev, MRC_CNT_PROBE_RX);
	mrc_answers_init(&a);
	spin_lock(&qp->rx_lock);
	mrc_responder_count_receives(qp);
	if (mrc_responder_live(qp))
		mrc_resp_probe(&qp->resp, &pkt->hdr.probe, pkt->ev, pkt->ce, &a);
	spin_unlock(&qp->rx_lock);
	mrc_reply_send(qp, &a);
}

void mrc_responder_trimmed(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt, bool lasthop)
{
	struct mrc_answers a;
	bool told = false;

	mrc_answers_init(&a);
	spin_lock(&qp->rx_lock);
	mrc_responder_count_receives(qp);
	if (mrc_responder_live(qp)) {
		spin_lock(&qp->dev->trim_lock);
		told = mrc_resp_trimmed(&qp->resp, &pkt->hdr.bth, pkt->ev, lasthop,
					&qp->dev->trim_gate, ktime_get_ns(), &a);
		spin_unlock(&qp->dev->trim_lock);
	}
	spin_unlock(&qp->rx_lock);
	if (told)
		mrc_count(qp->dev, lasthop ? MRC_CNT_TRIMMED_LASTHOP_RX : MRC_CNT_TRIMMED_RX);
	else
		mrc_count(qp->dev, MRC_CNT_TRIMMED_UNTOLD);
	mrc_reply_send(qp, &a);
}

void mrc_responder_last_words(struct mrc_qp *qp, struct mrc_last_words *w)
{
	spin_lock_bh(&qp->rx_lock);
	mrc_resp_last_words(&qp->resp, w);
	spin_unlock_bh(&qp->rx_lock);
}
