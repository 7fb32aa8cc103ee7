/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work requests: from the program's rings into the transport, and back as
 * completions.
 */
#ifndef _MRC_VERBS_WORK_H
#define _MRC_VERBS_WORK_H

struct mrc_qp_ops;

/** mrc_work_ops - what the transport calls */
extern const struct mrc_qp_ops mrc_work_ops;

#endif /* _MRC_VERBS_WORK_H */
