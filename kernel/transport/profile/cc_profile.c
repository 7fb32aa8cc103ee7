// SPDX-License-Identifier: GPL-2.0-only
/*
 * CC profiles of a device.
 */
#include <linux/rculist.h>
#include <linux/slab.h>

#include "../../core/wire/wire.h"
#include "../../net/change.h"
#include "cc_profile.h"
#include "../device/device.h"

const char * const mrc_cc_algorithm_names[MRC_CC_ALGORITHMS] = {
	[MRC_CC_NONE] = "none",
	[MRC_CC_NSCC] = "nscc",
};

static struct mrc_cc_profile *mrc_cc_profile_find(struct mrc_dev *dev, u64 id)
{
	struct mrc_cc_profile *p;

	list_for_each_entry_rcu(p, &dev->cc_profiles, list,
				lockdep_is_held(&dev->cfg_lock))
		if (p->id == id)
			return p;
	return NULL;
}

static int mrc_cc_profile_check(const struct mrc_cc_profile *p,
				const struct mrc_change *change)
{
	if (p->id == MRC_CC_PROFILE_DEFAULT)
		return mrc_refuse(change, -EPERM, MRC_A_CC_PROFILE_ID,
				  "CC profile 0 is built in and cannot be changed");
	if (p->params.algorithm >= MRC_CC_ALGORITHMS)
		return mrc_refuse(change, -EOPNOTSUPP, MRC_A_CC_PROFILE_ALGORITHM,
				  "unknown congestion-control algorithm");
	if (p->params.algorithm == MRC_CC_NONE &&
	    (p->window < MRC_CC_WINDOW_MIN || p->window > MRC_CC_WINDOW_MAX))
		return mrc_refuse(change, -ERANGE, MRC_A_CC_PROFILE_WINDOW,
				  "window must be 8 KiB to 256 MiB");
	if (!mrc_alias_valid(p->alias))
		return mrc_refuse(change, -EINVAL, MRC_A_CC_PROFILE_ALIAS,
				  "control character in the alias");
	return 0;
}

/* Fills in all settings that are not set, except those of each connection. */
static void mrc_cc_profile_complete(struct mrc_dev *dev, struct mrc_cc_profile *p)
{
	const u64 per_mbps = 1000000 / BITS_PER_BYTE;

	if (p->params.algorithm == MRC_CC_NONE)
		p->params.max_cwnd = p->window;
	p->links_rate = p->links_rate || !p->params.rate;
	if (p->links_rate)
		p->params.rate = clamp_t(u64, mrc_planes_mbps(&dev->planes) * per_mbps,
					 MRC_CC_RATE_MIN, MRC_CC_RATE_MAX);
}

int mrc_cc_profile_set(struct mrc_dev *dev, struct mrc_cc_profile *p,
		       bool replace, const struct mrc_change *change)
{
	struct mrc_cc_profile *old, *new;
	int err;

	lockdep_assert_held(&dev->cfg_lock);
	err = mrc_cc_profile_check(p, change);
	if (err)
		return err;
	mrc_cc_profile_complete(dev, p);
	new = kmemdup(p, sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	old = mrc_cc_profile_find(dev, p->id);
	if (!old && replace) {
		err = mrc_refuse(change, -ENOENT, MRC_A_CC_PROFILE_ID,
				 "no such CC profile");
	} else if (old && !replace) {
		err = mrc_refuse(change, -EEXIST, MRC_A_CC_PROFILE_ID,
				 "CC profile exists");
	} else if (old) {
		err = mrc_change_claim(change, old->owner, MRC_A_CC_PROFILE_OWNER);
	}
	if (err) {
		kfree(new);
		return err;
	}
	new->owner = mrc_change_owner(change, old ? old->owner : MRC_NL_OWNER_NONE);
	p->owner = new->owner;
	if (old) {
		list_replace_rcu(&old->list, &new->list);
		kfree_rcu(old, rcu);
	} else {
		list_add_tail_rcu(&new->list, &dev->cc_profiles);
	}
	return 0;
}

int mrc_cc_profile_del(struct mrc_dev *dev, u64 id,
		       const struct mrc_change *change)
{
	struct mrc_cc_profile *p;
	int err;

	lockdep_assert_held(&dev->cfg_lock);
	if (id == MRC_CC_PROFILE_DEFAULT)
		return mrc_refuse(change, -EPERM, MRC_A_CC_PROFILE_ID,
				  "CC profile 0 is built in and cannot be deleted");
	p = mrc_cc_profile_find(dev, id);
	if (!p)
		return mrc_refuse(change, -ENOENT, MRC_A_CC_PROFILE_ID,
				  "no such CC profile");
	err = mrc_change_claim(change, p->owner, MRC_A_CC_PROFILE_OWNER);
	if (err)
		return err;
	list_del_rcu(&p->list);
	kfree_rcu(p, rcu);
	return 0;
}

bool mrc_cc_profile_get(struct mrc_dev *dev, u64 id,
			struct mrc_cc_profile *out)
{
	struct mrc_cc_profile *p;

	rcu_read_lock();
	p = mrc_cc_profile_find(dev, id);
	if (p)
		*out = *p;
	rcu_read_unlock();
	if (p)
		mrc_cc_profile_complete(dev, out);
	return p;
}

bool mrc_cc_profile_next(struct mrc_dev *dev, u64 id,
			 struct mrc_cc_profile *out)
{
	struct mrc_cc_profile *p, *best = NULL;

	mutex_lock(&dev->cfg_lock);
	list_for_each_entry(p, &dev->cc_profiles, list)
		if (p->id >= id && (!best || p->id < best->id))
			best = p;
	if (best)
		*out = *best;
	mutex_unlock(&dev->cfg_lock);
	if (best)
		mrc_cc_profile_complete(dev, out);
	return best;
}

bool mrc_cc_profile_derive(struct mrc_dev *dev, const struct mrc_cc_profile *p, u32 *mtu,
			   struct mrc_cc_derived *d)
{
	struct mrc_cc_params params = p->params;

	if (params.algorithm != MRC_CC_NSCC || !params.base_rtt_ns)
		return false;
	params.mtu = MRC_NOMINAL_OUTSIDE + MRC_WRITE_HDR_MAX + mrc_dev_mtu(dev) + MRC_ICRC_LEN;
	*mtu = params.mtu;
	mrc_cc_derive(&params, &mrc_timing_software, params.base_rtt_ns, 1, 1, d);
	return true;
}

int mrc_cc_profiles_init(struct mrc_dev *dev)
{
	struct mrc_cc_profile *p = kzalloc(sizeof(*p), GFP_KERNEL);

	INIT_LIST_HEAD(&dev->cc_profiles);
	if (!p)
		return -ENOMEM;
	p->id = MRC_CC_PROFILE_DEFAULT;
	p->params.algorithm = MRC_CC_NSCC;
	p->params.gamma = MRC_CC_GAMMA_DEFAULT;
	p->params.max_md_jump = MRC_CC_MD_JUMP_DEFAULT;
	p->params.qa_gate = MRC_CC_QA_GATE_DEFAULT;
	p->owner = MRC_NL_OWNER_KERNEL;
	list_add_rcu(&p->list, &dev->cc_profiles);
	return 0;
}

void mrc_cc_profiles_free(struct mrc_dev *dev)
{
	struct mrc_cc_profile *p, *tmp;

	list_for_each_entry_safe(p, tmp, &dev->cc_profiles, list) {
		list_del_rcu(&p->list);
		kfree_rcu(p, rcu);
	}
}
