/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester's view of a QP: one record per PSN in flight says whether it is sent, or lost and
 * to be sent again (MRC 1.0, section 7.4.5). tx_sack.h applies what the peer says of packets;
 * tx_loss.h finds losses of which the peer's SACKs say nothing. The caller serialises all calls on
 * one window and brings the time in nanoseconds of a monotonic clock.
 */
#ifndef _MRC_CORE_TX_WINDOW_H
#define _MRC_CORE_TX_WINDOW_H

#include "tx_result.h"
#include "tx_ring.h"

/**
 * struct mrc_tx_cfg - limits of a window
 * @size: PSNs beyond the cumulative one (MPR * 128), at most the memory's size
 * @retries: timeouts and retries
 * @peer_rtt_ns: round trip of the peer's other QPs; 0: not known
 * @receive_ns: how long the peer may be without a receive for a request; U64_MAX: for ever
 */
struct mrc_tx_cfg {
	u32 size;
	struct mrc_retries retries;
	u64 peer_rtt_ns;
	u64 receive_ns;
};

/** mrc_tx_window_mem() - bytes of memory that a window of @size PSNs needs */
static inline size_t mrc_tx_window_mem(u32 size)
{
	return size * (sizeof(struct mrc_tx_rec) + sizeof(u8));
}

/**
 * mrc_tx_window_init() - start of a connection
 * @w: the window
 * @mem: mrc_tx_window_mem() zeroed bytes, aligned as for a record
 * @cfg: limits
 * @psn: the first PSN to send
 */
void mrc_tx_window_init(struct mrc_tx_window *w, void *mem, const struct mrc_tx_cfg *cfg, u32 psn);

/** mrc_tx_begin() - begin a call that learns something: forget old news; @res: the call's result */
void mrc_tx_begin(struct mrc_tx_window *w, struct mrc_tx_result *res);

/** mrc_tx_heard() - the peer has answered, even without news of packets: silence ends. @now: ns */
void mrc_tx_heard(struct mrc_tx_window *w, u64 now);

/** mrc_tx_room() - how many new PSNs the window allows now */
u32 mrc_tx_room(const struct mrc_tx_window *w);

/**
 * mrc_tx_idle() - is nothing in flight, and nothing to be sent again?
 *
 * The cumulative PSN may still be behind, because a SACK's bitmap can cover all that is left.
 */
static inline bool mrc_tx_idle(const struct mrc_tx_window *w)
{
	return !w->inflight && !w->lost;
}

/**
 * mrc_tx_send() - take the next new PSN into flight
 * @w: the window, with room
 * @bytes: its nominal bytes, at most MRC_TX_BYTES_MAX
 * @ev: index of the EV that it takes
 * @now: ns
 *
 * Return: its PSN.
 */
u32 mrc_tx_send(struct mrc_tx_window *w, u32 bytes, u16 ev, u64 now);

/** mrc_tx_ev() - index of the EV on which @psn, in flight, was last sent, or MRC_EV_NONE */
u16 mrc_tx_ev(const struct mrc_tx_window *w, u32 psn);

/**
 * mrc_tx_leaves() - a packet of a batch leaves after all packets for which this was called before
 * @w: the window
 * @psn: sent with mrc_tx_send() or mrc_tx_resend() just now
 *
 * For callers that put packets on the wire in another order than they took them into flight:
 * rule (a) compares packets of one EV in the order in which they left.
 */
void mrc_tx_leaves(struct mrc_tx_window *w, u32 psn);

/**
 * mrc_tx_next_lost() - the oldest PSN that must be sent again
 * @w: the window
 * @psn: result
 *
 * Return: its record, or NULL when there is none.
 */
const struct mrc_tx_rec *mrc_tx_next_lost(struct mrc_tx_window *w, u32 *psn);

/**
 * mrc_tx_lost_after() - the oldest PSN after @psn that must be sent again
 * @w: the window
 * @psn: a PSN that must be sent again, but not the last such PSN
 */
u32 mrc_tx_lost_after(const struct mrc_tx_window *w, u32 psn);

/**
 * mrc_tx_first_lost() - the oldest PSN of some that must be sent again
 * @w: the window
 * @psn: the first of them; those before una have arrived
 * @count: how many there are, all of them sent
 * @lost: result
 *
 * Return: false when there is none.
 */
bool mrc_tx_first_lost(const struct mrc_tx_window *w, u32 psn, u32 count, u32 *lost);

/** mrc_tx_has_arrived() - have @count packets from @psn on arrived, all of them sent? */
bool mrc_tx_has_arrived(const struct mrc_tx_window *w, u32 psn, u32 count);

/** mrc_tx_bytes() - nominal bytes of a packet, rounded up; @psn: in the window */
u32 mrc_tx_bytes(const struct mrc_tx_window *w, u32 psn);

/** mrc_tx_was_resent() - has a packet been sent again before? @psn: in the window */
bool mrc_tx_was_resent(const struct mrc_tx_window *w, u32 psn);

/**
 * mrc_tx_resend() - a lost PSN goes out again
 * @w: the window
 * @psn: from mrc_tx_next_lost()
 * @ev: the fresh EV
 * @now: ns
 */
void mrc_tx_resend(struct mrc_tx_window *w, u32 psn, u16 ev, u64 now);

/**
 * mrc_tx_take_news() - take what the newest call learned of EVs
 * @w: the window
 * @now: ns
 * @n: result: @n->count and @n->ev
 *
 * News that is not taken before the next call is lost. A packet counts as arrived on an EV only if
 * that is certain. A packet that was sent more than once counts for its newest transmission, if its
 * own SACK shows that this transmission arrived.
 */
static inline void mrc_tx_take_news(struct mrc_tx_window *w, u64 now,
				    struct mrc_news *n)
{
	mrc_evidence_take_news(&w->evidence, now, n);
}

/**
 * mrc_tx_in_vain() - has a retransmission timed out, too, and has nothing been answered since?
 *
 * Then retransmissions take EVs whatever is believed of them: see mrc_ev_pick_any().
 */
static inline bool mrc_tx_in_vain(const struct mrc_tx_window *w)
{
	return w->in_vain;
}

/**
 * mrc_tx_mark_lost() - a packet in flight is lost, and waits to be sent again
 * @w: the window
 * @rec: its record
 * @psn: its PSN
 * @why: MRC_TX_BY_*, or 0
 * @res: the loss is added
 *
 * For tx_sack.c and tx_loss.c.
 */
void mrc_tx_mark_lost(struct mrc_tx_window *w, struct mrc_tx_rec *rec, u32 psn, u8 why,
		      struct mrc_tx_result *res);

/**
 * mrc_tx_put_back() - packets in flight that the peer does not take count as lost, to be sent again
 * @w: the window
 * @psn: the first of them, up to nxt; packets before una have arrived
 * @end: the PSN after the last of them, up to nxt
 * @res: the losses are added
 *
 * No EV is blamed.
 */
void mrc_tx_put_back(struct mrc_tx_window *w, u32 psn, u32 end, struct mrc_tx_result *res);

/**
 * mrc_tx_forget_evs() - EV indices have a new meaning from here on
 * @w: the window
 *
 * Packets in flight stay in flight, but their fate says nothing of any EV any more. Packets that
 * have gone with a port of this host stay marked; no EV index is needed for that.
 */
void mrc_tx_forget_evs(struct mrc_tx_window *w);

#endif /* _MRC_CORE_TX_WINDOW_H */
