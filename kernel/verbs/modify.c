// SPDX-License-Identifier: GPL-2.0-only
/*
 * QP states and attributes.
 *
 * MRC has no use for the attributes of the port, and answers as many READs and atomics as a device
 * may have under way, whatever the limit of a QP is. It has retry attributes of its own. Programs
 * written for RC set all of these attributes of verbs, programs written for MRC do not. So they may
 * be given or left out in any transition. The same holds for the RNR attributes, which say how long
 * a peer may be without a receive; the default is for ever.
 */
#include <rdma/mrc-abi.h>

#include "../transport/device/hazard.h"
#include "../transport/qp/error.h"
#include "../transport/qp/life.h"
#include "context.h"
#include "device.h"
#include "gid.h"
#include "modify.h"
#include "port.h"
#include "qp.h"
#include "ud.h"

#define MRC_QP_TOLERATED						\
	(IB_QP_PORT | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |			\
	 IB_QP_RNR_RETRY | IB_QP_MIN_RNR_TIMER |			\
	 IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MAX_DEST_RD_ATOMIC)

/* Attributes that verbs demands in a transition, and this device does not. */
static int mrc_qp_optional(enum ib_qp_state cur, enum ib_qp_state next)
{
	if (cur == IB_QPS_RESET && next == IB_QPS_INIT)
		return IB_QP_PORT;
	if (cur == IB_QPS_INIT && next == IB_QPS_RTR)
		return IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	if (cur == IB_QPS_RTR && next == IB_QPS_RTS)
		return IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
		       IB_QP_MAX_QP_RD_ATOMIC | IB_QP_SQ_PSN;
	return 0;
}

/* Return: the state to go to, or a negative error. */
static int mrc_qp_check_modify(struct mrc_ib_qp *q,
			       const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state cur = READ_ONCE(q->qp->state);
	int next = mrc_ib_qp_next(cur, attr, mask);

	if (next < 0)
		return next;
	if (mask & (IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE))
		return -EINVAL;
	if (((mask & IB_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > MRC_READS_MAX) ||
	    ((mask & IB_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > MRC_READS_MAX))
		return -EINVAL;
	mask = (mask & ~MRC_QP_TOLERATED) | mrc_qp_optional(cur, next);
	if (!ib_modify_qp_is_ok(cur, next, IB_QPT_RC, mask))
		return -EINVAL;
	return next;
}

/* Remembers the attributes that were set, for query and for later transitions. */
static void mrc_qp_remember(struct ib_qp_attr *to,
			    const struct ib_qp_attr *from, int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = from->qp_access_flags;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = from->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = from->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = from->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = from->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = from->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = from->max_dest_rd_atomic;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = from->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = from->dest_qp_num;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = from->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = from->sq_psn & MRC_PSN_MASK;
	if (mask & IB_QP_AV) {
		to->ah_attr = from->ah_attr;
		/* The core holds it, this device does not. */
		to->ah_attr.grh.sgid_attr = NULL;
	}
}

static int mrc_qp_no_way(const struct mrc_ib_qp *q, const struct mrc_qp_conn *conn, int err)
{
	ibdev_warn_ratelimited(q->ib.device, "QP 0x%06x: no plane has a route from %pI6c to %pI6c (see mrcctl feature)\n",
			       q->qp->qpn, &conn->local, &conn->remote);
	return err;
}

/*
 * @fits: the path MTU that would fit, or 0. Verbs gives the program only an error number, so the
 * log tells people the reason.
 */
static int mrc_qp_no_room(const struct mrc_ib_qp *q, u32 mtu, u32 fits)
{
	if (fits)
		ibdev_warn_ratelimited(q->ib.device,
				       "QP 0x%06x: path MTU %u is too large for the planes' MTU: use at most %u\n",
				       q->qp->qpn, mtu, fits);
	else
		ibdev_warn_ratelimited(q->ib.device,
				       "QP 0x%06x: no path to the peer has room for the smallest path MTU\n",
				       q->qp->qpn);
	return -EINVAL;
}

/*
 * A QP holds one more receive than it may have messages in flight: one that is complete may wait
 * for its receive. The QP will tell once that it takes no more of them: from here on, so that a
 * program gets no flood of events by mere changes of state.
 */
static int mrc_qp_join_srq(struct mrc_ib_qp *q)
{
	int ret = mrc_held_create(&q->held, q->srq->ring.entry_size, q->qp->params.wimm_rx + 1);

	if (!ret)
		q->last_told = false;
	return ret;
}

static int mrc_qp_addresses(const struct mrc_ib_qp *q, const struct rdma_ah_attr *ah,
			    struct mrc_qp_conn *conn)
{
	char who[sizeof("QP 0x123456")];
	struct mrc_gids gids;
	int ret;

	snprintf(who, sizeof(who), "QP 0x%06x", q->ib.qp_num);
	ret = mrc_gid_read(q->ib.device, who, ah, &gids) ?:
	      mrc_gid_resolve(q->ib.device, who, &gids);
	if (ret)
		return ret;
	conn->local = gids.local;
	conn->remote = gids.remote;
	return 0;
}

static int mrc_qp_connect(struct mrc_ib_qp *q, const struct ib_qp_attr *attr,
			  int mask)
{
	struct mrc_qp_conn conn = {
		.dest_qpn = attr->dest_qp_num,
		.rq_psn = attr->rq_psn & MRC_PSN_MASK,
		.mtu = ib_mtu_enum_to_int(attr->path_mtu),
		.pkey = MRC_PKEY_DEFAULT,
		.access = mask & IB_QP_ACCESS_FLAGS ? attr->qp_access_flags :
						      q->attr.qp_access_flags,
	};

	u32 fits = ib_mtu_enum_to_int(mrc_port_mtu(to_mrc_dev(q->ib.device)));
	int ret;

	if (conn.dest_qpn & ~MRC_PSN_MASK)
		return -EINVAL;
	if (conn.mtu > fits)
		return mrc_qp_no_room(q, conn.mtu, fits);
	ret = mrc_qp_addresses(q, &attr->ah_attr, &conn);
	if (ret)
		return ret;
	ret = q->srq ? mrc_qp_join_srq(q) : 0;
	if (!ret)
		ret = mrc_qp_to_rtr(q->qp, &conn, &fits);
	if (ret == -ENETUNREACH || ret == -EACCES)
		return mrc_qp_no_way(q, &conn, ret);
	return ret == -EMSGSIZE ? mrc_qp_no_room(q, conn.mtu, fits) : ret;
}

/*
 * Verbs counts timeouts in 4.096 us, MRC in 1.024 us. A timeout of 0 in verbs means for ever. MRC's
 * own attributes that the program has set are not changed.
 */
static void mrc_qp_map_retries(const struct mrc_ib_qp *q,
			       const struct ib_qp_attr *attr, int mask,
			       struct mrc_qp_params *params)
{
	if (mask & IB_QP_TIMEOUT) {
		if (!(q->explicit & MRC_QP_ATTR_TIMEOUT))
			params->timeout = attr->timeout ?
				min(attr->timeout + 2u, MRC_TIMEOUT_MAX) : 14;
		if (!(q->explicit & MRC_QP_ATTR_EXP))
			params->exp = attr->timeout ? q->qp->asked.exp :
						      MRC_EXP_MAX;
	}
	if ((mask & IB_QP_RETRY_CNT) && !(q->explicit & MRC_QP_ATTR_LINEAR))
		params->linear = min_t(u8, attr->retry_cnt, MRC_LINEAR_MAX);
}

/*
 * Return: for how many ns a peer may be without a receive. In verbs the peer tells how long to wait
 * before the next of a number of tries. MRC has no field for that time, so this end's own attribute
 * counts, which is the same in most programs.
 */
static u64 mrc_qp_receive_ns(const struct mrc_ib_qp *q, const struct ib_qp_attr *attr, int mask)
{
	u8 retries = mask & IB_QP_RNR_RETRY ? attr->rnr_retry : q->attr.rnr_retry;
	u8 timer = mask & IB_QP_MIN_RNR_TIMER ? attr->min_rnr_timer : q->attr.min_rnr_timer;
	/* Codes 1 to 31 mean 10 us, 20, 30, 40, 60, 80, 120, ... 491.52 ms; 0 is longer still. */
	unsigned int code = (timer & 31) ?: 32;
	u64 us = code < 2 ? 10 : (code & 1 ? 30ull : 20ull) << (code / 2 - 1);

	return retries < MRC_RNR_RETRY_FOR_EVER ? retries * us * NSEC_PER_USEC : U64_MAX;
}

/* Takes the retry attributes of verbs in the transitions up to RTS. */
static int mrc_qp_set_retries(struct mrc_ib_qp *q,
			      const struct ib_qp_attr *attr, int mask)
{
	struct mrc_qp_params params = q->qp->params;

	if (!(mask & (IB_QP_TIMEOUT | IB_QP_RETRY_CNT)) ||
	    q->qp->state >= IB_QPS_RTS)
		return 0;
	mrc_qp_map_retries(q, attr, mask, &params);
	return mrc_qp_set_params(q->qp, &params);
}

static void mrc_qp_leave_srq(struct mrc_ib_qp *q)
{
	mrc_srq_leave(q->srq, &q->held);
	mrc_held_destroy(&q->held);
}

static int mrc_qp_reset(struct mrc_ib_qp *q)
{
	int ret = mrc_qp_to_reset(q->qp);

	if (ret)
		return ret;
	mrc_kring_reset(&q->sq);
	if (q->srq)
		mrc_qp_leave_srq(q);
	else
		mrc_kring_reset(&q->rq);
	q->pending = 0;
	mrc_ib_qp_forget(q);
	return 0;
}

/*
 * A CQ that fails takes all its QPs to error, except those in RESET. This QP leaves RESET now. If
 * one of its CQs has failed before, no further event tells the QP, so the CQs are checked here.
 */
static int mrc_qp_init(struct mrc_ib_qp *q)
{
	int ret = mrc_qp_to_init(q->qp);

	if (ret || (!mrc_cq_failed(q->scq) && !mrc_cq_failed(q->rcq)))
		return ret;
	mrc_qp_reset(q);
	return -EINVAL;
}

static int mrc_qp_send(struct mrc_ib_qp *q, const struct ib_qp_attr *attr, int mask)
{
	bool psn = mask & IB_QP_SQ_PSN, reads = mask & IB_QP_MAX_QP_RD_ATOMIC;
	struct mrc_qp_send send = {
		.sq_psn = psn ? attr->sq_psn & MRC_PSN_MASK : q->attr.sq_psn,
		.reads_max = reads ? attr->max_rd_atomic : q->attr.max_rd_atomic,
		.receive_ns = mrc_qp_receive_ns(q, attr, mask),
	};

	return mrc_qp_to_rts(q->qp, &send);
}

static int mrc_qp_transition(struct mrc_ib_qp *q, enum ib_qp_state next,
			     const struct ib_qp_attr *attr, int mask)
{
	switch (next) {
	case IB_QPS_RESET:
		return mrc_qp_reset(q);
	case IB_QPS_INIT:
		/* At RTR the core compares it with the port of the address vector. */
		q->ib.port = 1;
		return mrc_qp_init(q);
	case IB_QPS_RTR:
		return mrc_qp_connect(q, attr, mask);
	case IB_QPS_RTS:
		return mrc_qp_send(q, attr, mask);
	case IB_QPS_ERR:
		mrc_qp_to_err(q->qp, MRC_QP_ANY_STATE, "set by the QP's program");
		return 0;
	default:
		return -EINVAL;
	}
}

static int mrc_qp_apply(struct mrc_ib_qp *q, const struct ib_qp_attr *attr,
			int mask)
{
	struct mrc_qp_params params = q->qp->params;
	int next = mrc_qp_check_modify(q, attr, mask);
	int ret;

	if (next < 0)
		return next;
	ret = mrc_qp_set_retries(q, attr, mask);
	if (!ret && (mask & IB_QP_STATE) && next != READ_ONCE(q->qp->state))
		ret = mrc_qp_transition(q, next, attr, mask);
	/*
	 * From here on no packet is copied into memory of the QP's user. ib_drain_qp() relies on that, also
	 * for a QP that has failed before.
	 */
	if (!ret && (mask & IB_QP_STATE) && next == IB_QPS_ERR)
		mrc_hazard_wait(q->qp);
	if (!ret && next != IB_QPS_RESET && mask & IB_QP_ACCESS_FLAGS)
		ret = mrc_qp_set_access(q->qp, attr->qp_access_flags);
	if (ret) {
		q->qp->params = params;
		return ret;
	}
	if (next == IB_QPS_RESET)
		return 0;
	mrc_qp_remember(&q->attr, attr, mask);
	return 0;
}

/**
 * mrc_modify_qp() - change state and attributes, all or nothing
 * @ibqp: the QP
 * @attr: new values
 * @mask: IB_QP_* bits of the values that count
 * @udata: must ask for nothing
 *
 * Context: process, sleeps.
 * Return: 0, -EINVAL (transition, attribute, GIDs, MTU, a failed CQ), -EOPNOTSUPP (mask, wishes of
 * a newer library), -ENOENT (no such EV or CC profile), -EADDRNOTAVAIL (the GID is not the
 * anchor's), -ENETUNREACH or -EACCES (no way to the peer), -ENOMEM.
 */
int mrc_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct mrc_ib_qp *q = to_mrc_qp(ibqp);
	int ret = udata ? mrc_udata_check(udata, 0) : 0;

	if (ret)
		return ret;
	if (mrc_qp_is_ud(q))
		return mrc_ud_modify(q, attr, mask);
	mutex_lock(&q->qp->state_lock);
	ret = mrc_qp_apply(q, attr, mask);
	mutex_unlock(&q->qp->state_lock);
	return ret;
}

/* Return: 0 or -EAGAIN: the QP is being destroyed. */
static int mrc_qp_query_rc(struct mrc_ib_qp *q, struct ib_qp_attr *attr)
{
	struct mrc_qp *qp = mrc_ib_qp_get(q);

	if (!qp)
		return -EAGAIN;
	mutex_lock(&qp->state_lock);
	*attr = q->attr;
	attr->qp_state = READ_ONCE(qp->state);
	mutex_unlock(&qp->state_lock);
	mrc_qp_put(qp);
	return 0;
}

/**
 * mrc_query_qp() - query all attributes, whatever the mask; PSNs only if the mask names them
 * @ibqp: the QP; the core may call this even after destroy_qp has returned
 * @attr: result
 * @mask: IB_QP_SQ_PSN and IB_QP_RQ_PSN ask for these PSNs, which are 0 otherwise
 * @init: result
 *
 * The send PSN is the initial one. Before RTS it is the PSN that RTS takes when the program names
 * none. The current send PSN is never reported. The core queries without a mask to show QPs to all
 * users: somebody who knew the initial PSNs could derive the next PSN from the packet counters.
 * Likewise the Q_Key is told only to those who ask for it.
 *
 * Context: process, sleeps. Return: 0, or -EAGAIN when the QP is being destroyed.
 */
int mrc_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct mrc_ib_qp *q = to_mrc_qp(ibqp);
	int ret = mrc_qp_is_ud(q) ? mrc_ud_query(q, attr) : mrc_qp_query_rc(q, attr);

	if (ret)
		return ret;
	attr->cur_qp_state = attr->qp_state;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->port_num = 1;
	attr->cap = q->cap;
	if (!(mask & IB_QP_SQ_PSN))
		attr->sq_psn = 0;
	if (!(mask & IB_QP_RQ_PSN))
		attr->rq_psn = 0;
	if (!(mask & IB_QP_QKEY))
		attr->qkey = 0;

	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = q->cap;
	init->sq_sig_type = q->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	return 0;
}
