// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions. The core pins the user memory; this file lists its pages in one flat array for
 * the data path.
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

static struct page **mrc_umem_pages(struct ib_umem *umem)
{
	size_t n = ib_umem_num_pages(umem), i = 0;
	struct sg_page_iter iter;
	struct page **pages;

	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return NULL;
	for_each_sgtable_page(&umem->sgt_append.sgt, &iter, 0) {
		if (i == n)
			break;
		pages[i++] = sg_page_iter_page(&iter);
	}
	return pages;
}

static struct mrc_mr *mrc_mr_alloc(struct ib_pd *pd, struct ib_umem *umem,
				   u64 virt, int access)
{
	struct mrc_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);

	if (!mr)
		return NULL;
	mr->pages = mrc_umem_pages(umem);
	if (!mr->pages) {
		kfree(mr);
		return NULL;
	}
	mr->access = access;
	mr->pd = pd;
	mr->iova = virt;
	mr->length = umem->length;
	mr->offset = ib_umem_offset(umem);
	return mr;
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

/* Pins and publishes the memory. On error the caller frees @m. */
static int mrc_mr_register(struct mrc_ib_mr *m, struct ib_pd *pd, u64 start,
			   u64 length, u64 virt, int access)
{
	int ret;

	m->umem = mrc_umem_get(pd->device, start, length, access);
	if (IS_ERR(m->umem))
		return PTR_ERR(m->umem);
	m->mr = mrc_mr_alloc(pd, m->umem, virt, access);
	if (!m->mr) {
		ret = -ENOMEM;
		goto err_umem;
	}
	ret = mrc_mr_publish(to_mrc_dev(pd->device), m->mr);
	if (ret)
		goto err_mr;
	m->ib.lkey = m->mr->key;
	m->ib.rkey = m->mr->key;
	m->ib.iova = virt;
	m->ib.length = length;
	return 0;

err_mr:
	kvfree(m->mr->pages);
	kfree(m->mr);
err_umem:
	ib_umem_release(m->umem);
	return ret;
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
	struct mrc_user *user;
	struct mrc_ib_mr *m;
	int ret = mrc_mr_check_args(length, virt, access) ?: mrc_udata_check(udata, 0);

	if (ret)
		return ERR_PTR(ret);
	user = mrc_udata_user(udata);
	ret = mrc_object_add(pd->device, user, MRC_SHARE_MR);
	if (ret)
		return ERR_PTR(ret);
	m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	ret = m ? mrc_mr_register(m, pd, start, length, virt, access) : -ENOMEM;
	if (ret) {
		kfree(m);
		mrc_object_del(pd->device, user, MRC_SHARE_MR);
		return ERR_PTR(ret);
	}
	m->user = user;
	return &m->ib;
}

/* After this nothing reads or writes the memory any more. Process context, sleeps. */
int mrc_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct mrc_ib_mr *m = to_mrc_mr(ibmr);

	mrc_mr_revoke(to_mrc_dev(ibmr->device), m->mr);
	kvfree(m->mr->pages);
	ib_umem_release(m->umem);
	mrc_mr_put(m->mr);
	mrc_object_del(ibmr->device, m->user, MRC_SHARE_MR);
	kfree(m);
	return 0;
}
