// SPDX-License-Identifier: GPL-2.0-only
#include "turns.h"

static void mrc_turn_queue_init(struct mrc_turn_queue *q)
{
	q->first = NULL;
	q->last = &q->first;
}

void mrc_turns_init(struct mrc_turns *t)
{
	mrc_turn_queue_init(&t->fresh);
	mrc_turn_queue_init(&t->rest);
}

static void mrc_turn_queue_add(struct mrc_turn_queue *q, struct mrc_turn *turn)
{
	turn->next = NULL;
	turn->prev = q->last;
	turn->queue = q;
	*q->last = turn;
	q->last = &turn->next;
}

void mrc_turns_add(struct mrc_turns *t, struct mrc_turn *turn)
{
	if (!mrc_turn_waits(turn))
		mrc_turn_queue_add(&t->fresh, turn);
}

void mrc_turns_del(struct mrc_turn *turn)
{
	if (!mrc_turn_waits(turn))
		return;
	*turn->prev = turn->next;
	if (turn->next)
		turn->next->prev = turn->prev;
	else
		turn->queue->last = turn->prev;
	turn->prev = NULL;
}

struct mrc_turn *mrc_turns_next(struct mrc_turns *t, bool *fresh)
{
	struct mrc_turn *turn = t->fresh.first ?: t->rest.first;

	if (!turn)
		return NULL;
	*fresh = turn->queue == &t->fresh;
	mrc_turns_del(turn);
	return turn;
}

void mrc_turns_had(struct mrc_turns *t, struct mrc_turn *turn, bool fresh, bool more)
{
	if ((fresh || more) && !mrc_turn_waits(turn))
		mrc_turn_queue_add(&t->rest, turn);
}
