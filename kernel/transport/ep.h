/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Endpoint packets (MRC 1.0, sections 7.4.7, 7.4.8): EV probes, port status, and the answers to
 * both. They belong to no QP and go to QPN 2. Our requests are ask.h's, our answers endpoint.h's.
 */
#ifndef _MRC_TRANSPORT_EP_H
#define _MRC_TRANSPORT_EP_H

#include <linux/types.h>

struct mrc_dev;
struct mrc_hdr;
struct mrc_peer;
struct mrc_peer_evs;
struct mrc_rx_pkt;

/**
 * mrc_ep_xmit() - send one
 * @peer: to whom
 * @evs: its EVs
 * @ev: index in @evs: the path
 * @hdr: its headers
 * @room: the path is of no use unless this host has room for packets as long as this, in bytes
 *        from BTH to ICRC
 *
 * Softirq or BH off, under RCU. Return: 0; -EMSGSIZE: no @room; -ENOMEM; or what this host's
 * network stack says.
 */
int mrc_ep_xmit(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		const struct mrc_hdr *hdr, unsigned int room);

/** mrc_ep_rx_port() - our port that a packet came in by, 0: none of ours. Under RCU. */
u8 mrc_ep_rx_port(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt);

#endif /* _MRC_TRANSPORT_EP_H */
