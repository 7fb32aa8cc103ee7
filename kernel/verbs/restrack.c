// SPDX-License-Identifier: GPL-2.0-only
/*
 * Details of QPs, MRs and CQs as driver attributes of the RDMA netlink family. All users see these
 * attributes, so none of them helps to forge packets.
 */
#include <rdma/ib_umem.h>
#include <rdma/restrack.h>

#include "device.h"
#include "mr.h"
#include "qp.h"
#include "restrack.h"

/** struct mrc_res_qp - details of a QP at one moment */
struct mrc_res_qp {
	struct mrc_qp_params params;
	u32 inflight;
	u32 lost;
	u32 window;
	u64 srtt;
	u64 min_rtt;
	u64 tx_packets;
	u64 rtx_packets;
	u64 rx_packets;
	u64 memory;
};

/* Under RCU. */
static void mrc_res_qp_read(const struct mrc_ib_qp *q, struct mrc_qp *qp,
			    struct mrc_res_qp *r)
{
	r->params = qp->params;
	r->memory = mrc_qp_memory(qp) + mrc_kring_memory(&q->sq) +
		    (q->srq ? (u64)q->held.size * q->held.entry_size : mrc_kring_memory(&q->rq));
	spin_lock_bh(&qp->tx_lock);
	r->inflight = qp->req.tx.inflight;
	r->lost = qp->req.tx.lost;
	r->window = mrc_qp_cwnd(qp);
	r->srtt = qp->req.tx.rtt.srtt_ns;
	r->min_rtt = qp->req.tx.rtt.min_ns;
	r->tx_packets = qp->tx_packets;
	r->rtx_packets = qp->rtx_packets;
	spin_unlock_bh(&qp->tx_lock);
	spin_lock_bh(&qp->rx_lock);
	r->rx_packets = qp->rx_packets;
	spin_unlock_bh(&qp->rx_lock);
}

static bool mrc_res_qp_put(struct sk_buff *msg, const struct mrc_res_qp *r)
{
	return rdma_nl_put_driver_u64(msg, "ev_profile", r->params.ev_profile) ||
	       rdma_nl_put_driver_u64(msg, "cc_profile", r->params.cc_profile) ||
	       rdma_nl_put_driver_u32(msg, "mpr_rx", r->params.mpr_rx) ||
	       rdma_nl_put_driver_u32(msg, "mpr_tx", r->params.mpr_tx) ||
	       rdma_nl_put_driver_u32(msg, "inflight", r->inflight) ||
	       rdma_nl_put_driver_u32(msg, "lost", r->lost) ||
	       rdma_nl_put_driver_u32(msg, "cwnd", r->window) ||
	       rdma_nl_put_driver_u64(msg, "srtt_ns", r->srtt) ||
	       rdma_nl_put_driver_u64(msg, "min_rtt_ns", r->min_rtt) ||
	       rdma_nl_put_driver_u64(msg, "tx_packets", r->tx_packets) ||
	       rdma_nl_put_driver_u64(msg, "rtx_packets", r->rtx_packets) ||
	       rdma_nl_put_driver_u64(msg, "rx_packets", r->rx_packets) ||
	       rdma_nl_put_driver_u64(msg, "memory", r->memory);
}

static int mrc_res_end(struct sk_buff *msg, struct nlattr *table, bool full)
{
	if (full) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}

/**
 * mrc_fill_res_qp() - put the details of a QP
 * @msg: message to add to
 * @ibqp: the QP; the core may call this even after destroy_qp has returned
 *
 * Context: process. Return: 0 or -EMSGSIZE.
 */
int mrc_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct mrc_ib_qp *q = to_mrc_qp(ibqp);
	struct mrc_res_qp r;
	struct mrc_qp *qp;

	if (!table)
		return -EMSGSIZE;
	rcu_read_lock();
	qp = READ_ONCE(q->qp);
	if (qp)
		mrc_res_qp_read(q, qp, &r);
	rcu_read_unlock();
	return mrc_res_end(msg, table, qp && mrc_res_qp_put(msg, &r));
}

/** mrc_fill_res_mr() - put the details of an MR. Return: 0 or -EMSGSIZE. Process context. */
int mrc_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct mrc_ib_mr *m = to_mrc_mr(ibmr);
	u64 pages = m->pages, held = m->mapped ? 2 * m->room : m->pages;
	bool full;

	if (!table)
		return -EMSGSIZE;
	full = rdma_nl_put_driver_u64(msg, "pages", pages) ||
	       rdma_nl_put_driver_u32_hex(msg, "access", m->mr->access) ||
	       rdma_nl_put_driver_u64(msg, "memory",
				      sizeof(*m) + sizeof(*m->mr) +
				      held * sizeof(*m->mr->pages));
	return mrc_res_end(msg, table, full);
}

/** mrc_fill_res_cq() - as mrc_fill_res_qp() */
int mrc_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct mrc_ib_cq *cq = to_mrc_cq(ibcq);
	u64 added;
	u32 armed, failed, room;

	if (!table)
		return -EMSGSIZE;
	spin_lock_bh(&cq->lock);
	added = cq->added;
	armed = cq->armed;
	failed = cq->failed;
	room = cq->ring.mem ? max(mrc_kring_room(&cq->ring), 0) : 0;
	spin_unlock_bh(&cq->lock);
	return mrc_res_end(msg, table,
			   rdma_nl_put_driver_u64(msg, "completions", added) ||
			   rdma_nl_put_driver_u32(msg, "waiting",
						  cq->ring.size - room) ||
			   rdma_nl_put_driver_u32(msg, "armed", armed) ||
			   rdma_nl_put_driver_u32(msg, "overrun", failed));
}
