// SPDX-License-Identifier: GPL-2.0-only
/*
 * UDP sockets. They keep the port from other programs, and take the packets that come without an
 * outer header. A kernel socket does not hold its namespace. So a namespace that goes closes the
 * sockets that are left: devices and namespaces may go in any order.
 *
 * GRO makes aggregates of packets that a NIC receives for such a socket, with and without outer
 * headers. UDP would cut an aggregate without an outer header again, because it is not marked as a
 * UDP tunnel's. So a hook takes it before UDP does.
 */
#include <linux/mutex.h>
#include <linux/netfilter_ipv6.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/udp_tunnel.h>
#include <net/xfrm.h>

#include "../compat/compat_net.h"
#include "guard.h"
#include "sock.h"

/**
 * struct mrc_sock - socket of a namespace and port
 * @list: in struct mrc_sock_net
 * @sock: NULL once the namespace has closed it
 * @sk: of @sock; readers of the list may find it after @sock was closed, and then see that it has
 *      no references left
 * @port: network order
 * @users: references, under mrc_sock_lock
 * @trims: references whose holders want trimmed packets, written under mrc_sock_lock
 * @hook: takes trimmed packets and aggregates before UDP, if the kernel has netfilter
 * @guard: drops packets that programs send from a device's address
 * @rcu: freed after readers of the list
 */
struct mrc_sock {
	struct list_head list;
	struct socket *sock;
	struct sock *sk;
	__be16 port;
	unsigned int users;
	unsigned int trims;
	struct nf_hook_ops hook;
	struct mrc_guard guard;
	struct rcu_head rcu;
};

/**
 * struct mrc_sock_net - the sockets of a namespace
 * @socks: list of struct mrc_sock, read under RCU
 * @dead: the namespace is going
 */
struct mrc_sock_net {
	struct list_head socks;
	bool dead;
};

static unsigned int mrc_sock_net_id;
static const struct mrc_sock_ops *mrc_sock_ops;

/* Protects all lists. Only locks of the socket layer and of netfilter's hooks nest in it. */
static DEFINE_MUTEX(mrc_sock_lock);

/* Under RCU. */
static const struct mrc_sock *mrc_sock_of(const struct net *net, __be16 port)
{
	const struct mrc_sock_net *sn = net_generic(net, mrc_sock_net_id);
	const struct mrc_sock *s;

	list_for_each_entry_rcu(s, &sn->socks, list)
		if (s->port == port)
			return s;
	return NULL;
}

bool mrc_sock_listening(const struct net *net, __be16 port)
{
	return mrc_sock_of(net, port);
}

bool mrc_sock_any(const struct net *net)
{
	const struct mrc_sock_net *sn = net_generic(net, mrc_sock_net_id);

	return !list_empty(&sn->socks);
}

bool mrc_sock_own(const struct net *net, __be16 port, struct sk_buff *skb)
{
	const struct mrc_sock *s = mrc_sock_of(net, port);

	return s && skb_set_owner_sk_safe(skb, s->sk);
}

static int mrc_sock_aggregate(struct socket *sock)
{
	int on = 1;

	return sock->ops->setsockopt(sock, SOL_UDP, UDP_GRO, KERNEL_SOCKPTR(&on), sizeof(on));
}

static int mrc_sock_open(struct mrc_sock *s, struct net *net)
{
	struct udp_port_cfg port = {
		.family = AF_INET6,
		.local_udp_port = s->port,
		.ipv6_v6only = 1,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.sk_user_data = s,
		.encap_type = 1,
		.encap_rcv = mrc_sock_ops->rcv,
	};
	int err = udp_sock_create6(net, &port, &s->sock);

	if (err)
		return err;
	s->sk = s->sock->sk;
	/* A forged "packet too big" must not shrink the MTU of our packets' path. */
	inet6_sk(s->sock->sk)->pmtudisc = IPV6_PMTUDISC_INTERFACE;
	setup_udp_tunnel_sock(net, mrc_udp_tunnel(s->sock), &tunnel);
	/*
	 * Our packets contain no other checksum of the stack's. Without this call, the stack
	 * computes the checksum of each part when it splits an aggregate for us.
	 */
	inet_dec_convert_csum(s->sock->sk);
	return mrc_sock_aggregate(s->sock);
}

static void mrc_sock_release(struct mrc_sock *s)
{
	if (s->sock)
		udp_tunnel_sock_release(mrc_udp_tunnel(s->sock));
}

/* ---- packets that UDP would drop or cut ---------------------------------------- */

/* Are trimmed packets wanted, and is this packet shorter than its UDP header says? */
static bool mrc_sock_is_trimmed(const struct mrc_sock *s, const struct sk_buff *skb,
				const struct udphdr *udp)
{
	return READ_ONCE(s->trims) && !skb_is_gso(skb) &&
	       ntohs(udp->len) > skb->len - sizeof(struct ipv6hdr);
}

/*
 * Is it an aggregate that GRO or a netdev has made? In a VRF it is left to UDP, which also checks
 * whether the socket belongs to the VRF.
 */
static bool mrc_sock_is_aggregate(const struct sk_buff *skb)
{
	return skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4 &&
	       !(skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST) &&
	       !netif_is_l3_master(skb->dev) && !ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr);
}

/* Return: true: the packet was taken; false: UDP gets it. */
static bool mrc_sock_take(const struct mrc_sock *s, struct sk_buff *skb)
{
	const struct udphdr *udp;
	struct udphdr buf;

	/* A proxy's, if somebody has assigned it a socket. */
	if (skb->sk || ipv6_hdr(skb)->nexthdr != NEXTHDR_UDP)
		return false;
	udp = skb_header_pointer(skb, sizeof(struct ipv6hdr), sizeof(buf), &buf);
	if (!udp || udp->dest != s->port || !xfrm6_policy_check(s->sk, XFRM_POLICY_IN, skb))
		return false;
	if (mrc_sock_is_aggregate(skb))
		mrc_sock_ops->aggregate(skb);
	else if (mrc_sock_is_trimmed(s, skb, udp))
		mrc_sock_ops->trimmed(skb);
	else
		return false;
	return true;
}

/* Softirq, under RCU; data begins with the IPv6 header. */
static unsigned int __maybe_unused mrc_sock_hook(void *priv, struct sk_buff *skb,
						 const struct nf_hook_state *state)
{
	if (!mrc_sock_take(priv, skb))
		return NF_ACCEPT;
	consume_skb(skb);
	return NF_STOLEN;
}

#if IS_ENABLED(CONFIG_NETFILTER)

static int mrc_sock_hook_up(struct mrc_sock *s, struct net *net)
{
	s->hook = (struct nf_hook_ops) {
		.hook = mrc_sock_hook,
		.priv = s,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		/* Behind all hooks that may drop the packet. */
		.priority = NF_IP6_PRI_LAST,
	};
	return nf_register_net_hook(net, &s->hook);
}

static void mrc_sock_unhook(struct mrc_sock *s, struct net *net)
{
	nf_unregister_net_hook(net, &s->hook);
}

#else

/* Without netfilter, trimmed packets without an outer header are lost, and aggregates are cut. */
static int mrc_sock_hook_up(struct mrc_sock *s, struct net *net)
{
	return 0;
}

static void mrc_sock_unhook(struct mrc_sock *s, struct net *net)
{
}

#endif

void mrc_sock_trim(struct mrc_sock *s, bool on)
{
	mutex_lock(&mrc_sock_lock);
	WRITE_ONCE(s->trims, s->trims + (on ? 1 : -1));
	mutex_unlock(&mrc_sock_lock);
}

/* ---- life --------------------------------------------------------------------- */

static void mrc_sock_close(struct mrc_sock *s)
{
	struct net *net = sock_net(s->sk);

	mrc_sock_unhook(s, net);
	mrc_guard_down(&s->guard, net);
	list_del_rcu(&s->list);
	mrc_sock_release(s);
	s->sock = NULL;
}

static int mrc_sock_hooks_up(struct mrc_sock *s, struct net *net)
{
	int err = mrc_guard_up(&s->guard, net, s->port);

	if (err)
		return err;
	err = mrc_sock_hook_up(s, net);
	if (err)
		mrc_guard_down(&s->guard, net);
	return err;
}

static struct mrc_sock *mrc_sock_new(struct net *net, struct mrc_sock_net *sn,
				     __be16 port)
{
	struct mrc_sock *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->port = port;
	s->users = 1;
	err = mrc_sock_open(s, net) ?: mrc_sock_hooks_up(s, net);
	if (!err) {
		list_add_tail_rcu(&s->list, &sn->socks);
		return s;
	}
	mrc_sock_release(s);
	synchronize_rcu();	/* a receiver may have found its socket just before */
	kfree(s);
	return ERR_PTR(err);
}

static struct mrc_sock *mrc_sock_find(struct mrc_sock_net *sn, __be16 port)
{
	struct mrc_sock *s;

	list_for_each_entry(s, &sn->socks, list)
		if (s->port == port)
			return s;
	return NULL;
}

struct mrc_sock *mrc_sock_get(struct net *net, u16 port)
{
	struct mrc_sock_net *sn = net_generic(net, mrc_sock_net_id);
	struct mrc_sock *s;

	mutex_lock(&mrc_sock_lock);
	s = mrc_sock_find(sn, htons(port));
	if (s)
		s->users++;
	else if (sn->dead)
		s = ERR_PTR(-ENETDOWN);
	else
		s = mrc_sock_new(net, sn, htons(port));
	mutex_unlock(&mrc_sock_lock);
	return s;
}

void mrc_sock_put(struct mrc_sock *s)
{
	mutex_lock(&mrc_sock_lock);
	if (!--s->users) {
		if (s->sock)
			mrc_sock_close(s);
		kfree_rcu(s, rcu);
	}
	mutex_unlock(&mrc_sock_lock);
}

static int __net_init mrc_sock_net_init(struct net *net)
{
	struct mrc_sock_net *sn = net_generic(net, mrc_sock_net_id);

	INIT_LIST_HEAD(&sn->socks);
	return 0;
}

static void __net_exit mrc_sock_net_exit(struct net *net)
{
	struct mrc_sock_net *sn = net_generic(net, mrc_sock_net_id);
	struct mrc_sock *s, *next;

	mutex_lock(&mrc_sock_lock);
	sn->dead = true;
	list_for_each_entry_safe(s, next, &sn->socks, list)
		mrc_sock_close(s);
	mutex_unlock(&mrc_sock_lock);
}

static struct pernet_operations mrc_sock_net_ops = {
	.init = mrc_sock_net_init,
	.exit = mrc_sock_net_exit,
	.id = &mrc_sock_net_id,
	.size = sizeof(struct mrc_sock_net),
};

int mrc_sock_module_init(const struct mrc_sock_ops *ops)
{
	mrc_sock_ops = ops;
	return register_pernet_subsys(&mrc_sock_net_ops);
}

void mrc_sock_module_exit(void)
{
	unregister_pernet_subsys(&mrc_sock_net_ops);
	/* A receiver may have found its socket just before that was closed. */
	synchronize_net();
}
