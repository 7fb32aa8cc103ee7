// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of dma-bufs.
 */
#include <linux/dma-buf.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>

#include "../compat/compat_dmabuf.h"
#include "dmabuf.h"

/* As MODULE_IMPORT_NS(), whose argument is a string in new kernels and a word in old ones. */
MODULE_INFO(import_ns, "DMA_BUF");

#define MRC_DMABUF_WRITES						\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

static int mrc_dmabuf_check(const struct dma_buf *buf, u64 offset, u64 length, int access)
{
	u64 end;

	if (check_add_overflow(offset, length, &end) || end > buf->size)
		return -EINVAL;
	if (access & MRC_DMABUF_WRITES && !(buf->file->f_mode & FMODE_WRITE))
		return -EACCES;
	return 0;
}

static int mrc_dmabuf_map(struct mrc_dmabuf *d)
{
	int ret;

	/* Exporters that cannot map say so by various errors. */
	if (mrc_dma_buf_vmap(d->buf, &d->map))
		return -EOPNOTSUPP;
	ret = -EOPNOTSUPP;
	if (!d->map.is_iomem && PAGE_ALIGNED(d->map.vaddr))
		ret = dma_buf_begin_cpu_access(d->buf, DMA_BIDIRECTIONAL);
	if (ret)
		mrc_dma_buf_vunmap(d->buf, &d->map);
	return ret;
}

int mrc_dmabuf_get(struct mrc_dmabuf *d, int fd, u64 offset, u64 length, int access)
{
	struct dma_buf *buf = dma_buf_get(fd);
	int ret;

	if (IS_ERR(buf))
		return PTR_ERR(buf);
	d->buf = buf;
	ret = mrc_dmabuf_check(buf, offset, length, access) ?: mrc_dmabuf_map(d);
	if (ret) {
		dma_buf_put(buf);
		d->buf = NULL;
	}
	return ret;
}

void mrc_dmabuf_put(struct mrc_dmabuf *d)
{
	if (!d->buf)
		return;
	dma_buf_end_cpu_access(d->buf, DMA_BIDIRECTIONAL);
	mrc_dma_buf_vunmap(d->buf, &d->map);
	dma_buf_put(d->buf);
	d->buf = NULL;
}

/* Return: the page of an address of the mapping, or NULL: that is no memory of the host. */
static struct page *mrc_dmabuf_page(const void *addr)
{
	struct page *page = NULL;

	if (is_vmalloc_addr(addr))
		page = vmalloc_to_page(addr);
	else if (virt_addr_valid(addr))
		page = virt_to_page(addr);
	if (!page || !pfn_valid(page_to_pfn(page)) || is_zone_device_page(page))
		return NULL;
	return page;
}

struct page **mrc_dmabuf_pages(const struct mrc_dmabuf *d, u64 offset, size_t n)
{
	const void *addr = d->map.vaddr + (offset & PAGE_MASK);
	struct page **pages;
	size_t i;

	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < n; i++) {
		pages[i] = mrc_dmabuf_page(addr + (i << PAGE_SHIFT));
		if (!pages[i]) {
			kvfree(pages);
			return ERR_PTR(-EOPNOTSUPP);
		}
		cond_resched();
	}
	return pages;
}
