// SPDX-License-Identifier: GPL-2.0-only
#include <linux/workqueue.h>

#include "bell.h"

static struct workqueue_struct *mrc_bell_wq;

/* Storage waits for this queue while it frees memory. */
int mrc_bell_module_init(void)
{
	mrc_bell_wq = alloc_workqueue("mrc_bell", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return mrc_bell_wq ? 0 : -ENOMEM;
}

void mrc_bell_module_exit(void)
{
	destroy_workqueue(mrc_bell_wq);
}

void mrc_bell_ring(struct work_struct *work)
{
	queue_work(mrc_bell_wq, work);
}
