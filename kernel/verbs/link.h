/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What "rdma link add" makes: an ib_device with all that it can do.
 */
#ifndef _MRC_VERBS_LINK_H
#define _MRC_VERBS_LINK_H

/** mrc_verbs_module_init() - "rdma link add NAME type mrc netdev DEV" works from now on */
int mrc_verbs_module_init(void);
/** mrc_verbs_module_exit() - all devices are gone afterwards */
void mrc_verbs_module_exit(void);

#endif /* _MRC_VERBS_LINK_H */
