// SPDX-License-Identifier: GPL-2.0-only
/*
 * Segment lists. The kernel's seg6 code checks a list, and hands it back as its netlink attribute.
 * That attribute is an ABI; the layout of the seg6 tunnel state is not.
 */
#include <linux/lwtunnel.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/seg6.h>
#include <linux/seg6_iptunnel.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/lwtunnel.h>
#include <net/netlink.h>

#include "path.h"

/* An SRH is at most 2048 bytes; attribute headers and mode come on top. */
#define MRC_SRH_MSG_LEN		(2048 + 64)

static bool mrc_srh_has_hmac(const struct ipv6_sr_hdr *srh, unsigned int len)
{
	unsigned int at = sizeof(*srh) + (srh->first_segment + 1) *
			  sizeof(struct in6_addr);
	const struct sr6_tlv *tlv;

	for (; at + sizeof(*tlv) <= len; at += sizeof(*tlv) + tlv->len) {
		tlv = (const void *)srh + at;
		if (tlv->type == SR6_TLV_HMAC)
			return true;
	}
	return sr_has_hmac(srh);
}

static int mrc_srh_check(const struct seg6_iptunnel_encap *info,
			 struct netlink_ext_ack *extack)
{
	const struct ipv6_sr_hdr *srh = info->srh;

	if (info->mode != SEG6_IPTUN_MODE_ENCAP &&
	    info->mode != SEG6_IPTUN_MODE_ENCAP_RED) {
		NL_SET_ERR_MSG(extack, "Segment list needs mode encap or encap.red");
		return -EINVAL;
	}
	if (srh->segments_left != srh->first_segment) {
		NL_SET_ERR_MSG(extack, "Segments left must name the first segment");
		return -EINVAL;
	}
	if (mrc_srh_has_hmac(srh, ipv6_optlen(srh))) {
		NL_SET_ERR_MSG(extack, "Segment list must not carry an HMAC");
		return -EINVAL;
	}
	if (ipv6_addr_any(&srh->segments[srh->first_segment]) ||
	    ipv6_addr_is_multicast(&srh->segments[srh->first_segment])) {
		NL_SET_ERR_MSG(extack, "First segment is not a unicast address");
		return -EINVAL;
	}
	return 0;
}

/* RFC 8754 4.1.1: the first segment is left out, because the destination address has it. */
static void mrc_srh_reduce(struct mrc_srh *s)
{
	struct ipv6_sr_hdr *srh = s->srh;
	unsigned int at = offsetof(struct ipv6_sr_hdr,
				   segments[srh->first_segment]);
	void *cut = (void *)srh + at;

	if (!srh->first_segment) {
		s->len = 0;
		return;
	}
	s->len -= sizeof(struct in6_addr);
	memmove(cut, cut + sizeof(struct in6_addr), s->len - at);
	srh->hdrlen -= sizeof(struct in6_addr) / 8;
	srh->first_segment--;
}

static struct mrc_srh *mrc_srh_new(const struct seg6_iptunnel_encap *info,
				   bool reduce_single)
{
	unsigned int len = ipv6_optlen(info->srh);
	struct mrc_srh *s = kmalloc(sizeof(*s) + len, GFP_ATOMIC);

	if (!s)
		return ERR_PTR(-ENOMEM);
	refcount_set(&s->ref, 1);
	s->len = len;
	s->srh = (struct ipv6_sr_hdr *)(s + 1);
	memcpy(s->srh, info->srh, len);
	s->srh->nexthdr = NEXTHDR_IPV6;
	s->first = s->srh->segments[s->srh->first_segment];
	if (info->mode == SEG6_IPTUN_MODE_ENCAP_RED ||
	    (reduce_single && !s->srh->first_segment))
		mrc_srh_reduce(s);
	return s;
}

/* The seg6 attribute of a dumped tunnel state, or NULL. */
static const struct nlattr *mrc_srh_find(const struct sk_buff *msg)
{
	const struct nlattr *encap, *attr;

	encap = nla_find((const struct nlattr *)msg->data, msg->len, RTA_ENCAP);
	attr = encap ? nla_find_nested(encap, SEG6_IPTUNNEL_SRH) : NULL;
	if (!attr || nla_len(attr) < sizeof(struct seg6_iptunnel_encap) +
				     sizeof(struct ipv6_sr_hdr))
		return NULL;
	return attr;
}

static struct mrc_srh *mrc_srh_from_lwt(struct lwtunnel_state *lwt,
					bool reduce_single,
					struct netlink_ext_ack *extack)
{
	const struct seg6_iptunnel_encap *info;
	const struct nlattr *attr;
	struct mrc_srh *srh;
	struct sk_buff *msg;
	int err;

	msg = alloc_skb(MRC_SRH_MSG_LEN, GFP_ATOMIC);
	if (!msg)
		return ERR_PTR(-ENOMEM);
	err = lwtunnel_fill_encap(msg, lwt, RTA_ENCAP, RTA_ENCAP_TYPE);
	attr = err ? NULL : mrc_srh_find(msg);
	if (attr) {
		info = nla_data(attr);
		err = mrc_srh_check(info, extack);
		srh = err ? ERR_PTR(err) : mrc_srh_new(info, reduce_single);
	} else {
		srh = ERR_PTR(err ?: -EINVAL);
	}
	kfree_skb(msg);
	return srh;
}

struct mrc_srh *mrc_srh_parse(struct net *net, const struct nlattr *attr,
			      struct netlink_ext_ack *extack)
{
	struct lwtunnel_state *lwt;
	struct mrc_srh *srh;
	int err;

	err = lwtunnel_build_state(net, LWTUNNEL_ENCAP_SEG6,
				   (struct nlattr *)attr, AF_INET6, NULL, &lwt,
				   extack);
	if (err) {
		if (extack && !extack->_msg)
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "The kernel refuses this segment list");
		return ERR_PTR(err);
	}
	srh = mrc_srh_from_lwt(lwt, false, extack);
	if (IS_ERR(srh) && extack)
		NL_SET_BAD_ATTR(extack, attr);
	lwtstate_free(lwt);	/* it never had a reference */
	return srh;
}

struct mrc_srh *mrc_srh_follow(struct lwtunnel_state *lwt)
{
	if (!lwt || lwt->type != LWTUNNEL_ENCAP_SEG6)
		return ERR_PTR(-ENOENT);
	return mrc_srh_from_lwt(lwt, true, NULL);
}

struct mrc_srh *mrc_srh_get(struct mrc_srh *srh)
{
	refcount_inc(&srh->ref);
	return srh;
}

void mrc_srh_put(struct mrc_srh *srh)
{
	if (srh && refcount_dec_and_test(&srh->ref))
		kfree_rcu(srh, rcu);
}

bool mrc_srh_segment(const struct mrc_srh *srh, unsigned int i,
		     struct in6_addr *seg)
{
	const struct ipv6_sr_hdr *h = srh->srh;

	if (!i)
		*seg = srh->first;
	else if (srh->len && i <= h->segments_left)
		*seg = h->segments[h->segments_left - i];
	else
		return false;
	return true;
}
