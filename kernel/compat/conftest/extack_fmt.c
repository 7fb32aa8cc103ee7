// SPDX-License-Identifier: GPL-2.0-only
/* New: the reason for a refusal may have a format. Old: the name is unused. */
#include <linux/netlink.h>

#ifdef PROBE_NEW
void probe(struct netlink_ext_ack *extack, const char *name)
{
	NL_SET_ERR_MSG_FMT(extack, "%s", name);
}
#else
void NL_SET_ERR_MSG_FMT(struct netlink_ext_ack *extack, const char *format, ...);
#endif
