/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings in memory that is shared with the program. The program may scribble on
 * all of it at any time, so the kernel keeps its own index, loads the program's
 * index once per look, and refuses what cannot be.
 */
#ifndef _MRC_VERBS_RING_H
#define _MRC_VERBS_RING_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>

struct mrc_ring_map;

/**
 * struct mrc_kring - the kernel's side of a ring
 * @mem: shared memory
 * @map: what the program maps
 * @entry_size: bytes per entry
 * @size: entries, a power of two
 * @index: the kernel's own index: producer of a CQ, consumer of the others
 */
struct mrc_kring {
	struct mrc_ring *mem;
	struct mrc_ring_map *map;
	u32 entry_size;
	u32 size;
	u32 index;
};

/**
 * mrc_kring_create() - an empty ring that the program can map
 * @ring: result
 * @uctx: the program's context
 * @entries: at least this many, 1..MRC_MAX_CQE
 * @entry_size: bytes
 * @info: result: what the program needs to map it
 *
 * Context: process, sleeps. Return: 0 or -ENOMEM.
 */
int mrc_kring_create(struct mrc_kring *ring, struct ib_ucontext *uctx,
		     u32 entries, u32 entry_size, struct mrc_ring_info *info);

/**
 * mrc_kring_destroy() - the kernel is done; mappings of the program live on. No-op on a zeroed
 * one.
 */
void mrc_kring_destroy(struct mrc_kring *ring);

/**
 * mrc_kring_reset() - forget what the program produced; nobody uses it meanwhile
 *
 * Indices go on: those in completions of the time before do not lie ahead.
 */
void mrc_kring_reset(struct mrc_kring *ring);

/** mrc_kring_entry() - the entry at the kernel's index */
void *mrc_kring_entry(const struct mrc_kring *ring);

/**
 * mrc_kring_avail() - entries that the program produced and the kernel has not consumed
 *
 * Any context. Return: 0..size, or -EBADMSG when the producer index cannot be.
 */
int mrc_kring_avail(const struct mrc_kring *ring);

/** mrc_kring_consume() - the entry has been copied; its place is free again */
void mrc_kring_consume(struct mrc_kring *ring);

/**
 * mrc_kring_room() - entries the kernel may produce
 *
 * Any context. Return: 0..size, or -EBADMSG when the consumer index cannot be.
 */
int mrc_kring_room(const struct mrc_kring *ring);

/** mrc_kring_produce() - the entry is written; show it to the program */
void mrc_kring_produce(struct mrc_kring *ring);

/** mrc_kring_want_doorbell() - ask for MRC_RING_DOORBELL; fully ordered before what follows */
void mrc_kring_want_doorbell(struct mrc_kring *ring);

/** mrc_kring_want_no_doorbell() - no longer */
void mrc_kring_want_no_doorbell(struct mrc_kring *ring);

/** mrc_kring_memory() - bytes of kernel memory */
size_t mrc_kring_memory(const struct mrc_kring *ring);

/* Device operations. */
int mrc_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void mrc_mmap_free(struct rdma_user_mmap_entry *entry);

#endif /* _MRC_VERBS_RING_H */
