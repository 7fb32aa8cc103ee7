// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_errors.cc
 * Programs that do what is forbidden: each case harms its own QPs and nothing else. The scripts
 * that run it look at the counters.
 */
#include "verbs/fixture.h"
#include "verbs/options.h"

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (!testing::GTEST_FLAG(list_tests)) {
        verbs::parse_options(argc, argv,
                             "Usage: mrc_errors [GOOGLETEST-OPTION]... [-n NETNS] [-g GID] DEVICE "
                             "[[-N NETNS] [-G GID] DEVICE]\n");
    }
    return RUN_ALL_TESTS();
}
