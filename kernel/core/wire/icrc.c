// SPDX-License-Identifier: GPL-2.0-only
#include "icrc.h"

#define IP6_LEN		40u
#define UDP_LEN		8u
#define BTH_LEN		12u

void mrc_icrc_pseudo(u8 *out, const u8 *ip6, const u8 *udp, const u8 *bth,
		     u16 udp_len)
{
	memcpy(out, ip6, IP6_LEN);
	out[0] |= 0x0f;			/* traffic class, high half */
	out[1] = 0xff;			/* ... low half, flow label */
	out[2] = 0xff;
	out[3] = 0xff;
	put_unaligned_be16(udp_len, out + 4);
	out[7] = 0xff;			/* hop limit */
	out += IP6_LEN;

	memcpy(out, udp, 4);		/* ports */
	put_unaligned_be16(udp_len, out + 4);
	out[6] = 0xff;			/* checksum */
	out[7] = 0xff;
	out += UDP_LEN;

	memcpy(out, bth, BTH_LEN);
	out[4] = 0xff;			/* FECN and BECN in RC */
}
