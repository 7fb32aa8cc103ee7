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
 * A peer that has no receive for a SEND takes none of its packets. It says so by a NACK NO_RESOURCE
 * for one of them. Then this SEND and all later ones wait, and no packet of them goes out again and
 * again. The peer's ACKs tell how many receives are posted, and so many SENDs go on. The peer sends
 * such an ACK by itself when a receive is posted; in case that ACK is lost, Reliability Probes ask
 * now and then. The limit is lifted when there are receives for all requests in the queue.
 *
 * Responses to READs and atomics of the peer are messages, too. They have a queue of their own, and
 * take turns with the requests. While a request waits for a receive of the peer, they go on, as far
 * as the peer's window reaches. Only behind a request that was begun, and of which some packets
 * were never sent, they wait.
 *
 * A transport ACK ends a request; a READ or atomic also needs its response. While the oldest
 * request waits for its response, Reliability Probes ask now and then whether the peer is there. If
 * all packets are SACKed and the ACK is missing, Reliability Probes ask for it, at the same intervals as for a
 * missing SACK. When as many timeouts have passed as a packet has retries, the QP ends in error.
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

/* The most packets planned at a time. */
#define MRC_BATCH_MAX	64u
/*
 * When the peer or a queue of this host has no room for packets, the requester pauses for a round
 * trip, but at least for @pause of struct mrc_timing. Each further pause is twice as long, up to a
 * timeout. This bounds the number of doublings.
 */
#define MRC_REQ_PAUSES_MAX	16u
/*
 * PSNs from the oldest message that is not complete to the newest packet. They are compared as
 * serial numbers, which 2^23 or more PSNs apart mean nothing.
 */
#define MRC_REQ_SPAN_MAX	0x7f0000
/* Receives beyond this do not matter: no queue of requests is so long. RQMSNs can be compared. */
#define MRC_REQ_CREDITS_MAX	0x3fffu

/**
 * struct mrc_plan - one packet of a batch
 * @psn: its PSN
 * @msg: free-running index of its message
 * @bytes: its nominal bytes
 * @ev: index of its EV
 * @was: for a retransmission: index of the EV on which it was sent before
 * @response: @msg is an index of the queue of responses
 */
struct mrc_plan {
	u32 psn;
	u32 msg;
	u16 bytes;
	u16 ev;
	u16 was;
	bool response;
};

/**
 * struct mrc_batch - packets to send now, all of one traffic class
 * @plan: the packets; packet i goes on EV i % @stride
 * @count: elements of @plan
 * @bytes: nominal bytes of all packets, rounded up for each packet as for those in flight
 * @stride: EVs that the batch is dealt to
 * @rtx: the packets are retransmissions
 * @any: they may take ASSUMED_BAD EVs, too, because on other EVs they were sent in vain
 * @apart: each packet has an skb of its own, see mrc_req_burst()
 * @full: no more packets fit into the congestion window for now
 * @ask_after: see struct mrc_cc_grant
 * @ask: the last packet asks for a SACK, because nothing follows for now
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
 * struct mrc_req_wait - the oldest request waits for a receive of the peer
 * @psn: PSN of the last packet of a WriteImm, of the first packet of a SEND
 * @rounds: how often the peer has said so
 * @since: ns, when the peer said so first; 0: none waits
 * @until: ns, the peer is not asked before
 * @bear: ns, longest wait that is tolerated; U64_MAX: for ever
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
 * @rspq: responses
 * @next_msn: number of the next message that is begun
 * @rsp_turn: the next message that is begun is a response, if there is one
 * @acked_psn: everything up to this PSN was executed
 * @answer_until: ns, the peer is not asked before while the oldest request waits for its response
 * @answer_rounds: how often it was asked since a response arrived
 * @asked_psn: next new PSN when a SACK was asked for last
 * @unasked: nominal bytes of packets sent for the first time since then
 * @last_ev: EV with which the newest batch ended
 * @ack_wait: ns, when the current wait for an ACK began, which is as long as a timeout; 0: no wait
 * @ack_retries: such waits since all was SACKed and only an ACK was missing
 * @pauses: pauses since something was acknowledged
 * @pause_until: ns, nothing goes out before, because there was no room; 0: no pause
 * @looked_at: ns, when the timer fired last and found nothing to do
 * @gone_at: ns, when to call mrc_tx_lose_gone(); 0: there is nothing to lose
 * @evs_gen: version of the EVs that packets in flight name; 0: none yet
 * @ports_here: bit per port, from bit 0 on: ports that are up here, as seen last
 * @ports_up: ports that are up here and at the peer, as seen last
 * @wait: a request that waits for a receive of the peer
 * @stop_psn: first PSN of the SENDs that wait, valid with @stops
 * @stops: SENDs that were begun wait for receives: of requests, nothing goes out from @stop_psn on
 * @reach: the peer's window, which limits @tx
 * @tx: packets in flight. It is the last member, because its own end is large and mostly cold
 */
struct mrc_req {
	struct mrc_sendq sendq;
	struct mrc_sendq rspq;
	u16 next_msn;
	bool rsp_turn;
	u8 answer_rounds;
	u32 acked_psn;
	u64 answer_until;
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
	bool stops;
	u32 stop_psn;
	struct mrc_req_wait wait;
	struct mrc_reach reach;
	struct mrc_tx_window tx;
};

struct mrc_paths;

/**
 * enum mrc_req_due - what is due
 * @MRC_REQ_NOTHING: nothing is due
 * @MRC_REQ_PROBE: a Reliability Probe is to be sent
 * @MRC_REQ_GO_ON: a pause is over
 * @MRC_REQ_LOST: packets have timed out
 * @MRC_REQ_FAILED: retries are used up: the QP ends in error
 * @MRC_REQ_GONE: the time of packets that left by ports which went later is over; some may be lost
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
 * @r: the requester; its queues are the caller's to start, see mrc_sendq_start()
 * @mem: mrc_req_mem() zeroed bytes, aligned as for a record
 * @cfg: limits of the window
 * @psn: the first PSN to send
 */
void mrc_req_start(struct mrc_req *r, void *mem, const struct mrc_tx_cfg *cfg, u32 psn);

/** mrc_req_queue_of() - the queue of a packet's message */
static inline struct mrc_sendq *mrc_req_queue_of(struct mrc_req *r, const struct mrc_plan *p)
{
	return p->response ? &r->rspq : &r->sendq;
}

/** mrc_req_wants() - would anything go out now if the congestion window had room? */
bool mrc_req_wants(const struct mrc_req *r, u64 now);

/**
 * mrc_req_plan() - plan the packets that go out now
 * @r: the requester
 * @now: ns
 * @max: packets that the sender takes now, at least 1
 * @g: what congestion control allows
 * @b: result, except EVs
 *
 * Lost packets go before new ones, and never in the same batch. New packets take their PSNs here.
 * So a planned batch must be dealt, and @b->bytes be reported to congestion control
 * (mrc_cc_sent()).
 *
 * Return: false when nothing goes out.
 */
bool mrc_req_plan(struct mrc_req *r, u64 now, unsigned int max, const struct mrc_cc_grant *g,
		  struct mrc_batch *b);

/**
 * mrc_req_burst() - packets of a batch that may share an skb
 * @b: the batch
 * @burst: packets that one skb can carry, 1 at least
 *
 * Packets that share an skb are lost together, again and again where a queue has no room for all of
 * them. So when a packet of the batch was lost twice, each packet of the batch has an skb of its
 * own.
 */
static inline unsigned int mrc_req_burst(const struct mrc_batch *b, unsigned int burst)
{
	return b->apart ? 1 : burst;
}

/**
 * mrc_req_stride() - to how many EVs a batch is dealt: enough for bursts of the wanted size
 * @b: the batch
 * @burst: packets that one skb can carry, 1 at least
 * @good: EVs that may carry data
 * @bad: EVs that are ASSUMED_BAD
 *
 * Return: at least 1, at most @b->count.
 */
unsigned int mrc_req_stride(const struct mrc_batch *b, unsigned int burst,
			    unsigned int good, unsigned int bad);

/**
 * mrc_req_deal() - packets of a batch go out on EVs
 * @r: the requester
 * @b: planned just now
 * @ev: @stride indices of EVs. MRC_EV_NONE: there is no path; its packets count as sent all the
 *      same, and their retries decide how long to wait for a path
 * @stride: from mrc_req_stride()
 * @now: ns
 */
void mrc_req_deal(struct mrc_req *r, struct mrc_batch *b, const u16 *ev,
		  unsigned int stride, u64 now);

/**
 * mrc_req_sync_evs() - note which version of the peer's EVs is in use
 * @r: the requester
 * @paths: the paths
 * @gen: version of their EVs, not 0; indices of other versions mean nothing any more
 *
 * To be called before each mrc_req_plan().
 */
void mrc_req_sync_evs(struct mrc_req *r, const struct mrc_paths *paths, u32 gen);

/** mrc_req_planes() - how many ports with EVs are up here and at the peer, as @r saw last */
u32 mrc_req_planes(const struct mrc_req *r, const struct mrc_paths *paths);

/**
 * mrc_req_heed_ports() - has the set of ports that are up changed, here or at the peer?
 * @r: the requester
 * @paths: the paths; only constant fields and the masks of ports are read
 * @gen: version of their EVs
 * @now: ns
 * @res: result, if the set has changed. Packets in flight on ports that are down are lost, now or
 *       after a time, see mrc_tx_lose_evs(). If a port is up, packets that were sent while none was
 *       up are lost, too
 *
 * Return: true: the set has changed, and mrc_req_timer_at() may have changed.
 */
bool mrc_req_heed_ports(struct mrc_req *r, const struct mrc_paths *paths, u32 gen,
			u64 now, struct mrc_tx_result *res);

/** mrc_req_gone() - which of @paths are gone; their EVs are those of @r->evs_gen; @gone: result */
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
 * @res: result, for mrc_req_cc_news()
 *
 * It goes out again after a pause, and says nothing of its EV.
 *
 * Return: false when this has gone on for as long as silence would be tolerated: the QP ends in
 * error.
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
 * Return: 0, or -EINVAL: it names a PSN that was never sent; nothing has changed.
 */
int mrc_req_sack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now,
		 struct mrc_tx_result *res);

/** mrc_nack_is_fatal() - does a NACK end the QP? @reason: enum mrc_nack_reason */
static inline bool mrc_nack_is_fatal(u8 reason)
{
	return reason == MRC_NACK_UNEXP_EVENT;
}

/** mrc_nack_is_trim() - has a switch trimmed the packet? Then its path was busy, not the peer. */
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
 *       @res->no_receive: the peer has had no receive for the oldest request for too long
 *
 * A NACK leads to a pause, with three exceptions. A trimmed packet was refused by the network, not
 * by the peer. A packet beyond the peer's window (reach.h) needs no pause: it is put back, with all
 * that is in flight beyond the window, and goes out again when the window has moved. A SEND without
 * a receive is put back with all later SENDs, and waits for the receive.
 *
 * Return: 0; -EALREADY: its packet is not in flight, but @res->lost others may have been put back;
 * -EINVAL: it names a PSN that was never sent, or it is fatal and its PSN belongs to no incomplete
 * request.
 */
int mrc_req_nack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now,
		 struct mrc_tx_result *res);

/**
 * mrc_req_ack() - a transport ACK or NAK arrived
 * @r: the requester
 * @hdr: a packet with opcode MRC_OP_ACK
 * @now: ns
 * @psn: result: everything up to this PSN was executed
 * @res: result, what it says; @res->no_receive as for mrc_req_nack()
 *
 * The caller ends the requests that are complete, see mrc_sendq_done(), and then calls
 * mrc_req_settle(). After a NAK, the oldest request that is left has failed.
 *
 * Return: 0, or -EINVAL: it names a PSN that was never sent, it is neither ACK nor NAK (MRC has no
 * RNR NAK), or it is a NAK whose PSN belongs to no incomplete request.
 */
int mrc_req_ack(struct mrc_req *r, const struct mrc_hdr *hdr, u64 now, u32 *psn,
		struct mrc_tx_result *res);

/**
 * enum mrc_req_verdict - what a NACK, ACK or NAK means for the QP
 * @MRC_REQ_GOES_ON: the QP goes on
 * @MRC_REQ_BAD_ANSWER: the QP goes on, and the answer is dropped: a bug or an attack
 * @MRC_REQ_UNEXPECTED: the peer reports an unexpected event; with this and all that follow the QP
 *                      ends in error
 * @MRC_REQ_REFUSED: the peer has refused packets for as long as silence would have been tolerated
 * @MRC_REQ_NO_RECEIVE: the peer has had no receive for the oldest request for too long
 * @MRC_REQ_NO_ACCESS: the oldest request that is left may not write to its address
 * @MRC_REQ_INVALID: the oldest request that is left is none that the peer can execute
 * @MRC_REQ_PEER_FAILED: the peer could not execute the oldest request that is left
 * @MRC_REQ_UNWANTED: the peer refuses a response
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
	MRC_REQ_UNWANTED,
};

/**
 * mrc_req_judge() - what an answer means for the QP, after it was digested
 * @hdr: a packet with opcode MRC_OP_NACK or MRC_OP_ACK
 * @err: what mrc_req_nack() or mrc_req_ack() returned; -EINVAL also for a QP that does not send
 *       yet, or does not send any more
 * @res: its result
 */
enum mrc_req_verdict mrc_req_judge(const struct mrc_hdr *hdr, int err,
				   const struct mrc_tx_result *res);

/**
 * mrc_req_answered() - the response to a READ or atomic has arrived
 * @r: the requester
 * @index: of the request, in @r->sendq
 *
 * The caller then ends the requests that are complete up to @r->acked_psn, see mrc_sendq_done(),
 * and calls mrc_req_settle().
 */
void mrc_req_answered(struct mrc_req *r, u32 index);

/**
 * mrc_req_response_done() - the oldest response, if all of it has arrived at the peer
 *
 * Return: the response, or NULL. To be called until the result is NULL, with mrc_sendq_end() of
 * @r->rspq after each call.
 */
struct mrc_msg *mrc_req_response_done(const struct mrc_req *r);

/** mrc_req_settle() - requests may have ended: begin or end the wait for an ACK */
void mrc_req_settle(struct mrc_req *r, u64 now);

/**
 * mrc_req_news() - what a call has learned, for mrc_paths_learn()
 * @r: the requester
 * @res: the result of that call, which is consumed
 * @now: ns
 * @n: result
 *
 * To be called until it returns false: then there is no more news. Indices are those of the EVs of
 * version @r->evs_gen.
 */
bool mrc_req_news(struct mrc_req *r, struct mrc_tx_result *res, u64 now,
		  struct mrc_news *n);

/**
 * mrc_req_heed_state() - note what state the paths gave an EV after news of it
 * @r: the requester
 * @paths: the paths, which have learned the news
 * @n: the news of one EV, any index
 * @silent: result: the EV is bad, so packets that are late on it are lost with the next SACK
 *
 * Return: false: nothing is late on the EV, and @silent is not set.
 */
bool mrc_req_heed_state(struct mrc_req *r, const struct mrc_paths *paths,
			const struct mrc_news_ev *n, bool *silent);

/**
 * mrc_req_next_silent() - find an EV on which something is late and which has become bad since
 * @r: the requester
 * @paths: the paths, whose EVs are those of @r->evs_gen; only states are read, without their lock
 *
 * A probe, or news of another QP, has made the EV bad. Packets that are late on it are lost with
 * the next SACK; mrc_req_probe_now() asks for that SACK.
 *
 * Return: index of the EV; MRC_EV_NONE: there is no further one.
 */
u16 mrc_req_next_silent(struct mrc_req *r, const struct mrc_paths *paths);

/**
 * mrc_req_timer_at() - when to call mrc_req_timer() next
 * @r: the requester
 * @now: ns
 *
 * Return: ns of the same clock, or 0: there is nothing to wait for. While data flows a timer mostly
 * finds nothing, so a timer that is set already may be left alone.
 */
u64 mrc_req_timer_at(const struct mrc_req *r, u64 now);

/**
 * mrc_req_timer() - time has passed
 * @r: the requester
 * @now: ns
 * @res: result, what was learned by that
 *
 * Return: what is due. After MRC_REQ_PROBE call mrc_req_put_probe(). Lost packets go into the next
 * plan.
 */
enum mrc_req_due mrc_req_timer(struct mrc_req *r, u64 now,
			       struct mrc_tx_result *res);

/**
 * mrc_req_probe_now() - a Reliability Probe leaves before its time: packets in flight may be lost,
 * or packets that are held to be lost may have arrived
 * @r: the requester
 * @now: ns, not 0
 *
 * Return: true: call mrc_req_put_probe(); false: no probe, because all that was sent is acknowledged.
 */
bool mrc_req_probe_now(struct mrc_req *r, u64 now);

/** mrc_req_put_probe() - put the newest Reliability Probe into @a, which is initialised */
void mrc_req_put_probe(const struct mrc_req *r, struct mrc_answers *a);

#endif /* _MRC_CORE_REQUESTER_H */
