/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Aliases of profiles: names for people. They mean nothing to the module.
 */
#ifndef _MRC_TRANSPORT_ALIAS_H
#define _MRC_TRANSPORT_ALIAS_H

#include <linux/ctype.h>
#include <linux/types.h>

/* Length in bytes, without the terminating NUL. */
#define MRC_ALIAS_MAX	64

/**
 * mrc_alias_valid() - is an alias free of control characters, which a terminal or a log would obey?
 *
 * Bytes above ASCII may or may not be UTF-8: a program that shows an alias has to check.
 */
static inline bool mrc_alias_valid(const char *alias)
{
	for (; *alias; alias++)
		if (isascii(*alias) && iscntrl(*alias))
			return false;
	return true;
}

#endif /* _MRC_TRANSPORT_ALIAS_H */
