// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * One end of a collectives library's connection: the sequence of calls that NCCL's own network
 * transport makes (2.28, its transport of InfiniBand and RoCE), with its default values.
 *
 * The receiver writes a slot into the sender's memory: the destination, and how much room there is.
 * Then the sender writes a part of the data on each QP, and behind each part an immediate that says
 * the whole size.
 */
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <endian.h>
#include <vector>

#include "api.h"

namespace nccl
{

constexpr unsigned int qps_per_connection = 2;
constexpr unsigned int slots = 8;
constexpr size_t room = 320 * 1024; ///< for the data of a slot
/// Parts are a multiple of this, so that pieces of 128 bytes arrive as a whole.
constexpr uint32_t alignment = 128;

/** What a receiver says of a receive. */
struct alignas(64) Slot {
    uint64_t address;
    uint64_t size;
    uint32_t rkey;
    uint32_t count; ///< number of receives
    uint64_t number;
};
static_assert(sizeof(Slot) == 64);

/** How the library is configured to send. */
struct Style {
    bool inline_slots = false;
    bool adaptive = false;     ///< the data goes first, then an immediate without data
    unsigned int together = 1; ///< requests of one slot
};

/** Places in the memory of an end. */
struct Memory {
    std::vector<uint8_t> data = std::vector<uint8_t>(slots * room);
    std::array<std::array<Slot, 2>, slots> told{};    ///< at a sender: written by the receiver
    std::array<std::array<Slot, 2>, slots> to_tell{}; ///< of a receiver
    std::array<std::array<uint32_t, 2>, slots>
        sizes{}; ///< at a receiver: sizes that came; at a sender: sizes that go
};

template <typename Api>
class Comm
{
public:
    Comm(int which, const Style &style) : style_(style)
    {
        device_ = verbs::open_device(verbs::config.device[which], verbs::config.netns[which]);
        EXPECT_EQ(ibv_query_port(device_.get(), 1, &port_), 0);
        gid_index_ =
            verbs::find_gid(device_.get(), port_.gid_tbl_len, verbs::config.gid[which], &gid_);
        pd_.reset(verbs::must(ibv_alloc_pd(device_.get()), "PD"));
        api_ = std::make_unique<Api>(device_.get());
        data_mr_ = register_memory(memory_.data.data(), memory_.data.size());
        slots_mr_ = register_memory(&memory_.told, sizeof(memory_.told));
        tell_mr_ = register_memory(&memory_.to_tell, sizeof(memory_.to_tell));
        sizes_mr_ = register_memory(&memory_.sizes, sizeof(memory_.sizes));
        cq_ = api_->make_cq(2 * 32 * qps_per_connection);
        for (auto &qp : qps_)
            qp = api_->make_qp(pd_.get(), cq_, {2 * 32, 32, 1, 1, style.inline_slots ? 64u : 0u});
    }

    ~Comm()
    {
        for (auto &qp : qps_)
            api_->destroy(qp);
        api_->destroy(cq_);
    }
    Comm(const Comm &) = delete;
    Comm &operator=(const Comm &) = delete;

    void connect(const Comm &peer)
    {
        peer_ = &peer;
        for (unsigned int i = 0; i < qps_per_connection; i++) {
            ASSERT_EQ(to_init(qps_[i]), 0);
            ASSERT_EQ(to_rtr(qps_[i], peer, i), 0);
            ASSERT_EQ(to_rts(qps_[i]), 0);
        }
    }

    // ---- the receiver

    /** Posts a receive of this many requests, each as large as there is room for. */
    void receive(uint64_t number)
    {
        const unsigned int at = number % slots;
        ibv_recv_wr wr{};
        ibv_recv_wr *bad = nullptr;

        wr.wr_id = at;
        for (auto &qp : qps_)
            ASSERT_EQ(api_->post(qp, &wr, &bad), 0);
        for (unsigned int r = 0; r < style_.together; r++) {
            Slot &slot = memory_.to_tell[at][r];
            slot = {address(at, r), room / style_.together, data_mr_->rkey, style_.together,
                    number + 1};
        }
        tell(at, number);
    }

    /** Takes completions. arrived() has the number of parts that have arrived so far of each slot.
     */
    void poll()
    {
        ibv_wc wc[16];
        const int found = api_->poll(cq_, 16, wc);

        ASSERT_GE(found, 0);
        for (int i = 0; i < found; i++) {
            ASSERT_EQ(wc[i].status, IBV_WC_SUCCESS) << ibv_wc_status_str(wc[i].status);
            if (wc[i].opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
                arrived_[wc[i].wr_id]++;
                said_[wc[i].wr_id] = be32toh(wc[i].imm_data);
            } else if (wc[i].wr_id < slots) {
                gone_[wc[i].wr_id]++;
            }
        }
    }

    /** Whether all parts of the receive have arrived; its slot may then be used again. */
    bool complete(uint64_t number)
    {
        if (arrived_[number % slots] < qps_per_connection)
            return false;
        arrived_[number % slots] = 0;
        return true;
    }

    /** The value of the last immediate of that slot. */
    [[nodiscard]] uint32_t said(uint64_t number) const { return said_[number % slots]; }
    /** The sizes that the sender wrote, if there were several. */
    [[nodiscard]] uint32_t size(uint64_t number, unsigned int r) const
    {
        return memory_.sizes[number % slots][r];
    }

    // ---- the sender

    /** Whether the receiver has announced that receive. */
    [[nodiscard]] bool told(uint64_t number) const
    {
        for (unsigned int r = 0; r < style_.together; r++) {
            const volatile Slot &slot = memory_.told[number % slots][r];
            if (slot.number != number + 1)
                return false;
        }
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return true;
    }

    /** Sends this many bytes of each request, a part by each QP. */
    void send(uint64_t number, uint32_t bytes)
    {
        uint32_t sent = 0;

        for (unsigned int i = 0; i < qps_per_connection; i++) {
            const uint32_t part = (bytes + qps_per_connection - 1) / qps_per_connection;
            const uint32_t whole = (part + alignment - 1) / alignment * alignment;
            const uint32_t now = std::min(bytes - sent, whole);
            post_part(qps_[i], number % slots, sent, now, bytes);
            sent += now;
        }
    }

    bool sent(uint64_t number)
    {
        if (gone_[number % slots] < qps_per_connection)
            return false;
        gone_[number % slots] = 0;
        return true;
    }

    uint8_t *data(uint64_t number, unsigned int r)
    {
        return memory_.data.data() + (number % slots) * room + r * (room / style_.together);
    }

private:
    verbs::Mr register_memory(void *at, size_t bytes)
    {
        return verbs::Mr(
            verbs::must(ibv_reg_mr_iova2(pd_.get(), at, bytes, reinterpret_cast<uintptr_t>(at),
                                         IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                                             IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
                                             IBV_ACCESS_RELAXED_ORDERING),
                        "MR"));
    }

    int to_init(typename Api::Qp qp)
    {
        ibv_qp_attr attr{};

        attr.qp_state = IBV_QPS_INIT;
        attr.port_num = 1;
        attr.qp_access_flags =
            IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
        return api_->modify(qp, attr,
                            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    }

    int to_rtr(typename Api::Qp qp, const Comm &peer, unsigned int i)
    {
        ibv_qp_attr attr{};

        attr.qp_state = IBV_QPS_RTR;
        attr.path_mtu = std::min(port_.active_mtu, peer.port_.active_mtu);
        attr.dest_qp_num = api_->number(peer.qps_[i]);
        attr.max_dest_rd_atomic = 1;
        attr.min_rnr_timer = 12;
        attr.ah_attr.is_global = 1;
        attr.ah_attr.port_num = 1;
        attr.ah_attr.grh.dgid = peer.gid_;
        attr.ah_attr.grh.sgid_index = static_cast<uint8_t>(gid_index_);
        attr.ah_attr.grh.hop_limit = 255;
        return verbs::with_neighbour([&] {
            return api_->modify(qp, attr,
                                IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
                                    IBV_QP_MIN_RNR_TIMER);
        });
    }

    int to_rts(typename Api::Qp qp)
    {
        ibv_qp_attr attr{};

        attr.qp_state = IBV_QPS_RTS;
        attr.timeout = 20;
        attr.retry_cnt = 7;
        attr.rnr_retry = 7;
        attr.max_rd_atomic = 1;
        return api_->modify(qp, attr,
                            IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
    }

    [[nodiscard]] uint64_t address(unsigned int at, unsigned int r) const
    {
        return reinterpret_cast<uintptr_t>(memory_.data.data()) + at * room +
               r * (room / style_.together);
    }

    /** Signalled once per round of the slots, because a queue is otherwise never emptied. */
    void tell(unsigned int at, uint64_t number)
    {
        ibv_sge sge{reinterpret_cast<uintptr_t>(&memory_.to_tell[at]),
                    static_cast<uint32_t>(style_.together * sizeof(Slot)), tell_mr_->lkey};
        ibv_send_wr wr{};
        ibv_send_wr *bad = nullptr;

        wr.wr_id = slots;
        wr.sg_list = &sge;
        wr.num_sge = 1;
        wr.opcode = IBV_WR_RDMA_WRITE;
        wr.send_flags = style_.inline_slots && style_.together == 1 ? IBV_SEND_INLINE : 0;
        wr.send_flags |= at == 0 ? IBV_SEND_SIGNALED : 0;
        wr.wr.rdma.remote_addr = reinterpret_cast<uintptr_t>(&peer_->memory_.told[at]);
        wr.wr.rdma.rkey = peer_->slots_mr_->rkey;
        // The slots of one round go by one QP, so that one of them is signalled.
        ASSERT_EQ(api_->post(qps_[number / slots % qps_per_connection], &wr, &bad), 0);
    }

    /** A chain: data without a signal, and a request behind it with one. */
    void post_part(typename Api::Qp qp, unsigned int at, uint32_t offset, uint32_t bytes,
                   uint32_t all)
    {
        std::array<ibv_send_wr, 3> wr{};
        std::array<ibv_sge, 3> sge{};
        ibv_send_wr *bad = nullptr;
        unsigned int n = 0;

        for (; n < style_.together; n++) {
            const Slot &slot = memory_.told[at][n];
            sge[n] = {address(at, n) + offset, bytes, data_mr_->lkey};
            wr[n].sg_list = &sge[n];
            wr[n].num_sge = bytes ? 1 : 0;
            wr[n].opcode = IBV_WR_RDMA_WRITE;
            wr[n].wr.rdma.remote_addr = slot.address + offset;
            wr[n].wr.rdma.rkey = slot.rkey;
            wr[n].next = &wr[n + 1];
        }
        if (style_.together > 1 || style_.adaptive)
            add_last(wr[n], sge[n], at, all), n++;
        ibv_send_wr &last = wr[n - 1];
        last.wr_id = at;
        last.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
        last.imm_data = htobe32(all);
        last.send_flags = IBV_SEND_SIGNALED;
        last.next = nullptr;
        ASSERT_EQ(api_->post(qp, wr.data(), &bad), 0);
    }

    /** The sizes of several requests, or nothing. */
    void add_last(ibv_send_wr &wr, ibv_sge &sge, unsigned int at, uint32_t all)
    {
        if (style_.together == 1)
            return;
        memory_.sizes[at].fill(all);
        sge = {reinterpret_cast<uintptr_t>(&memory_.sizes[at]),
               static_cast<uint32_t>(style_.together * sizeof(uint32_t)), sizes_mr_->lkey};
        wr.sg_list = &sge;
        wr.num_sge = 1;
        wr.wr.rdma.remote_addr = reinterpret_cast<uintptr_t>(&peer_->memory_.sizes[at]);
        wr.wr.rdma.rkey = peer_->sizes_mr_->rkey;
    }

    Style style_;
    verbs::Context device_;
    ibv_port_attr port_{};
    ibv_gid gid_{};
    int gid_index_ = 0;
    Memory memory_;
    verbs::Pd pd_;
    std::unique_ptr<Api> api_;
    verbs::Mr data_mr_;
    verbs::Mr slots_mr_;
    verbs::Mr tell_mr_;
    verbs::Mr sizes_mr_;
    typename Api::Cq cq_{};
    std::array<typename Api::Qp, qps_per_connection> qps_{};
    const Comm *peer_ = nullptr;
    std::array<unsigned int, slots> arrived_{};
    std::array<unsigned int, slots> gone_{};
    std::array<uint32_t, slots> said_{};
};

} // namespace nccl
