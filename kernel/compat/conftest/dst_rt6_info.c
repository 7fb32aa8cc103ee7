// SPDX-License-Identifier: GPL-2.0-only
/* Who has a dst asks for the IPv6 route around it. Before, the name was nobody's. */
#include <net/ip6_fib.h>

#ifdef PROBE_NEW
struct rt6_info *probe(struct dst_entry *dst)
{
	return dst_rt6_info(dst);
}
#else
int **dst_rt6_info(void)
{
	return NULL;
}
#endif
