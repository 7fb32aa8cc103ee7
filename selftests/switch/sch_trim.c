// SPDX-License-Identifier: GPL-2.0-only
/*
 * A port of a switch, and the link behind it, as a queueing discipline for tests and labs.
 *
 *            /  data, marked when it leaves  \
 *   packets                                    rate  ->  delay  ->  the device
 *            \  control and trimmed packets  /
 *
 * A packet that finds the data queue too long is trimmed: it loses what is behind its headers, gets
 * a DSCP that says so, and goes on in the other queue. That queue has precedence, but gets at most
 * a quarter of the link while there is data, as UE has it (section 4.1). A packet is judged when it
 * arrives.
 *
 * Everything happens at calculated times: a packet leaves when the link has sent the packets before
 * it, not when a timer expires. So the queue here does not depend on how late timers are. A packet
 * that is delivered late comes late to the next port.
 */
#include <linux/ipv6.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <net/dsfield.h>
#if __has_include(<net/gso.h>)
#include <net/gso.h>
#endif
#include <net/inet_ecn.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "sch_trim.h"

/* Default DSCPs of traffic classes in devices. */
#define TRIM_DSCP_DATA		4
#define TRIM_DSCP_RTX		8
#define TRIM_DSCP_TRIMMED	12
#define TRIM_DSCP_LASTHOP	16
#define TRIM_DSCP_CONTROL	46

/* When both queues wait: bytes of data for each byte of control and trimmed packets. */
#define TRIM_SHARE		3
/* Bytes by which one of the two queues may be ahead. */
#define TRIM_CREDIT_MAX		(64 * 1024)
/* Outer and inner IPv6 header, UDP, BTH: what a receiver needs. */
#define TRIM_SIZE_MIN		100

enum trim_class {
	TRIM_DATA,
	TRIM_RTX,
	TRIM_CONTROL,
	TRIM_OTHER,
};

struct trim_params {
	u64 rate;
	u32 delay;
	u32 ecn_min;
	u32 ecn_max;
	u32 trim;
	u32 trim_rtx;
	u32 drop;
	u32 control;
	u32 size;
	u8 dscp;
	bool stale;
};

/**
 * struct trim_port - state; under the lock of the qdisc
 * @p: options
 * @data: packets that wait
 * @control: control and trimmed packets that wait
 * @wire: packets that have been sent, and arrive at their times
 * @data_bytes: in @data
 * @control_bytes: in @control
 * @credit: bytes that control may send before data
 * @free_at: ns at which the link has sent all packets that it was given
 * @stats: counters
 * @watchdog: fires when the first packet of @wire arrives
 */
struct trim_port {
	struct trim_params p;
	struct sk_buff_head data;
	struct sk_buff_head control;
	struct sk_buff_head wire;
	u32 data_bytes;
	u32 control_bytes;
	s32 credit;
	u64 free_at;
	struct trim_stats stats;
	struct qdisc_watchdog watchdog;
};

/* The private data of a packet on the wire. */
struct trim_cb {
	u64 arrives;
};

static struct trim_cb *trim_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct trim_cb));
	return (struct trim_cb *)qdisc_skb_cb(skb)->data;
}

/* ---- leaving -------------------------------------------------------------- */

/* The data queue has had its present length since the last call. */
static void trim_account(struct trim_port *port, u64 now)
{
	struct trim_stats *stats = &port->stats;

	if (now > stats->at) {
		stats->queued += (now - stats->at) * port->data_bytes;
		stats->at = now;
	}
}

static bool trim_marks(const struct trim_port *port)
{
	const struct trim_params *p = &port->p;

	if (!p->ecn_max || port->data_bytes <= p->ecn_min)
		return false;
	if (port->data_bytes >= p->ecn_max)
		return true;
	return reciprocal_scale(get_random_u32(), p->ecn_max - p->ecn_min) <
	       port->data_bytes - p->ecn_min;
}

static struct sk_buff *trim_take_control(struct trim_port *port)
{
	struct sk_buff *skb = __skb_dequeue(&port->control);

	port->control_bytes -= qdisc_pkt_len(skb);
	port->credit = max_t(s64, port->credit - (s64)TRIM_SHARE * qdisc_pkt_len(skb),
			     -TRIM_CREDIT_MAX);
	return skb;
}

static struct sk_buff *trim_take_data(struct trim_port *port)
{
	struct sk_buff *skb = __skb_dequeue(&port->data);

	port->data_bytes -= qdisc_pkt_len(skb);
	port->credit = min_t(s64, port->credit + (s64)qdisc_pkt_len(skb), TRIM_CREDIT_MAX);
	if (trim_marks(port) && INET_ECN_set_ce(skb))
		port->stats.marked++;
	return skb;
}

static struct sk_buff *trim_take(struct trim_port *port)
{
	if (skb_queue_empty(&port->data))
		return trim_take_control(port);
	if (skb_queue_empty(&port->control) || port->credit < 0)
		return trim_take_data(port);
	return trim_take_control(port);
}

static bool trim_waits(const struct trim_port *port)
{
	return !skb_queue_empty(&port->data) || !skb_queue_empty(&port->control);
}

/* Puts on the wire what the link has begun to send until now. */
static void trim_advance(struct trim_port *port, u64 now)
{
	while (trim_waits(port) && port->free_at <= now) {
		struct sk_buff *skb;
		u32 len;

		trim_account(port, port->free_at);
		skb = trim_take(port);
		len = qdisc_pkt_len(skb);
		port->free_at += div64_u64((u64)len * NSEC_PER_SEC, port->p.rate);
		trim_cb(skb)->arrives = port->free_at + port->p.delay;
		__skb_queue_tail(&port->wire, skb);
		port->stats.sent++;
		port->stats.sent_bytes += len;
	}
	trim_account(port, now);
}

/* Softirq or process context, under the lock of the qdisc. */
static struct sk_buff *trim_dequeue(struct Qdisc *sch)
{
	struct trim_port *port = qdisc_priv(sch);
	u64 now = ktime_get_ns();
	struct sk_buff *skb;

	trim_advance(port, now);
	skb = skb_peek(&port->wire);
	if (!skb) {
		if (trim_waits(port))
			qdisc_watchdog_schedule_ns(&port->watchdog, port->free_at);
		return NULL;
	}
	if (trim_cb(skb)->arrives > now) {
		qdisc_watchdog_schedule_ns(&port->watchdog, trim_cb(skb)->arrives);
		return NULL;
	}
	__skb_unlink(skb, &port->wire);
	/*
	 * Cables carry no skb metadata. Otherwise GRO would not aggregate packets of a UDP tunnel
	 * of this host.
	 */
	skb->encapsulation = 0;
	qdisc_qstats_backlog_dec(sch, skb);
	sch->q.qlen--;
	qdisc_bstats_update(sch, skb);
	return skb;
}

/* ---- arriving ------------------------------------------------------------- */

static enum trim_class trim_classify(const struct sk_buff *skb)
{
	struct ipv6hdr buffer;
	const struct ipv6hdr *ip6;

	if (skb_protocol(skb, true) != htons(ETH_P_IPV6))
		return TRIM_OTHER;
	ip6 = skb_header_pointer(skb, skb_network_offset(skb), sizeof(buffer), &buffer);
	switch (ip6 ? ipv6_get_dsfield(ip6) >> 2 : 0) {
	case TRIM_DSCP_DATA:
		return TRIM_DATA;
	case TRIM_DSCP_RTX:
		return TRIM_RTX;
	case TRIM_DSCP_TRIMMED:
	case TRIM_DSCP_LASTHOP:
	case TRIM_DSCP_CONTROL:
		return TRIM_CONTROL;
	}
	return TRIM_OTHER;
}

/* A switch does not look at what it cuts off: the UDP checksum stays that of the whole packet. */
static bool trim_cut(const struct trim_port *port, struct sk_buff *skb)
{
	const struct trim_params *p = &port->p;
	u32 ip = skb_network_offset(skb);
	u32 len = min(skb->len - ip, p->size);
	struct ipv6hdr *ip6;

	if (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(skb))
		return false;
	if (skb_ensure_writable(skb, ip + sizeof(*ip6)) || pskb_trim(skb, ip + len))
		return false;
	ip6 = ipv6_hdr(skb);
	ipv6_change_dsfield(ip6, INET_ECN_MASK, p->dscp << 2);
	if (!p->stale)
		ip6->payload_len = htons(len - sizeof(*ip6));
	skb->ip_summed = CHECKSUM_NONE;
	skb->encapsulation = 0;
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	return true;
}

static int trim_drop(struct sk_buff *skb, struct Qdisc *sch, u64 *count, struct sk_buff **to_free)
{
	++*count;
	return qdisc_drop(skb, sch, to_free);
}

static int trim_queued(struct sk_buff *skb, struct Qdisc *sch)
{
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;
	return NET_XMIT_SUCCESS;
}

static int trim_add_control(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct trim_port *port = qdisc_priv(sch);

	if (port->control_bytes + qdisc_pkt_len(skb) > port->p.control)
		return trim_drop(skb, sch, &port->stats.control_dropped, to_free);
	port->control_bytes += qdisc_pkt_len(skb);
	__skb_queue_tail(&port->control, skb);
	return trim_queued(skb, sch);
}

static int trim_add_data(struct sk_buff *skb, struct Qdisc *sch, u32 limit,
			 struct sk_buff **to_free)
{
	struct trim_port *port = qdisc_priv(sch);
	u32 bytes = port->data_bytes + qdisc_pkt_len(skb);

	if (limit && bytes > limit && trim_cut(port, skb)) {
		port->stats.trimmed++;
		return trim_add_control(skb, sch, to_free);
	}
	if (bytes > port->p.drop)
		return trim_drop(skb, sch, &port->stats.dropped, to_free);
	port->data_bytes = bytes;
	port->stats.longest = max(port->stats.longest, bytes);
	__skb_queue_tail(&port->data, skb);
	return trim_queued(skb, sch);
}

static int trim_enqueue_one(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct trim_port *port = qdisc_priv(sch);
	u64 now = ktime_get_ns();

	trim_advance(port, now);
	if (!trim_waits(port))
		port->free_at = max(port->free_at, now);
	switch (trim_classify(skb)) {
	case TRIM_CONTROL:
		return trim_add_control(skb, sch, to_free);
	case TRIM_DATA:
		return trim_add_data(skb, sch, port->p.trim, to_free);
	case TRIM_RTX:
		return trim_add_data(skb, sch, port->p.trim_rtx, to_free);
	default:
		return trim_add_data(skb, sch, 0, to_free);
	}
}

/* The switch handles each packet of a burst alone. */
static int trim_enqueue_burst(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	u32 before = qdisc_pkt_len(skb);
	u32 segments = 0, bytes = 0;
	struct sk_buff *list, *next;

	list = skb_gso_segment(skb, netif_skb_features(skb) & ~NETIF_F_GSO_MASK);
	if (IS_ERR_OR_NULL(list))
		return qdisc_drop(skb, sch, to_free);
	skb_list_walk_safe(list, list, next) {
		skb_mark_not_on_list(list);
		qdisc_skb_cb(list)->pkt_len = list->len;
		if (trim_enqueue_one(list, sch, to_free) == NET_XMIT_SUCCESS) {
			segments++;
			bytes += qdisc_pkt_len(list);
		}
	}
	consume_skb(skb);
	if (!segments)
		return NET_XMIT_DROP;
	qdisc_tree_reduce_backlog(sch, 1 - segments, before - bytes);
	return NET_XMIT_SUCCESS;
}

/* Softirq or process context, under the lock of the qdisc. */
static int trim_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	if (skb_is_gso(skb))
		return trim_enqueue_burst(skb, sch, to_free);
	return trim_enqueue_one(skb, sch, to_free);
}

/* ---- options and counters for tc and the lab; under RTNL ------------------- */

static struct netlink_range_validation trim_delays = { .max = NSEC_PER_SEC };

static const struct nla_policy trim_policy[__TRIM_ATTR_END] = {
	[TRIM_ATTR_RATE] = NLA_POLICY_MIN(NLA_U64, 1000),
	[TRIM_ATTR_DELAY] = NLA_POLICY_FULL_RANGE(NLA_U32, &trim_delays),
	[TRIM_ATTR_ECN_MIN] = { .type = NLA_U32 },
	[TRIM_ATTR_ECN_MAX] = { .type = NLA_U32 },
	[TRIM_ATTR_TRIM] = { .type = NLA_U32 },
	[TRIM_ATTR_TRIM_RTX] = { .type = NLA_U32 },
	[TRIM_ATTR_DROP] = NLA_POLICY_MIN(NLA_U32, 1),
	[TRIM_ATTR_CONTROL] = NLA_POLICY_MIN(NLA_U32, 1),
	[TRIM_ATTR_SIZE] = NLA_POLICY_MIN(NLA_U32, TRIM_SIZE_MIN),
	[TRIM_ATTR_DSCP] = NLA_POLICY_MAX(NLA_U8, 63),
	[TRIM_ATTR_STALE] = NLA_POLICY_MAX(NLA_U8, 1),
};

static u32 trim_u32(struct nlattr *const *tb, enum trim_attr attr, u32 otherwise)
{
	return tb[attr] ? nla_get_u32(tb[attr]) : otherwise;
}

static int trim_check(const struct trim_params *p, struct netlink_ext_ack *extack)
{
	if (p->ecn_max && p->ecn_max <= p->ecn_min) {
		NL_SET_ERR_MSG(extack, "the most of the ECN ramp is not above its least");
		return -EINVAL;
	}
	if (p->trim && p->trim_rtx < p->trim) {
		NL_SET_ERR_MSG(extack, "what is sent again is trimmed before data is");
		return -EINVAL;
	}
	if (p->trim_rtx > p->drop) {
		NL_SET_ERR_MSG(extack, "packets are dropped before they are trimmed");
		return -EINVAL;
	}
	return 0;
}

/* All options are set: what is left out gets its default. */
static int trim_parse(struct nlattr *opt, struct trim_params *p, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[__TRIM_ATTR_END];
	int err;

	if (!opt) {
		NL_SET_ERR_MSG(extack, "a port needs a rate: tc cannot give it, scripts/lab can");
		return -EINVAL;
	}
	err = nla_parse_nested(tb, __TRIM_ATTR_END - 1, opt, trim_policy, extack);
	if (err)
		return err;
	if (!tb[TRIM_ATTR_RATE] || !tb[TRIM_ATTR_DROP] || !tb[TRIM_ATTR_CONTROL] ||
	    !tb[TRIM_ATTR_SIZE] || !tb[TRIM_ATTR_DSCP]) {
		NL_SET_ERR_MSG(extack, "a port needs a rate, lengths of queues, a size and a DSCP");
		return -EINVAL;
	}
	p->rate = nla_get_u64(tb[TRIM_ATTR_RATE]);
	p->delay = trim_u32(tb, TRIM_ATTR_DELAY, 0);
	p->ecn_min = trim_u32(tb, TRIM_ATTR_ECN_MIN, 0);
	p->ecn_max = trim_u32(tb, TRIM_ATTR_ECN_MAX, 0);
	p->trim = trim_u32(tb, TRIM_ATTR_TRIM, 0);
	p->trim_rtx = trim_u32(tb, TRIM_ATTR_TRIM_RTX, p->trim);
	p->drop = nla_get_u32(tb[TRIM_ATTR_DROP]);
	p->control = nla_get_u32(tb[TRIM_ATTR_CONTROL]);
	p->size = nla_get_u32(tb[TRIM_ATTR_SIZE]);
	p->dscp = nla_get_u8(tb[TRIM_ATTR_DSCP]);
	p->stale = tb[TRIM_ATTR_STALE] && nla_get_u8(tb[TRIM_ATTR_STALE]);
	return trim_check(p, extack);
}

static int trim_change(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct trim_port *port = qdisc_priv(sch);
	struct trim_params p = {};
	int err = trim_parse(opt, &p, extack);

	if (err)
		return err;
	sch_tree_lock(sch);
	/*
	 * Packets that wait were judged by the old options; none of them is lost because of the new
	 * ones.
	 */
	trim_advance(port, ktime_get_ns());
	port->p = p;
	port->stats.longest = port->data_bytes;
	sch_tree_unlock(sch);
	return 0;
}

static int trim_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct trim_port *port = qdisc_priv(sch);

	qdisc_watchdog_init(&port->watchdog, sch);
	__skb_queue_head_init(&port->data);
	__skb_queue_head_init(&port->control);
	__skb_queue_head_init(&port->wire);
	port->stats.at = ktime_get_ns();
	return trim_change(sch, opt, extack);
}

static void trim_purge(struct trim_port *port)
{
	__skb_queue_purge(&port->data);
	__skb_queue_purge(&port->control);
	__skb_queue_purge(&port->wire);
	port->data_bytes = 0;
	port->control_bytes = 0;
	port->credit = 0;
}

static void trim_reset(struct Qdisc *sch)
{
	struct trim_port *port = qdisc_priv(sch);

	trim_purge(port);
	sch->q.qlen = 0;
	sch->qstats.backlog = 0;
	qdisc_watchdog_cancel(&port->watchdog);
}

static void trim_destroy(struct Qdisc *sch)
{
	struct trim_port *port = qdisc_priv(sch);

	qdisc_watchdog_cancel(&port->watchdog);
	trim_purge(port);
}

static int trim_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	const struct trim_port *port = qdisc_priv(sch);
	const struct trim_params *p = &port->p;
	struct nlattr *nest = nla_nest_start_noflag(skb, TCA_OPTIONS);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, TRIM_ATTR_RATE, p->rate, TRIM_ATTR_UNSPEC) ||
	    nla_put_u32(skb, TRIM_ATTR_DELAY, p->delay) ||
	    nla_put_u32(skb, TRIM_ATTR_ECN_MIN, p->ecn_min) ||
	    nla_put_u32(skb, TRIM_ATTR_ECN_MAX, p->ecn_max) ||
	    nla_put_u32(skb, TRIM_ATTR_TRIM, p->trim) ||
	    nla_put_u32(skb, TRIM_ATTR_TRIM_RTX, p->trim_rtx) ||
	    nla_put_u32(skb, TRIM_ATTR_DROP, p->drop) ||
	    nla_put_u32(skb, TRIM_ATTR_CONTROL, p->control) ||
	    nla_put_u32(skb, TRIM_ATTR_SIZE, p->size) ||
	    nla_put_u8(skb, TRIM_ATTR_DSCP, p->dscp) ||
	    nla_put_u8(skb, TRIM_ATTR_STALE, p->stale)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, nest);
}

static int trim_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct trim_port *port = qdisc_priv(sch);
	struct trim_stats stats;

	sch_tree_lock(sch);
	trim_advance(port, ktime_get_ns());
	port->stats.backlog = port->data_bytes;
	stats = port->stats;
	sch_tree_unlock(sch);
	return gnet_stats_copy_app(d, &stats, sizeof(stats));
}

static struct Qdisc_ops trim_ops = {
	.id = "trim",
	.priv_size = sizeof(struct trim_port),
	.enqueue = trim_enqueue,
	.dequeue = trim_dequeue,
	.peek = qdisc_peek_dequeued,
	.init = trim_init,
	.change = trim_change,
	.reset = trim_reset,
	.destroy = trim_destroy,
	.dump = trim_dump,
	.dump_stats = trim_dump_stats,
	.owner = THIS_MODULE,
};

static int __init trim_module_init(void)
{
	return register_qdisc(&trim_ops);
}

static void __exit trim_module_exit(void)
{
	unregister_qdisc(&trim_ops);
}

module_init(trim_module_init);
module_exit(trim_module_exit);
MODULE_DESCRIPTION("A switch port that marks and trims, for tests");
MODULE_LICENSE("GPL");
