// SPDX-License-Identifier: GPL-2.0-only
/*
 * The configuration of a device. A table is changed, and peers and listeners are told, under one
 * lock. So all see changes in the order in which they were made.
 */
#include "../../net/change.h"
#include "config.h"
#include "../device/device.h"
#include "../device/event.h"
#include "../endpoint/peers.h"

/* Raises an event in the context of the task that sent the request, because the event names it. */
static void mrc_config_tell(struct mrc_dev *dev, struct mrc_event event)
{
	lockdep_assert_held(&dev->cfg_lock);
	event.dev = dev;
	event.asked = true;
	mrc_event_notify(&event);
}

int mrc_config_set_ev_profile(struct mrc_dev *dev, struct mrc_ev_profile *p, bool replace,
			      const struct mrc_change *change)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_ev_profile_publish(dev, p, replace, change);
	/* Even if it is a new profile: peers may still have EVs of a deleted one with its id. */
	if (!err)
		mrc_peers_refresh(dev, p->id, false);
	if (!err)
		mrc_config_tell(dev, (struct mrc_event) {
			.type = MRC_EVENT_EV_PROFILE,
			.ev_profile = p,
		});
	mutex_unlock(&dev->cfg_lock);
	return err;
}

/* Is the profile unused? An id that cannot be deleted for another reason is refused later. */
static int mrc_config_ev_profile_unused(struct mrc_dev *dev, u64 id,
					const struct mrc_change *change)
{
	if (id == MRC_EV_PROFILE_AUTO)
		return 0;
	if (mrc_routes_name_ev_profile(dev, id))
		return mrc_refuse(change, -EBUSY, MRC_A_EV_PROFILE_ID,
				  "a route uses this EV profile");
	if (mrc_peers_use_ev_profile(dev, id))
		return mrc_refuse(change, -EBUSY, MRC_A_EV_PROFILE_ID,
				  "QPs use this EV profile");
	return 0;
}

int mrc_config_del_ev_profile(struct mrc_dev *dev, u64 id, const struct mrc_change *change)
{
	const struct mrc_ev_profile gone = { .id = id };
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_config_ev_profile_unused(dev, id, change) ?:
	      mrc_ev_profile_del(dev, id, change);
	if (!err)
		mrc_config_tell(dev, (struct mrc_event) {
			.type = MRC_EVENT_EV_PROFILE,
			.ev_profile = &gone,
			.gone = true,
		});
	mutex_unlock(&dev->cfg_lock);
	return err;
}

/* Raises an event only if the EV was not denied, or allowed, already. */
int mrc_config_deny_ev(struct mrc_dev *dev, u64 id, u16 index, bool deny,
		       const struct mrc_change *change)
{
	struct mrc_ev_profile *p;
	int changed;

	mutex_lock(&dev->cfg_lock);
	changed = mrc_ev_profile_deny(dev, id, index, deny, change);
	if (changed >= 0)
		mrc_peers_deny(dev, id, index, deny);
	p = changed > 0 ? mrc_ev_profile_get(dev, id) : NULL;
	if (p) {
		mrc_config_tell(dev, (struct mrc_event) {
			.type = MRC_EVENT_PROFILE_EV,
			.ev_profile = p,
			.ev = index,
		});
		mrc_ev_profile_put(p);
	}
	mutex_unlock(&dev->cfg_lock);
	return min(changed, 0);
}

int mrc_config_edit_ev(struct mrc_dev *dev, const struct mrc_ev_edit *edit,
		       const struct mrc_change *change)
{
	struct mrc_ev_profile *p;

	mutex_lock(&dev->cfg_lock);
	p = mrc_ev_profile_edit(dev, edit, change);
	if (!IS_ERR(p)) {
		mrc_peers_refresh(dev, p->id, false);
		mrc_config_tell(dev, (struct mrc_event) {
			.type = MRC_EVENT_EV_PROFILE,
			.ev_profile = p,
		});
	}
	mutex_unlock(&dev->cfg_lock);
	return PTR_ERR_OR_ZERO(p);
}

int mrc_config_set_cc_profile(struct mrc_dev *dev, struct mrc_cc_profile *p, bool replace,
			      const struct mrc_change *change)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_cc_profile_set(dev, p, replace, change);
	if (!err)
		mrc_config_tell(dev, (struct mrc_event) {
			.type = MRC_EVENT_CC_PROFILE,
			.cc_profile = p,
		});
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_del_cc_profile(struct mrc_dev *dev, u64 id, const struct mrc_change *change)
{
	const struct mrc_cc_profile gone = { .id = id };
	int err;

	mutex_lock(&dev->cfg_lock);
	if (id != MRC_CC_PROFILE_DEFAULT && mrc_routes_name_cc_profile(dev, id)) {
		err = mrc_refuse(change, -EBUSY, MRC_A_CC_PROFILE_ID,
				 "a route uses this CC profile");
	} else {
		err = mrc_cc_profile_del(dev, id, change);
	}
	if (!err)
		mrc_config_tell(dev, (struct mrc_event) {
			.type = MRC_EVENT_CC_PROFILE,
			.cc_profile = &gone,
			.gone = true,
		});
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_add_route(struct mrc_dev *dev, struct mrc_route *route, bool replace,
			 const struct mrc_change *change)
{
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_route_add(dev, route, replace, change);
	if (!err) {
		mrc_peers_rerouted(dev, &route->key.prefix, route->key.plen);
		mrc_config_tell(dev, (struct mrc_event) {
			.type = MRC_EVENT_ROUTE,
			.route = route,
		});
	}
	mutex_unlock(&dev->cfg_lock);
	return err;
}

int mrc_config_del_route(struct mrc_dev *dev, const struct mrc_route_key *key,
			 const struct mrc_change *change)
{
	const struct mrc_route gone = { .key = *key };
	int err;

	mutex_lock(&dev->cfg_lock);
	err = mrc_route_del(dev, key, change);
	if (!err) {
		mrc_peers_rerouted(dev, &key->prefix, key->plen);
		mrc_config_tell(dev, (struct mrc_event) {
			.type = MRC_EVENT_ROUTE,
			.route = &gone,
			.gone = true,
		});
	}
	mutex_unlock(&dev->cfg_lock);
	return err;
}
