// SPDX-License-Identifier: GPL-2.0-only
/* QP states and attributes: the rules of verbs and what MRC makes of them. */
#include <cerrno>

#include "fixture.h"
#include "qp_attr.h"

namespace verbs
{

class States : public Pair
{
protected:
    /** Retries that last longer than the test waits. */
    static constexpr Shape patient{.timeout = 22, .retries = 7};

    /** The first of two writes of a ends with this status, the other one is flushed. */
    void expect_end(ibv_wc_status status)
    {
        ASSERT_EQ(post(*a, *b, {.id = 1, .length = 10000}), 0);
        ASSERT_EQ(post(*a, *b, {.id = 2, .length = 10000}), 0);
        const auto sent = wait_completions(a->send_cq.get(), 2);
        ASSERT_EQ(sent.size(), 2u);
        EXPECT_EQ(sent[0].status, status);
        EXPECT_EQ(sent[0].wr_id, 1u);
        EXPECT_EQ(sent[1].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(a->state(), IBV_QPS_ERR);
    }
};

TEST_F(States, WrongTransitionsAreRefused)
{
    make();
    EXPECT_EQ(a->to_state(IBV_QPS_RTS), EINVAL);
    EXPECT_EQ(a->to_rtr(*b), EINVAL);
    EXPECT_EQ(a->state(), IBV_QPS_RESET);
    ASSERT_NO_FATAL_FAILURE(a->to_init());
    EXPECT_EQ(a->to_rts(), EINVAL);
    EXPECT_EQ(a->state(), IBV_QPS_INIT);
    ASSERT_EQ(a->to_rtr(*b), 0);
    ASSERT_EQ(a->to_rts(), 0);
    EXPECT_EQ(a->state(), IBV_QPS_RTS);
    EXPECT_EQ(a->to_state(IBV_QPS_SQD), EINVAL);
    EXPECT_EQ(a->to_state(IBV_QPS_INIT), EINVAL);
    EXPECT_EQ(a->to_state(IBV_QPS_ERR), 0);
    EXPECT_EQ(a->to_state(IBV_QPS_RTS), EINVAL);
    EXPECT_EQ(a->to_state(IBV_QPS_RESET), 0);
}

TEST_F(States, AlternatePathsAreRefused)
{
    ibv_qp_attr attr{};

    ASSERT_NO_FATAL_FAILURE(make_connected());
    attr.path_mig_state = IBV_MIG_REARM;
    EXPECT_EQ(ibv_modify_qp(a->qp.get(), &attr, IBV_QP_PATH_MIG_STATE), EINVAL);
    attr.cur_qp_state = IBV_QPS_RTR;
    EXPECT_EQ(ibv_modify_qp(a->qp.get(), &attr, IBV_QP_CUR_STATE), EINVAL);
}

TEST_F(States, AttributesOfRcMayBeLeftOut)
{
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};

    make();
    attr.qp_state = IBV_QPS_INIT;
    attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
    ASSERT_EQ(
        ibv_modify_qp(a->qp.get(), &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS),
        0);
    /* If the device chose the initial PSN, others could learn it in time. */
    ASSERT_EQ(ibv_query_qp(a->qp.get(), &attr, IBV_QP_SQ_PSN, &init), 0);
    a->psn = attr.sq_psn;
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    attr = {};
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_1024;
    attr.dest_qp_num = b->qp->qp_num;
    attr.rq_psn = b->psn;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.grh.dgid = b->gid;
    attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(a->gid_index);
    ASSERT_EQ(
        ibv_modify_qp(a->qp.get(), &attr,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN),
        0);
    attr.qp_state = IBV_QPS_RTS;
    ASSERT_EQ(ibv_modify_qp(a->qp.get(), &attr, IBV_QP_STATE), 0);
}

TEST_F(States, InitialPsnIsUnpredictable)
{
    ibv_qp_attr first{}, second{};
    ibv_qp_init_attr init{};

    make();
    ASSERT_EQ(ibv_query_qp(a->qp.get(), &first, IBV_QP_SQ_PSN, &init), 0);
    ASSERT_EQ(ibv_query_qp(b->qp.get(), &second, IBV_QP_SQ_PSN, &init), 0);
    EXPECT_NE(first.sq_psn, second.sq_psn);
    EXPECT_NE(a->qp->qp_num + 1, b->qp->qp_num);
}

TEST_F(States, QueryTellsWhatWasSet)
{
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};

    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(ibv_query_qp(a->qp.get(), &attr, IBV_QP_SQ_PSN | IBV_QP_RQ_PSN, &init), 0);
    EXPECT_EQ(attr.qp_state, IBV_QPS_RTS);
    EXPECT_EQ(attr.dest_qp_num, b->qp->qp_num);
    EXPECT_EQ(attr.rq_psn, b->psn);
    EXPECT_EQ(attr.sq_psn, a->psn);
    EXPECT_EQ(attr.timeout, a->shape.timeout);
    EXPECT_EQ(attr.retry_cnt, a->shape.retries);
    EXPECT_EQ(attr.min_rnr_timer, 12);
    EXPECT_EQ(attr.port_num, 1);
    EXPECT_EQ(attr.ah_attr.is_global, 1);
    EXPECT_EQ(attr.ah_attr.grh.sgid_index, a->gid_index);
    EXPECT_EQ(attr.ah_attr.grh.dgid.global.interface_id, b->gid.global.interface_id);
    EXPECT_EQ(attr.qp_access_flags, static_cast<unsigned int>(a->shape.qp_access));
    EXPECT_GE(attr.cap.max_send_wr, a->shape.send_wr);
    EXPECT_GE(attr.cap.max_inline_data, a->shape.inline_data);
    EXPECT_EQ(init.sq_sig_all, 0);
}

/* The RDMA core queries without a mask, to show QPs to all users. */
TEST_F(States, PsnsAreForThoseWhoAskForThem)
{
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};

    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(ibv_query_qp(a->qp.get(), &attr, 0, &init), 0);
    EXPECT_EQ(attr.dest_qp_num, b->qp->qp_num);
    EXPECT_EQ(attr.sq_psn, 0u);
    EXPECT_EQ(attr.rq_psn, 0u);
}

/* The current state does not say what comes next. */
TEST_F(States, SendPsnStaysTheInitialOne)
{
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};

    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(post(*a, *b, {.length = 50000, .signaled = false}), 0);
    ASSERT_NO_FATAL_FAILURE(fence());
    ASSERT_EQ(ibv_query_qp(a->qp.get(), &attr, IBV_QP_SQ_PSN, &init), 0);
    EXPECT_EQ(attr.sq_psn, a->psn);
}

TEST_F(States, PostingNeedsTheRightState)
{
    make();
    EXPECT_EQ(post_receives(*a, 1), EINVAL);
    EXPECT_EQ(post(*a, *b, {}), EINVAL);
    ASSERT_NO_FATAL_FAILURE(a->to_init());
    EXPECT_EQ(post_receives(*a, 1), 0);
    EXPECT_EQ(post(*a, *b, {}), EINVAL);
    ASSERT_EQ(a->to_rtr(*b), 0);
    EXPECT_EQ(post(*a, *b, {}), EINVAL);
}

TEST_F(States, ErrorFlushesEverything)
{
    make();
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    ASSERT_EQ(post_receives(*b, 3, 10), 0);
    ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0);
    ASSERT_EQ(post_receives(*b, 2, 13), 0);
    const auto received = wait_completions(b->recv_cq.get(), 5);
    ASSERT_EQ(received.size(), 5u);
    for (size_t i = 0; i < 5; i++) {
        EXPECT_EQ(received[i].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(received[i].wr_id, 10 + i);
    }
    ASSERT_EQ(post(*b, *a, {.id = 20, .signaled = false}), 0);
    ASSERT_EQ(post(*b, *a, {.id = 21}), 0);
    const auto sent = wait_completions(b->send_cq.get(), 2);
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_EQ(sent[0].status, IBV_WC_WR_FLUSH_ERR);
    EXPECT_EQ(sent[1].wr_id, 21u);
}

TEST_F(States, ErrorFlushesWhatIsUnderWay)
{
    constexpr uint64_t n = 40;

    ASSERT_NO_FATAL_FAILURE(make_connected({.send_wr = 64, .timeout = 18}, 1 << 20));
    /* In RESET the QP would say that it is not connected any more. */
    ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
    ASSERT_NO_FATAL_FAILURE(b->to_init());
    for (uint64_t i = 0; i < n; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .length = 1 << 20, .signaled = false}), 0);
    }
    ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
    const auto sent = wait_completions(a->send_cq.get(), n);
    ASSERT_EQ(sent.size(), n);
    for (uint64_t i = 0; i < n; i++) {
        EXPECT_EQ(sent[i].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(sent[i].wr_id, i);
    }
}

TEST_F(States, ResetStartsAnew)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (int round = 0; round < 5; round++) {
        ASSERT_EQ(post(*a, *b, {.length = 50000, .signaled = false}), 0);
        ASSERT_NO_FATAL_FAILURE(fence());
        if (round % 2) {
            ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
        }
        ASSERT_EQ(post_receives(*b, 3), 0);
        ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
        ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
        a->psn = b->psn = 0xfffff0 + round;
        ASSERT_NO_FATAL_FAILURE(a->connect(*b));
        ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    }
    ASSERT_NO_FATAL_FAILURE(fence());
}

/* What was derived from verbs' attributes is gone; what the program set in MRC's terms stays. */
TEST_F(States, ResetForgetsWhatWasDerived)
{
    mrc_abi_qp_attr fresh{}, found{}, attr{};

    make({.timeout = 0, .retries = 2});
    attr.mask = MRC_QP_ATTR_WIMM_TX;
    attr.wimm_tx = 9;
    ASSERT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), 0);
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &fresh), 0);
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &found), 0);
    EXPECT_EQ(found.exp, 25);
    EXPECT_EQ(found.linear, 2);
    ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &found), 0);
    EXPECT_EQ(found.exp, fresh.exp);
    EXPECT_EQ(found.linear, fresh.linear);
    EXPECT_EQ(found.timeout, fresh.timeout);
    EXPECT_EQ(found.wimm_tx, 9);
}

TEST_F(States, FailedTransitionKeepsTheRetries)
{
    mrc_abi_qp_attr fresh{}, found{}, profile{};
    ibv_qp_attr attr{};

    make();
    profile.mask = MRC_QP_ATTR_EV_PROFILE;
    profile.ev_profile = 0xdead;
    ASSERT_EQ(mrc_qp_attr_set(a->qp.get(), &profile), 0);
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &fresh), 0);
    ASSERT_NO_FATAL_FAILURE(a->to_init());
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_1024;
    attr.dest_qp_num = b->qp->qp_num;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.grh.dgid = b->gid;
    attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(a->gid_index);
    attr.timeout = 3;
    attr.retry_cnt = 1;
    EXPECT_EQ(ibv_modify_qp(a->qp.get(), &attr,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                IBV_QP_RQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT),
              ENOENT);
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &found), 0);
    EXPECT_EQ(found.timeout, fresh.timeout);
    EXPECT_EQ(found.linear, fresh.linear);
}

TEST_F(States, RetriesRunOut)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 8, .retries = 1}));
    ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
    /* The QP is about to be connected, and to go on then. */
    ASSERT_NO_FATAL_FAILURE(b->to_init());
    expect_end(IBV_WC_RETRY_EXC_ERR);
}

/*
 * A QP that was connected and no longer is says so: the peer needs no retries, which would last for
 * ages.
 */
TEST_F(States, PeerInErrorSaysSo)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(patient));
    ASSERT_NO_FATAL_FAILURE(fence());
    ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0);
    expect_end(IBV_WC_REM_OP_ERR);
}

TEST_F(States, PeerThatWasResetSaysSo)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(patient));
    ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
    expect_end(IBV_WC_REM_OP_ERR);
}

TEST_F(States, PeerThatIsGoneSaysSo)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(patient));
    ASSERT_NO_FATAL_FAILURE(fence());
    b->qp.reset();
    expect_end(IBV_WC_REM_OP_ERR);
}

TEST_F(States, PeerThatIsNewSaysNothingOfItsPast)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 18, .retries = 7}));
    ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
    ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    fence();
}

TEST_F(States, Ipv4GidsAreRefused)
{
    make();
    ASSERT_NO_FATAL_FAILURE(a->to_init());
    const ibv_gid gid = b->gid;
    b->gid = {};
    b->gid.raw[10] = b->gid.raw[11] = 0xff;
    b->gid.raw[12] = 10;
    b->gid.raw[15] = 1;
    EXPECT_NE(a->to_rtr(*b), 0);
    b->gid = gid;
    EXPECT_EQ(a->to_rtr(*b), 0);
}

TEST_F(States, MrcAttributes)
{
    mrc_abi_qp_attr attr{}, found{};

    make();
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &found), 0);
    EXPECT_EQ(found.mask, static_cast<uint32_t>(MRC_QP_ATTR_ALL));
    attr.mask = MRC_QP_ATTR_MPR_RX | MRC_QP_ATTR_LINEAR | MRC_QP_ATTR_TIMEOUT;
    attr.mpr_rx = 3;
    attr.linear = 2;
    attr.timeout = 11;
    attr.mpr_tx = 99; /* not in the mask */
    ASSERT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), 0);
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    const uint8_t mpr_tx = found.mpr_tx;
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &found), 0);
    EXPECT_EQ(found.mpr_rx, 3);
    EXPECT_EQ(found.mpr_tx, mpr_tx);
    /* What was set in MRC's terms has precedence over verbs' attributes. */
    EXPECT_EQ(found.linear, 2);
    EXPECT_EQ(found.timeout, 11);
    attr.mpr_rx = 4;
    EXPECT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), EBUSY);
}

TEST_F(States, BadMrcAttributesAreRefused)
{
    mrc_abi_qp_attr attr{};

    make();
    attr.mask = MRC_QP_ATTR_MPR_RX;
    EXPECT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), EINVAL);
    attr.mask = MRC_QP_ATTR_TIMEOUT;
    attr.timeout = 25;
    EXPECT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), EINVAL);
    attr.mask = 1u << 30;
    EXPECT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), EINVAL);
    attr.mask = 0;
    attr.reserved[1] = 1;
    EXPECT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), EINVAL);
    attr = {};
    attr.mask = MRC_QP_ATTR_EV_PROFILE;
    attr.ev_profile = 0xdead;
    ASSERT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), 0);
    ASSERT_NO_FATAL_FAILURE(a->to_init());
    EXPECT_EQ(a->to_rtr(*b), ENOENT);
    EXPECT_EQ(a->state(), IBV_QPS_INIT);
}

/* If MRC's attributes were set and taken back, verbs' timeout and retries take effect. */
TEST_F(States, MrcAttributesCanBeTakenBack)
{
    mrc_abi_qp_attr before{}, attr{};

    make();
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &before), 0);
    attr.mask = MRC_QP_ATTR_TIMEOUT | MRC_QP_ATTR_LINEAR | MRC_QP_ATTR_MPR_TX;
    attr.timeout = 3;
    attr.linear = 1;
    attr.mpr_tx = 9;
    ASSERT_EQ(mrc_qp_attr_set(a->qp.get(), &attr), 0);
    before.mask = MRC_QP_ATTR_TIMEOUT | MRC_QP_ATTR_MPR_TX | MRC_QP_ATTR_UNSET;
    ASSERT_EQ(mrc_qp_attr_set(a->qp.get(), &before), 0);
    ASSERT_NO_FATAL_FAILURE(a->connect(*a));
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &attr), 0);
    EXPECT_EQ(attr.timeout, a->shape.timeout + 2) << "that of verbs, in units of a quarter";
    EXPECT_EQ(attr.linear, 1) << "which was not taken back";
    EXPECT_EQ(attr.mpr_tx, before.mpr_tx);
    before.mask = MRC_QP_ATTR_EXP | MRC_QP_ATTR_UNSET;
    const uint8_t exp = before.exp;
    before.exp = 25;
    ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
    ASSERT_EQ(mrc_qp_attr_set(a->qp.get(), &before), 0);
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &attr), 0);
    EXPECT_EQ(attr.exp, 25);
    ASSERT_NO_FATAL_FAILURE(a->to_init());
    ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &attr), 0);
    EXPECT_EQ(attr.exp, exp) << "nobody has asked for another one";
}

TEST_F(States, VerbsRetriesBecomeMrcRetries)
{
    mrc_abi_qp_attr found{};

    ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 10, .retries = 5}));
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &found), 0);
    EXPECT_EQ(found.timeout, 12); /* 4.096 us * 2^10 is 1.024 us * 2^12 */
    EXPECT_EQ(found.linear, 5);
    EXPECT_LT(found.exp, 25);
    ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 0}));
    ASSERT_EQ(mrc_qp_attr_query(a->qp.get(), &found), 0);
    EXPECT_EQ(found.exp, 25); /* for ever */
}

} // namespace verbs
