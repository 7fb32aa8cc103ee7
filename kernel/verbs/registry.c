// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of all devices, and what happens to a device when:
 *
 * anchor unregistered or moved	the device is unregistered, in a work (RTNL is held)
 * namespace deleted		the devices anchored in it are unregistered first
 * anchor or plane changes	programs get an event if the port state has changed
 * device renamed		the transport gets the new name (this file is an RDMA client)
 */
#include <linux/netdevice.h>
#include <linux/wait.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "../transport/device/event.h"
#include "device.h"
#include "port.h"
#include "registry.h"

static LIST_HEAD(mrc_ibdevs);
static DEFINE_SPINLOCK(mrc_ibdevs_lock);	/* BH off; inside all transport locks */
static DECLARE_WAIT_QUEUE_HEAD(mrc_ibdevs_wait);

void mrc_registry_add(struct mrc_ibdev *m)
{
	spin_lock_bh(&mrc_ibdevs_lock);
	list_add_tail(&m->list, &mrc_ibdevs);
	spin_unlock_bh(&mrc_ibdevs_lock);
}

void mrc_registry_del(struct mrc_ibdev *m)
{
	spin_lock_bh(&mrc_ibdevs_lock);
	list_del(&m->list);
	spin_unlock_bh(&mrc_ibdevs_lock);
	wake_up_all(&mrc_ibdevs_wait);
}

/* Sends programs an event if the port has come up or gone down. Under mrc_ibdevs_lock. */
static void mrc_port_update(struct mrc_ibdev *m)
{
	struct ib_event event = {
		.device = &m->ib,
		.element.port_num = 1,
	};
	enum ib_port_state state = mrc_port_state(m->dev);

	if (!m->registered || state == m->state)
		return;
	m->state = state;
	event.event = state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE :
						IB_EVENT_PORT_ERR;
	ib_dispatch_event(&event);
}

/* Finds the device by its transport part or by its anchor. */
static void mrc_ports_update(const struct mrc_dev *dev,
			     const struct net_device *anchor)
{
	struct mrc_ibdev *m;

	spin_lock_bh(&mrc_ibdevs_lock);
	list_for_each_entry(m, &mrc_ibdevs, list)
		if (m->dev == dev || m->dev->anchor == anchor)
			mrc_port_update(m);
	spin_unlock_bh(&mrc_ibdevs_lock);
}

static int mrc_transport_event(struct notifier_block *nb, unsigned long type,
			       void *data)
{
	const struct mrc_event *event = data;

	if (event->type == MRC_EVENT_PLANE)
		mrc_ports_update(event->dev, NULL);
	return NOTIFY_OK;
}

static struct notifier_block mrc_transport_nb = {
	.notifier_call = mrc_transport_event,
};

static int mrc_netdev_event(struct notifier_block *nb, unsigned long type,
			    void *data)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(data);
	struct ib_device *ib;

	switch (type) {
	case NETDEV_UNREGISTER:
		ib = ib_device_get_by_netdev(netdev, MRC_IB_DRIVER);
		if (!ib)
			break;
		ib_unregister_device_queued(ib);
		ib_device_put(ib);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		mrc_ports_update(NULL, netdev);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block mrc_netdev_nb = {
	.notifier_call = mrc_netdev_event,
};

static int mrc_client_add(struct ib_device *ib)
{
	struct mrc_ibdev *m;

	if (ib->ops.driver_id != MRC_IB_DRIVER)
		return -EOPNOTSUPP;
	m = to_mrc_ibdev(ib);
	mrc_dev_publish(m->dev, dev_name(&ib->dev));
	spin_lock_bh(&mrc_ibdevs_lock);
	m->registered = true;
	m->state = mrc_port_state(m->dev);
	spin_unlock_bh(&mrc_ibdevs_lock);
	/* A reference can be taken now; mrc_net_exit() may be waiting for that. */
	wake_up_all(&mrc_ibdevs_wait);
	return 0;
}

/* After this the core does not accept events for the device any more. */
static void mrc_client_remove(struct ib_device *ib, void *data)
{
	spin_lock_bh(&mrc_ibdevs_lock);
	to_mrc_ibdev(ib)->registered = false;
	spin_unlock_bh(&mrc_ibdevs_lock);
}

static void mrc_client_rename(struct ib_device *ib, void *data)
{
	mrc_dev_publish(to_mrc_dev(ib), dev_name(&ib->dev));
}

static struct ib_client mrc_client = {
	.name = "mrc",
	.add = mrc_client_add,
	.remove = mrc_client_remove,
	.rename = mrc_client_rename,
	.no_kverbs_req = 1,
};

/*
 * Return: true if a namespace has a device. @ib is set to such a device with a reference, or to
 * NULL when all devices of the namespace are on their way out.
 */
static bool mrc_registry_find(const struct net *net, struct ib_device **ib)
{
	struct mrc_ibdev *m;
	bool found = false;

	*ib = NULL;
	spin_lock_bh(&mrc_ibdevs_lock);
	list_for_each_entry(m, &mrc_ibdevs, list) {
		if (!net_eq(m->dev->net, net))
			continue;
		found = true;
		if (!ib_device_try_get(&m->ib))
			continue;
		*ib = &m->ib;
		break;
	}
	spin_unlock_bh(&mrc_ibdevs_lock);
	return found;
}

/*
 * Called when a namespace is deleted. Its devices must go first: they use its netdevs and its
 * memory. If another thread is removing one of these devices, this function waits until that is
 * done.
 */
static void __net_exit mrc_net_exit(struct net *net)
{
	struct ib_device *ib;

	for (;;) {
		wait_event(mrc_ibdevs_wait, !mrc_registry_find(net, &ib) || ib);
		if (!ib)
			break;
		ib_unregister_device_and_put(ib);
	}
}

/* Registered as a pernet device, so that its exit runs before the exit of the netdevs. */
static struct pernet_operations mrc_net_ops = {
	.exit = mrc_net_exit,
};

int mrc_registry_init(void)
{
	int ret;

	ret = ib_register_client(&mrc_client);
	if (ret)
		return ret;
	ret = register_pernet_device(&mrc_net_ops);
	if (ret)
		goto err_client;
	ret = register_netdevice_notifier(&mrc_netdev_nb);
	if (ret)
		goto err_net;
	ret = mrc_event_register(&mrc_transport_nb);
	if (ret)
		goto err_netdev;
	return 0;

err_netdev:
	unregister_netdevice_notifier(&mrc_netdev_nb);
err_net:
	unregister_pernet_device(&mrc_net_ops);
err_client:
	ib_unregister_client(&mrc_client);
	return ret;
}

void mrc_registry_exit(void)
{
	mrc_event_unregister(&mrc_transport_nb);
	unregister_netdevice_notifier(&mrc_netdev_nb);
	unregister_pernet_device(&mrc_net_ops);
	ib_unregister_client(&mrc_client);
}
