// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions that are called for each message. To be fast they check nothing, lock nothing, and
 * call the operation of the device directly.
 */
#include "base/edge.h"
#include "objects.h"

MRC_EXPORT int mrc_post_send(mrc_qp *qp, ibv_send_wr *wr, ibv_send_wr **bad_wr)
{
    const int error = ibv_post_send(qp->qp, wr, bad_wr);

    if (__builtin_expect(error != 0, 0))
        errno = error;
    return error;
}

MRC_EXPORT int mrc_post_recv(mrc_qp *qp, ibv_recv_wr *wr, ibv_recv_wr **bad_wr)
{
    const int error = ibv_post_recv(qp->qp, wr, bad_wr);

    if (__builtin_expect(error != 0, 0))
        errno = error;
    return error;
}

MRC_EXPORT int mrc_poll_cq(mrc_cq *cq, int num_entries, ibv_wc *wc)
{
    const int found = ibv_poll_cq(cq->cq, num_entries, wc);

    if (__builtin_expect(found >= 0, 1))
        return found;
    // Some devices return a negative errno value.
    errno = found < -1 ? -found : EIO;
    return -1;
}
