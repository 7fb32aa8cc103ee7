// SPDX-License-Identifier: GPL-2.0-only
/* What can be created, and what cannot. */
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <rdma/mrc-abi.h>

#include "fixture.h"

namespace verbs
{

using Limits = Pair;

namespace
{

int create_qp(Side &side, const ibv_qp_init_attr &wanted)
{
    ibv_qp_init_attr init = wanted;

    init.send_cq = side.send_cq.get();
    init.recv_cq = side.recv_cq.get();
    errno = 0;
    const Qp qp(ibv_create_qp(side.pd.get(), &init));
    return qp ? 0 : errno;
}

/** This process is alone in a memory cgroup as long as this object lives. */
class Charged
{
public:
    Charged()
    {
        if (!mkdtemp(root_.data()) || mount("none", root_.c_str(), "cgroup2", 0, nullptr)) {
            return;
        }
        mounted_ = true;
        write(root_ + "/cgroup.subtree_control", "+memory");
        group_ = root_ + "/mrc-verbs-test";
        inside_ = !mkdir(group_.c_str(), 0755) && write(group_ + "/cgroup.procs", "0");
    }
    ~Charged()
    {
        if (mounted_) {
            write(root_ + "/cgroup.procs", "0");
            rmdir(group_.c_str());
            umount(root_.c_str());
        }
        rmdir(root_.c_str());
    }
    Charged(const Charged &) = delete;
    Charged &operator=(const Charged &) = delete;

    /** @return bytes; 0 if there is no memory cgroup */
    [[nodiscard]] size_t bytes() const
    {
        std::ifstream file(group_ + "/memory.current");
        size_t value = 0;

        return inside_ && file >> value ? value : 0;
    }

private:
    static bool write(const std::string &path, const char *text)
    {
        std::ofstream file(path);

        return static_cast<bool>(file << text << std::flush);
    }

    std::string root_ = "/tmp/mrc-cgroup-XXXXXX";
    std::string group_;
    bool mounted_ = false;
    bool inside_ = false;
};

/** So many writes that they take a while. */
void write_until_some_arrives(Side &from, Side &to)
{
    const volatile uint8_t *last = to.data() + to.size() - 1;
    const uint8_t before = *last;

    from.data()[from.size() - 1] = static_cast<uint8_t>(~before);
    for (uint64_t i = 0; i < 20; i++) {
        ASSERT_EQ(post(from, to, {.id = i, .length = static_cast<uint32_t>(from.size())}), 0);
    }
    while (*last == before) {
        std::this_thread::yield();
    }
}

} // namespace

TEST_F(Limits, QpSizes)
{
    ibv_device_attr dev{};
    ibv_qp_init_attr init{};

    make();
    ASSERT_EQ(ibv_query_device(a->context.get(), &dev), 0);
    EXPECT_EQ(dev.max_qp_wr, 16384);
    EXPECT_EQ(dev.max_sge, 16);
    init.qp_type = IBV_QPT_RC;
    init.cap = {.max_send_wr = 16384,
                .max_recv_wr = 16384,
                .max_send_sge = 16,
                .max_recv_sge = 16,
                .max_inline_data = 512};
    EXPECT_EQ(create_qp(*a, init), 0);
    init.cap.max_send_wr++;
    EXPECT_EQ(create_qp(*a, init), EINVAL);
    init.cap.max_send_wr = 0;
    init.cap.max_recv_wr = 16385;
    EXPECT_EQ(create_qp(*a, init), EINVAL);
    init.cap.max_recv_wr = 0;
    EXPECT_EQ(create_qp(*a, init), 0);
    init.cap.max_send_sge = 17;
    EXPECT_EQ(create_qp(*a, init), EINVAL);
    init.cap.max_send_sge = 1;
    init.cap.max_inline_data = 513;
    EXPECT_EQ(create_qp(*a, init), EINVAL);
}

TEST_F(Limits, QpTypes)
{
    ibv_qp_init_attr init{};

    make({.srq_wr = 16});
    init.qp_type = IBV_QPT_UC;
    EXPECT_EQ(create_qp(*a, init), EOPNOTSUPP);
    init.qp_type = IBV_QPT_UD;
    EXPECT_EQ(create_qp(*a, init), 0);
    init.srq = a->srq.get();
    EXPECT_EQ(create_qp(*a, init), EOPNOTSUPP);
}

TEST_F(Limits, CompletionQueues)
{
    constexpr int large = 1024 * 512; /* perftest's size for this many QPs, and receives of each */
    ibv_device_attr dev{};

    make();
    ASSERT_EQ(ibv_query_device(a->context.get(), &dev), 0);
    ASSERT_GE(dev.max_cqe, large);
    const Cq cq(ibv_create_cq(a->context.get(), large, nullptr, nullptr, 0));
    ASSERT_NE(cq.get(), nullptr);
    EXPECT_GE(cq->cqe, large);
    EXPECT_EQ(ibv_create_cq(a->context.get(), dev.max_cqe + 1, nullptr, nullptr, 0), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(ibv_create_cq(a->context.get(), 0, nullptr, nullptr, 0), nullptr);
    EXPECT_NE(ibv_resize_cq(cq.get(), 10), 0);
    /* An object in use cannot be destroyed. */
    EXPECT_EQ(ibv_destroy_cq(a->send_cq.get()), EBUSY);
}

TEST_F(Limits, RingsAreChargedToTheProgram)
{
    constexpr size_t ring = 65536 * sizeof(mrc_cqe);
    const Charged charged;

    make();
    const size_t before = charged.bytes();
    if (!before) {
        GTEST_SKIP() << "no memory cgroup";
    }
    const Cq cq(ibv_create_cq(a->context.get(), 65536, nullptr, nullptr, 0));
    ASSERT_NE(cq.get(), nullptr);
    /* Charges are made in batches. */
    EXPECT_GT(charged.bytes(), before + ring * 3 / 4);
}

TEST_F(Limits, Regions)
{
    make();
    EXPECT_EQ(ibv_reg_mr(a->pd.get(), a->data(), 0, IBV_ACCESS_LOCAL_WRITE), nullptr);
    EXPECT_EQ(ibv_reg_mr(a->pd.get(), a->data(), 4096, IBV_ACCESS_REMOTE_WRITE), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(ibv_reg_mr(a->pd.get(), a->data(), 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND),
              nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
    EXPECT_EQ(ibv_reg_mr(a->pd.get(), reinterpret_cast<void *>(4096), 4096, 0), nullptr);
    EXPECT_EQ(errno, EFAULT);
}

TEST_F(Limits, RegionInHugePages)
{
    constexpr size_t bytes = 8 << 20;

    make();
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    madvise(memory, bytes, MADV_HUGEPAGE);
    {
        const Mr mr(ibv_reg_mr(a->pd.get(), memory, bytes,
                               IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
        EXPECT_NE(mr.get(), nullptr);
    }
    munmap(memory, bytes);
}

TEST_F(Limits, RemoteKeysAreUnpredictable)
{
    make();
    const Mr first(ibv_reg_mr(a->pd.get(), a->data(), 4096, IBV_ACCESS_LOCAL_WRITE));
    const Mr second(ibv_reg_mr(a->pd.get(), a->data(), 4096, IBV_ACCESS_LOCAL_WRITE));
    const uint32_t step = second->rkey - first->rkey;

    EXPECT_NE(first->rkey, second->rkey);
    EXPECT_NE(step, 1u);
    EXPECT_NE(step, 0x100u);
}

/* verbs.sh checks what this costs other processes. */
TEST_F(Limits, ManyRegions)
{
    constexpr size_t many = 10000;
    using Clock = std::chrono::steady_clock;
    using Ms = std::chrono::duration<double, std::milli>;
    std::vector<Mr> regions;

    make();
    regions.reserve(many);
    const auto began = Clock::now();
    for (size_t i = 0; i < many; i++) {
        regions.emplace_back(ibv_reg_mr(a->pd.get(), a->data(), 4096, IBV_ACCESS_LOCAL_WRITE));
        ASSERT_NE(regions.back().get(), nullptr) << i;
    }
    const auto registered = Clock::now();
    regions.clear();
    const auto done = Clock::now();
    std::cout << many << " regions: ms to register " << Ms(registered - began).count()
              << ", to deregister " << Ms(done - registered).count() << '\n';
}

TEST_F(Limits, DestroyUnderTraffic)
{
    for (int round = 0; round < 5; round++) {
        ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 8, .retries = 1}, 1 << 20));
        for (uint64_t i = 0; i < 20; i++) {
            ASSERT_EQ(post(*a, *b, {.id = i, .length = 1 << 20}), 0);
        }
        if (round % 2) {
            a->qp.reset();
        } else {
            b->qp.reset();
        }
    }
}

TEST_F(Limits, DeregisterUnderTraffic)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({}, 1 << 20));
    for (uint64_t i = 0; i < 20; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .length = 1 << 20}), 0);
    }
    b->mr.reset();
    const auto sent = wait_completions(a->send_cq.get(), 20);
    ASSERT_EQ(sent.size(), 20u);
    EXPECT_TRUE(sent[19].status == IBV_WC_WR_FLUSH_ERR || sent[19].status == IBV_WC_SUCCESS ||
                sent[19].status == IBV_WC_REM_ACCESS_ERR);
}

TEST_F(Limits, NothingLandsInMemoryAfterDeregistrationOrDestruction)
{
    for (int round = 0; round < 20; round++) {
        ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 8, .retries = 1}, 1 << 20));
        ASSERT_NO_FATAL_FAILURE(write_until_some_arrives(*a, *b));
        if (round % 2) {
            b->mr.reset();
        } else {
            b->qp.reset();
        }
        expect_untouched(*b);
    }
}

} // namespace verbs
