// SPDX-License-Identifier: GPL-2.0-only
/*
 * EV profiles of a device.
 */
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../../net/change.h"
#include "../device/device.h"
#include "ev_profile.h"

struct mrc_ev_profile *mrc_ev_profile_alloc(u16 count)
{
	struct mrc_ev_profile *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);

	if (!p)
		return NULL;
	p->ev = kvcalloc(count, sizeof(*p->ev), GFP_KERNEL_ACCOUNT);
	if (!p->ev && count) {
		kfree(p);
		return NULL;
	}
	p->count = count;
	p->mode = count ? MRC_EV_MODE_EXPLICIT : MRC_EV_MODE_AUTO;
	refcount_set(&p->ref, 1);
	return p;
}

static void mrc_ev_profile_free(struct rcu_head *rcu)
{
	struct mrc_ev_profile *p =
		container_of(rcu, struct mrc_ev_profile, rcu);
	unsigned int i;

	if (p->mode == MRC_EV_MODE_EXPLICIT) {
		for (i = 0; i < p->count; i++)
			if (p->ev[i].path.srh)
				mrc_srh_put(p->ev[i].path.srh);
	}
	kvfree(p->ev);
	kfree(p);
}

void mrc_ev_profile_put(struct mrc_ev_profile *p)
{
	if (refcount_dec_and_test(&p->ref))
		call_rcu(&p->rcu, mrc_ev_profile_free);
}

static struct mrc_ev_profile *mrc_ev_profile_find(struct mrc_dev *dev, u64 id)
{
	struct mrc_ev_profile *p;

	list_for_each_entry_rcu(p, &dev->ev_profiles, list,
				lockdep_is_held(&dev->cfg_lock))
		if (p->id == id)
			return p;
	return NULL;
}

static int mrc_ev_spec_cmp(const void *a, const void *b)
{
	const struct mrc_ev_spec *x = a, *y = b;

	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int mrc_ev_profile_check(const struct mrc_ev_profile *p,
				const struct mrc_change *change)
{
	unsigned int i;

	if (!p->count || p->count > MRC_EV_MAX)
		return mrc_refuse(change, -EINVAL, MRC_A_EV_PROFILE_COUNT,
				  "an EV profile has 1 to 256 EVs");
	if (p->min_active > p->count)
		return mrc_refuse(change, -EINVAL, MRC_A_EV_PROFILE_MIN_ACTIVE,
				  "min-active exceeds the number of EVs");
	if (p->active > p->count)
		return mrc_refuse(change, -EINVAL, MRC_A_EV_PROFILE_ACTIVE,
				  "active exceeds the number of EVs");
	if (!mrc_alias_valid(p->alias))
		return mrc_refuse(change, -EINVAL, MRC_A_EV_PROFILE_ALIAS,
				  "control character in the alias");
	if (p->mode == MRC_EV_MODE_AUTO) {
		if (p->format != MRC_EV_FMT_SRV6)
			return 0;
		return mrc_refuse(change, -EINVAL, MRC_A_EV_PROFILE_FORMAT,
				  "SRv6 EVs cannot be drawn: list them");
	}
	for (i = 0; i < p->count; i++) {
		if (p->ev[i].port && p->ev[i].port <= MRC_PORT_MAX)
			continue;
		return mrc_refuse(change, -EINVAL, MRC_A_EV_PROFILE_EV,
				  "EV port must be 1 to 32");
	}
	return 0;
}

/* Sorts EVs by port; within a port they keep the controller's order. */
static void mrc_ev_profile_finish(struct mrc_ev_profile *p)
{
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		p->ev[i].order = i;
		p->via |= p->ev[i].via;
	}
	sort(p->ev, p->count, sizeof(*p->ev), mrc_ev_spec_cmp, NULL);
}

static void mrc_ev_profile_replace(struct mrc_ev_profile *old, struct mrc_ev_profile *p)
{
	p->version = old->version + 1;
	list_replace_rcu(&old->list, &p->list);
	mrc_ev_profile_put(old);
}

int mrc_ev_profile_publish(struct mrc_dev *dev, struct mrc_ev_profile *p,
			   bool replace, const struct mrc_change *change)
{
	struct mrc_ev_profile *old;
	int err;

	lockdep_assert_held(&dev->cfg_lock);
	err = mrc_ev_profile_check(p, change);
	if (err)
		return err;
	if (p->id == MRC_EV_PROFILE_AUTO && !list_empty(&dev->ev_profiles))
		return mrc_refuse(change, -EPERM, MRC_A_EV_PROFILE_ID,
				  "EV profile 0 is the automatic one and cannot be changed");
	if (p->mode == MRC_EV_MODE_EXPLICIT)
		mrc_ev_profile_finish(p);

	old = mrc_ev_profile_find(dev, p->id);
	if (!old && replace) {
		err = mrc_refuse(change, -ENOENT, MRC_A_EV_PROFILE_ID,
				 "no such EV profile");
	} else if (old && !replace) {
		err = mrc_refuse(change, -EEXIST, MRC_A_EV_PROFILE_ID,
				 "EV profile exists");
	} else if (old) {
		err = mrc_change_claim(change, old->owner, MRC_A_EV_PROFILE_OWNER);
	}
	if (err)
		return err;
	p->owner = mrc_change_owner(change, old ? old->owner : MRC_NL_OWNER_NONE);
	if (old) {
		mrc_ev_profile_replace(old, p);
	} else {
		p->version = dev->ev_version;
		list_add_tail_rcu(&p->list, &dev->ev_profiles);
	}
	return 0;
}

int mrc_ev_profile_del(struct mrc_dev *dev, u64 id,
		       const struct mrc_change *change)
{
	struct mrc_ev_profile *p;
	int err;

	lockdep_assert_held(&dev->cfg_lock);
	if (id == MRC_EV_PROFILE_AUTO)
		return mrc_refuse(change, -EPERM, MRC_A_EV_PROFILE_ID,
				  "EV profile 0 is the automatic one and cannot be deleted");
	p = mrc_ev_profile_find(dev, id);
	if (!p)
		return mrc_refuse(change, -ENOENT, MRC_A_EV_PROFILE_ID,
				  "no such EV profile");
	err = mrc_change_claim(change, p->owner, MRC_A_EV_PROFILE_OWNER);
	if (err)
		return err;
	/* So that nobody who has seen this version takes a later profile with its id for it. */
	dev->ev_version = max(dev->ev_version, p->version + 1);
	list_del_rcu(&p->list);
	mrc_ev_profile_put(p);
	return 0;
}

bool mrc_ev_profile_exists(struct mrc_dev *dev, u64 id)
{
	lockdep_assert_held(&dev->cfg_lock);
	return mrc_ev_profile_find(dev, id);
}

/* Return: false: the profile is being replaced or deleted at this moment: look again. */
static bool mrc_ev_profile_try_get(struct mrc_dev *dev, u64 id, struct mrc_ev_profile **found)
{
	struct mrc_ev_profile *p;

	*found = NULL;
	list_for_each_entry_rcu(p, &dev->ev_profiles, list) {
		if (p->id != id)
			continue;
		if (!refcount_inc_not_zero(&p->ref))
			return false;
		*found = p;
		break;
	}
	return true;
}

struct mrc_ev_profile *mrc_ev_profile_get(struct mrc_dev *dev, u64 id)
{
	struct mrc_ev_profile *p;
	bool sure;

	do {
		rcu_read_lock();
		sure = mrc_ev_profile_try_get(dev, id, &p);
		rcu_read_unlock();
	} while (!sure);
	return p;
}

struct mrc_ev_profile *mrc_ev_profile_next(struct mrc_dev *dev, u64 id)
{
	struct mrc_ev_profile *p, *best = NULL;

	mutex_lock(&dev->cfg_lock);
	list_for_each_entry(p, &dev->ev_profiles, list)
		if (p->id >= id && (!best || p->id < best->id))
			best = p;
	if (best)
		refcount_inc(&best->ref);
	mutex_unlock(&dev->cfg_lock);
	return best;
}

/* ---- single EVs -------------------------------------------------------------- */

/* The profile whose list a request changes, or ERR_PTR. */
static struct mrc_ev_profile *mrc_ev_profile_listed(struct mrc_dev *dev, u64 id,
						    const struct mrc_change *change)
{
	struct mrc_ev_profile *p;
	int err;

	lockdep_assert_held(&dev->cfg_lock);
	p = mrc_ev_profile_find(dev, id);
	if (!p || p->mode != MRC_EV_MODE_EXPLICIT)
		err = mrc_refuse(change, -ENOENT, MRC_A_EV_EV_PROFILE,
				 "no such EV profile with a list of EVs");
	else
		err = mrc_change_claim(change, p->owner, MRC_A_EV_OWNER) ?:
		      mrc_change_version(change, p->version, MRC_A_EV_VERSION);
	return err ? ERR_PTR(err) : p;
}

static int mrc_ev_profile_has(const struct mrc_ev_profile *p, u16 index,
			      const struct mrc_change *change)
{
	if (index < p->count)
		return 0;
	return mrc_refuse(change, -ENOENT, MRC_A_EV_INDEX,
			  "no EV of that index in the profile");
}

int mrc_ev_profile_deny(struct mrc_dev *dev, u64 id, u16 index, bool deny,
			const struct mrc_change *change)
{
	struct mrc_ev_profile *p = mrc_ev_profile_listed(dev, id, change);
	int err;

	if (IS_ERR(p))
		return PTR_ERR(p);
	err = mrc_ev_profile_has(p, index, change);
	if (err)
		return err;
	if (p->ev[index].denied == deny)
		return 0;
	WRITE_ONCE(p->ev[index].denied, deny);
	return 1;
}

static unsigned int mrc_ev_edit_count(const struct mrc_ev_profile *p,
				      const struct mrc_ev_edit *edit)
{
	return p->count + edit->put - edit->take;
}

static int mrc_ev_edit_check(const struct mrc_ev_profile *p, const struct mrc_ev_edit *edit,
			     const struct mrc_change *change)
{
	unsigned int count = mrc_ev_edit_count(p, edit);
	int err = edit->take ? mrc_ev_profile_has(p, edit->index, change) : 0;

	if (err)
		return err;
	if (edit->put && edit->format != p->format)
		return mrc_refuse(change, -ESTALE, MRC_A_EV_EV_PROFILE,
				  "the EV profile has another format now");
	if (!count || count > MRC_EV_MAX)
		return mrc_refuse(change, -EINVAL, MRC_A_EV_EV_PROFILE,
				  "an EV profile has 1 to 256 EVs");
	if (p->min_active > count)
		return mrc_refuse(change, -EINVAL, MRC_A_EV_EV_PROFILE,
				  "min-active would exceed the number of EVs");
	if (p->active > count)
		return mrc_refuse(change, -EINVAL, MRC_A_EV_EV_PROFILE,
				  "active would exceed the number of EVs");
	return 0;
}

/* Copies a profile with the change applied; see struct mrc_ev_edit for the place of a new EV. */
static struct mrc_ev_profile *mrc_ev_edit_copy(const struct mrc_ev_profile *p,
					       const struct mrc_ev_edit *edit)
{
	struct mrc_ev_profile *new = mrc_ev_profile_alloc(mrc_ev_edit_count(p, edit));
	unsigned int i, n = 0, at = p->count;

	if (!new)
		return NULL;
	if (edit->take && p->ev[edit->index].port == edit->ev.port)
		at = edit->index;
	new->id = p->id;
	new->format = p->format;
	new->min_active = p->min_active;
	new->active = p->active;
	new->owner = p->owner;
	memcpy(new->alias, p->alias, sizeof(new->alias));
	for (i = 0; i <= p->count; i++) {
		if (i == at && edit->put)
			new->ev[n++] = edit->ev;
		if (i == p->count || (edit->take && i == edit->index))
			continue;
		new->ev[n] = p->ev[i];
		if (new->ev[n].path.srh)
			mrc_srh_get(new->ev[n].path.srh);
		n++;
	}
	mrc_ev_profile_finish(new);
	return new;
}

struct mrc_ev_profile *mrc_ev_profile_edit(struct mrc_dev *dev, const struct mrc_ev_edit *edit,
					   const struct mrc_change *change)
{
	struct mrc_ev_profile *p = mrc_ev_profile_listed(dev, edit->profile, change), *new;
	int err;

	if (IS_ERR(p))
		return p;
	err = mrc_ev_edit_check(p, edit, change);
	if (err)
		return ERR_PTR(err);
	new = mrc_ev_edit_copy(p, edit);
	if (!new)
		return ERR_PTR(-ENOMEM);
	mrc_ev_profile_replace(p, new);
	return new;
}

int mrc_ev_profiles_init(struct mrc_dev *dev)
{
	const struct mrc_change change = mrc_change_by_kernel(NULL);
	struct mrc_ev_profile *p = mrc_ev_profile_alloc(0);
	int err;

	INIT_LIST_HEAD(&dev->ev_profiles);
	if (!p)
		return -ENOMEM;
	p->id = MRC_EV_PROFILE_AUTO;
	p->format = MRC_EV_FMT_STEV;
	p->count = MRC_EV_AUTO_COUNT;
	p->min_active = MRC_EV_AUTO_COUNT / 4;
	mutex_lock(&dev->cfg_lock);
	err = mrc_ev_profile_publish(dev, p, false, &change);
	mutex_unlock(&dev->cfg_lock);
	if (err)
		mrc_ev_profile_put(p);
	return err;
}

void mrc_ev_profiles_free(struct mrc_dev *dev)
{
	struct mrc_ev_profile *p, *tmp;

	list_for_each_entry_safe(p, tmp, &dev->ev_profiles, list) {
		list_del_rcu(&p->list);
		mrc_ev_profile_put(p);
	}
}
