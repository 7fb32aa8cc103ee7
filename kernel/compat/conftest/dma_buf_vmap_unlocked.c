// SPDX-License-Identifier: GPL-2.0-only
/* New: a function of its own maps a dma-buf whose reservation is not held. Old: there is one function. */
#include <linux/dma-buf.h>

#ifdef PROBE_NEW
int probe(struct dma_buf *buf, struct iosys_map *map);
int probe(struct dma_buf *buf, struct iosys_map *map)
{
	return dma_buf_vmap_unlocked(buf, map);
}
#else
int dma_buf_vmap_unlocked(void);
#endif
