// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"

namespace mrcctl
{

namespace
{

constexpr const char help[] =
    "Usage: mrcctl cc-profile [ show [ DEV [ ID ] ] ]\n"
    "       mrcctl cc-profile { add | set } DEV ID algorithm none window BYTES\n"
    "       mrcctl cc-profile del DEV ID\n"
    "Algorithm none keeps at most a window of bytes per QP in flight.\n";

uint64_t take_id(Args &args)
{
    return args.take_number("cc-profile", 0, UINT64_MAX);
}

void print_profile(Printer &p, const mrcnl::CcProfile &profile)
{
    p.begin_object();
    p.hidden("dev-index", profile.device.index);
    p.bare("dev-name", profile.device.name, Color::name);
    p.number("cc-profile", profile.id);
    p.text("algorithm", profile.algorithm);
    p.bytes("window", profile.window);
    p.end_object();
}

void show(Context &context, Args &args)
{
    const auto device = optional_device(args);

    if (device && !args.empty()) {
        const uint64_t id = take_id(args);

        args.finish();
        print_profile(context.printer, value_of(context.kernel().cc_profile(*device, id)));
        return;
    }
    args.finish();
    for (const mrcnl::CcProfile &profile : value_of(context.kernel().cc_profiles(device)))
        print_profile(context.printer, profile);
}

void put(Context &context, Args &args, bool replace)
{
    const std::string device = args.take("device");
    mrcnl::CcProfile profile;

    profile.id = take_id(args);
    args.expect("algorithm");
    profile.algorithm = args.take("algorithm");
    args.expect("window");
    profile.window = static_cast<uint32_t>(args.take_number("window", 1, UINT32_MAX));
    args.finish();
    value_of(context.kernel().put_cc_profile(device, profile, replace));
}

void add(Context &context, Args &args)
{
    put(context, args, false);
}

void set(Context &context, Args &args)
{
    put(context, args, true);
}

void del(Context &context, Args &args)
{
    const std::string device = args.take("device");
    const uint64_t id = take_id(args);

    args.finish();
    value_of(context.kernel().delete_cc_profile(device, id));
}

constexpr Command commands[] = {{"show", show}, {"add", add}, {"set", set}, {"del", del}};

} // namespace

const Object cc_profile_object{"cc-profile", help, commands};

} // namespace mrcctl
