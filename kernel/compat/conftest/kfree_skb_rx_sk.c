// SPDX-License-Identifier: GPL-2.0-only
/* New: the tracepoint of dropped packets has the socket of the packet. Old: it has not. */
#include <trace/events/skb.h>

#ifdef PROBE_NEW
static void probe(void *data, struct sk_buff *skb, void *location, enum skb_drop_reason reason,
		  struct sock *rx_sk)
#else
static void probe(void *data, struct sk_buff *skb, void *location, enum skb_drop_reason reason)
#endif
{
}

int try(void)
{
	return register_trace_kfree_skb(probe, NULL);
}
