/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory regions as the data path sees them: a key, a range, access rights
 * and an array of pinned pages. The verbs layer registers (pins) them.
 *
 * The data path finds a region under RCU, and names it in a hazard pointer of its CPU (hazard.h)
 * before it touches the pages. Revocation unlists the key, marks the region, and waits until no CPU
 * names it; after that its pages are not touched any more. References and RCU keep only the struct.
 *
 * Users in the kernel have regions that come and go by requests (fast registration): such a region is
 * invalid, which is revoked, until a request renews it with other pages and another key. A request that
 * keeps a reference to a region therefore keeps the region's version, too. Once the version differs, the
 * request may not use the region.
 */
#ifndef _MRC_TRANSPORT_MR_H
#define _MRC_TRANSPORT_MR_H

#include <linux/mm_types.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <asm/barrier.h>

struct mrc_dev;

/**
 * struct mrc_mr - a memory region
 * @key: lkey and rkey: random index << 8 | random byte; the byte changes when the region is renewed
 * @version: how often it was renewed
 * @access: IB_ACCESS_* bits
 * @revoked: access is denied from now on
 * @pd: identity of its protection domain, only compared
 * @iova: address of the first byte in the owner's view
 * @length: bytes
 * @offset: of the first byte in @pages[0]
 * @lent: once the region is revoked, somebody else may use the pages for something else, even while
 *        packets refer to them: so payload is copied
 * @fast: its user, in the kernel, may invalidate and renew it
 * @lock: of a region with @fast: guards what changes then; innermost, BH off
 * @pages: pinned pages, PAGE_SIZE each; NULL: the region is all of the kernel's memory, by its
 *         addresses
 */
struct mrc_mr {
	u32 key;
	u32 version;
	int access;
	bool revoked;
	const void *pd;
	u64 iova;
	u64 length;
	unsigned int offset;
	bool lent;
	bool fast;
	spinlock_t lock;
	struct page **pages;
	refcount_t ref;
	struct rcu_head rcu;
};

/**
 * mrc_mr_publish() - draw a key and make the region reachable
 *
 * Everything but @key and @ref is filled in; a region that is to be renewed first is revoked.
 * Return: 0, -ENOMEM, -EBUSY. Process context.
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

/**
 * struct mrc_mr_range - what a QP wants of a region
 * @key: of the region
 * @pd: of the QP
 * @addr: first byte
 * @len: bytes; 0 is always in range
 * @access: IB_ACCESS_* bits needed, 0 for local reads
 */
struct mrc_mr_range {
	u32 key;
	const void *pd;
	u64 addr;
	u64 len;
	int access;
};

/**
 * mrc_mr_get() - find a region that a QP may access
 * @dev: device
 * @want: range
 * @version: result: the region is what was asked for as long as it has this version
 *
 * Under RCU. Return: a reference, or NULL: none, or not allowed.
 */
struct mrc_mr *mrc_mr_get(struct mrc_dev *dev, const struct mrc_mr_range *want, u32 *version);
/* Frees the struct by RCU. The verbs layer frees the pages array, after revocation. */
void mrc_mr_put(struct mrc_mr *mr);

/**
 * mrc_mr_check() - may a QP access this range of a region? Return: 0, -EACCES (rights, PD, revoked,
 * renewed with another key), -ERANGE.
 */
int mrc_mr_check(const struct mrc_mr *mr, const struct mrc_mr_range *want);

/** mrc_mr_is() - is the region, named by mrc_hazard_set() first, valid and of that version? */
static inline bool mrc_mr_is(const struct mrc_mr *mr, u32 version)
{
	/* Pairs with mrc_mr_renew(). */
	return !smp_load_acquire(&mr->revoked) && mr->version == version;
}

/**
 * mrc_mr_invalidate() - a region is of no use until it is renewed; no CPU uses its pages any more
 * @dev: device
 * @key: its key
 * @pd: of the QP
 * @by_peer: the peer asks for it
 *
 * A region that is invalid already stays so. Softirq or BH off, under RCU. Return: 0, or -EACCES: no
 * region of this key and PD that can be renewed, or none that peers may access.
 */
int mrc_mr_invalidate(struct mrc_dev *dev, u32 key, const void *pd, bool by_peer);

/**
 * struct mrc_mr_news - what changes when a region is renewed; see struct mrc_mr
 */
struct mrc_mr_news {
	u32 key;
	int access;
	u64 iova;
	u64 length;
	struct page **pages;
};

/**
 * mrc_mr_renew() - make an invalid region valid
 * @mr: the region; nobody else renews it now
 * @news: its key, pages and so on
 *
 * Softirq or BH off. Return: 0, or -EINVAL: it is valid, or another one, by its key.
 */
int mrc_mr_renew(struct mrc_mr *mr, const struct mrc_mr_news *news);

/** mrc_mr_kernel_page() - the page of an address in the kernel's memory */
struct page *mrc_mr_kernel_page(u64 addr);

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
 * @from: which ones, of a packet at most
 * @to: where they go
 *
 * Process context or softirq. Return: 0; -EACCES or -ERANGE: the QP may not read them.
 */
int mrc_mr_read(struct mrc_dev *dev, const struct mrc_mr_range *from, u8 *to);

#endif /* _MRC_TRANSPORT_MR_H */
