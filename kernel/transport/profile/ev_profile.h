/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EV profiles of a device: numbered sets of EVs. The list of a published profile does not change: a
 * change publishes a new version, and peers move over to it.
 */
#ifndef _MRC_TRANSPORT_EV_PROFILE_H
#define _MRC_TRANSPORT_EV_PROFILE_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "../../net/path.h"
#include "alias.h"

struct mrc_change;
struct mrc_dev;

/* The automatic profile that every device has; it cannot be changed or deleted. */
#define MRC_EV_PROFILE_AUTO	0ull
/* EVs of the automatic profile, over all planes together (the MRC paper, section 2.1). */
#define MRC_EV_AUTO_COUNT	128u

/* Drawn EVs use source ports from here on: the system and RoCE use lower ports for other things. */
#define MRC_EV_SPORT_BASE	0xc000u

/** enum mrc_ev_format - format of EV values; numbers are uapi (MRC_EV_FORMAT_*) */
enum mrc_ev_format {
	MRC_EV_FMT_STEV	= 0,	/* 4 bytes: source port and flow label */
	MRC_EV_FMT_SRV6	= 1,	/* outer destination, or a segment list, or a kernel table */
	MRC_EV_FMT_UDP	= 2,	/* 2 bytes: source port only */
};

/** enum mrc_ev_mode - where the EVs of a profile come from; numbers are uapi */
enum mrc_ev_mode {
	MRC_EV_MODE_AUTO	= 0,	/* drawn by the device, and spread over its planes */
	MRC_EV_MODE_EXPLICIT	= 1,	/* a list */
};

/**
 * struct mrc_ev_spec - one EV of an explicit profile
 * @port: 1..MRC_PORT_MAX; the plane need not exist yet
 * @denied: taken out by the controller
 * @via: @path is MRC_PATH_SID and ends at a switch; the uSID of the route to the peer is appended
 * @order: private to sorting
 * @value: STEV and UDP: EV bits (UDP: bits 31:16)
 * @path: SRV6: the path
 */
struct mrc_ev_spec {
	u8 port;
	bool denied;
	bool via;
	u16 order;
	u32 value;
	struct mrc_path_cfg path;
};

/**
 * struct mrc_ev_profile - a numbered set of EVs
 * @id: 64-bit number, unique on the device
 * @version: grows with each change of @id on this device, even if it is deleted and added again
 * @format: of all values
 * @mode: auto or explicit
 * @via: some EVs depend on the uSID of the route to the peer
 * @min_active: EVs per peer that stay usable however many are lost, spares included
 * @active: EVs per peer in rotation at a time, over all planes; 0: all
 * @count: elements of @ev; mode auto: EVs to draw
 * @owner: enum mrc_nl_owner, or another controller's number
 * @alias: name for people, or empty
 * @ev: explicit mode only; grouped by port ascending
 */
struct mrc_ev_profile {
	struct list_head list;	/* dev->ev_profiles */
	u64 id;
	u32 version;
	enum mrc_ev_format format;
	enum mrc_ev_mode mode;
	bool via;
	u16 min_active;
	u16 active;
	u16 count;
	u8 owner;
	char alias[MRC_ALIAS_MAX + 1];
	refcount_t ref;
	struct rcu_head rcu;
	struct mrc_ev_spec *ev;
};

/**
 * mrc_ev_profile_alloc() - make an unpublished profile with room for @count EVs
 *
 * Its mode is explicit, or automatic when @count is 0.
 *
 * Return: a reference or NULL. The caller fills it and publishes or puts it.
 */
struct mrc_ev_profile *mrc_ev_profile_alloc(u16 count);
void mrc_ev_profile_put(struct mrc_ev_profile *p);

/**
 * mrc_ev_profile_publish() - make a profile known under its id
 * @dev: the device
 * @p: consumed on success; its EVs get sorted by port
 * @replace: the id must exist already; false: the id must not exist yet
 * @change: names the owner, and gets the reason for a refusal
 *
 * dev->cfg_lock held. Return: 0, -EEXIST, -ENOENT, -EINVAL, -ESTALE (it belongs to another owner).
 */
int mrc_ev_profile_publish(struct mrc_dev *dev, struct mrc_ev_profile *p,
			   bool replace, const struct mrc_change *change);

/**
 * mrc_ev_profile_del() - delete a profile that no route names and no QP uses
 *
 * dev->cfg_lock held. Return: 0, -ENOENT, -EPERM for the automatic one, -ESTALE (it belongs to
 * another owner).
 */
int mrc_ev_profile_del(struct mrc_dev *dev, u64 id,
		       const struct mrc_change *change);

/** mrc_ev_profile_exists() - is there a profile with this id? dev->cfg_lock held. */
bool mrc_ev_profile_exists(struct mrc_dev *dev, u64 id);

/** mrc_ev_profile_get() - get a reference to a profile, or NULL. Any context. */
struct mrc_ev_profile *mrc_ev_profile_get(struct mrc_dev *dev, u64 id);

/**
 * mrc_ev_profile_next() - get a reference to the profile with the lowest id >= @id, or NULL.
 * Process context.
 */
struct mrc_ev_profile *mrc_ev_profile_next(struct mrc_dev *dev, u64 id);

/**
 * mrc_ev_profile_deny() - deny or readmit one EV of a profile for future peers
 * @dev: the device
 * @id: profile
 * @index: EV in the profile's order
 * @deny: deny it; false: readmit it
 * @change: gets the reason for a refusal
 *
 * dev->cfg_lock held. Return: 1; 0: nothing has changed; -ENOENT, -ESTALE (the profile belongs to
 * another owner, or has another version).
 */
int mrc_ev_profile_deny(struct mrc_dev *dev, u64 id, u16 index, bool deny,
			const struct mrc_change *change);

/**
 * struct mrc_ev_edit - a change of one EV in the list of a profile
 * @profile: id of the profile
 * @take: remove the EV of @index
 * @put: add @ev: in the place of the removed EV if both have the same port, else behind the last EV
 *       of its port
 * @index: in the profile's order
 * @format: the format that @ev was parsed in
 * @ev: the new EV; the profile takes over its reference to a segment list
 */
struct mrc_ev_edit {
	u64 profile;
	bool take;
	bool put;
	u16 index;
	enum mrc_ev_format format;
	struct mrc_ev_spec ev;
};

/**
 * mrc_ev_profile_edit() - make a new version of a profile, with one EV added, removed or replaced
 * @dev: the device
 * @edit: the change of the list
 * @change: gets the reason for a refusal
 *
 * dev->cfg_lock held. Return: the new version, whose reference belongs to the device's list; or
 * ERR_PTR: -ENOENT, -ESTALE (the profile belongs to another owner, or has another version or
 * format), -EINVAL (too many EVs, or too few), -ENOMEM.
 */
struct mrc_ev_profile *mrc_ev_profile_edit(struct mrc_dev *dev, const struct mrc_ev_edit *edit,
					   const struct mrc_change *change);

int mrc_ev_profiles_init(struct mrc_dev *dev);
void mrc_ev_profiles_free(struct mrc_dev *dev);

#endif /* _MRC_TRANSPORT_EV_PROFILE_H */
