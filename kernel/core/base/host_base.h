/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host side of base.h: the few kernel names that core files use, for unit
 * tests, fuzzers and simulation. Same names, same meaning, nothing more. C++
 * code includes core headers inside extern "C". It does not get the min() and
 * max() macros, because they would shadow the standard library's.
 */
#ifndef _MRC_CORE_HOST_BASE_H
#define _MRC_CORE_HOST_BASE_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define U8_MAX	((u8)~0u)
#define U32_MAX	((u32)~0u)
#define U64_MAX	((u64)~0ull)

#define BITS_PER_LONG		(8u * sizeof(unsigned long))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define BITS_TO_LONGS(n)	DIV_ROUND_UP(n, BITS_PER_LONG)
#define DECLARE_BITMAP(name, n)	unsigned long name[BITS_TO_LONGS(n)]
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile __typeof__(x) *)&(x) = (value))

#ifndef __cplusplus

#include <assert.h>	/* static_assert */

#define min(a, b) ({			\
	__typeof__(a) _min_a = (a);	\
	__typeof__(b) _min_b = (b);	\
	_min_a < _min_b ? _min_a : _min_b; })
#define max(a, b) ({			\
	__typeof__(a) _max_a = (a);	\
	__typeof__(b) _max_b = (b);	\
	_max_a > _max_b ? _max_a : _max_b; })

#endif

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline void __set_bit(unsigned long nr, unsigned long *map)
{
	map[nr / BITS_PER_LONG] |= 1ul << (nr % BITS_PER_LONG);
}

static inline void __clear_bit(unsigned long nr, unsigned long *map)
{
	map[nr / BITS_PER_LONG] &= ~(1ul << (nr % BITS_PER_LONG));
}

static inline bool test_bit(unsigned long nr, const unsigned long *map)
{
	return map[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG) & 1;
}

static inline void bitmap_zero(unsigned long *map, unsigned int bits)
{
	memset(map, 0, BITS_TO_LONGS(bits) * sizeof(*map));
}

static inline unsigned long __ffs64(u64 word)
{
	return (unsigned long)__builtin_ctzll(word);
}

static inline int fls64(u64 word)
{
	return word ? 64 - __builtin_clzll(word) : 0;
}

static inline u16 get_unaligned_be16(const void *p)
{
	const u8 *b = (const u8 *)p;

	return (u16)(b[0] << 8 | b[1]);
}

static inline u32 get_unaligned_be24(const void *p)
{
	const u8 *b = (const u8 *)p;

	return (u32)b[0] << 16 | (u32)b[1] << 8 | b[2];
}

static inline u32 get_unaligned_be32(const void *p)
{
	const u8 *b = (const u8 *)p;

	return (u32)b[0] << 24 | get_unaligned_be24(b + 1);
}

static inline u64 get_unaligned_be64(const void *p)
{
	const u8 *b = (const u8 *)p;

	return (u64)get_unaligned_be32(b) << 32 | get_unaligned_be32(b + 4);
}

static inline void put_unaligned_be16(u16 v, void *p)
{
	u8 *b = (u8 *)p;

	b[0] = (u8)(v >> 8);
	b[1] = (u8)v;
}

static inline void put_unaligned_be24(u32 v, void *p)
{
	u8 *b = (u8 *)p;

	b[0] = (u8)(v >> 16);
	put_unaligned_be16((u16)v, b + 1);
}

static inline void put_unaligned_be32(u32 v, void *p)
{
	u8 *b = (u8 *)p;

	put_unaligned_be16((u16)(v >> 16), b);
	put_unaligned_be16((u16)v, b + 2);
}

static inline void put_unaligned_be64(u64 v, void *p)
{
	u8 *b = (u8 *)p;

	put_unaligned_be32((u32)(v >> 32), b);
	put_unaligned_be32((u32)v, b + 4);
}

static inline u64 get_unaligned_le64(const void *p)
{
	return __builtin_bswap64(get_unaligned_be64(p));
}

static inline void put_unaligned_le64(u64 v, void *p)
{
	put_unaligned_be64(__builtin_bswap64(v), p);
}

#endif /* _MRC_CORE_HOST_BASE_H */
