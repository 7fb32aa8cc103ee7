/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Port status (the MRC paper, section 3): what a peer says of its ports, and what we tell it of
 * ours.
 *
 * This file decides which of two statuses of the peer is the newer one, and when to act upon the
 * newest. A status that changes something less than a millisecond (ports_change of struct
 * mrc_timing) after the last change waits until that time is over, so that a flood of forged
 * statuses causes bounded work. In the end the newest status is taken.
 *
 * Time stamps tell the order only of statuses that are marked as being in the sender's own unit
 * (tsr); that unit is taken to be the same as ours. In the other unit, 128 ns, 16 bits last for
 * 8 ms, and a packet may be under way for longer. There, the status that comes later is the newer.
 *
 * Our own status is sent again until it is answered.
 */
#ifndef _MRC_CORE_PORT_STATUS_H
#define _MRC_CORE_PORT_STATUS_H

#include "../base/base.h"
#include "../base/timing.h"
#include "../wire/wire.h"

/* Time stamps tell the order of statuses that come no further apart, ns: not yet half a turn. */
#define MRC_PORTS_ORDER_NS	2000000000ull
/* Unit of our time stamps: 2^16 ns. */
#define MRC_PORTS_STAMP_SHIFT	16

/**
 * struct mrc_port_status - a peer's port status
 * @mask: ports that can receive, as it is acted upon
 * @change: ns, when @mask changed last, 0: never
 * @newest: ports that can receive, as the peer said last
 * @at: ns, when it did, 0: never
 * @stamp: the time stamp of that
 * @tsr: its flag
 * @timing: how long is waited
 */
struct mrc_port_status {
	u32 mask;
	u64 change;
	u32 newest;
	u64 at;
	u16 stamp;
	bool tsr;
	const struct mrc_timing *timing;
};

/** mrc_port_stamp() - time stamp, with tsr, for a request of ours that is sent @now (ns) */
static inline u16 mrc_port_stamp(u64 now)
{
	return (u16)(now >> MRC_PORTS_STAMP_SHIFT);
}

/**
 * mrc_port_stamp_at() - when a request of ours was sent
 * @stamp: from mrc_port_stamp(), as it came back
 * @now: ns
 *
 * Return: ns, the beginning of its unit; a multiple of 2^32 ns later, if it is that long ago.
 */
static inline u64 mrc_port_stamp_at(u16 stamp, u64 now)
{
	u16 age = mrc_port_stamp(now) - stamp;

	return ((now >> MRC_PORTS_STAMP_SHIFT) - age) << MRC_PORTS_STAMP_SHIFT;
}

/** mrc_port_status_init() - nothing was said: all ports can receive */
void mrc_port_status_init(struct mrc_port_status *s, const struct mrc_timing *timing);

/**
 * mrc_port_status_hear() - the peer says something
 * @s: the status
 * @ep: the request
 * @now: ns, not 0
 *
 * Return: false: it is older than what was said last, and changes nothing.
 */
bool mrc_port_status_hear(struct mrc_port_status *s, const struct mrc_ep *ep,
			  u64 now);

/** mrc_port_status_due() - ns, when the newest may be taken; U64_MAX: it has been */
u64 mrc_port_status_due(const struct mrc_port_status *s);

/**
 * mrc_port_status_take() - acts upon what was said last, if that is due
 *
 * Return: true: @s->mask has changed.
 */
bool mrc_port_status_take(struct mrc_port_status *s, u64 now);

/**
 * struct mrc_port_tell - our port status, as it is told to a peer
 * @mask: ports that can receive
 * @at: ns, when it is said next; 0: the peer knows it
 * @since: ns, when it became true; 0: nothing was ever said
 * @wait: ns, from the next time that it is said to the one after
 * @timing: how long is waited
 */
struct mrc_port_tell {
	u32 mask;
	u64 at;
	u64 since;
	u64 wait;
	const struct mrc_timing *timing;
};

/** mrc_port_tell_init() - there is nothing to tell */
void mrc_port_tell_init(struct mrc_port_tell *t, const struct mrc_timing *timing);

/** mrc_port_tell_say() - @mask is true from @now (ns, not 0) on, and is to be said */
void mrc_port_tell_say(struct mrc_port_tell *t, u32 mask, u64 now);

/**
 * mrc_port_tell_next() - is it to be said now?
 * @t: what is told
 * @now: ns
 * @wait: result: what to give mrc_port_tell_unsent()
 *
 * Return: true: it counts as said, and is said again later unless it is answered.
 */
bool mrc_port_tell_next(struct mrc_port_tell *t, u64 now, u64 *wait);

/**
 * mrc_port_tell_unsent() - there was no room for it: it is said again no later for that
 * @t: what is told
 * @now: ns, as it was given to mrc_port_tell_next()
 * @wait: from there
 */
void mrc_port_tell_unsent(struct mrc_port_tell *t, u64 now, u64 wait);

/** mrc_port_tell_answered() - the peer has heard @mask, which was sent at @sent (ns) */
void mrc_port_tell_answered(struct mrc_port_tell *t, u32 mask, u64 sent);

/**
 * mrc_port_tell_back() - the peer has told its own status: it is there now, and may be another one
 * than that which was told
 * @t: what is told
 * @first: it is the first time
 * @now: ns
 *
 * Not each time is ours said again, or two would keep each other busy.
 */
void mrc_port_tell_back(struct mrc_port_tell *t, bool first, u64 now);

#endif /* _MRC_CORE_PORT_STATUS_H */
