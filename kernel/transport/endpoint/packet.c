// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending endpoint packets, requests and answers.
 */
#include "../device/device.h"
#include "packet.h"
#include "../peer/peer.h"

static int mrc_ep_put(struct mrc_skb *b, const struct mrc_hdr *hdr)
{
	u8 *buf = mrc_skb_hdr(b, mrc_opcode_hdr_len(hdr->bth.opcode));

	if (!buf)
		return -ENOMEM;
	mrc_hdr_encode(buf, hdr);
	return mrc_skb_close(b);
}

/* Sends a packet; the skb is consumed on error, too. @size: pad to so many bytes; 0: do not. */
static int mrc_ep_send(struct mrc_dev *dev, struct mrc_skb *b, const struct mrc_hdr *hdr,
		       unsigned int size)
{
	int err = mrc_ep_put(b, hdr) ? -ENOMEM : 0;

	if (!err && size)
		err = mrc_skb_stretch(b, size);
	if (err) {
		mrc_skb_abort(b);
		return err;
	}
	mrc_count(dev, MRC_CNT_TX_PACKETS);
	mrc_count_n(dev, MRC_CNT_TX_BYTES, b->bytes);
	return mrc_skb_xmit(b);
}

static int mrc_ep_sent(struct mrc_dev *dev, int err)
{
	if (err)
		mrc_count_unsent(dev, err);
	return err;
}

int mrc_ep_xmit(struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		const struct mrc_hdr *hdr, unsigned int room)
{
	struct mrc_dev *dev = peer->dev;
	struct mrc_skb b;
	int err;

	err = mrc_skb_open(&b, rcu_dereference(peer->flow), &evs->path[ev],
			   evs->paths.ev[ev].bits, READ_ONCE(dev->cfg.dscp_control) << 2, 1);
	if (err)
		return mrc_ep_sent(dev, err);
	if (!mrc_skb_mtu_fits(&b, room)) {
		mrc_skb_abort(&b);
		return -EMSGSIZE;
	}
	mrc_skb_hurry(&b);
	return mrc_ep_sent(dev, mrc_ep_send(dev, &b, hdr, 0));
}

int mrc_ep_xmit_by(struct mrc_dev *dev, const struct mrc_ep_way *way, const struct mrc_hdr *hdr)
{
	struct mrc_path path = { };
	struct mrc_skb b;
	int err = mrc_path_init(&path, &way->path, way->plane);

	if (err)
		return err;
	err = mrc_skb_open(&b, &way->flow, &path, way->bits, way->dscp << 2, 1) ?:
	      mrc_ep_send(dev, &b, hdr, way->size);
	mrc_ep_sent(dev, err);
	mrc_path_fini(&path);
	return err;
}

u8 mrc_ep_rx_port(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	struct mrc_plane *plane = mrc_plane_by_ifindex(&dev->planes,
						       pkt->ifindex);

	return plane ? plane->port : 0;
}
