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
 */
#ifndef _MRC_CORE_RESPONDER_H
#define _MRC_CORE_RESPONDER_H

#include "../wire/answers.h"
#include "../base/base.h"
#include "../base/gate.h"
#include "last_words.h"
#include "rx_window.h"
#include "../wire/wire.h"

/* SACKs of old news in one answer, for those that were lost. */
#define MRC_RESP_SACKS_AGAIN	2u

/* NACKs per second that a QP sends; MRC_GATE_BURST at once. More is not answered. */
#define MRC_RESP_NACK_RATE	1000u
/* The same for trimmed packets, each of which is to be told of: what this host can bear. */
#define MRC_RESP_TRIM_RATE	1000000u
/* And for those of all QPs of a host: no QP takes all of it. */
#define MRC_RESP_TRIM_RATE_ALL	(2 * MRC_RESP_TRIM_RATE)

/**
 * struct mrc_resp_cfg - limits of a connection
 * @size: PSNs that are accepted beyond the cumulative one: see mrc_rx_window_mem()
 * @imm_max: WriteImm messages that may be in flight
 * @mtu: payload bytes of a packet
 * @sack_bytes: threshold, see rx_window.h: no more than a quarter of the window counts
 */
struct mrc_resp_cfg {
	u32 size;
	u32 imm_max;
	u32 mtu;
	u32 sack_bytes;
};

/**
 * enum mrc_resp_wait - the message that was handed out last, and a receive for it
 * @MRC_RESP_NO_WAIT: it has one, or needs none
 * @MRC_RESP_WAITS: there is none, and nothing more is handed out
 * @MRC_RESP_RESUMED: there may be one now: it is handed out again next
 * @MRC_RESP_RETRIED: it was handed out again
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
 * @nak_syndrome: why not, 0: there is none
 * @first_msn: number of the first message, once @numbered
 * @nack: the newest one that waits for an answer to go with
 * @nack_gate: how many have gone
 * @trim_gate: the same for trimmed packets
 * @waiter: the message that waits for a receive
 * @wait: enum mrc_resp_wait
 * @wait_untold: the peer does not know that it waits
 * @next_rqmsn: number of the next WriteImm, once @imm_numbered
 * @reack: somebody has not heard what is complete: say it again
 * @refused: the NAK has been said: nothing is taken any more
 * @nack_due: there is a @nack
 * @numbered: the first packet has told @first_msn
 * @imm_numbered: the first WriteImm has told @next_rqmsn
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
	bool reack;
	bool refused;
	bool nack_due;
	bool numbered;
	bool imm_numbered;
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
 * mrc_resp_arrival() - what of a write packet the window wants to know
 * @hdr: the packet
 * @payload: its payload bytes
 * @ev: EV bits that it came with
 * @ce: arrived CE-marked
 * @a: result
 */
void mrc_resp_arrival(const struct mrc_hdr *hdr, u32 payload, u32 ev, bool ce,
		      struct mrc_rx_arrival *a);

/**
 * mrc_resp_claim() - a write packet has arrived: is it to be placed?
 * @q: the responder
 * @a: the packet
 *
 * A duplicate is answered with a SACK, and with the ACK of what is complete: either may have been
 * lost. A packet outside the window gets a NACK, but many get one together, see
 * mrc_resp_answer().
 *
 * Return: MRC_RX_NEW: place it, then call mrc_resp_commit(). The others are dropped; after a NAK
 * all are MRC_RX_OOR.
 */
enum mrc_rx_verdict mrc_resp_claim(struct mrc_resp *q,
				   const struct mrc_rx_arrival *a);

/**
 * mrc_resp_trimmed() - the head of a write packet has arrived: a switch had no room for all of it
 * @q: the responder
 * @bth: what is left of it; no more is believed, for its ICRC is gone
 * @ev: EV bits that it came with
 * @lasthop: the switch was the last one: no other path would have been better
 * @all: of all QPs of this host, guarded by the caller; NULL: as many as come
 * @now: ns
 * @a: result, empty before: a NACK; or SACKs, if it was a duplicate or asked for one
 *
 * Nothing counts as received.
 *
 * Return: false: it is not in the window, or there were too many: nothing is to be said of it.
 */
bool mrc_resp_trimmed(struct mrc_resp *q, const struct mrc_bth *bth, u32 ev, bool lasthop,
		      struct mrc_gate *all, u64 now, struct mrc_answers *a);

/**
 * mrc_resp_fits() - has a packet the length that it must have?
 * @q: the responder; reads nothing but what mrc_resp_start() has set
 * @a: the packet
 *
 * Packets of a message are full but for the last one, which is not empty but in an empty message,
 * and none is longer than its message.
 */
bool mrc_resp_fits(const struct mrc_resp *q, const struct mrc_rx_arrival *a);

/**
 * mrc_resp_commit() - a packet that was claimed has been placed, or may not be
 * @q: the responder
 * @a: the packet
 * @syndrome: 0, or the NAK with which it is refused
 *
 * A packet that may not be executed never counts as arrived, so the cumulative PSN stops before it;
 * the NAK goes out when it gets there, after everything that was sent earlier. The oldest such
 * packet counts. It is forgotten when another copy of it can be executed.
 *
 * A packet whose message has a number that it cannot have is refused, too: of n packets behind
 * the last complete message none can be more than n - 1 messages further than the first.
 */
void mrc_resp_commit(struct mrc_resp *q, const struct mrc_rx_arrival *a,
		     u8 syndrome);

/**
 * mrc_resp_next_done() - hand out the next message that is complete in order
 * @q: the responder
 * @done: result
 *
 * What is not one message is refused, and not handed out: its packets bear the numbers of several
 * ones, or not that which is next; or it is a WriteImm, and not the next one, or its packets are
 * not as long together as it says, for its completion tells how long it is.
 *
 * Return: false when there is none, or it is refused.
 */
bool mrc_resp_next_done(struct mrc_resp *q, struct mrc_rx_done *done);

/**
 * mrc_resp_refuse_done() - the message that was handed out last cannot be executed after all
 * @q: the responder
 * @done: that message: a WriteImm for which there will be no receive
 */
void mrc_resp_refuse_done(struct mrc_resp *q, const struct mrc_rx_done *done);

/**
 * mrc_resp_wait() - the message that was handed out last has no receive yet
 * @q: the responder
 * @done: that message: a WriteImm
 *
 * Nothing is handed out any more before mrc_resp_resume().
 *
 * Return: true: it waits from now on; false: it has waited before.
 */
bool mrc_resp_wait(struct mrc_resp *q, const struct mrc_rx_done *done);

/**
 * mrc_resp_resume() - receives were posted
 *
 * Return: true: a message waited, which mrc_resp_next_done() hands out again.
 */
bool mrc_resp_resume(struct mrc_resp *q);

/**
 * mrc_resp_answer() - packets have arrived, and what is complete has been handed out
 * @q: the responder
 * @now: ns
 * @a: result, added to what is there: SACKs, if they are due or an ACK goes out anyway, with which
 *     they cost nothing; a NACK for the newest packet outside the window, if their rate allows it;
 *     an ACK, if messages are complete that none has told of, or a duplicate
 *     came, and a NACK behind it, if a message waits for a receive; or the NAK
 *
 * Return: the syndrome of the NAK, with which the QP ends, or 0.
 */
u8 mrc_resp_answer(struct mrc_resp *q, u64 now, struct mrc_answers *a);

/**
 * mrc_resp_probe() - a Reliability Probe has arrived
 * @q: the responder
 * @probe: the probe
 * @ev: EV bits that it came with
 * @ce: arrived CE-marked
 * @a: result, empty before: SACKs of as much of the window as they can tell, the ACK of what is
 *     complete, and a NACK, if a message waits for a receive
 */
void mrc_resp_probe(struct mrc_resp *q, const struct mrc_probe *probe, u32 ev,
		    bool ce, struct mrc_answers *a);

/**
 * mrc_resp_timer_at() - when to call mrc_resp_timer() next
 *
 * Return: ns, or 0: all has been told. While data flows a timer mostly finds nothing, so one that
 * is set already may be left alone.
 */
u64 mrc_resp_timer_at(const struct mrc_resp *q);

/**
 * mrc_resp_timer() - time has passed
 * @q: the responder
 * @now: ns
 * @a: result, empty before: SACKs that are due though no packet has come
 */
void mrc_resp_timer(struct mrc_resp *q, u64 now, struct mrc_answers *a);

/** mrc_resp_last_words() - what is left to say when the QP has ended */
void mrc_resp_last_words(const struct mrc_resp *q, struct mrc_last_words *w);

#endif /* _MRC_CORE_RESPONDER_H */
