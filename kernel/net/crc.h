/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 for the ICRC: the library's table version, our own by folding, or the
 * crypto API's accelerated one, whichever is fastest on this machine. Timed once
 * at load.
 */
#ifndef _MRC_NET_CRC_H
#define _MRC_NET_CRC_H

#include <linux/types.h>

/** mrc_crc32() - continue a reflected CRC-32 (no final complement). Any context. */
u32 mrc_crc32(u32 crc, const void *data, unsigned int len);

/** mrc_crc_name() - the implementation in use: "crc32_le", "fold", or e.g. "crc32-pclmul" */
const char *mrc_crc_name(void);

int mrc_crc_module_init(void);
void mrc_crc_module_exit(void);

#endif /* _MRC_NET_CRC_H */
