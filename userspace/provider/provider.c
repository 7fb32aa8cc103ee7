/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registration with libibverbs, opening a device, and the operations that only call the kernel's
 * generic commands: queries, protection domains, memory regions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "caller.h"
#include "provider.h"

struct mrc_get_context_answer {
	struct ib_uverbs_get_context_resp core;
	struct mrc_alloc_ucontext_resp mrc;
};
_Static_assert(offsetof(struct mrc_get_context_answer, mrc) ==
		       sizeof(struct ib_uverbs_get_context_resp),
	       "padding in a response");

static int mrc_query_device_ex(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t version;
	int err;

	err = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp, &resp_size);
	if (err)
		return err;
	/* Users in the kernel have what this stands for. */
	attr->orig_attr.device_cap_flags &= ~IBV_DEVICE_MEM_MGT_EXTENSIONS;
	version = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u",
		 (unsigned int)(version >> 32), (unsigned int)(version >> 16) & 0xffff,
		 (unsigned int)version & 0xffff);
	return 0;
}

static int mrc_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

static struct ibv_pd *mrc_alloc_pd(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_pd *pd = calloc(1, sizeof(*pd));
	struct ibv_alloc_pd cmd;
	int err;

	if (!pd)
		return NULL;
	err = ibv_cmd_alloc_pd(context, pd, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (!err)
		return pd;
	free(pd);
	errno = err;
	return NULL;
}

static int mrc_dealloc_pd(struct ibv_pd *pd)
{
	int err = ibv_cmd_dealloc_pd(pd);

	if (!err)
		free(pd);
	return err;
}

static struct ibv_mr *mrc_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va,
				 int access)
{
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;
	int err;

	if (!mr)
		return NULL;
	err = ibv_cmd_reg_mr(pd, addr, length, hca_va, access, mr, &cmd, sizeof(cmd), &resp,
			     sizeof(resp));
	if (!err)
		return &mr->ibv_mr;
	free(mr);
	errno = err;
	return NULL;
}

static struct ibv_mr *mrc_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
					uint64_t iova, int fd, int access)
{
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int err;

	if (!mr)
		return NULL;
	err = ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, mr MRC_NO_DMABUF_ATTRIBUTES);
	if (!err)
		return &mr->ibv_mr;
	free(mr);
	errno = err;
	return NULL;
}

static int mrc_dereg_mr(struct verbs_mr *mr)
{
	int err = ibv_cmd_dereg_mr(mr);

	if (!err)
		free(mr);
	return err;
}

static void mrc_free_context(struct ibv_context *context)
{
	struct mrc_ucontext *ctx = to_mrc_ucontext(context);

	verbs_uninit_context(&ctx->base);
	free(ctx);
}

static const struct verbs_context_ops mrc_ops = {
	.alloc_pd = mrc_alloc_pd,
	.create_ah = mrc_create_ah,
	.create_cq = mrc_create_cq,
	.create_cq_ex = mrc_create_cq_ex,
	.create_qp = mrc_create_qp,
	.create_qp_ex = mrc_create_qp_ex,
	.create_srq = mrc_create_srq,
	.dealloc_pd = mrc_dealloc_pd,
	.dereg_mr = mrc_dereg_mr,
	.destroy_ah = mrc_destroy_ah,
	.destroy_cq = mrc_destroy_cq,
	.destroy_qp = mrc_destroy_qp,
	.destroy_srq = mrc_destroy_srq,
	.free_context = mrc_free_context,
	.modify_qp = mrc_modify_qp,
	.modify_srq = mrc_modify_srq,
	.poll_cq = mrc_poll_cq,
	.post_recv = mrc_post_recv,
	.post_send = mrc_post_send,
	.post_srq_recv = mrc_post_srq_recv,
	.query_device_ex = mrc_query_device_ex,
	.query_port = mrc_query_port,
	.query_qp = mrc_query_qp,
	.query_srq = mrc_query_srq,
	.reg_dmabuf_mr = mrc_reg_dmabuf_mr,
	.reg_mr = mrc_reg_mr,
	.req_notify_cq = ibv_cmd_req_notify_cq,
};

static const struct verbs_device_ops mrc_device_ops;

/*
 * Checks that libibverbs has the same layout of the private structures. libibverbs copies some
 * operations into public places. These operations are spread over the alphabet, so a table with
 * more or fewer entries than ours would be noticed.
 */
static bool mrc_check_private_abi(struct ibv_device *device, struct mrc_ucontext *ctx)
{
	const struct ibv_context_ops *ops = &ctx->base.context.ops;

	return MRC_CONTAINER(device, struct mrc_udevice, base.device)->base.ops ==
		       &mrc_device_ops &&
	       ctx->base.create_qp_ex == mrc_create_qp_ex && ops->poll_cq == mrc_poll_cq &&
	       ops->post_recv == mrc_post_recv && ops->post_send == mrc_post_send &&
	       ctx->base.query_device_ex == mrc_query_device_ex &&
	       ops->req_notify_cq == ibv_cmd_req_notify_cq;
}

static struct verbs_context *mrc_alloc_context(struct ibv_device *device, int cmd_fd,
					       void *private_data)
{
	struct mrc_get_context_answer answer = {};
	struct ibv_get_context cmd = {};
	struct mrc_ucontext *ctx;

	(void)private_data;
	if (mrc_caller_wants_more()) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	ctx = _verbs_init_and_alloc_context(device, cmd_fd, sizeof(*ctx),
					    (void *)offsetof(struct mrc_ucontext, base),
					    MRC_DRIVER_ID);
	if (!ctx)
		return NULL;
	if (ibv_cmd_get_context(&ctx->base, &cmd, sizeof(cmd), MRC_NO_FDS &answer.core,
				sizeof(answer)))
		goto err;
	ctx->features = answer.mrc.features;
	verbs_set_ops(&ctx->base, &mrc_ops);
	if (answer.mrc.abi_version == MRC_ABI_VERSION && mrc_check_private_abi(device, ctx))
		return &ctx->base;
	fprintf(stderr, "libmrc provider: built for another libibverbs or mrc module; rebuild it\n");
	errno = EPROTO;
err:
	verbs_uninit_context(&ctx->base);
	free(ctx);
	return NULL;
}

static struct verbs_device *mrc_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	struct mrc_udevice *dev = calloc(1, sizeof(*dev));

	(void)sysfs_dev;
	return dev ? &dev->base : NULL;
}

static void mrc_uninit_device(struct verbs_device *device)
{
	free(MRC_CONTAINER(device, struct mrc_udevice, base));
}

static const struct verbs_match_ent mrc_match_table[] = {
	VERBS_DRIVER_ID(MRC_DRIVER_ID),
	{},
};

static const struct verbs_device_ops mrc_device_ops = {
	.name = "mrc",
	.match_min_abi_version = MRC_ABI_VERSION,
	.match_max_abi_version = MRC_ABI_VERSION,
	.match_table = mrc_match_table,
	.alloc_context = mrc_alloc_context,
	.alloc_device = mrc_alloc_device,
	.uninit_device = mrc_uninit_device,
};
PROVIDER_DRIVER(mrc, mrc_device_ops)
