// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which CRC-32 is fastest depends on the machine: carry-less multiplication on real hardware,
 * folding by shifts under emulation. So all are timed once, as the RAID code times its checksums.
 */
#define pr_fmt(fmt) "mrc: " fmt

#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "crc.h"

#define MRC_CRC_TRIAL_LEN	4096u
#define MRC_CRC_TRIALS		8u
#define MRC_CRC_TRIAL_CALLS	16u
/* A piece shorter than this is computed by the table: the set-up of the driver would cost more. */
#define MRC_CRC_SHORT		128u
/* A whole message shorter than this is not folded, for the same reason. */
#define MRC_CRC_FOLD_MIN	(MRC_CRC_FOLD_LEN + 24)

static struct crypto_shash *mrc_crc_tfm;
static DEFINE_STATIC_KEY_FALSE(mrc_crc_accel);
static DEFINE_STATIC_KEY_FALSE(mrc_crc_folds);

static u32 mrc_crc_table(u32 crc, const void *data, unsigned int len)
{
	return crc32_le(crc, data, len);
}

static u32 mrc_crc_by_fold(u32 crc, const void *data, unsigned int len)
{
	struct mrc_crc_fold f;

	if (len < MRC_CRC_FOLD_MIN)
		return crc32_le(crc, data, len);
	mrc_crc_fold_begin(&f, crc, len);
	mrc_crc_fold_add(&f, data, len);
	len = mrc_crc_fold_end(&f);
	return crc32_le(0, f.keep, len);
}

/* The state of the crypto API's "crc32" is the bare CRC: no complement at either end. */
static u32 mrc_crc_shash(u32 crc, const void *data, unsigned int len)
{
	char room[sizeof(struct shash_desc) + sizeof(u32)]
		__aligned(__alignof__(struct shash_desc));
	struct shash_desc *desc = (struct shash_desc *)room;
	u32 *state = shash_desc_ctx(desc);

	desc->tfm = mrc_crc_tfm;
	*state = crc;
	if (unlikely(crypto_shash_update(desc, data, len)))
		return crc32_le(crc, data, len);
	return *state;
}

void mrc_crc_begin(struct mrc_crc *c, u32 crc, unsigned int len)
{
	c->crc = crc;
	c->folds = static_branch_likely(&mrc_crc_folds) && len >= MRC_CRC_FOLD_MIN;
	if (c->folds)
		mrc_crc_fold_begin(&c->fold, crc, len);
}

void mrc_crc_add(struct mrc_crc *c, const void *data, unsigned int len)
{
	if (c->folds)
		mrc_crc_fold_add(&c->fold, data, len);
	else if (static_branch_likely(&mrc_crc_accel) && len >= MRC_CRC_SHORT)
		c->crc = mrc_crc_shash(c->crc, data, len);
	else
		c->crc = mrc_crc_table(c->crc, data, len);
}

u32 mrc_crc_end(struct mrc_crc *c)
{
	unsigned int len;

	if (!c->folds)
		return c->crc;
	len = mrc_crc_fold_end(&c->fold);
	return mrc_crc_table(0, c->fold.keep, len);
}

const char *mrc_crc_name(void)
{
	if (static_key_enabled(&mrc_crc_accel))
		return crypto_shash_driver_name(mrc_crc_tfm);
	return static_key_enabled(&mrc_crc_folds) ? "fold" : "crc32_le";
}

/* Best of several trials, in MB/s; 0 when there is nothing to measure. */
static u64 mrc_crc_speed(u32 (*fn)(u32, const void *, unsigned int),
			 const u8 *buf)
{
	const u64 bytes = 1000ull * MRC_CRC_TRIAL_LEN * MRC_CRC_TRIAL_CALLS;
	u64 start, best = U64_MAX;
	unsigned int trial, i;
	u32 crc = ~0u;

	for (trial = 0; trial < MRC_CRC_TRIALS; trial++) {
		local_bh_disable();
		start = ktime_get_ns();
		for (i = 0; i < MRC_CRC_TRIAL_CALLS; i++)
			crc = fn(crc, buf, MRC_CRC_TRIAL_LEN);
		/* crc32_le() is pure: keep it between the two clock reads. */
		barrier_data(&crc);
		best = min(best, ktime_get_ns() - start);
		local_bh_enable();
	}
	return div64_u64(bytes, max(best, 1ull));
}

/* A driver whose state means something else must not be used. */
static bool mrc_crc_same(u32 (*fn)(u32, const void *, unsigned int),
			 const u8 *buf)
{
	static const u16 len[] = { 1, 63, 64, 255, 4093, MRC_CRC_TRIAL_LEN };
	unsigned int i;
	u32 seed;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		seed = get_random_u32();
		if (fn(seed, buf, len[i]) != mrc_crc_table(seed, buf, len[i]))
			return false;
	}
	return true;
}

static void mrc_crc_choose(const u8 *buf)
{
	u64 table = mrc_crc_speed(mrc_crc_table, buf), fold = 0, shash = 0;

	if (!WARN_ON_ONCE(!mrc_crc_same(mrc_crc_by_fold, buf)))
		fold = mrc_crc_speed(mrc_crc_by_fold, buf);
	if (mrc_crc_tfm && crypto_shash_descsize(mrc_crc_tfm) == sizeof(u32) &&
	    mrc_crc_same(mrc_crc_shash, buf))
		shash = mrc_crc_speed(mrc_crc_shash, buf);
	if (shash > max(table, fold))
		static_branch_enable(&mrc_crc_accel);
	else if (fold > table)
		static_branch_enable(&mrc_crc_folds);
	pr_info("icrc: crc32_le %llu MB/s, fold %llu MB/s, %s %llu MB/s, using %s\n",
		table, fold, mrc_crc_tfm ? crypto_shash_driver_name(mrc_crc_tfm) :
		"no crypto driver", shash, mrc_crc_name());
}

/**
 * mrc_crc_module_init() - time the implementations and choose one
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM; a missing crypto driver is no error.
 */
int mrc_crc_module_init(void)
{
	u8 *buf = kmalloc(MRC_CRC_TRIAL_LEN, GFP_KERNEL);

	if (!buf)
		return -ENOMEM;
	get_random_bytes(buf, MRC_CRC_TRIAL_LEN);
	mrc_crc_tfm = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(mrc_crc_tfm))
		mrc_crc_tfm = NULL;
	mrc_crc_choose(buf);
	kfree(buf);
	return 0;
}

/** mrc_crc_module_exit() - nobody may be computing a CRC any more */
void mrc_crc_module_exit(void)
{
	static_branch_disable(&mrc_crc_accel);
	static_branch_disable(&mrc_crc_folds);
	if (mrc_crc_tfm)
		crypto_free_shash(mrc_crc_tfm);
	mrc_crc_tfm = NULL;
}
