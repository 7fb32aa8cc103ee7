/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending control packets. core/wire/answers.h has the kinds of control packets.
 */
#ifndef _MRC_TRANSPORT_REPLY_H
#define _MRC_TRANSPORT_REPLY_H

#include "../../core/wire/answers.h"
#include "../peer/qp.h"

/**
 * mrc_reply_send() - send answers, in one skb where their lengths allow it
 *
 * All take one EV. If nothing can leave this host by that EV, another one is tried. If the network
 * loses answers, later ones make up for them. Softirq or BH off, under RCU.
 */
void mrc_reply_send(struct mrc_qp *qp, const struct mrc_answers *a);

/**
 * mrc_reply_ask() - send a Reliability Probe; context as mrc_reply_send()
 *
 * Unlike mrc_reply_send(), it does not trigger a probe of the way that answers take. Such probes
 * are for a host that only answers; a host that sends data learns about its paths from its data.
 */
void mrc_reply_ask(struct mrc_qp *qp, const struct mrc_answers *a);

/**
 * mrc_reply_send_to() - send answers to QP @qpn of the peer, without a QP here; context as
 * mrc_reply_send()
 *
 * Return: true: there was an EV for them.
 */
bool mrc_reply_send_to(struct mrc_peer *peer, u32 qpn, u16 pkey,
		       const struct mrc_answers *a);

#endif /* _MRC_TRANSPORT_REPLY_H */
