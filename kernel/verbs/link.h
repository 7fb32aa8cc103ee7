/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Creation of an ib_device by "rdma link add".
 */
#ifndef _MRC_VERBS_LINK_H
#define _MRC_VERBS_LINK_H

/** mrc_verbs_module_init() - make "rdma link add NAME type mrc netdev DEV" work */
int mrc_verbs_module_init(void);
/** mrc_verbs_module_exit() - undo mrc_verbs_module_init() and delete all devices */
void mrc_verbs_module_exit(void);

#endif /* _MRC_VERBS_LINK_H */
