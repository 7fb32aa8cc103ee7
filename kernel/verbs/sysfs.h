/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a device shows in its folder of sysfs, beside what the RDMA core shows.
 */
#ifndef MRC_VERBS_SYSFS_H
#define MRC_VERBS_SYSFS_H

struct attribute_group;

extern const struct attribute_group mrc_device_group;

#endif /* MRC_VERBS_SYSFS_H */
