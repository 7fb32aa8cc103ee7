// SPDX-License-Identifier: GPL-2.0-only
/* New: callbacks before an operation get a struct genl_split_ops. Old: a struct genl_ops. */
#include <linux/module.h>
#include <net/genetlink.h>

#ifdef PROBE_NEW
int probe(const struct genl_split_ops *ops, struct sk_buff *skb, struct genl_info *info);
#else
int probe(const struct genl_ops *ops, struct sk_buff *skb, struct genl_info *info);
#endif

const struct genl_family probe_family = { .pre_doit = probe };
