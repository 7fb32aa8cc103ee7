// SPDX-License-Identifier: GPL-2.0-only
/*
 * UD QPs.
 */
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/udp.h>
#include <linux/slab.h>
#include <net/checksum.h>
#include <net/ipv6.h>

#include "../device/hazard.h"
#include "../endpoint/peers.h"
#include "../endpoint/prober.h"
#include "../peer/qp.h"
#include "ud.h"

/* A datagram is tried on so many EVs of this host. */
#define MRC_UD_TRIES	4u

/* All UD QPs of all devices but GSIs, by number. */
static DEFINE_XARRAY_FLAGS(mrc_uds, XA_FLAGS_ACCOUNT);

/* ---- life ------------------------------------------------------------------- */

static int mrc_ud_publish_gsi(struct mrc_ud *ud)
{
	ud->qpn = MRC_QPN_GSI;
	return cmpxchg((__force struct mrc_ud **)&ud->dev->gsi, NULL, ud) ? -EBUSY : 0;
}

/* Numbers are those of RC QPs: no two QPs of a host have the same. */
static int mrc_ud_publish(struct mrc_ud *ud)
{
	int err = mrc_qpn_reserve(&ud->qpn);

	if (err)
		return err;
	err = xa_insert(&mrc_uds, ud->qpn, ud, GFP_KERNEL_ACCOUNT);
	if (err)
		mrc_qpn_release(ud->qpn);
	return err;
}

struct mrc_ud *mrc_ud_create(struct mrc_dev *dev, const struct mrc_ud_ops *ops, void *priv,
			     const void *pd, bool gsi)
{
	struct mrc_ud *ud;
	int err;

	ud = kzalloc(struct_size(ud, strangers, gsi ? MRC_UD_GATES : 0), GFP_KERNEL_ACCOUNT);
	if (!ud)
		return ERR_PTR(-ENOMEM);
	ud->dev = dev;
	ud->ops = ops;
	ud->priv = priv;
	ud->pd = pd;
	ud->state = IB_QPS_RESET;
	ud->seed = get_random_u32();
	spin_lock_init(&ud->lock);
	err = gsi ? mrc_ud_publish_gsi(ud) : mrc_ud_publish(ud);
	if (!err)
		return ud;
	kfree(ud);
	return ERR_PTR(err);
}

void mrc_ud_destroy(struct mrc_ud *ud)
{
	if (ud->qpn == MRC_QPN_GSI) {
		RCU_INIT_POINTER(ud->dev->gsi, NULL);
	} else {
		xa_erase(&mrc_uds, ud->qpn);
		mrc_qpn_release(ud->qpn);
	}
	spin_lock_bh(&ud->lock);
	WRITE_ONCE(ud->state, IB_QPS_RESET);
	spin_unlock_bh(&ud->lock);
	kfree_rcu(ud, rcu);
}

/* ---- receiving: whose it is --------------------------------------------------- */

/* @dev: result: the device that the datagram is for, or NULL. */
static struct mrc_ud *mrc_ud_find(const struct mrc_rx_pkt *pkt, struct mrc_dev **dev)
{
	struct mrc_ud *ud;

	if (pkt->hdr.bth.qpn == MRC_QPN_GSI) {
		*dev = mrc_dev_by_addr(pkt->net, pkt->daddr);
		return *dev ? rcu_dereference((*dev)->gsi) : NULL;
	}
	ud = xa_load(&mrc_uds, pkt->hdr.bth.qpn);
	if (ud && !net_eq(ud->dev->net, pkt->net))
		ud = NULL;
	*dev = ud ? ud->dev : NULL;
	return ud;
}

static bool mrc_ud_live(const struct mrc_ud *ud)
{
	enum ib_qp_state state = READ_ONCE(ud->state);

	return state == IB_QPS_RTR || state == IB_QPS_RTS || state == IB_QPS_SQE;
}

/* May a host that has no QP here send one more datagram to the GSI? */
static bool mrc_ud_may_ask(struct mrc_ud *ud, const struct mrc_rx_pkt *pkt)
{
	struct mrc_gate *gate;
	bool may;

	if (ud->qpn != MRC_QPN_GSI ||
	    mrc_peers_met(mrc_peers_of(ud->dev, pkt->daddr, pkt->saddr)))
		return true;
	gate = &ud->strangers[__ipv6_addr_jhash(pkt->saddr, ud->seed) % MRC_UD_GATES];
	spin_lock(&ud->lock);
	may = mrc_gate_pass(gate, ktime_get_ns(), MRC_UD_STRANGER_RATE);
	spin_unlock(&ud->lock);
	return may;
}

/* Is the IPv4 GID that the datagram is for, if there is one, an address of this device? */
static bool mrc_ud_has_ip4(const struct mrc_dev *dev, const struct mrc_ud_hdr *ud)
{
	const struct in_device *in = __in_dev_get_rcu(dev->anchor);
	const struct in_ifaddr *ifa;

	if (!ud->ip4)
		return true;
	if (!in)
		return false;
	in_dev_for_each_ifa_rcu(ifa, in)
		if (ifa->ifa_local == ud->daddr4)
			return true;
	return false;
}

static enum mrc_drop mrc_ud_check(struct mrc_ud *ud, const struct mrc_rx_pkt *pkt)
{
	struct mrc_dev *dev = ud->dev;

	if (!mrc_dev_hears(dev, mrc_plane_by_ifindex(&dev->planes, pkt->ifindex), pkt->loopback))
		return MRC_DROP_INGRESS;
	/* The guard lets programs send from other addresses of this host. */
	if (pkt->loopback && !mrc_dev_by_addr(pkt->net, pkt->saddr))
		return MRC_DROP_INGRESS;
	if (!READ_ONCE(dev->cfg.extensions))
		return MRC_DROP_OPCODE;
	if (!mrc_dev_has_addr(dev, pkt->daddr) || !mrc_ud_has_ip4(dev, &pkt->hdr.ud))
		return MRC_DROP_WRONG_PEER;
	if (!mrc_ud_live(ud))
		return MRC_DROP_QP_STATE;
	if ((pkt->hdr.bth.pkey ^ MRC_PKEY_DEFAULT) & 0x7fff)
		return MRC_DROP_PKEY;
	if (pkt->hdr.ud.qkey != READ_ONCE(ud->qkey))
		return MRC_DROP_QKEY;
	if (READ_ONCE(dev->cfg.icrc) && !mrc_rx_icrc_ok(pkt))
		return MRC_DROP_ICRC;
	return mrc_ud_may_ask(ud, pkt) ? MRC_DROP_COUNT : MRC_DROP_STRANGER;
}

/* ---- receiving: where it goes -------------------------------------------------- */

/* An aggregate has one IPv6 header, whose length is that of all its packets. */
static void mrc_ud_grh6(const struct mrc_rx_pkt *pkt, u8 *to)
{
	struct ipv6hdr ip6;

	memcpy(&ip6, pkt->skb->data + pkt->ip6, sizeof(ip6));
	ip6.payload_len = htons(sizeof(struct udphdr) + pkt->wire_len);
	memcpy(to, &ip6, sizeof(ip6));
}

/* The header that RoCE v2 would have. libibverbs checks its checksum. */
static void mrc_ud_grh4(const struct mrc_rx_pkt *pkt, u8 *to)
{
	const struct mrc_ud_hdr *ud = &pkt->hdr.ud;
	struct iphdr ip4 = {
		.version = 4,
		.ihl = 5,
		.tot_len = htons(sizeof(ip4) + sizeof(struct udphdr) + pkt->wire_len),
		.ttl = ((const struct ipv6hdr *)(pkt->skb->data + pkt->ip6))->hop_limit,
		.protocol = IPPROTO_UDP,
		.saddr = ud->saddr4,
		.daddr = ud->daddr4,
	};

	ip4.check = ip_fast_csum(&ip4, ip4.ihl);
	memset(to, 0, MRC_UD_GRH - sizeof(ip4));
	memcpy(to + MRC_UD_GRH - sizeof(ip4), &ip4, sizeof(ip4));
}

/* What a receive gets: a header, then the payload. */
static int mrc_ud_bytes(const struct mrc_rx_pkt *pkt, unsigned int from, void *to, unsigned int n)
{
	unsigned int head = from < MRC_UD_GRH ? min(MRC_UD_GRH - from, n) : 0;
	u8 grh[MRC_UD_GRH];

	if (head) {
		if (pkt->hdr.ud.ip4)
			mrc_ud_grh4(pkt, grh);
		else
			mrc_ud_grh6(pkt, grh);
		memcpy(to, grh + from, head);
	}
	if (head == n)
		return 0;
	return mrc_rx_copy(pkt, from + head - MRC_UD_GRH, to + head, n - head);
}

static int mrc_ud_place(const struct mrc_ud *ud, const struct mrc_rx_pkt *pkt, unsigned int from,
			const struct mrc_place *to)
{
	const struct mrc_mr_range want = {
		.key = to->lkey,
		.pd = ud->pd,
		.addr = to->addr,
		.len = to->len,
		.access = IB_ACCESS_LOCAL_WRITE,
	};
	struct mrc_mr *mr = mrc_mr_find(ud->dev, to->lkey);
	int err;

	if (!mr)
		return -EACCES;
	mrc_hazard_set(mr, NULL);
	err = mrc_mr_check(mr, &want);
	if (!err)
		err = mrc_place_copy(pkt, from, mr, to, mrc_ud_bytes);
	mrc_hazard_clear();
	return err;
}

/* ud->lock held. */
static void mrc_ud_fail(struct mrc_ud *ud)
{
	WRITE_ONCE(ud->state, IB_QPS_ERR);
	ud->ops->failed(ud->priv);
}

/* ud->lock held. */
static void mrc_ud_fill(struct mrc_ud *ud, const struct mrc_rx_pkt *pkt,
			const struct mrc_place *place, int count)
{
	struct mrc_ud_done done = {
		.len = MRC_UD_GRH + pkt->len,
		.src_qpn = pkt->hdr.ud.src_qpn,
		.ip4 = pkt->hdr.ud.ip4,
		.imm = pkt->hdr.ud.imm,
		.has_imm = mrc_opcode_flags(pkt->hdr.bth.opcode) & MRC_OPF_IMM,
		.solicited = pkt->hdr.bth.solicited,
	};
	unsigned int from = 0;
	int i, err = 0;

	for (i = 0; i < count && !err; i++) {
		err = mrc_ud_place(ud, pkt, from, &place[i]);
		from += place[i].len;
	}
	done.status = err ? IB_WC_LOC_PROT_ERR : IB_WC_SUCCESS;
	ud->ops->recv_done(ud->priv, &done);
	if (err)
		mrc_ud_fail(ud);
}

/* ud->lock held. A datagram that is longer than its receive is lost: its sender may be anybody. */
static void mrc_ud_take(struct mrc_ud *ud, const struct mrc_rx_pkt *pkt)
{
	const struct mrc_stretch all = {
		.len = MRC_UD_GRH + pkt->len,
		.message = MRC_UD_GRH + pkt->len,
	};
	struct mrc_place place[MRC_PLACES_MAX];
	int count = ud->ops->recv_place(ud->priv, &all, place);

	if (count == -ENOENT)
		mrc_count(ud->dev, MRC_CNT_NO_RECEIVE);
	else if (count == -EMSGSIZE)
		mrc_count(ud->dev, MRC_CNT_DROP_LENGTH);
	else if (count < 0)
		mrc_ud_fail(ud);
	else
		mrc_ud_fill(ud, pkt, place, count);
}

static void mrc_ud_count_rx(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	struct mrc_plane *plane = mrc_plane_by_ifindex(&dev->planes, pkt->ifindex);

	mrc_count(dev, MRC_CNT_RX_PACKETS);
	mrc_count_n(dev, MRC_CNT_RX_BYTES, pkt->wire_len);
	mrc_count(dev, MRC_CNT_RX_DATAGRAMS);
	if (plane)
		mrc_plane_count_rx(plane, 1, pkt->wire_len, pkt->ce);
}

void mrc_ud_receive(const struct mrc_rx_pkt *pkt)
{
	enum mrc_drop drop;
	struct mrc_dev *dev;
	struct mrc_ud *ud = mrc_ud_find(pkt, &dev);

	if (!ud) {
		mrc_devs_count_drop(pkt->net, pkt->daddr, MRC_DROP_NO_QP);
		return;
	}
	drop = mrc_ud_check(ud, pkt);
	if (drop != MRC_DROP_COUNT) {
		mrc_count(dev, mrc_drop_counter(drop));
		return;
	}
	mrc_ud_count_rx(dev, pkt);
	spin_lock(&ud->lock);
	if (mrc_ud_live(ud))
		mrc_ud_take(ud, pkt);
	spin_unlock(&ud->lock);
}

/* ---- sending ------------------------------------------------------------------- */

static struct mrc_hdr mrc_ud_hdr(const struct mrc_ud *ud, const struct mrc_ud_msg *m)
{
	return (struct mrc_hdr){
		.bth.opcode = m->has_imm ? MRC_OP_UD_ONLY_IMM : MRC_OP_UD_ONLY,
		.bth.pad = -m->len & 3,
		.bth.solicited = m->solicited,
		.bth.pkey = MRC_PKEY_DEFAULT,
		.bth.qpn = m->qpn,
		.bth.psn = ud->psn,
		.ud.qkey = m->qkey,
		.ud.src_qpn = ud->qpn,
		.ud.ip4 = m->ip4,
		.ud.saddr4 = m->saddr4,
		.ud.daddr4 = m->daddr4,
		.ud.imm = m->imm,
	};
}

/* A datagram of a program goes with data, but no window obeys a mark: so it says that it is not for ECN. */
static u8 mrc_ud_tclass(const struct mrc_ud *ud)
{
	const struct mrc_dev_cfg *cfg = &ud->dev->cfg;

	return (ud->qpn == MRC_QPN_GSI ? READ_ONCE(cfg->dscp_control) :
					 READ_ONCE(cfg->dscp_data)) << 2;
}

static int mrc_ud_put(struct mrc_skb *b, const struct mrc_hdr *hdr, const struct mrc_ud_msg *m)
{
	unsigned int len = mrc_opcode_hdr_len(hdr->bth.opcode) + (m->ip4 ? MRC_IP4ETH_LEN : 0);
	u8 *buf = mrc_skb_hdr(b, len);
	int err;

	if (!buf)
		return -ENOMEM;
	mrc_hdr_encode(buf, hdr);
	err = m->len ? mrc_skb_copy(b, m->data, m->len) : 0;
	return err ?: mrc_skb_close(b);
}

/* Return: 0, or why the datagram did not leave by this EV. */
static int mrc_ud_xmit(struct mrc_ud *ud, struct mrc_peer *peer, struct mrc_peer_evs *evs, u16 ev,
		       const struct mrc_ud_msg *m)
{
	const struct mrc_hdr hdr = mrc_ud_hdr(ud, m);
	struct mrc_skb b;
	int err;

	err = mrc_skb_open(&b, rcu_dereference(peer->flow), &evs->path[ev],
			   evs->paths.ev[ev].bits, mrc_ud_tclass(ud), 1);
	if (err)
		return err;
	if (ud->qpn == MRC_QPN_GSI)
		mrc_skb_hurry(&b);
	err = mrc_ud_put(&b, &hdr, m);
	if (err) {
		mrc_skb_abort(&b);
		return err;
	}
	mrc_count(ud->dev, MRC_CNT_TX_PACKETS);
	mrc_count_n(ud->dev, MRC_CNT_TX_BYTES, b.bytes);
	mrc_count(ud->dev, MRC_CNT_TX_DATAGRAMS);
	return mrc_skb_xmit(&b);
}

/* The GSI does not wait, as control packets do not: a full plane must not hold up its other peers. */
static bool mrc_ud_must_wait(const struct mrc_ud *ud, const struct mrc_path *path)
{
	return ud->qpn != MRC_QPN_GSI && path->plane && !mrc_backlog_room(&path->plane->backlog);
}

/* Tries EVs until the datagram leaves by one. BH off, under RCU. Return: as for mrc_ud_send(). */
static int mrc_ud_try(struct mrc_ud *ud, struct mrc_peer *peer, const struct mrc_ud_msg *m)
{
	struct mrc_peer_evs *evs = rcu_dereference(peer->evs);
	unsigned int tries, full = 0;
	enum mrc_sent sent;
	int err;
	u16 ev;

	for (tries = 0; tries < MRC_UD_TRIES; tries++) {
		ev = mrc_prober_vary_ev(peer, evs);
		if (ev == MRC_EV_NONE)
			break;
		if (mrc_ud_must_wait(ud, &evs->path[ev])) {
			full++;
			continue;
		}
		err = mrc_ud_xmit(ud, peer, evs, ev, m);
		if (!err)
			return 0;
		sent = mrc_sent_verdict(err);
		mrc_count_unsent(ud->dev, err);
		/* The length is this program's, and says nothing to the other users of the path. */
		if (sent != MRC_SENT_NO_ROOM)
			mrc_prober_sent(peer, evs, ev, sent);
		if (!mrc_sent_is_lost(sent))
			return 0;
	}
	if (full)
		return -EAGAIN;
	mrc_count(ud->dev, MRC_CNT_TX_NO_PATH);
	return 0;
}

int mrc_ud_send(struct mrc_ud *ud, struct mrc_peer *peer, const struct mrc_ud_msg *m)
{
	int err;

	local_bh_disable();
	rcu_read_lock();
	err = mrc_ud_try(ud, peer, m);
	if (!err && ud->qpn == MRC_QPN_GSI && rcu_dereference(peer->evs)->paths.set.nplanes > 1)
		mrc_ud_try(ud, peer, m);
	rcu_read_unlock();
	local_bh_enable();
	if (!err)
		ud->psn = mrc_psn_add(ud->psn, 1);
	return err;
}
