// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file fixture.h
 * Two QPs that talk to each other, made with plain libibverbs: of one device, or
 * of two devices of this machine.
 */
#pragma once

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <infiniband/verbs.h>

namespace verbs
{

/** The command line: a device for each side, opened in a namespace. */
struct Config {
    std::string device[2];
    std::string netns[2];
    /** IPv6 address; empty: the first global one. */
    std::string gid[2];
};
extern Config config;

template <typename T, int (*destroy)(T *)>
struct Destroy {
    void operator()(T *object) const { destroy(object); }
};
template <typename T, int (*destroy)(T *)>
using Handle = std::unique_ptr<T, Destroy<T, destroy>>;

using Context = Handle<ibv_context, ibv_close_device>;
using Pd = Handle<ibv_pd, ibv_dealloc_pd>;
using Mr = Handle<ibv_mr, ibv_dereg_mr>;
using Channel = Handle<ibv_comp_channel, ibv_destroy_comp_channel>;
using Cq = Handle<ibv_cq, ibv_destroy_cq>;
using Srq = Handle<ibv_srq, ibv_destroy_srq>;
using Qp = Handle<ibv_qp, ibv_destroy_qp>;
using Ah = Handle<ibv_ah, ibv_destroy_ah>;

/** @throw std::system_error of errno */
[[noreturn]] void fail(const std::string &what);

/** @return object; fail() if there is none */
template <typename T>
T *must(T *object, const std::string &what)
{
    if (!object) {
        fail(what);
    }
    return object;
}

/**
 * Takes a QP to RTR. The RDMA subsystem gives a neighbour one second to answer; a busy machine may
 * need more.
 *
 * @param modify makes the change: 0 or an errno value @return the last result of @p modify
 */
template <typename Modify>
int with_neighbour(Modify modify)
{
    int error = ETIMEDOUT;

    for (int tries = 0; error == ETIMEDOUT && tries < 10; tries++)
        error = modify();
    return error;
}

/**
 * A device by its name, as seen from a network namespace ("": this one). @throw if there is none
 */
Context open_device(const std::string &name, const std::string &netns = "");

/**
 * The first GID that is this address ("": that is a global IPv6 address).
 * @return its index, of @p entries @throw if there is none
 */
int find_gid(ibv_context *context, int entries, const std::string &wanted, ibv_gid *gid);

/** Options to make and connect a QP; the defaults suit most tests. */
struct Shape {
    uint32_t send_wr = 64;
    uint32_t recv_wr = 64;
    uint32_t send_sge = 16;
    uint32_t recv_sge = 1;
    uint32_t inline_data = 256;
    int cqe = 512;
    int recv_vector = 0;
    bool signal_all = false;
    bool poll_ex = false; /**< the queue of receives is made by ibv_create_cq_ex() */
    int qp_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    int mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    uint64_t wr_ops = 0;  /**< IBV_QP_EX_WITH_*: offer ibv_wr_* calls */
    uint8_t timeout = 18; /**< a second, because busy machines stand still for a while */
    uint8_t retries = 7;
    uint8_t rnr_retries = 7;    /**< for ever; each is 0.64 ms */
    ibv_mtu mtu = IBV_MTU_4096; /**< of the path, at most */
    uint32_t srq_wr = 0;        /**< receives come from an SRQ of this size */
    uint8_t reads = 1;          /**< READs and atomics under way, in both directions */
};

/** All that a peer may do. */
constexpr int all_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
                           IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
/** READs and atomics work, as many at once as there can be. */
inline constexpr Shape readable{.qp_access = all_access, .mr_access = all_access, .reads = 16};

/** One end: device, memory, queues, QP. */
class Side
{
public:
    /** Opens and makes everything; the QP is in RESET. @param which 0 or 1 */
    Side(int which, const Shape &shape, size_t bytes);

    void to_init();
    /** @return 0 or an errno value */
    int to_rtr(const Side &peer);
    int to_rts();
    /** All three changes, with assertions. */
    void connect(const Side &peer);
    int to_state(ibv_qp_state state);

    [[nodiscard]] ibv_qp_state state() const;
    [[nodiscard]] uint8_t *data() { return bytes_.data(); }
    [[nodiscard]] size_t size() const { return bytes_.size(); }
    [[nodiscard]] uint64_t address(size_t offset = 0) const
    {
        return reinterpret_cast<uintptr_t>(bytes_.data()) + offset;
    }

    /** Fills the memory with a pattern that depends on the seed. */
    void fill(uint32_t seed);
    /** An event that arrives within the limit, acknowledged; -1: none arrives. */
    int wait_event();
    /** Whether no event arrives, also a while from now. */
    [[nodiscard]] bool no_event();

    Shape shape; /**< a change takes effect at the next step */
    Context context;
    ibv_gid gid{};
    int gid_index = -1;
    ibv_port_attr port{};
    Pd pd;
    Channel channel;
    Cq send_cq;
    Cq recv_cq;

    /** Makes a QP in RESET, in place of the previous one. */
    void make_qp();

private:
    ibv_cq *make_recv_cq();
    void make_srq();

    std::vector<uint8_t> bytes_;

public:
    Mr mr;
    Srq srq;
    Qp qp;
    uint32_t psn = 0;
};

/**
 * A request; the defaults of all fields make a good write. A READ or atomic brings bytes from the
 * memory of the other end to that of the side that posts it.
 */
struct Write {
    uint64_t id = 0;
    ibv_wr_opcode op = IBV_WR_RDMA_WRITE; /**< or a READ or atomic; others: see send and imm */
    size_t from = 0;
    size_t to = 0;
    uint32_t length = 0;
    bool signaled = true;
    bool imm = false;
    uint32_t imm_data = 0;
    bool inline_data = false;
    bool send = false; /**< a SEND: to and rkey mean nothing */
    bool solicited = false;
    bool fence = false;
    uint64_t compare_add = 0;
    uint64_t swap = 0;
    uint32_t lkey = 0; /**< 0: the right one */
    uint32_t rkey = 0; /**< 0: the right one */
};

/** Posts one request. @return what ibv_post_send() returned */
int post(Side &from, const Side &to, const Write &write);
/** Posts requests with ids first, first + 1, ... @return what ibv_post_send() returned */
int post_all(Side &from, const Side &to, std::vector<Write> requests, uint64_t first = 0);
/** Posts receives with ids first, first + 1, ..., to the SRQ if there is one. @return 0 or errno */
int post_receives(Side &side, unsigned int n, uint64_t first = 0);
/** The same with a receive into these parts of memory. */
int post_receive(Side &side, uint64_t id, std::vector<ibv_sge> parts);
/** Posts a receive of this length at an offset of the side's memory. */
int post_receive(Side &side, uint64_t id, size_t at, uint32_t length);
/** Polls until there are n completions; fewer if the limit is reached. */
std::vector<ibv_wc> wait_completions(ibv_cq *cq, size_t n);
/** Whether the queue is empty, also a while from now. */
bool stays_empty(ibv_cq *cq);
/** The side's memory is used anew; for a while nobody else may write to it. */
void expect_untouched(Side &side);

/** A connected pair: a sends to b. */
class Pair : public ::testing::Test
{
protected:
    void make(const Shape &shape = {}, size_t bytes = 1 << 16);
    /** Makes and connects both ends. */
    void make_connected(const Shape &shape = {}, size_t bytes = 1 << 16);
    /** Writes with an immediate and waits for both ends: then all before it has arrived. */
    void fence();

    std::unique_ptr<Side> a;
    std::unique_ptr<Side> b;
};

} // namespace verbs
