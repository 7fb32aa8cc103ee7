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
 * struct mrc_turn - one peer's place in a queue; a zeroed one waits for no turn
 * @next: the place behind it in its queue
 * @prev: the pointer that points to it, NULL: it is in no queue
 * @queue: the queue that it is in
 */
struct mrc_turn {
	struct mrc_turn *next;
	struct mrc_turn **prev;
	struct mrc_turn_queue *queue;
};

/**
 * struct mrc_turn_queue - a queue, first in, first out
 * @first: the first place; NULL: the queue is empty
 * @last: the pointer at the end, into which the next place is put
 */
struct mrc_turn_queue {
	struct mrc_turn *first;
	struct mrc_turn **last;
};

/**
 * struct mrc_turns - all peers that wait for a turn
 * @fresh: peers that have become due
 * @rest: peers that have had a turn
 */
struct mrc_turns {
	struct mrc_turn_queue fresh;
	struct mrc_turn_queue rest;
};

void mrc_turns_init(struct mrc_turns *t);

/** mrc_turn_waits() - does the peer wait for its turn? */
static inline bool mrc_turn_waits(const struct mrc_turn *turn)
{
	return turn->prev;
}

/** mrc_turns_none() - does no peer wait? */
static inline bool mrc_turns_none(const struct mrc_turns *t)
{
	return !t->fresh.first && !t->rest.first;
}

/** mrc_turns_add() - probes of a peer have become due; if it waits already, nothing changes */
void mrc_turns_add(struct mrc_turns *t, struct mrc_turn *turn);

/**
 * mrc_turns_next() - take the peer whose turn it is out of its queue
 * @t: all peers that wait
 * @fresh: result: the peer has become due and has had no turn since
 *
 * mrc_turns_had() is to be called after the turn. Return: the peer's turn, or NULL: no peer waits.
 */
struct mrc_turn *mrc_turns_next(struct mrc_turns *t, bool *fresh);

/**
 * mrc_turns_had() - a peer has had its turn
 * @t: all peers that wait
 * @turn: from mrc_turns_next()
 * @fresh: from mrc_turns_next()
 * @more: more probes of the peer are due
 */
void mrc_turns_had(struct mrc_turns *t, struct mrc_turn *turn, bool fresh, bool more);

/** mrc_turns_del() - a peer waits no more */
void mrc_turns_del(struct mrc_turn *turn);

#endif /* _MRC_CORE_TURNS_H */
