// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives that a QP has taken from its SRQ.
 */
#include <linux/slab.h>

#include "held.h"

void mrc_held_init(struct mrc_held *h, struct mrc_qp *qp)
{
	INIT_LIST_HEAD(&h->starves);
	h->qp = qp;
}

int mrc_held_create(struct mrc_held *h, u32 entry_size, u32 size)
{
	mrc_held_destroy(h);
	h->entries = kvcalloc(size, entry_size, GFP_KERNEL_ACCOUNT);
	if (!h->entries)
		return -ENOMEM;
	h->entry_size = entry_size;
	h->size = size;
	return 0;
}

void mrc_held_destroy(struct mrc_held *h)
{
	kvfree(h->entries);
	h->entries = NULL;
	h->size = 0;
	h->index = 0;
	h->count = 0;
	h->hungry = false;
}

void *mrc_held_at(const struct mrc_held *h, u32 skip)
{
	return h->entries + (size_t)((h->index + skip) % h->size) * h->entry_size;
}

u64 mrc_held_take_wr_id(struct mrc_held *h)
{
	const u64 *wr_id = mrc_held_at(h, 0);

	h->index = (h->index + 1) % h->size;
	h->count--;
	return *wr_id;
}
