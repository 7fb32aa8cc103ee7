// SPDX-License-Identifier: GPL-2.0-only
/* New: dst_rt6_info() returns the IPv6 route that contains a dst. Old: the name is unused. */
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
