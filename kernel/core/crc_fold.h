/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 without tables: long messages are folded into a short one that has the
 * same CRC. Where loads are dear (an emulator checks each) this beats a table,
 * which needs one load per byte.
 */
#ifndef _MRC_CORE_CRC_FOLD_H
#define _MRC_CORE_CRC_FOLD_H

#include "base.h"

/* Bytes that remain. */
#define MRC_CRC_FOLD_LEN	40u

/**
 * mrc_crc_fold() - fold the beginning of a message into what follows it
 * @crc: state of a reflected CRC-32 before the message
 * @data: the message
 * @len: its bytes, MRC_CRC_FOLD_LEN at least
 * @out: result: with state 0 before them, these bytes stand for the message up to
 *       the returned position and MRC_CRC_FOLD_LEN more
 *
 * Return: bytes folded; a multiple of 8, at most @len - MRC_CRC_FOLD_LEN.
 */
size_t mrc_crc_fold(u32 crc, const void *data, size_t len,
		    u8 out[MRC_CRC_FOLD_LEN]);

#endif /* _MRC_CORE_CRC_FOLD_H */
