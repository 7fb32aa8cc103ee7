// SPDX-License-Identifier: GPL-2.0-only
/*
 * Soft MRC: loading and unloading the module. Its layers start from the bottom up.
 */
#include <linux/module.h>
#include <rdma/rdma_netlink.h>

#include "net/crc.h"
#include "net/plane.h"
#include "netlink/netlink.h"
#include "transport/transport/transport.h"
#include "verbs/link.h"

static int __init mrc_module_init(void)
{
	int ret;

	ret = mrc_crc_module_init();
	if (ret)
		return ret;
	ret = mrc_plane_module_init();
	if (ret)
		goto err_crc;
	ret = mrc_transport_module_init();
	if (ret)
		goto err_plane;
	ret = mrc_netlink_init();
	if (ret)
		goto err_transport;
	ret = mrc_verbs_module_init();
	if (ret)
		goto err_netlink;
	return 0;

err_netlink:
	mrc_netlink_exit();
err_transport:
	mrc_transport_module_exit();
err_plane:
	mrc_plane_module_exit();
err_crc:
	mrc_crc_module_exit();
	return ret;
}

static void __exit mrc_module_exit(void)
{
	mrc_verbs_module_exit();
	mrc_netlink_exit();
	mrc_transport_module_exit();
	mrc_plane_module_exit();
	mrc_crc_module_exit();
}

module_init(mrc_module_init);
module_exit(mrc_module_exit);

MODULE_DESCRIPTION("MRC (Multipath Reliable Connection) in software");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.2.0");
MODULE_ALIAS_RDMA_LINK("mrc");
/* Accelerated CRCs, which the ICRC uses if they are the fastest. */
MODULE_SOFTDEP("pre: crypto-crc32");
