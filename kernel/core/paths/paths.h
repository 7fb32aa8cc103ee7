/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The paths to one peer, in both directions: the EVs that data takes (ev.h), those that answers
 * take (reverse.h), and what was counted on each.
 *
 * All that is learned of an EV comes in by mrc_paths_report(), which decides what it is worth:
 *
 *  what was seen                          what is made of it
 *  -------------                          ------------------
 *  data has arrived by the EV             it is out of doubt, and a search ends; if it was bad, the
 *                                         floor takes it back where it is short of one
 *  what was held to be lost has arrived   the loss was none
 *  data is lost: something of its own     it is counted: the EV is bad if it loses what others do
 *  traffic class and EV, sent later,      not, without taking longer than these (ev_tally.h)
 *  arrived
 *  data is late: nothing has arrived by   it is as a probe that was lost; and where that holds for
 *  its EV that was sent later, but        the whole plane, all its EVs are bad
 *  something by others
 *  data is unanswered, and so is all      nobody is to blame: it may be the other end that does not
 *  that was sent since                    answer, and others use the EV. Probes are to tell
 *  data is lost or late, and a queue of   the same: only a probe is to tell
 *  this host, of that plane, has dropped
 *  something
 *  a probe was answered                   as for data; and several in a row bring a bad EV back
 *  a probe was lost                       several in a row make the EV bad if something has arrived
 *                                         that was sent since; if nothing has, a search begins
 *  a probe was lost, and a queue of this  nothing, as long as something has arrived by the EV within
 *  host has dropped something             MRC_PATHS_DROPPED_NS; then as for any probe
 *  the peer says so, by a SACK            skip once: not in the next batch; always: bad
 *  nothing can leave this host by it      certain: bad at once, with the reason
 *
 * A probe says nothing of an EV whose state has changed since it was sent. How many EVs stay in use
 * whatever is seen is ev_set.h's floor. It is one of the whole set and not of each plane: a plane
 * whose EVs are all bad must carry nothing. The caller serialises all calls on one struct.
 */
#ifndef _MRC_CORE_PATHS_H
#define _MRC_CORE_PATHS_H

#include "../base/base.h"
#include "ev_search.h"
#include "ev_set.h"
#include "../send/news.h"
#include "reverse.h"

/* Probes of the way back that leave in a round trip, where these take long, unless one is lost. */
#define MRC_PATHS_REVERSE_RTT	4u
/* What queues of this host drop excuses lost probes of an EV for so long after the last arrival. */
#define MRC_PATHS_DROPPED_NS	500000000ull

/**
 * struct mrc_paths_ev - how one EV is called, and what was counted on it
 * @bits: EV bits in source port and flow label, which answers echo
 * @index: of the EV in its profile
 * @lost: packets held to be lost on it and sent again
 * @probed: EV probes sent on it
 * @tx_packets: packets meant for it
 * @acked: packets known to have arrived by it
 * @marked: CE echoes
 */
struct mrc_paths_ev {
	u32 bits;
	u16 index;
	u32 lost;
	u32 probed;
	u64 tx_packets;
	u64 acked;
	u64 marked;
};

/**
 * struct mrc_paths - the paths to a peer
 * @count: EVs, 0..MRC_EV_MAX; 0: there is no path, and @set is empty
 * @ev: one per EV, same index as in @set
 * @set: states and spray order
 * @reverse: EVs for answers
 * @heard_at: ns, when an answer last said that something has arrived; may be read without a lock
 * @reverse_at: ns, no probe of the way back before; read likewise
 */
struct mrc_paths {
	u16 count;
	struct mrc_paths_ev *ev;
	struct mrc_ev_set set;
	struct mrc_reverse reverse;
	u64 heard_at;
	u64 reverse_at;
};

/**
 * enum mrc_seen - what was seen of an EV; see the top of this file
 * @MRC_SEEN_ARRIVED: data has arrived by it
 * @MRC_SEEN_STIRRED: data has arrived, nobody knows by which EV
 * @MRC_SEEN_ARRIVED_LATE: so has what was reported as lost
 * @MRC_SEEN_LOST: data is lost, but later data has arrived by it
 * @MRC_SEEN_UNHEARD: data is late, and no later data has
 * @MRC_SEEN_SILENT: data is unanswered
 * @MRC_SEEN_SKIP_ONCE: the peer saw a mark of congestion
 * @MRC_SEEN_SKIP_ALWAYS: the peer wants nothing by it
 * @MRC_SEEN_PROBE_ANSWERED: a probe was answered
 * @MRC_SEEN_PROBE_LOST: a probe was not
 * @MRC_SEEN_PROBE_DROPPED: nor was this one, but a queue of this host has dropped something
 * @MRC_SEEN_NO_ROUTE: there is no way out of this host
 * @MRC_SEEN_NO_ROOM: its plane has no room for packets as long as data
 * @MRC_SEEN_REFUSED: this host's policy lets nothing out by it
 */
enum mrc_seen {
	MRC_SEEN_ARRIVED,
	MRC_SEEN_STIRRED,
	MRC_SEEN_ARRIVED_LATE,
	MRC_SEEN_LOST,
	MRC_SEEN_UNHEARD,
	MRC_SEEN_SILENT,
	MRC_SEEN_SKIP_ONCE,
	MRC_SEEN_SKIP_ALWAYS,
	MRC_SEEN_PROBE_ANSWERED,
	MRC_SEEN_PROBE_LOST,
	MRC_SEEN_PROBE_DROPPED,
	MRC_SEEN_NO_ROUTE,
	MRC_SEEN_NO_ROOM,
	MRC_SEEN_REFUSED,
};

/**
 * mrc_paths_init() - paths of which nothing is known
 * @p: the paths
 * @ev: @count elements: @bits and @index filled in, indices ascending, all else zero
 * @entry: as for mrc_ev_set_init()
 * @count: elements of both, 0..MRC_EV_MAX
 * @min_active: as for mrc_ev_set_init(); more than @count is @count
 * @active: the same
 * @random: pseudo-random, differs between senders
 *
 * Return: 0, or -EINVAL as mrc_ev_set_init().
 */
int mrc_paths_init(struct mrc_paths *p, struct mrc_paths_ev *ev,
		   struct mrc_ev_entry *entry, u16 count, u16 min_active,
		   u16 active, u32 random);

/**
 * mrc_paths_keep() - paths that take the place of others: what was known of those that stay holds on
 * @p: of which nothing is known but which are denied and which ports are up
 * @old: the others
 * @from: per EV of @p its index in @old, MRC_EV_NONE: it was not there
 * @now: ns
 *
 * States and counters; see mrc_ev_keep() and mrc_ev_keep_end(). Several EVs may change: see
 * mrc_paths_next_change(), which compares each with the one of the same index in the profile before.
 */
void mrc_paths_keep(struct mrc_paths *p, const struct mrc_paths *old, const u16 *from, u64 now);

/**
 * mrc_paths_carries() - does data take EVs of a plane, as far as is known?
 * @p: the paths
 * @plane: index in the set's planes
 *
 * Without the paths' lock: a hint.
 */
static inline bool mrc_paths_carries(const struct mrc_paths *p, unsigned int plane)
{
	const struct mrc_ev_plane *e = &p->set.planes[plane];
	u32 up = READ_ONCE(p->set.local_mask) & READ_ONCE(p->set.remote_mask);

	return READ_ONCE(e->good) && up >> (p->set.ev[e->first].port - 1) & 1;
}

/** mrc_paths_full() - what is drawn next avoids these ports, a bit for each, if others carry data */
static inline void mrc_paths_full(struct mrc_paths *p, u32 ports)
{
	p->set.full_mask = ports;
}

/**
 * mrc_paths_draw() - the EVs of a batch
 * @p: the paths
 * @any: on EVs that are assumed bad, too: what is sent was sent in vain
 * @packets: that are dealt to them, element by element and round again
 * @now: ns, not 0
 * @ev: result: elements are indices or MRC_EV_NONE
 * @stride: elements of @ev
 */
void mrc_paths_draw(struct mrc_paths *p, bool any, unsigned int packets, u64 now,
		    u16 *ev, unsigned int stride);

/** mrc_paths_resent() - a packet that was sent on EV @ev, any number, goes out again */
void mrc_paths_resent(struct mrc_paths *p, u16 ev);

/**
 * mrc_paths_report() - something was seen of an EV: the only way to its state
 * @p: the paths
 * @seen: what
 * @ev: index; with MRC_SEEN_STIRRED any number, with MRC_SEEN_SILENT also MRC_EV_NONE: not known
 * @sent: ns, when the newest of what arrived, the first of what is unanswered or late, or the probe
 *        was sent; else any number
 * @now: ns
 *
 * Several EVs may change: see mrc_paths_next_change().
 */
void mrc_paths_report(struct mrc_paths *p, enum mrc_seen seen, u16 ev, u64 sent,
		      u64 now);

/** mrc_paths_missed() - ports, a bit for each, by which something was sent that is late or lost */
u32 mrc_paths_missed(const struct mrc_paths *p, const struct mrc_news *n);

/**
 * mrc_paths_learn() - a QP has learned something
 * @p: the paths
 * @n: what; indices are those of @p
 * @now: ns
 */
void mrc_paths_learn(struct mrc_paths *p, const struct mrc_news *n, u64 now);

/**
 * mrc_paths_reverse_ev() - the EV for an answer that leaves now (ns, not 0)
 *
 * Return: index or MRC_EV_NONE.
 */
u16 mrc_paths_reverse_ev(struct mrc_paths *p, u64 now);

/**
 * mrc_paths_answer_evs() - the EVs for the answer to an EV probe or a port status
 * @p: the paths
 * @port: our port that it came in by, 0: none of ours
 * @bits: EV bits that it came with
 * @now: ns, not 0
 * @ev: result: elements are indices
 *
 * Return: elements of @ev, 0: there is no EV.
 */
unsigned int mrc_paths_answer_evs(struct mrc_paths *p, u8 port, u32 bits, u64 now,
				  u16 ev[MRC_REVERSE_COPIES]);

/**
 * mrc_paths_want_reverse() - may it be time to probe the way back?
 *
 * For callers that have no lock yet: a hint, of which mrc_paths_reverse_probe() is sure.
 */
bool mrc_paths_want_reverse(const struct mrc_paths *p, u64 now);

/**
 * mrc_paths_reverse_probe() - an answer was sent: is it time to probe the way back?
 * @p: the paths
 * @random: any number
 * @now: ns
 *
 * Return: index of the EV to probe, or MRC_EV_NONE: it is not.
 */
u16 mrc_paths_reverse_probe(struct mrc_paths *p, u32 random, u64 now);

/**
 * mrc_paths_next_change() - an EV whose state has changed since it was spoken of last
 *
 * To be called after all else until it returns MRC_EV_NONE; see mrc_ev_next_change().
 */
static inline u16 mrc_paths_next_change(struct mrc_paths *p, u8 *old)
{
	return mrc_ev_next_change(&p->set, old);
}

/**
 * mrc_paths_overdue() - is an answer later than is waited for one?
 * @p: the paths
 * @sent: ns, when the request was sent
 * @now: ns
 *
 * No lock is needed. Return: ns, how long is waited; 0: it is in time, or a copy of one that was.
 */
u64 mrc_paths_overdue(const struct mrc_paths *p, u64 sent, u64 now);

/**
 * mrc_paths_late() - a request was answered that had been given up
 * @p: the paths
 * @sent: ns, when it was sent
 * @now: ns
 *
 * Answers that come later than is waited for them are in vain, and what they were for is asked
 * again, which makes the next ones later: so the time that they took counts as a round trip. Of its
 * EV it says nothing, for nobody knows which that was.
 */
void mrc_paths_late(struct mrc_paths *p, u64 sent, u64 now);

/** mrc_paths_ask_wait() - ns, how long to wait for the answer to a request; no lock is needed */
static inline u64 mrc_paths_ask_wait(const struct mrc_paths *p)
{
	return mrc_ev_patience(&p->set, p->set.timing->ask);
}

/** mrc_paths_deny() - the controller takes the EVs with this index of the profile out, or in */
void mrc_paths_deny(struct mrc_paths *p, u16 index, bool deny, u64 now);

/** mrc_paths_ports() - see mrc_ev_ports() */
void mrc_paths_ports(struct mrc_paths *p, u32 local_mask, u32 remote_mask, u64 now);

#endif /* _MRC_CORE_PATHS_H */
