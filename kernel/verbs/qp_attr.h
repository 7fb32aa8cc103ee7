/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MRC's own QP attributes: driver methods on the QP object of the uverbs ioctl.
 */
#ifndef _MRC_VERBS_QP_ATTR_H
#define _MRC_VERBS_QP_ATTR_H

#include <rdma/uverbs_ioctl.h>

/** mrc_uapi_defs - for ib_device.driver_def */
extern const struct uapi_definition mrc_uapi_defs[];

#endif /* _MRC_VERBS_QP_ATTR_H */
