/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serial number arithmetic of the packet sequence number (24 bits) and of the
 * message sequence number (16 bits): comparisons hold across the wrap as long
 * as two numbers are less than half the number space apart.
 */
#ifndef _MRC_CORE_PSN_H
#define _MRC_CORE_PSN_H

#include "base.h"

#define MRC_PSN_BITS	24
#define MRC_PSN_MASK	0xffffffu

/**
 * mrc_psn_add() - the PSN @n packets after @psn, or before it if @n is negative
 * @psn: any PSN
 * @n: distance in packets
 */
static inline u32 mrc_psn_add(u32 psn, s32 n)
{
	return (psn + (u32)n) & MRC_PSN_MASK;
}

/**
 * mrc_psn_diff() - signed distance from @b to @a, in packets
 * @a: a PSN
 * @b: a PSN
 *
 * Return: a - b in [-2^23, 2^23 - 1].
 */
static inline s32 mrc_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << (32 - MRC_PSN_BITS)) >> (32 - MRC_PSN_BITS);
}

#endif /* _MRC_CORE_PSN_H */
