// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"

namespace mrcctl
{

namespace
{

constexpr const char help[] =
    "Usage: mrcctl daemon [ show [ DEV ] ]\n"
    "       mrcctl daemon reload [ DEV ]\n"
    "The mrcd that looks after a device: whether the host is as planned, and the file read\n"
    "again. DEV may be left out where there is one device only.\n";

/** The one that is named, or the only one there is. */
std::string take_device(Context &context, Args &args)
{
    const auto named = optional_device(args);

    args.finish();
    if (named)
        return *named;
    const auto devices = value_of(context.kernel().devices());
    if (devices.size() != 1)
        throw UsageError(devices.empty() ? "there is no device" : "which device?");
    return devices[0].device.name;
}

void show(Context &context, Args &args)
{
    const std::string device = take_device(context, args);
    const std::string status = value_of(context.daemon(device, "status"));
    Printer &p = context.printer;

    p.begin_object();
    p.bare("dev-name", device, Color::name);
    p.text("status", status, status == "as planned" ? Color::good : Color::warn);
    p.end_object();
}

/** The answer is "ok", or what is wrong. */
void reload(Context &context, Args &args)
{
    const std::string problem = value_of(context.daemon(take_device(context, args), "reload"));

    if (problem != "ok")
        throw Failure(problem.empty() ? "mrcd has ended" : problem);
}

constexpr Command commands[] = {{"show", show}, {"reload", reload}};

} // namespace

const Object daemon_object{"daemon", help, commands};

} // namespace mrcctl
