/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 without tables: long messages are folded into a short one that has the
 * same CRC. Where loads are dear (an emulator checks each) this beats a table,
 * which needs one load per byte; and a table of some KiB that a packet's few short pieces are looked up
 * in is not in the cache any more when the next packet comes.
 *
 * A message may come in pieces of any length, as headers, page fragments and pad do: they are folded
 * into one another, so that a table is needed at its end only.
 */
#ifndef _MRC_CORE_CRC_FOLD_H
#define _MRC_CORE_CRC_FOLD_H

#include "../base/base.h"

/* Bytes that remain of a message, and those of a message that is too short to be folded. */
#define MRC_CRC_FOLD_LEN	40u
#define MRC_CRC_FOLD_REST	(MRC_CRC_FOLD_LEN + 7)

/**
 * struct mrc_crc_fold - a message while it is folded
 * @c: what is added to its next words, of which those that were folded consist
 * @left: its bytes that are still to be folded, a multiple of 8
 * @kept: bytes in @keep
 * @keep: the beginning of a word whose end has not come yet; then what remains
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
 * @crc: state of a reflected CRC-32 before it
 * @len: its bytes, MRC_CRC_FOLD_LEN at least
 */
void mrc_crc_fold_begin(struct mrc_crc_fold *f, u32 crc, size_t len);

/** mrc_crc_fold_add() - its next piece; all of them are as long together as the message */
void mrc_crc_fold_add(struct mrc_crc_fold *f, const void *data, size_t len);

/**
 * mrc_crc_fold_end() - all of it has come
 *
 * Return: bytes in f->keep, with state 0 before them: their CRC is that of the message.
 */
unsigned int mrc_crc_fold_end(struct mrc_crc_fold *f);

#endif /* _MRC_CORE_CRC_FOLD_H */
