// SPDX-License-Identifier: GPL-2.0-only
/* Unaligned access has moved out of asm/. (sparse knows no __has_include.) */
#include <linux/module.h>
#ifdef PROBE_NEW
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif
