// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers of QPs that are gone, or in error.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "gone.h"
#include "../endpoint/peers.h"
#include "reply.h"
#include "responder.h"
#include "../device/user.h"

/**
 * struct mrc_gone_user - a user whose QPs have ended
 * @hash: in the table's users
 * @class: in the table's classes
 * @uid: the user's id; -1: of QPs without a user
 * @list: the user's records, the oldest first
 * @count: number of records, at least 1
 */
struct mrc_gone_user {
	struct hlist_node hash;
	struct list_head class;
	u32 uid;
	struct list_head list;
	unsigned int count;
};

/**
 * struct mrc_gone - a QP that has ended
 * @hash: in the table's hash
 * @list: in the user's list
 * @user: its user
 * @key: key of the peer that it was connected to
 * @qpn: its number
 * @dest_qpn: QP at the other end
 * @pkey: partition key
 * @words: what it still answers
 */
struct mrc_gone {
	struct hlist_node hash;
	struct list_head list;
	struct mrc_gone_user *user;
	struct mrc_peer_key key;
	u32 qpn;
	u32 dest_qpn;
	u16 pkey;
	struct mrc_last_words words;
};

/**
 * struct mrc_gone_answer - an answer that waits for the work
 * @list: in the table's answers
 * @gone: the QP that answers
 * @answers: the packets
 */
struct mrc_gone_answer {
	struct list_head list;
	struct mrc_gone gone;
	struct mrc_answers answers;
};

static void mrc_gone_describe(struct mrc_gone *gone, struct mrc_qp *qp,
			      const struct mrc_peer *peer)
{
	*gone = (struct mrc_gone){
		.key = peer->key,
		.qpn = qp->qpn,
		.dest_qpn = qp->conn.dest_qpn,
		.pkey = qp->conn.pkey,
	};
	mrc_responder_last_words(qp, &gone->words);
}

/* ---- memory -------------------------------------------------------------- */

/* table->lock held. */
static struct mrc_gone *mrc_gone_find(struct mrc_gone_table *table, u32 qpn)
{
	struct mrc_gone *gone;

	hash_for_each_possible(table->hash, gone, hash, qpn)
		if (gone->qpn == qpn)
			return gone;
	return NULL;
}

/* The number of the user's records has changed. table->lock held. */
static void mrc_gone_classify(struct mrc_gone_table *table, struct mrc_gone_user *user)
{
	list_move(&user->class, &table->classes[fls(user->count)]);
}

/* table->lock held. */
static struct mrc_gone_user *mrc_gone_find_user(struct mrc_gone_table *table, u32 uid)
{
	struct mrc_gone_user *user;

	hash_for_each_possible(table->users, user, hash, uid)
		if (user->uid == uid)
			return user;
	return NULL;
}

/* table->lock held. */
static void mrc_gone_forget(struct mrc_gone_table *table, struct mrc_gone *gone)
{
	struct mrc_gone_user *user = gone->user;

	hash_del(&gone->hash);
	list_del(&gone->list);
	table->count--;
	kfree(gone);
	if (--user->count)
		return mrc_gone_classify(table, user);
	hash_del(&user->hash);
	list_del(&user->class);
	kfree(user);
}

static void mrc_gone_forget_oldest(struct mrc_gone_table *table, struct mrc_gone_user *user)
{
	mrc_gone_forget(table, list_first_entry(&user->list, struct mrc_gone, list));
}

/* A user from the non-empty class with the most records, or NULL: there are no users. */
static struct mrc_gone_user *mrc_gone_heaviest(struct mrc_gone_table *table)
{
	unsigned int i;

	for (i = MRC_GONE_CLASSES; i--;)
		if (!list_empty(&table->classes[i]))
			return list_first_entry(&table->classes[i], struct mrc_gone_user, class);
	return NULL;
}

/* Makes room for one more record of this user. table->lock held. */
static void mrc_gone_make_room(struct mrc_gone_table *table, u32 uid)
{
	struct mrc_gone_user *user = mrc_gone_find_user(table, uid);

	if (user && user->count >= MRC_GONE_USER_MAX)
		mrc_gone_forget_oldest(table, user);
	else if (table->count >= MRC_GONE_MAX)
		mrc_gone_forget_oldest(table, mrc_gone_heaviest(table));
}

/* Return: @fresh, if it was not needed. table->lock held. */
static struct mrc_gone_user *mrc_gone_add(struct mrc_gone_table *table, struct mrc_gone *gone,
					  struct mrc_gone_user *fresh)
{
	struct mrc_gone_user *user = mrc_gone_find_user(table, fresh->uid);

	if (!user) {
		user = fresh;
		fresh = NULL;
		INIT_LIST_HEAD(&user->list);
		INIT_LIST_HEAD(&user->class);
		hash_add(table->users, &user->hash, user->uid);
	}
	gone->user = user;
	hash_add(table->hash, &gone->hash, gone->qpn);
	list_add_tail(&gone->list, &user->list);
	table->count++;
	user->count++;
	mrc_gone_classify(table, user);
	return fresh;
}

static void mrc_gone_put_in(struct mrc_gone_table *table, struct mrc_gone *gone,
			    struct mrc_gone_user *fresh)
{
	struct mrc_gone *old;

	spin_lock_bh(&table->lock);
	old = mrc_gone_find(table, gone->qpn);
	if (old)
		mrc_gone_forget(table, old);
	mrc_gone_make_room(table, fresh->uid);
	fresh = mrc_gone_add(table, gone, fresh);
	spin_unlock_bh(&table->lock);
	kfree(fresh);
}

void mrc_gone_remember(struct mrc_qp *qp, const struct mrc_peer *peer)
{
	struct mrc_gone_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	struct mrc_gone *gone = kmalloc(sizeof(*gone), GFP_KERNEL_ACCOUNT);

	if (!user || !gone) {
		kfree(user);
		kfree(gone);
		return;
	}
	user->uid = qp->user ? __kuid_val(qp->user->uid) : U32_MAX;
	mrc_gone_describe(gone, qp, peer);
	mrc_gone_put_in(qp->dev->gone, gone, user);
}

/* ---- answers: the decision ------------------------------------------------ */

static bool mrc_gone_from_peer(const struct mrc_gone *gone,
			       const struct mrc_rx_pkt *pkt)
{
	return ipv6_addr_equal(&gone->key.remote, pkt->saddr) &&
	       ipv6_addr_equal(&gone->key.local, pkt->daddr) &&
	       !((pkt->hdr.bth.pkey ^ gone->pkey) & 0x7fff);
}

/* table->lock held. */
static bool mrc_gone_waits(const struct mrc_gone_table *table, u32 qpn)
{
	const struct mrc_gone_answer *answer;

	list_for_each_entry(answer, &table->answers, list)
		if (answer->gone.qpn == qpn)
			return true;
	return false;
}

/* Packets come in bursts, and one answer to a burst is enough. table->lock held. */
static bool mrc_gone_may_answer(struct mrc_gone_table *table, u32 qpn)
{
	return table->nanswers < MRC_GONE_ANSWERS_MAX &&
	       !mrc_gone_waits(table, qpn) &&
	       mrc_gate_pass(&table->gate, ktime_get_ns(), MRC_GONE_RATE);
}

static bool mrc_gone_queue(struct mrc_gone_table *table,
			   const struct mrc_gone_answer *wanted)
{
	struct mrc_gone_answer *answer = NULL;

	spin_lock(&table->lock);
	if (mrc_gone_may_answer(table, wanted->gone.qpn))
		answer = kmemdup(wanted, sizeof(*wanted), GFP_ATOMIC);
	if (answer) {
		list_add_tail(&answer->list, &table->answers);
		table->nanswers++;
	}
	spin_unlock(&table->lock);
	return answer;
}

static void mrc_gone_answer(struct mrc_dev *dev, struct mrc_gone_answer *answer,
			    const struct mrc_rx_pkt *pkt)
{
	const struct mrc_gone *gone = &answer->gone;

	if (!mrc_gone_from_peer(gone, pkt))
		return;
	mrc_answers_init(&answer->answers);
	mrc_last_words_say(&gone->words, &pkt->hdr, pkt->ev, &answer->answers);
	if (!answer->answers.count ||
	    (READ_ONCE(dev->cfg.icrc) && !mrc_rx_icrc_ok(pkt)))
		return;
	if (mrc_gone_queue(dev->gone, answer))
		mrc_dev_queue_work(dev, &dev->gone->work);
}

static void mrc_gone_look_up(struct mrc_dev *dev, const struct mrc_rx_pkt *pkt)
{
	struct mrc_gone_table *table = dev->gone;
	struct mrc_gone_answer answer;
	struct mrc_gone *gone;

	spin_lock(&table->lock);
	gone = mrc_gone_find(table, pkt->hdr.bth.qpn);
	if (gone)
		answer.gone = *gone;
	spin_unlock(&table->lock);
	if (gone)
		mrc_gone_answer(dev, &answer, pkt);
}

void mrc_gone_no_qp(const struct mrc_rx_pkt *pkt)
{
	struct mrc_dev *dev = mrc_dev_by_addr(pkt->net, pkt->daddr);

	if (dev && mrc_dev_hears(dev, mrc_plane_by_ifindex(&dev->planes, pkt->ifindex),
				 pkt->loopback))
		mrc_gone_look_up(dev, pkt);
}

/*
 * A QP in RESET may have had a connection, and answers for it. A QP in INIT does not: it is about
 * to be connected, maybe to the same QP again, which must get no answers of the connection before.
 */
void mrc_gone_not_live(struct mrc_qp *qp, const struct mrc_rx_pkt *pkt)
{
	enum ib_qp_state state = READ_ONCE(qp->state);
	struct mrc_peer *peer = READ_ONCE(qp->peer);
	struct mrc_gone_answer answer;

	if (state == IB_QPS_RESET)
		mrc_gone_look_up(qp->dev, pkt);
	if (state != IB_QPS_ERR || !peer)
		return;
	mrc_gone_describe(&answer.gone, qp, peer);
	mrc_gone_answer(qp->dev, &answer, pkt);
}

/* ---- answers: on their way out --------------------------------------------- */

static struct mrc_gone_answer *mrc_gone_take(struct mrc_gone_table *table)
{
	struct mrc_gone_answer *answer;

	spin_lock_bh(&table->lock);
	answer = list_first_entry_or_null(&table->answers,
					  struct mrc_gone_answer, list);
	if (answer) {
		list_del(&answer->list);
		table->nanswers--;
	}
	spin_unlock_bh(&table->lock);
	return answer;
}

/* Does the peer exist, or may it be made? To make a peer costs more than to answer. */
static bool mrc_gone_may_get(struct mrc_dev *dev, const struct mrc_peer_key *key)
{
	struct mrc_gone_table *table = dev->gone;
	bool may;

	rcu_read_lock();
	may = mrc_peers_of(dev, &key->local, &key->remote);
	rcu_read_unlock();
	if (may)
		return true;
	spin_lock_bh(&table->lock);
	may = mrc_gate_pass(&table->peer_gate, ktime_get_ns(),
			    MRC_GONE_PEER_RATE);
	spin_unlock_bh(&table->lock);
	return may;
}

/*
 * Gets the peer for an answer, and drops @before, the peer of the answer before. Mostly both are
 * the same peer, which may exist for these answers only. So @before is dropped after the new
 * reference is taken.
 */
static struct mrc_peer *mrc_gone_peer(struct mrc_dev *dev,
				      const struct mrc_peer_key *key,
				      struct mrc_peer *before)
{
	struct mrc_peer *peer = ERR_PTR(-EBUSY);

	if (mrc_gone_may_get(dev, key))
		peer = mrc_peers_get(dev, key);
	if (before)
		mrc_peers_put(before);
	return IS_ERR(peer) ? NULL : peer;
}

static void mrc_gone_send(struct mrc_peer *peer,
			  const struct mrc_gone_answer *answer)
{
	local_bh_disable();
	rcu_read_lock();
	mrc_reply_send_to(peer, answer->gone.dest_qpn, answer->gone.pkey,
			  &answer->answers);
	rcu_read_unlock();
	local_bh_enable();
}

static void mrc_gone_work(struct work_struct *work)
{
	struct mrc_gone_table *table = container_of(work, struct mrc_gone_table,
						    work);
	struct mrc_dev *dev = table->dev;
	struct mrc_gone_answer *answer;
	struct mrc_peer *peer = NULL;

	while ((answer = mrc_gone_take(table))) {
		peer = mrc_gone_peer(dev, &answer->gone.key, peer);
		if (peer)
			mrc_gone_send(peer, answer);
		kfree(answer);
	}
	if (peer)
		mrc_peers_put(peer);
	mrc_dev_put(dev);
}

/* ---- life ------------------------------------------------------------------- */

int mrc_gone_init(struct mrc_dev *dev)
{
	struct mrc_gone_table *table = kvzalloc(sizeof(*table), GFP_KERNEL);
	unsigned int i;

	if (!table)
		return -ENOMEM;
	table->dev = dev;
	spin_lock_init(&table->lock);
	hash_init(table->hash);
	hash_init(table->users);
	for (i = 0; i < MRC_GONE_CLASSES; i++)
		INIT_LIST_HEAD(&table->classes[i]);
	INIT_LIST_HEAD(&table->answers);
	INIT_WORK(&table->work, mrc_gone_work);
	dev->gone = table;
	return 0;
}

void mrc_gone_fini(struct mrc_dev *dev)
{
	struct mrc_gone_table *table = dev->gone;
	struct mrc_gone_user *user;

	if (!table)
		return;
	while ((user = mrc_gone_heaviest(table)))
		mrc_gone_forget_oldest(table, user);
	kvfree(table);
}
