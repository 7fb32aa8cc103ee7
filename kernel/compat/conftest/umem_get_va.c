// SPDX-License-Identifier: GPL-2.0-only
/* New: the function that pins a program's memory is ib_umem_get_va(). Old: ib_umem_get(). */
#include <linux/module.h>
#include <rdma/ib_umem.h>

struct ib_umem *probe(struct ib_device *device, unsigned long addr)
{
#ifdef PROBE_NEW
	return ib_umem_get_va(device, addr, 1, 0);
#else
	return ib_umem_get(device, addr, 1, 0);
#endif
}
