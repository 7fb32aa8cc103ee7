/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending endpoint packets (MRC 1.0, sections 7.4.7, 7.4.8): EV probes, port status, and the
 * answers to both. They belong to no QP and go to QPN 2. ask.h makes our requests, endpoint.h our
 * answers.
 */
#ifndef _MRC_TRANSPORT_PACKET_H
#define _MRC_TRANSPORT_PACKET_H

#include <linux/types.h>

#include "../../net/path.h"

struct mrc_dev;
struct mrc_hdr;
struct mrc_peer;
struct mrc_peer_evs;
struct mrc_rx_pkt;

/**
 * mrc_ep_xmit() - send an endpoint packet to a peer
 * @peer: the receiver
 * @evs: its EVs
 * @ev: index in @evs: the path
 * @hdr: headers of the packet
 * @room: send it only if this host's MTU for the path has room for packets of so many bytes, from
 *        BTH to ICRC
 *
 * Softirq or BH off, under RCU. Return: 0; -EMSGSIZE: no @room; -ENOMEM; or an error of this host's
 * network stack.
 */
int mrc_ep_xmit(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		const struct mrc_hdr *hdr, unsigned int room);

/**
 * struct mrc_ep_way - a way that is no EV of a peer
 * @flow: addresses of both ends
 * @path: the path
 * @plane: the plane by which packets leave
 * @bits: EV bits
 * @dscp: of both headers
 * @size: bytes of a packet from its outermost header on; 0: not padded
 */
struct mrc_ep_way {
	struct mrc_flow flow;
	struct mrc_path_cfg path;
	struct mrc_plane *plane;
	u32 bits;
	u8 dscp;
	u16 size;
};

/**
 * mrc_ep_xmit_by() - send an endpoint packet along a way
 * @dev: the device
 * @way: the way
 * @hdr: headers of the packet
 *
 * The route is looked up for each packet. Softirq or BH off, under RCU. Return: as mrc_ep_xmit();
 * -EMSGSIZE: the packet cannot have the size in @way.
 */
int mrc_ep_xmit_by(struct mrc_dev *dev, const struct mrc_ep_way *way, const struct mrc_hdr *hdr);

/** mrc_ep_rx_port() - our port by which a packet came in; 0: none of ours. Under RCU. */
u8 mrc_ep_rx_port(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt);

#endif /* _MRC_TRANSPORT_PACKET_H */
