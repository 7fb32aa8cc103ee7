/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The invariant CRC: RoCEv2's rule (IBTA annex A17), over the inner IPv6
 * header, UDP, the MRC headers, payload and pad. Fields that the network may
 * change count as ones. This file has the masks and the seed. The caller brings
 * the CRC-32 itself, so that it can use the fastest one that it has.
 */
#ifndef _MRC_CORE_ICRC_H
#define _MRC_CORE_ICRC_H

#include "../base/base.h"

/* IPv6 header, UDP header and BTH, the part that has masked fields. */
#define MRC_ICRC_PSEUDO_LEN	(40u + 8u + 12u)

/* CRC-32 state after the eight 0xff bytes that stand for the missing LRH. */
#define MRC_ICRC_SEED		0xdebb20e3u

/**
 * mrc_icrc_pseudo() - copy of IPv6, UDP and BTH with the variable fields masked
 * @out: MRC_ICRC_PSEUDO_LEN bytes
 * @ip6: the 40 bytes of the (inner) IPv6 header
 * @udp: the 8 bytes of the UDP header
 * @bth: the 12 bytes of the BTH
 * @udp_len: UDP length of this packet on the wire. IPv6 payload length and UDP length are
 *           written from it, because with segmentation offload the headers at hand are those of the
 *           whole skb
 *
 * Masked to ones: traffic class, flow label, hop limit, UDP checksum, BTH byte 4.
 */
void mrc_icrc_pseudo(u8 *out, const u8 *ip6, const u8 *udp, const u8 *bth,
		     u16 udp_len);

#endif /* _MRC_CORE_ICRC_H */
