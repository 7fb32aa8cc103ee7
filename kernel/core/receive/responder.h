/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The responder of a QP decides which packets are taken and which are refused, which messages are
 * complete, and which answers the other end gets. It joins the window of packets with the transport
 * ACK. The caller places the payload and tells the program. The caller serialises all calls on one
 * responder, but may place payload at the same time.
 *
 * A write packet takes three steps, for placing payload takes time:
 *  1. mrc_resp_claim() says whether it is new;
 *  2. the caller checks it (mrc_resp_fits(), key, range) and copies its payload to its place;
 *  3. mrc_resp_commit() accounts for it, or notes that it is refused.
 *
 * Then the caller takes the messages that are complete in order, by mrc_resp_next_done(), and
 * mrc_resp_answer() says what goes back. This is done once for all packets that arrived together,
 * after the last of them. Peers can see that: such an aggregate gets one answer, whose SACK covers
 * all of it. The SACK echoes the latest packet as its trigger, or the latest one with a CE mark.
 *
 * A WriteImm for which the program has posted no receive waits for one (mrc_resp_wait()), and so
 * does every message behind it: packets are still taken, as far as the window reaches beyond the
 * WriteImm, but no message completes. MRC has no RNR NAK. The other end learns of the wait by a
 * NACK NO_RESOURCE for a packet that SACKs have acknowledged already. A peer that does not know
 * this use of the NACK ignores it.
 *
 * The payload of a SEND goes to the receive that its number names (mrc_resp_receive()), in whatever
 * order packets arrive. If that receive is not posted yet, the packet is refused with a NACK
 * NO_RESOURCE, and counts as never seen (mrc_resp_starve()). To a peer that has sent a SEND, ACKs
 * tell how many receives are posted; when the peer was told that there is none for it, an ACK
 * follows as soon as a receive is posted (mrc_resp_resume()).
 *
 * A READ or atomic of the peer takes effect in order, too (mrc_resp_fetch()). What it has read
 * goes back as a message of this QP, which the requester sends (sendq.h). A NAK waits until the
 * responses to all requests before it have arrived. The response to a READ or atomic of this end is
 * a message of the peer. Its payload goes to the memory that the request named, in whatever order
 * packets arrive (mrc_reads_find()), and mrc_reads_take() says when it has arrived.
 */
#ifndef _MRC_CORE_RESPONDER_H
#define _MRC_CORE_RESPONDER_H

#include "../wire/answers.h"
#include "../base/base.h"
#include "../base/gate.h"
#include "fetches.h"
#include "last_words.h"
#include "reads.h"
#include "rx_window.h"
#include "../wire/wire.h"

/* SACKs in one answer that repeat old news, in case earlier SACKs were lost. */
#define MRC_RESP_SACKS_AGAIN	2u

/* NACKs per second that a QP sends; MRC_GATE_BURST at once. Packets beyond that get no answer. */
#define MRC_RESP_NACK_RATE	1000u
/* The same for trimmed packets. Each should get a NACK, so this limit only protects this host. */
#define MRC_RESP_TRIM_RATE	1000000u
/* The same for trimmed packets of all QPs of a host, so that one QP cannot use up the limit. */
#define MRC_RESP_TRIM_RATE_ALL	(2 * MRC_RESP_TRIM_RATE)

/**
 * struct mrc_resp_cfg - limits of a connection
 * @size: PSNs that are accepted beyond the cumulative one: see mrc_rx_window_mem()
 * @imm_max: messages that take a receive and may be in flight
 * @mtu: payload bytes of a packet
 * @sack_bytes: SACK threshold, see rx_window.h; limited to a quarter of the window
 */
struct mrc_resp_cfg {
	u32 size;
	u32 imm_max;
	u32 mtu;
	u32 sack_bytes;
};

/**
 * enum mrc_resp_wait - does the message that was handed out last wait for a receive?
 * @MRC_RESP_NO_WAIT: it has a receive, or needs none
 * @MRC_RESP_WAITS: it has no receive, and nothing more is handed out
 * @MRC_RESP_RESUMED: there may be a receive now: the message is handed out again next
 * @MRC_RESP_RETRIED: the message was handed out again
 */
enum mrc_resp_wait {
	MRC_RESP_NO_WAIT,
	MRC_RESP_WAITS,
	MRC_RESP_RESUMED,
	MRC_RESP_RETRIED,
};

/**
 * struct mrc_resp - the responder of a QP
 * @rx: packets that have arrived
 * @mtu: payload bytes of a packet
 * @acked_msn: messages that the newest ACK acknowledged
 * @nak_psn: first packet that may not be executed; valid if @nak_syndrome is not 0
 * @nak_syndrome: why it may not be executed, 0: there is no such packet
 * @nak_stands: a packet that may not be executed counts as arrived: the QP will end with a NAK
 * @halts: for that reason no further message is handed out
 * @first_msn: number of the first message, valid with @numbered
 * @nack: the newest NACK that is to leave with the next answer, valid with @nack_due
 * @nack_gate: limits NACKs
 * @trim_gate: limits NACKs for trimmed packets
 * @waiter: the message that waits for a receive
 * @wait: enum mrc_resp_wait
 * @wait_untold: the peer has not been told that @waiter waits
 * @next_rqmsn: number of the next message that takes a receive, valid with @imm_numbered
 * @reack: the peer may not know which messages are complete: send the ACK again
 * @refused: the NAK has been sent: nothing is taken any more
 * @nack_due: there is a @nack
 * @numbered: the first packet has told @first_msn
 * @imm_numbered: the first message that takes a receive has told @next_rqmsn
 * @sends: the peer has sent a SEND
 * @no_receive_due: there is a @no_receive
 * @starved: the peer was told that there is no receive for its next SEND
 * @no_receive: the newest NACK for a SEND packet that had no receive; without a reason: none
 * @receives: receives that are posted, see mrc_resp_posted()
 * @answering: READs and atomics of the peer that were executed, and whose responses the peer may
 *             not have
 * @responses: messages that are responses to this end, and were not handed out yet
 * @fetches: READs and atomics of the peer
 * @reads: those of this end
 */
struct mrc_resp {
	struct mrc_rx_window rx;
	u32 mtu;
	u32 acked_msn;
	u32 nak_psn;
	struct mrc_nack nack;
	struct mrc_gate nack_gate;
	struct mrc_gate trim_gate;
	struct mrc_rx_done waiter;
	u8 wait;
	bool wait_untold;
	u16 first_msn;
	u16 next_rqmsn;
	u8 nak_syndrome;
	bool nak_stands;
	bool halts;
	bool reack;
	bool refused;
	bool nack_due;
	bool numbered;
	bool imm_numbered;
	bool sends;
	bool no_receive_due;
	bool starved;
	struct mrc_nack no_receive;
	u32 receives;
	u32 answering;
	u32 responses;
	struct mrc_fetches fetches;
	struct mrc_reads reads;
};

/**
 * mrc_resp_start() - start of a connection
 * @q: the responder
 * @mem: mrc_rx_window_mem(@cfg->size, @cfg->imm_max) zeroed bytes
 * @cfg: limits
 * @psn: the first PSN expected
 */
void mrc_resp_start(struct mrc_resp *q, void *mem,
		    const struct mrc_resp_cfg *cfg, u32 psn);

/**
 * mrc_resp_arrival() - fill in what the window must know of a write packet
 * @hdr: the packet
 * @payload: its payload bytes
 * @ev: EV bits of the packet
 * @ce: the packet arrived CE-marked
 * @a: result
 */
void mrc_resp_arrival(const struct mrc_hdr *hdr, u32 payload, u32 ev, bool ce,
		      struct mrc_rx_arrival *a);

/**
 * mrc_resp_claim() - a write packet has arrived: is it to be placed?
 * @q: the responder
 * @a: the packet
 *
 * A duplicate is answered with a SACK, and with the ACK of complete messages, because either may
 * have been lost. Packets outside the window that arrive together get one NACK, see
 * mrc_resp_answer().
 *
 * Return: MRC_RX_NEW: place the packet, then call mrc_resp_commit(). With the other verdicts, drop
 * it. After a NAK the verdict is always MRC_RX_OOR.
 */
enum mrc_rx_verdict mrc_resp_claim(struct mrc_resp *q,
				   const struct mrc_rx_arrival *a);

/**
 * mrc_resp_receive() - the receive of a SEND packet that was claimed
 * @q: the responder
 * @a: the packet
 *
 * Return: how many posted receives come before it; -EINVAL: the packet contradicts other packets of
 * its message, or more SENDs are open than agreed.
 */
int mrc_resp_receive(struct mrc_resp *q, const struct mrc_rx_arrival *a);

/**
 * mrc_resp_starve() - the receive of a SEND packet that was claimed is not posted
 * @q: the responder
 * @a: the packet, which counts as never seen
 *
 * Packets that arrive together get one NACK, for the oldest one. Return: true: this is the first of
 * them.
 */
bool mrc_resp_starve(struct mrc_resp *q, const struct mrc_rx_arrival *a);

/**
 * mrc_resp_posted() - how many receives are posted that no message has taken
 *
 * Other QPs may take receives of an SRQ before the peer's messages come: these are refused then.
 *
 * To be called before mrc_resp_answer(), mrc_resp_probe() and mrc_resp_trimmed(), if @q->sends.
 */
static inline void mrc_resp_posted(struct mrc_resp *q, u32 receives)
{
	q->receives = receives;
}

/**
 * mrc_resp_trimmed() - the head of a write packet has arrived: a switch had no room for all of it
 * @q: the responder
 * @bth: what is left of the packet; no other header is believed, because the ICRC is gone
 * @ev: EV bits of the packet
 * @lasthop: the switch was the last one: no other path would have been better
 * @all: limits NACKs for trims of all QPs of this host, guarded by the caller; NULL: no limit
 * @now: ns
 * @a: result, empty before: a NACK, with SACKs if the packet asked for one; for a duplicate SACKs
 *     and the ACK
 *
 * The packet does not count as received.
 *
 * Return: false: there is no answer, because the packet is outside the window, or too many came.
 */
bool mrc_resp_trimmed(struct mrc_resp *q, const struct mrc_bth *bth, u32 ev, bool lasthop,
		      struct mrc_gate *all, u64 now, struct mrc_answers *a);

/**
 * mrc_resp_fits() - does a packet have the length that it must have?
 * @q: the responder; only fields that mrc_resp_start() has set are read
 * @a: the packet
 *
 * All packets of a message are full, except the last one. The last one is empty only if the message
 * is empty. No packet is longer than its message, and a SEND packet lies where its place in the
 * message can be.
 */
bool mrc_resp_fits(const struct mrc_resp *q, const struct mrc_rx_arrival *a);

/**
 * mrc_resp_commit() - a packet that was claimed has been placed, or may not be
 * @q: the responder
 * @a: the packet
 * @syndrome: 0, or the syndrome of the NAK with which the packet is refused
 *
 * A packet that may not be executed does not count as arrived, so the cumulative PSN stops before
 * it. The NAK goes out when the cumulative PSN gets there, after everything that was sent earlier.
 * Only the oldest such packet matters. The refusal is forgotten when another copy of the packet can
 * be executed. But while a NAK would have to wait, such a packet counts as arrived: else the peer
 * would send it again and again, and hold its paths to be at fault. From then on no refusal is
 * forgotten, whatever copies come, and no message from the refused packet on is handed out.
 *
 * A packet whose message has an impossible number is refused, too: the n-th packet after the last
 * complete message belongs at most to the n-th message after it.
 */
void mrc_resp_commit(struct mrc_resp *q, const struct mrc_rx_arrival *a,
		     u8 syndrome);

/**
 * mrc_resp_next_done() - hand out the next message that is complete in order
 * @q: the responder
 * @done: result
 *
 * A message is refused, and not handed out, if its packets have different message numbers, or not
 * the next number. A message that takes a receive is refused, too, if its RQMSN is not the next
 * one, or if its packets together are not as long as it says; its completion reports that length.
 * So is a WriteImm if a packet of a SEND has named its receive.
 *
 * Return: false when there is no such message, or when it is refused.
 */
bool mrc_resp_next_done(struct mrc_resp *q, struct mrc_rx_done *done);

/**
 * mrc_resp_refuse_done() - refuse the message that was handed out last
 * @q: the responder
 * @done: that message: a WriteImm or SEND for which there will be no receive, or a READ or atomic
 * @syndrome: why
 */
void mrc_resp_refuse_done(struct mrc_resp *q, const struct mrc_rx_done *done, u8 syndrome);

/**
 * mrc_resp_fetch() - is the message that was handed out last a READ or atomic?
 * @q: the responder
 * @done: that message
 *
 * The caller executes it, and then calls mrc_resp_executed(), or mrc_resp_refuse_done().
 *
 * Return: NULL: it is not.
 */
static inline struct mrc_fetch *mrc_resp_fetch(struct mrc_resp *q, const struct mrc_rx_done *done)
{
	return mrc_fetches_due(&q->fetches, done->psn);
}

/**
 * mrc_resp_response() - is the message that was handed out last a response to this end?
 *
 * For counters: when several messages are complete, the answers may be interchanged.
 */
bool mrc_resp_response(struct mrc_resp *q);

/** mrc_resp_executed() - what mrc_resp_fetch() returned was executed: its response is due */
static inline void mrc_resp_executed(struct mrc_resp *q)
{
	mrc_fetches_executed(&q->fetches);
	q->answering++;
}

/** mrc_resp_answered() - responses have arrived. Return: true: a NAK waited for that, and is due */
bool mrc_resp_answered(struct mrc_resp *q, u32 responses);

/**
 * mrc_resp_wait() - the message that was handed out last has no receive yet
 * @q: the responder
 * @done: that message: a WriteImm
 *
 * Nothing is handed out any more until mrc_resp_resume() is called.
 *
 * Return: true: the wait begins now; false: the message has waited before.
 */
bool mrc_resp_wait(struct mrc_resp *q, const struct mrc_rx_done *done);

/**
 * mrc_resp_resume() - receives were posted
 *
 * Return: true: an answer is due. A message waited, and mrc_resp_next_done() hands it out again, or
 * the peer waits to hear of receives.
 */
bool mrc_resp_resume(struct mrc_resp *q);

/**
 * mrc_resp_answer() - answer packets, after complete messages have been handed out
 * @q: the responder
 * @now: ns
 * @a: the answers, to which these are added: SACKs, if they are due, or if an ACK goes out with
 *     which they cost nothing; a NACK for the newest packet outside the window, if the rate of
 *     NACKs allows it; an ACK, if messages are complete that no ACK has told, or a duplicate came;
 *     behind it a NACK, if a message waits for a receive; or instead of the ACK the NAK
 *
 * Return: the syndrome of the NAK, with which the QP ends, or 0.
 */
u8 mrc_resp_answer(struct mrc_resp *q, u64 now, struct mrc_answers *a);

/**
 * mrc_resp_probe() - a Reliability Probe has arrived
 * @q: the responder
 * @probe: the probe
 * @ev: EV bits of the probe
 * @ce: the probe arrived CE-marked
 * @a: result, empty before: the NACK for a SEND that still has no receive; SACKs for as much of the
 *     window as fits, the ACK of complete messages, and a NACK, if a message waits for a receive
 */
void mrc_resp_probe(struct mrc_resp *q, const struct mrc_probe *probe, u32 ev,
		    bool ce, struct mrc_answers *a);

/**
 * mrc_resp_timer_at() - when to call mrc_resp_timer() next
 *
 * Return: ns, or 0: SACKs have told everything. While data flows a timer mostly finds nothing, so a
 * timer that is set already may be left alone.
 */
u64 mrc_resp_timer_at(const struct mrc_resp *q);

/**
 * mrc_resp_timer() - time has passed
 * @q: the responder
 * @now: ns
 * @a: result, empty before: SACKs that are due though no packet has come
 */
void mrc_resp_timer(struct mrc_resp *q, u64 now, struct mrc_answers *a);

/** mrc_resp_last_words() - fill in @w, for the answers that are left when the QP has ended */
void mrc_resp_last_words(const struct mrc_resp *q, struct mrc_last_words *w);

#endif /* _MRC_CORE_RESPONDER_H */
