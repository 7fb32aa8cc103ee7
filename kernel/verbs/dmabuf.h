/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of dma-bufs. The data path reads and writes by the CPU. So a dma-buf can be registered if
 * its exporter maps it into the kernel, and the mapping consists of pages of this host's memory.
 * Memory of GPUs is none.
 *
 * An exporter may use the pages for another buffer as soon as the dma-buf is given up, whoever still
 * has references to the pages. So packets do not refer to them (lent in struct mrc_mr).
 */
#ifndef _MRC_VERBS_DMABUF_H
#define _MRC_VERBS_DMABUF_H

#include <linux/iosys-map.h>
#include <linux/types.h>

struct dma_buf;
struct page;

/**
 * struct mrc_dmabuf - a dma-buf that is mapped, and stays where it is as long as it is
 * @buf: a reference; NULL: there is none
 * @map: the mapping
 */
struct mrc_dmabuf {
	struct dma_buf *buf;
	struct iosys_map map;
};

/**
 * mrc_dmabuf_get() - map a dma-buf
 * @d: result
 * @fd: its file in the calling program
 * @offset: first byte that is wanted
 * @length: bytes that are wanted
 * @access: IB_ACCESS_* bits
 *
 * Process context, sleeps. Return: 0; -EBADF; -EINVAL: the file is no dma-buf, or the range is not
 * within; -EACCES: the file may not be written to; -EOPNOTSUPP: the exporter cannot map the buffer
 * into the kernel; another error of the exporter.
 */
int mrc_dmabuf_get(struct mrc_dmabuf *d, int fd, u64 offset, u64 length, int access);

/** mrc_dmabuf_put() - undo it; does nothing if there is none. Process context, sleeps. */
void mrc_dmabuf_put(struct mrc_dmabuf *d);

/**
 * mrc_dmabuf_pages() - the pages of a range
 * @d: the dma-buf
 * @offset: first byte
 * @n: pages, from the one with @offset on
 *
 * Process context. Return: an array for kvfree(), or ERR_PTR: -ENOMEM; -EOPNOTSUPP: not all of it
 * is memory of this host.
 */
struct page **mrc_dmabuf_pages(const struct mrc_dmabuf *d, u64 offset, size_t n);

#endif /* _MRC_VERBS_DMABUF_H */
