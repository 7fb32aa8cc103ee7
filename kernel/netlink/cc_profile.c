// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink: CC profiles.
 */
#include "../transport/config.h"
#include "message.h"

int mrc_nl_put_cc_profile(struct sk_buff *skb, const struct mrc_cc_profile *p)
{
	return mrc_nl_put_u64(skb, MRC_A_CC_PROFILE_ID, p->id) ?:
	       nla_put_string(skb, MRC_A_CC_PROFILE_ALGORITHM, p->algorithm) ?:
	       nla_put_u32(skb, MRC_A_CC_PROFILE_WINDOW, p->window) ?:
	       nla_put_u8(skb, MRC_A_CC_PROFILE_OWNER, p->owner) ?:
	       (*p->alias ? nla_put_string(skb, MRC_A_CC_PROFILE_ALIAS, p->alias) : 0);
}

static int mrc_nl_cc_profile_msg(struct sk_buff *skb,
				 const struct mrc_nl_to *to,
				 struct mrc_dev *dev,
				 const struct mrc_cc_profile *p)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_CC_PROFILE_GET, dev);

	if (!hdr)
		return -EMSGSIZE;
	if (mrc_nl_put_cc_profile(skb, p)) {
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
	} while (!err && cur->next);	/* 0: that was the last possible id */
	return err;
}

int mrc_nl_cc_profile_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_cc_profile_fill);
}

static int mrc_nl_cc_profile_change(struct genl_info *info, bool replace)
{
	const struct mrc_asked asked =
		mrc_nl_asked_by(info, MRC_A_CC_PROFILE_OWNER, MRC_A_CC_PROFILE_CLAIM);
	struct nlattr **a = info->attrs;
	struct mrc_cc_profile p = { };
	int err;

	p.id = nla_get_u64(a[MRC_A_CC_PROFILE_ID]);
	nla_strscpy(p.algorithm, a[MRC_A_CC_PROFILE_ALGORITHM],
		    sizeof(p.algorithm));
	p.window = nla_get_u32(a[MRC_A_CC_PROFILE_WINDOW]);
	if (a[MRC_A_CC_PROFILE_ALIAS])
		nla_strscpy(p.alias, a[MRC_A_CC_PROFILE_ALIAS], sizeof(p.alias));
	err = mrc_config_set_cc_profile(mrc_nl_dev(info), &p, replace, &asked);
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
	const struct mrc_asked asked =
		mrc_nl_asked_by(info, MRC_A_CC_PROFILE_OWNER, 0);
	int err;

	err = mrc_config_del_cc_profile(mrc_nl_dev(info),
					nla_get_u64(info->attrs[MRC_A_CC_PROFILE_ID]),
					&asked);
	if (!err)
		mrc_nl_changed();
	return err;
}
