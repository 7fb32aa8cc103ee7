// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"
#include "objects.h"
#include "setting.h"

namespace mrcctl
{

namespace
{

constexpr const char device_help[] =
    "Usage: mrcctl device [ show [ DEV ] ]\n"
    "       mrcctl device set DEV SETTING...\n"
    "SETTING := " MRCNL_SETTING_GRAMMAR "\n"
    "Devices are made and deleted with rdma(8): rdma link add mrc0 type mrc netdev IF.\n";

void print_counters(Printer &p, const std::vector<mrcnl::Counter> &counters)
{
    size_t column = 0;

    p.enter("counter");
    for (const mrcnl::Counter &counter : counters) {
        if (column && column % 4 == 0)
            p.line();
        column++;
        p.number(counter.name.c_str(), counter.value);
    }
    p.leave();
}

void print_device(Printer &p, const mrcnl::Device &device)
{
    p.begin_object();
    p.hidden("dev-index", device.device.index);
    p.bare("dev-name", device.device.name, Color::name);
    p.hidden("ifindex", device.ifindex);
    p.text("ifname", device.ifname);
    p.ports("ports-up", device.ports_up);
    p.number("qps", device.qps);
    p.line();
    print_settings(p, device.settings, true);
    if (p.options().details || p.options().json) {
        p.line();
        print_settings(p, device.settings, false);
    }
    if (p.options().statistics && !device.counters.empty())
        print_counters(p, device.counters);
    p.end_object();
}

void show_device(Context &context, Args &args)
{
    const auto name = optional_device(args);

    args.finish();
    if (name) {
        print_device(context.printer, value_of(context.kernel().device(*name)));
        return;
    }
    for (const mrcnl::Device &device : value_of(context.kernel().devices()))
        print_device(context.printer, device);
}

void set_device(Context &context, Args &args)
{
    const std::string name = args.take("device");
    mrcnl::DeviceSettings change;

    if (args.empty())
        throw UsageError("setting is missing");
    while (!args.empty())
        take_setting(args, mrcnl::setting_names[args.take_word(mrcnl::setting_names, "setting")],
                     change);
    value_of(context.kernel().set_device(name, change));
}

constexpr Command device_commands[] = {{"show", show_device}, {"set", set_device}};

} // namespace

void print_settings(Printer &p, const mrcnl::DeviceSettings &settings)
{
    print_settings(p, settings, true);
    print_settings(p, settings, false);
}

const Object device_object{"device", device_help, device_commands};

} // namespace mrcctl
