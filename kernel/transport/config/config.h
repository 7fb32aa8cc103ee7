/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is configured on a device, EV profiles, CC profiles and routes, and what follows from a
 * change for the peers that there are.
 *
 * All in process context, that of who sent a request of the family "mrc"; all take dev->cfg_lock.
 */
#ifndef _MRC_TRANSPORT_CONFIG_H
#define _MRC_TRANSPORT_CONFIG_H

#include "../profile/cc_profile.h"
#include "../profile/ev_profile.h"
#include "../profile/route.h"

/**
 * mrc_config_set_ev_profile() - make a profile known under its id
 *
 * Peers that use the id take the new EVs at once; traffic goes on. Return: as of
 * mrc_ev_profile_publish().
 */
int mrc_config_set_ev_profile(struct mrc_dev *dev, struct mrc_ev_profile *p, bool replace,
			      const struct mrc_change *change);
/**
 * mrc_config_del_ev_profile() - delete a profile that nobody uses
 *
 * Return: as of mrc_ev_profile_del(), -EBUSY: a route names it, or a QP in RTR or RTS has it.
 */
int mrc_config_del_ev_profile(struct mrc_dev *dev, u64 id, const struct mrc_change *change);
/**
 * mrc_config_deny_ev() - deny or readmit one EV of a profile for all peers
 *
 * Return: 0 or the error of mrc_ev_profile_deny().
 */
int mrc_config_deny_ev(struct mrc_dev *dev, u64 id, u16 index, bool deny,
		       const struct mrc_change *change);
/**
 * mrc_config_edit_ev() - one EV of a profile more, less, or another in its place, for all peers
 *
 * What is known of the other EVs stays. Return: 0 or the error of mrc_ev_profile_edit().
 */
int mrc_config_edit_ev(struct mrc_dev *dev, const struct mrc_ev_edit *edit,
		       const struct mrc_change *change);

/** mrc_config_set_cc_profile() - for QPs to come. Return: as of mrc_cc_profile_set() */
int mrc_config_set_cc_profile(struct mrc_dev *dev, struct mrc_cc_profile *p, bool replace,
			      const struct mrc_change *change);
/** mrc_config_del_cc_profile() - Return: as of mrc_cc_profile_del(), -EBUSY: a route names it */
int mrc_config_del_cc_profile(struct mrc_dev *dev, u64 id, const struct mrc_change *change);

/**
 * mrc_config_add_route() - a route, also for peers that there are: their EVs follow its uSID
 *
 * Return: as of mrc_route_add().
 */
int mrc_config_add_route(struct mrc_dev *dev, struct mrc_route *route, bool replace,
			 const struct mrc_change *change);
/** mrc_config_del_route() - the same. Return: as of mrc_route_del() */
int mrc_config_del_route(struct mrc_dev *dev, const struct mrc_route_key *key,
			 const struct mrc_change *change);

#endif /* _MRC_TRANSPORT_CONFIG_H */
