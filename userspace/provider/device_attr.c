/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries what an mrc device has beyond verbs. */
#include "device_attr.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <stdint.h>
#include <sys/ioctl.h>

struct mrc_device_call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[1];
};

int mrc_device_attr_query(struct ibv_context *context, struct mrc_abi_device_attr *values)
{
	struct mrc_device_call call = {
		.hdr = {
			.length = sizeof(call),
			.object_id = UVERBS_OBJECT_DEVICE,
			.method_id = MRC_METHOD_DEVICE_QUERY,
			.num_attrs = 1,
			.driver_id = MRC_DRIVER_ID,
		},
		.attr = {
			{
				.attr_id = MRC_ATTR_DEVICE_QUERY_VALUES,
				.len = sizeof(*values),
				.flags = UVERBS_ATTR_F_MANDATORY,
				.data = (uintptr_t)values,
			},
		},
	};

	return ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, &call) ? errno : 0;
}
