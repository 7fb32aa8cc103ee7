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

/** mrc_sock_listening() - does a namespace listen on a UDP port? Under RCU. */
bool mrc_sock_listening(const struct net *net, __be16 port);

/**
 * mrc_sock_module_init() - per-namespace state
 * @rcv: UDP encapsulation receiver of all sockets
 *
 * mrc_sock_module_exit() closes all sockets and waits until no receiver runs any more.
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_sock_module_init(int (*rcv)(struct sock *sk, struct sk_buff *skb));
void mrc_sock_module_exit(void);

#endif /* _MRC_NET_SOCK_H */
