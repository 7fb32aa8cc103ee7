// SPDX-License-Identifier: GPL-2.0-only
/* Whoever is told of a packet that is dropped is told of the socket that it was for. */
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
