// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files in sysfs that name the "hardware", as drivers of NICs have them. Programs rely on these
 * files: if one RDMA device of a host has no hca_type or board_id, node_exporter 1.5 exports none
 * of the host's RDMA devices.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "sysfs.h"

static ssize_t hw_rev_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0\n");
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "MRC\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t board_id_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "software\n");
}
static DEVICE_ATTR_RO(board_id);

static struct attribute *mrc_device_attrs[] = {
	&dev_attr_hw_rev.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_board_id.attr,
	NULL,
};

const struct attribute_group mrc_device_group = {
	.attrs = mrc_device_attrs,
};
