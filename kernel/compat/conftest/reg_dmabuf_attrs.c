// SPDX-License-Identifier: GPL-2.0-only
/* New: reg_user_mr_dmabuf takes the attribute bundle. Old: it takes the driver's part of the bundle. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

typedef struct ib_mr *(*old_op)(struct ib_pd *pd, u64 offset, u64 length, u64 virt, int fd, int access,
				struct ib_udata *udata);
#define IS_OLD	__builtin_types_compatible_p(typeof(((struct ib_device_ops *)0)->reg_user_mr_dmabuf), \
					     old_op)

#ifdef PROBE_NEW
static_assert(!IS_OLD);
#else
static_assert(IS_OLD);
#endif
