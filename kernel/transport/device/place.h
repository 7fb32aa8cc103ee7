/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the payload of a packet goes: parts of memory that a receive or a request names.
 */
#ifndef _MRC_TRANSPORT_PLACE_H
#define _MRC_TRANSPORT_PLACE_H

#include <linux/highmem.h>
#include <linux/mm.h>

#include "../../net/rx.h"
#include "mr.h"

/* The most scatter elements of a receive. */
#define MRC_PLACES_MAX	16u

/**
 * struct mrc_stretch - the payload of one SEND packet inside its message
 * @offset: first byte
 * @len: bytes
 * @message: bytes of the message
 */
struct mrc_stretch {
	u32 offset;
	u32 len;
	u32 message;
};

/**
 * struct mrc_place - a part of a receive's memory, as the program names it: to be checked
 * @addr: first byte
 * @len: bytes
 * @lkey: key of its region
 */
struct mrc_place {
	u64 addr;
	u32 len;
	u32 lkey;
};

/**
 * mrc_place_copy() - copy bytes of a packet to a part of memory
 * @pkt: the packet
 * @from: the first byte
 * @mr: the region, named by mrc_hazard_set() first, and found not revoked after that; range checked
 * @to: where they go, and how many
 * @bytes: copies so many bytes of the packet to an address; returns 0 or an error
 *
 * Softirq. Return: 0 or the error of @bytes.
 */
static __always_inline int mrc_place_copy(const struct mrc_rx_pkt *pkt, unsigned int from,
					  const struct mrc_mr *mr, const struct mrc_place *to,
					  int (*bytes)(const struct mrc_rx_pkt *pkt,
						       unsigned int from, void *to,
						       unsigned int n))
{
	unsigned int done = 0, n, offset;
	struct page *page;
	int err = 0;
	void *at;

	for (; done < to->len && !err; done += n) {
		n = mrc_mr_piece(mr, to->addr + done, to->len - done, &page, &offset);
		at = kmap_local_page(page);
		err = bytes(pkt, from + done, at + offset, n);
		flush_dcache_page(page);
		kunmap_local(at);
	}
	return err;
}

#endif /* _MRC_TRANSPORT_PLACE_H */
