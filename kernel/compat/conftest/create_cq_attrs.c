// SPDX-License-Identifier: GPL-2.0-only
/* New: create_cq takes the attribute bundle. Old: it takes the driver's part of the bundle. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#ifdef PROBE_NEW
int probe(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
	  struct uverbs_attr_bundle *attrs);
#else
int probe(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata);
#endif

const struct ib_device_ops ops = {
	.create_cq = probe,
};
