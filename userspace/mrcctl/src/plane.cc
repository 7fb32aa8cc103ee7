// SPDX-License-Identifier: GPL-2.0-only
#include <net/if.h>

#include "command.h"
#include "objects.h"
#include "owner.h"

namespace mrcctl
{

namespace
{

constexpr const char plane_help[] =
    "Usage: mrcctl plane [ show [ DEV ] ]\n"
    "       mrcctl plane add DEV [ port N ] netdev IF [ owner OWNER ]\n"
    "       mrcctl plane set DEV port N [ up | down ] [ owner OWNER ]\n"
    "       mrcctl plane del DEV port N [ owner OWNER ]\n"
    "Ports are numbered 1 to 32; without port, add takes the lowest free one. Option -s shows\n"
    "counters.\n";

constexpr unsigned max_port = 32;

void print_state(Printer &p, const char *key, bool up)
{
    p.text(key, up ? "up" : "down", up ? Color::good : Color::bad);
}

uint8_t take_port(Args &args)
{
    args.expect("port");
    return static_cast<uint8_t>(args.take_number("port", 1, max_port));
}

void show_plane(Context &context, Args &args)
{
    const auto device = optional_device(args);
    Printer &p = context.printer;

    args.finish();
    for (const mrcnl::Plane &plane : value_of(context.kernel().planes(device))) {
        p.begin_object();
        print_plane(p, plane);
        if (p.options().statistics)
            print_plane_stats(p, plane.stats);
        p.end_object();
    }
}

void add_plane(Context &context, Args &args)
{
    const std::string device = args.take("device");
    std::optional<uint8_t> port;

    if (!args.empty() && std::string_view("port").starts_with(args.peek()))
        port = take_port(args);
    args.expect("netdev");
    const std::string netdev = args.take("netdev");
    const mrcnl::Owner owner = take_owner(args);
    args.finish();
    const unsigned ifindex = if_nametoindex(netdev.c_str());
    if (!ifindex)
        throw Failure("no netdev '" + netdev + "' in this network namespace");
    value_of(kernel_for(context, owner, by_hand).add_plane(device, port, ifindex));
}

void set_plane(Context &context, Args &args)
{
    static constexpr const char *words[] = {"down", "up", "owner"};
    const std::string device = args.take("device");
    const uint8_t port = take_port(args);
    const size_t word = args.take_word(words, "state");
    const std::optional<bool> up = word < 2 ? std::optional(word != 0) : std::nullopt;
    const mrcnl::Owner owner = up ? take_owner(args) : take_owner_name(args);

    args.finish();
    value_of(kernel_for(context, owner).set_plane(device, port, up));
    if (up == false && context.told(device).daemon)
        context.warn("mrcd looks after " + device +
                     " and leaves the plane down until you set it up");
}

void del_plane(Context &context, Args &args)
{
    const std::string device = args.take("device");
    const uint8_t port = take_port(args);
    const mrcnl::Owner owner = take_owner(args);

    args.finish();
    value_of(kernel_for(context, owner).delete_plane(device, port));
}

constexpr Command plane_commands[] = {
    {"show", show_plane}, {"add", add_plane}, {"set", set_plane}, {"del", del_plane}};

} // namespace

const Object plane_object{"plane", plane_help, plane_commands};

void print_plane(Printer &p, const mrcnl::Plane &plane)
{
    p.hidden("dev-index", plane.device.index);
    p.bare("dev-name", plane.device.name, Color::name);
    p.number("port", plane.port);
    p.hidden("ifindex", plane.ifindex);
    p.text("ifname", plane.ifname.empty() ? "-" : plane.ifname);
    print_state(p, "admin-state", plane.admin_up);
    print_state(p, "oper-state", plane.oper_up);
    print_owner(p, plane.owner);
}

void print_plane_stats(Printer &p, const mrcnl::PlaneStats &stats)
{
    p.enter("stats");
    p.number("tx-packets", stats.tx_packets);
    p.number("tx-bytes", stats.tx_bytes);
    p.number("tx-errors", stats.tx_errors);
    p.number("rx-packets", stats.rx_packets);
    p.number("rx-bytes", stats.rx_bytes);
    p.number("rx-ce", stats.rx_ce);
    p.leave();
}

} // namespace mrcctl
