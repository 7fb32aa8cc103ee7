/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The UDP sockets, one per namespace and port, and the question which ports a
 * namespace listens on.
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
 * Return: a reference or ERR_PTR; -EADDRINUSE when somebody else has the port (rdma_rxe
 * takes 4791 of the initial namespace).
 */
struct mrc_sock *mrc_sock_get(struct net *net, u16 port);
/** mrc_sock_put() - give up a reference. Process context, sleeps; the namespace may be gone. */
void mrc_sock_put(struct mrc_sock *sock);

/**
 * mrc_sock_trim() - packets that UDP would drop for their length are taken before it sees them
 * @sock: the reference that wants it, or wants it no more before it is given up
 * @on: from here on, or no longer
 *
 * A trimmed packet is shorter than its UDP header says. A kernel without netfilter lets UDP drop it.
 *
 * Process context, sleeps.
 */
void mrc_sock_trim(struct mrc_sock *sock, bool on);

/** mrc_sock_listening() - does a namespace listen on a UDP port? Under RCU. */
bool mrc_sock_listening(const struct net *net, __be16 port);

/**
 * mrc_sock_own() - an skb leaves as one of the socket's, by what that says of MTUs
 * @net: namespace
 * @port: UDP port, network order
 * @skb: nobody's
 *
 * Context: under RCU. Return: false when the namespace does not listen there, or no longer.
 */
bool mrc_sock_own(const struct net *net, __be16 port, struct sk_buff *skb);

/**
 * struct mrc_sock_ops - who takes what comes to the port without an outer header
 * @rcv: UDP encapsulation receiver of all sockets
 * @trimmed: takes packets for mrc_sock_trim(); data begins with the IPv6 header, UDP behind it. Softirq,
 *           under RCU
 * @aggregate: takes several packets in one skb, likewise
 */
struct mrc_sock_ops {
	int (*rcv)(struct sock *sk, struct sk_buff *skb);
	void (*trimmed)(struct sk_buff *skb);
	void (*aggregate)(struct sk_buff *skb);
};

/**
 * mrc_sock_module_init() - per-namespace state
 * @ops: for all sockets
 *
 * mrc_sock_module_exit() closes all sockets and waits until no receiver runs any more.
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_sock_module_init(const struct mrc_sock_ops *ops);
void mrc_sock_module_exit(void);

#endif /* _MRC_NET_SOCK_H */
