// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events for listeners.
 */
#include "event.h"

static ATOMIC_NOTIFIER_HEAD(mrc_event_chain);

int mrc_event_register(struct notifier_block *nb)
{
	return atomic_notifier_chain_register(&mrc_event_chain, nb);
}

void mrc_event_unregister(struct notifier_block *nb)
{
	atomic_notifier_chain_unregister(&mrc_event_chain, nb);
}

void mrc_event_notify(struct mrc_event *event)
{
	atomic_notifier_call_chain(&mrc_event_chain, event->type, event);
}
