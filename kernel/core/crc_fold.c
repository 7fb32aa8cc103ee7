// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modulo the CRC's polynomial, x^300 = x^155 + x^117 + x^89 + 1. So a bit may be
 * cleared if those 145, 183, 211 and 300 places behind it are toggled; a word of
 * 64 bits at once is a few shifts into the second to fifth word behind it. (The
 * idea is Chorba, S. Russell, 2024.)
 */
#include "crc_fold.h"

size_t mrc_crc_fold(u32 crc, const void *data, size_t len,
		    u8 out[MRC_CRC_FOLD_LEN])
{
	u64 c1 = crc, c2 = 0, c3 = 0, c4 = 0, c5 = 0, in;
	const u8 *p = data;
	size_t left = (len - MRC_CRC_FOLD_LEN) / 8;

	for (; left; left--, p += 8) {
		in = get_unaligned_le64(p) ^ c1;
		c1 = c2;
		c2 = c3 ^ in << 17 ^ in << 55;
		c3 = c4 ^ in >> 47 ^ in >> 9 ^ in << 19;
		c4 = c5 ^ in >> 45 ^ in << 44;
		c5 = in >> 20;
	}
	put_unaligned_le64(get_unaligned_le64(p) ^ c1, out);
	put_unaligned_le64(get_unaligned_le64(p + 8) ^ c2, out + 8);
	put_unaligned_le64(get_unaligned_le64(p + 16) ^ c3, out + 16);
	put_unaligned_le64(get_unaligned_le64(p + 24) ^ c4, out + 24);
	put_unaligned_le64(get_unaligned_le64(p + 32) ^ c5, out + 32);
	return (size_t)(p - (const u8 *)data);
}
