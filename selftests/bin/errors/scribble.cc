// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that overwrites the rings it shares with the kernel at random, all the time, also while
 * the kernel reads them. Whatever becomes of its QPs, everything can be taken down afterwards, and
 * new QPs work.
 */
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>

#include "verbs/fixture.h"
#include "verbs/mapping.h"

namespace verbs
{

namespace
{

using Word = std::atomic_ref<uint32_t>;

/** Overwrites rings from a thread of its own until it is destroyed. */
class Scribbler
{
public:
    /** @param indices whether indices and flags are overwritten too, not only entries */
    Scribbler(std::vector<Mapping> rings, bool indices, uint32_t seed, std::vector<uint32_t> keys)
        : rings_(std::move(rings)), indices_(indices), random_(seed), keys_(std::move(keys)),
          thread_([this] { run(); })
    {
    }
    ~Scribbler()
    {
        ended_ = true;
        thread_.join();
    }
    Scribbler(const Scribbler &) = delete;
    Scribbler &operator=(const Scribbler &) = delete;

private:
    void run()
    {
        while (!ended_) {
            const Mapping &map = rings_[random_() % rings_.size()];

            if (indices_ && random_() % 64 == 0) {
                spoil_index(*map.ring);
            } else if (random_() % 2) {
                spoil_request(map);
            } else {
                spoil_word(map);
            }
        }
    }

    void spoil_index(mrc_ring &ring)
    {
        switch (random_() % 5) {
        case 0:
            put(ring.producer, random_());
            break;
        case 1:
            put(ring.producer, ring.producer + random_() % 4);
            break;
        case 2:
            put(ring.consumer, random_());
            break;
        case 3:
            put(ring.consumer, ring.consumer + random_() % 4);
            break;
        default:
            put(ring.flags, random_());
        }
    }

    void spoil_word(const Mapping &map)
    {
        auto *words = reinterpret_cast<uint32_t *>(map.ring);
        const size_t first = sizeof(mrc_ring) / sizeof(*words);
        const size_t last = map.bytes / sizeof(*words);

        put(words[first + random_() % (last - first)], random_());
    }

    /** Values near those that the kernel takes: they get further than others. */
    void spoil_request(const Mapping &map)
    {
        auto *wr = reinterpret_cast<mrc_send_wr *>(map.ring->entries);

        put(wr->opcode, random_() % 3);
        put(wr->flags, random_() % 8);
        put(wr->num_sge, random_() % 19);
        put(wr->inline_len, random_() % 600);
        put(wr->rkey, keys_[random_() % keys_.size()]);
        put(wr->sge[0].lkey, keys_[random_() % keys_.size()]);
        put(wr->sge[0].length, 1u << random_() % 32);
    }

    static void put(uint32_t &word, uint32_t value)
    {
        Word(word).store(value, std::memory_order_relaxed);
    }

    std::vector<Mapping> rings_;
    bool indices_;
    std::minstd_rand random_;
    std::vector<uint32_t> keys_;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

uint32_t first_seed()
{
    const auto given = static_cast<uint32_t>(testing::GTEST_FLAG(random_seed));

    return given ? given : std::random_device{}();
}

void poll_some(Side &side)
{
    ibv_wc wc[4];

    ibv_poll_cq(side.send_cq.get(), 4, wc);
    ibv_poll_cq(side.recv_cq.get(), 4, wc);
}

} // namespace

class Scribble : public Pair
{
protected:
    void round(uint32_t seed, bool indices, uint32_t srq_wr);
};

void Scribble::round(uint32_t seed, bool indices, uint32_t srq_wr)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 8, .retries = 1, .srq_wr = srq_wr}));
    const Scribbler scribbler(ring_mappings(), indices, seed,
                              {a->mr->lkey, b->mr->rkey, a->mr->lkey ^ 1, 0});
    for (uint64_t i = 0; i < 200; i++) {
        post_receives(*b, 1, i);
        post(*a, *b, {.id = i, .length = 5000, .imm = i % 2 == 0, .send = srq_wr != 0});
        post(*b, *a, {.id = i, .length = 100});
        doorbell(a->qp.get());
        doorbell(b->qp.get());
        poll_some(*a);
        poll_some(*b);
    }
}

TEST_F(Scribble, AtRandom)
{
    const uint32_t seed = first_seed();

    std::printf("seed %u\n", seed);
    for (uint32_t i = 0; i < 24; i++) {
        ASSERT_NO_FATAL_FAILURE(round(seed + i, i % 2, i / 2 % 2 ? 64 : 0));
        a.reset();
        b.reset();
    }
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_NO_FATAL_FAILURE(fence());
}

} // namespace verbs
