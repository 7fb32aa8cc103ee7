/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels in the interface of RDMA drivers.
 */
#ifndef _MRC_COMPAT_VERBS_H
#define _MRC_COMPAT_VERBS_H

#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>

#include "compat-config.h"

/* The last argument of create_cq, and the driver's part of that argument. */
#ifdef HAVE_CREATE_CQ_ATTRS
typedef struct uverbs_attr_bundle mrc_create_cq_arg;

static inline struct ib_udata *mrc_create_cq_udata(mrc_create_cq_arg *arg)
{
	return arg ? &arg->driver_udata : NULL;
}
#else
typedef struct ib_udata mrc_create_cq_arg;

static inline struct ib_udata *mrc_create_cq_udata(mrc_create_cq_arg *arg)
{
	return arg;
}
#endif

/*
 * MRC_DEFINE_REG_USER_MR(OP, FN): defines OP, which the RDMA core calls to register a region. OP
 * calls FN, and refuses hints for DMA, which FN does not know.
 */
#ifdef HAVE_REG_USER_MR_DMAH
#define MRC_DEFINE_REG_USER_MR(op, fn)						\
static struct ib_mr *op(struct ib_pd *pd, u64 start, u64 length, u64 virt,	\
			int access, struct ib_dmah *dmah,			\
			struct ib_udata *udata)					\
{										\
	if (dmah)								\
		return ERR_PTR(-EOPNOTSUPP);					\
	return fn(pd, start, length, virt, access, udata);			\
}
#else
#define MRC_DEFINE_REG_USER_MR(op, fn)						\
static struct ib_mr *op(struct ib_pd *pd, u64 start, u64 length, u64 virt,	\
			int access, struct ib_udata *udata)			\
{										\
	return fn(pd, start, length, virt, access, udata);			\
}
#endif

/*
 * MRC_DEFINE_REG_DMABUF_MR(OP, FN): defines OP, which the RDMA core calls to register a dma-buf,
 * likewise.
 */
#if defined(HAVE_REG_USER_MR_DMAH)
#define MRC_DEFINE_REG_DMABUF_MR(op, fn)					\
static struct ib_mr *op(struct ib_pd *pd, u64 offset, u64 length, u64 virt,	\
			int fd, int access, struct ib_dmah *dmah,		\
			struct uverbs_attr_bundle *attrs)			\
{										\
	if (dmah)								\
		return ERR_PTR(-EOPNOTSUPP);					\
	return fn(pd, offset, length, virt, fd, access, &attrs->driver_udata);	\
}
#elif defined(HAVE_REG_DMABUF_ATTRS)
#define MRC_DEFINE_REG_DMABUF_MR(op, fn)					\
static struct ib_mr *op(struct ib_pd *pd, u64 offset, u64 length, u64 virt,	\
			int fd, int access, struct uverbs_attr_bundle *attrs)	\
{										\
	return fn(pd, offset, length, virt, fd, access, &attrs->driver_udata);	\
}
#else
#define MRC_DEFINE_REG_DMABUF_MR(op, fn)					\
static struct ib_mr *op(struct ib_pd *pd, u64 offset, u64 length, u64 virt,	\
			int fd, int access, struct ib_udata *udata)		\
{										\
	return fn(pd, offset, length, virt, fd, access, udata);			\
}
#endif

/** mrc_umem_get() - pin memory of the calling program */
static inline struct ib_umem *mrc_umem_get(struct ib_device *device, unsigned long addr,
					   size_t size, int access)
{
#ifdef HAVE_UMEM_GET_VA
	return ib_umem_get_va(device, addr, size, access);
#else
	return ib_umem_get(device, addr, size, access);
#endif
}

/** mrc_name_by_user() - tell udev that the user has named the device, so that it keeps the name */
static inline void mrc_name_by_user(struct ib_device *ib)
{
#ifdef HAVE_NAME_BY_USER
	ib_mark_name_assigned_by_user(ib);
#endif
}

#endif /* _MRC_COMPAT_VERBS_H */
