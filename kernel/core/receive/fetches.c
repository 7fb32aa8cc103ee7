// SPDX-License-Identifier: GPL-2.0-only
#include "fetches.h"
#include "../base/psn.h"

static struct mrc_fetch *mrc_fetches_at(struct mrc_fetches *s, u32 n)
{
	return &s->fetch[(s->head + n) % MRC_READS_MAX];
}

int mrc_fetches_add(struct mrc_fetches *s, u32 psn, u8 opcode, const struct mrc_write *head)
{
	u32 at = s->count;

	if (at == MRC_READS_MAX)
		return -ENOSPC;
	for (; at > s->executed && mrc_psn_diff(psn, mrc_fetches_at(s, at - 1)->psn) < 0; at--)
		*mrc_fetches_at(s, at) = *mrc_fetches_at(s, at - 1);
	*mrc_fetches_at(s, at) = (struct mrc_fetch){
		.va = head->va,
		.value = head->value,
		.compare = head->compare,
		.psn = psn,
		.first_psn = head->rdeth,
		.rkey = head->rkey,
		.len = head->dmalen,
		.msn = head->msn,
		.opcode = opcode,
	};
	s->count++;
	return 0;
}

struct mrc_fetch *mrc_fetches_due(struct mrc_fetches *s, u32 psn)
{
	struct mrc_fetch *fetch = mrc_fetches_at(s, s->executed);

	return s->executed < s->count && fetch->psn == psn ? fetch : NULL;
}

struct mrc_fetch *mrc_fetches_oldest(struct mrc_fetches *s)
{
	return s->executed ? mrc_fetches_at(s, 0) : NULL;
}

void mrc_fetches_pop(struct mrc_fetches *s)
{
	s->head = (s->head + 1) % MRC_READS_MAX;
	s->count--;
	s->executed--;
}
