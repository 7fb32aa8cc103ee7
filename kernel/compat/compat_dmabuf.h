/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels in the interface of dma-bufs.
 */
#ifndef _MRC_COMPAT_DMABUF_H
#define _MRC_COMPAT_DMABUF_H

#include <linux/dma-buf.h>

#include "compat-config.h"

/** mrc_dma_buf_vmap() - map it into the kernel; the caller does not hold its reservation */
static inline int mrc_dma_buf_vmap(struct dma_buf *buf, struct iosys_map *map)
{
#ifdef HAVE_DMA_BUF_VMAP_UNLOCKED
	return dma_buf_vmap_unlocked(buf, map);
#else
	return dma_buf_vmap(buf, map);
#endif
}

/** mrc_dma_buf_vunmap() - undo it, likewise */
static inline void mrc_dma_buf_vunmap(struct dma_buf *buf, struct iosys_map *map)
{
#ifdef HAVE_DMA_BUF_VMAP_UNLOCKED
	dma_buf_vunmap_unlocked(buf, map);
#else
	dma_buf_vunmap(buf, map);
#endif
}

#endif /* _MRC_COMPAT_DMABUF_H */
