/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The EVs towards one peer (MRC 1.0, sections 9.3.1 and 11.2.1), and what is kept of each EV.
 * ev_rotation.h has the order in which packets take EVs, ev_schedule.h the times of probes,
 * ev_set.h the changes of state, and ev_search.h doubt, silence and the search. The caller
 * serialises all calls on one set.
 *
 * A living path is found, whatever was believed before. As long as one EV in each direction
 * delivers four packets of five, both ends have such an EV in use after a few round trips and the
 * intervals of the probes. Three rules see to that. All three rest on evidence alone: on when an EV
 * was last heard from.
 *  - Silence blames nothing: a loss counts only if something that was sent later has arrived. An EV
 *    in doubt is probed instead.
 *  - The floor keeps the EV that was most recently heard from. An EV that only the floor keeps is
 *    HELD, and is probed as if it was bad.
 *  - When a probe of an EV in use is lost and nothing that was sent since has arrived, nobody
 *    knows of any path that works: a search begins. All EVs except DENIED ones are probed and take
 *    turns, for data and for answers, until one of them is heard from.
 */
#ifndef _MRC_CORE_EV_H
#define _MRC_CORE_EV_H

#include "../base/base.h"
#include "../base/ev_index.h"
#include "../base/timing.h"
#include "../send/tx_window.h"

#define MRC_PORT_MAX	32u	/* ports are numbered 1..32 */

/**
 * enum mrc_ev_state - values of the OCP API, plus SKIP and HELD, which it does not show
 * @MRC_EV_GOOD: in use
 * @MRC_EV_ASSUMED_BAD: carries no data while another can
 * @MRC_EV_DENIED: out of use until the controller says otherwise
 * @MRC_EV_SKIP: GOOD, but stepped over, once or most of the time
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
 * enum mrc_ev_why - why the state of an EV has changed
 * @MRC_EV_WHY_NONE: it has not changed
 * @MRC_EV_WHY_LOSS: a packet was lost on it
 * @MRC_EV_WHY_SKIP: the peer said to skip it always
 * @MRC_EV_WHY_NO_ROUTE: no way leads out of this host
 * @MRC_EV_WHY_NO_ROOM: its plane has no room for packets as long as data
 * @MRC_EV_WHY_REFUSED: this host's policy, for example a firewall, lets nothing out by it
 * @MRC_EV_WHY_PROBES_LOST: probes on it were lost
 * @MRC_EV_WHY_PROBES_ANSWERED: probes on it were answered
 * @MRC_EV_WHY_HEARD: data has arrived by it
 * @MRC_EV_WHY_LATE: a packet that was held to be lost on it has arrived
 * @MRC_EV_WHY_HELD: the floor took it, because it was most recently heard from
 * @MRC_EV_WHY_BETTER: the floor let it go, because better ones are known
 * @MRC_EV_WHY_DENIED: by the controller
 * @MRC_EV_WHY_ALLOWED: by the controller
 */
enum mrc_ev_why {
	MRC_EV_WHY_NONE,
	MRC_EV_WHY_LOSS,
	MRC_EV_WHY_SKIP,
	MRC_EV_WHY_NO_ROUTE,
	MRC_EV_WHY_NO_ROOM,
	MRC_EV_WHY_REFUSED,
	MRC_EV_WHY_PROBES_LOST,
	MRC_EV_WHY_PROBES_ANSWERED,
	MRC_EV_WHY_HEARD,
	MRC_EV_WHY_LATE,
	MRC_EV_WHY_HELD,
	MRC_EV_WHY_BETTER,
	MRC_EV_WHY_DENIED,
	MRC_EV_WHY_ALLOWED,
};

/**
 * struct mrc_ev_entry - one EV of a set
 * @state: enum mrc_ev_state
 * @told: the state that mrc_ev_next_change() reported last; GOOD and SKIP count as one state
 * @missed: valid in use: probes lost in a row
 * @doubted: valid in GOOD: it is probed until it is heard from
 * @port: 1..32
 * @backoff: exponent of the interval to the next probe
 * @flaps: exponent that probing started with when the EV was lost last
 * @why: enum mrc_ev_why of the last change of @state
 * @thinned: valid in GOOD and SKIP: the EV is in one of 2^@thinned batches; 0: it is left out of
 *           one batch for each mark, and no more
 * @answered: valid in ASSUMED_BAD and HELD: probes answered in a row
 * @returned: probes have brought it back since it was new
 * @slot: its slot in its plane
 * @in_slot: the EV that stands in the slot whose number is this EV's index in the plane. So the
 *           array of slots lies in the entries and needs no memory of its own
 * @marked: valid in GOOD and SKIP: when it was marked, or thinned less, in units of MRC_TX_TICK_NS;
 *          wraps
 * @batch: valid in SKIP: when the batch began to which @skips applies, last bits of ns; 0 before
 *         the first batch
 * @skips: valid in SKIP: batches until it is in one; 0: it is in this one
 * @probe_at: ns, when the next probe is due, if it is probed at all
 * @heard_at: ns, when the newest packet was sent on it that is known to have arrived, 0: none
 * @changed_at: ns of the last change of @state, 0: none yet; GOOD and SKIP count as one state
 * @took_ns: recent average of the time until packets were answered, 0: nothing is known
 * @arrived: recent answers that told of arrivals by it; see ev_tally.h
 * @lost: recent answers that told of losses on it
 */
struct mrc_ev_entry {
	u8 state;
	u8 told : 5;
	u8 missed : 2;
	u8 doubted : 1;
	u8 port;
	u8 backoff : 5;
	u8 flaps : 3;
	u8 why : 5;
	u8 thinned : 3;
	u8 answered : 7;
	u8 returned : 1;
	u8 slot;
	u8 in_slot;
	union {
		u64 probe_at;
		struct {
			u32 marked;
			u32 batch : 25;
			u32 skips : 7;
		};
	};
	u64 heard_at;
	u64 changed_at;
	u32 took_ns;
	u16 arrived;
	u16 lost;
};

static_assert(MRC_EV_MAX - 1 <= U8_MAX, "slots are u8");

/*
 * A batch is known by the last bits of the time when it began. Two batches that are a multiple of
 * 2^25 ns apart look like the same one.
 */
#define MRC_EV_BATCH_MASK	((1u << 25) - 1)
/* An EV that is marked again and again is in one of 2^this batches at least. */
#define MRC_EV_THINNED_MAX	6u
/*
 * A mark concerns the EV's own path if fewer than one in so many of the EVs that carry data were
 * marked lately, too.
 */
#define MRC_EV_ALONE		4u
/* An EV is calm after so many of its round trips without a mark. */
#define MRC_EV_CALM_TRIPS	4u

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
 * @add: the next slot
 * @next_spare: slot at which the search for a spare begins
 * @next_any: EV at which the search for any EV begins, relative to @first
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
 * @min_active: EVs, other than DENIED ones, that stay usable whatever happens to them
 * @good: entries that are in use on a port that is up, spares among them
 * @bad: entries that are ASSUMED_BAD on a port that is up
 * @asked: entries that are in use and probed, on a port that is up
 * @nplanes: ports that have EVs
 * @next_plane: index of the plane whose turn it is
 * @next_probe: index of the EV at which the search for the next EV to probe begins
 * @local_mask: bit per port (bit 0 is port 1): our port can send
 * @remote_mask: bit per port: the peer's port can receive
 * @full_mask: bit per port: this host has no room now for data by that port; see mrc_paths_full()
 * @rng: state of the pseudo-random generator, never 0
 * @tallied: events that were counted since all counts were halved, see ev_tally.h
 * @untold: some states have changed that mrc_ev_next_change() has not reported yet
 * @timing: the waits; mrc_timing_software unless it is set after mrc_ev_set_init()
 * @probe_at: ns, no probe is due before; U64_MAX: none is due at all
 * @rtt: ns, recent average of round trips, of data and of probes; 0: none is known. Also read
 *       without the lock
 * @rtt_at: ns, when a probe changed @rtt last
 * @heard_at: ns, the newest @heard_at of an entry, 0: none
 * @silent_at: ns, when all EVs were put in doubt last, 0: never
 * @silences: how often in a row all EVs were put in doubt
 * @searched_at: ns, when a search began last, 0: never
 * @search_since: ns, nothing that was sent since then has arrived; 0: there is no search
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
	u32 full_mask;
	u32 rng;
	u32 tallied;
	bool untold;
	u8 silences;
	const struct mrc_timing *timing;
	u64 probe_at;
	u64 rtt;
	u64 rtt_at;
	u64 heard_at;
	u64 silent_at;
	u64 searched_at;
	u64 search_since;
	struct mrc_ev_plane planes[MRC_PORT_MAX];
};

/** mrc_ev_is_usable() - does the EV's own state let it carry data? */
static inline bool mrc_ev_is_usable(const struct mrc_ev_entry *e)
{
	return e->state == MRC_EV_GOOD || e->state == MRC_EV_SKIP ||
	       e->state == MRC_EV_HELD;
}

/** mrc_ev_searching() - is there a search, because no path is known to work? */
static inline bool mrc_ev_searching(const struct mrc_ev_set *s)
{
	return s->search_since;
}

/** mrc_ev_port_up() - can our port @port, 1..32, send and the peer's receive? */
static inline bool mrc_ev_port_up(const struct mrc_ev_set *s, u8 port)
{
	return (s->local_mask & s->remote_mask) >> (port - 1) & 1;
}

/** mrc_ev_plane_of() - index in @planes of the plane to which EV @ev of the set belongs */
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

/** mrc_ev_own_plane() - the plane to which EV @ev of the set belongs */
static inline struct mrc_ev_plane *mrc_ev_own_plane(struct mrc_ev_set *s, u16 ev)
{
	return &s->planes[mrc_ev_plane_of(s, ev)];
}

/** mrc_ev_plane_up() - can our port of a plane send, and the peer's receive? */
static inline bool mrc_ev_plane_up(const struct mrc_ev_set *s, const struct mrc_ev_plane *p)
{
	return mrc_ev_port_up(s, s->ev[p->first].port);
}

/** mrc_ev_lasting() - @state, with SKIP taken as GOOD: to step over an EV is no change of state */
static inline u8 mrc_ev_lasting(u8 state)
{
	return state == MRC_EV_SKIP ? (u8)MRC_EV_GOOD : state;
}

/** mrc_ev_mark_age() - ns since an EV was marked, or thinned less; wraps after some minutes */
static inline u64 mrc_ev_mark_age(const struct mrc_ev_entry *e, u64 now)
{
	return (u64)(mrc_tx_ticks(now) - e->marked) * MRC_TX_TICK_NS;
}

/** mrc_ev_takes() - ns, recent round trip of an EV; if that is not known, of the set */
static inline u64 mrc_ev_takes(const struct mrc_ev_set *s, const struct mrc_ev_entry *e)
{
	return e->took_ns ? e->took_ns : s->rtt;
}

/** mrc_ev_is_asked() - is the EV in use, and probed all the same? */
static inline bool mrc_ev_is_asked(const struct mrc_ev_entry *e)
{
	return e->state == MRC_EV_HELD || e->doubted;
}

/** mrc_ev_is_probed() - is the EV probed until it is known to work? */
static inline bool mrc_ev_is_probed(const struct mrc_ev_set *s, const struct mrc_ev_entry *e)
{
	return (e->state == MRC_EV_ASSUMED_BAD || mrc_ev_is_asked(e)) &&
	       mrc_ev_port_up(s, e->port);
}

#endif /* _MRC_CORE_EV_H */
