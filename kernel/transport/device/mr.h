/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory regions as the data path sees them: a key, a range, access rights
 * and an array of pinned pages. The verbs layer registers (pins) them.
 *
 * The data path finds a region under RCU, and names it in a hazard pointer of its CPU (hazard.h)
 * before it touches the pages. Revocation unlists the key, marks the region, and waits until no CPU
 * names it; after that its pages are not touched any more. References and RCU keep only the struct.
 */
#ifndef _MRC_TRANSPORT_MR_H
#define _MRC_TRANSPORT_MR_H

#include <linux/mm_types.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct mrc_dev;

/**
 * struct mrc_mr - a memory region
 * @key: lkey and rkey: random index << 8 | random byte
 * @access: IB_ACCESS_* bits
 * @revoked: access is denied from now on
 * @pd: identity of its protection domain, only compared
 * @iova: address of the first byte in the owner's view
 * @length: bytes
 * @offset: of the first byte in @pages[0]
 * @lent: once the region is revoked, somebody else may use the pages for something else, even while
 *        packets refer to them: so payload is copied
 * @pages: pinned pages, PAGE_SIZE each; NULL: the region is all of the kernel's memory, by its
 *         addresses
 */
struct mrc_mr {
	u32 key;
	int access;
	bool revoked;
	const void *pd;
	u64 iova;
	u64 length;
	unsigned int offset;
	bool lent;
	struct page **pages;
	refcount_t ref;
	struct rcu_head rcu;
};

/**
 * mrc_mr_publish() - draw a key and make the region reachable
 *
 * Everything but @key and @ref is filled in. Return: 0, -ENOMEM, -EBUSY. Process context.
 */
int mrc_mr_publish(struct mrc_dev *dev, struct mrc_mr *mr);

/** mrc_mr_revoke() - unlist it and wait until no CPU uses its pages. Process context, sleeps. */
void mrc_mr_revoke(struct mrc_dev *dev, struct mrc_mr *mr);

/**
 * mrc_mr_find() - find the region of a key, or NULL
 *
 * Under RCU; no reference is taken. For the pages see mrc_hazard_set().
 */
struct mrc_mr *mrc_mr_find(struct mrc_dev *dev, u32 key);
/** mrc_mr_tryget() - take a reference, unless the last one is gone. Under RCU. */
bool mrc_mr_tryget(struct mrc_mr *mr);
/* Frees the struct by RCU. The verbs layer frees the pages array, after revocation. */
void mrc_mr_put(struct mrc_mr *mr);

/**
 * mrc_mr_check() - may a QP access this range of a region?
 * @mr: the region
 * @pd: of the QP
 * @addr: first byte
 * @len: bytes; 0 is always in range
 * @access: IB_ACCESS_* bits needed, 0 for local reads
 *
 * Return: 0, -EACCES (rights, PD, revoked), -ERANGE.
 */
int mrc_mr_check(const struct mrc_mr *mr, const void *pd, u64 addr, u64 len,
		 int access);

/**
 * mrc_mr_piece() - the page that holds an address
 * @mr: a region, named by mrc_hazard_set() first, and found not revoked after that; range checked
 * @addr: address
 * @len: bytes wanted
 * @page: result
 * @offset: result: offset in the page
 *
 * Return: bytes from @addr to the end of the page, at most @len.
 */
unsigned int mrc_mr_piece(const struct mrc_mr *mr, u64 addr, unsigned int len,
			  struct page **page, unsigned int *offset);

/**
 * mrc_mr_read() - copy bytes out of a region
 * @dev: device
 * @key: its key
 * @pd: of the QP
 * @addr: first byte
 * @len: bytes
 * @to: where they go
 *
 * Process context or softirq. Return: 0; -EACCES or -ERANGE: the QP may not read them.
 */
int mrc_mr_read(struct mrc_dev *dev, u32 key, const void *pd, u64 addr, u32 len, u8 *to);

#endif /* _MRC_TRANSPORT_MR_H */
