/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which peer of a device may send EV probes next. Probes may be due for thousands of peers,
 * and the rate of probes is limited.
 *
 * The peers are served like the queues of FQ-CoDel (RFC 8290, section 4), with probes in place of
 * bytes. A peer that becomes due has its turn before the peers that have had one and want more;
 * those take turns among themselves. So a peer with one bad EV is probed in time, however many
 * other peers have nothing but bad EVs. After its turn a peer waits behind the others once before
 * it counts as new again.
 *
 * The caller serialises all calls on one struct mrc_turns.
 */
#ifndef _MRC_CORE_TURNS_H
#define _MRC_CORE_TURNS_H

#include "base.h"

/**
 * struct mrc_turn - of one peer; zeroed: it does not wait for a turn
 * @next: behind it in its queue
 * @prev: what points to it, NULL: it is in no queue
 * @queue: that it is in
 */
struct mrc_turn {
	struct mrc_turn *next;
	struct mrc_turn **prev;
	struct mrc_turn_queue *queue;
};

/**
 * struct mrc_turn_queue - first in, first out
 * @first: NULL: it is empty
 * @last: where the next one is to be put in
 */
struct mrc_turn_queue {
	struct mrc_turn *first;
	struct mrc_turn **last;
};

/**
 * struct mrc_turns - all of them
 * @fresh: those that have become due
 * @rest: those that have had a turn
 */
struct mrc_turns {
	struct mrc_turn_queue fresh;
	struct mrc_turn_queue rest;
};

void mrc_turns_init(struct mrc_turns *t);

/** mrc_turn_waits() - does it wait for its turn? */
static inline bool mrc_turn_waits(const struct mrc_turn *turn)
{
	return turn->prev;
}

/** mrc_turns_none() - does none wait? */
static inline bool mrc_turns_none(const struct mrc_turns *t)
{
	return !t->fresh.first && !t->rest.first;
}

/** mrc_turns_add() - something has become due; one that waits already goes on waiting */
void mrc_turns_add(struct mrc_turns *t, struct mrc_turn *turn);

/**
 * mrc_turns_next() - whose turn is it?
 * @t: all
 * @fresh: result: it had not had one before
 *
 * It waits no more: mrc_turns_had() is to be called after its turn. Return: NULL: nobody's.
 */
struct mrc_turn *mrc_turns_next(struct mrc_turns *t, bool *fresh);

/**
 * mrc_turns_had() - it has had its turn
 * @t: all
 * @turn: from mrc_turns_next()
 * @fresh: the result from there
 * @more: something is due for it still
 */
void mrc_turns_had(struct mrc_turns *t, struct mrc_turn *turn, bool fresh, bool more);

/** mrc_turns_del() - it waits no more */
void mrc_turns_del(struct mrc_turn *turn);

#endif /* _MRC_CORE_TURNS_H */
