// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"

namespace mrcctl
{

namespace
{

constexpr const char device_help[] =
    "Usage: mrcctl device [ show [ DEV ] ]\n"
    "       mrcctl device set DEV SETTING...\n"
    "SETTING := { burst PACKETS | icrc { on | off } | udp-port PORT | hop-limit N |\n"
    "             dscp-data N | dscp-rtx N | dscp-control N | mpr UNITS |\n"
    "             sack-bytes BYTES | tunnel-source ADDRESS }\n"
    "Devices are made and deleted by rdma(8): rdma link add mrc0 type mrc netdev IF.\n";

void print_settings(Printer &p, const mrcnl::DeviceSettings &s)
{
    p.line();
    p.number("burst", s.burst.value_or(0));
    p.on_off("icrc", s.icrc.value_or(false));
    p.number("udp-port", s.udp_port.value_or(0));
    p.number("mpr", s.mpr.value_or(0));
    p.text("tunnel-source", s.tunnel_source.value_or(mrcnl::Address{}).text());
    if (!p.options().details && !p.options().json)
        return;
    p.line();
    p.number("hop-limit", s.hop_limit.value_or(0));
    p.number("dscp-data", s.dscp_data.value_or(0));
    p.number("dscp-rtx", s.dscp_rtx.value_or(0));
    p.number("dscp-control", s.dscp_control.value_or(0));
    p.number("sack-bytes", s.sack_bytes.value_or(0));
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
    print_settings(p, device.settings);
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

constexpr const char *setting_words[] = {"burst",      "icrc",         "udp-port",     "hop-limit",
                                         "dscp-data",  "dscp-rtx",     "dscp-control", "mpr",
                                         "sack-bytes", "tunnel-source"};
using TakeSetting = void (*)(Args &args, const char *what, mrcnl::DeviceSettings &s);

/** A setter for a number of type T, 0 not allowed with a @p Min of 1. */
template <auto Field, typename T, uint64_t Min, uint64_t Max>
void take_number(Args &args, const char *what, mrcnl::DeviceSettings &s)
{
    s.*Field = static_cast<T>(args.take_number(what, Min, Max));
}

// In the order of setting_words. The kernel checks narrower limits.
constexpr TakeSetting setting_takers[] = {
    take_number<&mrcnl::DeviceSettings::burst, uint8_t, 1, 255>,
    [](Args &args, const char *what, mrcnl::DeviceSettings &s) { s.icrc = args.take_on_off(what); },
    take_number<&mrcnl::DeviceSettings::udp_port, uint16_t, 1, 65535>,
    take_number<&mrcnl::DeviceSettings::hop_limit, uint8_t, 1, 255>,
    take_number<&mrcnl::DeviceSettings::dscp_data, uint8_t, 0, 63>,
    take_number<&mrcnl::DeviceSettings::dscp_rtx, uint8_t, 0, 63>,
    take_number<&mrcnl::DeviceSettings::dscp_control, uint8_t, 0, 63>,
    take_number<&mrcnl::DeviceSettings::mpr, uint8_t, 1, 255>,
    take_number<&mrcnl::DeviceSettings::sack_bytes, uint32_t, 1, UINT32_MAX>,
    [](Args &args, const char *what, mrcnl::DeviceSettings &s) {
        s.tunnel_source = args.take_address(what);
    },
};
static_assert(std::size(setting_words) == std::size(setting_takers));

void set_device(Context &context, Args &args)
{
    const std::string name = args.take("device");
    mrcnl::DeviceSettings change;

    if (args.empty())
        throw UsageError("setting is missing");
    while (!args.empty()) {
        const size_t i = args.take_word(setting_words, "setting");

        setting_takers[i](args, setting_words[i], change);
    }
    value_of(context.kernel().set_device(name, change));
}

constexpr Command device_commands[] = {{"show", show_device}, {"set", set_device}};

} // namespace

const Object device_object{"device", device_help, device_commands};

} // namespace mrcctl
