// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modulo the CRC's polynomial, x^300 = x^155 + x^117 + x^89 + 1. So a bit may be
 * cleared if the bits 145, 183, 211 and 300 places behind it are toggled. For all
 * 64 bits of a word at once that takes a few shifts, into the second to fifth word
 * behind it. (The idea is Chorba, S. Russell, 2024.)
 */
#include "crc_fold.h"

void mrc_crc_fold_begin(struct mrc_crc_fold *f, u32 crc, size_t len)
{
	memset(f->c, 0, sizeof(f->c));
	f->c[0] = crc;
	f->left = (len - MRC_CRC_FOLD_LEN) / 8 * 8;
	f->kept = 0;
}

/* Folds whole words. The sums stay in registers. */
static void mrc_crc_fold_words(struct mrc_crc_fold *f, const u8 *p, size_t len)
{
	u64 c1 = f->c[0], c2 = f->c[1], c3 = f->c[2], c4 = f->c[3], c5 = f->c[4], in;

	f->left -= len;
	for (; len; len -= 8, p += 8) {
		in = get_unaligned_le64(p) ^ c1;
		c1 = c2;
		c2 = c3 ^ in << 17 ^ in << 55;
		c3 = c4 ^ in >> 47 ^ in >> 9 ^ in << 19;
		c4 = c5 ^ in >> 45 ^ in << 44;
		c5 = in >> 20;
	}
	f->c[0] = c1;
	f->c[1] = c2;
	f->c[2] = c3;
	f->c[3] = c4;
	f->c[4] = c5;
}

static size_t mrc_crc_fold_keep(struct mrc_crc_fold *f, const u8 *p, size_t len)
{
	memcpy(f->keep + f->kept, p, len);
	f->kept += (unsigned int)len;
	return len;
}

/* Completes a word that was begun, if @p has enough. Return: bytes taken from @p. */
static size_t mrc_crc_fold_complete(struct mrc_crc_fold *f, const u8 *p, size_t len)
{
	len = mrc_crc_fold_keep(f, p, min(len, (size_t)8 - f->kept));
	if (f->kept == 8) {
		mrc_crc_fold_words(f, f->keep, 8);
		f->kept = 0;
	}
	return len;
}

void mrc_crc_fold_add(struct mrc_crc_fold *f, const void *data, size_t len)
{
	const u8 *p = data;
	size_t n;

	if (f->left && f->kept) {
		n = mrc_crc_fold_complete(f, p, len);
		p += n;
		len -= n;
	}
	n = min(len / 8 * 8, f->left);
	mrc_crc_fold_words(f, p, n);
	len -= n;
	mrc_crc_fold_keep(f, p + n, min(len, sizeof(f->keep) - f->kept));
}

unsigned int mrc_crc_fold_end(struct mrc_crc_fold *f)
{
	unsigned int i;

	for (i = 0; i < MRC_CRC_FOLD_LEN / 8; i++)
		put_unaligned_le64(get_unaligned_le64(f->keep + 8 * i) ^ f->c[i], f->keep + 8 * i);
	return f->kept;
}
