// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of a dump request are found through a struct genl_info. */
#include <linux/module.h>
#include <net/genetlink.h>

struct nlattr **probe(struct netlink_callback *cb)
{
#ifdef PROBE_NEW
	return genl_dumpit_info(cb)->info.attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}
