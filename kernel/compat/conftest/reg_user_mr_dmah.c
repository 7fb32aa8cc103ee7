// SPDX-License-Identifier: GPL-2.0-only
/* New: reg_user_mr takes hints for DMA. Old: it does not. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#ifdef PROBE_NEW
struct ib_mr *probe(struct ib_pd *pd, u64 start, u64 length, u64 virt, int access,
		    struct ib_dmah *dmah, struct ib_udata *udata);
#else
struct ib_mr *probe(struct ib_pd *pd, u64 start, u64 length, u64 virt, int access,
		    struct ib_udata *udata);
#endif

const struct ib_device_ops ops = {
	.reg_user_mr = probe,
};
