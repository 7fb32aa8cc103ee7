/* SPDX-License-Identifier: GPL-2.0-only */
/* The access macros for unaligned data moved to another header in 6.12. */
#ifndef _MRC_COMPAT_UNALIGNED_H
#define _MRC_COMPAT_UNALIGNED_H

#include "compat-config.h"
#ifdef HAVE_LINUX_UNALIGNED
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif /* _MRC_COMPAT_UNALIGNED_H */
