/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The UDP sockets, one per namespace and port. A namespace listens on a port while it has a socket
 * for that port.
 */
#ifndef _MRC_NET_SOCK_H
#define _MRC_NET_SOCK_H

#include <linux/types.h>

struct net;
struct sk_buff;
struct sock;

/* The UDP socket of a namespace and port, shared by the devices that use it. */
struct mrc_sock;

/**
 * mrc_sock_get() - listen on a UDP port of a namespace
 * @net: namespace
 * @port: UDP port, host order
 *
 * Context: process, sleeps; RTNL may be held.
 * Return: a reference or ERR_PTR; -EADDRINUSE when another socket has the port (rdma_rxe takes 4791
 * of the initial namespace).
 */
struct mrc_sock *mrc_sock_get(struct net *net, u16 port);
/** mrc_sock_put() - give up a reference. Process context, sleeps; the namespace may be gone. */
void mrc_sock_put(struct mrc_sock *sock);

/**
 * mrc_sock_trim() - take trimmed packets before UDP, which would drop them for their length
 * @sock: a reference; its holder switches this off before it gives the reference up
 * @on: on or off
 *
 * A trimmed packet is shorter than its UDP header says. In a kernel without netfilter, UDP drops
 * it.
 *
 * Process context, sleeps.
 */
void mrc_sock_trim(struct mrc_sock *sock, bool on);

/** mrc_sock_listening() - does a namespace listen on a UDP port? Under RCU. */
bool mrc_sock_listening(const struct net *net, __be16 port);

/** mrc_sock_any() - does a namespace listen at all? Under RCU. */
bool mrc_sock_any(const struct net *net);

/**
 * mrc_sock_own() - make the UDP socket the owner of an skb, which then leaves by its rule for MTUs
 * @net: namespace
 * @port: UDP port, network order
 * @skb: an skb without owner
 *
 * Context: under RCU. Return: false when the namespace does not listen on the port, or not any
 * more.
 */
bool mrc_sock_own(const struct net *net, __be16 port, struct sk_buff *skb);

/**
 * struct mrc_sock_ops - receivers of packets that come to the port without an outer header
 * @rcv: UDP encapsulation receiver of all sockets
 * @trimmed: gets trimmed packets, see mrc_sock_trim(); data begins with the IPv6 header, UDP
 *           follows. Softirq, under RCU
 * @aggregate: gets several packets in one skb; data and context as for @trimmed
 */
struct mrc_sock_ops {
	int (*rcv)(struct sock *sk, struct sk_buff *skb);
	void (*trimmed)(struct sk_buff *skb);
	void (*aggregate)(struct sk_buff *skb);
};

/**
 * mrc_sock_module_init() - set up the per-namespace state
 * @ops: for all sockets
 *
 * mrc_sock_module_exit() closes all sockets and waits until no receiver runs any more.
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_sock_module_init(const struct mrc_sock_ops *ops);
void mrc_sock_module_exit(void);

#endif /* _MRC_NET_SOCK_H */
