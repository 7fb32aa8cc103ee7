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

/* Time stamps tell the order of statuses that come within this time, ns: less than half a wrap. */
#define MRC_PORTS_ORDER_NS	2000000000ull
/* Unit of our time stamps: 2^16 ns. */
#define MRC_PORTS_STAMP_SHIFT	16

/**
 * struct mrc_port_status - a peer's port status
 * @mask: ports that count as able to receive
 * @change: ns, when @mask changed last, 0: never
 * @newest: ports that can receive by the peer's newest status
 * @at: ns, when the newest status came, 0: never
 * @stamp: time stamp of the newest status
 * @tsr: tsr flag of the newest status
 * @timing: the waits
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

/** mrc_port_stamp() - the time stamp, in our own unit (tsr), of a request that we send @now (ns) */
static inline u16 mrc_port_stamp(u64 now)
{
	return (u16)(now >> MRC_PORTS_STAMP_SHIFT);
}

/**
 * mrc_port_stamp_at() - when a request of ours was sent
 * @stamp: from mrc_port_stamp(), as it came back in the answer
 * @now: ns
 *
 * Return: ns, rounded down to the unit. If the request was sent 2^32 ns ago or more, the result is
 * too late by a multiple of 2^32 ns.
 */
static inline u64 mrc_port_stamp_at(u16 stamp, u64 now)
{
	u16 age = mrc_port_stamp(now) - stamp;

	return ((now >> MRC_PORTS_STAMP_SHIFT) - age) << MRC_PORTS_STAMP_SHIFT;
}

/** mrc_port_status_init() - the peer has said nothing: all ports count as able to receive */
void mrc_port_status_init(struct mrc_port_status *s, const struct mrc_timing *timing);

/**
 * mrc_port_status_hear() - a port status of the peer has come
 * @s: the status
 * @ep: the request
 * @now: ns, not 0
 *
 * Return: false: the request is older than the newest status, and changes nothing.
 */
bool mrc_port_status_hear(struct mrc_port_status *s, const struct mrc_ep *ep,
			  u64 now);

/** mrc_port_status_due() - ns, when the newest status may be taken; U64_MAX: it has been taken */
u64 mrc_port_status_due(const struct mrc_port_status *s);

/**
 * mrc_port_status_take() - take the newest status, if that is due
 *
 * Return: true: @s->mask has changed.
 */
bool mrc_port_status_take(struct mrc_port_status *s, u64 now);

/**
 * struct mrc_port_tell - our port status, as we send it to a peer
 * @mask: ports that can receive
 * @at: ns, when it is sent next; 0: the peer knows it
 * @since: ns, when it became true; 0: no status was ever sent
 * @wait: ns, from the next time that it is sent to the one after
 * @timing: the waits
 */
struct mrc_port_tell {
	u32 mask;
	u64 at;
	u64 since;
	u64 wait;
	const struct mrc_timing *timing;
};

/** mrc_port_tell_init() - no status is to be sent */
void mrc_port_tell_init(struct mrc_port_tell *t, const struct mrc_timing *timing);

/** mrc_port_tell_say() - @mask is true from @now (ns, not 0) on, and is to be sent */
void mrc_port_tell_say(struct mrc_port_tell *t, u32 mask, u64 now);

/**
 * mrc_port_tell_next() - is our status to be sent now?
 * @t: our status
 * @now: ns
 * @wait: result: for mrc_port_tell_unsent()
 *
 * Return: true: the status counts as sent, and is sent again later unless it is answered.
 */
bool mrc_port_tell_next(struct mrc_port_tell *t, u64 now, u64 *wait);

/**
 * mrc_port_tell_unsent() - there was no room to send the status: undo the doubling of the wait
 * @t: our status
 * @now: ns, as it was given to mrc_port_tell_next()
 * @wait: from mrc_port_tell_next()
 */
void mrc_port_tell_unsent(struct mrc_port_tell *t, u64 now, u64 wait);

/** mrc_port_tell_answered() - the peer has heard @mask, which was sent at @sent (ns) */
void mrc_port_tell_answered(struct mrc_port_tell *t, u32 mask, u64 sent);

/**
 * mrc_port_tell_back() - the peer's own status has come: send ours again, if it may not know it
 * @t: our status
 * @first: it is the first status of the peer
 * @now: ns
 *
 * The peer may have become reachable only now, or may have restarted. Ours is not sent each time,
 * or two hosts would keep each other busy.
 */
void mrc_port_tell_back(struct mrc_port_tell *t, bool first, u64 now);

#endif /* _MRC_CORE_PORT_STATUS_H */
