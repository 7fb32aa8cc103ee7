// SPDX-License-Identifier: GPL-2.0-only
/* New: fragments may be device memory, which the CPU must not read. Old: the name is unused. */
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
