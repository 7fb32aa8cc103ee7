// SPDX-License-Identifier: GPL-2.0-only
/* Who names RDMA devices is told that a name is the user's. */
#include <rdma/ib_verbs.h>

#ifdef PROBE_NEW
void probe(struct ib_device *ib)
{
	ib_mark_name_assigned_by_user(ib);
}
#else
struct nobodys {
	int number;
} ib_mark_name_assigned_by_user;
#endif
