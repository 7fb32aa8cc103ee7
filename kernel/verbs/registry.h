/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All devices, and what becomes of them when the netdevs, namespaces and names
 * they depend on change.
 */
#ifndef _MRC_VERBS_REGISTRY_H
#define _MRC_VERBS_REGISTRY_H

struct mrc_ibdev;

/** mrc_registry_add() - a new device, not registered with the core yet */
void mrc_registry_add(struct mrc_ibdev *m);
/** mrc_registry_del() - it is about to be freed */
void mrc_registry_del(struct mrc_ibdev *m);

int mrc_registry_init(void);
void mrc_registry_exit(void);

#endif /* _MRC_VERBS_REGISTRY_H */
