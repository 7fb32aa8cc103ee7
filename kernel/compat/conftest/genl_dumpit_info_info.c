// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of a dump request are found through a struct genl_info. */
#include <linux/module.h>
#include <net/genetlink.h>

struct nlattr **probe(struct netlink_callback *cb);

struct nlattr **probe(struct netlink_callback *cb)
{
	return genl_dumpit_info(cb)->info.attrs;
}
