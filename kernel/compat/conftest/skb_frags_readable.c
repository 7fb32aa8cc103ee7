// SPDX-License-Identifier: GPL-2.0-only
/* Fragments may be device memory that the CPU must not read. */
#include <linux/skbuff.h>

bool probe(const struct sk_buff *skb);

bool probe(const struct sk_buff *skb)
{
	return skb_frags_readable(skb);
}
