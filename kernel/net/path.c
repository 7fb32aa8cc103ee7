// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paths and their routes. The result of a route look-up is one object, which is replaced as a whole
 * under RCU: a sender sees route, validity cookie and segment list of the same look-up. Most paths
 * of a plane have the same next hop, and share one result.
 */
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/lwtunnel.h>
#include <net/xfrm.h>

#include "../compat/compat_net.h"
#include "netdev.h"
#include "path.h"

/**
 * struct mrc_path_route - result of a route look-up
 * @rcu: freed after readers; the kernel frees dsts after readers, too
 * @dst: route of the outermost header, a reference
 * @cookie: for dst_check()
 * @ref: references: one per path that uses it, and that of a sender about to give it to a path
 */
struct mrc_path_route {
	struct rcu_head rcu;
	struct dst_entry *dst;
	u32 cookie;
	refcount_t ref;
};

/**
 * struct mrc_path_follow - result of a route look-up for MRC_PATH_TABLE
 * @r: the route to the first segment
 * @via: the route whose encapsulation is followed, a reference
 * @via_cookie: for dst_check()
 * @srh: the segment list of @via, a reference
 */
struct mrc_path_follow {
	struct mrc_path_route r;
	struct dst_entry *via;
	u32 via_cookie;
	struct mrc_srh *srh;
};

static struct mrc_path_follow *mrc_path_follow(struct mrc_path_route *r)
{
	return container_of(r, struct mrc_path_follow, r);
}

static void mrc_path_route_drop(const struct mrc_path *path,
				struct mrc_path_route *r)
{
	if (IS_ERR_OR_NULL(r) || !refcount_dec_and_test(&r->ref))
		return;
	if (path->plane)
		cmpxchg(&path->plane->route, RCU_INITIALIZER(r), NULL);
	if (path->kind == MRC_PATH_TABLE) {
		dst_release(mrc_path_follow(r)->via);
		mrc_srh_put(mrc_path_follow(r)->srh);
	}
	dst_release(r->dst);
	kfree_rcu(r, rcu);
}

static bool mrc_path_unicast(const struct in6_addr *a)
{
	return !ipv6_addr_any(a) && !ipv6_addr_is_multicast(a) &&
	       !ipv6_addr_v4mapped(a);
}

static bool mrc_path_same_srh(const struct mrc_srh *a, const struct mrc_srh *b)
{
	return a->len == b->len && ipv6_addr_equal(&a->first, &b->first) &&
	       !memcmp(a->srh, b->srh, a->len);
}

bool mrc_path_same(const struct mrc_path *a, const struct mrc_path *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case MRC_PATH_SID:
		return ipv6_addr_equal(&a->sid, &b->sid);
	case MRC_PATH_SRH:
		return a->srh == b->srh || mrc_path_same_srh(a->srh, b->srh);
	case MRC_PATH_TABLE:
		return a->table == b->table;
	default:
		return true;
	}
}

static bool mrc_path_cfg_ok(const struct mrc_path_cfg *cfg)
{
	switch (cfg->kind) {
	case MRC_PATH_PLAIN:
	case MRC_PATH_LOCAL:
		return true;
	case MRC_PATH_SID:
		return mrc_path_unicast(&cfg->sid);
	case MRC_PATH_SRH:
		return cfg->srh;
	case MRC_PATH_TABLE:
		return cfg->table;
	}
	return false;
}

int mrc_path_init(struct mrc_path *path, const struct mrc_path_cfg *cfg,
		  struct mrc_plane *plane)
{
	bool local = cfg->kind == MRC_PATH_LOCAL;

	if (!mrc_path_cfg_ok(cfg) || local == !!plane)
		return -EINVAL;
	path->kind = cfg->kind;
	path->plane = plane;
	if (plane)
		refcount_inc(&plane->ref);
	if (cfg->kind == MRC_PATH_SID)
		path->sid = cfg->sid;
	if (cfg->kind == MRC_PATH_SRH)
		path->srh = mrc_srh_get(cfg->srh);
	if (cfg->kind == MRC_PATH_TABLE)
		path->table = cfg->table;
	return 0;
}

/* Return: false when another sender has replaced @old meanwhile. */
static bool mrc_path_route_replace(struct mrc_path *path,
				   struct mrc_path_route *old,
				   struct mrc_path_route *new)
{
	return unrcu_pointer(cmpxchg(&path->route, RCU_INITIALIZER(old),
				     RCU_INITIALIZER(new))) == old;
}

void mrc_path_forget(struct mrc_path *path)
{
	struct mrc_path_route *r;

	rcu_read_lock();
	r = rcu_dereference(path->route);
	if (!IS_ERR_OR_NULL(r) && mrc_path_route_replace(path, r, NULL))
		mrc_path_route_drop(path, r);
	rcu_read_unlock();
}

void mrc_path_fini(struct mrc_path *path)
{
	struct mrc_path_route *end = ERR_PTR(-ESHUTDOWN), *r;

	/* Plane and segment list stay readable for a grace period, so the pointers to them stay. */
	r = unrcu_pointer(xchg(&path->route, RCU_INITIALIZER(end)));
	mrc_path_route_drop(path, r);
	if (path->kind == MRC_PATH_SRH)
		mrc_srh_put(path->srh);
	mrc_plane_put(path->plane);
}

static bool mrc_path_route_valid(const struct mrc_path *path,
				 struct mrc_path_route *r)
{
	struct mrc_path_follow *f;

	if (!dst_check(r->dst, r->cookie))
		return false;
	if (path->kind != MRC_PATH_TABLE)
		return true;
	f = mrc_path_follow(r);
	return dst_check(f->via, f->via_cookie);
}

/* @outer: destination of the outer header; NULL: addresses and protocol of the inner header */
static void mrc_path_flowi(struct flowi6 *fl6, const struct mrc_path *path,
			   const struct mrc_flow *flow, const struct in6_addr *outer)
{
	memset(fl6, 0, sizeof(*fl6));
	fl6->flowi6_oif = path->plane ? path->plane->ifindex : 0;
	fl6->flowi6_iif = LOOPBACK_IFINDEX;
	fl6->flowi6_proto = outer ? IPPROTO_IPV6 : IPPROTO_UDP;
	fl6->daddr = outer ? *outer : flow->daddr;
	fl6->saddr = outer ? flow->tunnel_saddr : flow->saddr;
	fl6->fl6_dport = outer ? 0 : flow->dport;
}

/* A usable route leads out of the plane's netdev or, without a plane, to this host. */
static bool mrc_path_dst_ok(const struct mrc_path *path, struct dst_entry *dst)
{
	if (dst->error)
		return false;
	if (path->plane)
		return dst->dev->ifindex == path->plane->ifindex;
	return mrc_dst_rt6_info(dst)->rt6i_flags & RTF_LOCAL;
}

/*
 * Does an IPsec policy cover a flow? Then the flow must not leave, because packets of a path go
 * straight to the netdev and bypass the policy. When a policy comes or goes, routes are looked up
 * anew.
 */
static bool mrc_path_policed(struct net *net, struct dst_entry *dst, struct flowi6 *fl6)
{
	struct dst_entry *found;

	dst_hold(dst);
	found = xfrm_lookup(net, dst, flowi6_to_flowi(fl6), NULL, 0);
	if (!IS_ERR(found))
		dst_release(found);
	if (found == dst)
		return false;
	net_warn_ratelimited("mrc: an IPsec policy covers %pI6c to %pI6c: MRC does not use this path\n",
			     &fl6->saddr, &fl6->daddr);
	return true;
}

/* Can answers arrive? Without an outer header our UDP socket must hear them, in a VRF, too. */
static bool mrc_path_answered(const struct mrc_path *path, const struct dst_entry *dst)
{
	return path->kind != MRC_PATH_PLAIN || !mrc_netdev_deaf(dst->dev);
}

/*
 * Does no IPsec policy cover the packets? @fl6 is the flow of the outermost header. If that is an
 * outer header, the flow of the inner one is checked, too.
 */
static bool mrc_path_allowed(const struct mrc_path *path, const struct mrc_flow *flow,
			     struct dst_entry *dst, struct flowi6 *fl6)
{
	struct flowi6 inner;

	if (mrc_path_policed(flow->net, dst, fl6))
		return false;
	if (fl6->flowi6_proto == IPPROTO_UDP)
		return true;
	mrc_path_flowi(&inner, path, flow, NULL);
	return !mrc_path_policed(flow->net, dst, &inner);
}

/* Fills in the route of the outermost header. */
static int mrc_path_route_out(struct mrc_path_route *r,
			      const struct mrc_path *path,
			      const struct mrc_flow *flow,
			      const struct in6_addr *outer)
{
	struct flowi6 fl6;
	int err = 0;

	mrc_path_flowi(&fl6, path, flow, outer);
	r->dst = ip6_route_output_flags(flow->net, NULL, &fl6,
					path->plane ? RT6_LOOKUP_F_IFACE : 0);
	if (!mrc_path_dst_ok(path, r->dst) || !mrc_path_answered(path, r->dst))
		err = -ENETUNREACH;
	else if (!mrc_path_allowed(path, flow, r->dst, &fl6))
		err = -EACCES;
	if (err) {
		dst_release(r->dst);
		return err;
	}
	r->cookie = rt6_get_cookie(mrc_dst_rt6_info(r->dst));
	refcount_set(&r->ref, 1);
	return 0;
}

/* Fills in the followed route and its segment list. */
static int mrc_path_route_via(struct mrc_path_follow *f,
			      const struct mrc_path *path,
			      const struct mrc_flow *flow)
{
	struct fib6_table *table = fib6_get_table(flow->net, path->table);
	struct flowi6 fl6;
	struct rt6_info *rt;

	if (!table)
		return -ENETUNREACH;
	mrc_path_flowi(&fl6, path, flow, NULL);
	rt = ip6_pol_route(flow->net, table, fl6.flowi6_oif, &fl6, NULL,
			   RT6_LOOKUP_F_HAS_SADDR);
	f->srh = rt->dst.error ? ERR_PTR(-ENETUNREACH) :
				 mrc_srh_follow(rt->dst.lwtstate);
	if (IS_ERR(f->srh)) {
		ip6_rt_put(rt);
		return -ENETUNREACH;
	}
	f->via = &rt->dst;
	f->via_cookie = rt6_get_cookie(rt);
	return 0;
}

static struct mrc_path_route *mrc_path_lookup_table(const struct mrc_path *path,
						    const struct mrc_flow *flow)
{
	struct mrc_path_follow *f = kmalloc(sizeof(*f),
					    GFP_ATOMIC | __GFP_NOWARN);
	int err;

	if (!f)
		return ERR_PTR(-ENOMEM);
	err = mrc_path_route_via(f, path, flow);
	if (err)
		goto free;
	err = mrc_path_route_out(&f->r, path, flow, &f->srh->first);
	if (err)
		goto drop_via;
	return &f->r;

drop_via:
	dst_release(f->via);
	mrc_srh_put(f->srh);
free:
	kfree(f);
	return ERR_PTR(err);
}

static const struct in6_addr *mrc_path_outer(const struct mrc_path *path)
{
	switch (path->kind) {
	case MRC_PATH_SID:
		return &path->sid;
	case MRC_PATH_SRH:
		return &path->srh->first;
	}
	return NULL;
}

/*
 * Paths of a plane share results. If the plane's last result equals @r, this frees @r and returns
 * the plane's. Otherwise @r becomes the plane's. The plane holds no reference:
 * mrc_path_route_drop() takes a result out of the plane with the last reference. The caller's
 * reference keeps @r until then.
 */
static struct mrc_path_route *mrc_path_share(const struct mrc_path *path,
					     struct mrc_path_route *r)
{
	struct mrc_path_route *old;

	if (!path->plane)
		return r;
	old = rcu_dereference(path->plane->route);
	if (old && old->dst == r->dst && old->cookie == r->cookie &&
	    refcount_inc_not_zero(&old->ref)) {
		dst_release(r->dst);
		kfree(r);
		return old;
	}
	rcu_assign_pointer(path->plane->route, r);
	return r;
}

static struct mrc_path_route *mrc_path_lookup(const struct mrc_path *path,
					      const struct mrc_flow *flow)
{
	struct mrc_path_route *r;
	int err;

	if (path->kind == MRC_PATH_TABLE)
		return mrc_path_lookup_table(path, flow);
	r = kmalloc(sizeof(*r), GFP_ATOMIC | __GFP_NOWARN);
	if (!r)
		return ERR_PTR(-ENOMEM);
	err = mrc_path_route_out(r, path, flow, mrc_path_outer(path));
	if (err) {
		kfree(r);
		return ERR_PTR(err);
	}
	return mrc_path_share(path, r);
}

/* The valid route of a path, or an error pointer. */
static struct mrc_path_route *mrc_path_route(struct mrc_path *path,
					     const struct mrc_flow *flow)
{
	struct mrc_path_route *old = rcu_dereference(path->route), *r;

	if (IS_ERR(old))
		return old;
	if (old && mrc_path_route_valid(path, old))
		return old;
	r = mrc_path_lookup(path, flow);
	/* If another sender was quicker, its result stays, and serves next time. */
	if (!IS_ERR(r))
		mrc_path_route_drop(path,
				    mrc_path_route_replace(path, old, r) ?
				    old : r);
	/* In either case @r stays readable until the end of this RCU read section. */
	return r;
}

int mrc_path_hop(struct mrc_path *path, const struct mrc_flow *flow,
		 struct mrc_path_hop *hop)
{
	struct mrc_path_route *r;

	if (path->plane && !mrc_plane_usable(path->plane))
		return -ENETDOWN;
	r = mrc_path_route(path, flow);
	if (IS_ERR(r))
		return PTR_ERR(r);
	hop->dst = r->dst;
	hop->daddr = mrc_path_outer(path);
	hop->srh = path->kind == MRC_PATH_SRH ? path->srh : NULL;
	if (path->kind == MRC_PATH_TABLE) {
		hop->srh = mrc_path_follow(r)->srh;
		hop->daddr = &hop->srh->first;
	}
	if (hop->srh && !hop->srh->len)
		hop->srh = NULL;
	return 0;
}

/* ---- MTU ----------------------------------------------------------------- */

/* Was the route made by the stack to hold an MTU that an ICMPv6 packet has reported? */
static bool mrc_path_is_exception(const struct rt6_info *rt)
{
	return rt->rt6i_flags & RTF_CACHE;
}

/* A route without an MTU of its own has the netdev's MTU for IPv6. */
static unsigned int mrc_path_mtu_of(const struct rt6_info *rt)
{
	const struct fib6_info *from = rcu_dereference(rt->from);
	struct inet6_dev *idev = __in6_dev_get(rt->dst.dev);
	unsigned int mtu = from ? from->fib6_pmtu : 0;

	if (!mtu)
		mtu = idev ? READ_ONCE(idev->cnf.mtu6) : READ_ONCE(rt->dst.dev->mtu);
	mtu = min_t(unsigned int, mtu, IP6_MAX_MTU);
	return mtu - lwtunnel_headroom(rt->dst.lwtstate, mtu);
}

unsigned int mrc_path_mtu(struct dst_entry *dst)
{
	const struct rt6_info *rt = mrc_dst_rt6_info(dst);

	return mrc_path_is_exception(rt) ? mrc_path_mtu_of(rt) : dst_mtu(dst);
}

bool mrc_path_mtu_is_told(struct dst_entry *dst)
{
	const struct rt6_info *rt = mrc_dst_rt6_info(dst);

	return mrc_path_is_exception(rt) && dst_mtu(dst) < mrc_path_mtu_of(rt);
}
