/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A gate limits a rate: it lets a given number of events pass per second, and a burst of them at
 * once after a quiet time.
 */
#ifndef _MRC_CORE_GATE_H
#define _MRC_CORE_GATE_H

#include "base.h"

/* Events that may pass at once. */
#define MRC_GATE_BURST	64u

/**
 * struct mrc_gate - a gate; a zeroed one is open
 * @free_at: ns, when there is room for a whole burst
 */
struct mrc_gate {
	u64 free_at;
};

/**
 * mrc_gate_pass() - let one event pass, if the rate allows it now
 * @gate: guarded by the caller
 * @now: ns
 * @rate: events per second, 1 to 10^9
 *
 * Return: true: the event has passed and counts.
 */
static inline bool mrc_gate_pass(struct mrc_gate *gate, u64 now, u32 rate)
{
	u64 interval = 1000000000u / rate;
	u64 at = gate->free_at > now ? gate->free_at : now;

	if (at - now > (MRC_GATE_BURST - 1) * interval)
		return false;
	gate->free_at = at + interval;
	return true;
}

/**
 * mrc_gate_room() - how many events may pass now, one after another?
 * @gate: guarded by the caller
 * @now: ns
 * @rate: as for mrc_gate_pass()
 *
 * Return: 0 to MRC_GATE_BURST.
 */
static inline unsigned int mrc_gate_room(const struct mrc_gate *gate, u64 now,
					 u32 rate)
{
	u64 interval = 1000000000u / rate;
	u64 ahead = gate->free_at > now ? gate->free_at - now : 0;
	unsigned int n = 0;

	while (n < MRC_GATE_BURST && ahead + n * interval <= (MRC_GATE_BURST - 1) * interval)
		n++;
	return n;
}

#endif /* _MRC_CORE_GATE_H */
