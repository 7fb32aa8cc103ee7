/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the peer says has arrived, and what a requester concludes from it (MRC 1.0, section 7.4.5).
 *
 * A SACK is digested in three steps: which transmission caused it, what has arrived, and what has
 * not arrived. evidence.h has the rules of the third step, and which EV they blame; rtt.h says how
 * long the rules wait.
 *
 * A SACK also counts the packets that have arrived beyond the cumulative PSN. As long as that is
 * more than is known of, a SACK was lost or is late. Then rules (a) and (b) judge only the packets
 * that the bitmap at hand covers: any other packet may have arrived.
 *
 * When the last packets before a pause are lost, no later packet shows it. So a Reliability Probe
 * is sent when the peer has been silent for some round trips; its answer and rule (b) find such
 * losses.
 */
#ifndef _MRC_CORE_TX_SACK_H
#define _MRC_CORE_TX_SACK_H

#include "tx_window.h"
#include "../wire/wire.h"

/*
 * After so many answers to probes in a row that showed nothing but losses, no more probes are sent,
 * and packets wait for their timeouts: a packet that is lost time and again while probes get
 * through must use up its retries.
 */
#define MRC_TX_PROBE_ROUNDS	16u

/**
 * mrc_tx_sack() - apply a SACK
 * @w: the window
 * @sack: the SACK
 * @rtx: its BTH.rtx
 * @now: ns
 * @res: result
 *
 * A SACK that is older than what is known is applied as far as it still has news. The answer to a
 * probe that is not remembered tells what has arrived and nothing else.
 *
 * Return: 0, or -EINVAL for a SACK that names a PSN never sent; it changes nothing.
 */
int mrc_tx_sack(struct mrc_tx_window *w, const struct mrc_sack *sack, bool rtx,
		u64 now, struct mrc_tx_result *res);

/**
 * mrc_tx_ack() - a transport ACK: everything up to @psn was executed, so it arrived
 * @w: the window
 * @psn: PSN of the ACK
 * @now: ns
 * @res: result
 *
 * Return: 0, or -EINVAL for a PSN never sent.
 */
int mrc_tx_ack(struct mrc_tx_window *w, u32 psn, u64 now,
	       struct mrc_tx_result *res);

/** mrc_tx_ask_at() - when a Reliability Probe is due, even if nothing is in flight; @now: ns */
u64 mrc_tx_ask_at(const struct mrc_tx_window *w, u64 now);

/**
 * mrc_tx_probe_at() - when to send a Reliability Probe for packets in flight
 * @w: the window
 * @now: ns
 *
 * A probe is due when something is in flight, and nothing was sent or newly acknowledged for a
 * while.
 *
 * Return: ns of the same clock, not before @now. 0: no probe is to be sent, because nothing is in
 * flight, or because the answers to the last probes showed nothing but losses; then the timeouts
 * decide.
 */
u64 mrc_tx_probe_at(const struct mrc_tx_window *w, u64 now);

/**
 * mrc_tx_probe() - a Reliability Probe leaves now
 * @w: the window
 * @now: ns, not 0
 *
 * Also for probes that the caller sends for reasons of its own. @w->probe_ev says which EV the
 * probe takes. Every second probe takes the EV of the oldest packet in flight, and its answer tells
 * the fate of that packet for certain. The others may take any EV (MRC_EV_NONE), because that EV
 * may be dead. MRC_EV_NONE also if the paths hold that EV to be bad.
 *
 * Return: the probe's id.
 */
u16 mrc_tx_probe(struct mrc_tx_window *w, u64 now);

#endif /* _MRC_CORE_TX_SACK_H */
