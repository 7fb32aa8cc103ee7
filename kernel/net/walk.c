// SPDX-License-Identifier: GPL-2.0-only
#include <linux/highmem.h>

#include "../compat/compat_net.h"
#include "crc.h"
#include "walk.h"

/* Where the bytes of a walk go: they are copied to @to or, if that is NULL, added to @crc. */
struct mrc_walk_sink {
	u8 *to;
	struct mrc_crc *crc;
};

static void mrc_walk_put(struct mrc_walk_sink *sink, const void *data,
			 unsigned int len)
{
	if (sink->to) {
		memcpy(sink->to, data, len);
		sink->to += len;
	} else {
		mrc_crc_add(sink->crc, data, len);
	}
}

int mrc_walk_prepare(struct sk_buff *skb)
{
	const struct sk_buff *part;

	if (!mrc_skb_frags_readable(skb))
		return -EFAULT;
	skb_walk_frags(skb, part) {
		if (!mrc_skb_frags_readable(part))
			return -EFAULT;
		/* A fragment list within a fragment list is too rare to be walked. */
		if (skb_has_frag_list(part))
			return skb_linearize(skb);
	}
	return 0;
}

static const struct sk_buff *mrc_walk_part(const struct sk_buff *skb,
					   const struct mrc_walk *pos)
{
	return pos->part ?: skb;
}

static unsigned int mrc_walk_piece_len(const struct sk_buff *skb,
				       const struct mrc_walk *pos)
{
	const struct sk_buff *part = mrc_walk_part(skb, pos);

	return pos->piece ?
	       skb_frag_size(&skb_shinfo(part)->frags[pos->piece - 1]) :
	       skb_headlen(part);
}

static bool mrc_walk_next(const struct sk_buff *skb, struct mrc_walk *pos)
{
	const struct sk_buff *part = mrc_walk_part(skb, pos);
	unsigned int len = mrc_walk_piece_len(skb, pos);

	if (pos->piece < skb_shinfo(part)->nr_frags) {
		pos->piece++;
	} else {
		part = pos->part ? part->next : skb_shinfo(skb)->frag_list;
		if (!part)
			return false;
		pos->part = part;
		pos->piece = 0;
	}
	pos->base += len;
	return true;
}

void mrc_walk_seek(const struct sk_buff *skb, struct mrc_walk *pos,
		   unsigned int offset)
{
	while (offset - pos->base >= mrc_walk_piece_len(skb, pos) &&
	       mrc_walk_next(skb, pos))
		;
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

/* Puts the bytes from @offset on that lie in one piece, @len at most. Return: how many. */
static unsigned int mrc_walk_piece(const struct sk_buff *skb,
				   const struct mrc_walk *pos,
				   unsigned int offset, unsigned int len,
				   struct mrc_walk_sink *sink)
{
	const struct sk_buff *part = mrc_walk_part(skb, pos);
	unsigned int size = mrc_walk_piece_len(skb, pos);
	unsigned int at = offset - pos->base;

	if (at >= size)
		return 0;
	len = min(len, size - at);
	if (pos->piece)
		mrc_walk_frag(&skb_shinfo(part)->frags[pos->piece - 1], at, len,
			      sink);
	else
		mrc_walk_put(sink, part->data + at, len);
	return len;
}

static int mrc_walk(const struct sk_buff *skb, struct mrc_walk *pos,
		    unsigned int offset, unsigned int len,
		    struct mrc_walk_sink *sink)
{
	unsigned int n;

	/* After this check no sum of offset and length can wrap. */
	if (offset > skb->len || len > skb->len - offset)
		return -EFAULT;
	for (; len; offset += n, len -= n) {
		mrc_walk_seek(skb, pos, offset);
		n = mrc_walk_piece(skb, pos, offset, len, sink);
		if (!n)
			return -EFAULT;
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
		 unsigned int offset, struct mrc_crc *crc, unsigned int len)
{
	struct mrc_walk_sink sink = { .crc = crc };

	return mrc_walk(skb, &pos, offset, len, &sink);
}
