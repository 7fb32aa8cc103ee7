// SPDX-License-Identifier: GPL-2.0-only
/* New: the socket that the tracepoint of dropped packets has is const. Old: it is not, or there is none. */
#include <trace/events/skb.h>

#define HAS(args...)								\
	__builtin_types_compatible_p(typeof(&trace_kfree_skb),			\
				     void (*)(struct sk_buff *, void *, enum skb_drop_reason, ##args))

#ifdef PROBE_NEW
static_assert(HAS(const struct sock *));
#else
static_assert(HAS(struct sock *) || HAS());
#endif
