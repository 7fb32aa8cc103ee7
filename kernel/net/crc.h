/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 for the ICRC. The fastest of three implementations on this machine is used: the kernel
 * library's with a table, our own by folding, and the accelerated one of the crypto API. They are
 * timed once, when the module is loaded.
 */
#ifndef _MRC_NET_CRC_H
#define _MRC_NET_CRC_H

#include <linux/types.h>

#include "../core/wire/crc_fold.h"

/**
 * struct mrc_crc - a reflected CRC-32 of a message that comes in pieces, without final complement
 * @crc: CRC of the pieces so far, unless @folds
 * @folds: the state is in @fold, not in @crc
 * @fold: state of folding, see core/wire/crc_fold.h
 */
struct mrc_crc {
	u32 crc;
	bool folds;
	struct mrc_crc_fold fold;
};

/** mrc_crc_begin() - a message of @len bytes begins; @crc: state before it. Any context. */
void mrc_crc_begin(struct mrc_crc *c, u32 crc, unsigned int len);
/** mrc_crc_add() - the message's next piece */
void mrc_crc_add(struct mrc_crc *c, const void *data, unsigned int len);
/** mrc_crc_end() - the message is complete. Return: its CRC. */
u32 mrc_crc_end(struct mrc_crc *c);

/** mrc_crc_name() - the implementation in use: "crc32_le", "fold", or e.g. "crc32-pclmul" */
const char *mrc_crc_name(void);

int mrc_crc_module_init(void);
void mrc_crc_module_exit(void);

#endif /* _MRC_NET_CRC_H */
