/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings in memory that is shared with the program. The program may scribble on all of this memory
 * at any time. So the kernel keeps its own index, loads the program's index once per look, and
 * refuses an index that is impossible.
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
 * @map: the mapping that is offered to the program; NULL: the user is in the kernel
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
 * mrc_kring_create() - make an empty ring that the program can map
 * @ring: result
 * @uctx: the program's context; NULL: the user is in the kernel
 * @entries: at least this many, 1..MRC_MAX_CQE
 * @entry_size: bytes
 * @info: result: the data that a program needs to map the ring
 *
 * Context: process, sleeps. Return: 0 or -ENOMEM.
 */
int mrc_kring_create(struct mrc_kring *ring, struct ib_ucontext *uctx,
		     u32 entries, u32 entry_size, struct mrc_ring_info *info);

/**
 * mrc_kring_destroy() - give up the kernel's side; the program's mappings live on. Does nothing
 * to a zeroed ring.
 */
void mrc_kring_destroy(struct mrc_kring *ring);

/**
 * mrc_kring_reset() - drop the entries that the program produced; nobody uses the ring meanwhile
 *
 * Indices continue from where they are, so that the index in an older completion is never ahead.
 */
void mrc_kring_reset(struct mrc_kring *ring);

/** mrc_kring_at() - the entry at an index */
static inline void *mrc_kring_at(const struct mrc_kring *ring, u32 index)
{
	return ring->mem->entries + (size_t)(index & (ring->size - 1)) * ring->entry_size;
}

/** mrc_kring_entry_after() - the entry @n after the one at the kernel's index */
static inline void *mrc_kring_entry_after(const struct mrc_kring *ring, u32 n)
{
	return mrc_kring_at(ring, ring->index + n);
}

/** mrc_kring_entry() - the entry at the kernel's index */
static inline void *mrc_kring_entry(const struct mrc_kring *ring)
{
	return mrc_kring_entry_after(ring, 0);
}

/**
 * mrc_kring_copy() - copy from the ring
 *
 * The barrier makes the compiler read the copy afterwards, not the ring.
 */
static inline void mrc_kring_copy(void *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	barrier();
}

/**
 * mrc_kring_avail() - entries that the program produced and the kernel has not consumed
 *
 * Any context. Return: 0..size, or -EBADMSG when the producer index is impossible.
 */
int mrc_kring_avail(const struct mrc_kring *ring);

/** mrc_kring_consume() - free the entry at the kernel's index, which has been copied */
void mrc_kring_consume(struct mrc_kring *ring);

/** mrc_kring_take_wr_id() - consume an entry, which begins with its wr_id. Return: that */
u64 mrc_kring_take_wr_id(struct mrc_kring *ring);

/**
 * mrc_kring_room() - entries the kernel may produce
 *
 * Any context. Return: 0..size, or -EBADMSG when the consumer index is impossible.
 */
int mrc_kring_room(const struct mrc_kring *ring);

/** mrc_kring_produce() - show the program the entry that has been written */
void mrc_kring_produce(struct mrc_kring *ring);

/** mrc_kring_want_doorbell() - set MRC_RING_DOORBELL; fully ordered before later accesses */
void mrc_kring_want_doorbell(struct mrc_kring *ring);

/**
 * mrc_kring_wants_doorbell() - did mrc_kring_want_doorbell() ask for one? For users in the kernel,
 * after they have written an entry. Any context.
 */
bool mrc_kring_wants_doorbell(const struct mrc_kring *ring);

/** mrc_kring_want_no_doorbell() - undo mrc_kring_want_doorbell() */
void mrc_kring_want_no_doorbell(struct mrc_kring *ring);

/*
 * Opcodes of enum mrc_wr_opcode that only users in the kernel have. MRC_WR_SEND_INV has the key in
 * imm_data. MRC_WR_REG_MR has the address of its struct ib_mr in remote_addr, and IB_ACCESS_* bits in
 * imm_data, in the order of this host; MRC_WR_LOCAL_INV has the key in rkey.
 */
enum mrc_kernel_wr_opcode {
	MRC_WR_SEND_INV		= MRC_WR_FETCH_ADD + 1,
	MRC_WR_REG_MR,
	MRC_WR_LOCAL_INV,
};

/** mrc_recv_entry_size() - bytes of an entry of a receive ring, with @max_sge elements */
static inline u32 mrc_recv_entry_size(u32 max_sge)
{
	return sizeof(struct mrc_recv_wr) + max_sge * sizeof(struct mrc_wr_sge);
}

/** mrc_kring_memory() - bytes of kernel memory that the ring takes */
size_t mrc_kring_memory(const struct mrc_kring *ring);

/* Device operations. */
int mrc_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void mrc_mmap_free(struct rdma_user_mmap_entry *entry);

#endif /* _MRC_VERBS_RING_H */
