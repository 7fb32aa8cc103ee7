// SPDX-License-Identifier: GPL-2.0-only
/* New: a driver can mark the name of an RDMA device as the user's. Old: the name is unused. */
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
