/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels in the network stack. */
#ifndef _MRC_COMPAT_NET_H
#define _MRC_COMPAT_NET_H

#include <linux/skbuff.h>

#include "compat-config.h"

/**
 * mrc_skb_frags_readable() - may the CPU read the fragments? (Not so with device memory, 6.12.)
 */
static inline bool mrc_skb_frags_readable(const struct sk_buff *skb)
{
#ifdef HAVE_SKB_FRAGS_READABLE
	return skb_frags_readable(skb);
#else
	return true;
#endif
}

#endif /* _MRC_COMPAT_NET_H */
