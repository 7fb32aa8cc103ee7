/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The version of the module.
 */
#ifndef _MRC_VERSION_H
#define _MRC_VERSION_H

#include <linux/module.h>

/**
 * mrc_version() - what MODULE_VERSION says
 *
 * Return: NULL if the code is built into the kernel, as scripts/profile does: there is no module.
 */
static inline const char *mrc_version(void)
{
#ifdef MODULE
	return THIS_MODULE->version;
#else
	return NULL;
#endif
}

#endif
