// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts and protection domains.
 */
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

int mrc_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	struct mrc_alloc_ucontext_resp resp = {
		.abi_version = MRC_ABI_VERSION,
		.max_inline = MRC_MAX_INLINE,
	};

	int err = mrc_udata_check(udata, offsetof(typeof(resp), comp_mask));

	return err ?: mrc_udata_answer(udata, &resp, sizeof(resp));
}

void mrc_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

/*
 * The device goes while a program has it open. The core destroys the program's
 * objects; the pages of mapped rings stay the program's until it unmaps them.
 */
void mrc_disassociate_ucontext(struct ib_ucontext *uctx)
{
}

int mrc_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	int err = udata ? mrc_udata_check(udata, 0) : 0;

	return err ?: mrc_object_add(pd->device, MRC_OBJECT_PD);
}

int mrc_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	mrc_object_del(pd->device, MRC_OBJECT_PD);
	return 0;
}
