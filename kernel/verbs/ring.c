// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings in memory that is shared with the program, and their mapping.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ring.h"

/**
 * struct mrc_ring_map - what a program maps of a ring
 * @entry: position in the context's file; its references keep @mem
 * @mem: shared memory
 */
struct mrc_ring_map {
	struct rdma_user_mmap_entry entry;
	void *mem;
};

static void mrc_pages_free(struct page **pages, size_t n)
{
	while (n--)
		__free_page(pages[n]);
	kvfree(pages);
}

/* Allocates zeroed pages, charged to the program's memory cgroup. */
static struct page **mrc_pages_alloc(size_t n)
{
	struct page **pages;
	size_t i;

	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return NULL;
	for (i = 0; i < n; i++) {
		pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!pages[i]) {
			mrc_pages_free(pages, i);
			return NULL;
		}
	}
	return pages;
}

/* As vmalloc_user(), but charged to the program's memory cgroup. vfree() gives it back. */
static void *mrc_ring_mem_alloc(size_t bytes)
{
	size_t n = bytes >> PAGE_SHIFT;
	struct page **pages = mrc_pages_alloc(n);
	void *mem;

	if (!pages)
		return NULL;
	mem = vmap(pages, n, VM_MAP | VM_USERMAP | VM_MAP_PUT_PAGES,
		   PAGE_KERNEL);
	if (!mem)
		mrc_pages_free(pages, n);
	return mem;
}

static struct mrc_ring_map *mrc_ring_map_create(struct ib_ucontext *uctx,
						size_t bytes)
{
	struct mrc_ring_map *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);

	if (!map)
		return NULL;
	map->mem = mrc_ring_mem_alloc(bytes);
	if (!map->mem)
		goto err;
	if (rdma_user_mmap_entry_insert(uctx, &map->entry, bytes))
		goto err;
	return map;

err:
	vfree(map->mem);
	kfree(map);
	return NULL;
}

int mrc_kring_create(struct mrc_kring *ring, struct ib_ucontext *uctx,
		     u32 entries, u32 entry_size, struct mrc_ring_info *info)
{
	size_t bytes;

	ring->size = roundup_pow_of_two(entries);
	ring->entry_size = entry_size;
	ring->index = 0;
	bytes = mrc_kring_memory(ring);
	if (!uctx) {
		ring->mem = vzalloc(bytes);
		return ring->mem ? 0 : -ENOMEM;
	}
	ring->map = mrc_ring_map_create(uctx, bytes);
	if (!ring->map)
		return -ENOMEM;
	ring->mem = ring->map->mem;
	info->offset = rdma_user_mmap_get_offset(&ring->map->entry);
	info->size = bytes;
	info->entry_size = entry_size;
	info->log_entries = ilog2(ring->size);
	return 0;
}

void mrc_kring_destroy(struct mrc_kring *ring)
{
	if (ring->map)
		rdma_user_mmap_entry_remove(&ring->map->entry);
	else
		vfree(ring->mem);
	ring->map = NULL;
	ring->mem = NULL;
}

void mrc_kring_reset(struct mrc_kring *ring)
{
	WRITE_ONCE(ring->mem->flags, 0);
	WRITE_ONCE(ring->mem->producer, ring->index);
	WRITE_ONCE(ring->mem->consumer, ring->index);
}

int mrc_kring_avail(const struct mrc_kring *ring)
{
	/* Pairs with the program's release store after writing the entry. */
	u32 n = smp_load_acquire(&ring->mem->producer) - ring->index;

	return n <= ring->size ? n : -EBADMSG;
}

void mrc_kring_consume(struct mrc_kring *ring)
{
	/* Pairs with the program's acquire load before writing the entry anew. */
	smp_store_release(&ring->mem->consumer, ++ring->index);
}

u64 mrc_kring_take_wr_id(struct mrc_kring *ring)
{
	const u64 *wr_id = mrc_kring_entry(ring);
	u64 id = READ_ONCE(*wr_id);

	mrc_kring_consume(ring);
	return id;
}

int mrc_kring_room(const struct mrc_kring *ring)
{
	/* Pairs with the program's release store after reading the entry. */
	u32 n = ring->index - smp_load_acquire(&ring->mem->consumer);

	return n <= ring->size ? ring->size - n : -EBADMSG;
}

void mrc_kring_produce(struct mrc_kring *ring)
{
	/* Pairs with the program's acquire load before reading the entry. */
	smp_store_release(&ring->mem->producer, ++ring->index);
}

void mrc_kring_want_doorbell(struct mrc_kring *ring)
{
	WRITE_ONCE(ring->mem->flags, MRC_RING_DOORBELL);
	/* Pairs with the program's barrier between producer and flags. */
	smp_mb();
}

bool mrc_kring_wants_doorbell(const struct mrc_kring *ring)
{
	/* Pairs with the barrier of mrc_kring_want_doorbell(): the entry was written before. */
	smp_mb();
	return READ_ONCE(ring->mem->flags) & MRC_RING_DOORBELL;
}

void mrc_kring_want_no_doorbell(struct mrc_kring *ring)
{
	/* The program reads this cache line with each post, so write to it only if needed. */
	if (READ_ONCE(ring->mem->flags))
		WRITE_ONCE(ring->mem->flags, 0);
}

size_t mrc_kring_memory(const struct mrc_kring *ring)
{
	return PAGE_ALIGN(sizeof(*ring->mem) +
			  (size_t)ring->size * ring->entry_size);
}

/**
 * mrc_mmap() - map a ring into a program
 * @uctx: the program's context
 * @vma: the mapping that is wanted; offset and size as in struct mrc_ring_info
 *
 * The mapping holds the pages, not the ring: the kernel may destroy the ring earlier.
 */
int mrc_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry = rdma_user_mmap_entry_get(uctx, vma);
	int ret;

	if (!entry)
		return -EINVAL;
	ret = remap_vmalloc_range(vma, container_of(entry, struct mrc_ring_map,
						    entry)->mem, 0);
	rdma_user_mmap_entry_put(entry);
	return ret;
}

/** mrc_mmap_free() - free a ring that neither the kernel nor a mapping under way needs any more */
void mrc_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct mrc_ring_map *map = container_of(entry, struct mrc_ring_map,
						entry);

	vfree(map->mem);
	kfree(map);
}
