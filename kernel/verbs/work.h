/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work requests. They go from the program's rings into the transport, and come back as completions.
 */
#ifndef _MRC_VERBS_WORK_H
#define _MRC_VERBS_WORK_H

struct mrc_qp_ops;

/** mrc_work_ops - the functions that the transport calls */
extern const struct mrc_qp_ops mrc_work_ops;

#endif /* _MRC_VERBS_WORK_H */
