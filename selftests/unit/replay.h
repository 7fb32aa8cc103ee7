// SPDX-License-Identifier: GPL-2.0-only
//
// Plays to the engine what kernel/transport/qp/replay.h recorded of a QP's requester: the engine
// gets the same calls again, and must give the same results.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "engine/requester.h"

namespace replay
{

/** A call: a line "OP NOW WORD...", the time in ns, the words hexadecimal. */
struct Call {
    char op;
    uint64_t now;
    std::vector<uint32_t> words;
};

/** Throws std::invalid_argument that says what is wrong. */
Call parse(const std::string &line);

/** A requester like the module's. */
class Requester
{
public:
    /** Makes a call. Returns its words as they would be recorded now. Throws as parse() does. */
    std::vector<uint32_t> make(const Call &call);

private:
    class Words;

    std::vector<uint32_t> start(Words &in);
    std::vector<uint32_t> queue(Words &in);
    std::vector<uint32_t> forget(Words &in);
    std::vector<uint32_t> plan(uint64_t now, Words &in);
    std::vector<uint32_t> batch(uint64_t now, Words &in);
    std::vector<uint32_t> unsent(uint64_t now, Words &in);
    std::vector<uint32_t> lose(uint64_t now, Words &in);
    std::vector<uint32_t> state(Words &in);
    std::vector<uint32_t> answer(char op, uint64_t now, Words &in);
    std::vector<uint32_t> end(Words &in);
    std::vector<uint32_t> answered(Words &in);
    std::vector<uint32_t> timer_at(uint64_t now) const;
    std::vector<uint32_t> timer(uint64_t now);
    void need_start() const;

    mrc_req req{};
    mrc_batch planned{};
    engine::RequesterMemory memory;
};

/** The result of playing a recording. */
struct Outcome {
    unsigned int calls = 0;
    /** Batches, retransmitted batches, answers. */
    unsigned int batches = 0, again = 0, answers = 0;
    /** The first call that gives another result, or cannot be made; empty: none. */
    std::string difference;
};

/** Plays a recording to its end, or to the first difference. */
Outcome play(std::istream &recording);

} // namespace replay
