// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <type_traits>

#include "command.h"
#include "objects.h"

namespace mrcctl
{

namespace
{

constexpr const char device_help[] =
    "Usage: mrcctl device [ show [ DEV ] ]\n"
    "       mrcctl device set DEV SETTING...\n"
    "SETTING := " MRCNL_SETTING_GRAMMAR "\n"
    "Devices are made and deleted by rdma(8): rdma link add mrc0 type mrc netdev IF.\n";

template <typename T>
void print(Printer &p, const char *name, const T &value)
{
    if constexpr (std::is_same_v<T, mrcnl::Address>)
        p.text(name, value.text());
    else if constexpr (std::is_same_v<T, bool>)
        p.on_off(name, value);
    else
        p.number(name, value);
}

/** Those that are shown always, or the others. */
void print_some(Printer &p, const mrcnl::DeviceSettings &s, bool brief)
{
    mrcnl::for_each_setting([&](const mrcnl::Setting &setting, auto member) {
        if (setting.brief == brief && s.*member)
            print(p, setting.name, *(s.*member));
    });
}

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
    print_some(p, device.settings, true);
    if (p.options().details || p.options().json) {
        p.line();
        print_some(p, device.settings, false);
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

/** @{ The value of a setting. The kernel checks narrower limits. */
void take(Args &args, const mrcnl::Setting &setting, std::optional<bool> &value)
{
    value = args.take_on_off(setting.name);
}

void take(Args &args, const mrcnl::Setting &setting, std::optional<mrcnl::Address> &value)
{
    value = args.take_address(setting.name);
}

template <typename T>
void take(Args &args, const mrcnl::Setting &setting, std::optional<T> &value)
{
    const uint64_t least = std::min<uint64_t>(setting.min, 1);

    value = static_cast<T>(args.take_number(setting.name, least, setting.tool_max));
}
/** @} */

void take_setting(Args &args, mrcnl::DeviceSettings &change)
{
    const std::string name = mrcnl::setting_names[args.take_word(mrcnl::setting_names, "setting")];

    mrcnl::for_each_setting([&](const mrcnl::Setting &setting, auto member) {
        if (name == setting.name)
            take(args, setting, change.*member);
    });
}

void set_device(Context &context, Args &args)
{
    const std::string name = args.take("device");
    mrcnl::DeviceSettings change;

    if (args.empty())
        throw UsageError("setting is missing");
    while (!args.empty())
        take_setting(args, change);
    value_of(context.kernel().set_device(name, change));
}

constexpr Command device_commands[] = {{"show", show_device}, {"set", set_device}};

} // namespace

void print_settings(Printer &p, const mrcnl::DeviceSettings &settings)
{
    print_some(p, settings, true);
    print_some(p, settings, false);
}

const Object device_object{"device", device_help, device_commands};

} // namespace mrcctl
