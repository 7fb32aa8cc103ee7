/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Doorbells. Older modules receive them by a write() to the device's file. The kernel refuses this
 * write() to a process that has called setuid() or the like since it opened the device, but it does
 * not refuse an ioctl.
 */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "provider.h"

/* A call of a doorbell method, which takes a QP or SRQ. All have the same attribute number. */
struct mrc_bell_call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr handle;
};
_Static_assert((int)MRC_ATTR_QP_SEND_DOORBELL_HANDLE == (int)MRC_ATTR_QP_RECV_DOORBELL_HANDLE &&
		       (int)MRC_ATTR_QP_SEND_DOORBELL_HANDLE == (int)MRC_ATTR_SRQ_DOORBELL_HANDLE,
	       "one attribute for all doorbells");

/* A POST command without requests. The kernel only compares wqe_size with its request's size. */
struct mrc_bell_command {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_post_send post;
};
_Static_assert(sizeof(struct ib_uverbs_post_send) == sizeof(struct ib_uverbs_post_recv) &&
		       sizeof(struct ib_uverbs_post_send_resp) ==
			       sizeof(struct ib_uverbs_post_recv_resp),
	       "POST_SEND and POST_RECV differ");

static int mrc_bell_write(const struct mrc_uqp *qp, uint32_t command, uint32_t wqe_size)
{
	struct ib_uverbs_post_send_resp resp;
	struct mrc_bell_command cmd = {
		.hdr = {
			.command = command,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.post = {
			.response = (uintptr_t)&resp,
			.qp_handle = qp->base.qp.handle,
			.wqe_size = wqe_size,
		},
	};

	return write(qp->base.qp.context->cmd_fd, &cmd, sizeof(cmd)) < 0 ? -1 : 0;
}

static int mrc_bell_ioctl(const struct ibv_context *context, uint16_t object, uint16_t method,
			  uint32_t handle)
{
	struct mrc_bell_call call = {
		.hdr = {
			.length = sizeof(call),
			.object_id = object,
			.method_id = method,
			.num_attrs = 1,
			.driver_id = MRC_DRIVER_ID,
		},
		.handle = {
			.attr_id = MRC_ATTR_QP_SEND_DOORBELL_HANDLE,
			.flags = UVERBS_ATTR_F_MANDATORY,
			.data = handle,
		},
	};

	return ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, &call);
}

static int mrc_bell_qp(const struct mrc_uqp *qp, uint16_t method)
{
	return mrc_bell_ioctl(qp->base.qp.context, UVERBS_OBJECT_QP, method, qp->base.qp.handle);
}

static bool mrc_has_doorbells(struct mrc_uqp *qp)
{
	return to_mrc_ucontext(qp->base.qp.context)->features & MRC_FEATURE_DOORBELLS;
}

void mrc_send_doorbell(struct mrc_uqp *qp)
{
	if (mrc_has_doorbells(qp))
		mrc_bell_qp(qp, MRC_METHOD_QP_SEND_DOORBELL);
	else
		mrc_bell_write(qp, IB_USER_VERBS_CMD_POST_SEND, sizeof(struct ib_uverbs_send_wr));
}

/* Does the kernel want a doorbell for what was posted? */
static bool mrc_bell_is_wanted(const struct mrc_uring *ring)
{
	/* Pairs with the kernel's barrier: the kernel sets the flag, then loads our index. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&ring->mem->flags, __ATOMIC_RELAXED) & MRC_RING_DOORBELL;
}

void mrc_recv_doorbell(struct mrc_uqp *qp)
{
	if (!mrc_bell_is_wanted(&qp->rq))
		return;
	if (mrc_has_doorbells(qp))
		mrc_bell_qp(qp, MRC_METHOD_QP_RECV_DOORBELL);
	else
		mrc_bell_write(qp, IB_USER_VERBS_CMD_POST_RECV, sizeof(struct ib_uverbs_recv_wr));
}

void mrc_srq_doorbell(struct mrc_usrq *srq)
{
	if (mrc_bell_is_wanted(&srq->ring))
		mrc_bell_ioctl(srq->base.context, UVERBS_OBJECT_SRQ, MRC_METHOD_SRQ_DOORBELL,
			       srq->base.handle);
}
