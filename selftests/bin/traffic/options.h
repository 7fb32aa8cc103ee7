// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file options.h
 * What a run of mrc_traffic does, from its command line.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace traffic
{

/** Entries of a completion queue, at most: the requests of all QPs together. */
constexpr uint32_t completions_max = 65536;

/**
 * The plan of the traffic. The client decides, and tells the server: both ends have the same plan.
 */
struct Plan {
    uint32_t qps = 1;
    /** Messages per QP and direction; 0: until SIGTERM or until seconds have passed. */
    uint64_t iterations = 100;
    /** Seconds to run, 0: no limit. With a limit, iterations do not count. */
    uint32_t seconds = 0;
    /** Message sizes in bytes, taken in turns. Unused with random sizes. */
    std::vector<uint32_t> sizes = {4096};
    bool random_sizes = false;
    uint32_t size_min = 0;
    uint32_t size_max = 0;
    uint64_t seed = 1;
    bool random_offsets = false;
    /** Gather elements per request: from 1 to this many, drawn at random. */
    uint32_t sges = 1;
    /**
     * Every nth message is a WriteImm, the others are plain writes; the last message always is one.
     */
    uint32_t imm_every = 1;
    /** One in so many of these, drawn at random, is a SEND with an immediate instead; 0: none. */
    uint32_t sends_every = 0;
    /**
     * One in so many plain writes, drawn at random, is read back, and adds to a counter at the
     * other end; 0: none.
     */
    uint32_t reads_every = 0;
    bool both_directions = false;
    /** Messages up to this many bytes are sent inline; 0: none. */
    uint32_t inline_max = 0;
    uint32_t signal_every = 1;
    /** Path MTU in bytes: 256, 512, 1024, 2048 or 4096. */
    uint32_t mtu = 4096;
    /** First PSN of both directions; -1: random. */
    int64_t psn = -1;
    /** Local ACK timeout as in verbs: 4.096 us * 2^timeout. */
    uint8_t timeout = 14;
    uint8_t retry_cnt = 7;
    /** Requests outstanding per QP. */
    uint32_t depth = 64;
    /** Requests per ibv_post_send(). */
    uint32_t batch = 8;
    /** Messages per second, QP and direction; 0: as many as possible. */
    uint32_t rate = 0;
    /** Bytes of target memory per QP and direction; raised to hold the largest message. */
    uint64_t window = 4u << 20;
    /** Completion statuses (ibv_wc_status): each of the client's QPs must end with one of them;
     *  none: success. */
    std::vector<int> expect_error;

    /** Largest message, bytes. */
    [[nodiscard]] uint32_t largest() const;
    /** Whether a QP of the client may end with this status. 0: success. */
    [[nodiscard]] bool expects(int status) const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Plan, qps, iterations, seconds, sizes, random_sizes, size_min,
                                   size_max, seed, random_offsets, sges, imm_every, sends_every,
                                   reads_every, both_directions, inline_max, signal_every, mtu, psn,
                                   timeout, retry_cnt, depth, batch, rate, window, expect_error)

enum class Role { Server, Client };

/** This end's options, which the other end need not know. */
struct Options {
    Role role = Role::Client;
    std::string socket;
    std::string device;
    /** "auto", an index, or an IPv6 address. */
    std::string gid = "auto";
    /** Ends a run in which nothing moves for this many seconds. */
    uint32_t stall = 60;
    Plan plan;
};

/**
 * Parses a command line.
 * If it is wrong, prints the reason and the usage, and exits with status 2.
 */
Options parse_options(int argc, char **argv);

} // namespace traffic
