/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Received packets on their way to a QP.
 */
#ifndef _MRC_TRANSPORT_RECEIVE_H
#define _MRC_TRANSPORT_RECEIVE_H

int mrc_receive_init(void);
void mrc_receive_exit(void);

#endif /* _MRC_TRANSPORT_RECEIVE_H */
