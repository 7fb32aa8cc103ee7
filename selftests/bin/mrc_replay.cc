// SPDX-License-Identifier: GPL-2.0-only
//
// Plays a recording of a requester (standard input) to the engine. Exit status 1: the engine said
// something else, or the input is not a recording.

#include <iostream>

#include "replay.h"

int main()
{
    const replay::Outcome outcome = replay::play(std::cin);
    std::cout << outcome.calls << " calls, " << outcome.batches << " batches, " << outcome.again
              << " of them again, " << outcome.answers << " answers\n";
    if (outcome.difference.empty())
        return outcome.batches ? 0 : 1;
    std::cout << outcome.difference << '\n';
    return 1;
}
