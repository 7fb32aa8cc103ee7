// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file mrc_verbs_test.cc
 * What verbs promises, tried with plain libibverbs between two QPs: of one device
 * (loopback), or of two devices of this machine, each opened in its own namespace.
 */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "verbs/fixture.h"

namespace
{

constexpr const char *usage =
    "Usage: mrc_verbs_test [GOOGLETEST-OPTION]... [-n NETNS] DEVICE [[-N NETNS] DEVICE]\n"
    "\n"
    "Device of the one side and of the other (default: the same); -n and -N name the\n"
    "network namespaces that they are opened in.\n";

void parse(int argc, char **argv)
{
    int opt = 0;

    while ((opt = getopt(argc, argv, "hn:N:")) != -1) {
        switch (opt) {
        case 'h':
            std::fputs(usage, stdout);
            std::exit(0);
        case 'n':
            verbs::config.netns[0] = optarg;
            break;
        case 'N':
            verbs::config.netns[1] = optarg;
            break;
        default:
            std::fputs(usage, stderr);
            std::exit(2);
        }
    }
    if (argc - optind < 1 || argc - optind > 2) {
        std::fputs(usage, stderr);
        std::exit(2);
    }
    verbs::config.device[0] = argv[optind];
    verbs::config.device[1] = argv[argc - 1];
    if (argc - optind == 1) {
        verbs::config.netns[1] = verbs::config.netns[0];
    }
}

} // namespace

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (!testing::GTEST_FLAG(list_tests)) {
        parse(argc, argv);
    }
    return RUN_ALL_TESTS();
}
