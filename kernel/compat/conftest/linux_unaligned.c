// SPDX-License-Identifier: GPL-2.0-only
/* New: unaligned access is in linux/. Old: in asm/. (sparse has no __has_include.) */
#include <linux/module.h>
#ifdef PROBE_NEW
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif
