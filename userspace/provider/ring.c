/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mapping rings. */
#include <errno.h>
#include <sys/mman.h>

#include "provider.h"

int mrc_uring_map(struct mrc_uring *ring, int cmd_fd, const struct mrc_ring_info *info)
{
	void *mem;

	if (info->log_entries >= 32 || !info->entry_size ||
	    sizeof(struct mrc_ring) + ((uint64_t)info->entry_size << info->log_entries) >
		    info->size)
		return EPROTO;
	mem = mmap(NULL, info->size, PROT_READ | PROT_WRITE, MAP_SHARED, cmd_fd,
		   (off_t)info->offset);
	if (mem == MAP_FAILED)
		return errno;
	ring->mem = mem;
	ring->bytes = info->size;
	ring->entry_size = info->entry_size;
	ring->size = 1u << info->log_entries;
	ring->index = 0;
	ring->freed = 0;
	pthread_spin_init(&ring->lock, PTHREAD_PROCESS_PRIVATE);
	return 0;
}

void mrc_uring_unmap(struct mrc_uring *ring)
{
	if (!ring->mem)
		return;
	pthread_spin_destroy(&ring->lock);
	munmap(ring->mem, ring->bytes);
	ring->mem = NULL;
}

void mrc_uring_reset(struct mrc_uring *ring)
{
	if (!ring->mem)
		return;
	pthread_spin_lock(&ring->lock);
	ring->index = __atomic_load_n(&ring->mem->consumer, __ATOMIC_ACQUIRE);
	__atomic_store_n(&ring->freed, ring->index, __ATOMIC_RELAXED);
	pthread_spin_unlock(&ring->lock);
}
