/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The paths to one peer, in both directions: the EVs that data takes (ev.h), those that answers
 * take (reverse.h), and what was counted on each.
 *
 * All that is learned of an EV is reported to mrc_paths_report(), which decides what follows:
 *
 *  what was seen                          what follows
 *  -------------                          ------------
 *  data has arrived by the EV             the EV is out of doubt, and a search ends. If the EV was
 *                                         bad and the floor is short of EVs, it is HELD
 *  data that was held to be lost has      the loss does not count, and a bad EV is GOOD again
 *  arrived
 *  data is lost: a later packet of its    the loss is counted. The EV is bad once it has lost far
 *  traffic class and EV has arrived       more than others that take as long (ev_tally.h)
 *  data is late: nothing sent later has   this counts as a lost probe. If nothing later has arrived
 *  arrived by its EV, but something has   by the whole plane, all EVs of the plane are bad
 *  by others
 *  data is unanswered, and so is all      nothing is blamed: the other end may be silent, and other
 *  that was sent since                    QPs use the EV. Probes find out
 *  data is lost or late, and a queue of   the same: probes find out
 *  this host, of that plane, has dropped
 *  something
 *  a probe was answered                   as for data; and several answers in a row bring a bad EV
 *                                         back
 *  a probe was lost                       if something that was sent since has arrived: several
 *                                         losses in a row make the EV bad. If not: a search begins
 *  a probe was lost, and a queue of this  nothing, if something has arrived by the EV in the last
 *  host has dropped something             MRC_PATHS_DROPPED_NS; else as for any lost probe
 *  the peer asks for it, by a SACK        "skip once": the EV is left out of the next batch;
 *                                         "always skip": it is bad
 *  nothing can leave this host by the EV  the EV is bad at once, with the reason: this is certain
 *
 * A probe says nothing of an EV whose state has changed since the probe was sent. The floor of
 * ev_set.h says how many EVs stay in use whatever is seen. There is one floor for the whole set,
 * not one for each plane: a plane whose EVs are all bad must carry nothing. The caller serialises
 * all calls on one struct.
 */
#ifndef _MRC_CORE_PATHS_H
#define _MRC_CORE_PATHS_H

#include "../base/base.h"
#include "ev_search.h"
#include "ev_set.h"
#include "../send/news.h"
#include "reverse.h"

/* Where round trips take long, so many probes of the way back leave in one, unless one is lost. */
#define MRC_PATHS_REVERSE_RTT	4u
/*
 * If a queue of this host has dropped packets, a lost probe does not count against an EV by which
 * something has arrived in this time.
 */
#define MRC_PATHS_DROPPED_NS	500000000ull
/* sqrt(2) - 1, as a fraction of 2^32: the turn from one draw to the next. */
#define MRC_PATHS_TURN		0x6a09e667u

/**
 * struct mrc_paths_ev - the names of one EV, and what was counted on it
 * @bits: EV bits in source port and flow label, which answers echo
 * @index: of the EV in its profile
 * @lost: packets held to be lost on it and sent again
 * @probed: EV probes sent on it
 * @tx_packets: packets dealt to it
 * @acked: packets known to have arrived by it
 * @marked: CE echoes of packets on it
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
 * @turn: which element of a draw is drawn first, as a fraction of 2^32
 * @set: states and spray order
 * @reverse: EVs for answers
 * @heard_at: ns, when an answer last said that something has arrived; may be read without a lock
 * @reverse_at: ns, no probe of the way back is sent before; may be read without a lock
 */
struct mrc_paths {
	u16 count;
	struct mrc_paths_ev *ev;
	u32 turn;
	struct mrc_ev_set set;
	struct mrc_reverse reverse;
	u64 heard_at;
	u64 reverse_at;
};

/**
 * enum mrc_seen - what was seen of an EV; see the top of this file
 * @MRC_SEEN_ARRIVED: data has arrived by it
 * @MRC_SEEN_STIRRED: data has arrived, nobody knows by which EV
 * @MRC_SEEN_ARRIVED_LATE: data that was reported as lost has arrived
 * @MRC_SEEN_LOST: data is lost, but later data has arrived by it
 * @MRC_SEEN_UNHEARD: data is late, and no later data has arrived by it
 * @MRC_SEEN_SILENT: data is unanswered
 * @MRC_SEEN_SKIP_ONCE: the peer saw a mark of congestion
 * @MRC_SEEN_SKIP_ALWAYS: the peer wants nothing by it
 * @MRC_SEEN_PROBE_ANSWERED: a probe was answered
 * @MRC_SEEN_PROBE_LOST: a probe was not answered
 * @MRC_SEEN_PROBE_DROPPED: a probe was not answered, but a queue of this host has dropped something
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
 * mrc_paths_keep() - new paths replace old ones: take over what was known of the EVs that stay
 * @p: the new paths, of which only the DENIED EVs and the ports that are up are known
 * @old: the old paths
 * @from: for each EV of @p its index in @old; MRC_EV_NONE: it was not there
 * @now: ns
 *
 * Takes over states and counters; see mrc_ev_keep() and mrc_ev_keep_end(). Several EVs may change:
 * see mrc_paths_next_change(), which compares each EV with the old EV that had the same index in
 * the profile.
 */
void mrc_paths_keep(struct mrc_paths *p, const struct mrc_paths *old, const u16 *from, u64 now);

/**
 * mrc_paths_carries() - does data take the EVs of a plane?
 * @p: the paths
 * @plane: index in the set's planes
 *
 * The paths' lock is not needed; then the result is only a hint.
 */
static inline bool mrc_paths_carries(const struct mrc_paths *p, unsigned int plane)
{
	const struct mrc_ev_plane *e = &p->set.planes[plane];
	u32 up = READ_ONCE(p->set.local_mask) & READ_ONCE(p->set.remote_mask);

	return READ_ONCE(e->good) && up >> (p->set.ev[e->first].port - 1) & 1;
}

/** mrc_paths_full() - the next draw avoids @ports, a bit for each port, if others carry data */
static inline void mrc_paths_full(struct mrc_paths *p, u32 ports)
{
	p->set.full_mask = ports;
}

/**
 * mrc_paths_draw() - draw the EVs of a batch
 * @p: the paths
 * @any: draw ASSUMED_BAD EVs, too, because the packets were sent in vain before
 * @packets: packets that are dealt to the elements of @ev in turn
 * @now: ns, not 0
 * @ev: result: elements are indices or MRC_EV_NONE
 * @stride: elements of @ev
 */
void mrc_paths_draw(struct mrc_paths *p, bool any, unsigned int packets, u64 now,
		    u16 *ev, unsigned int stride);

/** mrc_paths_resent() - a packet that was sent on EV @ev (any number is allowed) goes out again */
void mrc_paths_resent(struct mrc_paths *p, u16 ev);

/**
 * mrc_paths_report() - something was seen of an EV. All evidence about EVs comes in here
 * @p: the paths
 * @seen: what was seen
 * @ev: index; with MRC_SEEN_STIRRED any number; with MRC_SEEN_SILENT also MRC_EV_NONE: not known
 * @sent: ns, when a packet was sent: the newest one that arrived, the first one that is unanswered
 *        or late, or the probe; any number for everything else
 * @now: ns
 *
 * Several EVs may change: see mrc_paths_next_change().
 */
void mrc_paths_report(struct mrc_paths *p, enum mrc_seen seen, u16 ev, u64 sent,
		      u64 now);

/** mrc_paths_missed() - the ports, a bit for each, on whose EVs @n has something late or lost */
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

/** mrc_paths_vary_ev() - likewise, for a packet that is not acknowledged: see mrc_reverse_vary() */
u16 mrc_paths_vary_ev(struct mrc_paths *p, u64 now);

/**
 * mrc_paths_answer_evs() - the EVs for the answer to an EV probe or a port status
 * @p: the paths
 * @port: our port by which the request came in; 0: none of ours
 * @bits: EV bits of the request
 * @now: ns, not 0
 * @ev: result: indices of EVs
 *
 * Return: elements in @ev, 0: there is no EV.
 */
unsigned int mrc_paths_answer_evs(struct mrc_paths *p, u8 port, u32 bits, u64 now,
				  u16 ev[MRC_REVERSE_COPIES]);

/**
 * mrc_paths_want_reverse() - may it be time to probe the way back?
 *
 * A hint for callers that have no lock yet. mrc_paths_reverse_probe() then decides, with the lock.
 */
bool mrc_paths_want_reverse(const struct mrc_paths *p, u64 now);

/**
 * mrc_paths_reverse_probe() - an answer was sent: is it time to probe the way back?
 * @p: the paths
 * @random: any number
 * @now: ns
 *
 * Return: index of the EV to probe, or MRC_EV_NONE: it is not time yet.
 */
u16 mrc_paths_reverse_probe(struct mrc_paths *p, u32 random, u64 now);

/**
 * mrc_paths_next_change() - an EV whose state has changed since its last report
 *
 * To be called after everything else, until it returns MRC_EV_NONE; see mrc_ev_next_change().
 */
static inline u16 mrc_paths_next_change(struct mrc_paths *p, u8 *old)
{
	return mrc_ev_next_change(&p->set, old);
}

/**
 * mrc_paths_overdue() - did an answer come after the wait for it was over?
 * @p: the paths
 * @sent: ns, when the request was sent
 * @now: ns
 *
 * No lock is needed. Return: ns, the length of the wait; 0: the answer is in time, or is a copy of
 * one that was.
 */
u64 mrc_paths_overdue(const struct mrc_paths *p, u64 sent, u64 now);

/**
 * mrc_paths_late() - a request was answered after it had been given up
 * @p: the paths
 * @sent: ns, when it was sent
 * @now: ns
 *
 * An answer that comes after the wait is of no use, and the request is sent again. That makes the
 * next answers even later. So the time that the late answer took counts as a round trip, and the
 * waits become longer. The answer says nothing of an EV, because nobody knows which EV it was.
 */
void mrc_paths_late(struct mrc_paths *p, u64 sent, u64 now);

/** mrc_paths_ask_wait() - ns, how long to wait for the answer to a request; no lock is needed */
static inline u64 mrc_paths_ask_wait(const struct mrc_paths *p)
{
	return mrc_ev_patience(&p->set, p->set.timing->ask);
}

/** mrc_paths_deny() - the controller denies or allows the EVs with this index in the profile */
void mrc_paths_deny(struct mrc_paths *p, u16 index, bool deny, u64 now);

/** mrc_paths_ports() - see mrc_ev_ports() */
void mrc_paths_ports(struct mrc_paths *p, u32 local_mask, u32 remote_mask, u64 now);

#endif /* _MRC_CORE_PATHS_H */
