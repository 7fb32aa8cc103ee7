/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The EVs towards one peer: their states and the order in which packets take
 * them (MRC 1.0, sections 9.3.1 and 11.2.1). The caller serialises all calls on one set.
 *
 * Spray order: the planes take turns, so they carry exactly equal shares as
 * long as each has a usable EV; inside a plane the EVs follow a pseudo-random
 * permutation that is drawn anew at the end of each rotation. A retired EV is
 * therefore replaced from its own plane only.
 *
 * The EVs of a plane stand in slots, of which the first @quota are in rotation.
 * One that is retired changes places with a usable EV of the others, the plane's
 * spares; where there is none left the rest of the rotation takes its share.
 *
 * A living path is found, whatever was believed before: while one EV in each direction takes
 * four packets of five, both ends have one of these in use after a few round trips and the
 * intervals of the probes. Three things see to that, and all three stand on evidence alone, that
 * is on what was last heard of an EV:
 *  - Nothing is blamed in silence: a loss counts only if something that was sent later has
 *    arrived. What is in doubt is probed instead.
 *  - The floor keeps the EV that was heard of last. What it keeps is HELD, and probed as if it
 *    was bad.
 *  - When a probe of an EV in use is lost and nothing that was sent since has arrived, nobody
 *    knows of any path that works: a search begins. All EVs but DENIED ones are probed and take
 *    turns, for data and for answers, until one is heard of.
 */
#ifndef _MRC_CORE_EV_SET_H
#define _MRC_CORE_EV_SET_H

#include "base.h"
#include "tx_window.h"

#define MRC_PORT_MAX	32u	/* ports are numbered 1..32 */

/**
 * enum mrc_ev_state - values of the OCP API, plus SKIP and HELD, which it does not show
 * @MRC_EV_GOOD: in use
 * @MRC_EV_ASSUMED_BAD: carries no data while another can
 * @MRC_EV_DENIED: out of use until the controller says otherwise
 * @MRC_EV_SKIP: GOOD, to be stepped over once
 * @MRC_EV_HELD: lost, and in use all the same: nothing better is known
 */
enum mrc_ev_state {
	MRC_EV_GOOD		= 1,
	MRC_EV_ASSUMED_BAD	= 2,
	MRC_EV_DENIED		= 4,
	MRC_EV_SKIP		= 8,
	MRC_EV_HELD		= 16,
};

/**
 * enum mrc_ev_why - why an EV is in another state than before
 * @MRC_EV_WHY_NONE: it is not
 * @MRC_EV_WHY_LOSS: a packet was lost on it
 * @MRC_EV_WHY_SKIP: the peer said to skip it always
 * @MRC_EV_WHY_NO_ROUTE: no way leads out of this host
 * @MRC_EV_WHY_NO_ROOM: its plane has no room for packets as long as data
 * @MRC_EV_WHY_PROBES_LOST: its probes were
 * @MRC_EV_WHY_PROBES_ANSWERED: its probes were
 * @MRC_EV_WHY_HEARD: data has arrived by it
 * @MRC_EV_WHY_LATE: what was held to be lost on it has arrived
 * @MRC_EV_WHY_HELD: the floor took it, for it was heard of last
 * @MRC_EV_WHY_BETTER: the floor let it go, for better ones are known
 * @MRC_EV_WHY_DENIED: by the controller
 * @MRC_EV_WHY_ALLOWED: by the controller
 */
enum mrc_ev_why {
	MRC_EV_WHY_NONE,
	MRC_EV_WHY_LOSS,
	MRC_EV_WHY_SKIP,
	MRC_EV_WHY_NO_ROUTE,
	MRC_EV_WHY_NO_ROOM,
	MRC_EV_WHY_PROBES_LOST,
	MRC_EV_WHY_PROBES_ANSWERED,
	MRC_EV_WHY_HEARD,
	MRC_EV_WHY_LATE,
	MRC_EV_WHY_HELD,
	MRC_EV_WHY_BETTER,
	MRC_EV_WHY_DENIED,
	MRC_EV_WHY_ALLOWED,
};

/*
 * Probing of ASSUMED_BAD and HELD EVs, and of those in doubt (open point: cadence and number of
 * successes: MRC 1.0, section 9.3.1).
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
 * An EV of which something was heard so lately is not in doubt; and so long after all were put in
 * doubt for the silence of a QP they are again at the soonest, which doubles until data has
 * arrived by a known EV, to MRC_EV_PROBE_MAX_NS: programs that nobody answers share the EVs with others, and a
 * host answers few probes of those that it has no QP with.
 */
#define MRC_EV_DOUBT_NS		(50 * 1000ull * 1000)
#define MRC_EV_SILENCE_NS	(100 * 1000ull * 1000)
/* All probing begins anew for a search, if the last one is so long ago. */
#define MRC_EV_SEARCH_NS	MRC_EV_PROBE_MAX_NS

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
 * @told: @state when mrc_ev_next_change() spoke of it last; GOOD and SKIP count as one
 * @missed: in use: probes lost in a row
 * @doubted: GOOD: is probed until it is heard of
 * @port: 1..32
 * @backoff: exponent of the interval to the next probe
 * @flaps: exponent that probing started with when the EV was lost last
 * @why: enum mrc_ev_why of the last change of @state
 * @answered: ASSUMED_BAD or HELD: probes answered in a row
 * @returned: probes have brought it back since it was new
 * @slot: where in its plane it stands
 * @in_slot: of the slot that has the same index in the plane as this EV: the EV there
 * @skip_at: SKIP: ns, when it was stepped over first, 0 before
 * @probe_at: ns, when the next probe is due, if it is probed at all
 * @heard_at: ns, when the newest packet was sent on it that is known to have arrived, 0: none
 * @changed_at: ns of the last change of @state, 0: none yet; GOOD and SKIP count as one
 */
struct mrc_ev_entry {
	u8 state;
	u8 told : 5;
	u8 missed : 2;
	u8 doubted : 1;
	u8 port;
	u8 backoff : 5;
	u8 flaps : 3;
	u8 why;
	u8 answered : 7;
	u8 returned : 1;
	u8 slot;
	u8 in_slot;
	union {
		u64 skip_at;
		u64 probe_at;
	};
	u64 heard_at;
	u64 changed_at;
};

static_assert(MRC_EV_MAX - 1 <= U8_MAX, "slots are u8");

/**
 * struct mrc_ev_plane - the EVs of one port and where their rotation stands
 * @first: index of the first EV of this port in the set
 * @count: EVs of this port
 * @quota: slots in rotation, 1..@count; usable EVs beyond them are spares
 * @good: EVs of this port that are in use: GOOD, SKIP or HELD
 * @bad: EVs of this port that are ASSUMED_BAD
 * @asked: EVs of this port that are in use and probed: HELD or in doubt
 * @pos: slots passed in this rotation
 * @mul: step of the permutation, prime to @quota
 * @add: slot that is next
 * @next_spare: slot from which on a spare is looked for
 * @next_any: EV from which on any is looked for, relative to @first
 */
struct mrc_ev_plane {
	u16 first;
	u16 count;
	u16 quota;
	u16 good;
	u16 bad;
	u16 asked;
	u16 pos;
	u16 mul;
	u16 add;
	u16 next_spare;
	u16 next_any;
};

/**
 * struct mrc_ev_set - the EVs towards one peer
 * @ev: entries, grouped by port in ascending order
 * @count: entries, 1..MRC_EV_MAX
 * @min_active: EVs that stay usable whatever happens to them (not DENIED ones)
 * @good: entries that are in use on a port that is up, spares among them
 * @bad: entries that are ASSUMED_BAD on a port that is up
 * @asked: entries that are in use and probed, on a port that is up
 * @nplanes: ports that have EVs
 * @next_plane: index of the plane whose turn it is
 * @next_probe: index of the EV from which on one to probe is looked for
 * @local_mask: bit per port (bit 0 is port 1): our port can send
 * @remote_mask: bit per port: the peer's port can receive
 * @rng: state of the pseudo-random generator, never 0
 * @untold: states have changed of which mrc_ev_next_change() has not spoken
 * @probe_at: ns, no probe is due before; U64_MAX: none at all
 * @heard_at: ns, the newest @heard_at of an entry, 0: none
 * @silent_at: ns, when all were put in doubt last, 0: never
 * @silences: times in a row that they were
 * @searched_at: ns, when a search began last, 0: never
 * @search_since: ns, nothing that was sent since has arrived; 0: no search
 * @planes: one element per port that has EVs
 */
struct mrc_ev_set {
	struct mrc_ev_entry *ev;
	u16 count;
	u16 min_active;
	u16 good;
	u16 bad;
	u16 asked;
	u16 nplanes;
	u16 next_plane;
	u16 next_probe;
	u32 local_mask;
	u32 remote_mask;
	u32 rng;
	bool untold;
	u8 silences;
	u64 probe_at;
	u64 heard_at;
	u64 silent_at;
	u64 searched_at;
	u64 search_since;
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
	return e->state == MRC_EV_GOOD || e->state == MRC_EV_SKIP ||
	       e->state == MRC_EV_HELD;
}

/** mrc_ev_searching() - is it not known of any path that it works? */
static inline bool mrc_ev_searching(const struct mrc_ev_set *s)
{
	return s->search_since;
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
 * never is. In a search: what mrc_ev_pick_any() says.
 *
 * Return: index, or MRC_EV_NONE when every port is down or every EV denied.
 */
u16 mrc_ev_pick(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_pick_any() - the next EV, whatever is believed of it
 * @s: the set
 *
 * For what has been sent in vain: planes that are up take turns, and in a plane all EVs but
 * DENIED ones do, spares among them.
 *
 * Return: index, or MRC_EV_NONE.
 */
u16 mrc_ev_pick_any(struct mrc_ev_set *s);

/**
 * mrc_ev_marked() - a SACK said SKIP_ONCE: step over this EV once
 * @s: the set
 * @ev: index; one that is not GOOD, or a spare, stays as it is
 */
void mrc_ev_marked(struct mrc_ev_set *s, u16 ev);

/**
 * mrc_ev_lost() - an untrimmed loss, or ALWAYS_SKIP: ASSUMED_BAD at once
 * @s: the set
 * @ev: index
 * @why: what to say of it
 * @now: ns
 *
 * To be called only when something that was sent later has arrived, or cannot leave this host. A spare of its plane takes
 * its place. Only probes, or mrc_ev_cleared(), bring it back: to the rotation if that is short
 * of EVs, else as a spare. The floor is @min_active, but at least one, and counts EVs in use,
 * spares too, on ports that are up. At the floor a bad EV comes back for it, HELD, if that was
 * heard of later; else the EV itself is HELD, but a spare takes its place all the same. HELD
 * ones go as soon as enough others are GOOD, those first that were heard of longest ago. A loss
 * on a port that is down is the port's, and changes nothing.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_lost(struct mrc_ev_set *s, u16 ev, enum mrc_ev_why why, u64 now);

/**
 * mrc_ev_silent() - who sent on this EV has heard of nothing that was sent since
 * @s: the set
 * @ev: index; MRC_EV_NONE: it is not known what it was sent on
 * @since: ns, when the first of it was sent
 * @now: ns
 *
 * Nobody is to blame: it may be the other end that does not answer. If something else that
 * was sent to it since has arrived this EV is in doubt, else all are, and bad ones are
 * probed at once. To be called for each EV that was sent on.
 */
void mrc_ev_silent(struct mrc_ev_set *s, u16 ev, u64 since, u64 now);

/**
 * mrc_ev_stirred() - something that was sent has arrived, but nobody knows by which EV
 * @s: the set
 * @now: ns
 *
 * In a search all are probed at once: now one will be answered.
 */
void mrc_ev_stirred(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_heard() - data that was sent on this EV has arrived, for certain
 * @s: the set
 * @ev: index
 * @sent: ns, when the newest of it was sent
 * @now: ns
 *
 * The silence of all is over. The EV is not in doubt, and a search is over: then the EV is in rotation, and GOOD if it was
 * ASSUMED_BAD. Without a search one that is ASSUMED_BAD comes back, HELD, if the floor wants for
 * it. Else only probes bring it back.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_heard(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now);

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
 * EVs on ports that are up take turns that are ASSUMED_BAD, HELD or in doubt. The one returned
 * counts as probed: its next probe is due an interval later, twice as long as the one before, so
 * an answer that does not come needs no call. Whoever limits the rate just stops asking.
 *
 * Return: index, or MRC_EV_NONE when no probe is due.
 */
u16 mrc_ev_probe_next(struct mrc_ev_set *s, u64 now);

/**
 * mrc_ev_probe_at() - when mrc_ev_probe_next() has something to do
 * @s: the set
 *
 * Return: ns, a lower bound and maybe past; U64_MAX when no EV on a port that is up is to be
 * probed.
 */
u64 mrc_ev_probe_at(const struct mrc_ev_set *s);

/**
 * mrc_ev_probed() - a probe on this EV was answered
 * @s: the set
 * @ev: index
 * @sent: ns, when it was sent
 * @now: ns
 *
 * As mrc_ev_heard(), but a silence goes on: the host is there, the QP is silent. And
 * MRC_EV_PROBE_GOOD answers in a row bring an ASSUMED_BAD EV back, and make a HELD one GOOD, more
 * of them if it flaps. Until then the next probe is due a base interval later. Says nothing of an
 * EV on a port that is down.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_probed(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now);

/**
 * mrc_ev_probe_lost() - a probe on this EV was not answered
 * @s: the set
 * @ev: index
 * @sent: ns, when it was sent
 * @now: ns
 *
 * Answers of an ASSUMED_BAD or HELD EV are counted from zero again. If there were any, it has
 * flapped on its way back: the next probe is due no sooner than after a loss. An EV in use
 * is lost, as with mrc_ev_lost(), when MRC_EV_PROBE_MISSED are lost in a row and something has
 * arrived that was sent as late as each of them. If nothing has, a search begins; of HELD ones,
 * which were lost before, that is no news unless all in use are HELD.
 *
 * Return: true when its state changed.
 */
bool mrc_ev_probe_lost(struct mrc_ev_set *s, u16 ev, u64 sent, u64 now);

/**
 * mrc_ev_probe_unsent() - the probe that mrc_ev_probe_next() named could not be sent
 * @s: the set
 * @ev: index
 * @now: ns
 *
 * It is due again after the interval that it had waited for, and is not counted as unanswered: who
 * has no room for it now has less for more of them.
 */
void mrc_ev_probe_unsent(struct mrc_ev_set *s, u16 ev, u64 now);

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

#endif /* _MRC_CORE_EV_SET_H */
