/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EV profiles of a device: numbered sets of EVs. A profile's list is immutable once
 * published: a change publishes a new version and peers move over to it.
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

/* The automatic profile every device has; cannot be changed or deleted. */
#define MRC_EV_PROFILE_AUTO	0ull
/* EVs of the automatic profile, over all planes together (the MRC paper, section 2.1). */
#define MRC_EV_AUTO_COUNT	128u

/* EVs that are drawn stay out of the ports that the system and RoCE know for something else. */
#define MRC_EV_SPORT_BASE	0xc000u

/** enum mrc_ev_format - format of EV values; numbers are uapi (MRC_EV_FORMAT_*) */
enum mrc_ev_format {
	MRC_EV_FMT_STEV	= 0,	/* 4 bytes: source port and flow label */
	MRC_EV_FMT_SRV6	= 1,	/* outer destination, or a segment list, or a kernel table */
	MRC_EV_FMT_UDP	= 2,	/* 2 bytes: source port only */
};

/** enum mrc_ev_mode - where the EVs of a profile come from; numbers are uapi */
enum mrc_ev_mode {
	MRC_EV_MODE_AUTO	= 0,	/* drawn by the device, spread over its planes */
	MRC_EV_MODE_EXPLICIT	= 1,	/* a list */
};

/**
 * struct mrc_ev_spec - one EV of an explicit profile
 * @port: 1..MRC_PORT_MAX; the plane need not exist yet
 * @denied: taken out by the controller
 * @via: @path is MRC_PATH_SID and ends at a switch; it goes on to the route's uSID
 * @order: private to sorting
 * @value: STEV and UDP: EV bits (UDP: bits 31:16)
 * @path: SRV6: how packets go
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
 * @version: grows with each change of @id on this device, also if it is deleted and added again
 * @format: of all values
 * @mode: auto or explicit
 * @via: some EVs depend on the uSID of the route to the peer
 * @min_active: EVs per peer that stay usable whatever is lost, spares among them
 * @active: EVs per peer in rotation at a time, over all planes; 0: all
 * @count: elements of @ev; mode auto: EVs to draw
 * @owner: enum mrc_nl_owner or a number behind it
 * @alias: what people call it by, or empty
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
 * mrc_ev_profile_alloc() - an unpublished profile with room for @count EVs
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
 * @p: consumed on success; EVs are sorted by port here
 * @replace: the id must exist already (otherwise it must not)
 * @change: names the owner, and is told why not
 *
 * dev->cfg_lock held. Return: 0, -EEXIST, -ENOENT, -EINVAL, -ESTALE (it belongs to another owner).
 */
int mrc_ev_profile_publish(struct mrc_dev *dev, struct mrc_ev_profile *p,
			   bool replace, const struct mrc_change *change);

/**
 * mrc_ev_profile_del() - no route names it and no QP uses it
 *
 * dev->cfg_lock held. Return: 0, -ENOENT, -EPERM for the automatic one, -ESTALE (it belongs to
 * another owner).
 */
int mrc_ev_profile_del(struct mrc_dev *dev, u64 id,
		       const struct mrc_change *change);

/** mrc_ev_profile_exists() - dev->cfg_lock held */
bool mrc_ev_profile_exists(struct mrc_dev *dev, u64 id);

/** mrc_ev_profile_get() - reference or NULL. Any context. */
struct mrc_ev_profile *mrc_ev_profile_get(struct mrc_dev *dev, u64 id);

/**
 * mrc_ev_profile_next() - reference to the profile with the lowest id >= @id, or NULL. Process
 * context.
 */
struct mrc_ev_profile *mrc_ev_profile_next(struct mrc_dev *dev, u64 id);

/**
 * mrc_ev_profile_deny() - deny or readmit one EV of a profile for peers to come
 * @dev: the device
 * @id: profile
 * @index: EV in the profile's order
 * @deny: or readmit
 * @change: is told why not
 *
 * dev->cfg_lock held. Return: 1, 0 (it was so already), -ENOENT, -ESTALE (the profile belongs to
 * another owner or is of another version).
 */
int mrc_ev_profile_deny(struct mrc_dev *dev, u64 id, u16 index, bool deny,
			const struct mrc_change *change);

/**
 * struct mrc_ev_edit - a change of one EV in the list of a profile
 * @profile: its id
 * @take: the EV of @index goes
 * @put: @ev comes: in the place of the one that goes when their ports are the same, else last of
 *       its port
 * @index: in the profile's order
 * @format: that @ev was read in
 * @ev: the profile takes over its reference to a segment list
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
 * mrc_ev_profile_edit() - a new version of a profile, with one EV more, less or another
 * @dev: the device
 * @edit: what is to be changed
 * @change: is told why not
 *
 * dev->cfg_lock held. Return: the new version, the list's reference; or ERR_PTR: -ENOENT, -ESTALE
 * (it belongs to another owner, is of another version or format), -EINVAL (too many EVs, or too
 * few), -ENOMEM.
 */
struct mrc_ev_profile *mrc_ev_profile_edit(struct mrc_dev *dev, const struct mrc_ev_edit *edit,
					   const struct mrc_change *change);

int mrc_ev_profiles_init(struct mrc_dev *dev);
void mrc_ev_profiles_free(struct mrc_dev *dev);

#endif /* _MRC_TRANSPORT_EV_PROFILE_H */
