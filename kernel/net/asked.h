/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who asks for a change, and how he is told why it cannot be: the place that finds the reason says
 * it, and names the attribute of the request that it is about.
 */
#ifndef _MRC_NET_ASKED_H
#define _MRC_NET_ASKED_H

#include <linux/mrc.h>
#include <linux/netlink.h>

/**
 * struct mrc_asked - a request for a change
 * @extack: gets the reason; NULL: nobody wants to know
 * @attrs: attributes of the request, by type; NULL when it is none over the family "mrc"
 */
struct mrc_asked {
	struct netlink_ext_ack *extack;
	struct nlattr **attrs;
};

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

#endif /* _MRC_NET_ASKED_H */
