// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>

#include "command.h"

namespace mrcctl
{

namespace
{

constexpr const char daemon_help[] =
    "Usage: mrcctl daemon [ show [ DEV ] ]\n"
    "       mrcctl daemon reload [ DEV ]\n"
    "Shows whether the host is as mrcd plans it; reload makes mrcd read its file again.\n"
    "Without DEV, show shows each device, and reload takes the only device.\n";

std::vector<std::string> devices(Context &context)
{
    std::vector<std::string> names;

    for (const mrcnl::Device &device : value_of(context.kernel().devices()))
        names.push_back(device.device.name);
    return names;
}

/** Takes the name of a device, or finds the only device with an mrcd. */
std::string take_device(Context &context, Args &args)
{
    const auto named = optional_device(args);

    args.finish();
    if (named)
        return *named;
    const auto names = devices(context);
    if (names.size() != 1)
        throw UsageError(names.empty() ? "there is no device" : "several devices exist: name one");
    return names[0];
}

void print_status(Printer &p, const std::string &device, const std::string &status)
{
    p.begin_object();
    p.bare("dev-name", device, Color::name);
    p.text("status", status, status == "as planned" ? Color::good : Color::warn);
    p.end_object();
}

/** A device without an mrcd is an error only if it is named. */
void show_daemon(Context &context, Args &args)
{
    const auto named = optional_device(args);

    args.finish();
    if (named) {
        print_status(context.printer, *named, value_of(context.daemon(*named, "status")));
        return;
    }
    for (const std::string &device : devices(context)) {
        const auto status = context.daemon(device, "status");

        if (!status && status.error().code != ECONNREFUSED)
            throw Failure(device + ": " + status.error().message());
        print_status(context.printer, device, status ? *status : "no mrcd");
    }
}

/** mrcd answers "ok", or what is wrong. */
void reload_daemon(Context &context, Args &args)
{
    const std::string problem = value_of(context.daemon(take_device(context, args), "reload"));

    if (problem != "ok")
        throw Failure(problem.empty() ? "mrcd has ended" : problem);
}

constexpr Command daemon_commands[] = {{"show", show_daemon}, {"reload", reload_daemon}};

} // namespace

const Object daemon_object{"daemon", daemon_help, daemon_commands};

} // namespace mrcctl
