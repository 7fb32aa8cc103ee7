/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester of a QP decides which packets go out next and on how many EVs, what answers mean,
 * and when to act without an answer. It joins the queue of requests and the window of packets. The
 * EVs and their states belong to the peer, which learns from struct mrc_news. The caller serialises
 * all calls on one requester.
 *
 * A batch is made in three steps, because EVs are drawn under another lock than PSNs:
 *  1. mrc_req_plan() says how many packets, and whether they are retransmissions;
 *  2. the caller draws as many EVs as mrc_req_stride() says;
 *  3. mrc_req_deal() deals the packets out to these EVs like cards, and takes them into flight.
 *
 * A peer that has no receive for a WriteImm says so by a NACK NO_RESOURCE for the last packet of
 * the WriteImm, which has arrived. Then no new packet goes out until the request ends. The peer
 * says by itself when the request ends; in case that answer is lost, Reliability Probes ask now and
 * then.
 *
 * A transport ACK ends a request. If all packets are SACKed and the ACK is missing, Reliability
 * Probes ask for it, at the same intervals as for a missing SACK. When as many timeouts have passed
 * as a packet has retries, the QP ends in error.
 */
#ifndef _MRC_CORE_REQUESTER_H
#define _MRC_CORE_REQUESTER_H

#include "../wire/answers.h"
#include "../base/base.h"
#include "../cc/cc.h"
#include "../send/news.h"
#include "../send/reach.h"
#include "../send/sendq.h"
#include "../send/tx_loss.h"
#include "../send/tx_window.h"

/* Packets planned at a time. */
#define MRC_BATCH_MAX	64u
/*
 * Who has no room for packets, the peer or a queue of this host, is left alone for a round trip,
 * @pause of struct mrc_timing at least, then twice as long each time, but no longer than a timeout.
 */
#define MRC_REQ_PAUSES_MAX	16u

/**
 * struct mrc_plan - one packet of a batch
 * @psn: its PSN
 * @msg: free-running index of its request
 * @bytes: nominal ones
 * @ev: EV index
 * @was: a retransmission: the EV that it was sent on before
 */
struct mrc_plan {
	u32 psn;
	u32 msg;
	u32 bytes;
	u16 ev;
	u16 was;
};

/**
 * struct mrc_batch - packets to send now, all of one traffic class
 * @plan: the packets; packet i goes on EV i % @stride
 * @count: elements of @plan
 * @bytes: nominal ones of all, each packet's rounded up as in flight
 * @stride: EVs that the batch is dealt to
 * @rtx: they are retransmissions
 * @any: on EVs that are assumed bad, too: on the others they were sent in vain
 * @apart: each in an skb of its own, see mrc_req_burst()
 * @full: no more fit into the congestion window for now
 * @ask_after: see struct mrc_cc_grant
 * @ask: the last one asks for a SACK: nothing follows for now
 */
struct mrc_batch {
	struct mrc_plan plan[MRC_BATCH_MAX];
	unsigned int count;
	unsigned int stride;
	u32 bytes;
	u32 ask_after;
	bool rtx;
	bool any;
	bool apart;
	bool full;
	bool ask;
};

/**
 * struct mrc_req_wait - a WriteImm waits for a receive of the peer
 * @psn: its last packet
 * @rounds: times that the peer has said so
 * @since: ns, when it did first; 0: none waits
 * @until: ns, before which the peer is not asked
 * @bear: ns, how long that is borne; U64_MAX: for ever
 */
struct mrc_req_wait {
	u32 psn;
	u8 rounds;
	u64 since;
	u64 until;
	u64 bear;
};

/**
 * struct mrc_req - the requester of a QP
 * @sendq: requests
 * @asked_psn: next PSN when a SACK was asked for last
 * @unasked: nominal bytes of packets sent for the first time since then
 * @last_ev: that the newest batch ended with
 * @ack_wait: ns, when the wait for an ACK began that is as long as a timeout; 0: no wait
 * @ack_retries: such waits since all was SACKed and an ACK is missing
 * @pauses: since something was acknowledged
 * @pause_until: ns, nothing goes out before, for somebody had no room; 0: no pause
 * @looked_at: ns, when the timer fired and found nothing to do
 * @gone_at: ns, when to look at what left by ports of this host that have gone; 0: there is nothing
 * @evs_gen: version of the EVs that packets in flight name; 0: none yet
 * @ports_here: bit per port, from bit 0 on: up here, when that was looked at last
 * @ports_up: those of them that were up at the peer, too
 * @wait: for a receive of the peer
 * @reach: the peer's window; @tx lets no more go
 * @tx: packets in flight; at the end, for its own end is large and mostly cold
 */
struct mrc_req {
	struct mrc_sendq sendq;
	u32 asked_psn;
	u32 unasked;
	u16 last_ev;
	u64 ack_wait;
	u64 pause_until;
	u64 looked_at;
	u64 gone_at;
	u32 evs_gen;
	u32 ports_here;
	u32 ports_up;
	u8 ack_retries;
	u8 pauses;
	struct mrc_req_wait wait;
	struct mrc_reach reach;
	struct mrc_tx_window tx;
};

struct mrc_paths;

/**
 * enum mrc_req_due - what the time has come for
 * @MRC_REQ_NOTHING: it has not
 * @MRC_REQ_PROBE: a Reliability Probe
 * @MRC_REQ_GO_ON: a pause is over
 * @MRC_REQ_LOST: packets have timed out
 * @MRC_REQ_FAILED: retries are used up: the QP is at its end
 * @MRC_REQ_GONE: what left by ports that have gone since had its time: it may be lost
 */
enum mrc_req_due {
	MRC_REQ_NOTHING,
	MRC_REQ_PROBE,
	MRC_REQ_GO_ON,
	MRC_REQ_LOST,
	MRC_REQ_FAILED,
	MRC_REQ_GONE,
};

/** mrc_req_mem() - bytes of memory that a requester needs with a window of @size PSNs */
static inline size_t mrc_req_mem(u32 size)
{
	return mrc_tx_window_mem(size);
}

/**
 * mrc_req_start() - start of a connection
 * @r: the requester; the slots of its queue are the caller's
 * @mem: mrc_req_mem() zeroed bytes, aligned as for a record
 * @cfg: limits of the window
 * @psn: the first PSN to send
 */
void mrc_req_start(struct mrc_req *r, void *mem, const struct mrc_tx_cfg *cfg, u32 psn);

/** mrc_req_wants() - would anything go out now, were there room in the congestion window? */
bool mrc_req_wants(const struct mrc_req *r, u64 now);

/**
 * mrc_req_plan() - what goes out now
 * @r: the requester
 * @now: ns
 * @max: packets that whoever sends them takes now, at least 1
 * @g: what congestion control lets go
 * @b: result, but for EVs
 *
 * Lost packets go before new ones, which never leave with them. New ones take their PSNs: what was
 * planned must be dealt, and @b->bytes be told to congestion control (mrc_cc_sent()).
 *
 * Return: false when nothing does.
 */
bool mrc_req_plan(struct mrc_req *r, u64 now, unsigned int max, const struct mrc_cc_grant *g,
		  struct mrc_batch *b);

/**
 * mrc_req_burst() - packets of a batch that may share an skb
 * @b: the batch
 * @burst: packets that one skb can carry, 1 at least
 *
 * Packets that share an skb are lost together, each time where a queue has no room for all of them.
 * So packets that were lost twice, and those that go with them, have an skb each.
 */
static inline unsigned int mrc_req_burst(const struct mrc_batch *b, unsigned int burst)
{
	return b->apart ? 1 : burst;
}

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

/**
 * mrc_req_sync_evs() - the paths that there are now
 * @r: the requester
 * @paths: the paths
 * @gen: of their EVs, not 0: indices of EVs of other versions mean nothing any more
 *
 * To be called before each mrc_req_plan().
 */
void mrc_req_sync_evs(struct mrc_req *r, const struct mrc_paths *paths, u32 gen);

/** mrc_req_planes() - ports with EVs that are up here and at the peer, as @r knows */
u32 mrc_req_planes(const struct mrc_req *r, const struct mrc_paths *paths);

/**
 * mrc_req_heed_ports() - are other ports up, here or at the peer, than before?
 * @r: the requester
 * @paths: the paths, of which only what never changes and the masks of ports are read
 * @gen: of their EVs
 * @now: ns
 * @res: result, if they are: what is in flight on those that are down is lost, or will be in time,
 *       see mrc_tx_lose_evs(), and once one is up so is what was sent while none was
 *
 * Return: true: they are, and mrc_req_timer_at() may be another.
 */
bool mrc_req_heed_ports(struct mrc_req *r, const struct mrc_paths *paths, u32 gen,
			u64 now, struct mrc_tx_result *res);

/** mrc_req_gone() - what is gone of @paths, whose EVs are those that @r knows; @gone: result */
void mrc_req_gone(const struct mrc_req *r, const struct mrc_paths *paths,
		  struct mrc_tx_gone *gone);

/**
 * mrc_req_lose_evs() - the part of mrc_req_heed_ports() that knows no paths
 * @r: the requester
 * @gone: from mrc_req_gone()
 * @now: ns
 * @res: result
 */
void mrc_req_lose_evs(struct mrc_req *r, const struct mrc_tx_gone *gone, u64 now,
		      struct mrc_tx_result *res);

/**
 * mrc_req_unsent() - a packet that was dealt has not left this host: a queue was full, say
 * @r: the requester
 * @psn: its PSN
 * @now: ns
 * @res: result, of which congestion control is told
 *
 * It goes out again after a pause, and says nothing of its EV.
 *
 * Return: false when that has gone on for as long as silence would be borne: the QP is at its end.
 */
bool mrc_req_unsent(struct mrc_req *r, u32 psn, u64 now, struct mrc_tx_result *res);

/**
 * mrc_req_cc_news() - what a call has learned, for mrc_cc_learn()
 * @r: the requester
 * @res: the result of that call
 * @now: ns
 * @n: result
 */
void mrc_req_cc_news(const struct mrc_req *r, const struct mrc_tx_result *res, u64 now,
		     struct mrc_cc_news *n);

/**
 * mrc_req_sack() - a SACK arrived
 * @r: the requester
 * @hdr: a packet with opcode MRC_OP_SACK
 * @now: ns
 * @res: result, what it says
 *
 * Return: 0, or -EINVAL: it names what was never sent; nothing has changed.
 */
int mrc_req_sack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now,
		 struct mrc_tx_result *res);

/** mrc_nack_is_fatal() - does a NACK end the QP? @reason: enum mrc_nack_reason */
static inline bool mrc_nack_is_fatal(u8 reason)
{
	return reason == MRC_NACK_UNEXP_EVENT;
}

/** mrc_nack_is_trim() - has a switch trimmed the packet? Then only its way was busy. */
static inline bool mrc_nack_is_trim(u8 reason)
{
	return reason == MRC_NACK_TRIMMED || reason == MRC_NACK_TRIMMED_LASTHOP;
}

/**
 * mrc_req_nack() - a NACK arrived
 * @r: the requester
 * @hdr: a packet with opcode MRC_OP_NACK
 * @now: ns
 * @res: result, what it says; @res->expired: the peer has refused packets for too long;
 *       @res->no_receive: so it has a WriteImm
 *
 * Unless the packet was trimmed, which is the network's doing, the peer is given a pause. One that
 * was beyond its window (reach.h) needs none: what is in flight beyond that is put back with it,
 * and goes out again when the window has moved.
 *
 * Return: 0; -EALREADY: it is of a packet that is not in flight; -EINVAL: it names what was never
 * sent, or is fatal and names no request that is not complete.
 */
int mrc_req_nack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now,
		 struct mrc_tx_result *res);

/**
 * mrc_req_ack() - a transport ACK or NAK arrived
 * @r: the requester
 * @hdr: a packet with opcode MRC_OP_ACK
 * @now: ns
 * @psn: result: all up to it was executed
 * @res: result, what it says
 *
 * The caller ends the requests that are complete, see mrc_sendq_done(), and then calls
 * mrc_req_settle(). After a NAK, the oldest that is left has failed.
 *
 * Return: 0, or -EINVAL: it names what was never sent, it is neither (MRC has no RNR NAK), or a NAK
 * that names no request that is not complete.
 */
int mrc_req_ack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now, u32 *psn,
		struct mrc_tx_result *res);

/**
 * enum mrc_req_verdict - what a NACK, ACK or NAK means for the QP
 * @MRC_REQ_GOES_ON: it goes on
 * @MRC_REQ_BAD_ANSWER: so it does, and the answer is dropped: a bug or an attack
 * @MRC_REQ_UNEXPECTED: it ends: the peer reports an unexpected event
 * @MRC_REQ_REFUSED: the peer has refused packets for as long as silence would have been borne
 * @MRC_REQ_NO_RECEIVE: the peer has had no receive for the oldest request for as long as is borne
 * @MRC_REQ_NO_ACCESS: the oldest request that is left may not write there
 * @MRC_REQ_INVALID: it is none that the peer can execute
 * @MRC_REQ_PEER_FAILED: the peer could not execute it
 */
enum mrc_req_verdict {
	MRC_REQ_GOES_ON,
	MRC_REQ_BAD_ANSWER,
	MRC_REQ_UNEXPECTED,
	MRC_REQ_REFUSED,
	MRC_REQ_NO_RECEIVE,
	MRC_REQ_NO_ACCESS,
	MRC_REQ_INVALID,
	MRC_REQ_PEER_FAILED,
};

/**
 * mrc_req_judge() - what an answer that was digested means for the QP
 * @hdr: a packet with opcode MRC_OP_NACK or MRC_OP_ACK
 * @err: what mrc_req_nack() or mrc_req_ack() returned; -EINVAL also for a QP that sends nothing
 *       yet, or no more
 * @res: its result
 */
enum mrc_req_verdict mrc_req_judge(const struct mrc_hdr *hdr, int err,
				   const struct mrc_tx_result *res);

/** mrc_req_settle() - requests may have ended: is there an ACK to wait for? */
void mrc_req_settle(struct mrc_req *r, u64 now);

/**
 * mrc_req_news() - what a call has learned, for mrc_paths_learn()
 * @r: the requester
 * @res: the result of that call, which is consumed
 * @now: ns
 * @n: result
 *
 * To be called until it returns false: there is nothing more. Indices are those of the EVs that
 * @r->evs_gen names.
 */
bool mrc_req_news(struct mrc_req *r, struct mrc_tx_result *res, u64 now,
		  struct mrc_news *n);

/**
 * mrc_req_heed_state() - what the paths have made of news of an EV
 * @r: the requester
 * @paths: the paths, which have learned the news
 * @n: of one EV, any index
 * @silent: result: they hold the EV to be bad, so what is late on it is lost with the next SACK
 *
 * Return: false: nothing is late on the EV, and @silent is not set.
 */
bool mrc_req_heed_state(struct mrc_req *r, const struct mrc_paths *paths,
			const struct mrc_news_ev *n, bool *silent);

/**
 * mrc_req_next_silent() - an EV on which something is late, and which the paths hold to be bad
 * since
 * @r: the requester
 * @paths: the paths, whose EVs are those that @r knows; only states are read, without their lock
 *
 * By a probe, or for another QP. What is late on it is lost with the next SACK, for which
 * mrc_req_probe_now() asks.
 *
 * Return: its index; MRC_EV_NONE: there is none more.
 */
u16 mrc_req_next_silent(struct mrc_req *r, const struct mrc_paths *paths);

/**
 * mrc_req_timer_at() - when to call mrc_req_timer() next
 * @r: the requester
 * @now: ns
 *
 * Return: ns of the same clock, or 0: there is nothing to wait for. While data flows a timer mostly
 * finds nothing, so one that is set already may be left alone.
 */
u64 mrc_req_timer_at(const struct mrc_req *r, u64 now);

/**
 * mrc_req_timer() - time has passed
 * @r: the requester
 * @now: ns
 * @res: result, what that says
 *
 * Return: what to do: MRC_REQ_PROBE: mrc_req_put_probe(); lost packets are planned next.
 */
enum mrc_req_due mrc_req_timer(struct mrc_req *r, u64 now,
			       struct mrc_tx_result *res);

/**
 * mrc_req_probe_now() - a Reliability Probe leaves before one is due: what is in flight may be lost
 * @r: the requester
 * @now: ns, not 0
 *
 * Return: whether mrc_req_put_probe() has one; false: nothing is in flight.
 */
bool mrc_req_probe_now(struct mrc_req *r, u64 now);

/** mrc_req_put_probe() - the Reliability Probe that was named last; @a: initialised */
void mrc_req_put_probe(const struct mrc_req *r, struct mrc_answers *a);

#endif /* _MRC_CORE_REQUESTER_H */
