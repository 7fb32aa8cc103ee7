// SPDX-License-Identifier: GPL-2.0-only
#include "reads.h"
#include "../base/psn.h"
#include "rx_window.h"

void mrc_reads_add(struct mrc_reads *s, const struct mrc_read *read, u32 mtu)
{
	struct mrc_read *to = s->read;

	while (to->used)
		to++;
	*to = *read;
	to->packets = read->atomic ? 1 : max(DIV_ROUND_UP(read->len, mtu), 1u);
	to->placed = 0;
	to->begun = false;
	to->used = true;
	s->count++;
}

static struct mrc_read *mrc_reads_of(struct mrc_reads *s, u16 msn)
{
	u32 i;

	for (i = 0; i < MRC_READS_MAX; i++)
		if (s->read[i].used && s->read[i].msn == msn)
			return &s->read[i];
	return NULL;
}

struct mrc_read *mrc_reads_find(struct mrc_reads *s, const struct mrc_rx_arrival *a, u32 mtu)
{
	struct mrc_read *read = mrc_reads_of(s, (u16)a->head->rdeth);
	u32 first = mrc_psn_add(a->psn, -(s32)(a->offset / mtu));

	if (!read || read->len != a->dmalen || read->atomic != !!(a->opflags & MRC_OPF_ATOMIC))
		return NULL;
	if (!read->begun) {
		read->begun = true;
		read->psn = first;
	}
	return read->psn == first ? read : NULL;
}

bool mrc_reads_placed(struct mrc_reads *s, const struct mrc_rx_arrival *a)
{
	struct mrc_read *read = mrc_reads_of(s, (u16)a->head->rdeth);

	if (!read || ++read->placed < read->packets)
		return false;
	read->used = false;
	s->count--;
	s->arrived[s->arrivals++] = read->index;
	return true;
}

bool mrc_reads_take(struct mrc_reads *s, u32 *index)
{
	if (!s->arrivals)
		return false;
	*index = s->arrived[--s->arrivals];
	return true;
}
