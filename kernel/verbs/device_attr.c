// SPDX-License-Identifier: GPL-2.0-only
/*
 * The query for what a device has beyond verbs. Any process that has the device open may send it.
 */
#include <rdma/mrc-abi.h>
#include <rdma/uverbs_std_types.h>

#include "../transport/peer/qp.h"
#include "device.h"
#include "device_attr.h"

#define UVERBS_MODULE_NAME mrc
#include <rdma/uverbs_named_ioctl.h>

static int UVERBS_HANDLER(MRC_METHOD_DEVICE_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *context = ib_uverbs_get_ucontext(attrs);
	struct mrc_abi_device_attr values = {
		.max_qp = MRC_MAX_OBJECTS,
		.max_wimm_rx = U16_MAX,
		.max_wimm_tx = U16_MAX,
		.max_mpr = U8_MAX,
	};

	if (IS_ERR(context))
		return PTR_ERR(context);
	if (READ_ONCE(to_mrc_dev(context->device)->cfg.trim))
		values.caps |= MRC_ABI_DEVICE_CAP_TRIM_NACK;
	return uverbs_copy_to_struct_or_zero(attrs, MRC_ATTR_DEVICE_QUERY_VALUES, &values,
					     sizeof(values));
}

DECLARE_UVERBS_NAMED_METHOD(MRC_METHOD_DEVICE_QUERY,
	UVERBS_ATTR_PTR_OUT(MRC_ATTR_DEVICE_QUERY_VALUES,
			    UVERBS_ATTR_STRUCT(struct mrc_abi_device_attr, reserved),
			    UA_MANDATORY));

ADD_UVERBS_METHODS(mrc_device_methods, UVERBS_OBJECT_DEVICE,
		   &UVERBS_METHOD(MRC_METHOD_DEVICE_QUERY));

const struct uapi_definition mrc_device_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &mrc_device_methods),
	{},
};
