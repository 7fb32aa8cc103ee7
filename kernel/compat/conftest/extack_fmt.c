// SPDX-License-Identifier: GPL-2.0-only
/* The reason why a request is refused may have names in it. */
#include <linux/netlink.h>

#ifdef PROBE_NEW
void probe(struct netlink_ext_ack *extack, const char *name)
{
	NL_SET_ERR_MSG_FMT(extack, "%s", name);
}
#else
void NL_SET_ERR_MSG_FMT(struct netlink_ext_ack *extack, const char *format, ...);
#endif
