/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who asks for a change, whose things he may change, and how he is told why it cannot be: the place
 * that finds the reason says it, and names the attribute of the request that it is about.
 */
#ifndef _MRC_NET_ASKED_H
#define _MRC_NET_ASKED_H

#include <linux/mrc.h>
#include <linux/netlink.h>

#include "../compat/compat_netlink.h"

/**
 * struct mrc_asked - a request for a change
 * @extack: gets the reason; NULL: nobody wants to know
 * @attrs: attributes of the request, by type; NULL when it is none over the family "mrc"
 * @owns: the request names an owner
 * @claims: it changes nothing that is another's than @owner's
 * @versioned: it changes nothing that is of another version than @version
 * @owner: enum mrc_nl_owner or a number behind it: whose is what the request makes or changes
 * @version: of what the sender has seen
 */
struct mrc_asked {
	struct netlink_ext_ack *extack;
	struct nlattr **attrs;
	bool owns;
	bool claims;
	bool versioned;
	u8 owner;
	u32 version;
};

/** mrc_asked_by_kernel() - what the device makes itself; @extack may be NULL */
static inline struct mrc_asked mrc_asked_by_kernel(struct netlink_ext_ack *extack)
{
	return (struct mrc_asked) {
		.extack = extack,
		.owns = true,
		.owner = MRC_NL_OWNER_KERNEL,
	};
}

static inline int mrc_refuse_about(const struct mrc_asked *asked, int err, int type)
{
	if (asked->extack && asked->attrs && asked->attrs[type])
		NL_SET_BAD_ATTR(asked->extack, asked->attrs[type]);
	return err;
}

/**
 * mrc_refuse() - say why a request is refused
 * @asked: the request
 * @err: what is returned
 * @type: attribute that it is about, which the request may lack; 0: none of them
 * @text: a sentence without its end
 *
 * Return: @err.
 */
#define mrc_refuse(asked, err, type, text) ({			\
	NL_SET_ERR_MSG_MOD((asked)->extack, text);		\
	mrc_refuse_about(asked, err, type);			\
})

/** mrc_refuse_fmt() - the same with names in the sentence, 75 bytes at most; old kernels log it */
#define mrc_refuse_fmt(asked, err, type, format, ...) ({		\
	mrc_extack_fmt((asked)->extack, format, ##__VA_ARGS__);		\
	mrc_refuse_about(asked, err, type);				\
})

/** mrc_asked_owner() - owner of what there is, or of nothing (MRC_NL_OWNER_NONE), afterwards */
static inline u8 mrc_asked_owner(const struct mrc_asked *asked, u8 now)
{
	return asked->owns ? asked->owner : now;
}

/**
 * mrc_asked_claim() - may what there is be changed by this request?
 * @asked: the request
 * @now: owner of it
 * @type: attribute that named the owner
 *
 * One that claims nothing may change all: it is an operator's. A controller's leaves alone what is
 * another's, however that came to be: no look before the request could be sure of it.
 *
 * Return: 0 or -ESTALE.
 */
static inline int mrc_asked_claim(const struct mrc_asked *asked, u8 now, int type)
{
	if (!asked->claims || now == asked->owner || now == MRC_NL_OWNER_NONE ||
	    now == MRC_NL_OWNER_KERNEL)
		return 0;
	return mrc_refuse(asked, -ESTALE, type, "it belongs to another owner");
}

/**
 * mrc_asked_version() - is what there is what the sender of this request has seen?
 * @asked: the request
 * @now: version of it
 * @type: attribute that named the version
 *
 * Return: 0 or -ESTALE.
 */
static inline int mrc_asked_version(const struct mrc_asked *asked, u32 now, int type)
{
	if (!asked->versioned || now == asked->version)
		return 0;
	return mrc_refuse(asked, -ESTALE, type, "it is of another version now");
}

#endif /* _MRC_NET_ASKED_H */
