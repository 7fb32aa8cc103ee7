/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The EVs towards one peer: their states and the order in which packets take
 * them (protocol 6.1, 6.2). The caller serialises all calls on one set.
 *
 * Spray order: the planes take turns, so they carry exactly equal shares as
 * long as each has a usable EV; inside a plane the EVs follow a pseudo-random
 * permutation that is drawn anew at the end of each rotation. A retired EV is
 * therefore replaced from its own plane only.
 *
 * The EVs of a plane stand in slots, of which the first @quota are in rotation.
 * One that is retired changes places with a usable EV of the others, the plane's
 * spares; where there is none left the rest of the rotation takes its share.
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

/*
 * Probing of ASSUMED_BAD EVs (open point: cadence and number of successes, 6.2, 6.3).
 * The interval between unanswered probes doubles from the base to the maximum;
 * MRC_EV_PROBE_GOOD answers in a row, more for one that flaps, bring an EV back. One in use
 * is held to be bad when MRC_EV_PROBE_MISSED probes in a row are lost: a single answer may get
 * lost on another path.
 */
#define MRC_EV_PROBE_NS		(1000ull * 1000)
#define MRC_EV_PROBE_MAX_NS	(1000ull * 1000 * 1000)
#define MRC_EV_PROBE_GOOD	3u
#define MRC_EV_PROBE_MISSED	2u

/*
 * An EV that is lost so soon after its return flaps: probing starts with twice the
 * interval of the time before, up to 2^MRC_EV_FLAPS_MAX base intervals: where every path
 * loses a little, paths that are out for long are no better than the loss. Each
 * MRC_EV_STEADY_NS of use halves that again.
 */
#define MRC_EV_FLAPS_MAX	6u
#define MRC_EV_FLAP_NS		(2 * MRC_EV_PROBE_MAX_NS)
#define MRC_EV_STEADY_NS	0x200000000ull	/* 8.6 s */

/*
 * And each flap takes twice as many answers, up to 2^MRC_EV_DOUBTS_MAX times as many: a path
 * that loses a fifth passes three in half of all cases, 24 in one of 200.
 */
#define MRC_EV_DOUBTS_MAX	3u

/**
 * struct mrc_ev_entry - one EV of a set
 * @state: enum mrc_ev_state
 * @port: 1..32
 * @backoff: ASSUMED_BAD: exponent of the interval to the next probe
 * @flaps: exponent that probing started with when the EV was lost last
 * @answered: ASSUMED_BAD: probes answered in a row
 * @missed: GOOD or SKIP: probes lost in a row
 * @slot: where in its plane it stands
 * @in_slot: of the slot that has the same index in the plane as this EV: the EV there
 * @skip_at: SKIP: ns, when it was stepped over first, 0 before
 * @probe_at: ASSUMED_BAD: ns, when the next probe is due
 * @returned_at: ns, when probes brought it back last, 0: never
 * @changed_at: ns of the last change of @state, 0: none yet; GOOD and SKIP count as one
 */
struct mrc_ev_entry {
	u8 state;
	u8 port;
	u8 backoff;
	u8 flaps;
	u8 answered;
	u8 missed;
	u8 slot;
	u8 in_slot;
	union {
		u64 skip_at;
		u64 probe_at;
	};
	u64 returned_at;
	u64 changed_at;
};

static_assert(MRC_EV_MAX - 1 <= U8_MAX, "slots are u8");

/**
 * struct mrc_ev_plane - the EVs of one port and where their rotation stands
 * @first: index of the first EV of this port in the set
 * @count: EVs of this port
 * @quota: slots in rotation, 1..@count; usable EVs beyond them are spares
 * @good: EVs of this port that are GOOD or SKIP
 * @bad: EVs of this port that are ASSUMED_BAD
 * @pos: slots passed in this rotation
 * @mul: step of the permutation, prime to @quota
 * @add: slot that is next
 * @next_spare: slot from which on a spare is looked for
 * @next_bad: EV from which on a bad one is looked for, relative to @first
 */
struct mrc_ev_plane {
	u16 first;
	u16 count;
	u16 quota;
	u16 good;
	u16 bad;
	u16 pos;
	u16 mul;
	u16 add;
	u16 next_spare;
	u16 next_bad;
};

/**
 * struct mrc_ev_set - the EVs towards one peer
 * @ev: entries, grouped by port in ascending order
 * @count: entries, 1..MRC_EV_MAX
 * @min_active: EVs that stay usable whatever happens to them (not DENIED ones)
 * @good: entries that are GOOD or SKIP on a port that is up, spares among them
 * @bad: entries that are ASSUMED_BAD on a port that is up
 * @nplanes: ports that have EVs
 * @next_plane: index of the plane whose turn it is
 * @next_probe: index of the EV from which on one to probe is looked for
 * @local_mask: bit per port (bit 0 is port 1): our port can send
 * @remote_mask: bit per port: the peer's port can receive
 * @rng: state of the pseudo-random generator, never 0
 * @probe_at: ns, no probe is due before; U64_MAX: none at all
 * @planes: one element per port that has EVs
 */
struct mrc_ev_set {
	struct mrc_ev_entry *ev;
	u16 count;
	u16 min_active;
	u16 good;
	u16 bad;
	u16 nplanes;
	u16 next_plane;
	u16 next_probe;
	u32 local_mask;
	u32 remote_mask;
	u32 rng;
	u64 probe_at;
	struct mrc_ev_plane planes[MRC_PORT_MAX];
};

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

/** mrc_ev_is_usable() - may it carry data, as far as its own state goes? */
static inline bool mrc_ev_is_usable(const struct mrc_ev_entry *e)
{
	return e->state == MRC_EV_GOOD || e->state == MRC_EV_SKIP;
}

/** mrc_ev_port_up() - can our port @port, 1..32, send and the peer's receive? */
static inline bool mrc_ev_port_up(const struct mrc_ev_set *s, u8 port)
{
	return (s->local_mask & s->remote_mask) >> (port - 1) & 1;
}

/** mrc_ev_plane_of() - index in @planes of the plane that EV @ev of the set is of */
static inline u16 mrc_ev_plane_of(const struct mrc_ev_set *s, u16 ev)
{
	u16 i = 0;

	while (ev >= s->planes[i].first + s->planes[i].count)
		i++;
	return i;
}

/** mrc_ev_is_spare() - is EV @ev of the set usable but not in rotation? */
static inline bool mrc_ev_is_spare(const struct mrc_ev_set *s, u16 ev)
{
	const struct mrc_ev_entry *e = &s->ev[ev];

	return mrc_ev_is_usable(e) &&
	       e->slot >= s->planes[mrc_ev_plane_of(s, ev)].quota;
}

/**
 * mrc_ev_pick() - the EV for the next packet or batch
 * @s: the set
 * @now: ns, not 0; the same for all picks of one batch
 *
 * Steps over ports that are down, DENIED and ASSUMED_BAD EVs and, once, over SKIP EVs:
 * they are left out of one batch, and become GOOD again when a later one passes them. A
 * spare is never returned, nor passed. A plane without a usable EV gets nothing. If no plane
 * has one but some port is up, an ASSUMED_BAD EV is returned rather than none; a DENIED one
 * never is.
 *
 * Return: index, or MRC_EV_NONE when every port is down or every EV denied.
 */
u16 mrc_ev_pick(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_marked() - a SACK said SKIP_ONCE: step over this EV once
 * @s: the set
 * @ev: index; one that is not GOOD, or a spare, stays as it is
 * @now: ns
 */
void mrc_ev_marked(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_lost() - an untrimmed loss, or ALWAYS_SKIP: ASSUMED_BAD at once
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * A spare of its plane takes its place. Only probes, or mrc_ev_cleared(), bring it back: to
 * the rotation if that is short of EVs, else as a spare. The floor is @min_active, but at
 * least one, and counts usable EVs, spares too, on ports that are up; at the floor the EV
 * stays usable, but a spare takes its place all the same. A loss on a port that is down is
 * the port's, and changes nothing.
 *
 * Return: true when the state changed (not when the floor keeps it active).
 */
bool mrc_ev_lost(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_all() - are these all EVs that are in use?
 * @s: the set
 * @evs: bit per EV
 *
 * Those in rotation, or as many others of the plane: it may have changed since.
 *
 * Return: true also when none is in use.
 */
bool mrc_ev_all(const struct mrc_ev_set *s, const unsigned long *evs);

/**
 * mrc_ev_turn() - all in use are silent: the spares have their turn
 * @s: the set
 * @evs: bit per EV that is silent
 * @now: ns
 *
 * Spares that are not silent change places with EVs in rotation that are, as far as they
 * go; none is held to be bad. Called again and again it brings each spare into the rotation.
 */
void mrc_ev_turn(struct mrc_ev_set *s, const unsigned long *evs, u64 now);

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
 * mrc_ev_probe_next() - the EV that a probe is to be sent on now
 * @s: the set
 * @now: ns
 *
 * ASSUMED_BAD EVs on ports that are up take turns. The one returned counts as probed: its
 * next probe is due an interval later, twice as long as the one before, so an answer that
 * does not come needs no call. Whoever limits the rate just stops asking.
 *
 * Return: index, or MRC_EV_NONE when no probe is due.
 */
u16 mrc_ev_probe_next(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_probe_at() - when mrc_ev_probe_next() has something to do
 * @s: the set
 *
 * Return: ns, a lower bound and maybe past; U64_MAX when no EV is ASSUMED_BAD on a port
 * that is up.
 */
u64 mrc_ev_probe_at(const struct mrc_ev_set *s);

/**
 * mrc_ev_probed() - a probe on this EV was answered
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * MRC_EV_PROBE_GOOD answers in a row bring an ASSUMED_BAD EV back, more of them if it flaps.
 * Until then the next probe is due a base interval later. Says nothing of EVs in other states
 * or on a port that is down.
 *
 * Return: true when the state changed.
 */
bool mrc_ev_probed(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_probe_lost() - a probe on this EV was not answered
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * Answers of an ASSUMED_BAD EV are counted from zero again. If there were any, it has
 * flapped on its way back: the next probe is due no sooner than after a loss. An EV in use
 * is ASSUMED_BAD, as after mrc_ev_lost(), when MRC_EV_PROBE_MISSED are lost in a row.
 *
 * Return: true when the state changed.
 */
bool mrc_ev_probe_lost(struct mrc_ev_set *s, u16 ev, u64 now);

/**
 * mrc_ev_probe_unsent() - the probe that mrc_ev_probe_next() named could not be sent
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * It is due again after a base interval, and is not counted as unanswered.
 */
void mrc_ev_probe_unsent(struct mrc_ev_set *s, u16 ev, u64 now);

/** mrc_ev_alive() - data has arrived by an EV: probes lost before say nothing of it now */
void mrc_ev_alive(struct mrc_ev_set *s, u16 ev);

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
 *
 * EVs of a port that is down are neither used nor probed nor counted; when it returns they
 * are as they were.
 */
void mrc_ev_ports(struct mrc_ev_set *s, u32 local_mask, u32 remote_mask);

#endif /* _MRC_CORE_EV_SET_H */
