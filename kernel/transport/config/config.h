/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration of a device: EV profiles, CC profiles and routes. A change also updates the
 * peers that exist.
 *
 * All functions run in process context, in the task that sent a request of the family "mrc", and
 * take dev->cfg_lock.
 */
#ifndef _MRC_TRANSPORT_CONFIG_H
#define _MRC_TRANSPORT_CONFIG_H

#include "../profile/cc_profile.h"
#include "../profile/ev_profile.h"
#include "../profile/route.h"

/**
 * mrc_config_set_ev_profile() - add an EV profile or, with @replace, replace the one with its id
 *
 * Peers that use the id take the new EVs at once; traffic goes on. Return: as
 * mrc_ev_profile_publish().
 */
int mrc_config_set_ev_profile(struct mrc_dev *dev, struct mrc_ev_profile *p, bool replace,
			      const struct mrc_change *change);
/**
 * mrc_config_del_ev_profile() - delete an EV profile that is not in use
 *
 * Return: as mrc_ev_profile_del(); -EBUSY: a route names it, or a QP in RTR or RTS has it.
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
 * mrc_config_edit_ev() - add, remove or replace one EV of a profile, for all peers
 *
 * The other EVs keep their state. Return: 0 or the error of mrc_ev_profile_edit().
 */
int mrc_config_edit_ev(struct mrc_dev *dev, const struct mrc_ev_edit *edit,
		       const struct mrc_change *change);

/** mrc_config_set_cc_profile() - set it for future QPs. Return: as mrc_cc_profile_set() */
int mrc_config_set_cc_profile(struct mrc_dev *dev, struct mrc_cc_profile *p, bool replace,
			      const struct mrc_change *change);
/** mrc_config_del_cc_profile() - Return: as mrc_cc_profile_del(); -EBUSY: a route names it */
int mrc_config_del_cc_profile(struct mrc_dev *dev, u64 id, const struct mrc_change *change);

/**
 * mrc_config_add_route() - add or replace a route; the EVs of existing peers take its uSID
 *
 * Return: as mrc_route_add().
 */
int mrc_config_add_route(struct mrc_dev *dev, struct mrc_route *route, bool replace,
			 const struct mrc_change *change);
/** mrc_config_del_route() - delete a route; EVs follow. Return: as mrc_route_del() */
int mrc_config_del_route(struct mrc_dev *dev, const struct mrc_route_key *key,
			 const struct mrc_change *change);

#endif /* _MRC_TRANSPORT_CONFIG_H */
