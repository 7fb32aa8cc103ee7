// SPDX-License-Identifier: GPL-2.0-only
/*
 * mrcctl: options, network namespace, exit status.
 */
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <getopt.h>
#include <iostream>
#include <optional>
#include <sched.h>
#include <unistd.h>

#include "mrcnl/client.h"

#include "command.h"

namespace
{

using namespace mrcctl;

constexpr int exit_usage = 1;
constexpr int exit_refused = 2;

struct Options {
    PrintOptions print;
    std::optional<std::string> netns;
    std::optional<std::string> batch;
    bool version = false;
    bool help = false;
};

constexpr option long_options[] = {
    {"json", no_argument, nullptr, 'j'},
    {"pretty", no_argument, nullptr, 'p'},
    {"statistics", no_argument, nullptr, 's'},
    {"details", no_argument, nullptr, 'd'},
    {"timeless", no_argument, nullptr, 't'},
    {"oneline", no_argument, nullptr, 'o'},
    {"Numeric", no_argument, nullptr, 'N'},
    {"color", optional_argument, nullptr, 'c'},
    {"netns", required_argument, nullptr, 'n'},
    {"batch", required_argument, nullptr, 'b'},
    {"Version", no_argument, nullptr, 'V'},
    {"help", no_argument, nullptr, 'h'},
    {nullptr, 0, nullptr, 0},
};

/**
 * The color option, as ip -color has it. @param when the word; nullptr: none, which means always
 */
bool color_wanted(const char *when)
{
    const std::string word = when ? when : "always";

    if (word == "auto")
        return window_of(STDOUT_FILENO).has_value();
    if (word != "always" && word != "never")
        throw UsageError("color must be always, auto or never, not '" + word + "'");
    return word == "always";
}

void apply(Options &options, int letter)
{
    switch (letter) {
    case 'j':
        options.print.json = true;
        break;
    case 'p':
        options.print.pretty = true;
        break;
    case 's':
        options.print.statistics = true;
        break;
    case 'd':
        options.print.details = true;
        break;
    case 't':
        options.print.times = false;
        break;
    case 'N':
        options.print.numeric = true;
        break;
    case 'o':
        options.print.one_line = true;
        break;
    case 'c':
        options.print.color = color_wanted(optarg);
        break;
    case 'n':
        options.netns = optarg;
        break;
    case 'b':
        options.batch = optarg;
        break;
    case 'V':
        options.version = true;
        break;
    case 'h':
        options.help = true;
        break;
    case ':':
        throw UsageError(std::string("option ") + "'-" + static_cast<char>(optopt) +
                         "' needs a value");
    default:
        throw UsageError("unknown option; try mrcctl help");
    }
}

Options parse_options(int argc, char **argv)
{
    Options options;

    opterr = 0;
    for (;;) {
        // "+": options behind the object belong to the object.
        const int letter = getopt_long_only(argc, argv, "+:jpsdtoNcn:b:Vh", long_options, nullptr);

        if (letter < 0)
            return options;
        apply(options, letter);
    }
}

/** Enters a network namespace, as ip -n does: a name below /run/netns, or a path. */
void enter_netns(const std::string &name)
{
    const std::string path = name.find('/') == std::string::npos ? "/run/netns/" + name : name;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        throw Failure("network namespace " + name + ": " + strerror(errno));
    const int err = setns(fd, CLONE_NEWNET) ? errno : 0;
    close(fd);
    if (err)
        throw Failure("network namespace " + name + ": " + strerror(err));
}

void run_batch_file(Context &context, const std::string &name)
{
    if (name == "-") {
        run_batch(context, std::cin, "stdin");
        return;
    }
    std::ifstream in(name);

    if (!in)
        throw Failure("cannot read " + name + ": " + strerror(errno));
    run_batch(context, in, name);
}

/** @return exit status */
int run(int argc, char **argv)
{
    const Options options = parse_options(argc, argv);
    std::vector<std::string> words(argv + optind, argv + argc);

    if (options.version) {
        std::cout << "mrcctl " MRC_VERSION "\n";
        return 0;
    }
    if (options.help)
        words = {"help"};
    if (options.netns)
        enter_netns(*options.netns);
    Context context(std::cout, options.print, mrcnl::open_kernel);
    context.window = [] { return window_of(STDOUT_FILENO); };
    if (!options.batch)
        run_words(context, std::move(words));
    else if (words.empty())
        run_batch_file(context, *options.batch);
    else
        throw UsageError("option -b takes no command");
    if (!std::cout.flush())
        throw Failure("cannot write");
    return context.exit_status;
}

// One write per line: other programs may write to the same file.
void complain(const char *what)
{
    std::cerr << "mrcctl: " + std::string(what) + '\n';
}

} // namespace

int main(int argc, char **argv)
{
    // One write per buffer, not one per word.
    std::ios::sync_with_stdio(false);
    try {
        return run(argc, argv);
    } catch (const UsageError &e) {
        complain(e.what());
        return exit_usage;
    } catch (const std::exception &e) {
        std::cout.flush();
        complain(e.what());
        return exit_refused;
    }
}
