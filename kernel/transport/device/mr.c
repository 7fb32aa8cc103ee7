// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions: keys, access checks, pages.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "hazard.h"
#include "mr.h"

/* So many random indices are tried before the table counts as full. */
#define MRC_KEY_TRIES	32

static u32 mrc_mr_index(u32 key)
{
	return key >> 8;
}

int mrc_mr_publish(struct mrc_dev *dev, struct mrc_mr *mr)
{
	int tries, err = -EBUSY;

	refcount_set(&mr->ref, 1);
	for (tries = 0; tries < MRC_KEY_TRIES && err == -EBUSY; tries++) {
		mr->key = get_random_u32();
		if (!mr->key)
			continue;
		err = xa_insert(&dev->mrs, mrc_mr_index(mr->key), mr,
				GFP_KERNEL_ACCOUNT);
	}
	return err;
}

void mrc_mr_revoke(struct mrc_dev *dev, struct mrc_mr *mr)
{
	xa_erase(&dev->mrs, mrc_mr_index(mr->key));
	WRITE_ONCE(mr->revoked, true);
	mrc_hazard_wait(mr);
}

struct mrc_mr *mrc_mr_find(struct mrc_dev *dev, u32 key)
{
	struct mrc_mr *mr = xa_load(&dev->mrs, mrc_mr_index(key));

	return mr && mr->key == key ? mr : NULL;
}

bool mrc_mr_tryget(struct mrc_mr *mr)
{
	return refcount_inc_not_zero(&mr->ref);
}

void mrc_mr_put(struct mrc_mr *mr)
{
	if (refcount_dec_and_test(&mr->ref))
		kfree_rcu(mr, rcu);
}

int mrc_mr_check(const struct mrc_mr *mr, const void *pd, u64 addr, u64 len,
		 int access)
{
	u64 end;

	if (READ_ONCE(mr->revoked) || mr->pd != pd ||
	    (mr->access & access) != access)
		return -EACCES;
	if (!len)
		return 0;
	if (addr < mr->iova || check_add_overflow(addr - mr->iova, len, &end) ||
	    end > mr->length)
		return -ERANGE;
	return 0;
}

/* Apart from regions of programs, which are in a hurry. */
static noinline struct page *mrc_mr_kernel_page(u64 addr)
{
	void *at = (void *)(uintptr_t)(addr & PAGE_MASK);

	return is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at);
}

unsigned int mrc_mr_piece(const struct mrc_mr *mr, u64 addr, unsigned int len,
			  struct page **page, unsigned int *offset)
{
	u64 at = addr - mr->iova + mr->offset;

	*offset = at & ~PAGE_MASK;
	*page = likely(mr->pages) ? mr->pages[at >> PAGE_SHIFT] : mrc_mr_kernel_page(at);
	return min_t(unsigned int, len, PAGE_SIZE - *offset);
}

/* The region is named by mrc_hazard_set(). */
static int mrc_mr_copy_out(const struct mrc_mr *mr, const void *pd, u64 addr, u32 len, u8 *to)
{
	int err = mrc_mr_check(mr, pd, addr, len, 0);
	unsigned int n, offset;
	struct page *page;

	for (; len && !err; addr += n, to += n, len -= n) {
		n = mrc_mr_piece(mr, addr, len, &page, &offset);
		mrc_skb_read_page(to, page, offset, n);
	}
	return err;
}

int mrc_mr_read(struct mrc_dev *dev, u32 key, const void *pd, u64 addr, u32 len, u8 *to)
{
	struct mrc_mr *mr;
	int err = -EACCES;

	local_bh_disable();
	rcu_read_lock();
	mr = mrc_mr_find(dev, key);
	if (mr) {
		mrc_hazard_set(mr, NULL);
		err = mrc_mr_copy_out(mr, pd, addr, len, to);
		mrc_hazard_clear();
	}
	rcu_read_unlock();
	local_bh_enable();
	return err;
}
