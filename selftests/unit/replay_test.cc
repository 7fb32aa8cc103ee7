// SPDX-License-Identifier: GPL-2.0-only
//
// Plays recordings of requesters that ran in a machine (selftests/paths/replay.sh) to the engine.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "replay.h"

namespace
{

const char *const Start = "S 0 80 1000000 0 7 3 0 0 fffff0 1000 80 40\n";

std::string difference(const std::string &recording)
{
    std::istringstream in(recording);
    return replay::play(in).difference;
}

TEST(Replay, RecordingsOfTheModule)
{
    unsigned int count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(MRC_RECORDINGS)) {
        if (entry.path().extension() != ".calls")
            continue;
        std::ifstream in(entry.path());
        const replay::Outcome outcome = replay::play(in);
        EXPECT_EQ(outcome.difference, "") << entry.path();
        EXPECT_GE(outcome.batches, 20U) << entry.path();
        EXPECT_GE(outcome.answers, 50U) << entry.path();
        EXPECT_GE(outcome.again, 1U) << entry.path();
        count++;
    }
    EXPECT_GE(count, 1U);
}

/* MRC_REQ_GONE, with losses: at least one recording has it. */
TEST(Replay, OneHasSeenAPortOfItsHostGo)
{
    unsigned int lost = 0;
    for (const auto &entry : std::filesystem::directory_iterator(MRC_RECORDINGS)) {
        std::ifstream in(entry.path());
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            std::string op, now, due, count;
            words >> op >> now >> due >> count;
            lost += op == "D" && due == std::to_string(MRC_REQ_GONE) && count != "0";
        }
    }
    EXPECT_GE(lost, 1U);
}

TEST(Replay, ADifferenceIsFound)
{
    const std::string queued = std::string(Start) + "Q 0 2000 0\n";
    const std::string planned = queued + "P 1000 10000 10000 10000 1 8000 40 1\n";
    EXPECT_EQ(difference(planned + "B 1000 1 0 2 0 0 1 fffff0\n"), "");
    // Another number of packets, another PSN, no ack request; and nothing should leave, or
    // something should.
    EXPECT_NE(difference(planned + "B 1000 1 0 3 0 0 1 fffff0\n"), "");
    EXPECT_NE(difference(planned + "B 1000 1 0 2 0 0 1 fffff1\n"), "");
    EXPECT_NE(difference(planned + "B 1000 1 0 2 0 0 0 fffff0\n"), "");
    EXPECT_NE(difference(queued + "P 1000 10000 10000 10000 1 8000 40 0\n"), "");
    EXPECT_NE(difference(queued + "P 1000 10000 0 0 1 8000 40 1\n"), "");
    EXPECT_NE(difference(queued + "B 1000 1 0 2 0 0 1 fffff0\n"), "");
}

TEST(Replay, NonsenseIsToldOf)
{
    EXPECT_NE(difference("Q 0 2000 0\n"), "");
    EXPECT_NE(difference("what\n"), "");
    for (const char *line : {"X 0\n", "Q 0\n", "Q 0 zz 0\n", "E 0 1\n", "B 0 0 1 0 0 0 0\n",
                             "B 0 ffff\n", "K 0 ffff\n", "K 0 4 0\n", "S 0 0 0 0 0 0 0 0 0 0\n"})
        EXPECT_NE(difference(std::string(Start) + line), "") << line;
}

} // namespace
