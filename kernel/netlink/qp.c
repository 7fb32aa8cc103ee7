// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for QPs.
 */
#include "../compat/compat_netlink.h"
#include "../transport/peer/congestion.h"
#include "../transport/peer/qp.h"
#include "message.h"

static_assert((int)IB_QPS_RESET == (int)MRC_NL_QP_STATE_RESET);
static_assert((int)IB_QPS_INIT == (int)MRC_NL_QP_STATE_INIT);
static_assert((int)IB_QPS_RTR == (int)MRC_NL_QP_STATE_RTR);
static_assert((int)IB_QPS_RTS == (int)MRC_NL_QP_STATE_RTS);
static_assert((int)IB_QPS_SQD == (int)MRC_NL_QP_STATE_SQD);
static_assert((int)IB_QPS_SQE == (int)MRC_NL_QP_STATE_SQE);
static_assert((int)IB_QPS_ERR == (int)MRC_NL_QP_STATE_ERR);

/* The state of a QP at one moment. */
struct mrc_nl_qp {
	u8 state;
	struct mrc_qp_conn conn;
	struct mrc_qp_params params;
	u64 ev_profile;	/* in use; before RTR: asked for */
	u32 una;
	u32 nxt;
	u32 cack;
	u32 inflight;
	u32 lost;
	u64 srtt;
	u64 min_rtt;
	u64 tx_packets;
	u64 rx_packets;
	u64 rtx_packets;
	u64 memory;
	bool congested;	/* @congestion is set */
	struct mrc_congestion_state congestion;
};

/* state_lock and tx_lock held. */
static bool mrc_nl_qp_read_congestion(struct mrc_qp *qp, struct mrc_congestion_state *s)
{
	struct mrc_congestion *c = rcu_dereference_protected(qp->congestion,
							     lockdep_is_held(&qp->state_lock));

	if (c && qp->sends)
		mrc_congestion_read(c, s);
	return c && qp->sends;
}

static void mrc_nl_qp_read(struct mrc_qp *qp, struct mrc_nl_qp *s)
{
	mutex_lock(&qp->state_lock);
	s->conn = qp->conn;
	s->params = qp->params;
	s->ev_profile = qp->peer ? qp->peer->key.ev_profile :
				   qp->params.ev_profile;
	s->memory = mrc_qp_memory(qp);

	spin_lock_bh(&qp->tx_lock);
	s->state = qp->state;
	s->una = qp->req.tx.una;
	s->nxt = qp->req.tx.nxt;
	s->inflight = qp->req.tx.inflight;
	s->lost = qp->req.tx.lost;
	s->srtt = qp->req.tx.rtt.srtt_ns;
	s->min_rtt = qp->req.tx.rtt.min_ns;
	s->tx_packets = qp->tx_packets;
	s->rtx_packets = qp->rtx_packets;
	s->congested = mrc_nl_qp_read_congestion(qp, &s->congestion);
	spin_unlock_bh(&qp->tx_lock);

	spin_lock_bh(&qp->rx_lock);
	s->cack = qp->resp.rx.cack;
	s->rx_packets = qp->rx_packets;
	spin_unlock_bh(&qp->rx_lock);
	mutex_unlock(&qp->state_lock);
}

static int mrc_nl_put_params(struct sk_buff *skb, const struct mrc_nl_qp *s)
{
	const struct mrc_qp_params *p = &s->params;

	return mrc_nl_put_u64(skb, MRC_A_QP_EV_PROFILE, s->ev_profile) ?:
	       mrc_nl_put_u64(skb, MRC_A_QP_CC_PROFILE, p->cc_profile) ?:
	       nla_put_u8(skb, MRC_A_QP_MPR_TX, p->mpr_tx) ?:
	       nla_put_u8(skb, MRC_A_QP_MPR_RX, p->mpr_rx) ?:
	       nla_put_u16(skb, MRC_A_QP_WIMM_TX, p->wimm_tx) ?:
	       nla_put_u16(skb, MRC_A_QP_WIMM_RX, p->wimm_rx) ?:
	       nla_put_u8(skb, MRC_A_QP_TIMEOUT, p->timeout) ?:
	       nla_put_u8(skb, MRC_A_QP_LINEAR_RETRIES, p->linear) ?:
	       nla_put_u8(skb, MRC_A_QP_EXP_RETRIES, p->exp);
}

/* A connection exists from RTR on. */
static int mrc_nl_put_conn(struct sk_buff *skb, const struct mrc_nl_qp *s)
{
	if (s->state < IB_QPS_RTR || !s->conn.mtu)
		return 0;
	return nla_put_u32(skb, MRC_A_QP_DEST_QPN, s->conn.dest_qpn) ?:
	       nla_put_in6_addr(skb, MRC_A_QP_LOCAL_GID, &s->conn.local) ?:
	       nla_put_in6_addr(skb, MRC_A_QP_REMOTE_GID, &s->conn.remote) ?:
	       nla_put_u32(skb, MRC_A_QP_MTU, s->conn.mtu);
}

static int mrc_nl_put_psns(struct sk_buff *skb, const struct mrc_nl_qp *s)
{
	return nla_put_u32(skb, MRC_A_QP_PSN_UNA, s->una) ?:
	       nla_put_u32(skb, MRC_A_QP_PSN_NXT, s->nxt) ?:
	       nla_put_u32(skb, MRC_A_QP_PSN_CACK, s->cack);
}

static int mrc_nl_put_progress(struct sk_buff *skb, const struct mrc_nl_qp *s)
{
	return nla_put_u32(skb, MRC_A_QP_INFLIGHT, s->inflight) ?:
	       nla_put_u32(skb, MRC_A_QP_LOST, s->lost) ?:
	       mrc_nl_put_u64(skb, MRC_A_QP_SRTT, s->srtt) ?:
	       mrc_nl_put_u64(skb, MRC_A_QP_MIN_RTT, s->min_rtt) ?:
	       mrc_nl_put_u64(skb, MRC_A_QP_TX_PACKETS, s->tx_packets) ?:
	       mrc_nl_put_u64(skb, MRC_A_QP_RX_PACKETS, s->rx_packets) ?:
	       mrc_nl_put_u64(skb, MRC_A_QP_RTX_PACKETS, s->rtx_packets) ?:
	       mrc_nl_put_u64(skb, MRC_A_QP_MEMORY, s->memory);
}

static int mrc_nl_put_congestion(struct sk_buff *skb, const struct mrc_nl_qp *q)
{
	const struct mrc_congestion_state *s = &q->congestion;
	struct nlattr *nest;

	if (!q->congested)
		return 0;
	nest = nla_nest_start(skb, MRC_A_QP_CONGESTION);
	if (!nest || nla_put_u32(skb, MRC_A_CONGESTION_CWND, s->cwnd) ||
	    nla_put_u32(skb, MRC_A_CONGESTION_MAX_CWND, s->max_cwnd) ||
	    mrc_nl_put_u64(skb, MRC_A_CONGESTION_INFLIGHT, s->inflight) ||
	    nla_put_u32(skb, MRC_A_CONGESTION_QPS, s->qps) ||
	    nla_put_u32(skb, MRC_A_CONGESTION_BASE_RTT, s->base_ns) ||
	    nla_put_u32(skb, MRC_A_CONGESTION_DELAY, s->delay_ns) ||
	    nla_put_u32(skb, MRC_A_CONGESTION_TARGET_DELAY, s->target_ns) ||
	    mrc_nl_put_cc_counts(skb, MRC_A_CONGESTION_FAST, s->count))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Puts the creator's pid in the reader's pid namespace, if it has one there. */
static int mrc_nl_put_pid(struct sk_buff *skb, const struct mrc_qp *qp)
{
	pid_t pid = pid_vnr(qp->creator);

	return pid ? nla_put_u32(skb, MRC_A_QP_PID, pid) : 0;
}

static int mrc_nl_qp_msg(struct sk_buff *skb, const struct mrc_nl_to *to,
			 struct mrc_qp *qp)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_QP_GET, qp->dev);
	struct mrc_nl_qp s;

	if (!hdr)
		return -EMSGSIZE;
	mrc_nl_qp_read(qp, &s);
	if (nla_put_u32(skb, MRC_A_QP_QPN, qp->qpn) ||
	    nla_put_u8(skb, MRC_A_QP_STATE, s.state) ||
	    mrc_nl_put_pid(skb, qp) ||
	    mrc_nl_put_conn(skb, &s) || mrc_nl_put_params(skb, &s) ||
	    (to->admin && mrc_nl_put_psns(skb, &s)) ||
	    mrc_nl_put_progress(skb, &s) || mrc_nl_put_congestion(skb, &s)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int mrc_nl_qp_get(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	u32 qpn = nla_get_u32(info->attrs[MRC_A_QP_QPN]);
	struct sk_buff *msg;
	struct mrc_qp *qp;
	int err;

	qp = mrc_qp_next(mrc_nl_dev(info), qpn);
	if (!qp || qp->qpn != qpn) {
		if (qp)
			mrc_qp_put(qp);
		return mrc_nl_refuse(info, -ENOENT, MRC_A_QP_QPN, "no such QP");
	}
	msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);
	err = msg ? mrc_nl_reply(msg, info, mrc_nl_qp_msg(msg, &to, qp)) :
		    -ENOMEM;
	mrc_qp_put(qp);
	return err;
}

static int mrc_nl_qp_fill(struct sk_buff *skb, struct netlink_callback *cb,
			  struct mrc_dev *dev)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	struct mrc_qp *qp;
	int err = 0;

	cb->seq = 0;	/* a dump by number is always consistent */
	while (!err && (qp = mrc_qp_next(dev, cur->next))) {
		err = mrc_nl_qp_msg(skb, &to, qp);
		if (!err)
			cur->next = qp->qpn + 1;
		mrc_qp_put(qp);
	}
	return err;
}

int mrc_nl_qp_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_qp_fill);
}
