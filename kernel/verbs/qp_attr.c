// SPDX-License-Identifier: GPL-2.0-only
/*
 * MRC's own QP attributes. Only the process that owns a QP can set or query them, because no other
 * process can name the QP.
 */
#include <rdma/mrc-abi.h>
#include <rdma/uverbs_std_types.h>

#include "../transport/qp/life.h"
#include "device_attr.h"
#include "doorbell.h"
#include "qp.h"
#include "qp_attr.h"
#include "ud.h"

#define UVERBS_MODULE_NAME mrc
#include <rdma/uverbs_named_ioctl.h>

static void mrc_params_merge(struct mrc_qp_params *p,
			     const struct mrc_abi_qp_attr *a)
{
	if (a->mask & MRC_QP_ATTR_EV_PROFILE)
		p->ev_profile = a->ev_profile;
	if (a->mask & MRC_QP_ATTR_CC_PROFILE)
		p->cc_profile = a->cc_profile;
	if (a->mask & MRC_QP_ATTR_MPR_RX)
		p->mpr_rx = a->mpr_rx;
	if (a->mask & MRC_QP_ATTR_MPR_TX)
		p->mpr_tx = a->mpr_tx;
	if (a->mask & MRC_QP_ATTR_WIMM_RX)
		p->wimm_rx = a->wimm_rx;
	if (a->mask & MRC_QP_ATTR_WIMM_TX)
		p->wimm_tx = a->wimm_tx;
	if (a->mask & MRC_QP_ATTR_TIMEOUT)
		p->timeout = a->timeout;
	if (a->mask & MRC_QP_ATTR_LINEAR)
		p->linear = a->linear;
	if (a->mask & MRC_QP_ATTR_EXP)
		p->exp = a->exp;
}

static void mrc_params_show(const struct mrc_qp_params *p,
			    struct mrc_abi_qp_attr *a)
{
	a->mask = MRC_QP_ATTR_ALL;
	a->ev_profile = p->ev_profile;
	a->cc_profile = p->cc_profile;
	a->mpr_rx = p->mpr_rx;
	a->mpr_tx = p->mpr_tx;
	a->wimm_rx = p->wimm_rx;
	a->wimm_tx = p->wimm_tx;
	a->timeout = p->timeout;
	a->linear = p->linear;
	a->exp = p->exp;
}

/*
 * The parameters in @mask count as not set: the attributes of verbs decide about them, and when the
 * QP is reset they are those that a new QP would have. state_lock held.
 */
static void mrc_params_forget(struct mrc_ib_qp *q, u32 mask)
{
	struct mrc_abi_qp_attr values = {};
	struct mrc_qp_params defaults;

	mrc_qp_defaults(q->qp->dev, &defaults);
	mrc_params_show(&defaults, &values);
	values.mask = mask;
	mrc_params_merge(&q->qp->asked, &values);
	q->explicit &= ~mask;
}

/* Return: NULL: the QP has no such attributes. */
static struct mrc_ib_qp *mrc_qp_with_params(struct uverbs_attr_bundle *attrs, u16 handle)
{
	struct mrc_ib_qp *q = to_mrc_qp(uverbs_attr_get_obj(attrs, handle));

	return mrc_qp_is_ud(q) ? NULL : q;
}

static int UVERBS_HANDLER(MRC_METHOD_QP_SET)(struct uverbs_attr_bundle *attrs)
{
	struct mrc_ib_qp *q = mrc_qp_with_params(attrs, MRC_ATTR_QP_SET_HANDLE);
	struct mrc_qp_params params;
	struct mrc_abi_qp_attr values;
	int ret;

	if (!q)
		return -EOPNOTSUPP;
	ret = uverbs_copy_from(&values, attrs, MRC_ATTR_QP_SET_VALUES);
	if (ret)
		return ret;
	if ((values.mask & ~(MRC_QP_ATTR_ALL | MRC_QP_ATTR_UNSET)) ||
	    memchr_inv(values.reserved, 0, sizeof(values.reserved)))
		return -EINVAL;
	mutex_lock(&q->qp->state_lock);
	params = q->qp->params;
	mrc_params_merge(&params, &values);
	ret = mrc_qp_set_params(q->qp, &params);
	if (!ret && (values.mask & MRC_QP_ATTR_UNSET)) {
		mrc_params_forget(q, values.mask);
	} else if (!ret) {
		mrc_params_merge(&q->qp->asked, &values);
		q->explicit |= values.mask;
	}
	mutex_unlock(&q->qp->state_lock);
	return ret;
}

static int UVERBS_HANDLER(MRC_METHOD_QP_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct mrc_ib_qp *q = mrc_qp_with_params(attrs, MRC_ATTR_QP_QUERY_HANDLE);
	struct mrc_abi_qp_attr values = {};

	if (!q)
		return -EOPNOTSUPP;
	mutex_lock(&q->qp->state_lock);
	mrc_params_show(&q->qp->params, &values);
	mutex_unlock(&q->qp->state_lock);
	return uverbs_copy_to(attrs, MRC_ATTR_QP_QUERY_VALUES, &values,
			      sizeof(values));
}

DECLARE_UVERBS_NAMED_METHOD(MRC_METHOD_QP_SET,
	UVERBS_ATTR_IDR(MRC_ATTR_QP_SET_HANDLE, UVERBS_OBJECT_QP,
			UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(MRC_ATTR_QP_SET_VALUES,
			   UVERBS_ATTR_TYPE(struct mrc_abi_qp_attr),
			   UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(MRC_METHOD_QP_QUERY,
	UVERBS_ATTR_IDR(MRC_ATTR_QP_QUERY_HANDLE, UVERBS_OBJECT_QP,
			UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(MRC_ATTR_QP_QUERY_VALUES,
			    UVERBS_ATTR_TYPE(struct mrc_abi_qp_attr),
			    UA_MANDATORY));

ADD_UVERBS_METHODS(mrc_qp_methods, UVERBS_OBJECT_QP,
		   &UVERBS_METHOD(MRC_METHOD_QP_SET),
		   &UVERBS_METHOD(MRC_METHOD_QP_QUERY));

const struct uapi_definition mrc_uapi_defs[] = {
	UAPI_DEF_CHAIN(mrc_device_uapi_defs),
	UAPI_DEF_CHAIN(mrc_doorbell_uapi_defs),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_QP, &mrc_qp_methods),
	{},
};
