// SPDX-License-Identifier: GPL-2.0-only
/* READ: data, order among other requests, fences, and peers that do not send themselves. */
#include "reads.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace verbs
{

void Reads::make_half(size_t bytes)
{
    make(readable, bytes);
    ASSERT_NO_FATAL_FAILURE(b->to_init());
    ASSERT_EQ(with_neighbour([&] { return b->to_rtr(*a); }), 0);
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
}

void Reads::expect_done(const ibv_wc &wc, uint64_t id, uint32_t length)
{
    EXPECT_EQ(wc.status, IBV_WC_SUCCESS) << ibv_wc_status_str(wc.status);
    EXPECT_EQ(wc.opcode, IBV_WC_RDMA_READ);
    EXPECT_EQ(wc.wr_id, id);
    EXPECT_EQ(wc.byte_len, length);
}

void Reads::expect_all_done(const std::vector<ibv_wc> &done, size_t n, uint32_t length)
{
    ASSERT_EQ(done.size(), n);
    for (size_t i = 0; i < n; i++) {
        expect_done(done[i], i, length);
    }
}

bool Reads::same(size_t at_a, size_t at_b, size_t length) const
{
    return std::memcmp(a->data() + at_a, b->data() + at_b, length) == 0;
}

void Reads::blank()
{
    std::fill(a->data(), a->data() + a->size(), uint8_t{0xee});
}

void Reads::expect_good(size_t from, size_t to, uint32_t length)
{
    std::vector<uint8_t> expected(a->size(), 0xee);

    blank();
    std::copy_n(b->data() + from, length, expected.data() + to);
    ASSERT_EQ(post(*a, *b, {.id = length, .op = read, .from = from, .to = to, .length = length}),
              0);
    const auto done = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(done.size(), 1u);
    expect_done(done[0], length, length);
    EXPECT_EQ(std::memcmp(a->data(), expected.data(), expected.size()), 0) << length;
}

int Reads::post_into(std::vector<ibv_sge> sges, size_t from)
{
    ibv_send_wr wr{}, *bad = nullptr;

    wr.opcode = read;
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.sg_list = sges.data();
    wr.num_sge = static_cast<int>(sges.size());
    wr.wr.rdma = {.remote_addr = b->address(from), .rkey = b->mr->rkey};
    return ibv_post_send(a->qp.get(), &wr, &bad);
}

void Reads::expect_into(const std::vector<ibv_sge> &sges, size_t from, uint32_t length)
{
    ASSERT_EQ(post_into(sges, from), 0);
    const auto done = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(done.size(), 1u);
    expect_done(done[0], 0, length);
}

/* ---- data -------------------------------------------------------------------- */

TEST_F(Reads, OfManyLengths)
{
    for (const ibv_mtu mtu : {IBV_MTU_1024, IBV_MTU_4096}) {
        Shape shape = readable;
        const uint32_t packet = 128u << mtu;

        shape.mtu = mtu;
        ASSERT_NO_FATAL_FAILURE(make_connected(shape, (1 << 20) + 20000));
        for (const uint32_t length :
             {0u, 1u, 7u, packet - 1, packet, packet + 1, 65536u, (1u << 20) + 3}) {
            ASSERT_NO_FATAL_FAILURE(expect_good(4099 + length % 61, 8191 - length % 7, length));
        }
    }
}

/* No memory is read, so no key counts. */
TEST_F(Reads, OfNoBytesNeedNoKey)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    ASSERT_EQ(post(*a, *b, {.id = 1, .op = read, .rkey = b->mr->rkey ^ 0x55}), 0);
    const auto done = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(done.size(), 1u);
    expect_done(done[0], 1, 0);
}

/* The region's first and last bytes. */
TEST_F(Reads, OfAWholeRegion)
{
    constexpr uint32_t bytes = 123457;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable, bytes));
    ASSERT_NO_FATAL_FAILURE(expect_good(0, 0, bytes));
    ASSERT_NO_FATAL_FAILURE(expect_good(bytes - 1, 0, 1));
    ASSERT_NO_FATAL_FAILURE(expect_good(0, bytes - 1, 1));
}

/* The keys of both ends are for addresses that their programs do not have. */
TEST_F(Reads, BetweenRegionsAtOtherAddresses)
{
    constexpr size_t away = 1ull << 40;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    const Mr source(ibv_reg_mr_iova(b->pd.get(), b->data(), b->size(), b->address(away),
                                    IBV_ACCESS_REMOTE_READ));
    const Mr sink(ibv_reg_mr_iova(a->pd.get(), a->data(), a->size(), a->address(2 * away),
                                  IBV_ACCESS_LOCAL_WRITE));
    ASSERT_NE(source.get(), nullptr);
    ASSERT_NE(sink.get(), nullptr);
    ASSERT_EQ(post(*a, *b,
                   {.op = read,
                    .from = away + 5,
                    .to = 2 * away + 3,
                    .length = 60000,
                    .lkey = sink->lkey,
                    .rkey = source->rkey}),
              0);
    const auto done = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(done.size(), 1u);
    expect_done(done[0], 0, 60000);
    EXPECT_TRUE(same(3, 5, 60000));
}

/* As many parts as the QP has, some of them empty: many in one packet, and many packets in one. */
TEST_F(Reads, IntoManyParts)
{
    for (const uint32_t unit : {1u, 37u, 1021u}) {
        Shape shape = readable;

        shape.mtu = unit == 37 ? IBV_MTU_256 : IBV_MTU_4096;
        ASSERT_NO_FATAL_FAILURE(make_connected(shape, parts * stride));
        blank();
        std::vector<uint8_t> expected(a->data(), a->data() + a->size());
        std::vector<ibv_sge> sges;
        const uint8_t *from = b->data() + 5;
        for (uint32_t i = 0; i < parts; i++) {
            const uint32_t length = i % 5 == 3 ? 0 : (unit * (i + 1)) | 1;
            const size_t at = (parts - 1 - i) * stride + i;

            sges.push_back({.addr = a->address(at), .length = length, .lkey = a->mr->lkey});
            std::copy_n(from, length, expected.data() + at);
            from += length;
        }
        ASSERT_NO_FATAL_FAILURE(expect_into(sges, 5, static_cast<uint32_t>(from - b->data() - 5)));
        EXPECT_EQ(std::memcmp(a->data(), expected.data(), expected.size()), 0) << unit;
    }
}

TEST_F(Reads, IntoMorePartsThanThereCanBe)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    ibv_sge part{.addr = a->address(), .length = 1, .lkey = a->mr->lkey};
    EXPECT_EQ(post_into(std::vector<ibv_sge>(parts + 1, part), 0), EINVAL);
    EXPECT_TRUE(stays_empty(a->send_cq.get()));
}

/* A READ writes to memory of the program, whatever peers may do there. */
TEST_F(Reads, IntoMemoryWithoutRemoteAccess)
{
    Shape shape = readable;

    shape.mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
    shape.qp_access = IBV_ACCESS_REMOTE_READ;
    ASSERT_NO_FATAL_FAILURE(make_connected(shape));
    ASSERT_NO_FATAL_FAILURE(expect_good(3, 5, 30000));
}

/* ---- order ------------------------------------------------------------------- */

TEST_F(Reads, MoreThanMayBeUnderWay)
{
    constexpr uint64_t n = 64;
    constexpr uint32_t length = 10001;

    for (const uint8_t reads : {1, 4, 16}) {
        Shape shape = readable;

        shape.reads = reads;
        ASSERT_NO_FATAL_FAILURE(make_connected(shape, n * length));
        for (uint64_t i = 0; i < n; i++) {
            ASSERT_EQ(post(*a, *b,
                           {.id = i,
                            .op = read,
                            .from = i * length,
                            .to = (n - 1 - i) * length,
                            .length = length}),
                      0);
        }
        expect_all_done(wait_completions(a->send_cq.get(), n), n, length);
        for (uint64_t i = 0; i < n; i++) {
            EXPECT_TRUE(same((n - 1 - i) * length, i * length, length)) << i;
        }
    }
}

/* Requests of each kind by turns. Some of them ask for no completion. */
TEST_F(Reads, KeepTheirOrderAmongOtherRequests)
{
    constexpr uint64_t n = 12;
    constexpr uint32_t length = 9001;
    constexpr size_t area = n * length;
    constexpr ibv_wc_opcode opcodes[] = {IBV_WC_RDMA_WRITE, IBV_WC_RDMA_READ, IBV_WC_SEND,
                                         IBV_WC_RDMA_WRITE};

    ASSERT_NO_FATAL_FAILURE(make_connected(readable, 4 * area));
    for (uint64_t i = 0; i < n; i++) {
        const size_t at = i * length, first = area + at, second = 2 * area + at;

        ASSERT_EQ(post_receive(*b, i, 3 * area + at, length), 0);
        ASSERT_EQ(post_receives(*b, 1, n + i), 0);
        ASSERT_EQ(post_all(*a, *b,
                           {{.from = at, .to = first, .length = length},
                            {.op = read, .from = at, .to = first, .length = length},
                            {.from = at, .length = length, .signaled = i % 2 == 0, .send = true},
                            {.from = at, .to = second, .length = length, .imm = true}},
                           4 * i),
                  0);
    }
    for (uint64_t i = 0; i < 4 * n; i++) {
        if (i % 8 == 6) {
            continue; /* a SEND that asks for no completion */
        }
        const auto done = wait_completions(a->send_cq.get(), 1);
        ASSERT_EQ(done.size(), 1u);
        EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(done[0].wr_id, i);
        EXPECT_EQ(done[0].opcode, opcodes[i % 4]) << i;
    }
    const auto received = wait_completions(b->recv_cq.get(), 2 * n);
    ASSERT_EQ(received.size(), 2 * n);
    for (uint64_t i = 0; i < 2 * n; i++) {
        EXPECT_EQ(received[i].wr_id, i / 2 + i % 2 * n);
        EXPECT_EQ(received[i].opcode, i % 2 ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV);
    }
    EXPECT_TRUE(same(area, 0, area)) << "READs";
    for (const size_t kind : {1, 2, 3}) {
        EXPECT_TRUE(same(0, kind * area, area)) << kind;
    }
}

/* Without waiting for anything in between. Two writes fill what is read. */
TEST_F(Reads, SeeWritesBeforeThem)
{
    constexpr uint64_t n = 20;
    constexpr uint32_t length = 20000;
    constexpr uint32_t part = 7001;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable, 2 * n * length));
    for (uint64_t i = 0; i < n; i++) {
        const Write first{.from = i * length, .to = i * length, .length = part, .signaled = false};
        Write second = first;

        second.from += part;
        second.to += part;
        second.length = length - part;
        ASSERT_EQ(post(*a, *b, first), 0);
        ASSERT_EQ(post(*a, *b, second), 0);
        ASSERT_EQ(post(*a, *b,
                       {.id = i,
                        .op = read,
                        .from = i * length,
                        .to = (n + i) * length,
                        .length = length}),
                  0);
    }
    expect_all_done(wait_completions(a->send_cq.get(), n), n, length);
    EXPECT_EQ(std::memcmp(a->data(), a->data() + n * length, n * length), 0);
}

/* A request that waits for a receive holds up those behind it, and none of those before it. */
TEST_F(Reads, WaitBehindRequestsWithoutReceive)
{
    constexpr uint32_t length = 60000;

    for (const bool send : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(make_connected(readable, 3 * length));
        ASSERT_EQ(post(*a, *b, {.id = 0, .op = read, .to = length, .length = length}), 0);
        ASSERT_EQ(
            post(*a, *b, {.id = 1, .to = length, .length = length, .imm = true, .send = send}), 0);
        ASSERT_EQ(
            post(*a, *b, {.id = 2, .op = read, .from = length, .to = 2 * length, .length = length}),
            0);
        ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
        EXPECT_TRUE(same(length, 0, length));
        EXPECT_TRUE(stays_empty(a->send_cq.get()));
        ASSERT_EQ(post_receive(*b, 5, length, length), 0);
        const auto done = wait_completions(a->send_cq.get(), 2);
        ASSERT_EQ(done.size(), 2u);
        EXPECT_EQ(done[0].wr_id, 1u);
        EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
        expect_done(done[1], 2, length);
        EXPECT_TRUE(same(0, length, length));
        EXPECT_TRUE(same(2 * length, length, length)) << "it sees what was sent";
        ASSERT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
    }
}

/* Also when this end waits for a receive itself. */
TEST_F(Reads, AnEndThatWaitsForAReceiveAnswers)
{
    for (const bool send : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(make_connected(readable));
        ASSERT_EQ(post(*b, *a, {.id = 1, .imm = true, .send = send}), 0);
        EXPECT_TRUE(stays_empty(b->send_cq.get()));
        ASSERT_NO_FATAL_FAILURE(expect_good(5, 7, 30000));
        ASSERT_EQ(post_receives(*a, 1), 0);
        ASSERT_EQ(wait_completions(b->send_cq.get(), 1).size(), 1u);
        ASSERT_EQ(wait_completions(a->recv_cq.get(), 1).size(), 1u);
    }
}

/* ---- fences ------------------------------------------------------------------ */

/*
 * Writes replace what READs before them read, all under way at once. Each READ returns what the
 * write before it has written.
 */
TEST_F(Reads, AFenceKeepsTheOldContentsFromWrites)
{
    constexpr uint64_t n = 200;
    constexpr uint64_t at_once = 8;
    constexpr uint32_t length = 200001;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable, (3 + at_once) * length));
    const std::vector<uint8_t> old(b->data(), b->data() + length);
    for (uint64_t i = 0; i < n; i += at_once) {
        for (uint64_t j = i; j < i + at_once; j++) {
            ASSERT_EQ(post(*a, *b,
                           {.id = j - i, .op = read, .to = (3 + j - i) * length, .length = length}),
                      0);
            ASSERT_EQ(
                post(*a, *b,
                     {.from = j % 3 * length, .length = length, .signaled = false, .fence = true}),
                0);
        }
        const auto done = wait_completions(a->send_cq.get(), at_once);
        ASSERT_NO_FATAL_FAILURE(expect_all_done(done, at_once, length));
        for (uint64_t j = i; j < i + at_once; j++) {
            const uint8_t *expected = j ? a->data() + (j - 1) % 3 * length : old.data();

            ASSERT_EQ(std::memcmp(a->data() + (3 + j - i) * length, expected, length), 0) << j;
        }
    }
}

/* A receive lies where a READ reads, and a SEND with a fence fills it. */
TEST_F(Reads, AFenceKeepsTheOldContentsFromSends)
{
    constexpr uint64_t n = 50;
    constexpr uint32_t length = 200001;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable, 2 * length));
    std::vector<uint8_t> old(b->data(), b->data() + length);
    for (uint64_t i = 0; i < n; i++) {
        a->data()[i] = static_cast<uint8_t>(i + 1);
        ASSERT_EQ(post_receive(*b, i, 0, length), 0);
        ASSERT_EQ(post(*a, *b, {.id = 0, .op = read, .to = length, .length = length}), 0);
        ASSERT_EQ(post(*a, *b, {.id = 1, .length = length, .send = true, .fence = true}), 0);
        const auto done = wait_completions(a->send_cq.get(), 2);
        ASSERT_EQ(done.size(), 2u);
        expect_done(done[0], 0, length);
        EXPECT_EQ(done[1].opcode, IBV_WC_SEND);
        EXPECT_EQ(done[1].status, IBV_WC_SUCCESS);
        ASSERT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
        ASSERT_EQ(std::memcmp(a->data() + length, old.data(), length), 0) << i;
        ASSERT_TRUE(same(0, 0, length)) << i;
        old.assign(a->data(), a->data() + length);
    }
}

/* What fences are made for: the next request sends what a READ has brought. */
TEST_F(Reads, AFenceWaitsForWhatIsRead)
{
    constexpr uint64_t n = 50;
    constexpr uint32_t length = 60001;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable, 4 * length));
    ASSERT_EQ(post_receive(*b, 1, 3 * length, length), 0);
    for (uint64_t i = 0; i < n; i++) {
        blank();
        b->data()[i] = static_cast<uint8_t>(i + 1);
        ASSERT_EQ(post(*a, *b, {.op = read, .to = 7, .length = length, .signaled = false}), 0);
        ASSERT_EQ(
            post(*a, *b, {.id = i, .from = 7, .to = length + i, .length = length, .fence = true}),
            0);
        const auto done = wait_completions(a->send_cq.get(), 1);
        ASSERT_EQ(done.size(), 1u);
        EXPECT_EQ(done[0].wr_id, i);
        ASSERT_EQ(std::memcmp(b->data(), b->data() + length + i, length), 0) << i;
    }
    blank();
    ASSERT_EQ(post(*a, *b, {.op = read, .to = 7, .length = length, .signaled = false}), 0);
    ASSERT_EQ(post(*a, *b, {.from = 7, .length = length, .send = true, .fence = true}), 0);
    ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
    ASSERT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
    EXPECT_EQ(std::memcmp(b->data(), b->data() + 3 * length, length), 0);
}

/* ---- both ends --------------------------------------------------------------- */

namespace
{

/**
 * One end of two that read from each other, and write to each other in between. Its memory: what is
 * read and written from; a slot for each READ under way; a slot for each write of the other end.
 */
class Mixer
{
public:
    static constexpr size_t slots = 16;
    static constexpr size_t slot_bytes = 16384;
    static constexpr size_t area = slots * slot_bytes;
    static constexpr size_t bytes = 3 * area;

    Mixer(Side &here, Side &there, uint64_t seed) : here_(here), there_(there), seed_(seed) {}

    /** Posts as many requests as may be under way, so few that no slot is used twice at a time. */
    void post_some(uint64_t n)
    {
        while (posted_ < n && posted_ < done_ + slots - 4) {
            ASSERT_EQ(post(here_, there_, request(posted_)), 0);
            posted_++;
        }
    }

    void check_some()
    {
        ibv_wc wc{};

        while (ibv_poll_cq(here_.send_cq.get(), 1, &wc) == 1) {
            ASSERT_EQ(wc.status, IBV_WC_SUCCESS) << ibv_wc_status_str(wc.status);
            ASSERT_EQ(wc.wr_id, done_);
            ASSERT_TRUE(right(done_)) << done_;
            done_++;
        }
    }

    [[nodiscard]] uint64_t done() const { return done_; }

private:
    /* Two READs of what never changes, a write, and a READ of what that has written. */
    [[nodiscard]] Write request(uint64_t i) const
    {
        const auto length = static_cast<uint32_t>(1 + (i * 1237 + seed_) % 15000);
        const size_t from = (i * 7919 + seed_) % (area - slot_bytes);
        const size_t slot = i % slots * slot_bytes;

        if (i % 4 == 2) {
            return {.id = i, .from = from, .to = 2 * area + slot, .length = length};
        }
        if (i % 4 == 3) {
            const Write before = request(i - 1);

            return {.id = i,
                    .op = IBV_WR_RDMA_READ,
                    .from = before.to,
                    .to = area + slot,
                    .length = before.length};
        }
        return {.id = i, .op = IBV_WR_RDMA_READ, .from = from, .to = area + slot, .length = length};
    }

    /* Whether a READ has brought what it should. */
    [[nodiscard]] bool right(uint64_t i) const
    {
        const Write what = request(i);
        const uint8_t *expected = there_.data() + what.from;

        if (i % 4 == 2) {
            return true;
        }
        if (i % 4 == 3) {
            expected = here_.data() + request(i - 1).from;
        }
        return std::memcmp(here_.data() + what.to, expected, what.length) == 0;
    }

    Side &here_;
    Side &there_;
    uint64_t seed_;
    uint64_t posted_ = 0;
    uint64_t done_ = 0;
};

} // namespace

TEST_F(Reads, OfBothEndsAtOnce)
{
    constexpr uint64_t n = 600;

    for (const uint8_t reads : {1, 16}) {
        Shape shape = readable;

        shape.reads = reads;
        ASSERT_NO_FATAL_FAILURE(make_connected(shape, Mixer::bytes));
        Mixer first(*a, *b, 0), second(*b, *a, 4711);
        while (first.done() < n || second.done() < n) {
            for (Mixer *mixer : {&first, &second}) {
                ASSERT_NO_FATAL_FAILURE(mixer->post_some(n));
                ASSERT_NO_FATAL_FAILURE(mixer->check_some());
            }
        }
        EXPECT_TRUE(a->no_event());
        EXPECT_TRUE(b->no_event());
    }
}

/* Large ones, so that requests and responses of both ends take turns for long. */
TEST_F(Reads, LargeOnesOfBothEnds)
{
    constexpr uint64_t n = 20;
    constexpr uint32_t length = 1 << 20;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable, 2 * length));
    for (uint64_t i = 0; i < n; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .op = read, .to = length, .length = length}), 0);
        ASSERT_EQ(post(*b, *a, {.id = i, .op = read, .to = length, .length = length}), 0);
    }
    expect_all_done(wait_completions(a->send_cq.get(), n), n, length);
    expect_all_done(wait_completions(b->send_cq.get(), n), n, length);
    EXPECT_TRUE(same(length, 0, length));
    EXPECT_TRUE(same(0, length, length));
}

/* Its requests and responses are those of its peer, too. */
TEST_F(Reads, OfAQpThatIsItsOwnPeer)
{
    constexpr uint64_t n = 32;
    constexpr uint32_t length = 30000;

    make(readable, 2 * n * length);
    ASSERT_NO_FATAL_FAILURE(a->connect(*a));
    for (uint64_t i = 0; i < n; i++) {
        ASSERT_EQ(post(*a, *a,
                       {.id = i,
                        .op = read,
                        .from = i * length,
                        .to = (n + i) * length,
                        .length = length}),
                  0);
    }
    expect_all_done(wait_completions(a->send_cq.get(), n), n, length);
    EXPECT_EQ(std::memcmp(a->data(), a->data() + n * length, n * length), 0);
}

/* ---- a peer in RTR ----------------------------------------------------------- */

/* Servers that only answer never go to RTS. */
TEST_F(Reads, APeerInRtrAnswers)
{
    ASSERT_NO_FATAL_FAILURE(make_half());
    for (const uint32_t length : {0, 1, 30000, 65000}) {
        ASSERT_NO_FATAL_FAILURE(expect_good(17, 3, length));
    }
    ASSERT_NO_FATAL_FAILURE(fence());
    EXPECT_EQ(b->state(), IBV_QPS_RTR);
    EXPECT_EQ(post(*b, *a, {.length = 100}), EINVAL);
    /* Its peer expects the responses and what comes after them under one numbering. */
    b->psn ^= 1;
    EXPECT_EQ(b->to_rts(), EINVAL);
    EXPECT_EQ(b->state(), IBV_QPS_RTR);
    ASSERT_NO_FATAL_FAILURE(expect_good(5, 7, 20000));
    b->psn ^= 1;
    ASSERT_EQ(b->to_rts(), 0);
    ASSERT_NO_FATAL_FAILURE(expect_good(5, 7, 20000));
    a->fill(3);
    ASSERT_EQ(post(*b, *a, {.from = 11, .to = 13, .length = 50000}), 0);
    ASSERT_EQ(wait_completions(b->send_cq.get(), 1).size(), 1u);
    EXPECT_TRUE(same(13, 11, 50000));
    ASSERT_EQ(post(*b, *a, {.op = read, .to = 1, .length = 40000}), 0);
    ASSERT_EQ(wait_completions(b->send_cq.get(), 1).size(), 1u);
    EXPECT_TRUE(same(0, 1, 40000));
}

/* The change comes while responses are under way, or before the first of them. */
TEST_F(Reads, APeerGoesToRtsMeanwhile)
{
    constexpr uint64_t n = 16;
    constexpr uint32_t length = 300001;

    for (int round = 0; round < 10; round++) {
        ASSERT_NO_FATAL_FAILURE(make_half(2 * n * length));
        for (uint64_t i = 0; i < n; i++) {
            ASSERT_EQ(
                post(*a, *b,
                     {.id = i, .op = read, .from = i * length, .to = i * length, .length = length}),
                0);
        }
        if (round % 2) {
            ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
        }
        ASSERT_EQ(b->to_rts(), 0);
        ASSERT_EQ(post(*b, *a, {.to = n * length, .length = length}), 0);
        ASSERT_EQ(wait_completions(b->send_cq.get(), 1).size(), 1u);
        const size_t left = n - round % 2;
        ASSERT_EQ(wait_completions(a->send_cq.get(), left).size(), left);
        EXPECT_TRUE(same(0, 0, n * length));
        EXPECT_TRUE(same(n * length, 0, length));
    }
}

/* A QP that has answered in RTR begins anew after a reset, with another first PSN. */
TEST_F(Reads, APeerInRtrIsReset)
{
    make(readable);
    for (int round = 0; round < 5; round++) {
        ASSERT_NO_FATAL_FAILURE(b->to_init());
        ASSERT_EQ(with_neighbour([&] { return b->to_rtr(*a); }), 0);
        ASSERT_NO_FATAL_FAILURE(a->connect(*b));
        ASSERT_NO_FATAL_FAILURE(expect_good(17, 3, 30000));
        ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
        ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
        a->psn = b->psn = (0xfffffe + round) & 0xffffff;
    }
}

/* ---- the extended calls, and limits -------------------------------------------- */

TEST_F(Reads, ByExtendedPosting)
{
    Shape shape = readable;
    ibv_sge parts[2];

    shape.wr_ops = IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE;
    ASSERT_NO_FATAL_FAILURE(make_connected(shape));
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ibv_wr_start(ex);
    ex->wr_id = 0;
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_read(ex, b->mr->rkey, b->address(1));
    ibv_wr_set_sge(ex, a->mr->lkey, a->address(), 9000);
    ex->wr_id = 1;
    ibv_wr_rdma_read(ex, b->mr->rkey, b->address(9001));
    parts[0] = {.addr = a->address(9000), .length = 1, .lkey = a->mr->lkey};
    parts[1] = {.addr = a->address(9001), .length = 8999, .lkey = a->mr->lkey};
    ibv_wr_set_sge_list(ex, 2, parts);
    ex->wr_id = 2;
    ex->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
    ibv_wr_rdma_write(ex, b->mr->rkey, b->address(40000));
    ibv_wr_set_sge(ex, a->mr->lkey, a->address(), 18000);
    ASSERT_EQ(ibv_wr_complete(ex), 0);
    const auto done = wait_completions(a->send_cq.get(), 3);
    ASSERT_EQ(done.size(), 3u);
    expect_done(done[0], 0, 9000);
    expect_done(done[1], 1, 9000);
    EXPECT_EQ(done[2].opcode, IBV_WC_RDMA_WRITE);
    EXPECT_TRUE(same(0, 1, 18000));
    EXPECT_TRUE(same(0, 40000, 18000)) << "the fence has waited for both";
}

TEST_F(Reads, TakeNoInlineData)
{
    Shape shape = readable;
    ibv_data_buf part{};

    shape.wr_ops = IBV_QP_EX_WITH_RDMA_READ;
    ASSERT_NO_FATAL_FAILURE(make_connected(shape));
    EXPECT_EQ(post(*a, *b, {.op = read, .length = 8, .inline_data = true}), EINVAL);
    EXPECT_EQ(post(*a, *b, {.op = read, .inline_data = true}), EINVAL);
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_start(ex);
    ibv_wr_rdma_read(ex, b->mr->rkey, b->address());
    ibv_wr_set_inline_data(ex, a->data(), 8);
    EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
    part = {.addr = a->data(), .length = 8};
    ibv_wr_start(ex);
    ibv_wr_rdma_read(ex, b->mr->rkey, b->address());
    ibv_wr_set_inline_data_list(ex, 1, &part);
    EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
    EXPECT_TRUE(stays_empty(a->send_cq.get())) << "nothing was posted";
    ASSERT_NO_FATAL_FAILURE(expect_good(1, 2, 5000));
}

TEST_F(Reads, LimitsOfTheDevice)
{
    ibv_device_attr dev{};
    ibv_qp_init_attr init{};
    ibv_qp_attr attr{};

    make(readable);
    ASSERT_EQ(ibv_query_device(a->context.get(), &dev), 0);
    EXPECT_EQ(dev.max_qp_rd_atom, 16);
    EXPECT_EQ(dev.max_qp_init_rd_atom, 16);
    EXPECT_EQ(dev.atomic_cap, IBV_ATOMIC_HCA);
    ASSERT_NO_FATAL_FAILURE(a->to_init());
    a->shape.reads = 17;
    EXPECT_EQ(a->to_rtr(*b), EINVAL);
    a->shape.reads = 16;
    ASSERT_EQ(a->to_rtr(*b), 0);
    a->shape.reads = 17;
    EXPECT_EQ(a->to_rts(), EINVAL);
    EXPECT_EQ(a->state(), IBV_QPS_RTR);
    a->shape.reads = 7;
    ASSERT_EQ(a->to_rts(), 0);
    ASSERT_EQ(ibv_query_qp(a->qp.get(), &attr, IBV_QP_MAX_QP_RD_ATOMIC, &init), 0);
    EXPECT_EQ(attr.max_rd_atomic, 7);
    EXPECT_EQ(attr.max_dest_rd_atomic, 16);
}

} // namespace verbs
