/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of EVs, and the floor: the number of EVs that stay in use whatever is believed of
 * them.
 */
#ifndef _MRC_CORE_EV_SET_H
#define _MRC_CORE_EV_SET_H

#include "ev.h"

/**
 * mrc_ev_set_init() - all EVs good, all ports up
 * @s: the set
 * @ev: @count entries; ports filled in, grouped by port ascending; states are set here
 * @count: 1..MRC_EV_MAX
 * @min_active: 0..@count
 * @active: EVs in rotation at a time, over all planes together; 0 or @count: all
 * @seed: pseudo-random, differs between senders
 *
 * Each plane has an equal part of @active, rounded up, in rotation. Which of its EVs begin
 * as spares is drawn: senders do not coordinate.
 *
 * Return: 0, or -EINVAL when ports are not ascending or a number is out of range.
 */
int mrc_ev_set_init(struct mrc_ev_set *s, struct mrc_ev_entry *ev, u16 count,
		    u16 min_active, u16 active, u32 seed);

/**
 * mrc_ev_marked() - a SACK said SKIP_ONCE: step over this EV once
 * @s: the set
 * @ev: index; one that is not GOOD, or a spare, stays as it is
 * @now: ns
 *
 * One that is marked time and again while few others are is thinned out: of so many batches, a
 * power of two, it is in one. It is in more again after some round trips of its own without a mark.
 */
void mrc_ev_marked(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_lost() - an untrimmed loss, or ALWAYS_SKIP: ASSUMED_BAD at once
 * @s: the set
 * @ev: index
 * @why: what to say of it
 * @now: ns
 *
 * To be called only when something that was sent later has arrived, or nothing can leave this host
 * by it. A spare of its plane takes its place. Only probes, or mrc_ev_cleared(), bring it back: to
 * the rotation if that is short of EVs, else as a spare. The floor is @min_active, but at least
 * one, and counts EVs in use, spares too, on ports that are up. At the floor a bad EV comes back
 * for it, HELD, if that was heard of later; else the EV itself is HELD, but a spare takes its place
 * all the same. HELD ones go as soon as enough others are GOOD, those first that were heard of
 * longest ago. A loss on a port that is down is the port's, and changes nothing.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_lost(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now);

/**
 * mrc_ev_cleared() - what mrc_ev_lost() was told was wrong: the packet has arrived
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * Return: true when an ASSUMED_BAD EV is GOOD again.
 */
bool mrc_ev_cleared(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_next_change() - an EV whose state has changed since it was spoken of last
 * @s: the set
 * @old: result: state before; never SKIP
 *
 * A call may change several EVs: to be asked until there is none. Why it is in the state in which
 * it is now is in its entry.
 *
 * Return: index or MRC_EV_NONE.
 */
u16 mrc_ev_next_change(struct mrc_ev_set *s, u8 *old);

/**
 * mrc_ev_deny() - controller takes an EV out or lets it in again
 * @s: the set
 * @ev: index
 * @deny: take it out; else a DENIED one is GOOD again, as if it was new
 * @now: ns
 *
 * Spares come in, and it returns, as with mrc_ev_lost().
 */
void mrc_ev_deny(struct mrc_ev_set *s, u16 ev, bool deny, u64 now);

/**
 * mrc_ev_ports() - which ports are up here and at the peer
 * @s: the set
 * @local_mask: bit per port, bit 0 is port 1: our port can send
 * @remote_mask: bit per port: the peer's port can receive
 * @now: ns
 *
 * EVs of a port that is down are neither used nor probed nor counted; when it returns they
 * are as they were, but for HELD ones if enough others are GOOD.
 */
void mrc_ev_ports(struct mrc_ev_set *s, u32 local_mask, u32 remote_mask,
		  u64 now);

/* For ev_search.c and ev_keep.c. */

/** mrc_ev_floor() - so many EVs stay in use, if there are as many that are not DENIED */
static inline u16 mrc_ev_floor(const struct mrc_ev_set *s)
{
	return s->min_active ? s->min_active : 1;
}

/** mrc_ev_fall() - an EV is lost: ASSUMED_BAD or HELD, in which it is probed */
void mrc_ev_fall(struct mrc_ev_set *s, u16 ev, u8 state, enum mrc_ev_why why, u64 now);

/** mrc_ev_come_back() - it is known to work, and GOOD; what only the floor kept goes */
void mrc_ev_come_back(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now);

/** mrc_ev_set_doubted() - it is in doubt, or is not any more; its state stays */
void mrc_ev_set_doubted(struct mrc_ev_set *s, u16 ev, bool doubted);

#endif /* _MRC_CORE_EV_SET_H */
