/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control packets: SACKs, ACKs and NAKs, probes on their way out.
 */
#ifndef _MRC_TRANSPORT_REPLY_H
#define _MRC_TRANSPORT_REPLY_H

#include "qp.h"

/* Control packets that go out together, at most. */
#define MRC_REPLY_MAX	6u

/**
 * struct mrc_reply - control packets of one QP, longest first
 * @count: elements of @hdr
 * @hdr: bth.qpn and bth.pkey are filled in when they are sent
 */
struct mrc_reply {
	unsigned int count;
	struct mrc_hdr hdr[MRC_REPLY_MAX];
};

/** mrc_reply_add() - room for one more packet, zeroed, opcode and PSN set; NULL when full */
struct mrc_hdr *mrc_reply_add(struct mrc_reply *r, u8 opcode, u32 psn);

/**
 * mrc_reply_send() - send them, in one skb where their lengths allow
 *
 * One EV for all. Lost ones are healed by later ones. Softirq or BH off, under RCU.
 */
void mrc_reply_send(struct mrc_qp *qp, const struct mrc_reply *r);

/**
 * mrc_reply_send_to() - the same without a QP here: to QP @qpn of the peer
 *
 * Return: whether there was an EV for them.
 */
bool mrc_reply_send_to(struct mrc_peer *peer, u32 qpn, u16 pkey,
		       const struct mrc_reply *r);

#endif /* _MRC_TRANSPORT_REPLY_H */
