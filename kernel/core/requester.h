/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester of a QP: what goes out next, and on how many EVs. It joins the queue of requests
 * and the window of packets; which EVs there are, and what becomes of them, is the peer's. The
 * caller serialises all calls on one requester.
 *
 * A batch is made in three steps, for EVs are drawn under another lock than PSNs:
 *  1. mrc_req_plan() says how many packets, and whether they are retransmissions;
 *  2. the caller draws as many EVs as mrc_req_stride() says;
 *  3. mrc_req_deal() deals the packets out to them like cards, and takes them into flight.
 */
#ifndef _MRC_CORE_REQUESTER_H
#define _MRC_CORE_REQUESTER_H

#include "base.h"
#include "sendq.h"
#include "tx_window.h"

/* Packets planned at a time. */
#define MRC_BATCH_MAX	64u

/**
 * struct mrc_plan - one packet of a batch
 * @psn: its PSN
 * @msg: free-running index of its request
 * @ev: EV index
 * @was: a retransmission: the EV that it was sent on before
 */
struct mrc_plan {
	u32 psn;
	u32 msg;
	u16 ev;
	u16 was;
};

/**
 * struct mrc_batch - packets to send now, all of one traffic class
 * @plan: the packets; packet i goes on EV i % @stride
 * @count: elements of @plan
 * @stride: EVs that the batch is dealt to
 * @rtx: they are retransmissions
 * @any: on EVs that are assumed bad, too: on the others they were sent in vain
 * @ask: the last one asks for a SACK: nothing follows for now
 */
struct mrc_batch {
	struct mrc_plan plan[MRC_BATCH_MAX];
	unsigned int count;
	unsigned int stride;
	bool rtx;
	bool any;
	bool ask;
};

/**
 * struct mrc_req - the requester of a QP
 * @tx: packets in flight
 * @sendq: requests
 * @cwnd: packets that may be in flight
 * @asked_psn: next PSN when a SACK was asked for last
 */
struct mrc_req {
	struct mrc_tx_window tx;
	struct mrc_sendq sendq;
	u32 cwnd;
	u32 asked_psn;
};

/**
 * mrc_req_start() - start of a connection
 * @r: the requester; the slots of its queue are the caller's
 * @ring: @cfg->size records
 * @cfg: limits of the window
 * @psn: the first PSN to send
 * @cwnd: packets that may be in flight
 */
void mrc_req_start(struct mrc_req *r, struct mrc_tx_rec *ring,
		   const struct mrc_tx_cfg *cfg, u32 psn, u32 cwnd);

/**
 * mrc_req_plan() - what goes out now
 * @r: the requester
 * @b: result, but for EVs
 *
 * Lost packets go before new ones, which never leave with them. New ones take their PSNs: what was
 * planned must be dealt.
 *
 * Return: false when nothing does.
 */
bool mrc_req_plan(struct mrc_req *r, struct mrc_batch *b);

/**
 * mrc_req_stride() - how many EVs a batch is dealt to: enough for bursts of the wanted size
 * @b: the batch
 * @burst: packets that one skb can carry, 1 at least
 * @good: EVs that may carry data
 * @bad: EVs that are assumed bad
 *
 * Return: at least 1, at most @b->count.
 */
unsigned int mrc_req_stride(const struct mrc_batch *b, unsigned int burst,
			    unsigned int good, unsigned int bad);

/**
 * mrc_req_deal() - packets of a batch go out on EVs
 * @r: the requester
 * @b: planned just now
 * @ev: @stride indices, each one any EV or MRC_EV_NONE: no path. Then a packet counts as sent all
 *      the same, and its retries decide how long to wait for one
 * @stride: from mrc_req_stride()
 * @now: ns
 */
void mrc_req_deal(struct mrc_req *r, struct mrc_batch *b, const u16 *ev,
		  unsigned int stride, u64 now);

#endif /* _MRC_CORE_REQUESTER_H */
