// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transport of a device: creation, settings, and what a change of planes means to traffic.
 */
#include <linux/netlink.h>

#include "../../net/change.h"
#include "../../net/sock.h"
#include "../endpoint/ask.h"
#include "../profile/cc_profile.h"
#include "../endpoint/endpoint.h"
#include "../profile/ev_profile.h"
#include "../device/event.h"
#include "../qp/gone.h"
#include "../endpoint/peers.h"
#include "../endpoint/probe_job.h"
#include "../endpoint/prober.h"
#include "../peer/qp.h"
#include "../qp/receive.h"
#include "../qp/requester.h"
#include "../profile/route.h"
#include "transport.h"
#include "../qp/waiting.h"

/* ---- planes ----------------------------------------------------------------- */

/* Ports that have a plane, whatever its state. */
static u32 mrc_transport_ports(struct mrc_dev *dev)
{
	struct mrc_plane *plane;
	u32 ports = 0;
	u8 port;

	for (port = 1; port <= MRC_PORT_MAX; port++) {
		plane = mrc_plane_get(&dev->planes, port);
		if (!plane)
			continue;
		if (!READ_ONCE(plane->gone))
			ports |= BIT(port - 1);
		mrc_plane_put(plane);
	}
	return ports;
}

/*
 * Often under RTNL. So only the port masks are updated here, by which packets take EVs, and peers
 * are told. QPs follow in a work, because there may be thousands.
 */
static void mrc_transport_ports_changed(struct mrc_dev *dev, const struct mrc_plane *plane)
{
	u32 ports = mrc_transport_ports(dev);

	mutex_lock(&dev->cfg_lock);
	WRITE_ONCE(dev->ports_seen, dev->ports_seen | ports);
	if (mrc_dev_port_status(dev) != ~0u)
		WRITE_ONCE(dev->ports_lost, true);
	mrc_peers_ports(dev);
	WRITE_ONCE(dev->ports, ports);
	/* Another plane may take its port before the work runs. Then @ports does not change. */
	dev->evs_stale |= READ_ONCE(plane->gone);
	mutex_unlock(&dev->cfg_lock);
	mrc_dev_queue_work(dev, &dev->ports_work);
}

static void mrc_transport_planes_changed(struct mrc_planes *planes,
					 struct mrc_plane *plane, bool ports)
{
	struct mrc_dev *dev = container_of(planes, struct mrc_dev, planes);
	struct mrc_event event = {
		.type = MRC_EVENT_PLANE,
		.dev = dev,
		.plane = plane,
		.asked = planes->asked,
	};

	if (ports)
		mrc_transport_ports_changed(dev, plane);
	/* The first plane comes before the device is listed, and the last one goes after it. */
	if (READ_ONCE(dev->listed))
		mrc_event_notify(&event);
}

static void mrc_transport_planes_room(struct mrc_planes *planes)
{
	mrc_waiting_hurry(container_of(planes, struct mrc_dev, planes));
}

/*
 * Planes have come or gone: EVs are made anew for the planes on @ports. Afterwards an EV index
 * means another EV. If the device's ports are not @ports any more, nothing is done, because the
 * work runs again. Return: true: EVs were made anew.
 */
static bool mrc_transport_renew_evs(struct mrc_dev *dev, u32 ports)
{
	bool renew;

	mutex_lock(&dev->cfg_lock);
	renew = dev->ports == ports && (dev->evs_ports != ports || dev->evs_stale) && !dev->dead;
	if (renew) {
		dev->evs_ports = ports;
		dev->evs_stale = false;
		mrc_peers_refresh(dev, 0, true);
	}
	mutex_unlock(&dev->cfg_lock);
	return renew;
}

/* Calls @fn for each QP of a device. */
static void mrc_transport_each_qp(struct mrc_dev *dev, void (*fn)(struct mrc_qp *qp))
{
	struct mrc_qp *qp;
	u32 qpn = 0;

	while ((qp = mrc_qp_next(dev, qpn))) {
		fn(qp);
		qpn = qp->qpn + 1;
		mrc_qp_put(qp);
		cond_resched();
	}
}

static void mrc_transport_heed_ports(struct mrc_qp *qp)
{
	if (mrc_requester_new_ports(qp))
		mrc_requester_nudge(qp);
}

/*
 * Ports of this host have changed. QPs note their packets in flight on dead ports, and give up
 * those that cannot arrive any more. They do so before EVs are made anew, because they know packets
 * by EV index.
 */
static void mrc_transport_ports_work(struct work_struct *work)
{
	struct mrc_dev *dev = container_of(work, struct mrc_dev, ports_work);
	u32 ports = READ_ONCE(dev->ports);

	mrc_transport_each_qp(dev, mrc_transport_heed_ports);
	if (mrc_transport_renew_evs(dev, ports))
		mrc_transport_each_qp(dev, mrc_requester_nudge);
	mrc_dev_put(dev);
}

static void mrc_transport_each_qp_of(struct mrc_peer *peer, void (*fn)(struct mrc_qp *qp))
{
	unsigned int n = READ_ONCE(peer->nqps);
	struct mrc_qp *qp;

	while (n-- && (qp = mrc_qp_next_of(peer))) {
		fn(qp);
		mrc_qp_put(qp);
		cond_resched();
	}
}

static void mrc_transport_heed_told(struct mrc_qp *qp)
{
	mrc_transport_heed_ports(qp);
	mrc_requester_new_evs(qp);
}

/*
 * Peers have sent a port status, or an EV of theirs is bad. Only the QPs of these peers look:
 * anybody can forge a port status.
 */
static void mrc_transport_told_work(struct work_struct *work)
{
	struct mrc_dev *dev = container_of(work, struct mrc_dev, told_work);
	struct mrc_peer *peer;

	while ((peer = mrc_prober_take_told(dev))) {
		mrc_transport_each_qp_of(peer, mrc_transport_heed_told);
		mrc_peers_put(peer);
	}
	mrc_dev_put(dev);
}

/* ---- UDP ports -------------------------------------------------------------- */

static void mrc_transport_trim(struct mrc_sock *sock, struct mrc_sock *too, bool on)
{
	mrc_sock_trim(sock, on);
	if (too)
		mrc_sock_trim(too, on);
}

static void mrc_transport_listen_no_more(struct mrc_dev *dev)
{
	if (dev->trims)
		mrc_transport_trim(dev->sock, dev->sock_too, false);
	dev->trims = false;
	if (dev->sock)
		mrc_sock_put(dev->sock);
	if (dev->sock_too)
		mrc_sock_put(dev->sock_too);
}

/* Opens MRC's second UDP port. Return: NULL, too, if another socket has that port. */
static struct mrc_sock *mrc_transport_listen_too(struct mrc_dev *dev, u16 port)
{
	struct mrc_sock *sock;

	if (port != MRC_UDP_PORT)
		return NULL;
	sock = mrc_sock_get(dev->net, MRC_UDP_PORT_TOO);
	return IS_ERR(sock) ? NULL : sock;
}

/* Listens on a new UDP port instead of the old one. After an error nothing has changed. */
static int mrc_transport_listen(struct mrc_dev *dev, u16 port, bool trims)
{
	struct mrc_sock *sock = mrc_sock_get(dev->net, port), *too;

	if (IS_ERR(sock))
		return PTR_ERR(sock);
	too = mrc_transport_listen_too(dev, port);
	if (trims)
		mrc_transport_trim(sock, too, true);
	mrc_transport_listen_no_more(dev);
	dev->sock = sock;
	dev->sock_too = too;
	dev->trims = trims;
	return 0;
}

/* ---- life ------------------------------------------------------------------- */

static void mrc_transport_free(struct mrc_dev *dev)
{
	mrc_waiting_fini(dev);
	mrc_prober_fini(dev);
	mrc_ask_fini(dev);
	mrc_endpoint_fini(dev);
	mrc_gone_fini(dev);
	mrc_probe_jobs_fini(dev);
	mrc_ev_profiles_free(dev);
	mrc_cc_profiles_free(dev);
	mrc_peers_exit(dev);
	mrc_users_exit(dev);
	/* Before the thousands of routes: a task that removes the netdev waits for this. */
	mrc_dev_put_anchor(dev);
	mrc_routes_free(dev);
	mrc_dev_free(dev);
}

static void mrc_transport_free_work(struct work_struct *work)
{
	mrc_transport_free(container_of(work, struct mrc_dev, free_work));
}

static struct mrc_dev *mrc_transport_alloc(const char *name, struct net_device *anchor)
{
	struct mrc_dev *dev = mrc_dev_alloc(name, anchor);

	if (!dev)
		return NULL;
	mrc_users_init(dev);
	if (mrc_peers_init(dev)) {
		mrc_users_exit(dev);
		mrc_dev_free(dev);
		return NULL;
	}
	INIT_WORK(&dev->free_work, mrc_transport_free_work);
	INIT_WORK(&dev->ports_work, mrc_transport_ports_work);
	INIT_WORK(&dev->told_work, mrc_transport_told_work);
	INIT_DELAYED_WORK(&dev->renew_work, mrc_peers_renew_work);
	return dev;
}

/* After an error, the parts that were made are freed with the device. */
static int mrc_transport_init_parts(struct mrc_dev *dev)
{
	return mrc_routes_init(dev) ?: mrc_waiting_init(dev, mrc_requester_run) ?:
	       mrc_ask_init(dev, &mrc_prober_ask_ops) ?:
	       mrc_prober_init(dev) ?: mrc_endpoint_init(dev) ?: mrc_gone_init(dev) ?:
	       mrc_probe_jobs_init(dev) ?:
	       mrc_cc_profiles_init(dev) ?: mrc_ev_profiles_init(dev);
}

struct mrc_dev *mrc_transport_create(const char *name, struct net_device *anchor,
				     struct netlink_ext_ack *extack)
{
	struct mrc_dev *dev = mrc_transport_alloc(name, anchor);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	err = mrc_transport_init_parts(dev);
	if (err)
		goto err_free;
	err = mrc_transport_listen(dev, dev->cfg.udp_port, dev->cfg.trim);
	if (err == -EADDRINUSE)
		NL_SET_ERR_MSG_MOD(extack, "the UDP port is taken; does rdma_rxe hold it?");
	else if (err)
		NL_SET_ERR_MSG_MOD(extack, "no UDP socket can be opened");
	if (err)
		goto err_free;
	mrc_planes_init(&dev->planes, mrc_transport_planes_changed, mrc_transport_planes_room);
	return dev;

err_free:
	mrc_transport_free(dev);
	return ERR_PTR(err);
}

void mrc_transport_shutdown(struct mrc_dev *dev)
{
	mrc_dev_unlist(dev);
	mutex_lock(&dev->cfg_lock);
	dev->dead = true;
	mutex_unlock(&dev->cfg_lock);
	cancel_delayed_work_sync(&dev->renew_work);
	mrc_probe_jobs_close(dev);
	mrc_planes_destroy(&dev->planes);
	mrc_transport_listen_no_more(dev);
	mrc_dev_put(dev);
}

/* ---- settings --------------------------------------------------------------- */

/* Opens and closes sockets for a changed UDP port, and for a changed setting of trimmed packets. */
static int mrc_transport_set_sockets(struct mrc_dev *dev, const struct mrc_dev_cfg *cfg,
				     const struct mrc_change *change)
{
	int err;

	if (cfg->udp_port == dev->cfg.udp_port && cfg->trim == dev->trims)
		return 0;
	if (cfg->udp_port != dev->cfg.udp_port && atomic_read(&dev->qps))
		return mrc_refuse(change, -EBUSY, MRC_A_DEVICE_UDP_PORT,
				  "udp-port cannot change while QPs exist");
	err = mrc_transport_listen(dev, cfg->udp_port, cfg->trim);
	if (err == -EADDRINUSE)
		return mrc_refuse(change, err, MRC_A_DEVICE_UDP_PORT,
				  "the UDP port is taken");
	if (err && cfg->udp_port == dev->cfg.udp_port)
		return mrc_refuse(change, err, MRC_A_DEVICE_TRIM,
				  "trimmed packets cannot be taken from UDP");
	if (err)
		return mrc_refuse(change, err, 0, "no UDP socket can be opened");
	return 0;
}

/* The DSCPs of trimmed packets must differ from those of all others. */
static int mrc_transport_check_trim(const struct mrc_dev_cfg *cfg, const struct mrc_change *change)
{
	const u8 whole[] = { cfg->dscp_data, cfg->dscp_rtx, cfg->dscp_control };
	int i;

	if (!cfg->trim)
		return 0;
	if (cfg->dscp_trimmed == cfg->dscp_trimmed_lasthop)
		return mrc_refuse(change, -EINVAL, MRC_A_DEVICE_DSCP_TRIMMED_LASTHOP,
				  "with trim, dscp-trimmed and dscp-trimmed-lasthop must differ");
	for (i = 0; i < ARRAY_SIZE(whole); i++) {
		if (whole[i] == cfg->dscp_trimmed)
			return mrc_refuse(change, -EINVAL, MRC_A_DEVICE_DSCP_TRIMMED,
					  "with trim, no other packets may have dscp-trimmed");
		if (whole[i] == cfg->dscp_trimmed_lasthop)
			return mrc_refuse(change, -EINVAL, MRC_A_DEVICE_DSCP_TRIMMED_LASTHOP,
					  "with trim, no other packets may have dscp-trimmed-lasthop");
	}
	return 0;
}

int mrc_transport_set_cfg(struct mrc_dev *dev, const struct mrc_dev_cfg *cfg,
			  const struct mrc_change *change)
{
	struct mrc_event event = {
		.type = MRC_EVENT_SETTINGS,
		.dev = dev,
		.asked = true,
	};
	int err;

	mutex_lock(&dev->cfg_lock);
	if (dev->dead)
		err = mrc_refuse(change, -ENODEV, 0, "the device is being deleted");
	else
		err = mrc_transport_check_trim(cfg, change) ?:
		      mrc_transport_set_sockets(dev, cfg, change);
	if (!err) {
		dev->cfg = *cfg;
		mrc_peers_settings(dev);
		mrc_event_notify(&event);
	}
	mutex_unlock(&dev->cfg_lock);
	return err;
}

/* ---- the module ------------------------------------------------------------- */

int mrc_transport_module_init(void)
{
	int err = mrc_dev_module_init();

	if (err)
		return err;
	err = mrc_receive_init();
	if (err)
		mrc_dev_module_exit();
	return err;
}

void mrc_transport_module_exit(void)
{
	mrc_receive_exit();
	/* QPs and peers drop their reference to the device in RCU callbacks. */
	rcu_barrier();
	rcu_barrier();
	mrc_dev_module_exit();
	rcu_barrier();
}
