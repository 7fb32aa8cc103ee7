/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that a device has in its folder of sysfs beside those of the RDMA core.
 */
#ifndef MRC_VERBS_SYSFS_H
#define MRC_VERBS_SYSFS_H

struct attribute_group;

extern const struct attribute_group mrc_device_group;

#endif /* MRC_VERBS_SYSFS_H */
