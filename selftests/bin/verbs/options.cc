// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "fixture.h"

namespace verbs
{

namespace
{

[[noreturn]] void leave(FILE *to, const char *usage, int status)
{
    std::fprintf(to, "%s\n%s", usage, options_help);
    std::exit(status);
}

void parse_one(int opt, const char *usage)
{
    switch (opt) {
    case 'h':
        leave(stdout, usage, 0);
    case 'n':
    case 'N':
        config.netns[opt == 'N'] = optarg;
        break;
    case 'g':
    case 'G':
        config.gid[opt == 'G'] = optarg;
        break;
    default:
        leave(stderr, usage, 2);
    }
}

} // namespace

void parse_options(int argc, char **argv, const char *usage)
{
    int opt = 0;

    while ((opt = getopt(argc, argv, "hn:N:g:G:")) != -1) {
        parse_one(opt, usage);
    }
    if (argc - optind < 1 || argc - optind > 2) {
        leave(stderr, usage, 2);
    }
    config.device[0] = argv[optind];
    config.device[1] = argv[argc - 1];
    if (argc - optind == 1) {
        config.netns[1] = config.netns[0];
        config.gid[1] = config.gid[0];
    }
}

} // namespace verbs
