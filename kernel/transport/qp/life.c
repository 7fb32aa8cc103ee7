// SPDX-License-Identifier: GPL-2.0-only
/*
 * QPs: creation, states, destruction.
 */
#include <linux/log2.h>
#include <net/ipv6.h>

#include "../profile/cc_profile.h"
#include "error.h"
#include "../profile/ev_profile.h"
#include "gone.h"
#include "../device/hazard.h"
#include "life.h"
#include "../endpoint/peers.h"
#include "../endpoint/prober.h"
#include "requester.h"
#include "responder.h"
#include "response.h"
#include "../profile/route.h"
#include "waiting.h"
#include "wqe.h"

struct mrc_qp *mrc_qp_create(struct mrc_dev *dev,
			     const struct mrc_qp_init *init)
{
	struct mrc_qp *qp = mrc_qp_alloc(dev, init);
	int err;

	if (!qp)
		return ERR_PTR(-ENOMEM);
	mrc_wqe_init(qp, init);
	mrc_requester_init(qp);
	mrc_responder_init(qp);
	err = mrc_qp_publish(qp);
	if (err) {
		qp->dead = true;
		mrc_qp_put(qp);
		return ERR_PTR(err);
	}
	return qp;
}

/* Takes a QP out of traffic. Return: its peer, which the caller must put, or NULL. */
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
		mrc_wqe_drop(qp);
	mrc_response_drop(qp);
	qp->flush_waits = false;
	mrc_qp_leave(qp, old);
	peer = qp->peer;
	WRITE_ONCE(qp->peer, NULL);
	mrc_qp_unlock(qp);
	if (peer)
		mrc_qp_leave_peer(qp, peer);
	mrc_waiting_remove(qp);
	mrc_qp_serve_others(qp);
	hrtimer_cancel(&qp->timer);
	hrtimer_cancel(&qp->sack_timer);
	return peer;
}

void mrc_qp_destroy(struct mrc_qp *qp)
{
	struct mrc_peer *peer;

	mrc_qp_unlist(qp);
	mutex_lock(&qp->state_lock);
	peer = mrc_qp_stop(qp, IB_QPS_ERR, true);
	mutex_unlock(&qp->state_lock);
	if (peer) {
		mrc_gone_remember(qp, peer);
		mrc_peers_put(peer);
		/* A packet that is being copied now must not land in memory that is used anew. */
		mrc_hazard_wait(qp);
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
	/*
	 * After this, senders and receivers that saw the old state have left; without a peer there
	 * are none. Not expedited, which interrupts all CPUs: any program may do this in a loop.
	 */
	if (peer)
		synchronize_rcu();
	mrc_qp_free_tx(qp);
	mrc_qp_free_rx(qp);
	qp->timer_at = 0;
	qp->sack_timer_at = 0;
	qp->waits_since = 0;
	qp->bad_receive = IB_WC_SUCCESS;
	qp->params = qp->asked;
	return 0;
}

/*
 * Both locks held. The state is checked here, because the caller checked it without the locks, and
 * a QP may go to error at any time.
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

/* The route fills in what the program left open. */
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

/* May the peer have responses from this QP? Then the QP answers from RTR on. */
static bool mrc_qp_lets_read(int access)
{
	return access & (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC);
}

/* Takes over the reference to @peer on success. */
static int mrc_qp_connect(struct mrc_qp *qp, const struct mrc_qp_conn *conn,
			  const struct mrc_qp_params *params, struct mrc_peer *peer)
{
	int err;

	qp->conn = *conn;
	err = mrc_responder_start(qp, conn->rq_psn);
	if (err)
		return err;
	if (mrc_qp_lets_read(conn->access))
		err = mrc_requester_prepare(qp, peer, params);
	mrc_qp_lock(qp);
	err = err ?: mrc_qp_move(qp, IB_QPS_INIT, IB_QPS_RTR);
	if (!err) {
		qp->peer = peer;
		qp->params = *params;
	} else {
		mrc_qp_leave_congestion(qp);
	}
	mrc_qp_unlock(qp);
	if (err) {
		mrc_qp_free_tx(qp);
		mrc_qp_free_rx(qp);
	} else {
		mrc_qp_join_peer(qp, peer);
	}
	return err;
}

int mrc_qp_set_access(struct mrc_qp *qp, int access)
{
	int err = 0;

	if (READ_ONCE(qp->state) == IB_QPS_RTR && !qp->tx_mem && mrc_qp_lets_read(access))
		err = mrc_requester_prepare(qp, qp->peer, &qp->params);
	if (!err)
		WRITE_ONCE(qp->conn.access, access);
	return err;
}

/* A full packet must have room on one path at least. */
static int mrc_qp_check_room(struct mrc_peer *peer, u32 mtu, u32 *fits)
{
	const u32 headers = MRC_WRITE_HDR_MAX + MRC_ICRC_LEN;
	u32 room = mrc_peers_room(peer, mtu + headers);

	if (room >= mtu + headers)
		return 0;
	room -= min(room, headers);
	*fits = room < MRC_MTU_MIN ? 0 : rounddown_pow_of_two(room);
	return -EMSGSIZE;
}

int mrc_qp_to_rtr(struct mrc_qp *qp, const struct mrc_qp_conn *conn, u32 *fits)
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
	if (conn->mtu < MRC_MTU_MIN || conn->mtu > MRC_MTU_MAX || !is_power_of_2(conn->mtu))
		return -EINVAL;
	mrc_qp_apply_route(qp->dev, &conn->remote, &params);
	key.ev_profile = params.ev_profile;
	peer = mrc_peers_connect(qp->dev, &key, conn->mtu, qp->user);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	err = mrc_peers_reach(peer) ?: mrc_qp_check_room(peer, conn->mtu, fits) ?:
	      mrc_qp_connect(qp, conn, &params, peer);
	if (err)
		mrc_peers_disconnect(peer, conn->mtu);
	else
		mrc_prober_introduce(peer);
	return err;
}

int mrc_qp_to_rts(struct mrc_qp *qp, const struct mrc_qp_send *send)
{
	int err = mrc_requester_start(qp, send);

	if (err)
		return err;
	mrc_qp_lock(qp);
	err = mrc_qp_move(qp, IB_QPS_RTR, IB_QPS_RTS);
	if (err)
		mrc_qp_leave_congestion(qp);
	mrc_qp_unlock(qp);
	return err;
}

/* ---- parameters ------------------------------------------------------------- */

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
