/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests to endpoints that wait for an answer (MRC 1.0, sections 7.4.7, 7.4.8): EV probes and
 * port status. They stand in one queue, in the order in which they count as lost. An answer names
 * its request by an id. Half of the id is the number of the slot; the other half is random, so that
 * an answer is hard to forge.
 *
 * The caller keeps what a request was about, and to whom it went, in a table of its own with the
 * same slot numbers. The caller serialises all calls on one struct.
 */
#ifndef _MRC_CORE_PENDING_H
#define _MRC_CORE_PENDING_H

#include "../base/base.h"
#include "../base/gate.h"

/* The most requests that wait for an answer; the slot's number is one byte of the id. */
#define MRC_PENDING_MAX		256u
/* EV probes leave some slots to port status. */
#define MRC_PENDING_PROBES_MAX	(MRC_PENDING_MAX - 16u)
/* While a peer's answers are late, fewer EV probes to it may wait, down to this number. */
#define MRC_PENDING_PEER_MIN	8u
/* Raw probes may wait for seconds, so they leave most slots to other probes. */
#define MRC_PENDING_RAW_MAX	64u
/* Probes of ways back leave most slots to others, too, because they take no turns (turns.h). */
#define MRC_PENDING_REVERSE_MAX	64u
/* The most EV probes per second, and the most probes of ways back beside them. */
#define MRC_PENDING_PROBE_RATE	10000u
#define MRC_PENDING_REVERSE_RATE	1000u
#define MRC_PENDING_NONE	0xffffu
/* Bits of an id that are not its slot's number. */
#define MRC_PENDING_ID_RANDOM	0xff00u

/**
 * enum mrc_pending_kind - kinds of requests, each with limits of its own
 * @MRC_PENDING_STATUS: port status, which must get through whatever is probed
 * @MRC_PENDING_PROBE: an EV probe
 * @MRC_PENDING_RAW: an EV probe along a path that is no EV of a peer
 * @MRC_PENDING_REVERSE: an EV probe of the way back, sent after an answer
 * @MRC_PENDING_KINDS: number of kinds
 */
enum mrc_pending_kind {
	MRC_PENDING_STATUS,
	MRC_PENDING_PROBE,
	MRC_PENDING_RAW,
	MRC_PENDING_REVERSE,
	MRC_PENDING_KINDS,
};

/**
 * struct mrc_pending_peer - the limit of EV probes to one peer
 * @probes: MRC_PENDING_PROBE requests to the peer that wait
 * @lost: requests to the peer that were given up, and may be answered yet; MRC_PENDING_MAX at most
 * @window: the peer has no turn while so many @probes wait
 * @wait: ns, the wait before the last late answer
 * @turned_at: ns, when @window changed last
 */
struct mrc_pending_peer {
	u16 probes;
	u16 lost;
	u16 window;
	u64 wait;
	u64 turned_at;
};

/**
 * struct mrc_pending_slot - a slot for one request
 * @peer: the peer that is asked, or NULL
 * @lost_at: ns, when the request counts as lost
 * @sent_at: ns, when the request was sent
 * @id: the request's id
 * @waits: the request waits for its answer; else the slot is free
 * @kind: enum mrc_pending_kind
 * @next: the slot behind this one in its queue
 * @prev: the slot before this one
 */
struct mrc_pending_slot {
	struct mrc_pending_peer *peer;
	u64 lost_at;
	u64 sent_at;
	u16 id;
	bool waits;
	u8 kind;
	u16 next;
	u16 prev;
};

/**
 * struct mrc_pending - all requests of a device
 * @gate: limits EV probes except those of ways back
 * @reverse: limits probes of ways back
 * @count: requests that wait
 * @of: requests of each kind that wait
 * @slot: the slots, then the heads of two queues. The queue of requests begins with the request
 *        that is lost first. The queue of free slots begins with the slot that was used longest
 *        ago, so that a late answer does not meet a new request in its slot
 */
struct mrc_pending {
	struct mrc_gate gate;
	struct mrc_gate reverse;
	u16 count;
	u16 of[MRC_PENDING_KINDS];
	struct mrc_pending_slot slot[MRC_PENDING_MAX + 2];
};

/** mrc_pending_peer_init() - no request waits, and no answer was late */
void mrc_pending_peer_init(struct mrc_pending_peer *peer);

/** mrc_pending_peer_may() - may a peer have a turn? Its probes that wait for answers are limited */
static inline bool mrc_pending_peer_may(const struct mrc_pending_peer *peer)
{
	return peer->probes < peer->window;
}

/**
 * mrc_pending_peer_late() - an answer has come after the wait for it was over
 * @peer: the peer that answered
 * @wait: ns, the length of that wait
 * @now: ns
 *
 * A host that gets more requests than it can answer answers too late, and the requests are sent
 * again: a queue of probes that keeps itself full. So only half as many probes may wait, and half
 * of that after another @wait, until the queue is gone. Then the limit grows again.
 *
 * Return: false when it is no late answer, because no request to the peer was given up.
 */
bool mrc_pending_peer_late(struct mrc_pending_peer *peer, u64 wait, u64 now);

/** mrc_pending_init() - no request waits */
void mrc_pending_init(struct mrc_pending *p);

/** mrc_pending_room() - how many MRC_PENDING_PROBE may be sent @now (ns), one after another */
unsigned int mrc_pending_room(const struct mrc_pending *p, u64 now);

/**
 * mrc_pending_add() - a request is about to be sent
 * @p: all requests
 * @peer: the peer that is asked; it must live until mrc_pending_end(). NULL: no window limits this
 * @kind: kind of the request
 * @wait: ns, how long to wait for its answer
 * @random: half of it goes into the id; a forger of answers must not know it
 * @now: ns
 *
 * Return: the request's slot, or MRC_PENDING_NONE: too many wait, or were sent in this second.
 */
u16 mrc_pending_add(struct mrc_pending *p, struct mrc_pending_peer *peer,
		    enum mrc_pending_kind kind, u64 wait, u32 random, u64 now);

/**
 * mrc_pending_find() - find the request that an answer names
 * @p: all requests
 * @id: the id in the answer, any number
 *
 * The caller must check that the answer comes from the host that was asked.
 *
 * Return: the slot, or MRC_PENDING_NONE.
 */
u16 mrc_pending_find(const struct mrc_pending *p, u16 id);

/** mrc_pending_end() - the request that waits in @slot is answered, or of no use any more */
void mrc_pending_end(struct mrc_pending *p, u16 slot);

/** mrc_pending_give_up() - the request that waits in @slot is lost */
void mrc_pending_give_up(struct mrc_pending *p, u16 slot);

/** mrc_pending_lost() - the slot of a request that is lost @now (ns), or MRC_PENDING_NONE */
u16 mrc_pending_lost(const struct mrc_pending *p, u64 now);

/** mrc_pending_timer_at() - ns, when the first request is lost; U64_MAX: none waits */
u64 mrc_pending_timer_at(const struct mrc_pending *p);

#endif /* _MRC_CORE_PENDING_H */
