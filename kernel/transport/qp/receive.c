// SPDX-License-Identifier: GPL-2.0-only
/*
 * Received packets on their way to a QP: finds the QP, and checks the sender and the ICRC.
 * Everything here runs in softirq under RCU.
 */
#include <net/addrconf.h>
#include <net/ipv6.h>

#include "../endpoint/endpoint.h"
#include "gone.h"
#include "../peer/qp.h"
#include "../ud/ud.h"
#include "receive.h"
#include "requester.h"
#include "responder.h"

/*
 * State while the packets of one skb are walked. They are nearly always for one QP. When a packet
 * is for another QP, the run is flushed, and a new one begins.
 */
struct mrc_receive_run {
	struct mrc_qp *qp;
	struct mrc_plane *plane;
	u32 packets;
	u32 bytes;
	bool ce;
	bool answer;	/* the responder has something to say */
	bool send;	/* the requester may go on */
};

static_assert(sizeof(struct mrc_receive_run) <= sizeof(struct mrc_rx_run));

static void mrc_receive_flush(struct mrc_receive_run *run)
{
	struct mrc_qp *qp = run->qp;

	if (!qp)
		return;
	mrc_count_n(qp->dev, MRC_CNT_RX_PACKETS, run->packets);
	mrc_count_n(qp->dev, MRC_CNT_RX_BYTES, run->bytes);
	if (run->ce)
		mrc_count_n(qp->dev, MRC_CNT_ECN_RX, run->packets);
	if (run->plane)
		mrc_plane_count_rx(run->plane, run->packets, run->bytes,
				   run->ce);
	if (run->answer && mrc_responder_answer(qp)) {
		mrc_requester_answered(qp);
		run->send = true;
	}
	if (run->send)
		mrc_requester_run(qp);
	memset(run, 0, sizeof(*run));
}

static void mrc_receive_end(struct mrc_rx_run *scratch)
{
	mrc_receive_flush((struct mrc_receive_run *)scratch);
}

static void mrc_receive_begin(struct mrc_receive_run *run, struct mrc_qp *qp,
			      struct mrc_plane *plane, const struct mrc_rx_pkt *pkt)
{
	if (run->qp != qp) {
		mrc_receive_flush(run);
		run->qp = qp;
		run->plane = plane;
	}
	run->packets++;
	run->bytes += pkt->wire_len;
	run->ce |= pkt->ce;
}

/* All checks except the ICRC. */
static enum mrc_drop mrc_receive_check_head(struct mrc_qp *qp, const struct mrc_plane *plane,
					    const struct mrc_rx_pkt *pkt)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	if (!mrc_dev_hears(qp->dev, plane, pkt->loopback))
		return MRC_DROP_INGRESS;
	if (state != IB_QPS_RTR && state != IB_QPS_RTS)
		return MRC_DROP_QP_STATE;
	if (!ipv6_addr_equal(pkt->saddr, &qp->conn.remote) ||
	    !ipv6_addr_equal(pkt->daddr, &qp->conn.local))
		return MRC_DROP_WRONG_PEER;
	if ((pkt->hdr.bth.pkey ^ qp->conn.pkey) & 0x7fff)
		return MRC_DROP_PKEY;
	return MRC_DROP_COUNT;
}

static enum mrc_drop mrc_receive_check(struct mrc_qp *qp, const struct mrc_plane *plane,
				       const struct mrc_rx_pkt *pkt)
{
	enum mrc_drop drop = mrc_receive_check_head(qp, plane, pkt);

	if (drop == MRC_DROP_COUNT && READ_ONCE(qp->dev->cfg.icrc) && !mrc_rx_icrc_ok(pkt))
		return MRC_DROP_ICRC;
	return drop;
}

static void mrc_receive_dispatch(struct mrc_qp *qp,
				 const struct mrc_rx_pkt *pkt,
				 struct mrc_receive_run *run)
{
	switch (pkt->hdr.bth.opcode) {
	case MRC_OP_SACK:
		run->send |= mrc_requester_sack(qp, &pkt->hdr, &run->answer);
		break;
	case MRC_OP_NACK:
		run->send |= mrc_requester_nack(qp, &pkt->hdr);
		break;
	case MRC_OP_ACK:
		run->send |= mrc_requester_ack(qp, &pkt->hdr, &run->answer);
		break;
	case MRC_OP_PROBE:
		mrc_responder_probe(qp, pkt);
		break;
	default:
		mrc_responder_request(qp, pkt);
		run->answer = true;
	}
}

static void mrc_receive(struct mrc_rx_pkt *pkt, struct mrc_rx_run *scratch)
{
	struct mrc_receive_run *run = (struct mrc_receive_run *)scratch;
	struct mrc_plane *plane;
	enum mrc_drop drop;
	struct mrc_qp *qp;

	if (pkt->hdr.bth.opcode == MRC_OP_EP_REQ ||
	    pkt->hdr.bth.opcode == MRC_OP_EP_RSP) {
		mrc_endpoint_receive(pkt);
		return;
	}
	/* No other opcode that is decoded is below those of MRC. */
	if (pkt->hdr.bth.opcode < MRC_OP_SEND_FIRST) {
		mrc_ud_receive(pkt);
		return;
	}
	qp = mrc_qp_find(pkt->hdr.bth.qpn);
	if (!qp || !net_eq(qp->dev->net, pkt->net)) {
		mrc_devs_count_drop(pkt->net, pkt->daddr, MRC_DROP_NO_QP);
		mrc_gone_no_qp(pkt);
		return;
	}
	/* All packets of an skb came in together. */
	plane = run->qp == qp ? run->plane :
		mrc_plane_by_ifindex(&qp->dev->planes, pkt->ifindex);
	drop = mrc_receive_check(qp, plane, pkt);
	if (drop != MRC_DROP_COUNT) {
		mrc_count(qp->dev, mrc_drop_counter(drop));
		if (drop == MRC_DROP_QP_STATE)
			mrc_gone_not_live(qp, pkt);
		return;
	}
	mrc_receive_begin(run, qp, plane, pkt);
	mrc_receive_dispatch(qp, pkt, run);
}

/* Does the packet's DSCP say that a switch has trimmed it? Otherwise it is only damaged. */
static bool mrc_receive_is_trimmed(const struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	return READ_ONCE(dev->cfg.trim) &&
	       (pkt->dscp == READ_ONCE(dev->cfg.dscp_trimmed) ||
		pkt->dscp == READ_ONCE(dev->cfg.dscp_trimmed_lasthop));
}

static void mrc_receive_trimmed(struct mrc_rx_pkt *pkt)
{
	struct mrc_qp *qp = mrc_qp_find(pkt->hdr.bth.qpn);
	struct mrc_plane *plane;
	enum mrc_drop drop;

	if (!qp || !net_eq(qp->dev->net, pkt->net)) {
		mrc_devs_count_drop(pkt->net, pkt->daddr, MRC_DROP_TRUNCATED);
		return;
	}
	plane = mrc_plane_by_ifindex(&qp->dev->planes, pkt->ifindex);
	drop = mrc_receive_is_trimmed(qp->dev, pkt) ? mrc_receive_check_head(qp, plane, pkt) :
						      MRC_DROP_TRUNCATED;
	if (drop == MRC_DROP_COUNT)
		mrc_responder_trimmed(qp, pkt,
				      pkt->dscp != READ_ONCE(qp->dev->cfg.dscp_trimmed));
	else
		mrc_count(qp->dev, mrc_drop_counter(drop));
}

static bool mrc_receive_is_device(struct net *net, const struct in6_addr *addr)
{
	return mrc_dev_by_addr(net, addr);
}

static const struct mrc_rx_ops mrc_receive_ops = {
	.rx = mrc_receive,
	.trimmed = mrc_receive_trimmed,
	.end = mrc_receive_end,
	.drop = mrc_devs_count_drop,
	.guard = {
		.is_device = mrc_receive_is_device,
		.forged = mrc_devs_count_forged,
	},
};

int mrc_receive_init(void)
{
	return mrc_rx_module_init(&mrc_receive_ops);
}

void mrc_receive_exit(void)
{
	mrc_rx_module_exit();
}
