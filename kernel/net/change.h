/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A request for a change: which owner's objects it may change, and how its sender learns why it is
 * refused. The function that finds the reason reports it, and names the attribute at fault.
 */
#ifndef _MRC_NET_CHANGE_H
#define _MRC_NET_CHANGE_H

#include <linux/mrc.h>
#include <linux/netlink.h>

#include "../compat/compat_netlink.h"

/**
 * struct mrc_change - a request for a change
 * @extack: gets the reason for a refusal; NULL: the reason is not wanted
 * @attrs: attributes of the request, by type; NULL: the request did not come over the family "mrc"
 * @owns: the request names an owner
 * @claims: the request must not change an object that belongs to an owner other than @owner
 * @versioned: the request must not change an object whose version is not @version
 * @owner: owner of what the request makes or changes: enum mrc_nl_owner, or another controller's
 *         number
 * @version: version of the object that the sender has seen
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

/** mrc_change_by_kernel() - a change that the device makes by itself; @extack may be NULL */
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
 * @type: the attribute at fault, which the request may lack; 0: no attribute is
 * @text: a sentence without its full stop
 *
 * Return: @err.
 */
#define mrc_refuse(change, err, type, text) ({			\
	NL_SET_ERR_MSG_MOD((change)->extack, text);		\
	mrc_refuse_about(change, err, type);			\
})

/** mrc_refuse_fmt() - mrc_refuse() with a format, 75 bytes at most; old kernels log the text */
#define mrc_refuse_fmt(change, err, type, format, ...) ({			\
	mrc_extack_fmt((change)->extack, format, ##__VA_ARGS__);		\
	mrc_refuse_about(change, err, type);					\
})

/**
 * mrc_change_owner() - an object's owner after the change; @now: before, MRC_NL_OWNER_NONE if new
 */
static inline u8 mrc_change_owner(const struct mrc_change *change, u8 now)
{
	return change->owns ? change->owner : now;
}

/**
 * mrc_change_claim() - may this request change an object, as far as owners go?
 * @change: the request
 * @now: owner of the object
 * @type: attribute that named the owner
 *
 * A request without a claim comes from an operator, and may change every object. A controller's
 * request leaves the objects of other owners alone. The owner is compared here, because it may
 * change between any look of the controller's and its request.
 *
 * Return: 0 or -ESTALE.
 */
static inline int mrc_change_claim(const struct mrc_change *change, u8 now, int type)
{
	if (!change->claims || now == change->owner || now == MRC_NL_OWNER_NONE ||
	    now == MRC_NL_OWNER_KERNEL)
		return 0;
	return mrc_refuse(change, -ESTALE, type, "the object belongs to another owner");
}

/**
 * mrc_change_version() - is an object still the one that the sender of this request has seen?
 * @change: the request
 * @now: version of the object
 * @type: attribute that named the version
 *
 * Return: 0 or -ESTALE.
 */
static inline int mrc_change_version(const struct mrc_change *change, u32 now, int type)
{
	if (!change->versioned || now == change->version)
		return 0;
	return mrc_refuse(change, -ESTALE, type, "the object has another version now");
}

#endif /* _MRC_NET_CHANGE_H */
