/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets that count as lost although no SACK shows it: a NACK refuses the packet, the packet has
 * not left this host, its path has gone, or its timeout has passed.
 */
#ifndef _MRC_CORE_TX_LOSS_H
#define _MRC_CORE_TX_LOSS_H

#include "tx_window.h"

/* A QP that has heard of nothing but trimmed packets for so long is given up. */
#define MRC_TX_TRIMS_NS		60000000000ull

/**
 * enum mrc_tx_refusal - why a packet was refused
 * @MRC_TX_NO_ROOM: the peer had no room for it
 * @MRC_TX_TRIMMED: a switch had no room for it; the peer did not refuse it
 * @MRC_TX_NO_RECEIVE: the peer had no receive for its message
 */
enum mrc_tx_refusal {
	MRC_TX_NO_ROOM,
	MRC_TX_TRIMMED,
	MRC_TX_NO_RECEIVE,
};

/**
 * mrc_tx_nack() - apply a recoverable NACK: the packet goes out again
 * @w: the window
 * @psn: the refused PSN
 * @why: the reason
 * @now: ns
 * @res: result; @res->ev is the EV on which the packet was sent. @res->expired: nothing but NACKs
 *       has come for as long as all timeouts of a packet take; with trims, which show that the peer
 *       lives, for MRC_TX_TRIMS_NS; with missing receives never: the caller counts these
 *
 * Return: 0; -EINVAL for a PSN never sent; -EALREADY for a packet that is acknowledged, waits for
 * retransmission already, or was sent again so lately that the NACK must answer an earlier
 * transmission. -EALREADY with @res->spurious is news all the same: a packet that was held to be
 * lost has arrived (a SACK of later packets may overtake the NACK).
 */
int mrc_tx_nack(struct mrc_tx_window *w, u32 psn, enum mrc_tx_refusal why, u64 now,
		struct mrc_tx_result *res);

/** mrc_tx_lost_once() - was @psn sent once, and is that transmission held to be lost? */
bool mrc_tx_lost_once(const struct mrc_tx_window *w, u32 psn);

/**
 * mrc_tx_excuse() - no EV is to blame for packets that are held to be lost
 * @w: the window
 * @psn: the first of them; packets before una have arrived
 * @end: the PSN after the last of them, up to nxt
 * @res: the news is added
 */
void mrc_tx_excuse(struct mrc_tx_window *w, u32 psn, u32 end, struct mrc_tx_result *res);

/**
 * mrc_tx_unsent() - a packet taken into flight has not left this host: it goes out again
 * @w: the window
 * @psn: its PSN
 * @now: ns
 * @res: result; @res->expired as for mrc_tx_nack(): this counts like a NACK
 *
 * No EV is blamed, and the loss is counted on none.
 *
 * Return: 0, or -EALREADY: it is not in flight any more.
 */
int mrc_tx_unsent(struct mrc_tx_window *w, u32 psn, u64 now,
		  struct mrc_tx_result *res);

/**
 * struct mrc_tx_gone - paths that are known to be gone, a bit per EV index
 * @here: paths that are gone at this host
 * @there: paths that are gone at the peer only
 * @unsent: packets that were sent on no EV, because there was no path, or on an EV that is
 *          forgotten, are lost, too
 */
struct mrc_tx_gone {
	DECLARE_BITMAP(here, MRC_EV_MAX);
	DECLARE_BITMAP(there, MRC_EV_MAX);
	bool unsent;
};

/**
 * mrc_tx_lose_evs() - paths are known to be gone: what is in flight on them is lost
 * @w: the window
 * @gone: these paths
 * @res: result
 *
 * This blames no EV. A packet that left by a port of this host before the port went may wait in
 * queues behind the port, and arrive. So it is only marked, for mrc_tx_lose_gone(). At the peer's
 * end of a path there are no such queues, and the peer's port status took as long to come as SACKs
 * of what had arrived before. So packets on paths that are gone at the peer are lost at once.
 */
void mrc_tx_lose_evs(struct mrc_tx_window *w, const struct mrc_tx_gone *gone,
		     struct mrc_tx_result *res);

/**
 * mrc_tx_lose_gone() - packets that left by a port which has gone since are lost after a time
 * @w: the window
 * @now: ns
 * @res: result; new losses are added
 *
 * Each such packet has as much time as the longest recent round trip. Some packets have up to a
 * quarter more, so that the window is walked a few times and not once for each packet.
 *
 * Return: ns of the same clock, when to call it again; 0: no such packet is left.
 */
u64 mrc_tx_lose_gone(struct mrc_tx_window *w, u64 now, struct mrc_tx_result *res);

/**
 * mrc_tx_deadline() - when mrc_tx_timeout() has something to do
 * @w: the window
 * @now: ns
 *
 * A lower bound, kept without looking at the records: acknowledgements do not
 * move it, so a timer that is armed can stay as it is. mrc_tx_timeout() called
 * too early does nothing but find the exact time.
 *
 * Return: ns of the same clock, not before @now, or 0 when nothing is in flight.
 */
u64 mrc_tx_deadline(const struct mrc_tx_window *w, u64 now);

/**
 * mrc_tx_timeout() - packets whose timeout has passed count as lost
 * @w: the window
 * @now: ns
 * @res: result; @res->expired when a packet has no retry left
 *
 * The timeout after the last retry is as long as the one before it.
 */
void mrc_tx_timeout(struct mrc_tx_window *w, u64 now,
		    struct mrc_tx_result *res);

#endif /* _MRC_CORE_TX_LOSS_H */
