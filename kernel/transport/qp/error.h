/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moving QPs to error: they fail, or their program asks for it.
 */
#ifndef _MRC_TRANSPORT_QP_ERROR_H
#define _MRC_TRANSPORT_QP_ERROR_H

#include "../peer/qp.h"

#define MRC_QP_ANY_STATE	(~0ul)

/**
 * mrc_qp_to_err() - move a QP to error, and flush everything with IB_WC_WR_FLUSH_ERR
 * @qp: the QP
 * @from: BIT(IB_QPS_*) of the states in which the caller's reason holds; in other states nothing
 *        happens. A QP in error is flushed once more
 * @reason: static text for the event
 *
 * Any context; takes both locks. Return: true: this call moved the QP.
 */
bool mrc_qp_to_err(struct mrc_qp *qp, unsigned long from, const char *reason);

/**
 * mrc_qp_fail() - move a live QP to error, for a reason that no completion can tell the program
 * @qp: the QP; all of its requests are flushed
 * @event: asynchronous event for the program
 * @reason: static text for the event of the transport
 *
 * Any context, no lock of the QP held.
 */
void mrc_qp_fail(struct mrc_qp *qp, enum ib_event_type event, const char *reason);

/**
 * mrc_qp_fail_request() - move a live QP to error, because its oldest request fails
 * @qp: the QP
 * @status: status of that request; all others are flushed
 * @reason: static text for the event of the transport
 *
 * The completion tells the program. If all requests have ended meanwhile, IB_EVENT_QP_FATAL tells
 * it. Any context, no lock of the QP held.
 */
void mrc_qp_fail_request(struct mrc_qp *qp, enum ib_wc_status status, const char *reason);

/** mrc_qp_flush_late() - payload has been copied: flush what waited for that. No lock held. */
void mrc_qp_flush_late(struct mrc_qp *qp);

/** mrc_qp_leave_congestion() - a QP does not send any more. Its tx_lock held. */
void mrc_qp_leave_congestion(struct mrc_qp *qp);

/** mrc_qp_serve_others() - a QP has left: give its room to other QPs. No lock held. */
void mrc_qp_serve_others(struct mrc_qp *qp);

/**
 * mrc_qp_leave() - a QP leaves state @old: it leaves its congestion context and, if it was
 * connected, does not use its peer any more
 *
 * Both locks held.
 */
void mrc_qp_leave(struct mrc_qp *qp, enum ib_qp_state old);

#endif /* _MRC_TRANSPORT_QP_ERROR_H */
