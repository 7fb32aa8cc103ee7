// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <getopt.h>
#include <sys/resource.h>
#include <unistd.h>

#include "drive_local.h"
#include "report.h"
#include "requester.h"
#include "responder.h"
#include "scenario.h"

namespace
{

using namespace mrcsim;

constexpr int exit_usage = 2;
constexpr uint32_t threads_max = 256;

constexpr const char help[] =
    "Usage: mrcsim run [ -s KEY=VALUE ]... [ -t THREADS ] [ -c CELLS ] [ -o OUT.json ] FILE\n"
    "       mrcsim --help | --version\n"
    "Simulates what FILE describes, prints figures, and fails if a figure is not as FILE expects.\n"
    "See mrcsim(1) for the keys of a FILE.\n";

struct Options {
    std::string file;
    std::vector<Override> overrides;
    uint32_t threads = 1;
    std::optional<uint32_t> cells;
    std::string output;
};

std::optional<uint32_t> count_of(const char *text, uint32_t max)
{
    uint32_t value = 0;
    const char *end = text + strlen(text);
    const auto [at, error] = std::from_chars(text, end, value);

    if (error != std::errc() || at != end || !value || value > max)
        return std::nullopt;
    return value;
}

std::optional<std::string> read_file(const std::string &path)
{
    std::ifstream stream(path);
    std::ostringstream text;

    text << stream.rdbuf();
    if (!stream)
        return std::nullopt;
    return text.str();
}

/** The scenario that a file and options describe. Complaints go to standard error. */
std::optional<Scenario> scenario_of(const Options &options)
{
    const auto text = read_file(options.file);
    const size_t slash = options.file.rfind('/');

    if (!text) {
        std::cerr << options.file << ": " << strerror(errno ? errno : EIO) << '\n';
        return std::nullopt;
    }
    const std::string folder = slash == std::string::npos ? "." : options.file.substr(0, slash);
    ScenarioResult result = read_scenario(*text, folder, options.overrides);
    std::stable_sort(result.complaints.begin(), result.complaints.end(),
                     [](const Complaint &a, const Complaint &b) { return a.line < b.line; });
    for (const Complaint &complaint : result.complaints) {
        std::cerr << options.file << ':';
        if (complaint.line)
            std::cerr << complaint.line << ':';
        std::cerr << ' ' << complaint.text << '\n';
    }
    return std::move(result.scenario);
}

double cpu_seconds()
{
    timespec time{};

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double wall_seconds()
{
    timespec time{};

    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

uint64_t memory_kib()
{
    rusage usage{};

    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss);
}

/** Shows the progress in one line of a terminal, which is overwritten. */
void show_progress(Time now, Time end)
{
    static int last = -1;
    const int percent = static_cast<int>(now * 100 / end);

    if (percent == last)
        return;
    last = percent;
    std::cerr << '\r' << percent << " % of " << end / microsecond << " us "
              << (now >= end ? "\r\x1b[K" : "") << std::flush;
}

/** Writes the report. False: it was not written. */
bool write(const std::string &path, const Report &report)
{
    std::ofstream stream(path);

    stream << report.json().dump(1) << '\n';
    stream.close();
    if (stream)
        return true;
    std::cerr << path << ": " << strerror(errno ? errno : EIO) << '\n';
    return false;
}

void print(const Report &report)
{
    for (const auto &[name, value] : report.figures())
        std::cout << name << ' ' << value << '\n';
    std::cout << "digest " << std::hex << report.digest() << std::dec << '\n';
}

int run(const Options &options)
{
    const auto scenario = scenario_of(options);

    if (!scenario)
        return EXIT_FAILURE;
    const double began = wall_seconds();
    const double cpu_began = cpu_seconds();
    const uint32_t racks = Fabric(scenario->fabric).racks();
    Network network(*scenario, std::min(options.cells.value_or(racks), racks));
    LocalDriver driver(network, options.threads);
    driver.run(isatty(STDERR_FILENO) ? show_progress : Progress());
    const Stats stats = driver.stats();
    const Report report(network, stats,
                        {cpu_seconds() - cpu_began, wall_seconds() - began, memory_kib()});
    print(report);
    if (!options.output.empty() && !write(options.output, report))
        return EXIT_FAILURE;
    const auto missed = report.missed();
    for (const std::string &one : missed)
        std::cerr << options.file << ": " << one << '\n';
    return missed.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int usage(const std::string &wrong)
{
    std::cerr << "mrcsim: " << wrong << '\n' << help;
    return exit_usage;
}

/** Takes a KEY=VALUE. Returns what is wrong with it; empty: nothing. */
std::string take_override(const std::string &text, Options &options)
{
    const size_t equal = text.find('=');

    if (equal == std::string::npos || !equal)
        return "'" + text + "' is not KEY=VALUE";
    options.overrides.emplace_back(text.substr(0, equal), text.substr(equal + 1));
    return "";
}

std::string take_count(const char *text, const char *what, uint32_t max, uint32_t &count)
{
    const auto value = count_of(text, max);

    count = value.value_or(1);
    return value ? ""
                 : std::string(what) + " must be 1 to " + std::to_string(max) + ", not '" + text +
                       "'";
}

/** Takes an option. Returns what is wrong with it; empty: nothing. */
std::string take(int opt, Options &options)
{
    uint32_t count = 0;
    std::string wrong;

    switch (opt) {
    case 's':
        return take_override(optarg, options);
    case 't':
        wrong = take_count(optarg, "THREADS", threads_max, options.threads);
        return wrong;
    case 'c':
        wrong = take_count(optarg, "CELLS", 1 << 20, count);
        options.cells = count;
        return wrong;
    default:
        options.output = optarg;
        return "";
    }
}

} // namespace

int main(int argc, char **argv)
{
    static constexpr option long_options[] = {{"set", required_argument, nullptr, 's'},
                                              {"threads", required_argument, nullptr, 't'},
                                              {"cells", required_argument, nullptr, 'c'},
                                              {"output", required_argument, nullptr, 'o'},
                                              {"help", no_argument, nullptr, 'h'},
                                              {"version", no_argument, nullptr, 'V'},
                                              {}};
    Options options;

    for (int opt; (opt = getopt_long(argc, argv, "s:t:c:o:hV", long_options, nullptr)) != -1;) {
        if (opt == '?') {
            std::cerr << help;
            return exit_usage;
        }
        if (opt == 'h' || opt == 'V') {
            std::cout << (opt == 'h' ? help : "mrcsim " MRC_VERSION "\n");
            return EXIT_SUCCESS;
        }
        const std::string wrong = take(opt, options);
        if (!wrong.empty())
            return usage(wrong);
    }
    if (optind >= argc || strcmp(argv[optind], "run") != 0)
        return usage(optind < argc ? "unknown command '" + std::string(argv[optind]) + "'"
                                   : "a command is missing: run");
    if (optind + 2 != argc)
        return usage(optind + 1 >= argc
                         ? "FILE is missing"
                         : "unexpected argument '" + std::string(argv[optind + 2]) + "'");
    options.file = argv[optind + 1];
    return run(options);
}
