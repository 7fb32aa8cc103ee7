/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only names from outside that the protocol engine uses: fixed-width types,
 * big-endian access, bit arrays and minimum/maximum. In the kernel these are
 * the kernel's own; on the host (unit tests, fuzzers, simulation) this file
 * supplies the same names, so that core files compile unchanged in both.
 */
#ifndef _MRC_CORE_BASE_H
#define _MRC_CORE_BASE_H

#ifdef __KERNEL__

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include "../../compat/compat_unaligned.h"

#else

#include "host_base.h"

#endif

/* PSNs in one unit of MPR, in which windows are counted (the OCP API). */
#define MRC_MPR_UNIT	128u

#endif /* _MRC_CORE_BASE_H */
