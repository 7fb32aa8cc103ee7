/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory regions of verbs: user memory that is pinned, or a dma-buf.
 */
#ifndef _MRC_VERBS_MR_H
#define _MRC_VERBS_MR_H

#include <rdma/ib_verbs.h>

#include "../transport/device/mr.h"
#include "dmabuf.h"

struct ib_umem;

/* A region has this many bytes at most: its array of pages must fit into one allocation. */
#define MRC_MR_MAX	(1ull << 39)

/**
 * struct mrc_ib_mr - a memory region as verbs sees it
 * @ib: the core's part
 * @mr: the data path's part, a reference
 * @umem: the pinned memory, or NULL
 * @dmabuf: the memory, if it is that of a dma-buf
 * @pages: number of pages
 * @user: the user it belongs to
 */
struct mrc_ib_mr {
	struct ib_mr ib;
	struct mrc_mr *mr;
	struct ib_umem *umem;
	struct mrc_dmabuf dmabuf;
	size_t pages;
	struct mrc_user *user;
};

static inline struct mrc_ib_mr *to_mrc_mr(struct ib_mr *ib)
{
	return container_of(ib, struct mrc_ib_mr, ib);
}

/* Device operations. */
struct ib_mr *mrc_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			      u64 virt, int access, struct ib_udata *udata);
struct ib_mr *mrc_reg_dmabuf_mr(struct ib_pd *pd, u64 offset, u64 length, u64 virt, int fd,
				int access, struct ib_udata *udata);
struct ib_mr *mrc_get_dma_mr(struct ib_pd *pd, int access);
int mrc_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

#endif /* _MRC_VERBS_MR_H */
