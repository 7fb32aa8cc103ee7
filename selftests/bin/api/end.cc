// SPDX-License-Identifier: GPL-2.0-only
#include "end.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>

namespace api
{

namespace
{

using Clock = std::chrono::steady_clock;
/* Ends a hung test, measures nothing. */
constexpr auto limit = std::chrono::seconds(60);
constexpr int access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

} // namespace

End::End(int which, const Shape &shape, size_t bytes) : bytes_(bytes)
{
    mrc_context_attr versions{MRC_API_VER_USED, MRC_VENDOR_API_VER_USED};
    mrc_qp_init_attr init{};

    device = verbs::open_device(verbs::config.device[which], verbs::config.netns[which]);
    if (ibv_query_port(device.get(), 1, &port))
        verbs::fail("port");
    gid_index = verbs::find_gid(device.get(), port.gid_tbl_len, verbs::config.gid[which], &gid);
    pd.reset(verbs::must(ibv_alloc_pd(device.get()), "PD"));
    mr_.reset(verbs::must(ibv_reg_mr(pd.get(), bytes_.data(), bytes_.size(),
                                     access_flags | IBV_ACCESS_RELAXED_ORDERING),
                          "MR"));
    context = verbs::must(mrc_create_context(device.get(), &versions), "MRC context");
    if (shape.channel && mrc_create_comp_channel(context, &channel))
        verbs::fail("channel");
    cq = verbs::must(mrc_create_cq(context, 256, &cq_context, channel, 0), "CQ");
    init.qp_context = &qp_context;
    init.send_cq = init.recv_cq = cq;
    init.pd = pd.get();
    init.cap = {shape.send_wr, shape.recv_wr, 1, 1, 0};
    init.sq_sig_all = shape.signal_all;
    qp = verbs::must(mrc_create_qp(context, &init), "QP");
    psn = std::random_device{}() & 0xffffff;
}

End::~End()
{
    if (context)
        mrc_destroy_context(context);
}

int End::to_init(mrc_qp_attr *attr, int mask)
{
    ibv_qp_attr v{};

    v.qp_state = IBV_QPS_INIT;
    v.port_num = 1;
    v.qp_access_flags = access_flags;
    return mrc_modify_qp(
        qp, &v, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, attr, mask);
}

int End::to_rtr(const End &peer, mrc_qp_attr *attr, int mask)
{
    ibv_qp_attr v{};

    v.qp_state = IBV_QPS_RTR;
    v.path_mtu = std::min({IBV_MTU_4096, port.active_mtu, peer.port.active_mtu});
    v.dest_qp_num = peer.qpn();
    v.rq_psn = peer.psn;
    v.ah_attr.is_global = 1;
    v.ah_attr.port_num = 1;
    v.ah_attr.grh.dgid = peer.gid;
    v.ah_attr.grh.sgid_index = static_cast<uint8_t>(gid_index);
    v.ah_attr.grh.hop_limit = 64;
    return verbs::with_neighbour([&] {
        return mrc_modify_qp(
            qp, &v, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
            attr, mask);
    });
}

/* Retry counts that one known program uses: more than three bits. */
int End::to_rts(mrc_qp_attr *attr, int mask, int verbs_mask)
{
    ibv_qp_attr v{};

    v.qp_state = IBV_QPS_RTS;
    v.sq_psn = psn;
    v.timeout = 18;
    v.retry_cnt = 14;
    v.rnr_retry = 14;
    return mrc_modify_qp(qp, &v,
                         IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                             IBV_QP_RNR_RETRY | verbs_mask,
                         attr, mask);
}

int End::to_state(ibv_qp_state state)
{
    ibv_qp_attr v{};

    v.qp_state = state;
    return mrc_modify_qp(qp, &v, IBV_QP_STATE, nullptr, 0);
}

ibv_qp_state End::state()
{
    ibv_qp_attr v{};

    return mrc_query_qp(qp, &v, IBV_QP_STATE, nullptr, 0, nullptr) ? IBV_QPS_UNKNOWN : v.qp_state;
}

mrc_qp_attr End::attributes()
{
    constexpr int all = MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST | MRC_QP_MPR | MRC_QP_MPR_DEST |
                        MRC_QP_TIMEOUT | MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID | MRC_QP_HINT |
                        MRC_QP_RETRY_CNT | MRC_QP_CAP | MRC_QP_VENDOR_CFG;
    mrc_qp_attr attr{};

    EXPECT_EQ(mrc_query_qp(qp, nullptr, 0, &attr, all, nullptr), 0);
    return attr;
}

uint32_t End::qpn() const
{
    uint32_t number = 0;

    EXPECT_EQ(mrc_get_qpn(qp, &number), 0);
    return number;
}

int End::write(const End &to, size_t offset, uint32_t length, uint64_t id, unsigned int flags,
               ibv_wr_opcode opcode, uint32_t imm, uint32_t rkey)
{
    ibv_sge sge{address(offset), length, mr_->lkey};
    ibv_send_wr wr{};
    ibv_send_wr *bad = nullptr;

    wr.wr_id = id;
    wr.sg_list = &sge;
    wr.num_sge = length ? 1 : 0;
    wr.opcode = opcode;
    wr.send_flags = flags;
    wr.imm_data = imm;
    wr.wr.rdma.remote_addr = to.address(offset);
    wr.wr.rdma.rkey = rkey ? rkey : to.mr_->rkey;
    return mrc_post_send(qp, &wr, &bad);
}

int End::receive(uint64_t id)
{
    ibv_recv_wr wr{};
    ibv_recv_wr *bad = nullptr;

    wr.wr_id = id;
    return mrc_post_recv(qp, &wr, &bad);
}

std::vector<ibv_wc> End::completions(size_t n)
{
    const auto end = Clock::now() + limit;
    std::vector<ibv_wc> found;
    ibv_wc wc[16];

    while (found.size() < n && Clock::now() < end) {
        const int polled = mrc_poll_cq(cq, 16, wc);
        EXPECT_GE(polled, 0);
        found.insert(found.end(), wc, wc + std::max(polled, 0));
    }
    return found;
}

void Connected::make(const Shape &shape, size_t bytes)
{
    a = std::make_unique<End>(0, shape, bytes);
    b = std::make_unique<End>(1, shape, bytes);
}

void Connected::connect()
{
    mrc_qp_attr zero{};

    for (auto &[from, to] : {std::pair(a.get(), b.get()), std::pair(b.get(), a.get())}) {
        ASSERT_EQ(from->to_init(&zero), 0);
        ASSERT_EQ(from->to_rtr(*to, &zero), 0);
        ASSERT_EQ(from->to_rts(&zero), 0);
    }
}

} // namespace api
