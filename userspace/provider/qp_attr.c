/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets and queries MRC's own QP attributes. */
#include "qp_attr.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* Both methods take a QP and one structure. */
struct mrc_qp_call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[2];
};

static int mrc_qp_call(struct ibv_qp *qp, uint16_t method, uint16_t handle_id,
		       uint16_t values_id, const struct mrc_abi_qp_attr *values)
{
	struct mrc_qp_call call = {
		.hdr = {
			.length = sizeof(call),
			.object_id = UVERBS_OBJECT_QP,
			.method_id = method,
			.num_attrs = 2,
			.driver_id = MRC_DRIVER_ID,
		},
		.attr = {
			{
				.attr_id = handle_id,
				.flags = UVERBS_ATTR_F_MANDATORY,
				.data = qp->handle,
			},
			{
				.attr_id = values_id,
				.len = sizeof(*values),
				.flags = UVERBS_ATTR_F_MANDATORY,
				.data = (uintptr_t)values,
			},
		},
	};

	return ioctl(qp->context->cmd_fd, RDMA_VERBS_IOCTL, &call) ? errno : 0;
}

int mrc_qp_attr_set(struct ibv_qp *qp, const struct mrc_abi_qp_attr *values)
{
	return mrc_qp_call(qp, MRC_METHOD_QP_SET, MRC_ATTR_QP_SET_HANDLE, MRC_ATTR_QP_SET_VALUES,
			   values);
}

int mrc_qp_attr_query(struct ibv_qp *qp, struct mrc_abi_qp_attr *values)
{
	return mrc_qp_call(qp, MRC_METHOD_QP_QUERY, MRC_ATTR_QP_QUERY_HANDLE,
			   MRC_ATTR_QP_QUERY_VALUES, values);
}
