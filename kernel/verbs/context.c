// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts and protection domains.
 */
#include <linux/sched/task.h>
#include <rdma/mrc-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "context.h"
#include "device.h"

int mrc_udata_check(struct ib_udata *udata, size_t room)
{
	if (!udata || (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen)))
		return -EOPNOTSUPP;
	return udata->outlen < room ? -EINVAL : 0;
}

int mrc_udata_answer(struct ib_udata *udata, void *answer, size_t size)
{
	return ib_copy_to_udata(udata, answer, min(udata->outlen, size));
}

struct mrc_user *mrc_udata_user(struct ib_udata *udata)
{
	struct mrc_ib_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct mrc_ib_ucontext, ib);

	return uctx ? uctx->user : NULL;
}

static int mrc_ucontext_init(struct mrc_ib_ucontext *uctx, struct ib_udata *udata)
{
	struct mrc_alloc_ucontext_resp resp = {
		.abi_version = MRC_ABI_VERSION,
		.max_inline = MRC_MAX_INLINE,
		.features = MRC_FEATURE_DOORBELLS | MRC_FEATURE_SRQS,
	};
	int err;

	if (READ_ONCE(to_mrc_dev(uctx->ib.device)->cfg.extensions))
		resp.features |= MRC_FEATURE_SENDS | MRC_FEATURE_READS | MRC_FEATURE_UD;
	err = mrc_udata_check(udata, offsetof(typeof(resp), comp_mask)) ?:
	      mrc_udata_answer(udata, &resp, sizeof(resp));
	if (err)
		return err;
	uctx->user = mrc_user_get(to_mrc_dev(uctx->ib.device));
	return uctx->user ? 0 : -ENOMEM;
}

/*
 * The context holds a reference to the program's task. If a driver refuses the context, the core's
 * ioctl (UVERBS_METHOD_GET_CONTEXT, as of 6.12) frees the context without dropping the task, which
 * would then stay for ever. The core's write() drops the task, unless res.task is NULL.
 */
static void mrc_ucontext_drop_task(struct ib_ucontext *ibuctx)
{
	if (ibuctx->res.task)
		put_task_struct(ibuctx->res.task);
	ibuctx->res.task = NULL;
}

int mrc_alloc_ucontext(struct ib_ucontext *ibuctx, struct ib_udata *udata)
{
	int err = mrc_ucontext_init(container_of(ibuctx, struct mrc_ib_ucontext, ib), udata);

	if (err)
		mrc_ucontext_drop_task(ibuctx);
	return err;
}

void mrc_dealloc_ucontext(struct ib_ucontext *ibuctx)
{
	mrc_user_put(container_of(ibuctx, struct mrc_ib_ucontext, ib)->user);
}

/*
 * Called when the device goes while a program has it open. Nothing is left to do: the core destroys
 * the program's objects, and the program keeps the pages of its rings until it unmaps them.
 */
void mrc_disassociate_ucontext(struct ib_ucontext *uctx)
{
}

int mrc_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct mrc_ib_pd *pd = container_of(ibpd, struct mrc_ib_pd, ib);
	int err = udata ? mrc_udata_check(udata, 0) : 0;

	pd->user = mrc_udata_user(udata);
	return err ?: mrc_object_add(ibpd->device, pd->user, MRC_SHARE_PD);
}

int mrc_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	mrc_object_del(ibpd->device, container_of(ibpd, struct mrc_ib_pd, ib)->user,
		       MRC_SHARE_PD);
	return 0;
}
