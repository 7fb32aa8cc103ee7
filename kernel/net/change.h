/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A request for a change: whose things it may change, and how its sender is told why it is refused.
 * The place that finds the reason says it, and names the attribute of the request that it is about.
 */
#ifndef _MRC_NET_CHANGE_H
#define _MRC_NET_CHANGE_H

#include <linux/mrc.h>
#include <linux/netlink.h>

#include "../compat/compat_netlink.h"

/**
 * struct mrc_change - a request for a change
 * @extack: gets the reason; NULL: nobody wants to know
 * @attrs: attributes of the request, by type; NULL when it is none over the family "mrc"
 * @owns: the request names an owner
 * @claims: it changes nothing that is another's than @owner's
 * @versioned: it changes nothing that is of another version than @version
 * @owner: enum mrc_nl_owner or a number behind it: whose is what the request makes or changes
 * @version: of what the sender has seen
 */
struct mrc_change {
	struct netlink_ext_ack *extack;
	struct nlattr **attrs;
	bool owns;
	bool claims;
	bool versioned;
	u8 owner;
	u32 version;
};

/** mrc_change_by_kernel() - what the device makes itself; @extack may be NULL */
static inline struct mrc_change mrc_change_by_kernel(struct netlink_ext_ack *extack)
{
	return (struct mrc_change) {
		.extack = extack,
		.owns = true,
		.owner = MRC_NL_OWNER_KERNEL,
	};
}

static inline int mrc_refuse_about(const struct mrc_change *change, int err, int type)
{
	if (change->extack && change->attrs && change->attrs[type])
		NL_SET_BAD_ATTR(change->extack, change->attrs[type]);
	return err;
}

/**
 * mrc_refuse() - say why a request is refused
 * @change: the request
 * @err: what is returned
 * @type: attribute that it is about, which the request may lack; 0: none of them
 * @text: a sentence without its end
 *
 * Return: @err.
 */
#define mrc_refuse(change, err, type, text) ({			\
	NL_SET_ERR_MSG_MOD((change)->extack, text);		\
	mrc_refuse_about(change, err, type);			\
})

/** mrc_refuse_fmt() - the same with names in the sentence, 75 bytes at most; old kernels log it */
#define mrc_refuse_fmt(change, err, type, format, ...) ({			\
	mrc_extack_fmt((change)->extack, format, ##__VA_ARGS__);		\
	mrc_refuse_about(change, err, type);					\
})

/** mrc_change_owner() - owner of what there is, or of nothing (MRC_NL_OWNER_NONE), afterwards */
static inline u8 mrc_change_owner(const struct mrc_change *change, u8 now)
{
	return change->owns ? change->owner : now;
}

/**
 * mrc_change_claim() - may what there is be changed by this request?
 * @change: the request
 * @now: owner of it
 * @type: attribute that named the owner
 *
 * One that claims nothing may change all: it is an operator's. A controller's leaves alone what is
 * another's, however that came to be: no look before the request could be sure of it.
 *
 * Return: 0 or -ESTALE.
 */
static inline int mrc_change_claim(const struct mrc_change *change, u8 now, int type)
{
	if (!change->claims || now == change->owner || now == MRC_NL_OWNER_NONE ||
	    now == MRC_NL_OWNER_KERNEL)
		return 0;
	return mrc_refuse(change, -ESTALE, type, "it belongs to another owner");
}

/**
 * mrc_change_version() - is what there is what the sender of this request has seen?
 * @change: the request
 * @now: version of it
 * @type: attribute that named the version
 *
 * Return: 0 or -ESTALE.
 */
static inline int mrc_change_version(const struct mrc_change *change, u32 now, int type)
{
	if (!change->versioned || now == change->version)
		return 0;
	return mrc_refuse(change, -ESTALE, type, "it is of another version now");
}

#endif /* _MRC_NET_CHANGE_H */
