/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the decisions that make or break goodput: the states of EVs, ports, the send
 * window after an answer, the congestion window, losses, retransmissions, and arrivals.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mrc

#if !defined(_MRC_TRANSPORT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _MRC_TRANSPORT_TRACE_H

#include <linux/tracepoint.h>

#include "peer.h"
#include "congestion.h"
#include "qp.h"

#define MRC_TRACE_EV_STATES						\
	{ MRC_EV_GOOD, "good" }, { MRC_EV_SKIP, "skip" },		\
	{ MRC_EV_HELD, "held" },					\
	{ MRC_EV_ASSUMED_BAD, "assumed-bad" }, { MRC_EV_DENIED, "denied" }

TRACE_EVENT(mrc_ev,
	TP_PROTO(const struct mrc_peer *peer, const struct mrc_peer_evs *evs,
		 u16 ev, u8 old, const char *reason),
	TP_ARGS(peer, evs, ev, old, reason),
	TP_STRUCT__entry(
		__field(u32, dev)
		__array(u8, remote, 16)
		__field(u16, index)
		__field(u8, port)
		__field(u8, old)
		__field(u8, state)
		__field(const char *, reason)
	),
	TP_fast_assign(
		__entry->dev = peer->dev->index;
		memcpy(__entry->remote, &peer->key.remote, 16);
		__entry->index = evs->paths.ev[ev].index;
		__entry->port = evs->paths.set.ev[ev].port;
		__entry->old = old;
		__entry->state = evs->paths.set.ev[ev].state;
		__entry->reason = reason;
	),
	TP_printk("dev=%u remote=%pI6c ev=%u port=%u %s -> %s (%s)",
		  __entry->dev, __entry->remote, __entry->index, __entry->port,
		  __print_symbolic(__entry->old, MRC_TRACE_EV_STATES),
		  __print_symbolic(__entry->state, MRC_TRACE_EV_STATES),
		  __entry->reason)
);

/* Ports came or went: ours (the kernel said so), or the peer's (the peer did). Bit 0 is port 1. */
TRACE_EVENT(mrc_ports,
	TP_PROTO(const struct mrc_peer *peer, u32 local, u32 remote),
	TP_ARGS(peer, local, remote),
	TP_STRUCT__entry(
		__field(u32, dev)
		__array(u8, remote_gid, 16)
		__field(u32, local)
		__field(u32, remote)
	),
	TP_fast_assign(
		__entry->dev = peer->dev->index;
		memcpy(__entry->remote_gid, &peer->key.remote, 16);
		__entry->local = local;
		__entry->remote = remote;
	),
	TP_printk("dev=%u remote=%pI6c local-ports=0x%08x remote-ports=0x%08x",
		  __entry->dev, __entry->remote_gid, __entry->local,
		  __entry->remote)
);

/* The send window after an answer was applied. */
TRACE_EVENT(mrc_window,
	TP_PROTO(const struct mrc_qp *qp, const struct mrc_tx_result *res),
	TP_ARGS(qp, res),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, una)
		__field(u32, nxt)
		__field(u32, inflight)
		__field(u32, lost)
		__field(u32, acked)
		__field(u64, rtt_ns)
		__field(u64, srtt_ns)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->una = qp->req.tx.una;
		__entry->nxt = qp->req.tx.nxt;
		__entry->inflight = qp->req.tx.inflight;
		__entry->lost = qp->req.tx.lost;
		__entry->acked = res->acked;
		__entry->rtt_ns = res->rtt_ns;
		__entry->srtt_ns = qp->req.tx.rtt.srtt_ns;
	),
	TP_printk("qpn=0x%06x una=0x%06x nxt=0x%06x inflight=%u lost=%u acked=%u rtt=%llu srtt=%llu",
		  __entry->qpn, __entry->una, __entry->nxt, __entry->inflight,
		  __entry->lost, __entry->acked, __entry->rtt_ns,
		  __entry->srtt_ns)
);

#define MRC_TRACE_CC							\
	{ MRC_CC_FAST, "fast" }, { MRC_CC_PROPORTIONAL, "proportional" },	\
	{ MRC_CC_FAIR, "fair" }, { MRC_CC_HOLD, "hold" },			\
	{ MRC_CC_DECREASE, "decrease" }, { MRC_CC_QUICK_ADAPTS, "quick-adapt" }, \
	{ MRC_CC_PENALTIES, "penalty" }, { MRC_CC_COUNTS, "-" }

/*
 * Congestion control has learned of packets, or of planes that went or came: the window before and
 * after, and the rule that changed it. qpn is the QP of the packets; other QPs may share the
 * window. A fixed window has no such events.
 */
TRACE_EVENT(mrc_cc,
	TP_PROTO(const struct mrc_qp *qp, const struct mrc_congestion_move *move,
		 const char *cause),
	TP_ARGS(qp, move, cause),
	TP_STRUCT__entry(
		__field(u64, inflight)
		__array(u8, remote, 16)
		__field(u32, dev)
		__field(u32, qpn)
		__field(u32, old_cwnd)
		__field(u32, cwnd)
		__field(u32, max_cwnd)
		__field(u32, base_ns)
		__field(u32, delay_ns)
		__field(u32, target_ns)
		__field(u8, quadrant)
		__field(const char *, cause)
	),
	TP_fast_assign(
		__entry->inflight = move->is.inflight;
		memcpy(__entry->remote, &qp->peer->key.remote, 16);
		__entry->dev = qp->dev->index;
		__entry->qpn = qp->qpn;
		__entry->old_cwnd = move->was.cwnd;
		__entry->cwnd = move->is.cwnd;
		__entry->max_cwnd = move->is.max_cwnd;
		__entry->base_ns = move->is.base_ns;
		__entry->delay_ns = move->is.delay_ns;
		__entry->target_ns = move->is.target_ns;
		__entry->quadrant = mrc_congestion_did(move);
		__entry->cause = cause;
	),
	TP_printk("dev=%u remote=%pI6c qpn=0x%06x cwnd=%u -> %u max=%u inflight=%llu base-rtt=%u delay=%u target=%u %s by %s",
		  __entry->dev, __entry->remote, __entry->qpn, __entry->old_cwnd,
		  __entry->cwnd, __entry->max_cwnd, __entry->inflight,
		  __entry->base_ns, __entry->delay_ns, __entry->target_ns,
		  __print_symbolic(__entry->quadrant, MRC_TRACE_CC), __entry->cause)
);

/*
 * Packets were declared lost, or a packet that was declared lost has arrived after all (spurious).
 * evs: the EVs that lost packets, counted from 0 in the order of the peer's EVs. reorder: tolerance
 * for reordering, learned from late packets.
 */
TRACE_EVENT(mrc_loss,
	TP_PROTO(const struct mrc_qp *qp, const struct mrc_tx_result *res,
		 const char *why),
	TP_ARGS(qp, res, why),
	TP_STRUCT__entry(
		__field(u64, srtt_ns)
		__field(u64, reorder_ns)
		__field(u32, qpn)
		__field(u32, lost)
		__array(unsigned long, evs, BITS_TO_LONGS(MRC_EV_MAX))
		__field(bool, spurious)
		__field(const char *, why)
	),
	TP_fast_assign(
		__entry->srtt_ns = qp->req.tx.rtt.srtt_ns;
		__entry->reorder_ns = qp->req.tx.rtt.reorder_ns;
		__entry->qpn = qp->qpn;
		__entry->lost = res->lost;
		mrc_evidence_lost_evs(&qp->req.tx.evidence, __entry->evs);
		__entry->spurious = res->spurious;
		__entry->why = why;
	),
	TP_printk("qpn=0x%06x lost=%u evs=%*pbl spurious=%d srtt=%llu reorder=%llu by %s",
		  __entry->qpn, __entry->lost, MRC_EV_MAX, __entry->evs,
		  __entry->spurious, __entry->srtt_ns, __entry->reorder_ns,
		  __entry->why)
);

#define MRC_TRACE_VERDICTS						\
	{ MRC_RX_NEW, "new" }, { MRC_RX_DUP, "dup" }, { MRC_RX_OOR, "oor" }

/* A write packet has arrived at a QP, with this DSCP. */
TRACE_EVENT(mrc_arrival,
	TP_PROTO(const struct mrc_qp *qp, const struct mrc_rx_pkt *pkt,
		 enum mrc_rx_verdict verdict),
	TP_ARGS(qp, pkt, verdict),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, ev)
		__field(u16, msn)
		__field(u8, verdict)
		__field(u8, dscp)
		__field(bool, ce)
		__field(bool, rtx)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->psn = pkt->hdr.bth.psn;
		__entry->ev = pkt->ev;
		__entry->msn = pkt->hdr.write.msn;
		__entry->verdict = verdict;
		__entry->dscp = pkt->dscp;
		__entry->ce = pkt->ce;
		__entry->rtx = pkt->hdr.bth.rtx;
	),
	TP_printk("qpn=0x%06x psn=0x%06x msn=%u %s ev=0x%08x dscp=%u ce=%u rtx=%u",
		  __entry->qpn, __entry->psn, __entry->msn,
		  __print_symbolic(__entry->verdict, MRC_TRACE_VERDICTS),
		  __entry->ev, __entry->dscp, __entry->ce, __entry->rtx)
);

/* Packets are sent again. */
TRACE_EVENT(mrc_retransmit,
	TP_PROTO(const struct mrc_qp *qp, u32 psn, unsigned int count),
	TP_ARGS(qp, psn, count),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, count)
		__field(u32, left)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->psn = psn;
		__entry->count = count;
		__entry->left = qp->req.tx.lost;
	),
	TP_printk("qpn=0x%06x psn=0x%06x count=%u left=%u", __entry->qpn,
		  __entry->psn, __entry->count, __entry->left)
);

/* A call into the requester's engine, see replay.h. */
TRACE_EVENT(mrc_replay,
	TP_PROTO(const struct mrc_qp *qp, char op, u64 now, const u32 *words,
		 unsigned int count),
	TP_ARGS(qp, op, now, words, count),
	TP_STRUCT__entry(
		__field(u64, now)
		__field(u32, qpn)
		__field(char, op)
		__dynamic_array(u32, words, count)
	),
	TP_fast_assign(
		__entry->now = now;
		__entry->qpn = qp->qpn;
		__entry->op = op;
		memcpy(__get_dynamic_array(words), words, count * sizeof(*words));
	),
	TP_printk("qpn=0x%06x %c %llu %s", __entry->qpn, __entry->op, __entry->now,
		  __print_array(__get_dynamic_array(words),
				__get_dynamic_array_len(words) / sizeof(u32), sizeof(u32)))
);

#endif /* _MRC_TRANSPORT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH transport/peer
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
