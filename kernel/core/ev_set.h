/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The EVs towards one peer: their states and the order in which packets take
 * them (protocol 6.1, 6.2). The caller serialises all calls on one set.
 *
 * Spray order: the planes take turns, so they carry exactly equal shares as
 * long as each has a usable EV; inside a plane the EVs follow a pseudo-random
 * permutation that is drawn anew at the end of each rotation. A retired EV is
 * therefore replaced from its own plane only.
 */
#ifndef _MRC_CORE_EV_SET_H
#define _MRC_CORE_EV_SET_H

#include "base.h"
#include "tx_window.h"

#define MRC_PORT_MAX	32u	/* ports are numbered 1..32 */

/**
 * enum mrc_ev_state - values of the OCP API, plus SKIP, which it does not show
 */
enum mrc_ev_state {
	MRC_EV_GOOD		= 1,
	MRC_EV_ASSUMED_BAD	= 2,
	MRC_EV_DENIED		= 4,
	MRC_EV_SKIP		= 8,
};

/* How long an ASSUMED_BAD EV stays out before a packet may try it again. */
#define MRC_EV_HOLD_MIN_NS	(10ull * 1000 * 1000)
#define MRC_EV_HOLD_MAX_NS	(1000ull * 1000 * 1000)

/**
 * struct mrc_ev_entry - one EV of a set
 * @state: enum mrc_ev_state
 * @port: 1..32
 * @trial: back from ASSUMED_BAD, nothing acknowledged yet
 * @hold: exponent of the hold time, grows with each failed trial
 * @retry_at: ns, when an ASSUMED_BAD EV may be tried again; SKIP: when it was
 *            stepped over first, 0 before
 */
struct mrc_ev_entry {
	u8 state;
	u8 port;
	bool trial;
	u8 hold;
	u64 retry_at;
};

/**
 * struct mrc_ev_plane - the EVs of one port and where their rotation stands
 * @first: index of the first EV of this port in the set
 * @count: EVs of this port
 * @good: EVs of this port that are GOOD or SKIP
 * @pos: EVs passed in this rotation
 * @mul: step of the permutation, prime to @count
 * @add: EV that is next, relative to @first
 * @retry_at: ns, no ASSUMED_BAD EV of this port may be tried before
 */
struct mrc_ev_plane {
	u16 first;
	u16 count;
	u16 good;
	u16 pos;
	u16 mul;
	u16 add;
	u64 retry_at;
};

/**
 * struct mrc_ev_set - the EVs towards one peer
 * @ev: entries, grouped by port in ascending order
 * @count: entries, 1..MRC_EV_MAX
 * @min_active: EVs that stay in use whatever happens to them (not DENIED ones)
 * @good: entries that are GOOD or SKIP on a port that is up
 * @nplanes: ports that have EVs
 * @next_plane: index of the plane whose turn it is
 * @local_mask: bit per port (bit 0 is port 1): our port can send
 * @remote_mask: bit per port: the peer's port can receive
 * @rng: state of the pseudo-random generator, never 0
 * @planes: one element per port that has EVs
 */
struct mrc_ev_set {
	struct mrc_ev_entry *ev;
	u16 count;
	u16 min_active;
	u16 good;
	u16 nplanes;
	u16 next_plane;
	u32 local_mask;
	u32 remote_mask;
	u32 rng;
	struct mrc_ev_plane planes[MRC_PORT_MAX];
};

/**
 * mrc_ev_set_init() - all EVs good, all ports up
 * @s: the set
 * @ev: @count entries; ports filled in, grouped by port ascending; states are set here
 * @count: 1..MRC_EV_MAX
 * @min_active: 0..@count
 * @seed: pseudo-random, differs between senders
 *
 * Return: 0, or -EINVAL when ports are not ascending or a number is out of range.
 */
int mrc_ev_set_init(struct mrc_ev_set *s, struct mrc_ev_entry *ev, u16 count,
		    u16 min_active, u32 seed);

/**
 * mrc_ev_pick() - the EV for the next packet or batch
 * @s: the set
 * @now: ns, not 0; the same for all picks of one batch
 *
 * Steps over ports that are down, DENIED and ASSUMED_BAD EVs (one whose hold
 * time is over becomes GOOD on trial) and, once, over SKIP EVs: they are left out
 * of one batch, and become GOOD again when a later one passes them. If no EV is
 * usable but some port is up, an ASSUMED_BAD EV is returned rather than none.
 *
 * Return: index, or MRC_EV_NONE when every port is down or every EV denied.
 */
u16 mrc_ev_pick(struct mrc_ev_set *s, u64 now);

/** mrc_ev_marked() - a SACK said SKIP_ONCE: step over this EV once */
void mrc_ev_marked(struct mrc_ev_set *s, u16 ev);

/**
 * mrc_ev_lost() - an untrimmed loss, or ALWAYS_SKIP: ASSUMED_BAD at once
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * The floor is @min_active, but at least one, and counts EVs on ports that are up.
 *
 * Return: true when the state changed (not when the floor keeps it active).
 */
bool mrc_ev_lost(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_acked() - a packet or probe on this EV came through
 *
 * Ends a trial. An ASSUMED_BAD EV stays so: what arrives was sent before.
 *
 * Return: true when that changed the EV's standing.
 */
bool mrc_ev_acked(struct mrc_ev_set *s, u16 ev);

/**
 * mrc_ev_cleared() - what mrc_ev_lost() was told was wrong: the packet has arrived
 *
 * Return: true when an ASSUMED_BAD EV is GOOD again.
 */
bool mrc_ev_cleared(struct mrc_ev_set *s, u16 ev);

/** mrc_ev_deny() - controller takes an EV out (@deny) or lets it in again as GOOD */
void mrc_ev_deny(struct mrc_ev_set *s, u16 ev, bool deny);

/** mrc_ev_ports() - set the masks of ports that are up here and at the peer */
void mrc_ev_ports(struct mrc_ev_set *s, u32 local_mask, u32 remote_mask);

#endif /* _MRC_CORE_EV_SET_H */
