// SPDX-License-Identifier: GPL-2.0-only
/* Unaligned access has moved out of asm/. (sparse knows no __has_include.) */
#include <linux/module.h>
#include <linux/unaligned.h>
