// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creation of an ib_device by "rdma link add", and the operations of the device.
 */
#include <linux/device.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>
#include <net/rtnetlink.h>
#include <rdma/rdma_netlink.h>

#include "../compat/compat_verbs.h"
#include "../net/change.h"
#include "../net/netdev.h"
#include "../transport/transport/transport.h"
#include "../version.h"
#include "ah.h"
#include "bell.h"
#include "context.h"
#include "counters.h"
#include "cq.h"
#include "create.h"
#include "device.h"
#include "doorbell.h"
#include "link.h"
#include "modify.h"
#include "mr.h"
#include "port.h"
#include "qp.h"
#include "qp_attr.h"
#include "registry.h"
#include "restrack.h"
#include "ring.h"
#include "srq.h"
#include "sysfs.h"
#include "ud.h"
#include "ulp.h"

/* Software has no vendor. Other software devices use this value, too. */
#define MRC_VENDOR_ID	0xffffff

/*
 * The module's version, which programs see as the firmware's: major, minor and patch level, 16 bits
 * each.
 */
static u64 mrc_fw_ver(void)
{
	const char *version = mrc_version();
	u16 major, minor, patch;

	if (!version ||
	    sscanf(version, "%hu.%hu.%hu", &major, &minor, &patch) != 3)
		return 0;
	return (u64)major << 32 | (u32)minor << 16 | patch;
}

static int mrc_query_device(struct ib_device *ibdev,
			    struct ib_device_attr *attr, struct ib_udata *uhw)
{
	/* The core itself calls with an empty @uhw, or (7.2) with none. */
	if (uhw && (uhw->inlen || uhw->outlen))
		return -EINVAL;
	attr->fw_ver = mrc_fw_ver();
	attr->sys_image_guid = ibdev->node_guid;
	attr->vendor_id = MRC_VENDOR_ID;
	attr->max_mr_size = MRC_MR_MAX;
	attr->page_size_cap = PAGE_MASK & 0xffffffffu;
	attr->device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_MEM_MGT_EXTENSIONS |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	attr->max_qp = MRC_MAX_OBJECTS;
	if (READ_ONCE(to_mrc_dev(ibdev)->cfg.extensions)) {
		attr->max_qp_rd_atom = MRC_READS_MAX;
		attr->max_qp_init_rd_atom = MRC_READS_MAX;
		attr->max_res_rd_atom = MRC_READS_MAX * attr->max_qp;
		attr->atomic_cap = IB_ATOMIC_HCA;
	}
	attr->max_qp_wr = MRC_MAX_QP_WR;
	attr->max_send_sge = MRC_MAX_SGE;
	attr->max_recv_sge = MRC_MAX_SGE;
	attr->max_sge_rd = MRC_MAX_SGE;
	attr->max_fast_reg_page_list_len = MRC_MR_FAST_PAGES_MAX;
	attr->max_srq = MRC_MAX_OBJECTS;
	attr->max_srq_wr = MRC_MAX_SRQ_WR;
	attr->max_srq_sge = MRC_MAX_SGE;
	attr->max_cq = MRC_MAX_OBJECTS;
	attr->max_cqe = MRC_MAX_CQE;
	attr->max_mr = MRC_MAX_OBJECTS;
	attr->max_pd = MRC_MAX_OBJECTS;
	attr->max_ah = MRC_MAX_OBJECTS;
	attr->max_pkeys = 1;
	return 0;
}

static void mrc_fw_str(struct ib_device *ibdev, char *str)
{
	u64 version = mrc_fw_ver();

	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%u",
		 (u32)(version >> 32), (u32)(version >> 16 & 0xffff),
		 (u32)(version & 0xffff));
}

/* The core has unregistered the device, or never registered it, and frees it after this. */
static void mrc_dealloc_driver(struct ib_device *ibdev)
{
	struct mrc_ibdev *m = to_mrc_ibdev(ibdev);

	/* The registry may look at m->dev until mrc_registry_del() returns. */
	mrc_dev_get(m->dev);
	mrc_transport_shutdown(m->dev);
	mrc_registry_del(m);
	mrc_ah_exit(&m->avs);
	/* First: once our hold on the anchor is gone, the anchor's hardware may go, too. */
	if (m->place)
		device_unregister(m->place);
	mrc_dev_put(m->dev);
}

MRC_DEFINE_REG_USER_MR(mrc_reg_user_mr_op, mrc_reg_user_mr)
MRC_DEFINE_REG_DMABUF_MR(mrc_reg_dmabuf_mr_op, mrc_reg_dmabuf_mr)

static const struct ib_device_ops mrc_dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = MRC_IB_DRIVER,
	.uverbs_abi_ver = MRC_ABI_VERSION,

	.add_gid = mrc_add_gid,
	.alloc_hw_port_stats = mrc_alloc_hw_port_stats,
	.alloc_mr = mrc_alloc_mr,
	.alloc_pd = mrc_alloc_pd,
	.alloc_ucontext = mrc_alloc_ucontext,
	.create_ah = mrc_create_ah,
	.create_cq = mrc_create_cq,
	.create_qp = mrc_create_qp,
	.create_srq = mrc_create_srq,
	.create_user_ah = mrc_create_ah,
	.dealloc_driver = mrc_dealloc_driver,
	.dealloc_pd = mrc_dealloc_pd,
	.dealloc_ucontext = mrc_dealloc_ucontext,
	.del_gid = mrc_del_gid,
	.dereg_mr = mrc_dereg_mr,
	.destroy_ah = mrc_destroy_ah,
	.destroy_cq = mrc_destroy_cq,
	.destroy_qp = mrc_destroy_qp,
	.destroy_srq = mrc_destroy_srq,
	.device_group = &mrc_device_group,
	.disassociate_ucontext = mrc_disassociate_ucontext,
	.fill_res_cq_entry = mrc_fill_res_cq,
	.fill_res_mr_entry = mrc_fill_res_mr,
	.fill_res_qp_entry = mrc_fill_res_qp,
	.get_dev_fw_str = mrc_fw_str,
	.get_dma_mr = mrc_get_dma_mr,
	.get_hw_stats = mrc_get_hw_stats,
	.get_link_layer = mrc_link_layer,
	.get_port_immutable = mrc_port_immutable,
	.map_mr_sg = mrc_map_mr_sg,
	.mmap = mrc_mmap,
	.mmap_free = mrc_mmap_free,
	.modify_qp = mrc_modify_qp,
	.modify_srq = mrc_modify_srq,
	.poll_cq = mrc_poll_cq,
	.post_recv = mrc_post_recv,
	.post_send = mrc_post_send,
	.post_srq_recv = mrc_post_srq_recv,
	.process_mad = mrc_process_mad,
	.query_ah = mrc_query_ah,
	.query_device = mrc_query_device,
	.query_pkey = mrc_query_pkey,
	.query_port = mrc_query_port,
	.query_qp = mrc_query_qp,
	.query_srq = mrc_query_srq,
	.reg_user_mr = mrc_reg_user_mr_op,
	.reg_user_mr_dmabuf = mrc_reg_dmabuf_mr_op,
	.req_notify_cq = mrc_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, mrc_ib_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, mrc_ib_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, mrc_ib_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, mrc_ib_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, mrc_ib_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, mrc_ib_ucontext, ib),
};

/* A dummy has no wire. It only anchors addresses, and planes are added beside it. */
static bool mrc_anchor_is_plane(const struct net_device *anchor)
{
	return !anchor->rtnl_link_ops ||
	       strcmp(anchor->rtnl_link_ops->kind, "dummy");
}

/* Parent in sysfs of the devices whose anchor has no hardware. */
static struct device *mrc_root;

static void mrc_place_release(struct device *place)
{
	kfree(place);
}

/*
 * Makes a folder in sysfs below the anchor's hardware, as the parent of the device. If the hardware
 * itself were the parent, rdma-core's rule for udev would rename the device after the hardware's
 * place on the PCI bus, and the name that the user has given would be lost. Programs that look for
 * the hardware find it one folder up.
 */
static int mrc_place_make(struct mrc_ibdev *m, struct device *hardware)
{
	static atomic_t last = ATOMIC_INIT(0);
	struct device *place = kzalloc(sizeof(*place), GFP_KERNEL);
	int err;

	if (!place)
		return -ENOMEM;
	device_initialize(place);
	place->parent = hardware;
	place->release = mrc_place_release;
	err = dev_set_name(place, KBUILD_MODNAME ".%u", atomic_inc_return(&last)) ?:
	      device_add(place);
	if (err) {
		put_device(place);
		return err;
	}
	m->place = place;
	return 0;
}

static int mrc_ibdev_setup(struct mrc_ibdev *m, struct net_device *anchor)
{
	struct ib_device *ib = &m->ib;
	int err = 0;

	ib_set_device_ops(ib, &mrc_dev_ops);
	if (anchor->dev.parent)
		err = mrc_place_make(m, anchor->dev.parent);
	if (err)
		return err;
	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = 1;
	ib->num_comp_vectors = num_possible_cpus();
	addrconf_addr_eui48((u8 *)&ib->node_guid, anchor->dev_addr);
	snprintf(ib->node_desc, sizeof(ib->node_desc), "mrc:%s", anchor->name);
	ib->dev.parent = m->place ?: mrc_root;
	mrc_name_by_user(ib);
	ib->driver_def = mrc_uapi_defs;
	/* POST_* are the doorbells of older libraries. The core does not set these bits itself. */
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			       BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
			       BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	/*
	 * If namespaces do not share devices (rdma system set netns exclusive), the device starts
	 * in the namespace of its anchor; otherwise all namespaces see it.
	 */
	if (!rdma_dev_access_netns(ib, dev_net(anchor)))
		write_pnet(&ib->coredev.rdma_net, dev_net(anchor));
	return ib_device_set_netdev(ib, anchor, 1);
}

/* Return: a device that is not registered with the core yet, or ERR_PTR. */
static struct mrc_ibdev *mrc_ibdev_alloc(const char *name,
					 struct net_device *anchor,
					 struct netlink_ext_ack *extack)
{
	const struct mrc_change change = mrc_change_by_kernel(extack);
	struct mrc_ibdev *m;
	struct mrc_dev *dev;
	int ret = 0;

	dev = mrc_transport_create(name, anchor, extack);
	if (IS_ERR(dev))
		return ERR_CAST(dev);
	if (mrc_anchor_is_plane(anchor))
		ret = mrc_plane_add(&dev->planes, 1, anchor, &change);
	if (ret < 0)
		goto err_dev;
	ret = -ENOMEM;
	m = ib_alloc_device(mrc_ibdev, ib);
	if (!m)
		goto err_dev;
	m->dev = dev;
	mrc_ah_init(&m->avs);
	mrc_registry_add(m);
	ret = mrc_ibdev_setup(m, anchor);
	if (ret) {
		ib_dealloc_device(&m->ib);
		return ERR_PTR(ret);
	}
	return m;

err_dev:
	mrc_transport_shutdown(dev);
	return ERR_PTR(ret);
}

/* The core makes a VLAN's addresses GIDs of the netdev below the VLAN, and of no other netdev. */
static int mrc_refuse_vlan(const struct net_device *vlan, const struct mrc_change *change)
{
	return mrc_refuse_fmt(change, -EINVAL, 0,
			      "VLAN %s of %s can only be a plane: use a dummy",
			      vlan->name, vlan_dev_real_dev(vlan)->name);
}

static int mrc_check_anchor(struct net_device *anchor,
			    struct netlink_ext_ack *extack)
{
	const struct mrc_change change = mrc_change_by_kernel(extack);
	struct ib_device *ib;
	int err;

	if (anchor->type != ARPHRD_ETHER || anchor->addr_len != ETH_ALEN ||
	    !is_valid_ether_addr(anchor->dev_addr)) {
		NL_SET_ERR_MSG_MOD(extack, "not an Ethernet device");
		return -EINVAL;
	}
	if (is_vlan_dev(anchor))
		return mrc_refuse_vlan(anchor, &change);
	err = mrc_netdev_check(anchor, &change);
	if (err)
		return err;
	ib = ib_device_get_by_netdev(anchor, MRC_IB_DRIVER);
	if (!ib)
		return 0;
	ib_device_put(ib);
	NL_SET_ERR_MSG_MOD(extack, "the netdev is already the anchor of an mrc device");
	return -EEXIST;
}

/*
 * The anchor may have been unregistered, or moved to another namespace, before the core knew the
 * device. Our notifier did not find the device then, so this function looks again. From now on the
 * notifier finds it.
 */
static int mrc_recheck_anchor(struct net_device *anchor, const struct net *net)
{
	struct ib_device *ib;
	bool same;

	rtnl_lock();
	same = anchor->reg_state == NETREG_REGISTERED &&
	       net_eq(dev_net(anchor), net);
	rtnl_unlock();
	if (same)
		return 0;
	ib = ib_device_get_by_netdev(anchor, MRC_IB_DRIVER);
	if (ib)
		ib_unregister_device_and_put(ib);
	return -ENODEV;
}

static int mrc_link_create(const char *name, struct net_device *anchor,
			   struct netlink_ext_ack *extack)
{
	struct net *net = dev_net(anchor);
	struct mrc_ibdev *m;
	int ret;

	ret = mrc_check_anchor(anchor, extack);
	if (ret)
		return ret;
	m = mrc_ibdev_alloc(name, anchor, extack);
	if (IS_ERR(m))
		return PTR_ERR(m);
	ret = ib_register_device(&m->ib, name, NULL);
	if (ret) {
		ib_dealloc_device(&m->ib);
		return ret;
	}
	return mrc_recheck_anchor(anchor, net);
}

/* Under the core's lock of link types. The core passes no extack, so the log gets the reason. */
static int mrc_newlink(const char *name, struct net_device *anchor)
{
	static DEFINE_MUTEX(lock);
	struct netlink_ext_ack extack = {};
	int ret;

	mutex_lock(&lock);
	ret = mrc_link_create(name, anchor, &extack);
	mutex_unlock(&lock);
	if (ret && extack._msg)
		pr_err_ratelimited("%s (%s on %s)\n", extack._msg, name,
				   anchor->name);
	return ret;
}

static struct rdma_link_ops mrc_link_ops = {
	.type = "mrc",
	.newlink = mrc_newlink,
};

int mrc_verbs_module_init(void)
{
	int ret;

	mrc_root = root_device_register(KBUILD_MODNAME);
	if (IS_ERR(mrc_root))
		return PTR_ERR(mrc_root);
	ret = mrc_ud_module_init();
	if (ret)
		goto err_root;
	ret = mrc_bell_module_init();
	if (ret)
		goto err_ud;
	ret = mrc_registry_init();
	if (ret)
		goto err_bell;
	rdma_link_register(&mrc_link_ops);
	return 0;

err_bell:
	mrc_bell_module_exit();
err_ud:
	mrc_ud_module_exit();
err_root:
	root_device_unregister(mrc_root);
	return ret;
}

void mrc_verbs_module_exit(void)
{
	rdma_link_unregister(&mrc_link_ops);
	ib_unregister_driver(MRC_IB_DRIVER);
	mrc_registry_exit();
	mrc_bell_module_exit();
	mrc_ud_module_exit();
	root_device_unregister(mrc_root);
}
