/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a peer says of its ports (the MRC paper, section 3): which of two statuses is the newer
 * one, and when the newest is acted upon. One that changes something at most a millisecond after
 * the last change waits until that is over, so that a flood of forged ones causes bounded work;
 * the newest is taken in the end.
 *
 * Time stamps tell the order only of what is marked as being in the sender's own unit (tsr),
 * which is taken to be ours. In the other unit, 128 ns, 16 bits last for 8 ms: less than a
 * packet may be under way. There, what comes later is newer.
 */
#ifndef _MRC_CORE_PORT_STATUS_H
#define _MRC_CORE_PORT_STATUS_H

#include "base.h"
#include "wire.h"

/* Least time between two changes, ns. */
#define MRC_PORTS_CHANGE_NS	1000000ull
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
 */
struct mrc_port_status {
	u32 mask;
	u64 change;
	u32 newest;
	u64 at;
	u16 stamp;
	bool tsr;
};

/** mrc_port_stamp() - time stamp, with tsr, for a request of ours that is sent @now (ns) */
static inline u16 mrc_port_stamp(u64 now)
{
	return (u16)(now >> MRC_PORTS_STAMP_SHIFT);
}

/** mrc_port_status_init() - nothing was said: all ports can receive */
void mrc_port_status_init(struct mrc_port_status *s);

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

#endif /* _MRC_CORE_PORT_STATUS_H */
