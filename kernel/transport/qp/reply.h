/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control packets on their way out. Which there are is core/wire/answers.h.
 */
#ifndef _MRC_TRANSPORT_REPLY_H
#define _MRC_TRANSPORT_REPLY_H

#include "../../core/wire/answers.h"
#include "../peer/qp.h"

/**
 * mrc_reply_send() - send them, in one skb where their lengths allow
 *
 * By one EV, or, if this host lets nothing out by it, by another one. What the network loses is made
 * good by later ones. Softirq or BH off, under RCU.
 */
void mrc_reply_send(struct mrc_qp *qp, const struct mrc_answers *a);

/**
 * mrc_reply_ask() - the same for what asks: a Reliability Probe
 *
 * Who sends data learns of its ways by them: no probe of the way back is set off, which is for who
 * only answers.
 */
void mrc_reply_ask(struct mrc_qp *qp, const struct mrc_answers *a);

/**
 * mrc_reply_send_to() - the same without a QP here: to QP @qpn of the peer
 *
 * Return: whether there was an EV for them.
 */
bool mrc_reply_send_to(struct mrc_peer *peer, u32 qpn, u16 pkey,
		       const struct mrc_answers *a);

#endif /* _MRC_TRANSPORT_REPLY_H */
