/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 without tables: a long message is folded into a short one that has the same CRC. This
 * beats a table where loads are dear (an emulator checks each of them), because a table needs one
 * load per byte. Also, a table has some KiB: when it is used for a few short pieces of each packet,
 * it has left the cache before the next packet comes.
 *
 * A message may come in pieces of any length, for example headers, page fragments and pad. The
 * pieces are folded into one another, so that only the end of the message needs a table.
 */
#ifndef _MRC_CORE_CRC_FOLD_H
#define _MRC_CORE_CRC_FOLD_H

#include "../base/base.h"

/* Whole words that remain after folding, in bytes; and the most bytes that remain in all. */
#define MRC_CRC_FOLD_LEN	40u
#define MRC_CRC_FOLD_REST	(MRC_CRC_FOLD_LEN + 7)

/**
 * struct mrc_crc_fold - a message while it is folded
 * @c: sums of the folded words, which are added to the next words of the message
 * @left: bytes of the message that are still to be folded, a multiple of 8
 * @kept: bytes in @keep
 * @keep: the beginning of a word whose end has not come yet; in the end the bytes that remain
 */
struct mrc_crc_fold {
	u64 c[MRC_CRC_FOLD_LEN / 8];
	size_t left;
	unsigned int kept;
	u8 keep[MRC_CRC_FOLD_REST];
};

/**
 * mrc_crc_fold_begin() - a message begins
 * @f: result
 * @crc: state of a reflected CRC-32 before the message
 * @len: bytes of the message, MRC_CRC_FOLD_LEN at least
 */
void mrc_crc_fold_begin(struct mrc_crc_fold *f, u32 crc, size_t len);

/** mrc_crc_fold_add() - add the next piece; all pieces together are as long as the message */
void mrc_crc_fold_add(struct mrc_crc_fold *f, const void *data, size_t len);

/**
 * mrc_crc_fold_end() - all pieces were added
 *
 * Return: the number of bytes in f->keep. Their CRC, with state 0 before them, is the message's.
 */
unsigned int mrc_crc_fold_end(struct mrc_crc_fold *f);

#endif /* _MRC_CORE_CRC_FOLD_H */
