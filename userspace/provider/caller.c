/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

#include "caller.h"

/* Beginnings of the libraries' file names. */
static const char *const mrc_unfit[] = { "mca_btl_openib.so" };

/* A caller that opens the device through librdmacm, as libfabric does, is nine frames away. */
#define MRC_CALLER_FRAMES	16

struct mrc_walk {
	int frames;
	bool found;
};

static bool mrc_is_unfit(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(mrc_unfit) / sizeof(*mrc_unfit); i++)
		if (!strncmp(name, mrc_unfit[i], strlen(mrc_unfit[i])))
			return true;
	return false;
}

static _Unwind_Reason_Code mrc_look_at_frame(struct _Unwind_Context *frame, void *arg)
{
	struct mrc_walk *walk = arg;
	Dl_info object;

	walk->found = dladdr((void *)_Unwind_GetIP(frame), &object) && object.dli_fname &&
		      mrc_is_unfit(object.dli_fname);
	return walk->found || ++walk->frames == MRC_CALLER_FRAMES ? _URC_END_OF_STACK :
								    _URC_NO_REASON;
}

bool mrc_caller_wants_more(void)
{
	struct mrc_walk walk = {};

	_Unwind_Backtrace(mrc_look_at_frame, &walk);
	return walk.found;
}
