// SPDX-License-Identifier: GPL-2.0-only
/* The longest message possible, in little memory: the same pages, many times over. */
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "fixture.h"

namespace verbs
{

using Largest = Pair;

namespace
{

/** A range of addresses that maps the same few pages again and again. */
class Repeated
{
public:
    static constexpr size_t unit = 1 << 20;

    /** @param bytes a multiple of the unit */
    explicit Repeated(size_t bytes) : bytes_(bytes)
    {
        file_ = memfd_create("repeated", MFD_CLOEXEC);
        if (file_ < 0 || ftruncate(file_, unit)) {
            fail();
        }
        void *base =
            mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) {
            fail();
        }
        base_ = static_cast<uint8_t *>(base);
        for (size_t at = 0; at < bytes; at += unit) {
            if (mmap(base_ + at, unit, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, 0) ==
                MAP_FAILED) {
                fail();
            }
        }
    }
    ~Repeated()
    {
        munmap(base_, bytes_);
        close(file_);
    }
    Repeated(const Repeated &) = delete;
    Repeated &operator=(const Repeated &) = delete;

    [[nodiscard]] uint8_t *data() const { return base_; }
    [[nodiscard]] size_t size() const { return bytes_; }
    [[nodiscard]] uint64_t address() const { return reinterpret_cast<uintptr_t>(base_); }

private:
    [[noreturn]] static void fail()
    {
        throw std::system_error(errno, std::generic_category(), "repeated memory");
    }

    uint8_t *base_ = nullptr;
    size_t bytes_;
    int file_ = -1;
};

/** Bytes that have come in for the QPs of a side's device so far, with duplicates and ACKs. */
uint64_t received_bytes(const Side &side)
{
    const std::string path =
        std::string(side.context->device->ibdev_path) + "/ports/1/hw_counters/rx_bytes";
    uint64_t bytes = 0;

    if (!(std::ifstream(path) >> bytes)) {
        throw std::runtime_error("cannot read " + path);
    }
    return bytes;
}

/**
 * Like wait_completions(), but waits as long as data come in at @p to, because how long a message
 * takes depends on the machine. It stops when four times the message has come: that would be a
 * loop.
 */
std::vector<ibv_wc> wait_moving(ibv_cq *cq, const Side &to, uint64_t message)
{
    const uint64_t begin = received_bytes(to);
    uint64_t before, now = begin;
    std::vector<ibv_wc> done;

    do {
        before = now;
        done = wait_completions(cq, 1);
        now = received_bytes(to);
    } while (done.empty() && now - before >= Repeated::unit && now - begin < 4 * message);
    return done;
}

} // namespace

TEST_F(Largest, TwoToThe31Bytes)
{
    constexpr uint32_t length = 1u << 31;
    constexpr int pieces = 16;
    const Repeated source(length / pieces), target(length);
    ibv_sge sges[pieces];
    ibv_send_wr wr{}, *bad = nullptr;

    ASSERT_NO_FATAL_FAILURE(make_connected({}, Repeated::unit));
    std::memcpy(source.data(), a->data(), Repeated::unit);
    const Mr from(ibv_reg_mr(a->pd.get(), source.data(), source.size(), IBV_ACCESS_LOCAL_WRITE));
    const Mr to(ibv_reg_mr(b->pd.get(), target.data(), target.size(),
                           IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
    ASSERT_TRUE(from && to);
    for (ibv_sge &sge : sges) {
        sge = {.addr = source.address(), .length = length / pieces, .lkey = from->lkey};
    }
    wr.wr_id = 31;
    wr.sg_list = sges;
    wr.num_sge = pieces;
    wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.wr.rdma.remote_addr = target.address();
    wr.wr.rdma.rkey = to->rkey;
    ASSERT_EQ(post_receives(*b, 1), 0);
    ASSERT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), 0);
    const auto sent = wait_moving(a->send_cq.get(), *b, length);
    const auto received = wait_moving(b->recv_cq.get(), *b, length);
    ASSERT_EQ(sent.size(), 1u);
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(sent[0].status, IBV_WC_SUCCESS) << ibv_wc_status_str(sent[0].status);
    EXPECT_EQ(received[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(received[0].byte_len, length);
    EXPECT_EQ(std::memcmp(target.data(), source.data(), Repeated::unit), 0);
}

/* The other way round: from one place into many. */
TEST_F(Largest, ReadOfTwoToThe31Bytes)
{
    constexpr uint32_t length = 1u << 31;
    constexpr int pieces = 16;
    const Repeated source(length), sink(length / pieces);
    ibv_send_wr wr{}, *bad = nullptr;
    std::vector<ibv_sge> sges;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable, Repeated::unit));
    std::memcpy(source.data(), b->data(), Repeated::unit);
    const Mr from(ibv_reg_mr(b->pd.get(), source.data(), source.size(), all_access));
    const Mr to(ibv_reg_mr(a->pd.get(), sink.data(), sink.size(), IBV_ACCESS_LOCAL_WRITE));
    ASSERT_TRUE(from && to);
    sges.assign(pieces, {.addr = sink.address(), .length = length / pieces, .lkey = to->lkey});
    wr.wr_id = 31;
    wr.sg_list = sges.data();
    wr.num_sge = pieces;
    wr.opcode = IBV_WR_RDMA_READ;
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.wr.rdma = {.remote_addr = source.address(), .rkey = from->rkey};
    ASSERT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), 0);
    const auto done = wait_moving(a->send_cq.get(), *a, length);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, IBV_WC_SUCCESS) << ibv_wc_status_str(done[0].status);
    EXPECT_EQ(done[0].opcode, IBV_WC_RDMA_READ);
    EXPECT_EQ(done[0].byte_len, length);
    EXPECT_EQ(std::memcmp(sink.data(), source.data(), Repeated::unit), 0);
}

/* One byte too many, in the last of its pieces. */
TEST_F(Largest, OneByteMore)
{
    const Repeated source((1u << 27) + Repeated::unit);
    ibv_send_wr wr{}, *bad = nullptr;
    std::vector<ibv_sge> sges;

    ASSERT_NO_FATAL_FAILURE(make_connected());
    const Mr from(ibv_reg_mr(a->pd.get(), source.data(), source.size(), IBV_ACCESS_LOCAL_WRITE));
    ASSERT_TRUE(from);
    sges.assign(16, {.addr = source.address(), .length = 1u << 27, .lkey = from->lkey});
    sges.back().length++;
    wr.wr_id = 32;
    wr.sg_list = sges.data();
    wr.num_sge = static_cast<int>(sges.size());
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = b->address();
    wr.wr.rdma.rkey = b->mr->rkey;
    ASSERT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].status, IBV_WC_LOC_LEN_ERR) << ibv_wc_status_str(sent[0].status);
    EXPECT_EQ(a->state(), IBV_QPS_ERR);
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
}

} // namespace verbs
