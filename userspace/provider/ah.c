/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address handles. */
#include <errno.h>
#include <stdlib.h>

#include "provider.h"

struct mrc_create_ah_answer {
	struct ib_uverbs_create_ah_resp core;
	struct mrc_create_ah_resp mrc;
};
_Static_assert(offsetof(struct mrc_create_ah_answer, mrc) ==
		       sizeof(struct ib_uverbs_create_ah_resp),
	       "padding in a response");

struct ibv_ah *mrc_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct mrc_create_ah_answer answer = {};
	struct mrc_uah *ah;
	int err = EOPNOTSUPP;

	if (!(to_mrc_ucontext(pd->context)->features & MRC_FEATURE_UD)) {
		errno = err;
		return NULL;
	}
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	err = ibv_cmd_create_ah(pd, &ah->base, attr, &answer.core, sizeof(answer));
	if (err) {
		free(ah);
		errno = err;
		return NULL;
	}
	ah->number = answer.mrc.number;
	return &ah->base;
}

int mrc_destroy_ah(struct ibv_ah *ah)
{
	int err = ibv_cmd_destroy_ah(ah);

	if (!err)
		free(to_mrc_uah(ah));
	return err;
}
