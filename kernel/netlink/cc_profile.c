// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for CC profiles.
 */
#include "../transport/config/config.h"
#include "message.h"

/* Puts the settings that were set. A rate that follows the links was not set. */
static int mrc_nl_put_cc_nscc(struct sk_buff *skb, const struct mrc_cc_profile *p)
{
	struct mrc_cc_profile set = *p;

	if (set.links_rate)
		set.params.rate = 0;
	return mrc_nl_put_cc_profile_settings(skb, &set);
}

int mrc_nl_put_cc_profile(struct sk_buff *skb, const struct mrc_cc_profile *p)
{
	return mrc_nl_put_u64(skb, MRC_A_CC_PROFILE_ID, p->id) ?:
	       nla_put_string(skb, MRC_A_CC_PROFILE_ALGORITHM,
			      mrc_cc_algorithm_names[p->params.algorithm]) ?:
	       (p->params.algorithm == MRC_CC_NONE ?
		nla_put_u32(skb, MRC_A_CC_PROFILE_WINDOW, p->window) :
		mrc_nl_put_cc_nscc(skb, p)) ?:
	       nla_put_u8(skb, MRC_A_CC_PROFILE_OWNER, p->owner) ?:
	       (*p->alias ? nla_put_string(skb, MRC_A_CC_PROFILE_ALIAS, p->alias) : 0);
}

/* Converts a number with @bits bits behind the point to millionths. */
static u32 mrc_nl_cc_millionths(u64 value, unsigned int bits)
{
	return min_t(u64, value * MRC_CC_ONE >> bits, U32_MAX);
}

static int mrc_nl_put_cc_derived(struct sk_buff *skb, struct mrc_dev *dev,
				 const struct mrc_cc_profile *p)
{
	struct mrc_cc_derived d;
	struct nlattr *nest;
	u32 mtu;

	if (!mrc_cc_profile_derive(dev, p, &mtu, &d))
		return 0;
	nest = nla_nest_start(skb, MRC_A_CC_PROFILE_DERIVED);
	if (!nest ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_MTU, mtu) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_BDP, d.bdp) ||
	    mrc_nl_put_u64(skb, MRC_A_CC_DERIVED_RATE, p->params.rate) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_MAX_CWND, d.max_cwnd) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_TARGET_DELAY, d.target_ns) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_FAST_DELAY, d.fast_ns) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_ADJUST_BYTES, d.adjust_bytes) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_ADJUST_PERIOD, d.adjust_ns) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_ALPHA, mrc_nl_cc_millionths(d.alpha_q16, 16)) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_ETA, DIV_ROUND_CLOSEST_ULL(d.eta_q8, 256)) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_FI, d.fi) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_FI_SCALE,
			mrc_nl_cc_millionths(d.fi_scale_q16, 16)) ||
	    (d.qa_threshold_ns &&
	     nla_put_u32(skb, MRC_A_CC_DERIVED_QA_THRESHOLD, d.qa_threshold_ns)) ||
	    nla_put_u32(skb, MRC_A_CC_DERIVED_QA_PERIOD, d.qa_period_ns))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int mrc_nl_cc_profile_msg(struct sk_buff *skb,
				 const struct mrc_nl_to *to,
				 struct mrc_dev *dev,
				 const struct mrc_cc_profile *p)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_CC_PROFILE_GET, dev);

	if (!hdr)
		return -EMSGSIZE;
	if (mrc_nl_put_cc_profile(skb, p) || mrc_nl_put_cc_derived(skb, dev, p)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int mrc_nl_cc_profile_get(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct mrc_dev *dev = mrc_nl_dev(info);
	struct mrc_cc_profile p;
	struct sk_buff *msg;

	if (!mrc_cc_profile_get(dev, nla_get_u64(info->attrs[MRC_A_CC_PROFILE_ID]),
				&p))
		return mrc_nl_refuse(info, -ENOENT, MRC_A_CC_PROFILE_ID,
				     "no such CC profile");
	msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	return mrc_nl_reply(msg, info,
			    mrc_nl_cc_profile_msg(msg, &to, dev, &p));
}

static int mrc_nl_cc_profile_fill(struct sk_buff *skb,
				  struct netlink_callback *cb,
				  struct mrc_dev *dev)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	struct mrc_cc_profile p;
	int err;

	do {
		if (!mrc_cc_profile_next(dev, cur->next, &p))
			return 0;
		err = mrc_nl_cc_profile_msg(skb, &to, dev, &p);
		if (!err)
			cur->next = p.id + 1;
	} while (!err && cur->next);	/* 0: that was the largest possible id */
	return err;
}

int mrc_nl_cc_profile_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_cc_profile_fill);
}

/* Return: the algorithm of that name, or MRC_CC_ALGORITHMS if there is none. */
static u8 mrc_nl_cc_algorithm(const char *name)
{
	u8 i;

	for (i = 0; i < MRC_CC_ALGORITHMS; i++)
		if (!strcmp(name, mrc_cc_algorithm_names[i]))
			break;
	return i;
}

/* Refuses a request that lacks a setting of its algorithm, or has one of another algorithm. */
static int mrc_nl_cc_check(struct genl_info *info, u8 algorithm)
{
	unsigned int i;

	if (algorithm == MRC_CC_NSCC && info->attrs[MRC_A_CC_PROFILE_WINDOW])
		return mrc_nl_refuse(info, -EINVAL, MRC_A_CC_PROFILE_WINDOW,
				     "only algorithm none takes a window");
	if (algorithm != MRC_CC_NONE)
		return 0;
	for (i = 0; i < MRC_NL_CC_PROFILE_SETTINGS; i++)
		if (info->attrs[mrc_nl_cc_profile_settings[i]])
			return mrc_nl_refuse(info, -EINVAL, mrc_nl_cc_profile_settings[i],
					     "only algorithm nscc takes this setting");
	return mrc_nl_require(info, MRC_A_CC_PROFILE_WINDOW,
			      KBUILD_MODNAME ": window is missing");
}

static int mrc_nl_cc_profile_change(struct genl_info *info, bool replace)
{
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_CC_PROFILE_OWNER, MRC_A_CC_PROFILE_CLAIM);
	struct mrc_cc_profile p = {};
	struct nlattr **a = info->attrs;
	int err;

	p.id = nla_get_u64(a[MRC_A_CC_PROFILE_ID]);
	p.params.algorithm = mrc_nl_cc_algorithm(nla_data(a[MRC_A_CC_PROFILE_ALGORITHM]));
	err = mrc_nl_cc_check(info, p.params.algorithm);
	if (err)
		return err;
	mrc_nl_get_cc_profile_settings(a, &p);
	if (a[MRC_A_CC_PROFILE_WINDOW])
		p.window = nla_get_u32(a[MRC_A_CC_PROFILE_WINDOW]);
	if (a[MRC_A_CC_PROFILE_ALIAS])
		nla_strscpy(p.alias, a[MRC_A_CC_PROFILE_ALIAS], sizeof(p.alias));
	err = mrc_config_set_cc_profile(mrc_nl_dev(info), &p, replace, &change);
	if (!err)
		mrc_nl_changed();
	return err;
}

int mrc_nl_cc_profile_add(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_cc_profile_change(info, false);
}

int mrc_nl_cc_profile_set(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_cc_profile_change(info, true);
}

int mrc_nl_cc_profile_del(struct sk_buff *skb, struct genl_info *info)
{
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_CC_PROFILE_OWNER, 0);
	int err;

	err = mrc_config_del_cc_profile(mrc_nl_dev(info),
					nla_get_u64(info->attrs[MRC_A_CC_PROFILE_ID]),
					&change);
	if (!err)
		mrc_nl_changed();
	return err;
}
