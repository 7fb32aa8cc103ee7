// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requester: plans batches, builds packets, digests answers.
 */
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "cc_profile.h"
#include "event.h"
#include "prober.h"
#include "replay.h"
#include "reply.h"
#include "requester.h"
#include "trace.h"

/* Batches in one go; then the CPU is given back. */
#define MRC_RUN_BATCHES	16u

/**
 * struct mrc_send - packets on their way out
 * @b: which
 * @peer: where to
 * @evs: the version of the EVs that @b means
 */
struct mrc_send {
	struct mrc_batch b;
	struct mrc_peer *peer;
	struct mrc_peer_evs *evs;
};

static struct mrc_wqe *mrc_wqe_of(struct mrc_msg *msg)
{
	return container_of(msg, struct mrc_wqe, msg);
}

static struct mrc_wqe *mrc_wqe_at(const struct mrc_qp *qp, u32 index)
{
	return mrc_wqe_of(mrc_sendq_at(&qp->req.sendq, index));
}

struct mrc_wqe *mrc_qp_slot(struct mrc_qp *qp)
{
	struct mrc_msg *msg = mrc_sendq_slot(&qp->req.sendq);

	return msg ? mrc_wqe_of(msg) : NULL;
}

void mrc_qp_queue(struct mrc_qp *qp)
{
	struct mrc_msg *msg = mrc_sendq_slot(&qp->req.sendq);

	mrc_sendq_queue(&qp->req.sendq);
	mrc_replay(qp, MRC_REPLAY_QUEUE, 0, msg->len, msg->has_imm);
	mrc_count(qp->dev, MRC_CNT_TX_WRITES);
}

static void mrc_wqe_release(struct mrc_wqe *wqe)
{
	unsigned int i;

	for (i = 0; i < wqe->num_sge; i++)
		mrc_mr_put(wqe->sge[i].mr);
	wqe->num_sge = 0;
}

/* ---- sending: the plan -------------------------------------------------- */

/* Packets that were sent on these EVs go out again. */
static void mrc_send_count_lost(struct mrc_send *s)
{
	unsigned int i;

	spin_lock(&s->peer->lock);
	for (i = 0; i < s->b.count; i++)
		mrc_paths_resent(&s->evs->paths, s->b.plan[i].was);
	spin_unlock(&s->peer->lock);
}

/* Packets for one skb: of those that do not fit the last would go alone. */
static unsigned int mrc_send_burst(const struct mrc_qp *qp)
{
	unsigned int fit = MRC_SKB_LEN_MAX / (qp->conn.mtu +
					      MRC_WRITE_HDR_MAX + MRC_ICRC_LEN);

	return min_t(unsigned int, READ_ONCE(qp->dev->cfg.burst), fit);
}

static void mrc_send_deal(struct mrc_qp *qp, struct mrc_send *s, u64 now)
{
	unsigned int stride = mrc_req_stride(&s->b, mrc_send_burst(qp),
					     READ_ONCE(s->evs->paths.set.good),
					     READ_ONCE(s->evs->paths.set.bad));
	u16 ev[MRC_BATCH_MAX];

	spin_lock(&s->peer->lock);
	mrc_paths_draw(&s->evs->paths, s->b.any, s->b.count, now, ev, stride);
	spin_unlock(&s->peer->lock);
	mrc_req_deal(&qp->req, &s->b, ev, stride, now);
	mrc_replay_batch(qp, now, &s->b, ev);
	if (s->b.rtx)
		mrc_send_count_lost(s);
}

/* Indices of older versions of the EVs mean nothing any more. */
static void mrc_requester_sync_evs(struct mrc_qp *qp, struct mrc_peer_evs *evs)
{
	bool others = qp->req.evs_gen != evs->gen;

	mrc_req_sync_evs(&qp->req, &evs->paths, evs->gen);
	if (others)
		mrc_replay(qp, MRC_REPLAY_FORGET, 0, evs->gen);
}

static void mrc_requester_arm(struct mrc_qp *qp, u64 now);

/* Decides what goes out now. False: nothing does. */
static bool mrc_requester_plan(struct mrc_qp *qp, struct mrc_send *s)
{
	u64 now = ktime_get_ns();

	s->peer = qp->peer;
	s->evs = rcu_dereference(s->peer->evs);
	mrc_requester_sync_evs(qp, s->evs);
	if (!mrc_req_plan(&qp->req, now, MRC_BATCH_MAX, &s->b)) {
		mrc_replay(qp, MRC_REPLAY_IDLE, now, 0);
		return false;
	}
	mrc_send_deal(qp, s, now);
	qp->tx_packets += s->b.count;
	if (s->b.rtx) {
		trace_mrc_retransmit(qp, s->b.plan[0].psn, s->b.count);
		qp->rtx_packets += s->b.count;
		mrc_count_n(qp->dev, MRC_CNT_TX_RTX, s->b.count);
	}
	mrc_requester_arm(qp, now);
	return true;
}

/* ---- sending: the packets ----------------------------------------------- */

/* Calls @fn for each stretch of a chunk that lies in one gather element. */
static int mrc_chunk_walk(const struct mrc_wqe *wqe,
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

static int mrc_seg_count_pages(const struct mrc_seg *seg, u64 addr, u32 len,
			       void *arg)
{
	u64 at = addr - seg->mr->iova + seg->mr->offset;
	unsigned int *pages = arg;

	*pages += ((at & ~PAGE_MASK) + len + PAGE_SIZE - 1) >> PAGE_SHIFT;
	return 0;
}

static unsigned int mrc_chunk_pages(const struct mrc_wqe *wqe,
				    const struct mrc_chunk *c)
{
	unsigned int pages = 0;

	if (wqe->flags & MRC_WQE_INLINE)
		return !!c->len;
	mrc_chunk_walk(wqe, c, &pages, mrc_seg_count_pages);
	return pages;
}

static int mrc_seg_put_pages(const struct mrc_seg *seg, u64 addr, u32 len,
			     void *arg)
{
	unsigned int n, offset;
	struct page *page;
	int err;

	if (READ_ONCE(seg->mr->revoked))
		return -EACCES;
	for (; len; addr += n, len -= n) {
		n = mrc_mr_piece(seg->mr, addr, len, &page, &offset);
		err = mrc_skb_page(arg, page, offset, n);
		if (err)
			return err;
	}
	return 0;
}

static int mrc_chunk_put(struct mrc_skb *skb, const struct mrc_wqe *wqe,
			 const struct mrc_chunk *c, struct mrc_hdr *hdr)
{
	u8 *buf = mrc_skb_hdr(skb, mrc_opcode_hdr_len(hdr->bth.opcode));
	int err;

	if (!buf)
		return -ENOMEM;
	mrc_hdr_encode(buf, hdr);
	if (wqe->flags & MRC_WQE_INLINE)
		err = mrc_skb_copy(skb, wqe->inline_data + c->offset, c->len);
	else
		err = mrc_chunk_walk(wqe, c, skb, mrc_seg_put_pages);
	return err ?: mrc_skb_close(skb);
}

static int mrc_send_open(struct mrc_qp *qp, const struct mrc_send *s,
			  unsigned int from, struct mrc_skb *skb)
{
	const struct mrc_dev_cfg *cfg = &qp->dev->cfg;
	u8 dscp = READ_ONCE(*(s->b.rtx ? &cfg->dscp_rtx : &cfg->dscp_data));
	unsigned int left = DIV_ROUND_UP(s->b.count - from, s->b.stride);
	u16 ev = s->b.plan[from].ev;

	if (ev == MRC_EV_NONE)
		return -ENETUNREACH;
	return mrc_skb_open(skb, rcu_dereference(s->peer->flow), &s->evs->path[ev],
			    s->evs->paths.ev[ev].bits, dscp << 2 | MRC_ECN_ECT0,
			    min_t(unsigned int, left, READ_ONCE(cfg->burst)));
}

static int mrc_send_xmit(struct mrc_qp *qp, struct mrc_skb *skb)
{
	mrc_count_n(qp->dev, MRC_CNT_TX_PACKETS, skb->packets);
	mrc_count_n(qp->dev, MRC_CNT_TX_BYTES, skb->bytes);
	return mrc_skb_xmit(skb);
}

static bool mrc_send_again(struct mrc_qp *qp, const struct mrc_send *s,
			   unsigned int from, unsigned int end, u64 now)
{
	bool going = true, goes_on;
	unsigned int i;

	spin_lock(&qp->tx_lock);
	for (i = from; i < end && qp->state == IB_QPS_RTS; i += s->b.stride) {
		goes_on = mrc_req_unsent(&qp->req, s->b.plan[i].psn, now);
		mrc_replay(qp, MRC_REPLAY_UNSENT, now, s->b.plan[i].psn, goes_on);
		going &= goes_on;
		mrc_count(qp->dev, MRC_CNT_TX_DROPPED);
	}
	if (qp->state == IB_QPS_RTS)
		mrc_requester_arm(qp, now);
	spin_unlock(&qp->tx_lock);
	return going;
}

/* Is a packet's fate that of all that take this EV, for now? Then its peer is told. */
static void mrc_send_no_way(const struct mrc_send *s, u16 ev, int err, u64 now)
{
	struct mrc_plane *plane = s->evs->path[ev].plane;

	if (err != -ENETUNREACH && err != -EMSGSIZE)
		return;
	/* If the plane is down all EVs are about to be told. */
	if (plane && !mrc_plane_usable(plane))
		return;
	spin_lock(&s->peer->lock);
	mrc_paths_report(&s->evs->paths, err == -EMSGSIZE ? MRC_SEEN_NO_ROOM :
							    MRC_SEEN_NO_ROUTE,
			 ev, now, now);
	mrc_prober_evs_changed(s->peer, s->evs);
	spin_unlock(&s->peer->lock);
}

/*
 * What this host did not let go, packets @from, @from + stride, ... before @end, goes out again,
 * and says nothing of the paths beyond.
 */
static void mrc_send_dropped(struct mrc_qp *qp, const struct mrc_send *s,
			     unsigned int from, unsigned int end, int err)
{
	u16 ev = s->b.plan[from].ev;
	u64 now = ktime_get_ns();

	if (err == -ENOMEM)
		mrc_count(qp->dev, MRC_CNT_TX_NO_MEMORY);
	else if (err == -ENETUNREACH)
		mrc_count(qp->dev, MRC_CNT_TX_NO_PATH);
	/* They wait for a port. */
	if (ev == MRC_EV_NONE)
		return;
	mrc_send_no_way(s, ev, err, now);
	if (!mrc_send_again(qp, s, from, end, now))
		mrc_qp_fail(qp, IB_WC_RETRY_EXC_ERR, IB_EVENT_QP_FATAL,
			    "this host drops all that is sent");
}

/* Adds packet @i to the skb. Return: 0, -EAGAIN when it needs another skb, or an error. */
static int mrc_send_put(struct mrc_qp *qp, const struct mrc_send *s,
			 unsigned int i, struct mrc_skb *skb, bool first)
{
	const struct mrc_plan *p = &s->b.plan[i];
	const struct mrc_wqe *wqe = mrc_wqe_at(qp, p->msg);
	struct mrc_chunk c;
	struct mrc_hdr hdr;
	unsigned int len;

	mrc_sendq_chunk(&qp->req.sendq, &wqe->msg, p->psn, &c);
	mrc_sendq_header(&wqe->msg, &c, p->psn, &hdr);
	hdr.bth.pkey = qp->conn.pkey;
	hdr.bth.qpn = qp->conn.dest_qpn;
	hdr.bth.rtx = s->b.rtx;
	hdr.bth.ackreq = s->b.ask && i == s->b.count - 1;
	len = mrc_opcode_hdr_len(hdr.bth.opcode) + c.len + hdr.bth.pad +
	      MRC_ICRC_LEN;
	if (!first && !mrc_skb_fits(skb, len, mrc_chunk_pages(wqe, &c)))
		return -EAGAIN;
	return mrc_chunk_put(skb, wqe, &c, &hdr);
}

/*
 * A late answer may complete a request while it is being sent again; its program
 * is then free to deregister the memory.
 */
static bool mrc_send_outstanding(struct mrc_qp *qp, const struct mrc_plan *p)
{
	bool outstanding;

	spin_lock(&qp->tx_lock);
	outstanding = mrc_sendq_outstanding(&qp->req.sendq, p->msg);
	spin_unlock(&qp->tx_lock);
	return outstanding;
}

/*
 * Sends the packets of one EV: @from, @from + stride, ... as far as they fit
 * one skb. Return: the first one left over, or a negative error that is the program's
 * fault.
 */
static int mrc_send_skb(struct mrc_qp *qp, const struct mrc_send *s,
			 unsigned int from)
{
	unsigned int i;
	struct mrc_skb skb;
	int err;

	err = mrc_send_open(qp, s, from, &skb);
	if (err) {
		mrc_send_dropped(qp, s, from, s->b.count, err);
		return s->b.count;
	}
	for (i = from; i < s->b.count; i += s->b.stride) {
		err = mrc_send_put(qp, s, i, &skb, i == from);
		if (err)
			break;
	}
	if (!err || err == -EAGAIN) {
		err = mrc_send_xmit(qp, &skb);
		if (err)
			mrc_send_dropped(qp, s, from, i, err);
		return i;
	}
	mrc_skb_abort(&skb);
	if (err == -EACCES && mrc_send_outstanding(qp, &s->b.plan[i]))
		return err;
	mrc_send_dropped(qp, s, from, s->b.count, err);
	return s->b.count;
}

static int mrc_send_all(struct mrc_qp *qp, const struct mrc_send *s)
{
	unsigned int e;
	int i;

	for (e = 0; e < s->b.stride; e++) {
		for (i = e; i < (int)s->b.count;) {
			i = mrc_send_skb(qp, s, i);
			if (i < 0)
				return i;
		}
	}
	return 0;
}

/* ---- the run ------------------------------------------------------------- */

/* One batch. False: nothing more to send now. */
static bool mrc_requester_step(struct mrc_qp *qp)
{
	struct mrc_send s;
	bool more = false;
	int err = 0;

	spin_lock(&qp->tx_lock);
	if (qp->dead) {
		spin_unlock(&qp->tx_lock);
		return false;
	}
	if (qp->state == IB_QPS_RTS) {
		err = qp->ops->refill(qp->priv);
		more = mrc_requester_plan(qp, &s);
	} else if (qp->state == IB_QPS_ERR) {
		qp->ops->flush_send(qp->priv);
	}
	spin_unlock(&qp->tx_lock);
	if (more && mrc_send_all(qp, &s))
		mrc_qp_fail(qp, IB_WC_LOC_PROT_ERR, IB_EVENT_QP_FATAL,
			    "memory region revoked under a request");
	if (err == -ECANCELED)
		/* Its error completion says it all. */
		mrc_qp_to_err(qp, BIT(IB_QPS_RTS), "a request failed here");
	else if (err)
		mrc_qp_fail(qp, IB_WC_WR_FLUSH_ERR, IB_EVENT_QP_FATAL,
			    "send ring corrupt");
	return more && !err;
}

/* Others want this CPU too: the timer goes on with it. */
static void mrc_requester_yield(struct mrc_qp *qp)
{
	spin_lock(&qp->tx_lock);
	if (qp->state == IB_QPS_RTS && !qp->dead) {
		qp->yielded = true;
		qp->timer_at = ktime_get_ns();
		hrtimer_start(&qp->timer, ns_to_ktime(qp->timer_at),
			      HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock(&qp->tx_lock);
}

/* Sends at most @budget batches now. */
static void mrc_requester_run_some(struct mrc_qp *qp, unsigned int budget)
{
	/* What there is to do can be seen by whoever sees the bit ... */
	smp_mb__before_atomic();
	set_bit(MRC_RUN_WANTED, &qp->run);
	while (test_bit(MRC_RUN_WANTED, &qp->run) &&
	       !test_and_set_bit_lock(MRC_RUN_BUSY, &qp->run)) {
		clear_bit(MRC_RUN_WANTED, &qp->run);
		/* ... and is looked for only after the bit has been cleared. */
		smp_mb__after_atomic();
		while (budget && mrc_requester_step(qp))
			budget--;
		clear_bit_unlock(MRC_RUN_BUSY, &qp->run);
		/* Against the set_bit() of somebody who just found it busy. */
		smp_mb__after_atomic();
		if (!budget) {
			mrc_requester_yield(qp);
			break;
		}
	}
}

void mrc_requester_run(struct mrc_qp *qp)
{
	mrc_requester_run_some(qp, MRC_RUN_BATCHES);
}

static void mrc_qp_kick_some(struct mrc_qp *qp, unsigned int budget)
{
	local_bh_disable();
	rcu_read_lock();
	mrc_requester_run_some(qp, budget);
	rcu_read_unlock();
	local_bh_enable();
}

void mrc_qp_kick(struct mrc_qp *qp)
{
	mrc_qp_kick_some(qp, MRC_RUN_BATCHES);
}

void mrc_qp_nudge(struct mrc_qp *qp)
{
	mrc_qp_kick_some(qp, 1);
}

/* ---- the end of requests ------------------------------------------------- */

/* What verbs does not count itself: it sees each CQE, not what led to it. */
static void mrc_requester_count_end(const struct mrc_qp *qp,
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
	default:
		break;
	}
}

/* Ends the oldest request. tx_lock held. */
static void mrc_requester_done(struct mrc_qp *qp, enum ib_wc_status status)
{
	struct mrc_wqe *wqe = mrc_wqe_at(qp, qp->req.sendq.una);

	mrc_requester_count_end(qp, status);
	if (!qp->dead)
		qp->ops->send_done(qp->priv, wqe, status);
	mrc_wqe_release(wqe);
	mrc_sendq_end(&qp->req.sendq);
	mrc_replay(qp, MRC_REPLAY_END, 0, qp->req.sendq.una);
}

void mrc_requester_flush(struct mrc_qp *qp, enum ib_wc_status status)
{
	struct mrc_sendq *q = &qp->req.sendq;

	while (q->una != q->tail) {
		mrc_requester_done(qp, status);
		status = IB_WC_WR_FLUSH_ERR;
	}
}

void mrc_requester_drop(struct mrc_qp *qp)
{
	struct mrc_sendq *q = &qp->req.sendq;

	for (; q->una != q->tail; q->una++)
		mrc_wqe_release(mrc_wqe_at(qp, q->una));
	q->cur = q->tail;
}

/* Completes requests whose last packet is at or before @psn. tx_lock held. */
static void mrc_requester_complete(struct mrc_qp *qp, u32 psn)
{
	while (mrc_sendq_done(&qp->req.sendq, psn))
		mrc_requester_done(qp, IB_WC_SUCCESS);
}

/* ---- answers -------------------------------------------------------------- */

/* What an answer, or that none came, says about EVs goes to the peer. tx_lock held. */
static void mrc_requester_learn(struct mrc_qp *qp, struct mrc_tx_result *res,
				u64 now)
{
	struct mrc_peer_evs *evs = rcu_dereference(qp->peer->evs);
	struct mrc_news news;

	if (qp->req.evs_gen != evs->gen ||
	    !mrc_req_news(&qp->req, res, now, &news))
		return;
	spin_lock(&qp->peer->lock);
	do
		mrc_paths_learn(&evs->paths, &news, now);
	while (mrc_req_news(&qp->req, res, now, &news));
	mrc_prober_evs_changed(qp->peer, evs);
	spin_unlock(&qp->peer->lock);
}

static void mrc_requester_count_sack(struct mrc_qp *qp,
				     const struct mrc_tx_result *res)
{
	mrc_count_n(qp->dev, MRC_CNT_LOST_INFERRED, res->lost);
	mrc_count_n(qp->dev, MRC_CNT_SPURIOUS_RTX, res->spurious);
	mrc_count_n(qp->dev, MRC_CNT_ECN_ECHO_RX,
		    res->mark == MRC_SACK_SKIP_ONCE);
}

/* tx_lock held, under RCU. */
static bool mrc_requester_check_ports(struct mrc_qp *qp)
{
	const struct mrc_peer_evs *evs = rcu_dereference(qp->peer->evs);
	struct mrc_tx_result res;

	if (qp->peer->local ||
	    !mrc_req_heed_ports(&qp->req, &evs->paths, evs->gen, &res))
		return false;
	if (qp->req.evs_gen == evs->gen)
		mrc_replay_lose(qp, &evs->paths, res.lost);
	if (res.lost)
		trace_mrc_loss(qp, &res, "port");
	return true;
}

bool mrc_requester_new_ports(struct mrc_qp *qp)
{
	bool changed = false;

	rcu_read_lock();
	spin_lock_bh(&qp->tx_lock);
	if (qp->state == IB_QPS_RTS && qp->peer)
		changed = mrc_requester_check_ports(qp);
	spin_unlock_bh(&qp->tx_lock);
	rcu_read_unlock();
	return changed;
}

bool mrc_requester_sack(struct mrc_qp *qp, const struct mrc_hdr *hdr)
{
	struct mrc_tx_result res;
	u64 now = ktime_get_ns();
	int err = 0;

	mrc_count(qp->dev, MRC_CNT_SACK_RX);
	spin_lock(&qp->tx_lock);
	if (qp->state == IB_QPS_RTS) {
		err = mrc_req_sack(&qp->req, hdr, now, &res);
		mrc_replay_answer(qp, MRC_REPLAY_SACK, now, hdr, err, &res);
		if (!err) {
			trace_mrc_window(qp, &res);
			if (res.lost || res.spurious)
				trace_mrc_loss(qp, &res, "SACK");
			mrc_requester_count_sack(qp, &res);
			mrc_requester_learn(qp, &res, now);
			/* It need not wait for the work that tells all QPs. */
			mrc_requester_check_ports(qp);
			mrc_requester_arm(qp, now);
		}
	}
	spin_unlock(&qp->tx_lock);
	if (err)
		mrc_count(qp->dev, MRC_CNT_DROP_BAD_ACK);
	return !err;
}

bool mrc_requester_nack(struct mrc_qp *qp, const struct mrc_hdr *hdr)
{
	struct mrc_tx_result res;
	u64 now = ktime_get_ns();
	bool expired = false;
	int err = -EINVAL;

	mrc_count(qp->dev, MRC_CNT_NACK_RX);
	spin_lock(&qp->tx_lock);
	if (qp->state == IB_QPS_RTS) {
		err = mrc_req_nack(&qp->req, hdr, now, &res);
		mrc_replay_answer(qp, MRC_REPLAY_NACK, now, hdr, err, &res);
		expired = !err && res.expired;
		if (!err && res.lost)
			trace_mrc_loss(qp, &res, "NACK");
		if (!err || res.spurious)
			mrc_requester_learn(qp, &res, now);
		mrc_requester_arm(qp, now);
	}
	spin_unlock(&qp->tx_lock);
	if (err == -EINVAL)
		mrc_count(qp->dev, MRC_CNT_DROP_BAD_ACK);
	else if (mrc_nack_is_fatal(hdr->nack.reason))
		mrc_qp_fail(qp, IB_WC_REM_OP_ERR, IB_EVENT_QP_FATAL,
			    "peer reports an unexpected event");
	else if (expired)
		mrc_qp_fail(qp, IB_WC_RETRY_EXC_ERR, IB_EVENT_QP_FATAL,
			    "refused by the peer too often");
	return !err;
}

static enum ib_wc_status mrc_requester_nak_status(u8 syndrome)
{
	switch (syndrome) {
	case MRC_NAK_ACCESS:
		return IB_WC_REM_ACCESS_ERR;
	case MRC_NAK_INVALID:
		return IB_WC_REM_INV_REQ_ERR;
	default:
		return IB_WC_REM_OP_ERR;
	}
}

bool mrc_requester_ack(struct mrc_qp *qp, const struct mrc_hdr *hdr)
{
	bool nak = !mrc_syndrome_is_ack(hdr->ack.syndrome);
	struct mrc_tx_result res;
	u64 now = ktime_get_ns();
	int err = 0;
	u32 psn;

	mrc_count(qp->dev, nak ? MRC_CNT_NAK_RX : MRC_CNT_ACK_RX);
	spin_lock(&qp->tx_lock);
	if (qp->state == IB_QPS_RTS) {
		err = mrc_req_ack(&qp->req, hdr, now, &psn, &res);
		mrc_replay_answer(qp, MRC_REPLAY_ACK, now, hdr, err, &res);
		if (!err) {
			mrc_requester_learn(qp, &res, now);
			mrc_requester_complete(qp, psn);
			mrc_req_settle(&qp->req, now);
			mrc_replay(qp, MRC_REPLAY_SETTLE, now, 0);
			mrc_requester_arm(qp, now);
		}
	}
	spin_unlock(&qp->tx_lock);
	if (err)
		mrc_count(qp->dev, MRC_CNT_DROP_BAD_ACK);
	else if (nak)
		mrc_qp_fail(qp, mrc_requester_nak_status(hdr->ack.syndrome),
			    IB_EVENT_QP_FATAL, "refused by the peer");
	return !err;
}

/* ---- time ------------------------------------------------------------------ */

/* A timer that is armed already is left alone: it looks again when it fires. tx_lock held. */
static void mrc_requester_arm(struct mrc_qp *qp, u64 now)
{
	u64 at = mrc_req_timer_at(&qp->req, now);

	mrc_replay(qp, MRC_REPLAY_TIMER_AT, now, lower_32_bits(at), upper_32_bits(at));
	if (!at || qp->dead || (qp->timer_at && qp->timer_at <= at))
		return;
	qp->timer_at = at;
	hrtimer_start(&qp->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* tx_lock held. */
static enum mrc_req_due mrc_requester_look(struct mrc_qp *qp, u64 now,
					   struct mrc_answers *a)
{
	struct mrc_tx_result res;
	enum mrc_req_due due = mrc_req_timer(&qp->req, now, &res);

	mrc_replay(qp, MRC_REPLAY_TIMER, now, due, res.lost, qp->req.tx.una, qp->req.tx.nxt,
		   qp->req.tx.inflight, qp->req.tx.lost);
	if (due == MRC_REQ_PROBE)
		mrc_answers_probe(a, qp->req.tx.probe_id);
	if (res.lost) {
		trace_mrc_loss(qp, &res, "timeout");
		mrc_count_n(qp->dev, MRC_CNT_TIMEOUTS, res.lost);
	}
	mrc_requester_learn(qp, &res, now);
	if (due != MRC_REQ_FAILED)
		mrc_requester_arm(qp, now);
	return due;
}

/* Softirq. */
static enum hrtimer_restart mrc_requester_timer(struct hrtimer *timer)
{
	struct mrc_qp *qp = container_of(timer, struct mrc_qp, timer);
	enum mrc_req_due due = MRC_REQ_NOTHING;
	struct mrc_answers a;
	bool run;

	mrc_answers_init(&a);
	rcu_read_lock();
	spin_lock(&qp->tx_lock);
	qp->timer_at = 0;
	run = qp->yielded;
	qp->yielded = false;
	if (qp->state == IB_QPS_RTS)
		due = mrc_requester_look(qp, ktime_get_ns(), &a);
	spin_unlock(&qp->tx_lock);
	mrc_reply_send(qp, &a);
	if (due == MRC_REQ_FAILED)
		mrc_qp_fail(qp, IB_WC_RETRY_EXC_ERR, IB_EVENT_QP_FATAL,
			    "retry exceeded");
	else if (run || due != MRC_REQ_NOTHING)
		mrc_requester_run(qp);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/* ---- life ------------------------------------------------------------------- */

void mrc_requester_init(struct mrc_qp *qp)
{
	spin_lock_init(&qp->tx_lock);
	hrtimer_init(&qp->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	qp->timer.function = mrc_requester_timer;
}

static u32 mrc_requester_cwnd(struct mrc_qp *qp)
{
	struct mrc_cc_profile cc;

	if (!mrc_cc_profile_get(qp->dev, qp->params.cc_profile, &cc))
		cc.window = MRC_CC_WINDOW_DEFAULT;
	return max(cc.window / qp->conn.mtu, 2u);
}

int mrc_requester_start(struct mrc_qp *qp, u32 sq_psn)
{
	struct mrc_tx_cfg cfg = {
		.size = qp->params.mpr_tx * MRC_MPR_UNIT,
		.retries = {
			.timeout_ns = 1024ull << qp->params.timeout,
			.linear = qp->params.linear,
			.exp = qp->params.exp,
		},
	};

	qp->tx_ring = kvcalloc(cfg.size, sizeof(*qp->tx_ring), GFP_KERNEL_ACCOUNT);
	qp->req.sendq.slots = kvcalloc(qp->req.sendq.depth,
				       qp->req.sendq.stride,
				       GFP_KERNEL_ACCOUNT);
	if (!qp->tx_ring || !qp->req.sendq.slots) {
		mrc_requester_free(qp);
		return -ENOMEM;
	}
	spin_lock_bh(&qp->tx_lock);
	mrc_req_start(&qp->req, qp->tx_ring, &cfg, sq_psn,
		      mrc_requester_cwnd(qp));
	qp->sq_psn = sq_psn;
	mrc_sendq_start(&qp->req.sendq, qp->conn.mtu, qp->params.wimm_tx);
	mrc_replay(qp, MRC_REPLAY_START, 0, cfg.size, lower_32_bits(cfg.retries.timeout_ns),
		   upper_32_bits(cfg.retries.timeout_ns), cfg.retries.linear,
		   cfg.retries.exp, sq_psn, qp->req.cwnd, qp->conn.mtu, qp->params.wimm_tx,
		   qp->req.sendq.depth);
	spin_unlock_bh(&qp->tx_lock);
	return 0;
}

void mrc_requester_free(struct mrc_qp *qp)
{
	kvfree(qp->tx_ring);
	kvfree(qp->req.sendq.slots);
	qp->tx_ring = NULL;
	qp->req.sendq.slots = NULL;
}
