/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a program gets when it opens the device: its context, which knows whose it is, and
 * protection domains, which are mere identities here.
 */
#ifndef _MRC_VERBS_CONTEXT_H
#define _MRC_VERBS_CONTEXT_H

#include <rdma/ib_verbs.h>

struct mrc_user;

/**
 * struct mrc_ib_ucontext - a program's context
 * @ib: the core's part
 * @user: who opened the device; a reference, which all objects of the context rely on
 */
struct mrc_ib_ucontext {
	struct ib_ucontext ib;
	struct mrc_user *user;
};

/**
 * struct mrc_ib_pd - a protection domain; its address is its identity
 * @ib: the core's part
 * @user: whose; NULL: the kernel's
 */
struct mrc_ib_pd {
	struct ib_pd ib;
	struct mrc_user *user;
};

/** mrc_udata_user() - whose request it is; NULL: the kernel's. Process context. */
struct mrc_user *mrc_udata_user(struct ib_udata *udata);

/**
 * mrc_udata_check() - does the program's library ask for what this module knows?
 * @udata: what it has sent; NULL: the user is in the kernel
 * @room: bytes that it must have for the answer
 *
 * Process context. Return: 0, -EOPNOTSUPP (a user in the kernel, or a library that sends more than
 * there is to be asked for), -EINVAL (no room).
 */
int mrc_udata_check(struct ib_udata *udata, size_t room);

/** mrc_udata_answer() - as much of an answer as a library of this age has room for. As above. */
int mrc_udata_answer(struct ib_udata *udata, void *answer, size_t size);

/* Device operations. */
int mrc_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata);
void mrc_dealloc_ucontext(struct ib_ucontext *uctx);
void mrc_disassociate_ucontext(struct ib_ucontext *uctx);
int mrc_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int mrc_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);

#endif /* _MRC_VERBS_CONTEXT_H */
