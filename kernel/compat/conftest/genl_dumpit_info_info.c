// SPDX-License-Identifier: GPL-2.0-only
/* New: the attributes of a dump request are in a struct genl_info. Old: they are beside it. */
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
