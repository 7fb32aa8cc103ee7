/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory regions of verbs: user memory that is pinned, a dma-buf, or memory of the kernel.
 */
#ifndef _MRC_VERBS_MR_H
#define _MRC_VERBS_MR_H

#include <rdma/ib_verbs.h>

#include "../transport/device/mr.h"
#include "dmabuf.h"

struct ib_umem;

/* A region has this many bytes at most: its array of pages must fit into one allocation. */
#define MRC_MR_MAX	(1ull << 39)
/* The most pages of a region for fast registration. */
#define MRC_MR_FAST_PAGES_MAX	512u

/**
 * struct mrc_ib_mr - a memory region as verbs sees it
 * @ib: the core's part
 * @mr: the data path's part, a reference
 * @umem: the pinned memory, or NULL
 * @dmabuf: the memory, if it is that of a dma-buf
 * @pages: number of pages; of a region for fast registration, of @mapped
 * @mapped: pages that the next fast registration gives to the region, if they are new; or NULL
 * @room: the most elements of @mapped
 * @fresh: @mapped has new pages; else the region keeps its pages
 * @user: the user it belongs to
 */
struct mrc_ib_mr {
	struct ib_mr ib;
	struct mrc_mr *mr;
	struct ib_umem *umem;
	struct mrc_dmabuf dmabuf;
	size_t pages;
	struct page **mapped;
	size_t room;
	bool fresh;
	struct mrc_user *user;
};

static inline struct mrc_ib_mr *to_mrc_mr(struct ib_mr *ib)
{
	return container_of(ib, struct mrc_ib_mr, ib);
}

/**
 * mrc_mr_register_fast() - give a region the pages that mrc_map_mr_sg() found last, and a new key
 * @ibmr: from mrc_alloc_mr()
 * @pd: of the QP
 * @key: same as before but for the lowest byte
 * @access: IB_ACCESS_* bits
 *
 * Softirq or BH off, one call at a time for a region. Return: 0, or -EINVAL: another PD, key or access, no
 * pages, or the region is valid.
 */
int mrc_mr_register_fast(struct ib_mr *ibmr, const struct ib_pd *pd, u32 key, int access);

/* Device operations. */
struct ib_mr *mrc_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			      u64 virt, int access, struct ib_udata *udata);
struct ib_mr *mrc_reg_dmabuf_mr(struct ib_pd *pd, u64 offset, u64 length, u64 virt, int fd,
				int access, struct ib_udata *udata);
struct ib_mr *mrc_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *mrc_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 pages);
int mrc_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n, unsigned int *offset);
int mrc_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

#endif /* _MRC_VERBS_MR_H */
