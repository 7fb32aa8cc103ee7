/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs that go to error, by themselves or because their program says so.
 */
#ifndef _MRC_TRANSPORT_QP_ERROR_H
#define _MRC_TRANSPORT_QP_ERROR_H

#include "../peer/qp.h"

#define MRC_QP_ANY_STATE	(~0ul)

/**
 * mrc_qp_to_err() - to error, and flush everything with IB_WC_WR_FLUSH_ERR
 * @qp: the QP
 * @from: BIT(IB_QPS_*) of the states in which the caller's reason still holds; in
 *        others nothing happens. In error already: flush once more.
 * @reason: static text for those who watch
 *
 * Any context; takes both locks. Return: whether this call moved it.
 */
bool mrc_qp_to_err(struct mrc_qp *qp, unsigned long from, const char *reason);

/**
 * mrc_qp_fail() - a live QP goes to error by itself, for a reason that no completion can tell
 * @qp: the QP; all of its requests are flushed
 * @event: asynchronous event for the program
 * @reason: static text for those who watch
 *
 * Any context, no lock of the QP held.
 */
void mrc_qp_fail(struct mrc_qp *qp, enum ib_event_type event, const char *reason);

/**
 * mrc_qp_fail_request() - a live QP goes to error by itself, with its oldest request
 * @qp: the QP
 * @status: of that request; all others are flushed
 * @reason: static text for those who watch
 *
 * The completion tells the program. Only if the request has ended meanwhile, and there is no other,
 * IB_EVENT_QP_FATAL does. Any context, no lock of the QP held.
 */
void mrc_qp_fail_request(struct mrc_qp *qp, enum ib_wc_status status, const char *reason);

/** mrc_qp_leave_congestion() - it sends no more; @qp: its tx_lock held */
void mrc_qp_leave_congestion(struct mrc_qp *qp);

/** mrc_qp_serve_others() - after it has left: others may have its room. No lock held. */
void mrc_qp_serve_others(struct mrc_qp *qp);

/**
 * mrc_qp_leave() - the QP was in state @old and is not any more: it may need its peer no longer
 *
 * Both locks held.
 */
void mrc_qp_leave(struct mrc_qp *qp, enum ib_qp_state old);

#endif /* _MRC_TRANSPORT_QP_ERROR_H */
