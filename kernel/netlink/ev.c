// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for the EVs of a profile.
 */
#include <linux/seg6.h>
#include <linux/seg6_iptunnel.h>
#include <net/ipv6.h>

#include "../compat/compat_netlink.h"
#include "../core/wire/usid.h"
#include "../transport/config/config.h"
#include "ev.h"
#include "message.h"

#define MRC_NL_REFUSE(extack, attr, msg) ({				\
	NL_SET_ERR_MSG_ATTR(extack, attr, KBUILD_MODNAME ": " msg);	\
	-EINVAL;							\
})

static int mrc_nl_parse_value(struct nlattr **tb, const struct nlattr *attr,
			      enum mrc_ev_format format, struct mrc_ev_spec *ev,
			      struct netlink_ext_ack *extack)
{
	struct nlattr *wrong = tb[MRC_A_EV_SID] ?: tb[MRC_A_EV_VIA] ?:
			       tb[MRC_A_EV_ENCAP] ?: tb[MRC_A_EV_TABLE];

	if (wrong)
		return MRC_NL_REFUSE(extack, wrong, "only SRv6 EVs take this attribute");
	if (!tb[MRC_A_EV_VALUE])
		return MRC_NL_REFUSE(extack, attr, "EV without a value");
	ev->value = nla_get_u32(tb[MRC_A_EV_VALUE]);
	if (format == MRC_EV_FMT_UDP) {
		if (ev->value > U16_MAX)
			return MRC_NL_REFUSE(extack, tb[MRC_A_EV_VALUE],
					     "the value of a UDP EV is a source port: at most 65535");
		ev->value <<= 16;
	}
	ev->path.kind = MRC_PATH_PLAIN;
	return 0;
}

static int mrc_nl_parse_sid(const struct nlattr *attr, struct mrc_ev_spec *ev,
			    struct netlink_ext_ack *extack)
{
	int type;

	ev->path.sid = nla_get_in6_addr(attr);
	type = ipv6_addr_type(&ev->path.sid);
	if (!(type & IPV6_ADDR_UNICAST) ||
	    type & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_LINKLOCAL | IPV6_ADDR_MAPPED))
		return MRC_NL_REFUSE(extack, attr, "SID is not a routable unicast address");
	ev->path.kind = MRC_PATH_SID;
	return 0;
}

static int mrc_nl_parse_via(const struct nlattr *attr, struct mrc_ev_spec *ev,
			    struct netlink_ext_ack *extack)
{
	int err = mrc_nl_parse_sid(attr, ev, extack);
	struct in6_addr whole = ev->path.sid;

	if (err)
		return err;
	if (!mrc_usid_append(whole.s6_addr, U16_MAX))
		return MRC_NL_REFUSE(extack, attr, "no room for the host's uSID");
	ev->via = true;
	return 0;
}

static int mrc_nl_parse_encap(struct net *net, const struct nlattr *attr,
			      struct mrc_ev_spec *ev,
			      struct netlink_ext_ack *extack)
{
	struct mrc_srh *srh = mrc_srh_parse(net, attr, extack);

	if (IS_ERR(srh)) {
		if (extack && !extack->_msg)
			NL_SET_ERR_MSG_MOD(extack, "not a valid segment list");
		if (extack && !extack->bad_attr)
			NL_SET_BAD_ATTR(extack, attr);
		return PTR_ERR(srh);
	}
	ev->path.kind = MRC_PATH_SRH;
	ev->path.srh = srh;
	return 0;
}

static int mrc_nl_parse_srv6(struct net *net, struct nlattr **tb,
			     const struct nlattr *attr, struct mrc_ev_spec *ev,
			     struct netlink_ext_ack *extack)
{
	struct nlattr *sid = tb[MRC_A_EV_SID], *encap = tb[MRC_A_EV_ENCAP];
	struct nlattr *via = tb[MRC_A_EV_VIA], *table = tb[MRC_A_EV_TABLE];

	if (tb[MRC_A_EV_VALUE])
		return MRC_NL_REFUSE(extack, tb[MRC_A_EV_VALUE], "SRv6 EVs have no value");
	if (!!sid + !!via + !!encap + !!table != 1)
		return MRC_NL_REFUSE(extack, attr,
				     "an SRv6 EV has either sid, via, encap or table");
	if (sid)
		return mrc_nl_parse_sid(sid, ev, extack);
	if (via)
		return mrc_nl_parse_via(via, ev, extack);
	if (encap)
		return mrc_nl_parse_encap(net, encap, ev, extack);
	ev->path.kind = MRC_PATH_TABLE;
	ev->path.table = nla_get_u32(table);
	return 0;
}

/* @tb: includes a port. @attr: attribute at fault when another one is missing, or NULL for none. */
static int mrc_nl_parse_ev(struct net *net, struct nlattr **tb, const struct nlattr *attr,
			   enum mrc_ev_format format, struct mrc_ev_spec *ev,
			   struct netlink_ext_ack *extack)
{
	ev->port = nla_get_u8(tb[MRC_A_EV_PORT]);
	ev->denied = tb[MRC_A_EV_DENIED] && nla_get_u8(tb[MRC_A_EV_DENIED]);
	if (format == MRC_EV_FMT_SRV6)
		return mrc_nl_parse_srv6(net, tb, attr, ev, extack);
	return mrc_nl_parse_value(tb, attr, format, ev, extack);
}

int mrc_nl_ev_parse(struct net *net, const struct nlattr *attr,
		    enum mrc_ev_format format, struct mrc_ev_spec *ev,
		    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[MRC_A_EV_MAX + 1];
	int err;

	err = nla_parse_nested(tb, MRC_A_EV_MAX, attr, mrc_nl_ev_spec_policy,
			       extack);
	if (err)
		return err;
	if (!tb[MRC_A_EV_PORT])
		return MRC_NL_REFUSE(extack, attr, "EV without a port");
	return mrc_nl_parse_ev(net, tb, attr, format, ev, extack);
}

/* An SRH lists the segments in reverse: the last segment of the journey comes first. */
static void mrc_nl_fill_srh(const struct mrc_srh *s, unsigned int segments,
			    unsigned int tlvs, struct seg6_iptunnel_encap *info)
{
	struct ipv6_sr_hdr *srh = info->srh;
	unsigned int i, len;

	info->mode = s->len && s->srh->segments_left == s->srh->first_segment ?
		     SEG6_IPTUN_MODE_ENCAP : SEG6_IPTUN_MODE_ENCAP_RED;
	len = struct_size(srh, segments, segments);
	memset(srh, 0, sizeof(*srh));
	srh->hdrlen = ((len + tlvs) >> 3) - 1;
	srh->type = IPV6_SRCRT_TYPE_4;
	srh->segments_left = segments - 1;
	srh->first_segment = segments - 1;
	for (i = 0; i < segments; i++)
		mrc_srh_segment(s, i, &srh->segments[segments - 1 - i]);
	if (s->len)
		srh->tag = s->srh->tag;
	memcpy((void *)srh + len, (void *)s->srh + s->len - tlvs, tlvs);
}

/* Puts the attribute that a request for this segment list would carry. */
static int mrc_nl_put_encap(struct sk_buff *skb, const struct mrc_srh *s)
{
	unsigned int segments = 0, tlvs = 0;
	struct nlattr *nest, *attr;
	struct in6_addr seg;

	while (mrc_srh_segment(s, segments, &seg))
		segments++;
	if (s->len)
		tlvs = s->len - struct_size(s->srh, segments,
					    s->srh->first_segment + 1);
	nest = nla_nest_start(skb, MRC_A_EV_ENCAP);
	if (!nest)
		return -EMSGSIZE;
	attr = nla_reserve(skb, SEG6_IPTUNNEL_SRH,
			   sizeof(struct seg6_iptunnel_encap) +
			   struct_size(s->srh, segments, segments) + tlvs);
	if (!attr)
		return -EMSGSIZE;
	mrc_nl_fill_srh(s, segments, tlvs, nla_data(attr));
	nla_nest_end(skb, nest);
	return 0;
}

static int mrc_nl_put_path(struct sk_buff *skb, const struct mrc_nl_to *to,
			   const struct mrc_ev_spec *ev,
			   enum mrc_ev_format format)
{
	switch (ev->path.kind) {
	case MRC_PATH_SID:
		return nla_put_in6_addr(skb, ev->via ? MRC_A_EV_VIA :
					MRC_A_EV_SID, &ev->path.sid);
	case MRC_PATH_SRH:
		return mrc_nl_put_encap(skb, ev->path.srh);
	case MRC_PATH_TABLE:
		return nla_put_u32(skb, MRC_A_EV_TABLE, ev->path.table);
	default:
		if (!to->admin)
			return 0;
		return nla_put_u32(skb, MRC_A_EV_VALUE,
				   format == MRC_EV_FMT_UDP ?
				   ev->value >> 16 : ev->value);
	}
}

int mrc_nl_put_ev(struct sk_buff *skb, const struct mrc_nl_to *to,
		  const struct mrc_ev_profile *p, u16 index)
{
	const struct mrc_ev_spec *ev = &p->ev[index];

	return mrc_nl_put_u64(skb, MRC_A_EV_EV_PROFILE, p->id) ?:
	       nla_put_u16(skb, MRC_A_EV_INDEX, index) ?:
	       nla_put_u8(skb, MRC_A_EV_PORT, ev->port) ?:
	       mrc_nl_put_path(skb, to, ev, p->format) ?:
	       nla_put_u8(skb, MRC_A_EV_DENIED, READ_ONCE(ev->denied)) ?:
	       nla_put_u32(skb, MRC_A_EV_VERSION, p->version);
}

static int mrc_nl_ev_msg(struct sk_buff *skb, const struct mrc_nl_to *to,
			 struct mrc_dev *dev, const struct mrc_ev_profile *p,
			 u16 index)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_EV_GET, dev);

	if (!hdr)
		return -EMSGSIZE;
	if (mrc_nl_put_ev(skb, to, p, index)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* This part of a dump becomes inconsistent only if the profile is replaced. */
static int mrc_nl_ev_fill_profile(struct sk_buff *skb,
				  struct netlink_callback *cb,
				  struct mrc_dev *dev,
				  const struct mrc_ev_profile *p)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	int err;

	if (p->mode != MRC_EV_MODE_EXPLICIT)
		return 0;
	mrc_nl_resume(cb, p->version + 1 ?: 1);
	for (; cur->sub < p->count; cur->sub++) {
		err = mrc_nl_ev_msg(skb, &to, dev, p, cur->sub);
		if (err)
			return err;
	}
	cb->prev_seq = 0;
	return 0;
}

/* Puts the EVs of the profile that the request names. */
static int mrc_nl_ev_fill_one(struct sk_buff *skb, struct netlink_callback *cb,
			      struct mrc_dev *dev, u64 id)
{
	struct mrc_ev_profile *p = mrc_ev_profile_get(dev, id);
	int err;

	if (!p)
		mrc_nl_lost(cb);
	if (!p && !mrc_nl_cursor(cb)->one)
		return 0;
	if (!p) {
		NL_SET_ERR_MSG_MOD(cb->extack, "no such EV profile");
		return -ENOENT;
	}
	err = mrc_nl_ev_fill_profile(skb, cb, dev, p);
	mrc_ev_profile_put(p);
	return err;
}

static int mrc_nl_ev_fill(struct sk_buff *skb, struct netlink_callback *cb,
			  struct mrc_dev *dev)
{
	struct nlattr *id = mrc_dump_attrs(cb)[MRC_A_EV_EV_PROFILE];
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_ev_profile *p;
	int err;

	if (id)
		return mrc_nl_ev_fill_one(skb, cb, dev, nla_get_u64(id));
	while ((p = mrc_ev_profile_next(dev, cur->next))) {
		if (p->id != cur->next)
			mrc_nl_lost(cb);
		cur->next = p->id;
		err = mrc_nl_ev_fill_profile(skb, cb, dev, p);
		mrc_ev_profile_put(p);
		if (err)
			return err;
		cur->sub = 0;
		if (!++cur->next)
			return 0;
	}
	mrc_nl_lost(cb);
	return 0;
}

int mrc_nl_ev_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_ev_fill);
}

static struct mrc_change mrc_nl_change_of_ev(struct genl_info *info)
{
	struct mrc_change change = mrc_nl_change_by(info, MRC_A_EV_OWNER, 0);

	change.versioned = info->attrs[MRC_A_EV_VERSION];
	if (change.versioned)
		change.version = nla_get_u32(info->attrs[MRC_A_EV_VERSION]);
	return change;
}

int mrc_nl_ev_set(struct sk_buff *skb, struct genl_info *info)
{
	const struct mrc_change change = mrc_nl_change_of_ev(info);
	struct nlattr **a = info->attrs;

	return mrc_config_deny_ev(mrc_nl_dev(info),
				  nla_get_u64(a[MRC_A_EV_EV_PROFILE]),
				  nla_get_u16(a[MRC_A_EV_INDEX]),
				  nla_get_u8(a[MRC_A_EV_DENIED]), &change);
}

/* Reads the request's EV in the profile's present format. The change checks the format again. */
static int mrc_nl_parse_put(struct genl_info *info, struct mrc_ev_edit *edit)
{
	struct mrc_ev_profile *p = mrc_ev_profile_get(mrc_nl_dev(info), edit->profile);

	if (!p)
		return mrc_nl_refuse(info, -ENOENT, MRC_A_EV_EV_PROFILE,
				     "no such EV profile with a list of EVs");
	edit->format = p->format;
	mrc_ev_profile_put(p);
	return mrc_nl_parse_ev(genl_info_net(info), info->attrs, NULL, edit->format, &edit->ev,
			       info->extack);
}

static int mrc_nl_ev_edit(struct genl_info *info, bool take, bool put)
{
	const struct mrc_change change = mrc_nl_change_of_ev(info);
	struct mrc_ev_edit edit = {
		.profile = nla_get_u64(info->attrs[MRC_A_EV_EV_PROFILE]),
		.take = take,
		.put = put,
	};
	int err = 0;

	if (take)
		edit.index = nla_get_u16(info->attrs[MRC_A_EV_INDEX]);
	if (put)
		err = mrc_nl_parse_put(info, &edit);
	if (err)
		return err;
	err = mrc_config_edit_ev(mrc_nl_dev(info), &edit, &change);
	if (!err)
		mrc_nl_changed();
	else if (edit.ev.path.srh)
		mrc_srh_put(edit.ev.path.srh);
	return err;
}

int mrc_nl_ev_add(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_ev_edit(info, false, true);
}

int mrc_nl_ev_replace(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_ev_edit(info, true, true);
}

int mrc_nl_ev_del(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_ev_edit(info, true, false);
}
