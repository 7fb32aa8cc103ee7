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

	return mr && READ_ONCE(mr->key) == key ? mr : NULL;
}

struct mrc_mr *mrc_mr_get(struct mrc_dev *dev, const struct mrc_mr_range *want, u32 *version)
{
	struct mrc_mr *mr = mrc_mr_find(dev, want->key);

	if (!mr)
		return NULL;
	/* Pairs with mrc_mr_renew(). What is checked after this is of this version, or a later one. */
	*version = smp_load_acquire(&mr->version);
	return !mrc_mr_check(mr, want) && refcount_inc_not_zero(&mr->ref) ? mr : NULL;
}

void mrc_mr_put(struct mrc_mr *mr)
{
	if (refcount_dec_and_test(&mr->ref))
		kfree_rcu(mr, rcu);
}

int mrc_mr_check(const struct mrc_mr *mr, const struct mrc_mr_range *want)
{
	u64 end;

	/* Pairs with mrc_mr_renew(). */
	if (smp_load_acquire(&mr->revoked) || mr->pd != want->pd || mr->key != want->key ||
	    (mr->access & want->access) != want->access)
		return -EACCES;
	if (!want->len)
		return 0;
	if (want->addr < mr->iova ||
	    check_add_overflow(want->addr - mr->iova, want->len, &end) || end > mr->length)
		return -ERANGE;
	return 0;
}

#define MRC_MR_REMOTE	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/* The region may have been renewed since it was found. Return: true: it is invalid now. */
static bool mrc_mr_mark_invalid(struct mrc_mr *mr, u32 key, bool by_peer)
{
	bool is;

	spin_lock(&mr->lock);
	is = mr->key == key && (!by_peer || mr->access & MRC_MR_REMOTE);
	if (is)
		WRITE_ONCE(mr->revoked, true);
	spin_unlock(&mr->lock);
	return is;
}

int mrc_mr_invalidate(struct mrc_dev *dev, u32 key, const void *pd, bool by_peer)
{
	struct mrc_mr *mr = mrc_mr_find(dev, key);

	if (!mr || !mr->fast || mr->pd != pd || !mrc_mr_mark_invalid(mr, key, by_peer))
		return -EACCES;
	mrc_hazard_spin(mr);
	return 0;
}

static void mrc_mr_take_news(struct mrc_mr *mr, const struct mrc_mr_news *news)
{
	mr->access = news->access;
	mr->iova = news->iova;
	mr->length = news->length;
	mr->offset = offset_in_page(news->iova);
	mr->pages = news->pages;
	WRITE_ONCE(mr->key, news->key);
	/* Both pair with mrc_mr_get() and mrc_mr_check(). */
	smp_store_release(&mr->version, mr->version + 1);
	smp_store_release(&mr->revoked, false);
}

int mrc_mr_renew(struct mrc_mr *mr, const struct mrc_mr_news *news)
{
	bool may;

	spin_lock(&mr->lock);
	may = mr->revoked && mrc_mr_index(news->key) == mrc_mr_index(mr->key);
	if (may)
		mrc_mr_take_news(mr, news);
	spin_unlock(&mr->lock);
	return may ? 0 : -EINVAL;
}

/* Apart from regions of programs, which are in a hurry. */
noinline struct page *mrc_mr_kernel_page(u64 addr)
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
static int mrc_mr_copy_out(const struct mrc_mr *mr, const struct mrc_mr_range *from, u8 *to)
{
	unsigned int n, offset, len = from->len;
	int err = mrc_mr_check(mr, from);
	u64 addr = from->addr;
	struct page *page;

	for (; len && !err; addr += n, to += n, len -= n) {
		n = mrc_mr_piece(mr, addr, len, &page, &offset);
		mrc_skb_read_page(to, page, offset, n);
	}
	return err;
}

int mrc_mr_read(struct mrc_dev *dev, const struct mrc_mr_range *from, u8 *to)
{
	struct mrc_mr *mr;
	int err = -EACCES;

	local_bh_disable();
	rcu_read_lock();
	mr = mrc_mr_find(dev, from->key);
	if (mr) {
		mrc_hazard_set(mr, NULL);
		err = mrc_mr_copy_out(mr, from, to);
		mrc_hazard_clear();
	}
	rcu_read_unlock();
	local_bh_enable();
	return err;
}
