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

/* Requests without an answer; the slot's number is one byte of the id. */
#define MRC_PENDING_MAX		256u
/* Of these EV probes leave some to port status. */
#define MRC_PENDING_PROBES_MAX	(MRC_PENDING_MAX - 16u)
/* While a peer's answers are late, fewer EV probes to it may wait, down to this. */
#define MRC_PENDING_PEER_MIN	8u
/* And raw probes, which may wait for seconds, leave most to other probes. */
#define MRC_PENDING_RAW_MAX	64u
/* So do probes of ways back, of which nobody takes turns. */
#define MRC_PENDING_REVERSE_MAX	64u
/* EV probes per second, at most, and beside them those of ways back. */
#define MRC_PENDING_PROBE_RATE	10000u
#define MRC_PENDING_REVERSE_RATE	1000u
#define MRC_PENDING_NONE	0xffffu
/* Bits of an id that are not its slot's number. */
#define MRC_PENDING_ID_RANDOM	0xff00u

/**
 * enum mrc_pending_kind - what a request asks, as far as it is limited for that
 * @MRC_PENDING_STATUS: port status, which must get through whatever is probed
 * @MRC_PENDING_PROBE: an EV probe
 * @MRC_PENDING_RAW: an EV probe along a way that is no EV of a peer
 * @MRC_PENDING_REVERSE: an EV probe of the way back, which an answer sets off
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
 * struct mrc_pending_peer - who is asked, as far as that is limited
 * @probes: MRC_PENDING_PROBE to it that wait
 * @lost: requests to it that were given up, and may be answered yet; MRC_PENDING_MAX at most
 * @window: so many may before it has another turn
 * @wait: ns, how long answers had been waited for that were late last
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
 * struct mrc_pending_slot - a slot
 * @peer: who is asked, or NULL
 * @lost_at: ns, when the request counts as lost
 * @sent_at: ns, when it was sent
 * @id: of the request
 * @waits: for its answer; else the slot is free
 * @kind: enum mrc_pending_kind
 * @next: behind it in its queue
 * @prev: before it
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
 * struct mrc_pending - all of a device
 * @gate: limits EV probes but those of ways back
 * @reverse: limits these
 * @count: requests that wait
 * @of: of these, those of each kind
 * @slot: the slots, then the heads of two queues: requests, the first to be lost first, and free
 *        slots, the one that was used longest ago first, so that a late answer finds nothing
 */
struct mrc_pending {
	struct mrc_gate gate;
	struct mrc_gate reverse;
	u16 count;
	u16 of[MRC_PENDING_KINDS];
	struct mrc_pending_slot slot[MRC_PENDING_MAX + 2];
};

/** mrc_pending_peer_init() - none waits, and none was late */
void mrc_pending_peer_init(struct mrc_pending_peer *peer);

/** mrc_pending_peer_may() - may it have a turn, as far as its probes go that wait for an answer? */
static inline bool mrc_pending_peer_may(const struct mrc_pending_peer *peer)
{
	return peer->probes < peer->window;
}

/**
 * mrc_pending_peer_late() - an answer has come when nobody waited for it any more
 * @peer: whose
 * @wait: ns, how long somebody had
 * @now: ns
 *
 * A host that is asked more than it can answer answers too late, and what it was asked is asked
 * again: a queue of probes that keeps itself full. So half as many may wait, and half of that after
 * another @wait, until the queue is gone; then they may be more again.
 *
 * Return: false: it is none, for nothing that it could answer was given up.
 */
bool mrc_pending_peer_late(struct mrc_pending_peer *peer, u64 wait, u64 now);

/** mrc_pending_init() - none waits */
void mrc_pending_init(struct mrc_pending *p);

/** mrc_pending_room() - MRC_PENDING_PROBE that may be sent now (ns), one after another */
unsigned int mrc_pending_room(const struct mrc_pending *p, u64 now);

/**
 * mrc_pending_add() - a request is about to be sent
 * @p: all
 * @peer: who is asked, and stays until mrc_pending_end(); NULL: nobody with a window
 * @kind: what it is
 * @wait: ns, how long for its answer
 * @random: half of it goes into the id; who forges an answer must not know it
 * @now: ns
 *
 * Return: its slot, or MRC_PENDING_NONE: there are too many, or too many a second.
 */
u16 mrc_pending_add(struct mrc_pending *p, struct mrc_pending_peer *peer,
		    enum mrc_pending_kind kind, u64 wait, u32 random, u64 now);

/**
 * mrc_pending_find() - which request is answered?
 * @p: all
 * @id: that the answer names, any number
 *
 * It is one only if it comes from whom was asked, which is the caller's to see.
 *
 * Return: the slot, or MRC_PENDING_NONE.
 */
u16 mrc_pending_find(const struct mrc_pending *p, u16 id);

/** mrc_pending_end() - the request in @slot, which waits, is answered or of no use any more */
void mrc_pending_end(struct mrc_pending *p, u16 slot);

/** mrc_pending_give_up() - the request in @slot, which waits, is lost */
void mrc_pending_give_up(struct mrc_pending *p, u16 slot);

/** mrc_pending_lost() - the slot of a request that is lost by now (ns), or MRC_PENDING_NONE */
u16 mrc_pending_lost(const struct mrc_pending *p, u64 now);

/** mrc_pending_timer_at() - ns, when the first request is lost; U64_MAX: none waits */
u64 mrc_pending_timer_at(const struct mrc_pending *p);

#endif /* _MRC_CORE_PENDING_H */
