/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walking over the bytes of an skb without making it linear. Offsets count from skb->data. A
 * position remembers the piece that a walk has come to, so that each packet of an aggregate is
 * found without starting over.
 */
#ifndef _MRC_NET_WALK_H
#define _MRC_NET_WALK_H

#include <linux/skbuff.h>

struct mrc_crc;

/**
 * struct mrc_walk - a position
 * @part: the skb of the fragment list that the walk has come to, NULL before that
 * @piece: 0 is the linear part of the skb or @part, n is page fragment n - 1
 * @base: offset of the piece's first byte
 *
 * A zeroed position is the beginning.
 */
struct mrc_walk {
	const struct sk_buff *part;
	unsigned int piece;
	unsigned int base;
};

/**
 * mrc_walk_prepare() - make a received skb fit for walks
 * @skb: the skb, not shared; pointers into its data are invalid afterwards
 *
 * Return: 0; -EFAULT: the CPU cannot read its fragments; -ENOMEM.
 */
int mrc_walk_prepare(struct sk_buff *skb);

/**
 * mrc_walk_seek() - step forward to the piece that holds @offset, or to the last piece
 */
void mrc_walk_seek(const struct sk_buff *skb, struct mrc_walk *pos,
		   unsigned int offset);

/**
 * mrc_walk_copy() - copy bytes out
 * @skb: the skb; its fragments must be readable, see mrc_walk_prepare()
 * @pos: a position not behind @offset
 * @offset: of the first byte
 * @to: destination
 * @len: bytes
 *
 * Context: BH disabled.
 * Return: 0, or -EFAULT beyond the skb's end.
 */
int mrc_walk_copy(const struct sk_buff *skb, struct mrc_walk pos,
		  unsigned int offset, void *to, unsigned int len);

/** mrc_walk_crc() - add bytes to a CRC-32 that was begun; otherwise as mrc_walk_copy() */
int mrc_walk_crc(const struct sk_buff *skb, struct mrc_walk pos,
		 unsigned int offset, struct mrc_crc *crc, unsigned int len);

#endif /* _MRC_NET_WALK_H */
