/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doorbells of users in the kernel are works: such a user may post while it holds locks with interrupts
 * off, or when a completion queue calls it inside our own locks.
 */
#ifndef _MRC_VERBS_BELL_H
#define _MRC_VERBS_BELL_H

struct work_struct;

int mrc_bell_module_init(void);
/** mrc_bell_module_exit() - no work is left */
void mrc_bell_module_exit(void);

/** mrc_bell_ring() - run a work that looks at rings, once more if it runs already. Any context. */
void mrc_bell_ring(struct work_struct *work);

#endif /* _MRC_VERBS_BELL_H */
