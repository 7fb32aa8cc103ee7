/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An index tells a peer's EVs apart. When the peer's EVs are replaced, the same index may mean
 * another EV.
 */
#ifndef _MRC_CORE_EV_INDEX_H
#define _MRC_CORE_EV_INDEX_H

/* The most EVs that one peer may have; bounds the tables of each QP. */
#define MRC_EV_MAX	256u
#define MRC_EV_NONE	0xffffu

#endif /* _MRC_CORE_EV_INDEX_H */
