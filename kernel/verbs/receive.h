/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receives of a QP: entries of its receive ring, or those that it holds of its SRQ. They stay there
 * until a message takes them, and each SEND packet looks up its place there. These functions are
 * members of struct mrc_qp_ops.
 */
#ifndef _MRC_VERBS_RECEIVE_H
#define _MRC_VERBS_RECEIVE_H

#include "../transport/peer/qp.h"

struct mrc_ib_qp;

/** mrc_receive_done() - see recv_done of struct mrc_qp_ops */
int mrc_receive_done(void *priv, const struct mrc_rx_done *done);

/** mrc_receive_place() - see recv_place of struct mrc_qp_ops */
int mrc_receive_place(void *priv, u32 skip, const struct mrc_stretch *s, struct mrc_place *to);

/**
 * mrc_receive_place_in() - where a stretch of a message goes
 * @q: the QP
 * @skip: into the receive behind so many others; it is posted
 * @s: the stretch
 * @to: result, up to MRC_PLACES_MAX elements
 *
 * The QP's receive lock is held. Return: elements of @to; -EMSGSIZE: the receive is too small for
 * the message; -EBADMSG: the ring is corrupt.
 */
int mrc_receive_place_in(struct mrc_ib_qp *q, u32 skip, const struct mrc_stretch *s,
			 struct mrc_place *to);

/** mrc_receive_posted() - see recv_posted of struct mrc_qp_ops */
u32 mrc_receive_posted(void *priv);

/** mrc_receive_flush() - see flush_recv of struct mrc_qp_ops */
bool mrc_receive_flush(void *priv, enum ib_wc_status first);

#endif /* _MRC_VERBS_RECEIVE_H */
