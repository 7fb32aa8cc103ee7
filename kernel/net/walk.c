// SPDX-License-Identifier: GPL-2.0-only
#include <linux/highmem.h>

#include "crc.h"
#include "walk.h"

/* What becomes of the bytes that a walk meets: copied to @to, or else added to @crc. */
struct mrc_walk_sink {
	u8 *to;
	u32 crc;
};

static void mrc_walk_put(struct mrc_walk_sink *sink, const void *data,
			 unsigned int len)
{
	if (sink->to) {
		memcpy(sink->to, data, len);
		sink->to += len;
	} else {
		sink->crc = mrc_crc32(sink->crc, data, len);
	}
}

static unsigned int mrc_walk_piece_len(const struct sk_buff *skb,
				       unsigned int piece)
{
	return piece ? skb_frag_size(&skb_shinfo(skb)->frags[piece - 1]) :
		       skb_headlen(skb);
}

void mrc_walk_seek(const struct sk_buff *skb, struct mrc_walk *pos,
		   unsigned int offset)
{
	unsigned int len = mrc_walk_piece_len(skb, pos->piece);

	while (offset - pos->base >= len &&
	       pos->piece < skb_shinfo(skb)->nr_frags) {
		pos->base += len;
		pos->piece++;
		len = mrc_walk_piece_len(skb, pos->piece);
	}
}

static void mrc_walk_frag(const skb_frag_t *frag, unsigned int offset,
			  unsigned int len, struct mrc_walk_sink *sink)
{
	u32 p_off, p_len, copied;
	struct page *p;
	u8 *addr;

	skb_frag_foreach_page(frag, skb_frag_off(frag) + offset, len, p, p_off,
			      p_len, copied) {
		addr = kmap_local_page(p);
		mrc_walk_put(sink, addr + p_off, p_len);
		kunmap_local(addr);
	}
}

/* For skbs with a list of further skbs: rare, so short code is better than fast code. */
static int mrc_walk_list(const struct sk_buff *skb, unsigned int offset,
			 unsigned int len, struct mrc_walk_sink *sink)
{
	u8 buf[256];
	unsigned int n;

	for (; len; offset += n, len -= n) {
		n = min_t(unsigned int, len, sizeof(buf));
		if (skb_copy_bits(skb, offset, buf, n))
			return -EFAULT;
		mrc_walk_put(sink, buf, n);
	}
	return 0;
}

static int mrc_walk(const struct sk_buff *skb, struct mrc_walk *pos,
		    unsigned int offset, unsigned int len,
		    struct mrc_walk_sink *sink)
{
	unsigned int at, n;

	/* No sum of offset and length can wrap after this. */
	if (offset > skb->len || len > skb->len - offset)
		return -EFAULT;
	if (skb_has_frag_list(skb))
		return mrc_walk_list(skb, offset, len, sink);
	for (; len; offset += n, len -= n) {
		mrc_walk_seek(skb, pos, offset);
		at = offset - pos->base;
		n = min(len, mrc_walk_piece_len(skb, pos->piece) - at);
		if (pos->piece)
			mrc_walk_frag(&skb_shinfo(skb)->frags[pos->piece - 1],
				      at, n, sink);
		else
			mrc_walk_put(sink, skb->data + at, n);
	}
	return 0;
}

int mrc_walk_copy(const struct sk_buff *skb, struct mrc_walk pos,
		  unsigned int offset, void *to, unsigned int len)
{
	struct mrc_walk_sink sink = { .to = to };

	return mrc_walk(skb, &pos, offset, len, &sink);
}

int mrc_walk_crc(const struct sk_buff *skb, struct mrc_walk pos,
		 unsigned int offset, u32 *crc, unsigned int len)
{
	struct mrc_walk_sink sink = { .crc = *crc };
	int err = mrc_walk(skb, &pos, offset, len, &sink);

	*crc = sink.crc;
	return err;
}
