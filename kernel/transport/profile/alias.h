/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Aliases of profiles: what people call them by. They mean nothing to the module.
 */
#ifndef _MRC_TRANSPORT_ALIAS_H
#define _MRC_TRANSPORT_ALIAS_H

#include <linux/ctype.h>
#include <linux/types.h>

/* Bytes, without the end. */
#define MRC_ALIAS_MAX	64

/**
 * mrc_alias_valid() - nothing in it that a terminal or a log would obey
 *
 * Bytes above ASCII are UTF-8 or not: who shows an alias looks.
 */
static inline bool mrc_alias_valid(const char *alias)
{
	for (; *alias; alias++)
		if (isascii(*alias) && iscntrl(*alias))
			return false;
	return true;
}

#endif /* _MRC_TRANSPORT_ALIAS_H */
