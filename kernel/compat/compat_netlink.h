/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels in the interface of generic netlink families.
 */
#ifndef _MRC_COMPAT_NETLINK_H
#define _MRC_COMPAT_NETLINK_H

#include <net/genetlink.h>

#include "compat-config.h"

/* The struct by which a family's pre_doit and post_doit get the operation. */
#ifdef HAVE_GENL_SPLIT_OPS
#define mrc_genl_pre_ops genl_split_ops
#else
#define mrc_genl_pre_ops genl_ops
#endif

/* Parsed attributes of a dump's request. */
static inline struct nlattr **mrc_dump_attrs(struct netlink_callback *cb)
{
#ifdef HAVE_GENL_DUMPIT_INFO_INFO
	return genl_dumpit_info(cb)->info.attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* A reason for a refusal, with a format. If an answer cannot have one, the kernel's log gets it. */
#ifdef HAVE_EXTACK_FMT
#define mrc_extack_fmt(extack, format, ...)				\
	NL_SET_ERR_MSG_FMT_MOD(extack, format, ##__VA_ARGS__)
#else
#define mrc_extack_fmt(extack, format, ...) do {			\
	pr_warn_ratelimited(KBUILD_MODNAME ": " format "\n", ##__VA_ARGS__);		\
	NL_SET_ERR_MSG_MOD(extack, "the kernel's log says why");	\
} while (0)
#endif

#endif /* _MRC_COMPAT_NETLINK_H */
