// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family. mrc.yaml says which handler a command has and who may send it.
 */
#include <linux/genetlink.h>
#include <linux/module.h>

#include "message.h"
#include "netlink.h"

/* parallel_ops: handlers take their own locks, so a slow handler does not block other families. */
struct genl_family mrc_nl_family __ro_after_init = {
	.name = MRC_FAMILY_NAME,
	.version = MRC_FAMILY_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.pre_doit = mrc_nl_pre_doit,
	.post_doit = mrc_nl_post_doit,
	.ops = mrc_nl_ops,
	.n_ops = MRC_NL_OPS,
	.mcgrps = mrc_nl_groups,
	.n_mcgrps = MRC_NL_GROUPS,
};

int __init mrc_netlink_init(void)
{
	int err = genl_register_family(&mrc_nl_family);

	if (err)
		return err;
	err = mrc_nl_events_init();
	if (err)
		genl_unregister_family(&mrc_nl_family);
	return err;
}

void mrc_netlink_exit(void)
{
	mrc_nl_events_exit();
	genl_unregister_family(&mrc_nl_family);
}

MODULE_ALIAS_GENL_FAMILY(MRC_FAMILY_NAME);
