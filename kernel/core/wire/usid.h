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
 * mrc_usid_append() - append one node to a carrier
 * @carrier: MRC_USID_CARRIER_LEN bytes; it may hold nothing but its block
 * @usid: the node's uSID, not 0
 *
 * Return: false, and nothing is changed, when @usid is 0, when the carrier has six uSIDs already,
 * or when it is malformed: a zero uSID stands before its last one.
 */
bool mrc_usid_append(u8 *carrier, u16 usid);

#endif /* _MRC_CORE_USID_H */
