// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * One end of a connection, set up in the way that programs written for mrc.h do it.
 */
#pragma once

#include <memory>
#include <vector>

#include <mrc.h>

#include "verbs/fixture.h"

namespace api
{

/** Options for making an end. */
struct Shape {
    uint32_t send_wr = 128;
    uint32_t recv_wr = 16;
    bool channel = false; ///< its CQ has a completion channel
    bool signal_all = false;
};

/** Device, memory, MRC context, CQ, QP. What is left of MRC's objects goes with the context. */
class End
{
public:
    End(int which, const Shape &shape, size_t bytes);
    ~End();
    End(const End &) = delete;
    End &operator=(const End &) = delete;

    int to_init(mrc_qp_attr *attr = nullptr, int mask = 0);
    /** @return 0 or an errno value */
    int to_rtr(const End &peer, mrc_qp_attr *attr = nullptr, int mask = 0);
    int to_rts(mrc_qp_attr *attr = nullptr, int mask = 0, int verbs_mask = 0);
    int to_state(ibv_qp_state state);
    [[nodiscard]] ibv_qp_state state();
    /** All of MRC's objects. */
    mrc_qp_attr attributes();
    [[nodiscard]] uint32_t qpn() const;

    [[nodiscard]] uint8_t *data() { return bytes_.data(); }
    [[nodiscard]] uint64_t address(size_t offset = 0) const
    {
        return reinterpret_cast<uintptr_t>(bytes_.data()) + offset;
    }

    void forget_memory() { mr_.reset(); }

    /** @return the result of mrc_post_send() */
    int write(const End &to, size_t offset, uint32_t length, uint64_t id, unsigned int flags,
              ibv_wr_opcode opcode = IBV_WR_RDMA_WRITE, uint32_t imm = 0, uint32_t rkey = 0);
    int receive(uint64_t id);
    /** Polls until there are @n completions; fewer if it takes too long. */
    std::vector<ibv_wc> completions(size_t n);

    verbs::Context device;
    verbs::Pd pd;
    ibv_port_attr port{};
    ibv_gid gid{};
    int gid_index = 0;
    mrc_context *context = nullptr;
    mrc_comp_channel *channel = nullptr;
    mrc_cq *cq = nullptr;
    mrc_qp *qp = nullptr;
    int cq_context = 0;
    int qp_context = 0;
    uint32_t psn = 0;

private:
    std::vector<uint8_t> bytes_;
    verbs::Mr mr_;
};

/** Two ends, connected without anything that MRC adds. */
class Connected : public ::testing::Test
{
protected:
    void make(const Shape &shape = {}, size_t bytes = 1 << 20);
    /** Both ends, up to RTS. */
    void connect();

    std::unique_ptr<End> a;
    std::unique_ptr<End> b;
};

} // namespace api
