// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file reads.h
 * What the files with cases about READs share.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "fixture.h"

namespace verbs
{

/** Side a reads, b is read. */
class Reads : public Pair
{
protected:
    static constexpr ibv_wr_opcode read = IBV_WR_RDMA_READ;
    /** Parts of memory that a READ can fill, and how far they are from each other. */
    static constexpr uint32_t parts = 16;
    static constexpr size_t stride = 20011;

    /** Makes both ends. Only a goes to RTS, b stays in RTR. */
    void make_half(size_t bytes = 1 << 16);

    /** A successful READ. */
    static void expect_done(const ibv_wc &wc, uint64_t id, uint32_t length);
    /** These completions are READs of one length, successful, in the order of their ids. */
    static void expect_all_done(const std::vector<ibv_wc> &done, size_t n, uint32_t length);

    /** One READ, checked, with all memory beside its target. */
    void expect_good(size_t from, size_t to, uint32_t length);
    /** Posts a READ into parts of a's memory. @return what ibv_post_send() returned */
    int post_into(std::vector<ibv_sge> sges, size_t from);
    /** The same, which succeeds. */
    void expect_into(const std::vector<ibv_sge> &sges, size_t from, uint32_t length);
    /** Whether bytes of a are those of b. */
    [[nodiscard]] bool same(size_t at_a, size_t at_b, size_t length) const;
    /** Fills a's memory with bytes that b does not send. */
    void blank();
};

} // namespace verbs
