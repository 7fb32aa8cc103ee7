// SPDX-License-Identifier: GPL-2.0-only
/*
 * EV probes that somebody has asked for.
 */
#include <linux/bottom_half.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "../../core/base/timing.h"
#include "../device/event.h"
#include "peers.h"
#include "probe_order.h"
#include "raw_probe.h"

/* Raw probes that have not left by then do not leave at all, in jiffies. */
#define MRC_PROBE_ORDER_RAW_TIME	HZ

/* ---- sending ---------------------------------------------------------------- */

/* Index of an EV in @evs, which may be a newer version. @hint: its index before, mostly right. */
static u16 mrc_probe_order_find(const struct mrc_peer_evs *evs, u16 index, unsigned int hint)
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
static int mrc_probe_order_send_one(struct mrc_probe_order *order, unsigned int i)
{
	const struct mrc_ask_request request = {
		.op = MRC_EP_EV_PROBE,
		.batch = &order->batch,
		.index = i,
	};
	struct mrc_ask_result *res = &order->result[i];
	struct mrc_peer_evs *evs;
	int err = -ENOENT;
	u16 ev;

	local_bh_disable();
	rcu_read_lock();
	evs = rcu_dereference(order->peer->evs);
	ev = mrc_probe_order_find(evs, res->ev, i);
	if (ev != MRC_EV_NONE && READ_ONCE(evs->paths.set.ev[ev].state) != MRC_EV_DENIED) {
		res->port = evs->paths.set.ev[ev].port;
		err = mrc_ask_send(order->peer, evs, ev, &request);
		/* What cannot leave this host by its EV is lost like what is lost beyond. */
		res->sent = !err || mrc_sent_is_lost(mrc_sent_verdict(err));
	}
	if (!err) {
		spin_lock(&order->peer->lock);
		evs->paths.ev[ev].probed++;
		spin_unlock(&order->peer->lock);
	}
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

static int mrc_probe_order_send_raw(struct mrc_probe_order *order, unsigned int i)
{
	const struct mrc_ask_request request = {
		.op = order->raw->op,
		.port_mask = order->raw->port_mask,
		.batch = &order->batch,
		.index = i,
	};
	struct mrc_ask_result *res = &order->result[i];
	int err;

	local_bh_disable();
	rcu_read_lock();
	/* It may be answered before this returns. */
	res->sent = true;
	err = mrc_ask_send_raw(order->dev, &order->raw->way[res->to], order->raw->wait, &request);
	if (err)
		res->sent = false;
	res->error = err;
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

/* Return: what is left is to be sent later. */
static bool mrc_probe_order_send(struct mrc_probe_order *order)
{
	int err;

	for (; order->next < order->count; order->next++) {
		if (time_after_eq(jiffies, order->send_until))
			break;
		err = order->raw ? mrc_probe_order_send_raw(order, order->next) :
				   mrc_probe_order_send_one(order, order->next);
		/* An EV that is gone is no packet that was not sent. */
		if (err != -ENOENT && mrc_sent_verdict(err) == MRC_SENT_NO_SPACE)
			return true;
		if (err)
			mrc_ask_skip(order->dev, &order->batch);
	}
	/* Those that there was no time for. */
	for (; order->next < order->count; order->next++) {
		order->result[order->next].error = -EBUSY;
		mrc_ask_skip(order->dev, &order->batch);
	}
	return false;
}

/* ---- its life ---------------------------------------------------------------- */

static struct mrc_probe_order *mrc_probe_order_of(struct mrc_ask_batch *batch)
{
	return container_of(batch, struct mrc_probe_order, batch);
}

/* Softirq or process context, the lock of dev->asks held. */
static void mrc_probe_order_done(struct mrc_ask_batch *batch)
{
	mrc_dev_hurry(&mrc_probe_order_of(batch)->work);
}

/* Whoever takes it out ends it. Return: this one does. */
static bool mrc_probe_order_take(struct mrc_probe_orders *orders, struct mrc_probe_order *order)
{
	bool taken;

	mutex_lock(&orders->lock);
	taken = !list_empty(&order->list);
	if (taken) {
		list_del_init(&order->list);
		orders->count--;
	}
	mutex_unlock(&orders->lock);
	return taken;
}

/* Nothing is heard of it any more. */
static void mrc_probe_order_tell(struct mrc_probe_order *order)
{
	struct mrc_event event = {
		.type = MRC_EVENT_PROBED,
		.dev = order->dev,
		.peer = order->peer,
		.probes = order,
	};

	mrc_event_notify(&event);
	mrc_probe_order_free(order);
}

/* In its own work: it may have been queued again since that began. */
static void mrc_probe_order_end(struct mrc_probe_order *order)
{
	mrc_ask_detach(order->dev, &order->batch);
	cancel_delayed_work(&order->work);
	mrc_probe_order_tell(order);
}

/*
 * What is sent is answered or lost in mrc_timing_software.ask, so there is no use in waiting longer
 * than for that or the deadline.
 */
static void mrc_probe_order_work(struct work_struct *work)
{
	struct mrc_probe_order *order =
		container_of(to_delayed_work(work), struct mrc_probe_order, work);
	struct mrc_dev *dev = order->dev;
	unsigned long now = jiffies;

	if (mrc_probe_order_send(order))
		mrc_dev_queue_later(&order->work, 1);
	else if (READ_ONCE(order->batch.left) && time_before(now, order->deadline))
		mrc_dev_queue_later(&order->work, order->deadline - now);
	else if (mrc_probe_order_take(dev->orders, order))
		mrc_probe_order_end(order);
}

static struct mrc_probe_order *mrc_probe_order_new(struct mrc_dev *dev)
{
	struct mrc_probe_order *order = kzalloc(sizeof(*order), GFP_KERNEL);

	if (!order)
		return NULL;
	order->dev = dev;
	INIT_LIST_HEAD(&order->list);
	INIT_DELAYED_WORK(&order->work, mrc_probe_order_work);
	return order;
}

struct mrc_probe_order *mrc_probe_order_alloc(struct mrc_peer *peer)
{
	struct mrc_probe_order *order = mrc_probe_order_new(peer->dev);

	if (order)
		order->peer = peer;
	return order;
}

struct mrc_probe_order *mrc_probe_order_alloc_raw(struct mrc_dev *dev, struct mrc_raw_probe *raw)
{
	struct mrc_probe_order *order = mrc_probe_order_new(dev);

	if (!order)
		return NULL;
	mrc_dev_get(dev);
	order->raw = raw;
	return order;
}

void mrc_probe_order_free(struct mrc_probe_order *order)
{
	if (order->raw) {
		mrc_raw_probe_free(order->raw);
		mrc_dev_put(order->dev);
	} else {
		mrc_peers_put(order->peer);
	}
	kfree(order);
}

static void mrc_probe_order_set_times(struct mrc_probe_order *order, unsigned long time)
{
	unsigned long wait = nsecs_to_jiffies(mrc_timing_software.ask);

	order->deadline = jiffies + time;
	order->send_until = time >= 2 * wait ? order->deadline - wait : order->deadline;
}

/* All of them end by their own timers: the deadline is there for none that does not. */
static void mrc_probe_order_set_raw_times(struct mrc_probe_order *order)
{
	order->send_until = jiffies + MRC_PROBE_ORDER_RAW_TIME;
	order->deadline = order->send_until + nsecs_to_jiffies(order->raw->wait) + HZ;
}

int mrc_probe_order_start(struct mrc_probe_order *order, unsigned long time, u32 *id)
{
	struct mrc_probe_orders *orders = order->dev->orders;
	int err = 0;

	order->batch.left = order->count;
	order->batch.result = order->result;
	order->batch.done = mrc_probe_order_done;
	if (order->raw)
		mrc_probe_order_set_raw_times(order);
	else
		mrc_probe_order_set_times(order, time);
	mutex_lock(&orders->lock);
	if (orders->closed) {
		err = -ENODEV;
	} else if (orders->count == MRC_PROBE_ORDERS_MAX) {
		err = -EBUSY;
	} else {
		order->id = ++orders->last_id ?: ++orders->last_id;
		*id = order->id;
		list_add_tail(&order->list, &orders->list);
		orders->count++;
		mrc_dev_queue_later(&order->work, 0);
	}
	mutex_unlock(&orders->lock);
	return err;
}

/* ---- all of a device ---------------------------------------------------------- */

int mrc_probe_orders_init(struct mrc_dev *dev)
{
	dev->orders = kzalloc(sizeof(*dev->orders), GFP_KERNEL);
	if (!dev->orders)
		return -ENOMEM;
	mutex_init(&dev->orders->lock);
	INIT_LIST_HEAD(&dev->orders->list);
	return 0;
}

static struct mrc_probe_order *mrc_probe_orders_first(struct mrc_probe_orders *orders)
{
	struct mrc_probe_order *order;

	mutex_lock(&orders->lock);
	orders->closed = true;
	order = list_first_entry_or_null(&orders->list, struct mrc_probe_order, list);
	if (order) {
		list_del_init(&order->list);
		orders->count--;
	}
	mutex_unlock(&orders->lock);
	return order;
}

void mrc_probe_orders_close(struct mrc_dev *dev)
{
	struct mrc_probe_order *order;

	while ((order = mrc_probe_orders_first(dev->orders))) {
		/*
		 * A run of its work that is under way finds it taken, but may send and wait once
		 * more before: that ends with the second detach.
		 */
		mrc_ask_detach(dev, &order->batch);
		cancel_delayed_work_sync(&order->work);
		mrc_ask_detach(dev, &order->batch);
		cancel_delayed_work_sync(&order->work);
		mrc_probe_order_tell(order);
	}
}

void mrc_probe_orders_fini(struct mrc_dev *dev)
{
	kfree(dev->orders);
}
