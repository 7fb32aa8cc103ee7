/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receives that a QP has taken from its SRQ, the oldest first, and whether the QP waits for more.
 */
#ifndef _MRC_VERBS_HELD_H
#define _MRC_VERBS_HELD_H

#include <linux/list.h>
#include <linux/types.h>

struct mrc_qp;

/**
 * struct mrc_held - receives that a QP has taken from its SRQ; under rx_lock
 * @qp: the QP
 * @starves: in the SRQ's @starving, under its lock
 * @since: the SRQ's @round when it began to, likewise
 * @fed: a receive was taken while the QP starved, likewise
 * @hungry: the QP has found no receive for a message, and has taken none since
 * @entries: copies of receives, struct mrc_recv_wr with elements; NULL before RTR
 * @entry_size: bytes of each
 * @size: room for so many
 * @index: the oldest one
 * @count: how many
 */
struct mrc_held {
	struct mrc_qp *qp;
	struct list_head starves;
	u32 since;
	bool fed;
	bool hungry;
	void *entries;
	u32 entry_size;
	u32 size;
	u32 index;
	u32 count;
};

/** mrc_held_init() - a QP uses an SRQ; it holds nothing, and has no room for anything */
void mrc_held_init(struct mrc_held *h, struct mrc_qp *qp);

/**
 * mrc_held_create() - make room for the receives that a QP may hold, instead of what it had before
 * @h: result, empty
 * @entry_size: bytes of each
 * @size: at most so many
 *
 * Process context, sleeps; nobody uses @h. Return: 0 or -ENOMEM.
 */
int mrc_held_create(struct mrc_held *h, u32 entry_size, u32 size);
/** mrc_held_destroy() - undo it; receives that are held are lost. Process context. */
void mrc_held_destroy(struct mrc_held *h);
/** mrc_held_at() - the receive behind @skip others */
void *mrc_held_at(const struct mrc_held *h, u32 skip);
/** mrc_held_next() - where the next one is copied to; mrc_held_add() comes after that */
static inline void *mrc_held_next(const struct mrc_held *h)
{
	return mrc_held_at(h, h->count);
}

/** mrc_held_add() - hold one more */
static inline void mrc_held_add(struct mrc_held *h)
{
	h->count++;
}

/** mrc_held_take_wr_id() - give up the oldest one. Return: its wr_id */
u64 mrc_held_take_wr_id(struct mrc_held *h);

#endif /* _MRC_VERBS_HELD_H */
