// SPDX-License-Identifier: GPL-2.0-only
#include "monitor.h"

#include "clock.h"
#include "command.h"
#include "objects.h"
#include "stop.h"

namespace mrcctl
{

namespace
{

constexpr const char help[] =
    "Usage: mrcctl monitor\n"
    "Prints events as they happen until interrupted: devices, planes, EVs of peers that\n"
    "change state, ports of peers that come and go, QPs that fail. With -j one JSON object\n"
    "a line; time is in ns of CLOCK_MONOTONIC there.\n";

/** Begins a line: when, what, which device. */
void begin(Printer &p, const char *event, const mrcnl::DeviceRef &device, uint64_t time,
           int64_t offset)
{
    p.begin_object();
    p.plain(time_text(static_cast<int64_t>(time) + offset));
    p.hidden("time", time);
    p.bare("event", event);
    p.hidden("dev-index", device.index);
    p.bare("dev-name", device.name, Color::name);
}

struct EventPrinter {
    Printer &p;
    int64_t offset;

    void operator()(const mrcnl::Overrun &) const
    {
        p.begin_object();
        p.bare("event", "overrun", Color::bad);
        p.plain("events were lost");
        p.end_object();
    }

    void operator()(const mrcnl::DeviceEvent &event) const
    {
        begin(p, event.added ? "device-add" : "device-del", event.device, event.time, offset);
        p.end_object();
    }

    void operator()(const mrcnl::PlaneEvent &event) const
    {
        p.begin_object();
        p.plain(time_text(static_cast<int64_t>(event.time) + offset));
        p.hidden("time", event.time);
        p.bare("event", "plane");
        print_plane(p, event.plane);
        p.flag("gone", event.gone, Color::bad);
        p.end_object();
    }

    void operator()(const mrcnl::PeerEvEvent &event) const
    {
        begin(p, "peer-ev", event.device, event.time, offset);
        p.text("remote-gid", event.key.remote_gid.text());
        p.text("local-gid", event.key.local_gid.text());
        p.number("ev-profile", event.key.ev_profile);
        p.number("index", event.index);
        p.number("port", event.port);
        p.text("old-state", to_string(event.old_state), color_of(event.old_state));
        p.text("state", to_string(event.state), color_of(event.state));
        p.hidden("acked", event.acked);
        p.hidden("probed", event.probed);
        p.hidden("changed", event.changed);
        p.text("reason", event.reason.empty() ? "-" : event.reason);
        p.end_object();
    }

    void operator()(const mrcnl::PeerPortsEvent &event) const
    {
        begin(p, "peer-ports", event.device, event.time, offset);
        p.text("remote-gid", event.key.remote_gid.text());
        p.text("local-gid", event.key.local_gid.text());
        p.number("ev-profile", event.key.ev_profile);
        p.ports("old-remote-ports", event.old_remote_ports);
        p.ports("remote-ports", event.remote_ports);
        p.end_object();
    }

    void operator()(const mrcnl::QpEvent &event) const
    {
        begin(p, "qp", event.device, event.time, offset);
        p.number("qpn", event.qpn);
        p.text("old-state", to_string(event.old_state));
        p.text("state", to_string(event.state), Color::bad);
        p.number("dest-qpn", event.connection.dest_qpn);
        p.text("local-gid", event.connection.local_gid.text());
        p.text("remote-gid", event.connection.remote_gid.text());
        if (event.pid)
            p.number("pid", event.pid);
        p.text("reason", event.reason.empty() ? "-" : event.reason);
        p.end_object();
    }
};

void run(Context &context, Args &args)
{
    args.finish();
    const StopSignals signals;
    const auto stream = value_of(context.kernel().events());

    context.printer.set_streaming();
    while (wait_readable(stream->fd())) {
        const int64_t offset = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);

        value_of(stream->receive(
            [&](const mrcnl::Event &event) { print_event(context.printer, event, offset); }));
        if (!context.out)
            throw Failure("cannot write");
    }
}

constexpr Command commands[] = {{"show", run}};

} // namespace

const Object monitor_object{"monitor", help, commands};

void print_event(Printer &p, const mrcnl::Event &event, int64_t offset)
{
    std::visit(EventPrinter{p, offset}, event);
}

} // namespace mrcctl
