// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is configured on a device: a table changes and peers are told in one step.
 */
#include "../net/asked.h"
#include "config.h"
#include "device.h"
#include "peers.h"

int mrc_config_set_ev_profile(struct mrc_dev *dev, struct mrc_ev_profile *p, bool replace,
			      const struct mrc_asked *asked)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_ev_profile_publish(dev, p, replace, asked);
	if (!err && replace)
		mrc_peers_refresh(dev, p->id, false);
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_del_ev_profile(struct mrc_dev *dev, u64 id, const struct mrc_asked *asked)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	if (id != MRC_EV_PROFILE_AUTO && mrc_routes_name_ev_profile(dev, id)) {
		err = mrc_refuse(asked, -EBUSY, MRC_A_EV_PROFILE_ID,
				 "a route uses this EV profile");
	} else {
		err = mrc_ev_profile_del(dev, id, asked);
	}
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_deny_ev(struct mrc_dev *dev, u64 id, u16 index, bool deny,
		       const struct mrc_asked *asked)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_ev_profile_deny(dev, id, index, deny, asked);
	if (!err)
		mrc_peers_deny(dev, id, index, deny);
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_set_cc_profile(struct mrc_dev *dev, const struct mrc_cc_profile *p, bool replace,
			      const struct mrc_asked *asked)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_cc_profile_set(dev, p, replace, asked);
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_del_cc_profile(struct mrc_dev *dev, u64 id, const struct mrc_asked *asked)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	if (id != MRC_CC_PROFILE_DEFAULT && mrc_routes_name_cc_profile(dev, id)) {
		err = mrc_refuse(asked, -EBUSY, MRC_A_CC_PROFILE_ID,
				 "a route uses this CC profile");
	} else {
		err = mrc_cc_profile_del(dev, id, asked);
	}
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_add_route(struct mrc_dev *dev, const struct mrc_route *route, bool replace,
			 const struct mrc_asked *asked)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_route_add(dev, route, replace, asked);
	if (!err)
		mrc_peers_rerouted(dev, &route->key.prefix, route->key.plen);
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_del_route(struct mrc_dev *dev, const struct mrc_route_key *key,
			 const struct mrc_asked *asked)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_route_del(dev, key, asked);
	if (!err)
		mrc_peers_rerouted(dev, &key->prefix, key->plen);
	mutex_unlock(&dev->cfg_lock);
	return err;
}
