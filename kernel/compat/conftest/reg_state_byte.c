// SPDX-License-Identifier: GPL-2.0-only
/* New: the state of a netdev is a byte. Old: it is a bit-field, of an enum without a name. */
#include <linux/netdevice.h>

#ifdef PROBE_NEW
enum netdev_reg_state probe(const struct net_device *dev)
{
	return READ_ONCE(dev->reg_state);
}
#else
enum netdev_reg_state {
	NOBODYS,
};
#endif
