/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of all devices. It updates or unregisters a device when the netdevs, the namespace or
 * the name that the device depends on change.
 */
#ifndef _MRC_VERBS_REGISTRY_H
#define _MRC_VERBS_REGISTRY_H

struct mrc_ibdev;

/** mrc_registry_add() - add a device that is not registered with the core yet */
void mrc_registry_add(struct mrc_ibdev *m);
/** mrc_registry_del() - remove a device that is about to be freed */
void mrc_registry_del(struct mrc_ibdev *m);

int mrc_registry_init(void);
void mrc_registry_exit(void);

#endif /* _MRC_VERBS_REGISTRY_H */
