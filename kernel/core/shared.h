/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A congestion window that several QPs share, and whose turn it is to send when there is less room
 * than they want.
 *
 * QPs that want more than there is room for wait in a queue. The QP in the first place sends up to
 * MRC_TURN_PACKETS packets and goes to the last place. If the room is too small for it, it keeps the
 * first place, and nobody is asked again before the window or the queue has changed ("stuck").
 *
 * A window that is one QP's own (@alone) has no queue. Nothing here sleeps, allocates or reads a
 * clock; the caller serialises all calls on one struct mrc_shared.
 */
#ifndef _MRC_CORE_SHARED_H
#define _MRC_CORE_SHARED_H

#include "base.h"
#include "cc.h"

/* Packets of full size that a QP may send before the next one has its turn. */
#define MRC_TURN_PACKETS	32u

/**
 * struct mrc_shared_place - a QP's place in a shared window; zeroed: the QP does not wait
 * @next: the place behind it in the queue
 * @prev: what points to it; NULL: it is not in the queue
 */
struct mrc_shared_place {
	struct mrc_shared_place *next;
	struct mrc_shared_place **prev;
};

/**
 * struct mrc_shared - a window and the queue of QPs that wait for room in it. It must not be moved
 *
 * Readable for dumps:
 * @cc: the window
 * @alone: it is one QP's own
 * @first: the place whose turn it is; NULL: nobody waits
 * @last: where the next place is put in
 * @stuck: the first one has had too little room, and nothing has changed since
 */
struct mrc_shared {
	struct mrc_cc cc;
	bool alone;
	bool stuck;
	struct mrc_shared_place *first;
	struct mrc_shared_place **last;
};

/**
 * mrc_shared_init() - nobody waits, nothing is in flight
 * @s: the window
 * @p: settings of congestion control
 * @timing: how exact this host's times are
 * @alone: it is one QP's own
 * @now: ns
 */
void mrc_shared_init(struct mrc_shared *s, const struct mrc_cc_params *p,
		    const struct mrc_timing *timing, bool alone, u64 now);

/** mrc_shared_waits() - is this place in the queue? */
static inline bool mrc_shared_waits(const struct mrc_shared_place *place)
{
	return place->prev;
}

/** mrc_shared_wait() - a QP would send: it waits for its turn, if it does not do so already */
void mrc_shared_wait(struct mrc_shared *s, struct mrc_shared_place *place);

/**
 * mrc_shared_begin() - a QP has something to send: is it its turn?
 * @s: the window
 * @place: the QP's own
 * @g: result: what it may send
 *
 * Return: false: others come first; it waits from here on.
 */
bool mrc_shared_begin(struct mrc_shared *s, struct mrc_shared_place *place, struct mrc_cc_grant *g);

/**
 * mrc_shared_end() - the QP has had its turn; after mrc_shared_begin(), if that was true
 * @s: the window
 * @place: the QP's own
 * @bytes: that it sends now; nominal ones, as they are counted in flight
 * @wants: it has more
 * @now: ns
 */
void mrc_shared_end(struct mrc_shared *s, struct mrc_shared_place *place, u32 bytes, bool wants,
		   u64 now);

/** mrc_shared_step_aside() - a QP wants nothing for now: it waits no more */
void mrc_shared_step_aside(struct mrc_shared *s, struct mrc_shared_place *place);

/**
 * mrc_shared_leave() - a QP sends no more
 * @s: the window
 * @place: the QP's own
 * @bytes: that it has in flight, which are forgotten
 * @now: ns
 */
void mrc_shared_leave(struct mrc_shared *s, struct mrc_shared_place *place, u32 bytes, u64 now);

/** mrc_shared_next() - whose turn is it? NULL: nobody waits, or the first one lacks room */
static inline struct mrc_shared_place *mrc_shared_next(const struct mrc_shared *s)
{
	return s->stuck ? NULL : s->first;
}

/**
 * mrc_shared_learn() - what has become of a QP's packets
 * @s: the window
 * @n: that; @n->waiting becomes true if others wait
 * @now: ns
 */
void mrc_shared_learn(struct mrc_shared *s, struct mrc_cc_news *n, u64 now);

/** mrc_shared_capacity() - so many planes of those that the rate counts are up */
void mrc_shared_capacity(struct mrc_shared *s, u32 live);

#endif /* _MRC_CORE_SHARED_H */
