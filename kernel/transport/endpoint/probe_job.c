// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe jobs: EV probes on request.
 */
#include <linux/bottom_half.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "../../core/base/timing.h"
#include "../device/event.h"
#include "peers.h"
#include "probe_job.h"
#include "raw_probe.h"

/* Raw probes that have not left after so many jiffies do not leave at all. */
#define MRC_PROBE_JOB_RAW_TIME	HZ

/* ---- sending ---------------------------------------------------------------- */

/* Index of an EV in @evs, which may be a newer version. @hint: likely index, the one before. */
static u16 mrc_probe_job_find(const struct mrc_peer_evs *evs, u16 index, unsigned int hint)
{
	unsigned int i;

	if (hint < evs->paths.count && evs->paths.ev[hint].index == index)
		return hint;
	for (i = 0; i < evs->paths.count; i++)
		if (evs->paths.ev[i].index == index)
			return i;
	return MRC_EV_NONE;
}

/* Return: as mrc_ask_send(), -ENOENT: the EV was denied or removed meanwhile. */
static int mrc_probe_job_send_one(struct mrc_probe_job *job, unsigned int i)
{
	const struct mrc_ask_request request = {
		.op = MRC_EP_EV_PROBE,
		.batch = &job->batch,
		.index = i,
	};
	struct mrc_ask_result *res = &job->result[i];
	struct mrc_peer_evs *evs;
	int err = -ENOENT;
	u16 ev;

	local_bh_disable();
	rcu_read_lock();
	evs = rcu_dereference(job->peer->evs);
	ev = mrc_probe_job_find(evs, res->ev, i);
	if (ev != MRC_EV_NONE && READ_ONCE(evs->paths.set.ev[ev].state) != MRC_EV_DENIED) {
		res->port = evs->paths.set.ev[ev].port;
		err = mrc_ask_send(job->peer, evs, ev, &request);
		/* A probe that cannot leave this host by its EV counts as lost in the network. */
		res->sent = !err || mrc_sent_is_lost(mrc_sent_verdict(err));
	}
	if (!err) {
		spin_lock(&job->peer->lock);
		evs->paths.ev[ev].probed++;
		spin_unlock(&job->peer->lock);
	}
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

static int mrc_probe_job_send_raw(struct mrc_probe_job *job, unsigned int i)
{
	const struct mrc_ask_request request = {
		.op = job->raw->op,
		.port_mask = job->raw->port_mask,
		.batch = &job->batch,
		.index = i,
	};
	struct mrc_ask_result *res = &job->result[i];
	int err;

	local_bh_disable();
	rcu_read_lock();
	/* Set before, because the answer may come before mrc_ask_send_raw() returns. */
	res->sent = true;
	err = mrc_ask_send_raw(job->dev, &job->raw->way[res->to], job->raw->wait, &request);
	if (err)
		res->sent = false;
	res->error = err;
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

/* Return: true: some probes are left, and must be sent later. */
static bool mrc_probe_job_send(struct mrc_probe_job *job)
{
	int err;

	for (; job->next < job->count; job->next++) {
		if (time_after_eq(jiffies, job->send_until))
			break;
		err = job->raw ? mrc_probe_job_send_raw(job, job->next) :
				 mrc_probe_job_send_one(job, job->next);
		/* -ENOENT is no verdict on a packet: the EV is gone. */
		if (err != -ENOENT && mrc_sent_verdict(err) == MRC_SENT_NO_SPACE)
			return true;
		if (err)
			mrc_ask_skip(job->dev, &job->batch);
	}
	/* There was no time for the others. */
	for (; job->next < job->count; job->next++) {
		job->result[job->next].error = -EBUSY;
		mrc_ask_skip(job->dev, &job->batch);
	}
	return false;
}

/* ---- its life ---------------------------------------------------------------- */

static struct mrc_probe_job *mrc_probe_job_of(struct mrc_ask_batch *batch)
{
	return container_of(batch, struct mrc_probe_job, batch);
}

/* Softirq or process context, the lock of dev->asks held. */
static void mrc_probe_job_done(struct mrc_ask_batch *batch)
{
	mrc_dev_hurry(&mrc_probe_job_of(batch)->work);
}

/* Takes the job out of the list. Return: true: the caller has taken it, and must end it. */
static bool mrc_probe_job_take(struct mrc_probe_jobs *jobs, struct mrc_probe_job *job)
{
	bool taken;

	mutex_lock(&jobs->lock);
	taken = !list_empty(&job->list);
	if (taken) {
		list_del_init(&job->list);
		jobs->count--;
	}
	mutex_unlock(&jobs->lock);
	return taken;
}

/* Reports the results and frees the job. No outcome may come in any more. */
static void mrc_probe_job_tell(struct mrc_probe_job *job)
{
	struct mrc_event event = {
		.type = MRC_EVENT_PROBED,
		.dev = job->dev,
		.peer = job->peer,
		.probes = job,
	};

	mrc_event_notify(&event);
	mrc_probe_job_free(job);
}

/* Called by the job's own work, which may have been queued again since it began. */
static void mrc_probe_job_end(struct mrc_probe_job *job)
{
	mrc_ask_detach(job->dev, &job->batch);
	cancel_delayed_work(&job->work);
	mrc_probe_job_tell(job);
}

/*
 * Each probe that was sent is answered or lost within mrc_timing_software.ask. So the job waits
 * until all have their outcome, or for the deadline.
 */
static void mrc_probe_job_work(struct work_struct *work)
{
	struct mrc_probe_job *job =
		container_of(to_delayed_work(work), struct mrc_probe_job, work);
	struct mrc_dev *dev = job->dev;
	unsigned long now = jiffies;

	if (mrc_probe_job_send(job))
		mrc_dev_queue_later(&job->work, 1);
	else if (READ_ONCE(job->batch.left) && time_before(now, job->deadline))
		mrc_dev_queue_later(&job->work, job->deadline - now);
	else if (mrc_probe_job_take(dev->jobs, job))
		mrc_probe_job_end(job);
}

static struct mrc_probe_job *mrc_probe_job_new(struct mrc_dev *dev)
{
	struct mrc_probe_job *job = kzalloc(sizeof(*job), GFP_KERNEL);

	if (!job)
		return NULL;
	job->dev = dev;
	INIT_LIST_HEAD(&job->list);
	INIT_DELAYED_WORK(&job->work, mrc_probe_job_work);
	return job;
}

struct mrc_probe_job *mrc_probe_job_alloc(struct mrc_peer *peer)
{
	struct mrc_probe_job *job = mrc_probe_job_new(peer->dev);

	if (job)
		job->peer = peer;
	return job;
}

struct mrc_probe_job *mrc_probe_job_alloc_raw(struct mrc_dev *dev, struct mrc_raw_probe *raw)
{
	struct mrc_probe_job *job = mrc_probe_job_new(dev);

	if (!job)
		return NULL;
	mrc_dev_get(dev);
	job->raw = raw;
	return job;
}

void mrc_probe_job_free(struct mrc_probe_job *job)
{
	if (job->raw) {
		mrc_raw_probe_free(job->raw);
		mrc_dev_put(job->dev);
	} else {
		mrc_peers_put(job->peer);
	}
	kfree(job);
}

static void mrc_probe_job_set_times(struct mrc_probe_job *job, unsigned long time)
{
	unsigned long wait = nsecs_to_jiffies(mrc_timing_software.ask);

	job->deadline = jiffies + time;
	job->send_until = time >= 2 * wait ? job->deadline - wait : job->deadline;
}

/* All raw probes end by their own timers. The deadline only guards against one that does not. */
static void mrc_probe_job_set_raw_times(struct mrc_probe_job *job)
{
	job->send_until = jiffies + MRC_PROBE_JOB_RAW_TIME;
	job->deadline = job->send_until + nsecs_to_jiffies(job->raw->wait) + HZ;
}

int mrc_probe_job_start(struct mrc_probe_job *job, unsigned long time, u32 *id)
{
	struct mrc_probe_jobs *jobs = job->dev->jobs;
	int err = 0;

	job->batch.left = job->count;
	job->batch.result = job->result;
	job->batch.done = mrc_probe_job_done;
	if (job->raw)
		mrc_probe_job_set_raw_times(job);
	else
		mrc_probe_job_set_times(job, time);
	mutex_lock(&jobs->lock);
	if (jobs->closed) {
		err = -ENODEV;
	} else if (jobs->count == MRC_PROBE_JOBS_MAX) {
		err = -EBUSY;
	} else {
		job->id = ++jobs->last_id ?: ++jobs->last_id;
		*id = job->id;
		list_add_tail(&job->list, &jobs->list);
		jobs->count++;
		mrc_dev_queue_later(&job->work, 0);
	}
	mutex_unlock(&jobs->lock);
	return err;
}

/* ---- all of a device ---------------------------------------------------------- */

int mrc_probe_jobs_init(struct mrc_dev *dev)
{
	dev->jobs = kzalloc(sizeof(*dev->jobs), GFP_KERNEL);
	if (!dev->jobs)
		return -ENOMEM;
	mutex_init(&dev->jobs->lock);
	INIT_LIST_HEAD(&dev->jobs->list);
	return 0;
}

static struct mrc_probe_job *mrc_probe_jobs_first(struct mrc_probe_jobs *jobs)
{
	struct mrc_probe_job *job;

	mutex_lock(&jobs->lock);
	jobs->closed = true;
	job = list_first_entry_or_null(&jobs->list, struct mrc_probe_job, list);
	if (job) {
		list_del_init(&job->list);
		jobs->count--;
	}
	mutex_unlock(&jobs->lock);
	return job;
}

void mrc_probe_jobs_close(struct mrc_dev *dev)
{
	struct mrc_probe_job *job;

	while ((job = mrc_probe_jobs_first(dev->jobs))) {
		/*
		 * A run of the job's work that is under way may still send probes, and queue itself
		 * once more, before it finds the job taken. The second round ends that.
		 */
		mrc_ask_detach(dev, &job->batch);
		cancel_delayed_work_sync(&job->work);
		mrc_ask_detach(dev, &job->batch);
		cancel_delayed_work_sync(&job->work);
		mrc_probe_job_tell(job);
	}
}

void mrc_probe_jobs_fini(struct mrc_dev *dev)
{
	kfree(dev->jobs);
}
