/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The UDP sockets, one per namespace and port, and the question which ports a
 * namespace listens on. Private to this layer; users see struct mrc_sock of rx.h.
 */
#ifndef _MRC_NET_SOCK_H
#define _MRC_NET_SOCK_H

#include <linux/types.h>

struct net;
struct sk_buff;
struct sock;

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
