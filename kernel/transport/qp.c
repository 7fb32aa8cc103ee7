// SPDX-License-Identifier: GPL-2.0-only
/*
 * QPs: numbers, lifetime, states.
 */
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "cc_profile.h"
#include "ev_profile.h"
#include "event.h"
#include "gone.h"
#include "peers.h"
#include "prober.h"
#include "qp.h"
#include "requester.h"
#include "responder.h"
#include "route.h"

/* Draws of a random number before we believe that all are taken. */
#define MRC_QPN_TRIES	32

/* All QPs of all devices, by number. */
static DEFINE_XARRAY_FLAGS(mrc_qps, XA_FLAGS_ACCOUNT);

static int mrc_qp_number(struct mrc_qp *qp)
{
	int tries, err = -EBUSY;

	for (tries = 0; tries < MRC_QPN_TRIES && err == -EBUSY; tries++) {
		qp->qpn = get_random_u32() & MRC_QPN_MASK;
		if (qp->qpn < MRC_QPN_FIRST)
			continue;
		err = xa_insert(&mrc_qps, qp->qpn, qp, GFP_KERNEL_ACCOUNT);
	}
	return err == -EBUSY ? -ENOSPC : err;
}

static u32 mrc_qp_stride(const struct mrc_qp_init *init)
{
	size_t tail = max_t(size_t, init->max_inline,
			    init->max_sge * sizeof(struct mrc_seg));

	return ALIGN(sizeof(struct mrc_wqe) + tail, 8);
}

struct mrc_qp *mrc_qp_create(struct mrc_dev *dev,
			     const struct mrc_qp_init *init)
{
	struct mrc_qp *qp = kzalloc(sizeof(*qp), GFP_KERNEL_ACCOUNT);
	int err;

	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->dev = dev;
	qp->ops = init->ops;
	qp->priv = init->priv;
	qp->pd = init->pd;
	qp->creator = get_pid(task_tgid(current));
	qp->state = IB_QPS_RESET;
	qp->req.sendq.stride = mrc_qp_stride(init);
	qp->req.sendq.depth = roundup_pow_of_two(clamp(init->sq_depth, 1u,
						   MRC_SENDQ_MAX));
	qp->asked = (struct mrc_qp_params){
		.mpr_rx = READ_ONCE(dev->cfg.mpr),
		.mpr_tx = READ_ONCE(dev->cfg.mpr),
		.wimm_rx = MRC_WIMM_DEFAULT,
		.wimm_tx = MRC_WIMM_DEFAULT,
		.timeout = MRC_TIMEOUT_DEFAULT,
		.linear = MRC_LINEAR_MAX,
		.exp = MRC_EXP_DEFAULT,
	};
	qp->params = qp->asked;
	refcount_set(&qp->ref, 1);
	mutex_init(&qp->state_lock);
	mrc_requester_init(qp);
	mrc_responder_init(qp);
	mrc_dev_get(dev);
	atomic_inc(&dev->qps);
	err = mrc_qp_number(qp);
	if (err) {
		qp->dead = true;
		mrc_qp_put(qp);
		return ERR_PTR(err);
	}
	return qp;
}

static void mrc_qp_free(struct rcu_head *rcu)
{
	struct mrc_qp *qp = container_of(rcu, struct mrc_qp, rcu);

	mrc_requester_free(qp);
	mrc_responder_free(qp);
	put_pid(qp->creator);
	atomic_dec(&qp->dev->qps);
	mrc_dev_put(qp->dev);
	kfree(qp);
}

void mrc_qp_hold(struct mrc_qp *qp)
{
	refcount_inc(&qp->ref);
}

bool mrc_qp_tryhold(struct mrc_qp *qp)
{
	return refcount_inc_not_zero(&qp->ref);
}

void mrc_qp_put(struct mrc_qp *qp)
{
	if (refcount_dec_and_test(&qp->ref))
		call_rcu(&qp->rcu, mrc_qp_free);
}

struct mrc_qp *mrc_qp_find(u32 qpn)
{
	return xa_load(&mrc_qps, qpn);
}

/* Both locks: state changes are seen by requester and responder alike. */
static void mrc_qp_lock(struct mrc_qp *qp)
	__acquires(&qp->tx_lock) __acquires(&qp->rx_lock)
{
	spin_lock_bh(&qp->tx_lock);
	spin_lock(&qp->rx_lock);
}

static void mrc_qp_unlock(struct mrc_qp *qp)
	__releases(&qp->rx_lock) __releases(&qp->tx_lock)
{
	spin_unlock(&qp->rx_lock);
	spin_unlock_bh(&qp->tx_lock);
}

/* The QP was in state @old and is not any more: it may need its peer no longer. Both locks held. */
static void mrc_qp_leave(struct mrc_qp *qp, enum ib_qp_state old)
{
	if (old != IB_QPS_RTR && old != IB_QPS_RTS)
		return;
	rcu_read_lock();
	mrc_prober_use(qp->peer, qp->conn.mtu, false);
	rcu_read_unlock();
}

/* Takes a QP out of traffic. The peer is the caller's to put. */
static struct mrc_peer *mrc_qp_stop(struct mrc_qp *qp, enum ib_qp_state state,
				    bool dead)
{
	struct mrc_peer *peer;
	enum ib_qp_state old;

	mrc_qp_lock(qp);
	old = qp->state;
	WRITE_ONCE(qp->state, state);
	qp->dead |= dead;
	if (qp->req.sendq.slots)
		mrc_requester_drop(qp);
	mrc_qp_leave(qp, old);
	peer = qp->peer;
	WRITE_ONCE(qp->peer, NULL);
	mrc_qp_unlock(qp);
	hrtimer_cancel(&qp->timer);
	hrtimer_cancel(&qp->sack_timer);
	return peer;
}

void mrc_qp_destroy(struct mrc_qp *qp)
{
	struct mrc_peer *peer;

	xa_erase(&mrc_qps, qp->qpn);
	mutex_lock(&qp->state_lock);
	peer = mrc_qp_stop(qp, IB_QPS_ERR, true);
	mutex_unlock(&qp->state_lock);
	if (peer) {
		mrc_gone_remember(qp, peer);
		mrc_peers_put(peer);
		/* A packet that is being placed now must not land in memory used anew. */
		synchronize_rcu_expedited();
	}
	mrc_qp_put(qp);
}

int mrc_qp_to_reset(struct mrc_qp *qp)
{
	struct mrc_peer *peer = mrc_qp_stop(qp, IB_QPS_RESET, false);

	if (peer) {
		mrc_gone_remember(qp, peer);
		mrc_peers_put(peer);
	}
	/* Senders and receivers that saw the old state have left after this. */
	synchronize_rcu_expedited();
	mrc_requester_free(qp);
	mrc_responder_free(qp);
	qp->timer_at = 0;
	qp->sack_timer_at = 0;
	qp->params = qp->asked;
	return 0;
}

/*
 * Both locks held. The caller checked the state before it had them; errors come at
 * any time.
 */
static int mrc_qp_move(struct mrc_qp *qp, enum ib_qp_state from,
		       enum ib_qp_state to)
{
	if (qp->state != from)
		return -EINVAL;
	WRITE_ONCE(qp->state, to);
	return 0;
}

int mrc_qp_to_init(struct mrc_qp *qp)
{
	int err;

	mrc_qp_lock(qp);
	err = mrc_qp_move(qp, IB_QPS_RESET, IB_QPS_INIT);
	mrc_qp_unlock(qp);
	return err;
}

/* What the program left open, the route says. */
static void mrc_qp_apply_route(struct mrc_dev *dev,
			       const struct in6_addr *remote,
			       struct mrc_qp_params *params)
{
	struct mrc_route route;

	if (!mrc_route_lookup(dev, remote, &route))
		return;
	if (params->ev_profile == MRC_EV_PROFILE_AUTO)
		params->ev_profile = route.ev_profile;
	if (params->cc_profile == MRC_CC_PROFILE_DEFAULT)
		params->cc_profile = route.cc_profile;
}

int mrc_qp_to_rtr(struct mrc_qp *qp, const struct mrc_qp_conn *conn)
{
	struct mrc_peer_key key = {
		.local = conn->local,
		.remote = conn->remote,
	};
	struct mrc_qp_params params = qp->params;
	struct mrc_peer *peer;
	int err;

	if (ipv6_addr_v4mapped(&conn->remote) ||
	    ipv6_addr_v4mapped(&conn->local) || ipv6_addr_any(&conn->remote))
		return -EINVAL;
	if (conn->mtu < 256 || conn->mtu > 4096 || !is_power_of_2(conn->mtu))
		return -EINVAL;
	mrc_qp_apply_route(qp->dev, &conn->remote, &params);
	key.ev_profile = params.ev_profile;
	peer = mrc_peers_get(qp->dev, &key);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	qp->conn = *conn;
	err = mrc_responder_start(qp, conn->rq_psn);
	if (err) {
		mrc_peers_put(peer);
		return err;
	}
	rcu_read_lock();
	mrc_qp_lock(qp);
	err = mrc_qp_move(qp, IB_QPS_INIT, IB_QPS_RTR);
	if (!err) {
		qp->peer = peer;
		qp->params = params;
		mrc_prober_use(peer, conn->mtu, true);
	}
	mrc_qp_unlock(qp);
	rcu_read_unlock();
	if (err) {
		mrc_responder_free(qp);
		mrc_peers_put(peer);
	} else {
		mrc_prober_introduce(peer);
	}
	return err;
}

int mrc_qp_to_rts(struct mrc_qp *qp, u32 sq_psn)
{
	int err = mrc_requester_start(qp, sq_psn);

	if (err)
		return err;
	mrc_qp_lock(qp);
	err = mrc_qp_move(qp, IB_QPS_RTR, IB_QPS_RTS);
	mrc_qp_unlock(qp);
	return err;
}

/* Both locks held. */
static void mrc_qp_flush(struct mrc_qp *qp, enum ib_wc_status first)
{
	mrc_qp_leave(qp, qp->state);
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	if (qp->dead)
		return;
	if (qp->req.sendq.slots)
		mrc_requester_flush(qp, first);
	qp->ops->flush_send(qp->priv);
	qp->ops->flush_recv(qp->priv);
}

static void mrc_qp_error_event(struct mrc_qp *qp, enum ib_qp_state from,
			       const char *reason)
{
	struct mrc_event event = {
		.type = MRC_EVENT_QP,
		.dev = qp->dev,
		.qp = qp,
		.old_state = from,
		.new_state = IB_QPS_ERR,
		.reason = reason,
	};

	mrc_event_notify(&event);
}

bool mrc_qp_to_err(struct mrc_qp *qp, unsigned long from, const char *reason)
{
	enum ib_qp_state old;
	bool moved = false;

	mrc_qp_lock(qp);
	old = qp->state;
	if (from & BIT(old)) {
		moved = old != IB_QPS_ERR && !qp->dead;
		mrc_qp_flush(qp, IB_WC_WR_FLUSH_ERR);
	}
	mrc_qp_unlock(qp);
	if (moved)
		mrc_qp_error_event(qp, old, reason);
	return moved;
}

void mrc_qp_fail(struct mrc_qp *qp, enum ib_wc_status first,
		 enum ib_event_type type, const char *reason)
{
	enum ib_qp_state old;
	bool failed;

	mrc_qp_lock(qp);
	old = qp->state;
	failed = !qp->dead && (old == IB_QPS_RTR || old == IB_QPS_RTS);
	if (failed) {
		mrc_qp_flush(qp, first);
		qp->ops->event(qp->priv, type);
	}
	mrc_qp_unlock(qp);
	if (failed)
		mrc_qp_error_event(qp, old, reason);
}

static bool mrc_qp_params_valid(const struct mrc_qp_params *p)
{
	return p->mpr_rx && p->mpr_tx && p->wimm_rx && p->wimm_tx &&
	       p->timeout <= MRC_TIMEOUT_MAX && p->linear <= MRC_LINEAR_MAX &&
	       p->exp <= MRC_EXP_MAX;
}

static bool mrc_qp_params_late(const struct mrc_qp *qp,
			       const struct mrc_qp_params *p)
{
	const struct mrc_qp_params *o = &qp->params;
	bool rtr = p->ev_profile != o->ev_profile ||
		   p->cc_profile != o->cc_profile ||
		   p->mpr_rx != o->mpr_rx || p->wimm_rx != o->wimm_rx;
	bool rts = p->mpr_tx != o->mpr_tx || p->wimm_tx != o->wimm_tx ||
		   p->timeout != o->timeout || p->linear != o->linear ||
		   p->exp != o->exp;

	switch (qp->state) {
	case IB_QPS_RESET:
	case IB_QPS_INIT:
		return false;
	case IB_QPS_RTR:
		return rtr;
	default:
		return rtr || rts;
	}
}

int mrc_qp_set_params(struct mrc_qp *qp, const struct mrc_qp_params *params)
{
	if (!mrc_qp_params_valid(params))
		return -EINVAL;
	if (mrc_qp_params_late(qp, params))
		return -EBUSY;
	qp->params = *params;
	return 0;
}

struct mrc_qp *mrc_qp_next(struct mrc_dev *dev, u32 qpn)
{
	unsigned long index = qpn;
	struct mrc_qp *qp;

	rcu_read_lock();
	xa_for_each_start(&mrc_qps, index, qp, qpn)
		if (qp->dev == dev && mrc_qp_tryhold(qp))
			break;
	rcu_read_unlock();
	return qp;
}

/* Calls @fn for each QP of a device. */
static void mrc_qps_walk(struct mrc_dev *dev, void (*fn)(struct mrc_qp *qp))
{
	struct mrc_qp *qp;
	u32 qpn = 0;

	while ((qp = mrc_qp_next(dev, qpn))) {
		fn(qp);
		qpn = qp->qpn + 1;
		mrc_qp_put(qp);
		cond_resched();
	}
}

static void mrc_qp_heed_ports(struct mrc_qp *qp)
{
	if (mrc_requester_new_ports(qp))
		mrc_qp_nudge(qp);
}

void mrc_qps_heed_ports(struct mrc_dev *dev)
{
	mrc_qps_walk(dev, mrc_qp_heed_ports);
}

void mrc_qps_kick(struct mrc_dev *dev)
{
	mrc_qps_walk(dev, mrc_qp_nudge);
}

size_t mrc_qp_memory(const struct mrc_qp *qp)
{
	size_t bytes = sizeof(*qp);

	if (qp->rx_mem)
		bytes += mrc_rx_window_mem(qp->resp.rx.size,
					   qp->resp.rx.imm_max);
	if (qp->tx_ring)
		bytes += qp->req.tx.ring_size * sizeof(*qp->tx_ring);
	if (qp->req.sendq.slots)
		bytes += (size_t)qp->req.sendq.depth * qp->req.sendq.stride;
	return bytes;
}
