/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uSID carriers. A carrier is an IPv6 address: a block of 32 bits, up to six uSIDs of 16 bits in
 * travel order, then zeros (F3216, RFC 9800).
 */
#ifndef _MRC_CORE_USID_H
#define _MRC_CORE_USID_H

#include "../base/base.h"

#define MRC_USID_BLOCK_LEN	4
#define MRC_USID_LEN		2
#define MRC_USID_CARRIER_LEN	16

/**
 * mrc_usid_append() - a carrier goes on to one node more
 * @carrier: MRC_USID_CARRIER_LEN bytes
 * @usid: of the node, not 0
 *
 * A carrier of nothing but its block is empty, and has room.
 *
 * Return: false, and nothing is changed, when @usid is 0 or there is no room: six uSIDs, or
 * something else than zeros behind the last one.
 */
bool mrc_usid_append(u8 *carrier, u16 usid);

#endif /* _MRC_CORE_USID_H */
