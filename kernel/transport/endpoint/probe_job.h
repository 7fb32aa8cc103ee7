/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EV probes that somebody has asked for. They leave as fast as a device may send them; what became
 * of them is told, by MRC_EVENT_PROBED, when all is known or the time is up. Nobody waits.
 */
#ifndef _MRC_TRANSPORT_PROBE_JOB_H
#define _MRC_TRANSPORT_PROBE_JOB_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "../../core/paths/ev.h"
#include "ask.h"

struct mrc_raw_probe;

/* Of a device, at a time. */
#define MRC_PROBE_JOBS_MAX	64u

/**
 * struct mrc_probe_job - probes of EVs to one peer, or raw ones
 * @dev: the device, which is there as long as @peer is; of a raw one a reference
 * @peer: a reference; NULL: they are raw
 * @raw: their ways; NULL: they are not
 * @id: of the job, never 0, unique among those of a device for 2^32 of them
 * @count: elements of @result
 * @result: one per probe, also of those never sent; @ev and @port are filled in before it starts
 * @next: element of @result to be sent next
 * @batch: what ask.c fills; names @result
 * @deadline: in jiffies, of the answer
 * @send_until: in jiffies: what is sent later would have too little time
 * @list: of the device's jobs: whoever takes it out frees it
 * @work: sends, and ends it
 */
struct mrc_probe_job {
	struct mrc_dev *dev;
	struct mrc_peer *peer;
	struct mrc_raw_probe *raw;
	u32 id;
	unsigned int count;
	struct mrc_ask_result result[MRC_EV_MAX];
	unsigned int next;
	struct mrc_ask_batch batch;
	unsigned long deadline;
	unsigned long send_until;
	struct list_head list;
	struct delayed_work work;
};

/**
 * struct mrc_probe_jobs - those of a device
 * @lock: guards the others; nothing is taken inside
 * @list: of struct mrc_probe_job
 * @count: elements of @list
 * @last_id: of the job that was started last
 * @closed: the device goes: no more are started
 */
struct mrc_probe_jobs {
	struct mutex lock;
	struct list_head list;
	unsigned int count;
	u32 last_id;
	bool closed;
};

/** mrc_probe_jobs_init() - Return: 0 or -ENOMEM */
int mrc_probe_jobs_init(struct mrc_dev *dev);
/** mrc_probe_jobs_close() - the device goes: end all, tell what is known. Process context, sleeps. */
void mrc_probe_jobs_close(struct mrc_dev *dev);
/** mrc_probe_jobs_fini() - none is left. Without mrc_probe_jobs_init(), too. */
void mrc_probe_jobs_fini(struct mrc_dev *dev);

/**
 * mrc_probe_job_alloc() - a job without probes
 *
 * Return: NULL when there is no memory; else it has taken over the reference to @peer.
 */
struct mrc_probe_job *mrc_probe_job_alloc(struct mrc_peer *peer);
/**
 * mrc_probe_job_alloc_raw() - a job of raw probes, without them
 * @dev: the device
 * @raw: their ways, taken over when this succeeds
 *
 * Return: NULL when there is no memory.
 */
struct mrc_probe_job *mrc_probe_job_alloc_raw(struct mrc_dev *dev, struct mrc_raw_probe *raw);
/** mrc_probe_job_free() - of one that was not started. Process context. */
void mrc_probe_job_free(struct mrc_probe_job *job);

/**
 * mrc_probe_job_start() - send the probes
 * @job: its @result and @count are filled in
 * @time: jiffies until it is told what became of them; raw ones have a time of their own
 * @id: is set to that of the job
 *
 * One that was denied or removed meanwhile, or could not be sent in time, is not @sent; one whose
 * probe cannot leave this host counts as sent and not answered. A raw one that was not sent has an
 * error, -EBUSY if there was no time. Process context. Return: 0, and the
 * job is not the caller's any more; -EBUSY: there are too many; -ENODEV: the device goes.
 */
int mrc_probe_job_start(struct mrc_probe_job *job, unsigned long time, u32 *id);

#endif /* _MRC_TRANSPORT_PROBE_JOB_H */
