// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions. The core pins user memory, and an exporter that of a dma-buf; this file lists the
 * pages in one flat array for the data path.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "../compat/compat_verbs.h"
#include "context.h"
#include "device.h"
#include "mr.h"

/* Includes rights that nothing here uses, because programs ask for them out of habit. */
#define MRC_MR_ACCESS							\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |		\
	 IB_ACCESS_OPTIONAL)

static struct page **mrc_umem_pages(struct mrc_ib_mr *m)
{
	struct sg_page_iter iter;
	struct page **pages;
	size_t i = 0;

	pages = kvmalloc_array(m->pages, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	for_each_sgtable_page(&m->umem->sgt_append.sgt, &iter, 0) {
		if (i == m->pages)
			break;
		pages[i++] = sg_page_iter_page(&iter);
	}
	return pages;
}

static int mrc_mr_check_args(u64 length, u64 virt, int access)
{
	u64 end;

	if (!length || length > MRC_MR_MAX)
		return -EINVAL;
	if (check_add_overflow(virt, length, &end))
		return -EINVAL;
	if (access & ~MRC_MR_ACCESS)
		return -EOPNOTSUPP;
	return 0;
}

/**
 * struct mrc_mr_attr - what a program asks for
 * @start: first byte in its memory, or in the dma-buf
 * @length: bytes
 * @virt: address of the first byte in requests
 * @fd: file of the dma-buf; negative: there is none
 * @access: IB_ACCESS_* bits
 */
struct mrc_mr_attr {
	u64 start;
	u64 length;
	u64 virt;
	int fd;
	int access;
};

/* Gets the program's memory. Return: its pages, or ERR_PTR. */
static struct page **mrc_mr_pin(struct mrc_ib_mr *m, struct ib_pd *pd, const struct mrc_mr_attr *attr)
{
	struct ib_umem *umem = mrc_umem_get(pd->device, attr->start, attr->length, attr->access);

	if (IS_ERR(umem))
		return ERR_CAST(umem);
	m->umem = umem;
	m->pages = ib_umem_num_pages(umem);
	return mrc_umem_pages(m);
}

/* Gets the memory of a dma-buf, likewise. */
static struct page **mrc_mr_map(struct mrc_ib_mr *m, const struct mrc_mr_attr *attr)
{
	int ret = mrc_dmabuf_get(&m->dmabuf, attr->fd, attr->start, attr->length, attr->access);

	if (ret)
		return ERR_PTR(ret);
	m->pages = PFN_UP(offset_in_page(attr->start) + attr->length);
	return mrc_dmabuf_pages(&m->dmabuf, attr->start, m->pages);
}

static void mrc_mr_let_go(struct mrc_ib_mr *m)
{
	if (m->umem)
		ib_umem_release(m->umem);
	mrc_dmabuf_put(&m->dmabuf);
}

/* Makes the region reachable. Return: 0 or a negative error; @pages belong to the region then. */
static int mrc_mr_open(struct mrc_ib_mr *m, struct ib_pd *pd, struct page **pages,
		       const struct mrc_mr_attr *attr)
{
	struct mrc_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!mr)
		return -ENOMEM;
	mr->pages = pages;
	mr->access = attr->access;
	mr->pd = pd;
	mr->iova = attr->virt;
	mr->length = attr->length;
	mr->offset = offset_in_page(attr->start);
	/* The kernel uses its memory again as soon as the request is complete. */
	mr->lent = m->dmabuf.buf || !pages;
	ret = mrc_mr_publish(to_mrc_dev(pd->device), mr);
	if (ret) {
		kfree(mr);
		return ret;
	}
	m->mr = mr;
	m->ib.lkey = mr->key;
	m->ib.rkey = mr->key;
	m->ib.iova = attr->virt;
	m->ib.length = attr->length;
	return 0;
}

/* On error the caller frees @m. */
static int mrc_mr_register(struct mrc_ib_mr *m, struct ib_pd *pd, const struct mrc_mr_attr *attr)
{
	struct page **pages = attr->fd < 0 ? mrc_mr_pin(m, pd, attr) : mrc_mr_map(m, attr);
	int ret = PTR_ERR_OR_ZERO(pages);

	if (!ret) {
		ret = mrc_mr_open(m, pd, pages, attr);
		if (ret)
			kvfree(pages);
	}
	if (ret)
		mrc_mr_let_go(m);
	return ret;
}

static struct ib_mr *mrc_mr_create(struct ib_pd *pd, const struct mrc_mr_attr *attr,
				   struct ib_udata *udata)
{
	struct mrc_user *user;
	struct mrc_ib_mr *m;
	int ret = mrc_mr_check_args(attr->length, attr->virt, attr->access) ?:
		  mrc_udata_check(udata, 0);

	if (ret)
		return ERR_PTR(ret);
	user = mrc_udata_user(udata);
	ret = mrc_object_add(pd->device, user, MRC_SHARE_MR);
	if (ret)
		return ERR_PTR(ret);
	m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	ret = m ? mrc_mr_register(m, pd, attr) : -ENOMEM;
	if (ret) {
		kfree(m);
		mrc_object_del(pd->device, user, MRC_SHARE_MR);
		return ERR_PTR(ret);
	}
	m->user = user;
	return &m->ib;
}

/**
 * mrc_reg_user_mr() - pin user memory and make it reachable by a key
 * @pd: protection domain
 * @start: first byte in the program's memory
 * @length: bytes
 * @virt: address of the first byte in requests
 * @access: IB_ACCESS_* bits
 * @udata: must ask for nothing
 *
 * Context: process, sleeps.
 * Return: the region, or ERR_PTR: -EINVAL (empty, too large, wraps), -EOPNOTSUPP
 * (windows, on demand, zero based), -ENOMEM (also RLIMIT_MEMLOCK), -EDQUOT (the user has too
 * many regions), -EFAULT.
 */
struct ib_mr *mrc_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			      u64 virt, int access, struct ib_udata *udata)
{
	const struct mrc_mr_attr attr = {
		.start = start,
		.length = length,
		.virt = virt,
		.fd = -1,
		.access = access,
	};

	return mrc_mr_create(pd, &attr, udata);
}

/**
 * mrc_reg_dmabuf_mr() - make memory of a dma-buf reachable by a key
 * @pd: protection domain
 * @offset: first byte in the dma-buf
 * @length: bytes
 * @virt: address of the first byte in requests; the core has checked that it is as far into its
 *        page as @offset
 * @fd: the dma-buf's file
 * @access: IB_ACCESS_* bits
 * @udata: must ask for nothing
 *
 * Context: process, sleeps.
 * Return: as for mrc_reg_user_mr(), and errors of mrc_dmabuf_get() and mrc_dmabuf_pages().
 * -EOPNOTSUPP also when no file is given: so libraries ask whether a device can register memory of
 * GPUs, and they take another error for a yes.
 */
struct ib_mr *mrc_reg_dmabuf_mr(struct ib_pd *pd, u64 offset, u64 length, u64 virt, int fd,
				int access, struct ib_udata *udata)
{
	const struct mrc_mr_attr attr = {
		.start = offset,
		.length = length,
		.virt = virt,
		.fd = fd,
		.access = access,
	};

	return fd < 0 ? ERR_PTR(-EOPNOTSUPP) : mrc_mr_create(pd, &attr, udata);
}

/**
 * mrc_get_dma_mr() - a region that is all of the kernel's memory, for users in the kernel
 * @pd: their protection domain
 * @access: IB_ACCESS_* bits
 *
 * The device uses virtual addresses (ib_uses_virt_dma()), so addresses are the kernel's own. A program
 * cannot have such a region: the core offers none, and the region's protection domain is the kernel's.
 * Peers get no access to it, because not every address leads to memory.
 *
 * Context: process, sleeps. Return: the region, or ERR_PTR: -EOPNOTSUPP, -ENOMEM.
 */
struct ib_mr *mrc_get_dma_mr(struct ib_pd *pd, int access)
{
	const struct mrc_mr_attr all = { .length = U64_MAX, .access = access };
	struct mrc_ib_mr *m;
	int ret;

	if (access & ~IB_ACCESS_LOCAL_WRITE || !ib_uses_virt_dma(pd->device))
		return ERR_PTR(-EOPNOTSUPP);
	ret = mrc_object_add(pd->device, NULL, MRC_SHARE_MR);
	if (ret)
		return ERR_PTR(ret);
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	ret = m ? mrc_mr_open(m, pd, NULL, &all) : -ENOMEM;
	if (!ret)
		return &m->ib;
	kfree(m);
	mrc_object_del(pd->device, NULL, MRC_SHARE_MR);
	return ERR_PTR(ret);
}

/* ---- fast registration ----------------------------------------------------------- */

/* Return: a region that is invalid, or ERR_PTR. */
static struct mrc_mr *mrc_mr_open_fast(struct ib_pd *pd, u32 pages)
{
	struct mrc_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!mr)
		return ERR_PTR(ret);
	mr->pd = pd;
	mr->fast = true;
	spin_lock_init(&mr->lock);
	mr->revoked = true;
	mr->lent = true;
	mr->pages = kvcalloc(pages, sizeof(*mr->pages), GFP_KERNEL);
	if (mr->pages)
		ret = mrc_mr_publish(to_mrc_dev(pd->device), mr);
	if (!ret)
		return mr;
	kvfree(mr->pages);
	kfree(mr);
	return ERR_PTR(ret);
}

/* Return: 0 or a negative error; the caller frees @m then. */
static int mrc_mr_alloc_fast(struct mrc_ib_mr *m, struct ib_pd *pd, u32 pages)
{
	m->mapped = kvcalloc(pages, sizeof(*m->mapped), GFP_KERNEL);
	if (!m->mapped)
		return -ENOMEM;
	m->room = pages;
	m->mr = mrc_mr_open_fast(pd, pages);
	if (IS_ERR(m->mr)) {
		kvfree(m->mapped);
		return PTR_ERR(m->mr);
	}
	m->ib.lkey = m->mr->key;
	m->ib.rkey = m->mr->key;
	return 0;
}

/**
 * mrc_alloc_mr() - a region that requests of a user in the kernel make valid and invalid
 * @pd: its protection domain
 * @type: IB_MR_TYPE_MEM_REG
 * @pages: the most pages that it will have
 *
 * Context: process, sleeps. Return: the region, or ERR_PTR: -EOPNOTSUPP (type), -EINVAL (none or too
 * many pages), -ENOMEM.
 */
struct ib_mr *mrc_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 pages)
{
	struct mrc_ib_mr *m;
	int ret;

	if (type != IB_MR_TYPE_MEM_REG || !ib_uses_virt_dma(pd->device))
		return ERR_PTR(-EOPNOTSUPP);
	if (!pages || pages > MRC_MR_FAST_PAGES_MAX)
		return ERR_PTR(-EINVAL);
	ret = mrc_object_add(pd->device, NULL, MRC_SHARE_MR);
	if (ret)
		return ERR_PTR(ret);
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	ret = m ? mrc_mr_alloc_fast(m, pd, pages) : -ENOMEM;
	if (!ret)
		return &m->ib;
	kfree(m);
	mrc_object_del(pd->device, NULL, MRC_SHARE_MR);
	return ERR_PTR(ret);
}

static int mrc_mr_map_page(struct ib_mr *ibmr, u64 addr)
{
	struct mrc_ib_mr *m = to_mrc_mr(ibmr);

	if (m->pages == m->room)
		return -ENOMEM;
	m->mapped[m->pages++] = mrc_mr_kernel_page(addr);
	return 0;
}

/*
 * Finds the pages for the next registration. The region may still be valid: its user may post the
 * invalidation later, together with the registration. Any context. Return: elements of
 * @sg that fit, or -EINVAL: pages of another size than the processor's.
 */
int mrc_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n, unsigned int *offset)
{
	struct mrc_ib_mr *m = to_mrc_mr(ibmr);

	if (ibmr->page_size != PAGE_SIZE)
		return -EINVAL;
	m->pages = 0;
	m->fresh = true;
	return ib_sg_to_pages(ibmr, sg, n, offset, mrc_mr_map_page);
}

int mrc_mr_register_fast(struct ib_mr *ibmr, const struct ib_pd *pd, u32 key, int access)
{
	struct mrc_ib_mr *m = to_mrc_mr(ibmr);
	const struct mrc_mr_news news = {
		.key = key,
		.access = access,
		.iova = ibmr->iova,
		.length = ibmr->length,
		.pages = m->fresh ? m->mapped : m->mr->pages,
	};
	struct page **before = m->mr->pages;
	int ret;

	if (!m->mr->fast || ibmr->pd != pd || access & ~MRC_MR_ACCESS ||
	    m->pages < PFN_UP(offset_in_page(news.iova) + news.length))
		return -EINVAL;
	ret = mrc_mr_renew(m->mr, &news);
	if (!ret && m->fresh) {
		m->mapped = before;
		m->fresh = false;
	}
	return ret;
}

/* ---- the end --------------------------------------------------------------------- */

/* After this nothing reads or writes the memory any more. Process context, sleeps. */
int mrc_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct mrc_ib_mr *m = to_mrc_mr(ibmr);

	mrc_mr_revoke(to_mrc_dev(ibmr->device), m->mr);
	kvfree(m->mr->pages);
	kvfree(m->mapped);
	mrc_mr_let_go(m);
	mrc_mr_put(m->mr);
	mrc_object_del(ibmr->device, m->user, MRC_SHARE_MR);
	kfree(m);
	return 0;
}
