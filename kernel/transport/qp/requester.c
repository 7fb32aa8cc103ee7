// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requester: when it sends, and how it reacts to answers and to their absence.
 */
#include <linux/ktime.h>
#include <linux/mrc.h>
#include <linux/slab.h>

#include "../../compat/compat_timer.h"
#include "../profile/cc_profile.h"
#include "../peer/congestion.h"
#include "../endpoint/prober.h"
#include "error.h"
#include "replay.h"
#include "reply.h"
#include "requester.h"
#include "response.h"
#include "send.h"
#include "../peer/trace.h"
#include "wqe.h"

/* At most so many batches in one go; then other tasks have the CPU. */
#define MRC_RUN_BATCHES	16u

/* ---- the beginning ------------------------------------------------------- */

/* Round trip that other QPs of the peer have measured, ns. */
static u64 mrc_requester_peer_rtt(struct mrc_qp *qp)
{
	u64 rtt;

	rcu_read_lock();
	rtt = READ_ONCE(rcu_dereference(qp->peer->evs)->paths.set.rtt);
	rcu_read_unlock();
	return rtt;
}

static struct mrc_retries mrc_requester_retries(const struct mrc_qp *qp)
{
	return (struct mrc_retries){
		.timeout_ns = 1024ull << qp->params.timeout,
		.linear = qp->params.linear,
		.exp = qp->params.exp,
	};
}

/* tx_lock held. */
static void mrc_requester_begin(struct mrc_qp *qp, const struct mrc_qp_send *send)
{
	const struct mrc_tx_cfg cfg = {
		.size = qp->tx_size,
		.retries = mrc_requester_retries(qp),
		.peer_rtt_ns = mrc_requester_peer_rtt(qp),
		.receive_ns = send->receive_ns,
	};
	struct mrc_sendq *q = &qp->req.sendq;

	mrc_req_start(&qp->req, qp->tx_mem, &cfg, send->sq_psn);
	qp->sq_psn = send->sq_psn;
	mrc_sendq_start(q, qp->conn.mtu, qp->params.wimm_tx);
	q->reads_max = send->reads_max;
	mrc_sendq_start(&qp->req.rspq, qp->conn.mtu, 1);
	WRITE_ONCE(qp->sends, true);
	mrc_replay(qp, MRC_REPLAY_START, 0, cfg.size, lower_32_bits(cfg.retries.timeout_ns),
		   upper_32_bits(cfg.retries.timeout_ns), cfg.retries.linear,
		   cfg.retries.exp, lower_32_bits(cfg.peer_rtt_ns),
		   upper_32_bits(cfg.peer_rtt_ns), send->sq_psn, qp->conn.mtu,
		   qp->params.wimm_tx, q->depth, lower_32_bits(cfg.receive_ns),
		   upper_32_bits(cfg.receive_ns), q->reads_max);
}

/* A QP in RTR begins to send, because its peer READs. tx_lock held. */
static void mrc_requester_respond(struct mrc_qp *qp)
{
	struct mrc_qp_send send = {
		.receive_ns = U64_MAX,
	};

	if (mrc_response_first_psn(qp, &send.sq_psn))
		mrc_requester_begin(qp, &send);
}

/* ---- the run ------------------------------------------------------------- */

/* tx_lock held. */
static void mrc_requester_ask(struct mrc_qp *qp, u64 now, struct mrc_answers *a)
{
	if (!mrc_req_probe_now(&qp->req, now))
		return;
	mrc_replay(qp, MRC_REPLAY_ASK, now, qp->req.tx.probe_id);
	mrc_req_put_probe(&qp->req, a);
	mrc_send_arm(qp, now);
}

static void mrc_requester_ask_now(struct mrc_qp *qp)
{
	struct mrc_answers a;

	mrc_answers_init(&a);
	spin_lock(&qp->tx_lock);
	if (qp->sends)
		mrc_requester_ask(qp, ktime_get_ns(), &a);
	spin_unlock(&qp->tx_lock);
	mrc_reply_ask(qp, &a);
}

static void mrc_requester_batch(struct mrc_qp *qp, struct mrc_send *s)
{
	int err = mrc_send_all(qp, s);

	if (s->ask)
		mrc_requester_ask_now(qp);
	if (err == -EPERM) {
		mrc_count(qp->dev, MRC_CNT_RESP_REMOTE_ACCESS);
		mrc_qp_fail(qp, IB_EVENT_QP_ACCESS_ERR,
			    "the memory region of a READ by the peer was revoked");
	} else if (err) {
		mrc_qp_fail_request(qp, IB_WC_LOC_PROT_ERR,
				    "the memory region of a request was revoked");
	}
}

/* Sends one batch. Return: false: there is nothing more to send now. */
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
	if (qp->state == IB_QPS_RTS)
		err = qp->ops->refill(qp->priv);
	if (qp->state == IB_QPS_RTR && qp->joined && !qp->sends)
		mrc_requester_respond(qp);
	if (qp->sends) {
		mrc_response_queue(qp);
		more = mrc_send_plan(qp, &s);
	} else if (qp->state == IB_QPS_ERR && !qp->flush_waits) {
		qp->ops->flush_send(qp->priv);
	}
	spin_unlock(&qp->tx_lock);
	if (more)
		mrc_requester_batch(qp, &s);
	if (err == -ECANCELED)
		/* The error completion of the request is enough: no event. */
		mrc_qp_to_err(qp, BIT(IB_QPS_RTS), "a request failed on this host");
	else if (err)
		mrc_qp_fail(qp, IB_EVENT_QP_FATAL, "the send ring is corrupt");
	return more && !err;
}

/* Other tasks want this CPU, too: the timer goes on with sending. */
static void mrc_requester_yield(struct mrc_qp *qp)
{
	spin_lock(&qp->tx_lock);
	if (qp->sends && !qp->dead) {
		qp->yielded = true;
		qp->timer_at = ktime_get_ns();
		hrtimer_start(&qp->timer, ns_to_ktime(qp->timer_at),
			      HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock(&qp->tx_lock);
}

/* Sends at most @budget batches now. */
static void mrc_requester_go(struct mrc_qp *qp, unsigned int budget)
{
	/* A CPU that sees the bit must also see the work that there is to do ... */
	smp_mb__before_atomic();
	set_bit(MRC_RUN_WANTED, &qp->run);
	while (test_bit(MRC_RUN_WANTED, &qp->run) &&
	       !test_and_set_bit_lock(MRC_RUN_BUSY, &qp->run)) {
		clear_bit(MRC_RUN_WANTED, &qp->run);
		/* ... and looks for work only after it has cleared the bit. */
		smp_mb__after_atomic();
		while (budget && mrc_requester_step(qp))
			budget--;
		clear_bit_unlock(MRC_RUN_BUSY, &qp->run);
		/* Pairs with the set_bit() of a CPU that just found the QP busy. */
		smp_mb__after_atomic();
		if (!budget) {
			mrc_requester_yield(qp);
			break;
		}
	}
}

/* Sends as mrc_requester_go(), then gives turns to QPs that wait for room in the same window. */
static void mrc_requester_run_some(struct mrc_qp *qp, unsigned int budget)
{
	struct mrc_congestion *c;

	mrc_requester_go(qp, budget);
	c = rcu_dereference(qp->congestion);
	if (c)
		mrc_congestion_serve(c);
}

static void mrc_requester_turn(struct mrc_shared_place *place, bool later)
{
	struct mrc_qp *qp = container_of(place, struct mrc_qp, place);

	if (later)
		mrc_requester_yield(qp);
	else
		mrc_requester_go(qp, MRC_RUN_BATCHES);
}

void mrc_requester_run(struct mrc_qp *qp)
{
	mrc_requester_run_some(qp, MRC_RUN_BATCHES);
}

static void mrc_requester_kick_some(struct mrc_qp *qp, unsigned int budget)
{
	local_bh_disable();
	rcu_read_lock();
	mrc_requester_run_some(qp, budget);
	rcu_read_unlock();
	local_bh_enable();
}

void mrc_requester_kick(struct mrc_qp *qp)
{
	mrc_requester_kick_some(qp, MRC_RUN_BATCHES);
}

void mrc_requester_nudge(struct mrc_qp *qp)
{
	mrc_requester_kick_some(qp, 1);
}

/* ---- answers -------------------------------------------------------------- */

/* tx_lock and peer->lock held. */
static void mrc_requester_heed_states(struct mrc_qp *qp, const struct mrc_paths *paths,
				      const struct mrc_news *n, u64 now)
{
	unsigned int i;
	bool silent;

	for (i = 0; i < n->count; i++)
		if (mrc_req_heed_state(&qp->req, paths, &n->ev[i], &silent))
			mrc_replay(qp, MRC_REPLAY_STATE, now, n->ev[i].ev, silent);
}

/* Ports of missed packets whose queues on this host have dropped something of late. */
static u32 mrc_requester_dropped(const struct mrc_peer_evs *evs, const struct mrc_news *n, u64 now)
{
	u32 missed = mrc_paths_missed(&evs->paths, n), ports = 0;
	struct mrc_plane *plane;
	unsigned int i;

	for (i = 0; missed && i < evs->paths.set.nplanes; i++) {
		plane = evs->path[evs->paths.set.planes[i].first].plane;
		if (plane && missed & BIT(plane->port - 1) && mrc_plane_dropped(plane, now))
			ports |= BIT(plane->port - 1);
	}
	return ports;
}

/*
 * Tells the peer what an answer, or its absence, says about EVs. Looks at queues of this host
 * before it takes the peer's lock, because a netdev may have many. tx_lock held.
 */
static void mrc_requester_learn(struct mrc_qp *qp, struct mrc_tx_result *res,
				u64 now)
{
	struct mrc_peer_evs *evs = rcu_dereference(qp->peer->evs);
	struct mrc_news news;
	bool more;

	if (qp->req.evs_gen != evs->gen ||
	    !mrc_req_news(&qp->req, res, now, &news))
		return;
	do {
		news.dropped = mrc_requester_dropped(evs, &news, now);
		spin_lock(&qp->peer->lock);
		mrc_paths_learn(&evs->paths, &news, now);
		mrc_requester_heed_states(qp, &evs->paths, &news, now);
		more = mrc_req_news(&qp->req, res, now, &news);
		if (!more)
			mrc_prober_evs_changed(qp->peer, evs);
		spin_unlock(&qp->peer->lock);
	} while (more);
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
static bool mrc_requester_check_ports(struct mrc_qp *qp, u64 now)
{
	const struct mrc_peer_evs *evs = rcu_dereference(qp->peer->evs);
	struct mrc_tx_result res;

	if (qp->peer->local ||
	    !mrc_req_heed_ports(&qp->req, &evs->paths, evs->gen, now, &res))
		return false;
	if (qp->req.evs_gen == evs->gen)
		mrc_replay_lose(qp, &evs->paths, now, res.lost);
	mrc_send_learn(qp, &res, now);
	mrc_send_count_planes(qp, evs);
	if (res.lost)
		trace_mrc_loss(qp, &res, "port");
	return true;
}

bool mrc_requester_new_ports(struct mrc_qp *qp)
{
	bool changed = false;
	u64 now;

	rcu_read_lock();
	spin_lock_bh(&qp->tx_lock);
	now = ktime_get_ns();
	if (qp->sends && qp->peer)
		changed = mrc_requester_check_ports(qp, now);
	if (changed)
		/* Some packets on dead ports may have got time to arrive. */
		mrc_send_arm(qp, now);
	spin_unlock_bh(&qp->tx_lock);
	rcu_read_unlock();
	return changed;
}

/* tx_lock held, under RCU. Return: true: late packets on some EV count as lost from now on. */
static bool mrc_requester_heed_silence(struct mrc_qp *qp, u64 now)
{
	const struct mrc_peer_evs *evs = rcu_dereference(qp->peer->evs);
	bool any = false;
	u16 ev;

	if (qp->req.evs_gen != evs->gen)
		return false;
	while ((ev = mrc_req_next_silent(&qp->req, &evs->paths)) != MRC_EV_NONE) {
		mrc_replay(qp, MRC_REPLAY_STATE, now, ev, 1);
		any = true;
	}
	return any;
}

void mrc_requester_new_evs(struct mrc_qp *qp)
{
	struct mrc_answers a;
	u64 now;

	mrc_answers_init(&a);
	local_bh_disable();
	rcu_read_lock();
	spin_lock(&qp->tx_lock);
	now = ktime_get_ns();
	if (qp->sends && qp->peer && mrc_requester_heed_silence(qp, now))
		mrc_requester_ask(qp, now, &a);
	spin_unlock(&qp->tx_lock);
	mrc_reply_ask(qp, &a);
	rcu_read_unlock();
	local_bh_enable();
}

bool mrc_requester_sack(struct mrc_qp *qp, const struct mrc_hdr *hdr, bool *answer)
{
	struct mrc_tx_result res;
	u64 now;
	int err = 0;

	mrc_count(qp->dev, MRC_CNT_SACK_RX);
	spin_lock(&qp->tx_lock);
	/* Read under tx_lock, so that no packet in flight was sent later. */
	now = ktime_get_ns();
	if (qp->sends) {
		mrc_requester_heed_silence(qp, now);
		err = mrc_req_sack(&qp->req, hdr, now, &res);
		mrc_replay_answer(qp, MRC_REPLAY_SACK, now, hdr, err, &res);
		if (!err) {
			trace_mrc_window(qp, &res);
			if (res.lost || res.spurious)
				trace_mrc_loss(qp, &res, "SACK");
			mrc_requester_count_sack(qp, &res);
			mrc_send_learn(qp, &res, now);
			mrc_requester_learn(qp, &res, now);
			/* This QP need not wait for the work that tells all QPs. */
			mrc_requester_check_ports(qp, now);
			*answer |= mrc_response_end(qp, now);
			mrc_send_arm(qp, now);
		}
	}
	spin_unlock(&qp->tx_lock);
	if (err)
		mrc_count(qp->dev, MRC_CNT_DROP_BAD_ACK);
	return !err;
}

/* Status and reason with which a QP ends, by the verdict. */
static const struct {
	enum ib_wc_status status;
	const char *reason;
} mrc_requester_ends[] = {
	[MRC_REQ_UNEXPECTED] = { IB_WC_REM_OP_ERR, "peer reports an unexpected event" },
	[MRC_REQ_REFUSED] = { IB_WC_RETRY_EXC_ERR, "refused by the peer too often" },
	[MRC_REQ_NO_RECEIVE] = { IB_WC_RNR_RETRY_EXC_ERR, "the peer had no receive for too long" },
	[MRC_REQ_NO_ACCESS] = { IB_WC_REM_ACCESS_ERR, "refused by the peer" },
	[MRC_REQ_INVALID] = { IB_WC_REM_INV_REQ_ERR, "refused by the peer" },
	[MRC_REQ_PEER_FAILED] = { IB_WC_REM_OP_ERR, "refused by the peer" },
	[MRC_REQ_UNWANTED] = { IB_WC_WR_FLUSH_ERR, "the peer refused the response to its READ" },
};

static void mrc_requester_obey(struct mrc_qp *qp, enum mrc_req_verdict verdict)
{
	if (verdict == MRC_REQ_BAD_ANSWER)
		mrc_count(qp->dev, MRC_CNT_DROP_BAD_ACK);
	else if (verdict == MRC_REQ_UNWANTED)
		/* No request of the program is at fault. */
		mrc_qp_fail(qp, IB_EVENT_QP_FATAL, mrc_requester_ends[verdict].reason);
	else if (verdict != MRC_REQ_GOES_ON)
		mrc_qp_fail_request(qp, mrc_requester_ends[verdict].status,
				    mrc_requester_ends[verdict].reason);
}

/*
 * Notes which READs and atomics have their response, also before an answer that may end the QP.
 * tx_lock held. Return: there were some.
 */
static bool mrc_requester_take_answers(struct mrc_qp *qp, u64 now)
{
	bool any = false;
	u32 index;

	if (!READ_ONCE(qp->resp.reads.arrivals))
		return false;
	spin_lock(&qp->rx_lock);
	for (; mrc_reads_take(&qp->resp.reads, &index); any = true) {
		mrc_req_answered(&qp->req, index);
		mrc_replay(qp, MRC_REPLAY_ANSWERED, now, index);
	}
	spin_unlock(&qp->rx_lock);
	return any;
}

/* Ends the requests that are complete up to @psn. tx_lock held. */
static void mrc_requester_complete(struct mrc_qp *qp, u32 psn, u64 now)
{
	mrc_wqe_complete(qp, psn);
	mrc_req_settle(&qp->req, now);
	mrc_replay(qp, MRC_REPLAY_SETTLE, now, 0);
	mrc_send_arm(qp, now);
}

bool mrc_requester_nack(struct mrc_qp *qp, const struct mrc_hdr *hdr)
{
	struct mrc_tx_result res = { .ev = MRC_EV_NONE };
	int err = -EINVAL;
	u64 now;

	mrc_count(qp->dev, MRC_CNT_NACK_RX);
	mrc_count_n(qp->dev, MRC_CNT_TRIM_NACK_RX, mrc_nack_is_trim(hdr->nack.reason));
	spin_lock(&qp->tx_lock);
	now = ktime_get_ns();
	if (qp->sends) {
		if (mrc_requester_take_answers(qp, now))
			mrc_requester_complete(qp, qp->req.acked_psn, now);
		err = mrc_req_nack(&qp->req, hdr, now, &res);
		mrc_replay_answer(qp, MRC_REPLAY_NACK, now, hdr, err, &res);
		/* A NACK that is late for its packet may put back others. */
		if (!err || res.lost)
			mrc_send_learn(qp, &res, now);
		if (res.lost)
			trace_mrc_loss(qp, &res, "NACK");
		if (!err || res.spurious)
			mrc_requester_learn(qp, &res, now);
		mrc_send_arm(qp, now);
	}
	spin_unlock(&qp->tx_lock);
	mrc_requester_obey(qp, mrc_req_judge(hdr, err, &res));
	return !err;
}

bool mrc_requester_ack(struct mrc_qp *qp, const struct mrc_hdr *hdr, bool *answer)
{
	bool nak = !mrc_syndrome_is_ack(hdr->ack.syndrome);
	struct mrc_tx_result res = { .ev = MRC_EV_NONE };
	/* If the QP does not send: an ACK is only late, but a NAK has no request to refuse. */
	int err = nak ? -EINVAL : 0;
	u64 now;
	u32 psn;

	mrc_count(qp->dev, nak ? MRC_CNT_NAK_RX : MRC_CNT_ACK_RX);
	spin_lock(&qp->tx_lock);
	now = ktime_get_ns();
	if (qp->sends) {
		if (mrc_requester_take_answers(qp, now))
			mrc_requester_complete(qp, qp->req.acked_psn, now);
		err = mrc_req_ack(&qp->req, hdr, now, &psn, &res);
		mrc_replay_answer(qp, MRC_REPLAY_ACK, now, hdr, err, &res);
		if (!err) {
			mrc_send_learn(qp, &res, now);
			mrc_requester_learn(qp, &res, now);
			*answer |= mrc_response_end(qp, now);
			mrc_requester_complete(qp, psn, now);
		}
	}
	spin_unlock(&qp->tx_lock);
	mrc_requester_obey(qp, mrc_req_judge(hdr, err, &res));
	return !err;
}

void mrc_requester_answered(struct mrc_qp *qp)
{
	u64 now;

	spin_lock(&qp->tx_lock);
	now = ktime_get_ns();
	if (qp->sends && mrc_requester_take_answers(qp, now))
		mrc_requester_complete(qp, qp->req.acked_psn, now);
	spin_unlock(&qp->tx_lock);
}

/* ---- time ------------------------------------------------------------------ */

/* tx_lock held. */
static enum mrc_req_due mrc_requester_look(struct mrc_qp *qp, u64 now,
					   struct mrc_answers *a)
{
	struct mrc_tx_result res;
	enum mrc_req_due due;

	mrc_requester_heed_silence(qp, now);
	due = mrc_req_timer(&qp->req, now, &res);
	mrc_replay(qp, MRC_REPLAY_TIMER, now, due, res.lost, qp->req.tx.una, qp->req.tx.nxt,
		   qp->req.tx.inflight, qp->req.tx.lost);
	if (due == MRC_REQ_PROBE)
		mrc_req_put_probe(&qp->req, a);
	if (res.lost)
		trace_mrc_loss(qp, &res, due == MRC_REQ_GONE ? "port" : "timeout");
	if (due != MRC_REQ_GONE)
		mrc_count_n(qp->dev, MRC_CNT_TIMEOUTS, res.lost);
	mrc_send_learn(qp, &res, now);
	mrc_requester_learn(qp, &res, now);
	if (due != MRC_REQ_FAILED)
		mrc_send_arm(qp, now);
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
	if (qp->sends) {
		u64 now = ktime_get_ns();

		run |= mrc_congestion_timer(rcu_dereference(qp->congestion), &qp->place, now);
		due = mrc_requester_look(qp, now, &a);
	}
	spin_unlock(&qp->tx_lock);
	mrc_reply_ask(qp, &a);
	if (due == MRC_REQ_FAILED)
		mrc_qp_fail_request(qp, IB_WC_RETRY_EXC_ERR, "retry exceeded");
	else if (run || due != MRC_REQ_NOTHING)
		mrc_requester_run(qp);
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

/* ---- life ------------------------------------------------------------------- */

void mrc_requester_init(struct mrc_qp *qp)
{
	spin_lock_init(&qp->tx_lock);
	mrc_hrtimer_setup(&qp->timer, mrc_requester_timer);
}

/* Joins a congestion context. With a fixed window, each QP has a context of its own. */
static struct mrc_congestion *mrc_requester_join(struct mrc_qp *qp, struct mrc_peer *peer,
						 u64 profile_id)
{
	struct mrc_congestion_cfg cfg = {
		.planes = max(mrc_planes_count(&qp->dev->planes), 1u),
		.user = qp->user,
		.turn = mrc_requester_turn,
	};
	struct mrc_cc_profile profile;

	if (!mrc_cc_profile_get(qp->dev, profile_id, &profile))
		mrc_cc_profile_get(qp->dev, MRC_CC_PROFILE_DEFAULT, &profile);
	memcpy(&cfg.p, &profile.params, sizeof(cfg.p));
	cfg.p.mtu = roundup(mrc_sendq_bytes_max(qp->conn.mtu), MRC_TX_BYTES_UNIT);
	cfg.links_rate = profile.links_rate;
	cfg.alone = cfg.p.algorithm == MRC_CC_NONE || profile.scope == MRC_NL_CC_SCOPE_QP;
	return mrc_congestion_join(peer, &cfg);
}

static int mrc_requester_alloc(struct mrc_qp *qp, u32 size)
{
	qp->tx_mem = kvcalloc(1, mrc_req_mem(size), GFP_KERNEL_ACCOUNT);
	qp->req.sendq.slots = kvcalloc(qp->req.sendq.depth, qp->req.sendq.stride,
				       GFP_KERNEL_ACCOUNT);
	qp->req.rspq.slots = kvcalloc(qp->req.rspq.depth, qp->req.rspq.stride,
				      GFP_KERNEL_ACCOUNT);
	if (!qp->tx_mem || !qp->req.sendq.slots || !qp->req.rspq.slots)
		return -ENOMEM;
	return 0;
}

int mrc_requester_prepare(struct mrc_qp *qp, struct mrc_peer *peer,
			  const struct mrc_qp_params *params)
{
	struct mrc_congestion *c;

	qp->tx_size = params->mpr_tx * MRC_MPR_UNIT;
	if (mrc_requester_alloc(qp, qp->tx_size))
		goto no_memory;
	c = mrc_requester_join(qp, peer, params->cc_profile);
	if (!c)
		goto no_memory;
	spin_lock_bh(&qp->tx_lock);
	rcu_assign_pointer(qp->congestion, c);
	qp->joined = true;
	spin_unlock_bh(&qp->tx_lock);
	return 0;

no_memory:
	mrc_qp_free_tx(qp);
	return -ENOMEM;
}

/* The program tells a requester that has begun how it sends. tx_lock held. */
static int mrc_requester_resume(struct mrc_qp *qp, const struct mrc_qp_send *send)
{
	struct mrc_req *req = &qp->req;

	if (send->sq_psn != qp->sq_psn)
		return -EINVAL;
	req->tx.rtt.retries = mrc_requester_retries(qp);
	req->wait.bear = send->receive_ns;
	req->sendq.imm_max = qp->params.wimm_tx;
	req->sendq.reads_max = send->reads_max;
	return 0;
}

/* The attributes may have changed since RTR. A requester that has begun keeps its window. */
static int mrc_requester_resize(struct mrc_qp *qp)
{
	u32 size = qp->params.mpr_tx * MRC_MPR_UNIT;
	void *mem;

	if (size == qp->tx_size)
		return 0;
	mem = kvcalloc(1, mrc_req_mem(size), GFP_KERNEL_ACCOUNT);
	if (!mem)
		return -ENOMEM;
	spin_lock_bh(&qp->tx_lock);
	if (!qp->sends) {
		swap(mem, qp->tx_mem);
		qp->tx_size = size;
	}
	spin_unlock_bh(&qp->tx_lock);
	kvfree(mem);
	return 0;
}

int mrc_requester_start(struct mrc_qp *qp, const struct mrc_qp_send *send)
{
	int err = qp->tx_mem ? mrc_requester_resize(qp) :
			       mrc_requester_prepare(qp, qp->peer, &qp->params);

	if (err)
		return err;
	spin_lock_bh(&qp->tx_lock);
	if (qp->state != IB_QPS_RTR)
		err = -EINVAL;
	else if (qp->sends)
		err = mrc_requester_resume(qp, send);
	else
		mrc_requester_begin(qp, send);
	spin_unlock_bh(&qp->tx_lock);
	return err;
}
