// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moving QPs to error: open requests are flushed, and an event is raised.
 */
#include "../peer/congestion.h"
#include "error.h"
#include "../device/event.h"
#include "../endpoint/prober.h"
#include "response.h"
#include "wqe.h"

void mrc_qp_leave_congestion(struct mrc_qp *qp)
{
	WRITE_ONCE(qp->sends, false);
	if (!qp->joined)
		return;
	qp->joined = false;
	mrc_congestion_leave(rcu_dereference_protected(qp->congestion,
						       lockdep_is_held(&qp->tx_lock)),
			     &qp->place);
}

void mrc_qp_serve_others(struct mrc_qp *qp)
{
	struct mrc_congestion *c;

	local_bh_disable();
	rcu_read_lock();
	c = rcu_dereference(qp->congestion);
	if (c)
		mrc_congestion_serve(c);
	rcu_read_unlock();
	local_bh_enable();
}

void mrc_qp_leave(struct mrc_qp *qp, enum ib_qp_state old)
{
	mrc_qp_leave_congestion(qp);
	if (old != IB_QPS_RTR && old != IB_QPS_RTS)
		return;
	rcu_read_lock();
	mrc_prober_use(qp->peer, qp->conn.mtu, false);
	rcu_read_unlock();
}

/*
 * Not while payload is being copied, because it may go to the memory of a READ: whoever copies calls
 * mrc_qp_flush_late() afterwards. Both locks held. Return: true: a request ends with status @first.
 */
static bool mrc_qp_flush_requests(struct mrc_qp *qp, enum ib_wc_status first)
{
	const struct mrc_sendq *q = &qp->req.sendq;
	bool any = q->slots && q->una != q->tail;

	if (qp->flush_waits)
		first = qp->flush_first;
	if (qp->placing && qp->resp.reads.count) {
		qp->flush_first = first;
		qp->flush_waits = true;
		return any;
	}
	qp->flush_waits = false;
	if (any)
		mrc_wqe_flush(qp, first);
	qp->ops->flush_send(qp->priv);
	return any;
}

/* Both locks held. Return: true: a request has ended with status @first, or will. */
static bool mrc_qp_flush(struct mrc_qp *qp, enum ib_wc_status first)
{
	bool any;

	mrc_qp_leave(qp, qp->state);
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	if (qp->dead)
		return false;
	mrc_response_drop(qp);
	any = mrc_qp_flush_requests(qp, first);
	mrc_qp_flush_receives(qp);
	return any;
}

void mrc_qp_flush_late(struct mrc_qp *qp)
{
	mrc_qp_lock(qp);
	if (qp->flush_waits && !qp->dead)
		mrc_qp_flush_requests(qp, qp->flush_first);
	mrc_qp_unlock(qp);
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
	mrc_qp_serve_others(qp);
	if (moved)
		mrc_qp_error_event(qp, old, reason);
	return moved;
}

/* @request: the oldest request, if there is one, gets status @first, which replaces the event. */
static void mrc_qp_fail_with(struct mrc_qp *qp, bool request, enum ib_wc_status first,
			     enum ib_event_type type, const char *reason)
{
	enum ib_qp_state old;
	bool failed;

	mrc_qp_lock(qp);
	old = qp->state;
	failed = !qp->dead && (old == IB_QPS_RTR || old == IB_QPS_RTS);
	if (failed && !(mrc_qp_flush(qp, first) && request))
		qp->ops->event(qp->priv, type);
	mrc_qp_unlock(qp);
	mrc_qp_serve_others(qp);
	if (failed)
		mrc_qp_error_event(qp, old, reason);
}

void mrc_qp_fail(struct mrc_qp *qp, enum ib_event_type event, const char *reason)
{
	mrc_qp_fail_with(qp, false, IB_WC_WR_FLUSH_ERR, event, reason);
}

void mrc_qp_fail_request(struct mrc_qp *qp, enum ib_wc_status status, const char *reason)
{
	mrc_qp_fail_with(qp, true, status, IB_EVENT_QP_FATAL, reason);
}
