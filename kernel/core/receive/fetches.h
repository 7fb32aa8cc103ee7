/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * READs and atomics that a peer asks of this end: they arrive in any order, are executed in the
 * order of PSNs, after all that the peer has sent before, and then wait until their response can be
 * queued. A peer that keeps to the limit of its connection never has more of them under way than
 * there is room for. The caller serialises all calls on one struct.
 */
#ifndef _MRC_CORE_FETCHES_H
#define _MRC_CORE_FETCHES_H

#include "../base/base.h"
#include "../wire/wire.h"

/**
 * struct mrc_fetch - a READ or atomic
 * @va: what it reads
 * @value: see struct mrc_write; once executed, what was there before
 * @compare: see struct mrc_write
 * @region: the caller's, 0 before the execution
 * @version: the caller's
 * @psn: its PSN
 * @first_psn: the first PSN that the peer expected in this connection
 * @rkey: remote key
 * @len: bytes
 * @msn: its message number
 * @opcode: MRC_OP_READ, MRC_OP_CMP_SWAP or MRC_OP_FETCH_ADD
 */
struct mrc_fetch {
	u64 va;
	u64 value;
	u64 compare;
	void *region;
	u32 version;
	u32 psn;
	u32 first_psn;
	u32 rkey;
	u32 len;
	u16 msn;
	u8 opcode;
};

/**
 * struct mrc_fetches - READs and atomics in the order of their PSNs
 * @fetch: ring
 * @head: ring index of the oldest one
 * @count: how many there are
 * @executed: how many of these, from @head on, were executed
 */
struct mrc_fetches {
	struct mrc_fetch fetch[MRC_READS_MAX];
	u32 head;
	u32 count;
	u32 executed;
};

/**
 * mrc_fetches_add() - a READ or atomic has arrived
 * @s: the others
 * @psn: its PSN
 * @opcode: its opcode
 * @head: its headers
 *
 * Return: 0, or -ENOSPC: the peer has more of them under way than any connection allows.
 */
int mrc_fetches_add(struct mrc_fetches *s, u32 psn, u8 opcode, const struct mrc_write *head);

/** mrc_fetches_due() - the oldest one that was not executed, if it has this PSN; else NULL */
struct mrc_fetch *mrc_fetches_due(struct mrc_fetches *s, u32 psn);

/** mrc_fetches_oldest() - the oldest one, if it was executed; else NULL */
struct mrc_fetch *mrc_fetches_oldest(struct mrc_fetches *s);

/** mrc_fetches_executed() - what mrc_fetches_due() returned was executed */
static inline void mrc_fetches_executed(struct mrc_fetches *s)
{
	s->executed++;
}

/** mrc_fetches_pop() - the response of mrc_fetches_oldest() is queued, or not needed any more */
void mrc_fetches_pop(struct mrc_fetches *s);

#endif /* _MRC_CORE_FETCHES_H */
