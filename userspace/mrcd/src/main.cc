// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>

#include <getopt.h>
#include <unistd.h>

#include "control.h"
#include "daemon.h"
#include "event_loop.h"
#include "file/fabric_file.h"
#include "file/read_file.h"
#include "mrcnl/client.h"
#include "mrcnl/daemon.h"
#include "plan/plan_output.h"
#include "watch/found.h"

namespace
{

using namespace mrcd;

constexpr int exit_usage = 2;
constexpr int exit_no_module = 3;
constexpr uint64_t report_lasts_ns = 3'000'000'000; // an older report means that the daemon is busy
constexpr const char *default_file = "/etc/mrc/mrcd.toml";

constexpr const char help[] =
    "Usage: mrcd [ -f FILE ]              keep this host as FILE plans it\n"
    "       mrcd --check [ FILE ]         say what is wrong with FILE\n"
    "       mrcd --plan [ -j ] [ FILE ]   print the changes that mrcd would make\n"
    "       mrcd --reload [ DEVICE ]      make the running mrcd read its file again\n"
    "       mrcd --help | --version\n"
    "FILE is /etc/mrc/mrcd.toml if not named. See mrcd(8) and mrcd.toml(5).\n";

std::string host_name()
{
    std::string name(HOST_NAME_MAX + 1, '\0');

    gethostname(name.data(), name.size());
    name.resize(strlen(name.c_str()));
    return name;
}

/** Reads the fabric from a file. Complaints go to standard error. */
std::optional<Fabric> fabric_of(const std::string &file)
{
    const auto text = read_file(file);

    if (!text) {
        std::cerr << file << ": " << text.error().message() << '\n';
        return std::nullopt;
    }
    auto result = read_fabric(*text, host_name());
    if (auto *fabric = std::get_if<Fabric>(&result))
        return std::move(*fabric);
    for (const Complaint &complaint : std::get<Complaints>(result))
        std::cerr << to_string(file, complaint) << '\n';
    return std::nullopt;
}

int fail(const std::string &what, const mrcnl::Error &error)
{
    std::cerr << "mrcd: " << what << ": " << error.message() << '\n';
    return EXIT_FAILURE;
}

int check(const std::string &file)
{
    return fabric_of(file) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/**
 * Makes the plan as the running mrcd would, if there is one: it denies faults that no file names.
 */
Plan plan_of(Fabric fabric)
{
    const std::string device = fabric.local.device;
    const auto answer = mrcnl::ask_daemon(device, "denials");
    const bool runs = answer || answer.error().code != ECONNREFUSED;
    const auto found = answer ? read_found(*answer, fabric) : std::nullopt;

    if (found)
        fabric.denied.add(found->denied);
    else if (runs)
        std::cerr << "mrcd: the mrcd that looks after " << device
                  << " does not report its faults: denied EVs stay denied\n";
    Plan plan = make_plan(fabric);
    plan.keep_denials = found ? !found->known : runs;
    return plan;
}

int plan(const std::string &file, bool json)
{
    const auto fabric = fabric_of(file);

    if (!fabric)
        return EXIT_FAILURE;
    auto kernel = mrcnl::open_kernel();
    auto system = open_system();
    if (!kernel && kernel.error().code != ENOENT)
        return fail("kernel", kernel.error());
    if (!system)
        return fail("system", system.error());
    const Plan wanted = plan_of(*fabric);
    const auto state =
        kernel ? read_state(Target{**kernel, **system}, wanted) : read_state(**system, wanted);
    if (!state)
        return fail(wanted.device, state.error());
    print_steps(std::cout, difference(*state, wanted, **system), json);
    if (kernel)
        return EXIT_SUCCESS;
    std::cerr << "mrcd: " << kernel.error().message()
              << ": these steps would be taken if it were loaded\n";
    return exit_no_module;
}

/**
 * Makes a running mrcd read its file. Fails when mrcd refuses the file, so that the caller knows.
 */
int reload(std::string device)
{
    const auto all = mrcnl::watched_devices();

    if (device.empty() && all.size() != 1) {
        std::cerr << (all.empty() ? "mrcd: no mrcd is running\n"
                                  : "mrcd: several mrcd are running: name a device\n");
        return EXIT_FAILURE;
    }
    if (device.empty())
        device = all[0];
    const auto answer = mrcnl::ask_daemon(device, "reload");
    if (!answer)
        return fail(device, answer.error());
    if (*answer == "ok")
        return EXIT_SUCCESS;
    std::cerr << (answer->empty() ? "mrcd: the running mrcd has ended" : *answer) << '\n';
    return EXIT_FAILURE;
}

mrcnl::Result<std::shared_ptr<mrcnl::Kernel>> open_module()
{
    auto kernel = mrcnl::open_kernel();

    if (!kernel)
        return kernel.error();
    (*kernel)->act_as(MRC_NL_OWNER_MRCD, true);
    return std::shared_ptr<mrcnl::Kernel>(std::move(*kernel));
}

int serve(const std::string &file)
{
    StandardLog log;

    hold_signals();
    auto system = open_system();
    if (!system)
        return fail("system", system.error());
    Daemon daemon(
        open_module, **system, file, [&] { return read_file(file); }, host_name(), log);
    if (!daemon.load())
        return EXIT_FAILURE;
    const auto control = control_socket(daemon.device());
    if (!control)
        return fail(daemon.device(), control.error());
    LinkWatch links(log, state_file("found", daemon.device()));
    ReportBoard board;
    const auto latest = [&]() -> std::shared_ptr<const Report> {
        auto report = board.get();
        return report && report->time_ns + report_lasts_ns > wall_ns() ? report : nullptr;
    };
    EventLog events;
    Observer observer(open_module, open_host_view);
    ProblemHistory problems(state_file("problems", daemon.device()), boot_id(), log);
    problems.recall(wall_ns());
    Reporter reporter(daemon.device(), open_module, latest, events, log);
    return run_event_loop(
        daemon, **system, log,
        {&links, control->get(), &reporter, &board, &observer, &problems, &events});
}

} // namespace

int main(int argc, char **argv)
{
    enum { opt_check = 256, opt_plan, opt_reload, opt_version };
    static constexpr option options[] = {
        {"check", no_argument, nullptr, opt_check},     {"plan", no_argument, nullptr, opt_plan},
        {"reload", no_argument, nullptr, opt_reload},   {"json", no_argument, nullptr, 'j'},
        {"file", required_argument, nullptr, 'f'},      {"help", no_argument, nullptr, 'h'},
        {"version", no_argument, nullptr, opt_version}, {}};
    std::string file = default_file;
    std::string device;
    int mode = 0;
    bool json = false;

    for (int opt; (opt = getopt_long(argc, argv, "f:jh", options, nullptr)) != -1;) {
        switch (opt) {
        case 'f':
            file = optarg;
            break;
        case 'j':
            json = true;
            break;
        case 'h':
            std::cout << help;
            return EXIT_SUCCESS;
        case opt_version:
            std::cout << "mrcd " MRC_VERSION "\n";
            return EXIT_SUCCESS;
        case '?':
            std::cerr << help;
            return exit_usage;
        default:
            mode = opt;
        }
    }
    if (optind < argc && mode == opt_reload)
        device = argv[optind++];
    else if (optind < argc && mode)
        file = argv[optind++];
    if (optind < argc) {
        std::cerr << "mrcd: unexpected argument '" << argv[optind] << "'\n" << help;
        return exit_usage;
    }
    if (mode == opt_check)
        return check(file);
    if (mode == opt_reload)
        return reload(device);
    return mode == opt_plan ? plan(file, json) : serve(file);
}
