/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts and protection domains. A program that opens the device gets a context, which knows its
 * user. A protection domain is a mere identity here.
 */
#ifndef _MRC_VERBS_CONTEXT_H
#define _MRC_VERBS_CONTEXT_H

#include <rdma/ib_verbs.h>

struct mrc_user;

/**
 * struct mrc_ib_ucontext - a program's context
 * @ib: the core's part
 * @user: the user who opened the device: a reference, on which all objects of the context rely
 */
struct mrc_ib_ucontext {
	struct ib_ucontext ib;
	struct mrc_user *user;
};

/**
 * struct mrc_ib_pd - a protection domain; its address is its identity
 * @ib: the core's part
 * @user: the user it belongs to; NULL: the kernel
 */
struct mrc_ib_pd {
	struct ib_pd ib;
	struct mrc_user *user;
};

/** mrc_udata_user() - the user who sent a request; NULL: the kernel did. Process context. */
struct mrc_user *mrc_udata_user(struct ib_udata *udata);

/**
 * mrc_udata_check() - check that the program's library asks only for what this module knows
 * @udata: the library's request; NULL: the user is in the kernel
 * @room: bytes that the library must have for the answer
 *
 * Process context. Return: 0, -EOPNOTSUPP (a user in the kernel, or a library that asks for more
 * than this module knows), -EINVAL (the library has not enough room).
 */
int mrc_udata_check(struct ib_udata *udata, size_t room);

/**
 * mrc_udata_answer() - send an answer, as much of it as a library of this age has room for
 *
 * Process context. Return: 0 or -EFAULT.
 */
int mrc_udata_answer(struct ib_udata *udata, void *answer, size_t size);

/* Device operations. */
int mrc_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata);
void mrc_dealloc_ucontext(struct ib_ucontext *uctx);
void mrc_disassociate_ucontext(struct ib_ucontext *uctx);
int mrc_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int mrc_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);

#endif /* _MRC_VERBS_CONTEXT_H */
