// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions in dma-bufs whose memory is that of the host: files in memory by udmabuf, and the
 * system's heap. Kernels without these skip the cases.
 */
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../fd.h"
#include "fixture.h"

namespace verbs
{

class Dmabufs : public Pair
{
protected:
    static constexpr size_t bytes = 1 << 18;

    /** Makes a file in memory, sealed as udmabuf wants it, and a dma-buf of all of it. */
    void make_udmabuf()
    {
        const Fd driver(::open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
        if (driver.get() < 0) {
            GTEST_SKIP() << "this kernel has no udmabuf";
        }
        file = Fd(::memfd_create("test", MFD_ALLOW_SEALING | MFD_CLOEXEC));
        ASSERT_GE(file.get(), 0);
        ASSERT_EQ(::ftruncate(file.get(), bytes), 0);
        ASSERT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
        udmabuf_create create{};
        create.memfd = static_cast<__u32>(file.get());
        create.flags = UDMABUF_FLAGS_CLOEXEC;
        create.size = bytes;
        buf = Fd(::ioctl(driver.get(), UDMABUF_CREATE, &create));
        ASSERT_GE(buf.get(), 0);
        void *at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
        ASSERT_NE(at, MAP_FAILED);
        memory = static_cast<uint8_t *>(at);
    }

    /** A dma-buf of the system's heap, opened with these flags; below 0: there is none. */
    static Fd from_heap(unsigned int flags)
    {
        const Fd heap(::open("/dev/dma_heap/system", O_RDONLY | O_CLOEXEC));
        dma_heap_allocation_data data{};

        data.len = bytes;
        data.fd_flags = flags | O_CLOEXEC;
        return Fd(heap.get() >= 0 && ::ioctl(heap.get(), DMA_HEAP_IOCTL_ALLOC, &data) == 0
                      ? static_cast<int>(data.fd)
                      : -1);
    }

    /** Registers a part of the dma-buf at b. Its addresses begin like the offset in their page. */
    [[nodiscard]] ibv_mr *reg(int fd, uint64_t offset, size_t length, int access = all_access) const
    {
        errno = 0;
        return ibv_reg_dmabuf_mr(b->pd.get(), offset, length, base + offset % 4096, fd, access);
    }

    void TearDown() override
    {
        if (memory) {
            ::munmap(memory, bytes);
        }
    }

    /** One request of a against a region of b, which succeeds. */
    void expect_done(ibv_wr_opcode op, uint64_t remote, const ibv_mr &mr, uint32_t length)
    {
        ibv_sge sge{.addr = a->address(), .length = length, .lkey = a->mr->lkey};
        ibv_send_wr wr{}, *bad = nullptr;

        wr.opcode = op;
        wr.sg_list = &sge;
        wr.num_sge = 1;
        wr.send_flags = IBV_SEND_SIGNALED;
        wr.wr.rdma = {.remote_addr = remote, .rkey = mr.rkey};
        ASSERT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), 0);
        const auto done = wait_completions(a->send_cq.get(), 1);
        ASSERT_EQ(done.size(), 1u);
        ASSERT_EQ(done[0].status, IBV_WC_SUCCESS);
    }

    static constexpr uint64_t base = 0x123456789000;
    Fd file, buf;
    uint8_t *memory = nullptr;
};

/* A region from the middle of a page on: written, read, and sent to. */
TEST_F(Dmabufs, AreWrittenReadAndSentTo)
{
    constexpr uint64_t offset = 3 * 4096 + 100;
    constexpr uint32_t length = 50000;

    make_udmabuf();
    if (!memory) {
        return;
    }
    ASSERT_NO_FATAL_FAILURE(make_connected(readable, 1 << 17));
    const Mr mr(reg(buf.get(), offset, length));
    ASSERT_NE(mr.get(), nullptr) << strerror(errno);
    buf = Fd();
    ASSERT_NO_FATAL_FAILURE(expect_done(IBV_WR_RDMA_WRITE, base + 100, *mr, length));
    EXPECT_EQ(std::memcmp(memory + offset, a->data(), length), 0);
    EXPECT_EQ(memory[offset - 1], 0);
    EXPECT_EQ(memory[offset + length], 0);

    std::reverse(memory + offset, memory + offset + length);
    ASSERT_NO_FATAL_FAILURE(expect_done(IBV_WR_RDMA_READ, base + 100, *mr, length));
    EXPECT_EQ(std::memcmp(memory + offset, a->data(), length), 0);

    a->fill(7);
    ASSERT_EQ(post_receive(*b, 1, {{.addr = base + 100, .length = length, .lkey = mr->lkey}}), 0);
    ASSERT_EQ(post(*a, *b, {.length = length, .send = true}), 0);
    ASSERT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
    EXPECT_EQ(std::memcmp(memory + offset, a->data(), length), 0);
}

TEST_F(Dmabufs, OfTheSystemsHeap)
{
    buf = from_heap(O_RDWR);
    if (buf.get() < 0) {
        GTEST_SKIP() << "this kernel has no heap";
    }
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    const Mr mr(reg(buf.get(), 0, bytes));
    ASSERT_NE(mr.get(), nullptr) << strerror(errno);
    ASSERT_NO_FATAL_FAILURE(expect_done(IBV_WR_RDMA_WRITE, base + 5000, *mr, 60000));
    const std::vector<uint8_t> sent(a->data(), a->data() + 60000);
    a->fill(9);
    ASSERT_NO_FATAL_FAILURE(expect_done(IBV_WR_RDMA_READ, base + 5000, *mr, 60000));
    EXPECT_EQ(std::memcmp(sent.data(), a->data(), sent.size()), 0);
}

TEST_F(Dmabufs, WhatIsRefused)
{
    make_udmabuf();
    if (!memory) {
        return;
    }
    ASSERT_NO_FATAL_FAILURE(make());
    EXPECT_EQ(reg(-1, 0, 4096), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
    EXPECT_EQ(reg(10000, 0, 4096), nullptr);
    EXPECT_EQ(errno, EBADF);
    EXPECT_EQ(reg(file.get(), 0, 4096), nullptr) << "a file that is no dma-buf";
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(reg(buf.get(), 4096, bytes), nullptr) << "beyond its end";
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(reg(buf.get(), UINT64_MAX - 4095, 8192), nullptr) << "around the end of numbers";
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(reg(buf.get(), 0, 0), nullptr);
    EXPECT_EQ(errno, EINVAL);
    const Fd read_only = from_heap(O_RDONLY);
    if (read_only.get() >= 0) {
        EXPECT_EQ(reg(read_only.get(), 0, 4096), nullptr) << "it may not be written to";
        EXPECT_EQ(errno, EACCES);
        EXPECT_NE(Mr(reg(read_only.get(), 0, 4096, IBV_ACCESS_REMOTE_READ)).get(), nullptr);
    }
}

/* The key of a region that was deregistered means nothing, and the buffer is let go. */
TEST_F(Dmabufs, AreLetGo)
{
    make_udmabuf();
    if (!memory) {
        return;
    }
    ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 14}));
    Mr mr(reg(buf.get(), 0, bytes));
    ASSERT_NE(mr.get(), nullptr);
    const uint32_t rkey = mr->rkey;
    mr.reset();
    ASSERT_EQ(post(*a, *b, {.length = 100, .rkey = rkey}), 0);
    const auto done = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, IBV_WC_REM_ACCESS_ERR);
    EXPECT_EQ(memory[0], 0);
}

} // namespace verbs
