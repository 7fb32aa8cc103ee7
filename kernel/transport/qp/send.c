// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending packets of messages: a batch is planned, and then built one EV after another.
 */
#include <linux/ktime.h>

#include "../peer/congestion.h"
#include "error.h"
#include "../endpoint/prober.h"
#include "replay.h"
#include "send.h"
#include "../peer/trace.h"
#include "waiting.h"
#include "wqe.h"

/* When the requester, or the window that it shares, must be asked again, ns; 0: never. */
static u64 mrc_send_timer_at(struct mrc_qp *qp, u64 now)
{
	const struct mrc_congestion *c = rcu_dereference(qp->congestion);
	u64 silent = mrc_shared_timer_at(&c->shared, &qp->place);
	u64 at = mrc_req_timer_at(&qp->req, now);

	mrc_replay(qp, MRC_REPLAY_TIMER_AT, now, lower_32_bits(at), upper_32_bits(at));
	return at && silent ? min(at, silent) : at + silent;
}

void mrc_send_arm(struct mrc_qp *qp, u64 now)
{
	u64 at = mrc_send_timer_at(qp, now);

	if (!at || qp->dead || (qp->timer_at && qp->timer_at <= at))
		return;
	qp->timer_at = at;
	/* It may fire a little later, so that timers of many QPs share an interrupt. */
	hrtimer_start_range_ns(&qp->timer, ns_to_ktime(at),
			       at > now ? min_t(u64, (at - now) / 8, NSEC_PER_MSEC) : 0,
			       HRTIMER_MODE_ABS_SOFT);
}

/* A fixed window never changes, so it is not traced. */
static bool mrc_send_cc_traced(const struct mrc_congestion *c)
{
	return trace_mrc_cc_enabled() && c->shared.cc.p.algorithm != MRC_CC_NONE;
}

static const char *mrc_send_cc_cause(const struct mrc_cc_news *n)
{
	static const char *const causes[] = {
		[MRC_CC_LOST] = "loss",
		[MRC_CC_PORT] = "port",
		[MRC_CC_TRIMMED] = "trim",
		[MRC_CC_REFUSED] = "refusal",
	};

	if (n->silent)
		return "silence";
	return n->lost ? causes[n->cause] : "ack";
}

void mrc_send_learn(struct mrc_qp *qp, const struct mrc_tx_result *res, u64 now)
{
	struct mrc_congestion *c = rcu_dereference(qp->congestion);
	bool traced = mrc_send_cc_traced(c);
	struct mrc_congestion_move move;
	struct mrc_cc_news n;

	mrc_req_cc_news(&qp->req, res, now, &n);
	mrc_congestion_learn(c, &qp->place, &n, now, traced ? &move : NULL);
	if (traced && (n.acked || n.lost || n.rtt_ns || n.silent))
		trace_mrc_cc(qp, &move, mrc_send_cc_cause(&n));
}

/* ---- room on this host ------------------------------------------------------- */

/* Bytes of memory of a packet besides its payload, in an skb that it shares with others. */
#define MRC_SEND_OVERHEAD	256u

/*
 * The plane of the EVs of one plane of the set; NULL: no data takes these EVs, or they lead to lo.
 */
static struct mrc_plane *mrc_send_plane(const struct mrc_peer_evs *evs, unsigned int plane)
{
	return mrc_paths_carries(&evs->paths, plane) ?
	       evs->path[evs->paths.set.planes[plane].first].plane : NULL;
}

/*
 * How many packets to the peer do the queues of this host have room for? Sets @s->full, the planes
 * whose queues have none. Return: packets, MRC_BATCH_MAX at most.
 */
static unsigned int mrc_send_room(const struct mrc_qp *qp, struct mrc_send *s)
{
	const unsigned int size = qp->conn.mtu + MRC_SEND_OVERHEAD;
	const struct mrc_plane *plane;
	unsigned int i, planes = 0;
	u64 bytes = 0;
	u32 room;

	s->full = 0;
	for (i = 0; i < s->evs->paths.set.nplanes; i++) {
		plane = mrc_send_plane(s->evs, i);
		if (!plane)
			continue;
		planes++;
		room = mrc_backlog_room(&plane->backlog);
		if (!room)
			s->full |= BIT(plane->port - 1);
		bytes += room;
	}
	if (!planes || bytes >= MRC_BATCH_MAX * size)
		return MRC_BATCH_MAX;
	return DIV_ROUND_UP((u32)bytes, size);
}

/* All planes are full: the QP waits until one of them has room again. */
static void mrc_send_wait(struct mrc_qp *qp, const struct mrc_send *s)
{
	struct mrc_plane *plane;
	bool waits = true;
	unsigned int i;

	mrc_waiting_add(qp);
	for (i = 0; i < s->evs->paths.set.nplanes; i++) {
		plane = mrc_send_plane(s->evs, i);
		if (plane)
			waits &= mrc_backlog_await(&plane->backlog);
	}
	if (!waits)
		mrc_waiting_hurry(qp->dev);
}

/*
 * Return: packets that the queues of this host have room for now; 0: the QP waits. A QP that has
 * waited for long sends one packet nevertheless: if the queue drops it, the QP learns of that.
 */
static unsigned int mrc_send_find_room(struct mrc_qp *qp, struct mrc_send *s, u64 now)
{
	unsigned int packets = mrc_send_room(qp, s);

	if (packets) {
		WRITE_ONCE(qp->waits_since, 0);
		return packets;
	}
	if (!qp->waits_since) {
		WRITE_ONCE(qp->waits_since, now);
		mrc_count(qp->dev, MRC_CNT_TX_WAITED);
	}
	if (now - qp->waits_since >= MRC_WAITING_MAX) {
		WRITE_ONCE(qp->waits_since, 0);
		return 1;
	}
	mrc_send_wait(qp, s);
	return 0;
}

/* ---- the plan --------------------------------------------------------------- */

/* Counts retransmissions at the EVs that the packets were sent on before. */
static void mrc_send_count_lost(struct mrc_send *s)
{
	unsigned int i;

	spin_lock(&s->peer->lock);
	for (i = 0; i < s->b.count; i++)
		mrc_paths_resent(&s->evs->paths, s->b.plan[i].was);
	spin_unlock(&s->peer->lock);
}

void mrc_send_count_planes(struct mrc_qp *qp, const struct mrc_peer_evs *evs)
{
	struct mrc_congestion *c = rcu_dereference(qp->congestion);
	bool traced = mrc_send_cc_traced(c);
	struct mrc_congestion_move move;

	mrc_congestion_capacity(c, mrc_req_planes(&qp->req, &evs->paths), traced ? &move : NULL);
	if (traced && move.is.max_cwnd != move.was.max_cwnd)
		trace_mrc_cc(qp, &move, "planes");
}

/* Packets in one skb: no more than fit, because the rest would need an skb of its own. */
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
	mrc_paths_full(&s->evs->paths, s->full);
	mrc_paths_draw(&s->evs->paths, s->b.any, s->b.count, now, ev, stride);
	spin_unlock(&s->peer->lock);
	mrc_req_deal(&qp->req, &s->b, ev, stride, now);
	mrc_replay_batch(qp, now, &s->b, ev);
	if (s->b.rtx)
		mrc_send_count_lost(s);
}

/* Switches to the current version of the EVs: indices of older versions mean nothing any more. */
static void mrc_send_sync_evs(struct mrc_qp *qp, struct mrc_peer_evs *evs)
{
	bool others = qp->req.evs_gen != evs->gen;

	mrc_req_sync_evs(&qp->req, &evs->paths, evs->gen);
	if (!others)
		return;
	mrc_replay(qp, MRC_REPLAY_FORGET, 0, evs->gen);
	if (!qp->peer->local)
		mrc_send_count_planes(qp, evs);
}

/* Plans a batch for the room that congestion control and the queues of this host leave. */
static bool mrc_send_plan_batch(struct mrc_qp *qp, struct mrc_send *s, u64 now)
{
	struct mrc_congestion *c = rcu_dereference(qp->congestion);
	struct mrc_batch *b = &s->b;
	struct mrc_cc_grant g;
	unsigned int max = 0;
	bool more = false;

	if (mrc_req_wants(&qp->req, now))
		max = mrc_send_find_room(qp, s, now);
	if (!max) {
		if (mrc_shared_waits(&qp->place))
			mrc_congestion_step_aside(c, &qp->place);
		return false;
	}
	spin_lock(&c->lock);
	if (mrc_congestion_begin(c, &qp->place, &g)) {
		more = mrc_req_plan(&qp->req, now, max, &g, b);
		mrc_replay_grant(qp, now, &g, max, more);
		mrc_congestion_end(c, &qp->place, more ? b->count : 0, more ? b->bytes : 0,
				   mrc_req_wants(&qp->req, now), now);
	}
	spin_unlock(&c->lock);
	return more;
}

/* Responses to READs and atomics that go out now are expected from now on. */
static void mrc_send_expect(struct mrc_qp *qp, const struct mrc_batch *b)
{
	const struct mrc_msg *m;
	unsigned int i;

	if (b->rtx || !qp->req.sendq.reads)
		return;
	spin_lock(&qp->rx_lock);
	for (i = 0; i < b->count; i++) {
		m = mrc_sendq_at(&qp->req.sendq, b->plan[i].msg);
		if (b->plan[i].response || !mrc_msg_fetches(m))
			continue;
		mrc_reads_add(&qp->resp.reads, &(struct mrc_read){
			.index = b->plan[i].msg,
			.len = m->len,
			.msn = m->msn,
			.atomic = m->op != MRC_MSG_READ,
		}, qp->conn.mtu);
	}
	spin_unlock(&qp->rx_lock);
}

bool mrc_send_plan(struct mrc_qp *qp, struct mrc_send *s)
{
	u64 now = ktime_get_ns();

	s->peer = qp->peer;
	s->evs = rcu_dereference(s->peer->evs);
	s->ask = false;
	mrc_send_sync_evs(qp, s->evs);
	if (!mrc_send_plan_batch(qp, s, now))
		return false;
	mrc_send_deal(qp, s, now);
	mrc_send_expect(qp, &s->b);
	qp->tx_packets += s->b.count;
	if (s->b.rtx) {
		trace_mrc_retransmit(qp, s->b.plan[0].psn, s->b.count);
		qp->rtx_packets += s->b.count;
		mrc_count_n(qp->dev, MRC_CNT_TX_RTX, s->b.count);
	}
	mrc_send_arm(qp, now);
	return true;
}

/* ---- the packets ------------------------------------------------------------ */

static int mrc_send_open(struct mrc_qp *qp, const struct mrc_send *s,
			  unsigned int from, struct mrc_skb *skb)
{
	const struct mrc_dev_cfg *cfg = &qp->dev->cfg;
	unsigned int burst = mrc_req_burst(&s->b, READ_ONCE(cfg->burst));
	u8 dscp = READ_ONCE(*(s->b.rtx ? &cfg->dscp_rtx : &cfg->dscp_data));
	unsigned int left = DIV_ROUND_UP(s->b.count - from, s->b.stride);
	u16 ev = s->b.plan[from].ev;

	if (ev == MRC_EV_NONE)
		return -ENETUNREACH;
	return mrc_skb_open(skb, rcu_dereference(s->peer->flow), &s->evs->path[ev],
			    s->evs->paths.ev[ev].bits, dscp << 2 | MRC_ECN_ECT0,
			    min(left, burst));
}

static int mrc_send_xmit(struct mrc_qp *qp, struct mrc_skb *skb)
{
	mrc_count_n(qp->dev, MRC_CNT_TX_PACKETS, skb->packets);
	mrc_count_n(qp->dev, MRC_CNT_TX_BYTES, skb->bytes);
	return mrc_skb_xmit(skb);
}

static bool mrc_send_again(struct mrc_qp *qp, const struct mrc_send *s,
			   unsigned int from, unsigned int end)
{
	bool going = true, goes_on;
	struct mrc_tx_result res;
	unsigned int i;
	u64 now;

	spin_lock(&qp->tx_lock);
	now = ktime_get_ns();
	for (i = from; i < end && qp->sends; i += s->b.stride) {
		goes_on = mrc_req_unsent(&qp->req, s->b.plan[i].psn, now, &res);
		mrc_send_learn(qp, &res, now);
		mrc_replay(qp, MRC_REPLAY_UNSENT, now, s->b.plan[i].psn, goes_on);
		going &= goes_on;
		mrc_count(qp->dev, MRC_CNT_TX_DROPPED);
	}
	if (qp->sends)
		mrc_send_arm(qp, now);
	spin_unlock(&qp->tx_lock);
	return going;
}

/*
 * This host dropped packets @from, @from + stride, ... before @end. They are sent again, and say
 * nothing about the network.
 */
static void mrc_send_dropped(struct mrc_qp *qp, const struct mrc_send *s,
			     unsigned int from, unsigned int end, int err)
{
	u16 ev = s->b.plan[from].ev;

	mrc_count_unsent(qp->dev, err);
	/* They wait until a port is up. */
	if (ev == MRC_EV_NONE)
		return;
	mrc_prober_sent(s->peer, s->evs, ev, mrc_sent_verdict(err));
	if (!mrc_send_again(qp, s, from, end))
		mrc_qp_fail_request(qp, IB_WC_RETRY_EXC_ERR,
				    "this host drops every packet of the QP");
}

/*
 * Adds a packet. Memory that is lent belongs to its owner again when the request ends, so the memory is
 * copied under the lock under which requests end. Return: 0, or an error of mrc_wqe_chunk_put(); -EACCES
 * also when the request has ended. Out of line: programs seldom have such memory.
 */
static noinline int mrc_send_lent(struct mrc_qp *qp, const struct mrc_plan *p,
				  const struct mrc_wqe *wqe, const struct mrc_chunk *c,
				  struct mrc_skb *skb, const struct mrc_hdr *hdr)
{
	int err = -EACCES;

	spin_lock(&qp->tx_lock);
	if (mrc_sendq_outstanding(mrc_req_queue_of(&qp->req, p), p->msg))
		err = mrc_wqe_chunk_put(wqe, c, skb, hdr);
	spin_unlock(&qp->tx_lock);
	return err;
}

/* Adds packet @i to the skb. Return: 0, -EAGAIN when it needs another skb, or an error. */
static int mrc_send_put(struct mrc_qp *qp, const struct mrc_send *s,
			 unsigned int i, struct mrc_skb *skb, bool first)
{
	const struct mrc_plan *p = &s->b.plan[i];
	const struct mrc_wqe *wqe = mrc_wqe_planned(qp, p);
	struct mrc_chunk c;
	struct mrc_hdr hdr;
	unsigned int len;

	mrc_sendq_chunk(mrc_req_queue_of(&qp->req, p), &wqe->msg, p->psn, &c);
	mrc_sendq_header(&wqe->msg, &c, p->psn, &hdr);
	hdr.bth.pkey = qp->conn.pkey;
	hdr.bth.qpn = qp->conn.dest_qpn;
	hdr.bth.rtx = s->b.rtx;
	hdr.bth.ackreq = s->b.ask && i == s->b.count - 1;
	len = mrc_opcode_hdr_len(hdr.bth.opcode) + c.len + hdr.bth.pad +
	      MRC_ICRC_LEN;
	if (!first && !mrc_skb_fits(skb, len, mrc_wqe_chunk_pages(wqe, &c)))
		return -EAGAIN;
	if (unlikely(wqe->flags & MRC_WQE_LENT))
		return mrc_send_lent(qp, p, wqe, &c, skb, &hdr);
	return mrc_wqe_chunk_put(wqe, &c, skb, &hdr);
}

/*
 * Is the request of a packet still open? A late answer may complete it while the packet is being
 * sent again, and its program is then free to deregister the memory.
 */
static bool mrc_send_outstanding(struct mrc_qp *qp, const struct mrc_plan *p)
{
	bool outstanding;

	spin_lock(&qp->tx_lock);
	outstanding = mrc_sendq_outstanding(mrc_req_queue_of(&qp->req, p), p->msg);
	spin_unlock(&qp->tx_lock);
	return outstanding;
}

/*
 * The region of a packet was revoked. A program may deregister a region once its peer has said that a READ
 * of the region is complete, and the peer may say so before its SACKs for the response arrive. Return:
 * -EACCES or -EPERM as mrc_send_all(); -EBUSY: the packet need not go out, or not before the peer was asked.
 */
static int mrc_send_revoked(struct mrc_qp *qp, struct mrc_send *s, const struct mrc_plan *p)
{
	if (!mrc_send_outstanding(qp, p))
		return -EBUSY;
	if (!p->response)
		return -EACCES;
	s->ask = s->b.rtx;
	return s->ask ? -EBUSY : -EPERM;
}

/*
 * Sends the packets of one EV, @from, @from + stride, ..., as many as fit into one skb. Return: the
 * first one that is left over, or an error of mrc_send_all().
 */
static int mrc_send_skb(struct mrc_qp *qp, struct mrc_send *s,
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
	/* A revoked region is the program's doing, and says nothing about the path. */
	if (err == -EACCES)
		err = mrc_send_revoked(qp, s, &s->b.plan[i]);
	if (err == -EACCES || err == -EPERM)
		return err;
	mrc_send_dropped(qp, s, from, s->b.count, err);
	return s->b.count;
}

int mrc_send_all(struct mrc_qp *qp, struct mrc_send *s)
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
