// SPDX-License-Identifier: GPL-2.0-only
/* Compiles against every kernel: proves that the probing itself works. */
#include <linux/module.h>
