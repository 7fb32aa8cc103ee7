// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for EV profiles. A request brings a profile with all its EVs. A command of its
 * own shows the EVs, so that each message stays small.
 */
#include "../transport/config/config.h"
#include "ev.h"
#include "message.h"

static_assert((int)MRC_EV_FMT_STEV == (int)MRC_NL_EV_FORMAT_STEV);
static_assert((int)MRC_EV_FMT_SRV6 == (int)MRC_NL_EV_FORMAT_SRV6);
static_assert((int)MRC_EV_FMT_UDP == (int)MRC_NL_EV_FORMAT_UDP);
static_assert((int)MRC_EV_MODE_AUTO == (int)MRC_NL_EV_MODE_AUTO);
static_assert((int)MRC_EV_MODE_EXPLICIT == (int)MRC_NL_EV_MODE_EXPLICIT);

static u16 mrc_nl_count_denied(const struct mrc_ev_profile *p)
{
	unsigned int i;
	u16 denied = 0;

	for (i = 0; p->mode == MRC_EV_MODE_EXPLICIT && i < p->count; i++)
		denied += READ_ONCE(p->ev[i].denied);
	return denied;
}

int mrc_nl_put_ev_profile(struct sk_buff *skb, const struct mrc_ev_profile *p)
{
	return mrc_nl_put_u64(skb, MRC_A_EV_PROFILE_ID, p->id) ?:
	       nla_put_u8(skb, MRC_A_EV_PROFILE_FORMAT, p->format) ?:
	       nla_put_u8(skb, MRC_A_EV_PROFILE_MODE, p->mode) ?:
	       nla_put_u16(skb, MRC_A_EV_PROFILE_MIN_ACTIVE, p->min_active) ?:
	       nla_put_u16(skb, MRC_A_EV_PROFILE_ACTIVE, p->active) ?:
	       nla_put_u16(skb, MRC_A_EV_PROFILE_COUNT, p->count) ?:
	       nla_put_u32(skb, MRC_A_EV_PROFILE_VERSION, p->version) ?:
	       nla_put_u16(skb, MRC_A_EV_PROFILE_DENIED, mrc_nl_count_denied(p)) ?:
	       nla_put_u8(skb, MRC_A_EV_PROFILE_OWNER, p->owner) ?:
	       (*p->alias ? nla_put_string(skb, MRC_A_EV_PROFILE_ALIAS, p->alias) : 0);
}

static int mrc_nl_ev_profile_msg(struct sk_buff *skb,
				 const struct mrc_nl_to *to,
				 struct mrc_dev *dev,
				 const struct mrc_ev_profile *p)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_EV_PROFILE_GET, dev);

	if (!hdr)
		return -EMSGSIZE;
	if (mrc_nl_put_ev_profile(skb, p)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int mrc_nl_ev_profile_get(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct mrc_dev *dev = mrc_nl_dev(info);
	struct mrc_ev_profile *p;
	struct sk_buff *msg;
	int err;

	p = mrc_ev_profile_get(dev, nla_get_u64(info->attrs[MRC_A_EV_PROFILE_ID]));
	if (!p)
		return mrc_nl_refuse(info, -ENOENT, MRC_A_EV_PROFILE_ID,
				     "no such EV profile");
	msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);
	err = msg ? mrc_nl_reply(msg, info,
				 mrc_nl_ev_profile_msg(msg, &to, dev, p)) :
		    -ENOMEM;
	mrc_ev_profile_put(p);
	return err;
}

static int mrc_nl_ev_profile_fill(struct sk_buff *skb,
				  struct netlink_callback *cb,
				  struct mrc_dev *dev)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	struct mrc_ev_profile *p;
	int err;

	do {
		p = mrc_ev_profile_next(dev, cur->next);
		if (!p)
			return 0;
		err = mrc_nl_ev_profile_msg(skb, &to, dev, p);
		if (!err)
			cur->next = p->id + 1;
		mrc_ev_profile_put(p);
	} while (!err && cur->next);	/* 0: that was the largest possible id */
	return err;
}

int mrc_nl_ev_profile_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_ev_profile_fill);
}

/* Return: the number of EVs in a request, or -EINVAL when the request contradicts itself. */
static int mrc_nl_count_evs(struct genl_info *info, bool automatic)
{
	struct nlattr *attr;
	int rem, count = 0;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		count += nla_type(attr) == MRC_A_EV_PROFILE_EV;
	if (count > MRC_EV_MAX)
		return mrc_nl_refuse(info, -EINVAL, MRC_A_EV_PROFILE_EV,
				     "an EV profile has at most 256 EVs");
	if (automatic && count)
		return mrc_nl_refuse(info, -EINVAL, MRC_A_EV_PROFILE_EV,
				     "mode auto draws its EVs and takes no list");
	if (automatic)
		return mrc_nl_require(info, MRC_A_EV_PROFILE_COUNT,
				      KBUILD_MODNAME ": mode auto needs a count");
	if (!count)
		return mrc_nl_require(info, MRC_A_EV_PROFILE_EV,
				      KBUILD_MODNAME ": mode explicit needs EVs");
	if (info->attrs[MRC_A_EV_PROFILE_COUNT])
		return mrc_nl_refuse(info, -EINVAL, MRC_A_EV_PROFILE_COUNT,
				     "only mode auto takes a count");
	return count;
}

static int mrc_nl_parse_evs(struct genl_info *info, struct mrc_ev_profile *p)
{
	struct nlattr *attr;
	unsigned int i = 0;
	int rem, err;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != MRC_A_EV_PROFILE_EV)
			continue;
		err = mrc_nl_ev_parse(genl_info_net(info), attr, p->format,
				      &p->ev[i++], info->extack);
		if (err)
			return err;
	}
	return 0;
}

/* Return: the profile that a request describes, a reference; or ERR_PTR with extack set. */
static struct mrc_ev_profile *mrc_nl_parse_profile(struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	bool automatic = a[MRC_A_EV_PROFILE_MODE] &&
			 nla_get_u8(a[MRC_A_EV_PROFILE_MODE]) ==
			 MRC_NL_EV_MODE_AUTO;
	struct mrc_ev_profile *p;
	int count, err;

	count = mrc_nl_count_evs(info, automatic);
	if (count < 0)
		return ERR_PTR(count);
	p = mrc_ev_profile_alloc(count);
	if (!p)
		return ERR_PTR(-ENOMEM);
	p->id = nla_get_u64(a[MRC_A_EV_PROFILE_ID]);
	p->format = nla_get_u8(a[MRC_A_EV_PROFILE_FORMAT]);
	if (automatic)
		p->count = nla_get_u16(a[MRC_A_EV_PROFILE_COUNT]);
	p->min_active = p->count / 4;
	if (a[MRC_A_EV_PROFILE_MIN_ACTIVE])
		p->min_active = nla_get_u16(a[MRC_A_EV_PROFILE_MIN_ACTIVE]);
	if (a[MRC_A_EV_PROFILE_ACTIVE])
		p->active = nla_get_u16(a[MRC_A_EV_PROFILE_ACTIVE]);
	if (a[MRC_A_EV_PROFILE_ALIAS])
		nla_strscpy(p->alias, a[MRC_A_EV_PROFILE_ALIAS], sizeof(p->alias));
	err = mrc_nl_parse_evs(info, p);
	if (!err)
		return p;
	mrc_ev_profile_put(p);
	return ERR_PTR(err);
}

static int mrc_nl_ev_profile_change(struct genl_info *info, bool replace)
{
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_EV_PROFILE_OWNER, MRC_A_EV_PROFILE_CLAIM);
	struct mrc_ev_profile *p;
	int err;

	p = mrc_nl_parse_profile(info);
	if (IS_ERR(p))
		return PTR_ERR(p);
	err = mrc_config_set_ev_profile(mrc_nl_dev(info), p, replace, &change);
	if (err)
		mrc_ev_profile_put(p);
	else
		mrc_nl_changed();
	return err;
}

int mrc_nl_ev_profile_add(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_ev_profile_change(info, false);
}

int mrc_nl_ev_profile_set(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_ev_profile_change(info, true);
}

int mrc_nl_ev_profile_del(struct sk_buff *skb, struct genl_info *info)
{
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_EV_PROFILE_OWNER, 0);
	int err;

	err = mrc_config_del_ev_profile(mrc_nl_dev(info),
					nla_get_u64(info->attrs[MRC_A_EV_PROFILE_ID]),
					&change);
	if (!err)
		mrc_nl_changed();
	return err;
}
