// SPDX-License-Identifier: GPL-2.0-only
/* New: functions for UDP tunnels take the struct sock. Old: they take the struct socket. */
#include <linux/module.h>
#include <net/udp_tunnel.h>

void probe(struct net *net, struct socket *sock, struct udp_tunnel_sock_cfg *cfg)
{
#ifdef PROBE_NEW
	setup_udp_tunnel_sock(net, sock->sk, cfg);
	udp_tunnel_sock_release(sock->sk);
#else
	setup_udp_tunnel_sock(net, sock, cfg);
	udp_tunnel_sock_release(sock);
#endif
}
