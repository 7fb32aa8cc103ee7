/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The states of EVs, and the floor: how many EVs stay in use whatever is believed of them.
 */
#ifndef _MRC_CORE_EV_SET_H
#define _MRC_CORE_EV_SET_H

#include "ev.h"

/**
 * mrc_ev_set_init() - start with all EVs GOOD and all ports up
 * @s: the set
 * @ev: @count entries with the ports filled in, in ascending order of ports; states are set here
 * @count: 1..MRC_EV_MAX
 * @min_active: 0..@count
 * @active: EVs in rotation at a time, over all planes together; 0 or @count: all
 * @seed: pseudo-random, differs between senders
 *
 * Each plane has an equal part of @active, rounded up, in rotation. The EVs that begin as spares
 * are drawn at random, because senders do not coordinate.
 *
 * Return: 0, or -EINVAL when ports are not ascending or a number is out of range.
 */
int mrc_ev_set_init(struct mrc_ev_set *s, struct mrc_ev_entry *ev, u16 count,
		    u16 min_active, u16 active, u32 seed);

/**
 * mrc_ev_marked() - a SACK said SKIP_ONCE: step over this EV once
 * @s: the set
 * @ev: index; an EV that is not GOOD, or is a spare, stays as it is
 * @now: ns
 *
 * An EV that is marked time and again, while few others are marked, is thinned out: it is in one of
 * 2^n batches only. After some round trips of its own without a mark it is in more batches again.
 */
void mrc_ev_marked(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_lost() - an untrimmed loss, or ALWAYS_SKIP, makes an EV ASSUMED_BAD at once
 * @s: the set
 * @ev: index
 * @why: the reason to report
 * @now: ns
 *
 * To be called only when something that was sent later has arrived, or when nothing can leave this
 * host by the EV. A spare of the plane takes the EV's place. Only probes, or mrc_ev_cleared(),
 * bring the EV back: to the rotation if that is short of EVs, else as a spare.
 *
 * The floor is @min_active, but at least one. It counts EVs in use, spares too, on ports that are
 * up. At the floor, if some bad EV was heard from later than this one, that EV returns as HELD and
 * this one goes bad. Otherwise this EV itself is HELD, and a spare takes its place all the same.
 * HELD EVs go out of use as soon as enough others are GOOD; the first to go is the one that was
 * heard from longest ago. A loss on a port that is down is the port's fault, and changes nothing.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_lost(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now);

/**
 * mrc_ev_cleared() - a call of mrc_ev_lost() was wrong: the packet has arrived
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * Return: true when an ASSUMED_BAD or HELD EV is GOOD again.
 */
bool mrc_ev_cleared(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_next_change() - report an EV whose state has changed since its last report
 * @s: the set
 * @old: result: state before; never SKIP
 *
 * One call of another function may change several EVs, so this is to be called until it returns
 * MRC_EV_NONE. The entry of the EV has the reason for its new state.
 *
 * Return: index or MRC_EV_NONE.
 */
u16 mrc_ev_next_change(struct mrc_ev_set *s, u8 *old);

/**
 * mrc_ev_deny() - the controller takes an EV out of use or allows it again
 * @s: the set
 * @ev: index
 * @deny: take it out; else a DENIED EV is GOOD again, as if it was new
 * @now: ns
 *
 * A spare takes its place, and it comes back into the rotation, as with mrc_ev_lost().
 */
void mrc_ev_deny(struct mrc_ev_set *s, u16 ev, bool deny, u64 now);

/**
 * mrc_ev_ports() - which ports are up here and at the peer
 * @s: the set
 * @local_mask: bit per port, bit 0 is port 1: our port can send
 * @remote_mask: bit per port: the peer's port can receive
 * @now: ns
 *
 * EVs of a port that is down are neither used nor probed nor counted. When the port returns they
 * have the states of before, except that HELD EVs go bad if enough others are GOOD.
 */
void mrc_ev_ports(struct mrc_ev_set *s, u32 local_mask, u32 remote_mask,
		  u64 now);

/* For ev_search.c and ev_keep.c. */

/** mrc_ev_floor() - how many EVs stay in use, if so many are not DENIED */
static inline u16 mrc_ev_floor(const struct mrc_ev_set *s)
{
	return s->min_active ? s->min_active : 1;
}

/** mrc_ev_fall() - an EV is lost: @state is ASSUMED_BAD or HELD, and the EV is probed */
void mrc_ev_fall(struct mrc_ev_set *s, u16 ev, u8 state, enum mrc_ev_why why, u64 now);

/** mrc_ev_come_back() - an EV works and is GOOD; EVs that only the floor kept go out of use */
void mrc_ev_come_back(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now);

/** mrc_ev_set_doubted() - an EV is in doubt, or is not any more; its state stays */
void mrc_ev_set_doubted(struct mrc_ev_set *s, u16 ev, bool doubted);

#endif /* _MRC_CORE_EV_SET_H */
