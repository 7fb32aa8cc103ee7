/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels in the interface of RDMA drivers.
 */
#ifndef _MRC_COMPAT_VERBS_H
#define _MRC_COMPAT_VERBS_H

#include <rdma/uverbs_ioctl.h>

#include "compat-config.h"

/* The last argument of create_cq, and the driver's part of it. */
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

#endif /* _MRC_COMPAT_VERBS_H */
