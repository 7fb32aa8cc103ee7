/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A congestion window that several QPs share. This file decides which QP may send next when there
 * is less room than they want, and how much of the window a QP may claim; that depends on whether
 * the peer has answered the QP.
 *
 * QPs that want more than there is room for wait in a queue, those that have been heard from apart
 * from all others. The QP in the first place sends up to MRC_TURN_PACKETS packets and goes to the
 * last place. If the room is too small for it, it keeps the first place, and nobody is asked again
 * before the window or the queue has changed ("stuck").
 *
 * A QP that nobody answers must not cost its neighbours their window, however many such QPs there
 * are and however long their timeouts:
 *  - Before the first answer a QP may have MRC_CLAIM_PACKETS packets in flight while others use the
 *    window, and one packet while others wait. Its bytes count in the window for a few round trips,
 *    in which an answer would come. While others want room, all such QPs together take
 *    1 / MRC_FRESH_PART of the window.
 *  - A QP is silent after these round trips; or when it hears nothing though it asked twice; or
 *    when packets time out and nothing that was sent since has been answered. The bytes of a silent
 *    QP leave the window, and it may have MRC_CLAIM_PACKETS packets in flight until it is answered.
 *  - If the packets of a silent QP have gone with a port, it counts as new again.
 *  - With the first answer its bytes come back into the window, and it may claim all of it.
 * None of this makes the window smaller. A fixed window is one QP's own and knows no silence.
 *
 * A window that is one QP's own (@alone) has no queue. Nothing here sleeps, allocates or reads a
 * clock; the caller serialises all calls on one struct mrc_shared.
 */
#ifndef _MRC_CORE_SHARED_H
#define _MRC_CORE_SHARED_H

#include "../base/base.h"
#include "cc.h"

/* Packets of full size that a QP may send before the next one has its turn. */
#define MRC_TURN_PACKETS	32u
/* Packets in flight of a QP that was not answered yet, or is silent: two packets take two paths. */
#define MRC_CLAIM_PACKETS	2u
/* All QPs that were not answered yet have together one in so many parts of the window. */
#define MRC_FRESH_PART		4u
/* Packets, or turns, that are served at a time; then others have this CPU. */
#define MRC_SERVE_PACKETS	512u
#define MRC_SERVE_TURNS		128u

/**
 * enum mrc_shared_state - has the peer answered a QP?
 * @MRC_SHARED_NEW: not yet, but an answer may be on its way
 * @MRC_SHARED_HEARD: the QP's newest news were an answer
 * @MRC_SHARED_SILENT: no answer came in the time in which one should have come
 */
enum mrc_shared_state {
	MRC_SHARED_NEW,
	MRC_SHARED_HEARD,
	MRC_SHARED_SILENT,
};

/**
 * struct mrc_shared_place - a QP's place in a shared window; zeroed: a QP that has sent nothing
 * @next: the place behind it in the queue
 * @prev: the pointer that points to it; NULL: it is not in the queue
 * @until: ns: when its bytes leave the window if it is still NEW
 * @bytes: bytes of the QP in flight
 * @state: enum mrc_shared_state; the bytes of a silent QP are not in the window
 */
struct mrc_shared_place {
	struct mrc_shared_place *next;
	struct mrc_shared_place **prev;
	u64 until;
	u32 bytes;
	u8 state;
};

/**
 * struct mrc_shared_queue - places of QPs that wait for their turn
 * @first: the first place; NULL: no QP waits
 * @last: the pointer at the end, into which the next place is put
 */
struct mrc_shared_queue {
	struct mrc_shared_place *first;
	struct mrc_shared_place **last;
};

/**
 * struct mrc_shared - a window and the queue of QPs that wait for room in it. It must not be moved
 *
 * Fields that dumps may read:
 * @cc: the window
 * @alone: the window is one QP's own
 * @queue: queue 0 for QPs that are NEW or SILENT, queue 1 for QPs that are HEARD
 * @fresh: bytes in the window of QPs that are NEW
 * @stuck: the first QP had too little room, and nothing has changed since
 * @given: packets that were sent since mrc_shared_serve()
 * @turns: turns that were given since then
 */
struct mrc_shared {
	struct mrc_cc cc;
	bool alone;
	bool stuck;
	struct mrc_shared_queue queue[2];
	u32 fresh;
	u32 given;
	u32 turns;
};

/**
 * mrc_shared_init() - start: no QP waits, nothing is in flight
 * @s: the window
 * @p: settings of congestion control
 * @timing: how exact this host's times are
 * @alone: the window is one QP's own
 * @now: ns
 */
void mrc_shared_init(struct mrc_shared *s, const struct mrc_cc_params *p,
		     const struct mrc_timing *timing, bool alone, u64 now);

/** mrc_shared_waits() - is this place in the queue? */
static inline bool mrc_shared_waits(const struct mrc_shared_place *place)
{
	return place->prev;
}

/** mrc_shared_hears() - does it matter whether a QP is answered? Not for a fixed window */
static inline bool mrc_shared_hears(const struct mrc_shared *s)
{
	return s->cc.p.algorithm != MRC_CC_NONE;
}

/** mrc_shared_any_waits() - does any QP wait? Only a hint where the window is not locked */
static inline bool mrc_shared_any_waits(const struct mrc_shared *s)
{
	return READ_ONCE(s->queue[0].first) || READ_ONCE(s->queue[1].first);
}

/** mrc_shared_wait() - a QP wants to send: it waits for its turn, if it does not wait already */
void mrc_shared_wait(struct mrc_shared *s, struct mrc_shared_place *place);

/**
 * mrc_shared_begin() - a QP has something to send: is it its turn?
 * @s: the window
 * @place: the QP's place
 * @g: result: what it may send
 *
 * Return: false: others come first, and the QP waits from now on; or it has as much in flight as it
 * may claim, and waits for an answer only.
 */
bool mrc_shared_begin(struct mrc_shared *s, struct mrc_shared_place *place,
		      struct mrc_cc_grant *g);

/**
 * mrc_shared_end() - the QP has had its turn; to be called after mrc_shared_begin() returned true
 * @s: the window
 * @place: the QP's place
 * @packets: packets that it sends now
 * @bytes: nominal bytes of these packets, as they are counted in flight
 * @wants: it has more to send
 * @now: ns
 */
void mrc_shared_end(struct mrc_shared *s, struct mrc_shared_place *place, u32 packets, u32 bytes,
		    bool wants, u64 now);

/** mrc_shared_step_aside() - a QP wants to send nothing for now: it waits no more */
void mrc_shared_step_aside(struct mrc_shared *s, struct mrc_shared_place *place);

/**
 * mrc_shared_leave() - a QP sends no more: its bytes in flight are forgotten
 * @s: the window
 * @place: the QP's place, zeroed by this
 * @now: ns
 */
void mrc_shared_leave(struct mrc_shared *s, struct mrc_shared_place *place, u64 now);

/** mrc_shared_next() - whose turn is it? NULL: no QP waits, or the first one lacks room */
struct mrc_shared_place *mrc_shared_next(const struct mrc_shared *s);

/** mrc_shared_serve() - the caller begins to give turns */
static inline void mrc_shared_serve(struct mrc_shared *s)
{
	s->given = 0;
	s->turns = 0;
}

/**
 * mrc_shared_turn() - as mrc_shared_next(), but no more than are served at a time
 * @s: the window
 * @enough: result: as many have been served, and others wait
 *
 * Packets are counted, not bytes, because small packets cost the CPU as much as large ones. Turns
 * are counted, too, because a QP may send nothing in its turn.
 */
static inline struct mrc_shared_place *mrc_shared_turn(struct mrc_shared *s, bool *enough)
{
	struct mrc_shared_place *place = mrc_shared_next(s);

	*enough = place && (s->given >= MRC_SERVE_PACKETS || s->turns >= MRC_SERVE_TURNS);
	if (!place || *enough)
		return NULL;
	s->turns++;
	return place;
}

/**
 * mrc_shared_learn() - learn what has become of a QP's packets
 * @s: the window
 * @place: the QP's place
 * @n: the news; @n->waiting becomes true if others wait
 * @now: ns
 */
void mrc_shared_learn(struct mrc_shared *s, struct mrc_shared_place *place, struct mrc_cc_news *n,
		      u64 now);

/** mrc_shared_capacity() - @live planes are up, of those that the rate counts */
void mrc_shared_capacity(struct mrc_shared *s, u32 live);

/**
 * mrc_shared_timer_at() - when to call mrc_shared_timer() for a QP
 *
 * Return: ns, or 0: there is no need.
 */
static inline u64 mrc_shared_timer_at(const struct mrc_shared *s,
				      const struct mrc_shared_place *place)
{
	return !s->alone && mrc_shared_hears(s) && place->state == MRC_SHARED_NEW && place->bytes ?
	       place->until : 0;
}

/**
 * mrc_shared_timer() - time has passed; may be called too early
 *
 * Return: true: the QP is silent now. Its bytes have left the window, and others may have their
 * turn.
 */
bool mrc_shared_timer(struct mrc_shared *s, struct mrc_shared_place *place, u64 now);

#endif /* _MRC_CORE_SHARED_H */
