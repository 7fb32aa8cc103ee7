/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probe jobs: EV probes that a request of the family "mrc" asks for. The probes leave as fast as
 * the device may send them. MRC_EVENT_PROBED reports the results when all are known, or when the
 * time is up. The requester does not block.
 */
#ifndef _MRC_TRANSPORT_PROBE_JOB_H
#define _MRC_TRANSPORT_PROBE_JOB_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "../../core/paths/ev.h"
#include "ask.h"

struct mrc_raw_probe;

/* At most so many jobs of a device at a time. */
#define MRC_PROBE_JOBS_MAX	64u

/**
 * struct mrc_probe_job - probes of EVs to one peer, or raw probes
 * @dev: the device, kept by @peer; of a job of raw probes, a reference
 * @peer: a reference; NULL: the probes are raw
 * @raw: ways of raw probes; NULL: the probes are not raw
 * @id: of the job; never 0; a device repeats one only after 2^32 jobs
 * @count: elements of @result
 * @result: one per probe, even if never sent; @ev and @port are filled in before the job starts
 * @next: index in @result of the probe that is sent next
 * @batch: ask.c fills it; points to @result
 * @deadline: jiffies: when the results are reported at the latest
 * @send_until: jiffies: probes that are sent later would have too little time for an answer
 * @list: in the device's jobs; the code that takes the job out frees it
 * @work: sends the probes, and ends the job
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
 * struct mrc_probe_jobs - the probe jobs of a device
 * @lock: protects all other members; no lock is taken under it
 * @list: of struct mrc_probe_job
 * @count: elements of @list
 * @last_id: id of the job that was started last
 * @closed: the device goes: no job is started any more
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
/** mrc_probe_jobs_close() - end all jobs and report what is known. Process context, sleeps. */
void mrc_probe_jobs_close(struct mrc_dev *dev);
/** mrc_probe_jobs_fini() - no job is left; mrc_probe_jobs_init() may not have run */
void mrc_probe_jobs_fini(struct mrc_dev *dev);

/**
 * mrc_probe_job_alloc() - make a job without probes
 *
 * Return: the job, which takes over the reference to @peer, or NULL when there is no memory.
 */
struct mrc_probe_job *mrc_probe_job_alloc(struct mrc_peer *peer);
/**
 * mrc_probe_job_alloc_raw() - make a job for raw probes, which are to be filled in
 * @dev: the device
 * @raw: ways of the probes, taken over when this succeeds
 *
 * Return: NULL when there is no memory.
 */
struct mrc_probe_job *mrc_probe_job_alloc_raw(struct mrc_dev *dev, struct mrc_raw_probe *raw);
/** mrc_probe_job_free() - free a job that was not started. Process context. */
void mrc_probe_job_free(struct mrc_probe_job *job);

/**
 * mrc_probe_job_start() - send the probes
 * @job: its @result and @count are filled in
 * @time: jiffies until the results are reported at the latest; raw probes have a time of their own
 * @id: gets the id of the job
 *
 * A probe is not @sent if its EV was denied or removed meanwhile, or if there was no time to send
 * it. A probe that cannot leave this host by its EV counts as sent and not answered. A raw probe
 * that was not sent has an error, -EBUSY if there was no time. Process context. Return: 0: the job
 * does not belong to the caller any more; -EBUSY: there are too many jobs; -ENODEV: the device
 * goes.
 */
int mrc_probe_job_start(struct mrc_probe_job *job, unsigned long time, u32 *id);

#endif /* _MRC_TRANSPORT_PROBE_JOB_H */
