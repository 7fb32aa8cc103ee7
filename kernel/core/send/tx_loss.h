/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets that count as lost although no SACK shows it: a NACK refuses the packet, the packet has
 * not left this host, its path has gone, or its timeout has passed.
 */
#ifndef _MRC_CORE_TX_LOSS_H
#define _MRC_CORE_TX_LOSS_H

#include "tx_window.h"

/* A QP of which nothing but trimmed packets has been heard of for so long is given up. */
#define MRC_TX_TRIMS_NS		60000000000ull

/**
 * mrc_tx_nack() - apply a recoverable NACK: the packet goes out again
 * @w: the window
 * @psn: the refused PSN
 * @trimmed: not by the peer: a switch had no room for it
 * @now: ns
 * @res: result; @res->ev is the EV it was sent on; @res->expired: nothing but NACKs has come for
 *       as long as silence would have been borne, which is what the timeouts of a packet take; of
 *       trims, behind which there is a peer that lives, for MRC_TX_TRIMS_NS at least
 *
 * Return: 0, -EINVAL for a PSN never sent, -EALREADY for one that is
 * acknowledged, waits for retransmission already or was sent again so lately
 * that the NACK must be an answer to the time before: with @res->spurious it is news all the same,
 * for what was held to be lost has arrived (a SACK of later packets may overtake the NACK).
 */
int mrc_tx_nack(struct mrc_tx_window *w, u32 psn, bool trimmed, u64 now,
		struct mrc_tx_result *res);

/**
 * mrc_tx_unsent() - a packet taken into flight has not left this host: it goes out again
 * @w: the window
 * @psn: its PSN
 * @now: ns
 * @res: result; @res->expired as for mrc_tx_nack(), of which this is one by this host
 *
 * No EV is blamed for it, nor counts it as lost.
 *
 * Return: 0, or -EALREADY: it is not in flight any more.
 */
int mrc_tx_unsent(struct mrc_tx_window *w, u32 psn, u64 now,
		  struct mrc_tx_result *res);

/**
 * struct mrc_tx_gone - paths that are known to be gone, a bit per EV index
 * @here: at this host
 * @there: at the peer alone
 * @unsent: what was sent on no EV, for there was no path, or on one that is forgotten, is lost, too
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
 * It says nothing of any EV. What left by a port of this host before that went may be in queues
 * beyond, and arrive: it is noted, for mrc_tx_lose_gone(). At the peer's end of a path there is
 * nothing beyond, and the peer's word took as long to come as SACKs of what had arrived before.
 */
void mrc_tx_lose_evs(struct mrc_tx_window *w, const struct mrc_tx_gone *gone,
		     struct mrc_tx_result *res);

/**
 * mrc_tx_lose_gone() - what left by ports of this host that have gone since is lost in time
 * @w: the window
 * @now: ns
 * @res: result; what is lost is added
 *
 * Each packet has as long as the longest round trip of late took. So that a window is gone over a
 * few times and not for each packet, some have up to a quarter more.
 *
 * Return: ns of the same clock, when to call it again; 0: nothing is left of it.
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
 * mrc_tx_timeout() - hold packets to be lost whose time has passed
 * @w: the window
 * @now: ns
 * @res: result; @res->expired when a packet has no retry left
 *
 * The packet's last retry is waited for as long as the one before it was.
 */
void mrc_tx_timeout(struct mrc_tx_window *w, u64 now,
		    struct mrc_tx_result *res);

#endif /* _MRC_CORE_TX_LOSS_H */
