// SPDX-License-Identifier: GPL-2.0-only
/* Fragments may be device memory that the CPU must not read. Before, the name was nobody's. */
#include <linux/skbuff.h>

#ifdef PROBE_NEW
bool probe(const struct sk_buff *skb)
{
	return skb_frags_readable(skb);
}
#else
int **skb_frags_readable(void)
{
	return NULL;
}
#endif
