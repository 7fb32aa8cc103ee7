// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_verbs_test.cc
 * Tests what verbs promises, with plain libibverbs between two QPs: of one device (loopback), or of
 * two devices of this machine, each opened in its own namespace.
 */
#include "verbs/fixture.h"
#include "verbs/options.h"

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (!testing::GTEST_FLAG(list_tests)) {
        verbs::parse_options(argc, argv,
                             "Usage: mrc_verbs_test [GOOGLETEST-OPTION]... [-n NETNS] DEVICE "
                             "[[-N NETNS] DEVICE]\n");
    }
    return RUN_ALL_TESTS();
}
