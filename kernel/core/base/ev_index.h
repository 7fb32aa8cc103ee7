/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A peer's EVs are told apart by an index. It means another EV when the peer's EVs are replaced.
 */
#ifndef _MRC_CORE_EV_INDEX_H
#define _MRC_CORE_EV_INDEX_H

/* EVs that one peer may have in use; bounds the per-QP tables. */
#define MRC_EV_MAX	256u
#define MRC_EV_NONE	0xffffu

#endif /* _MRC_CORE_EV_INDEX_H */
