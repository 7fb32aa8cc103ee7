/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The peer's receive window, in PSNs: how far beyond the cumulative PSN it takes packets. The two
 * ends do not agree on it; each has a setting of its own. If our window is larger than the peer's,
 * that does no harm as long as nothing is lost, because the peer's window moves with what arrives.
 * After a loss the peer's window stands still, and the peer drops all packets beyond it. So the
 * peer's window is learned:
 *
 *  - If the peer fills its MPR into SACKs, the window is known.
 *  - A NACK PSN_OOR_WINDOW for packet p says that the window ends before p. It is counted from the
 *    peer's cumulative PSN, which is no lower than the one that we have heard of. MPRs are
 *    multiples of 128.
 *  - A SACK that names a packet beyond the cumulative PSN says that the window reaches that packet.
 *  - If the peer's SACKs have no MPR, the bound from a NACK may be too low, because SACKs and NACKs
 *    take different ways. So the window grows again, by 128 at a time; each NACK doubles the time
 *    between two steps.
 *
 * The window is never larger than our own setting. The caller serialises all calls on one struct.
 */
#ifndef _MRC_CORE_REACH_H
#define _MRC_CORE_REACH_H

#include "../base/base.h"

/* First and longest time between two steps of growth, ns. */
#define MRC_REACH_HOLD_NS	1000000000ull
#define MRC_REACH_HOLD_MAX_NS	64000000000ull

/**
 * struct mrc_reach - what is known of the peer's window
 * @now: PSNs beyond the cumulative one that may be in flight, 1..@most
 * @most: our own setting of this window
 * @shown: the peer has taken a packet that is so far beyond the cumulative PSN
 * @told: the peer has told its window
 * @hold: ns between two steps of growth; 0: no NACK has come
 * @grow_at: ns, when the next step is due
 */
struct mrc_reach {
	u32 now;
	u32 most;
	u32 shown;
	bool told;
	u64 hold;
	u64 grow_at;
};

/** mrc_reach_init() - nothing is known of the peer; @most: PSNs */
void mrc_reach_init(struct mrc_reach *r, u32 most);

/**
 * mrc_reach_sack() - a SACK has come
 * @r: what is known
 * @mpr: MPR in the SACK, 0: none
 * @shown: how far beyond the cumulative PSN the last packet in the bitmap is, 0: the bitmap is
 *         empty
 * @now: ns
 */
void mrc_reach_sack(struct mrc_reach *r, u8 mpr, u32 shown, u64 now);

/**
 * mrc_reach_exceeded() - a NACK says that a packet in flight was beyond the peer's window
 * @r: what is known
 * @ahead: how far beyond the cumulative PSN the packet is, 1 or more
 * @now: ns
 *
 * Return: false: by what is known the packet was inside the window, so the peer has another reason.
 */
bool mrc_reach_exceeded(struct mrc_reach *r, u32 ahead, u64 now);

#endif /* _MRC_CORE_REACH_H */
