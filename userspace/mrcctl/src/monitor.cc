// SPDX-License-Identifier: GPL-2.0-only
#include "monitor.h"

#include <cerrno>

#include "command.h"
#include "objects.h"
#include "snapshot.h"

namespace mrcctl
{

namespace
{

constexpr const char help[] =
    "Usage: mrcctl monitor\n"
    "Prints events as they happen until interrupted: devices, planes, EVs of peers that\n"
    "change state, ports of peers that come and go, QPs that fail. With -j one JSON object\n"
    "a line; time is in ns of CLOCK_MONOTONIC there. Where events were lost it says so, and\n"
    "then tells how all is now, with the reason resync.\n";

/** The reason of what is told anew after an overrun. */
constexpr const char *resync = "resync";

/** Prints events, and the state that they would have led to; in the same words. */
class Lines
{
public:
    /** @param offset ns from CLOCK_MONOTONIC to CLOCK_REALTIME */
    Lines(Printer &p, int64_t offset) : p(p), offset_(offset) {}

    void operator()(const mrcnl::Overrun &) const
    {
        p.begin_object();
        p.bare("event", "overrun", Color::bad);
        p.plain("events were lost");
        p.end_object();
    }

    void operator()(const mrcnl::DeviceEvent &event) const
    {
        begin(event.added ? "device-add" : "device-del", event.device, event.time);
        p.end_object();
    }

    void operator()(const mrcnl::PlaneEvent &event) const
    {
        begin("plane", event.time);
        print_plane(p, event.plane);
        p.flag("gone", event.gone, Color::bad);
        p.end_object();
    }

    void operator()(const mrcnl::PeerEvEvent &event) const
    {
        begin("peer-ev", event.device, event.time);
        print_peer_ev(event, event.old_state, event.reason);
    }

    void operator()(const mrcnl::PeerPortsEvent &event) const
    {
        begin("peer-ports", event.device, event.time);
        print_key(event.key);
        p.ports("old-remote-ports", event.old_remote_ports);
        p.ports("remote-ports", event.remote_ports);
        p.end_object();
    }

    void operator()(const mrcnl::QpEvent &event) const
    {
        begin("qp", event.device, event.time);
        print_qp(event, event.connection, event.old_state, event.reason);
    }

    void state(const mrcnl::Device &device, uint64_t time) const
    {
        begin("device-add", device.device, time);
        print_reason(resync);
    }

    void state(const mrcnl::Plane &plane, uint64_t time) const
    {
        begin("plane", time);
        print_plane(p, plane);
        p.flag("gone", false);
        print_reason(resync);
    }

    void state(const mrcnl::Peer &peer, uint64_t time) const
    {
        begin("peer-ports", peer.device, time);
        print_key(peer.key);
        p.ports("remote-ports", peer.remote_ports);
        print_reason(resync);
    }

    /** Those that are not named are well. */
    void state(const mrcnl::PeerEv &ev, uint64_t time) const
    {
        if (usable(ev.state))
            return;
        begin("peer-ev", ev.device, time);
        print_peer_ev(ev, std::nullopt, resync);
    }

    void state(const mrcnl::Qp &qp, uint64_t time) const
    {
        if (qp.state != mrcnl::QpState::err)
            return;
        begin("qp", qp.device, time);
        print_qp(qp, qp.connection, std::nullopt, resync);
    }

private:
    void begin(const char *event, uint64_t time) const
    {
        p.begin_object();
        p.plain(time_text(static_cast<int64_t>(time) + offset_));
        p.hidden("time", time);
        p.bare("event", event);
    }

    void begin(const char *event, const mrcnl::DeviceRef &device, uint64_t time) const
    {
        begin(event, time);
        p.hidden("dev-index", device.index);
        p.bare("dev-name", device.name, Color::name);
    }

    void print_key(const mrcnl::PeerKey &key) const
    {
        p.text("remote-gid", key.remote_gid.text());
        p.text("local-gid", key.local_gid.text());
        p.number("ev-profile", key.ev_profile);
    }

    /** Comes last. */
    void print_reason(const std::string &reason) const
    {
        p.text("reason", reason.empty() ? "-" : reason);
        p.end_object();
    }

    /** @param ev a PeerEvEvent or a PeerEv */
    template <typename Ev>
    void print_peer_ev(const Ev &ev, std::optional<mrcnl::EvState> old,
                       const std::string &reason) const
    {
        print_key(ev.key);
        p.number("index", ev.index);
        p.number("port", ev.port);
        if (old)
            p.text("old-state", to_string(*old), color_of(*old));
        p.text("state", to_string(ev.state), color_of(ev.state));
        p.hidden("acked", ev.acked);
        p.hidden("probed", ev.probed);
        p.hidden("changed", ev.changed);
        print_reason(reason);
    }

    /** @param qp a QpEvent or a Qp */
    template <typename QpOrEvent>
    void print_qp(const QpOrEvent &qp, const std::optional<mrcnl::QpConnection> &connection,
                  std::optional<mrcnl::QpState> old, const std::string &reason) const
    {
        p.number("qpn", qp.qpn);
        if (old)
            p.text("old-state", to_string(*old));
        p.text("state", to_string(qp.state), Color::bad);
        if (connection) {
            p.number("dest-qpn", connection->dest_qpn);
            p.text("local-gid", connection->local_gid.text());
            p.text("remote-gid", connection->remote_gid.text());
        }
        if (qp.pid)
            p.number("pid", qp.pid);
        print_reason(reason);
    }

    Printer &p;
    int64_t offset_;
};

template <typename T>
bool changes_too_fast(const mrcnl::Result<T> &answer)
{
    return !answer && answer.error().code == EAGAIN;
}

/** All or nothing. @return false: the kernel cannot say just now */
bool print_state(Context &context, const Lines &lines)
{
    const uint64_t time = context.now();
    auto devices = context.kernel().devices();
    auto state = take_snapshot(context.kernel(), std::nullopt, time);

    if (changes_too_fast(devices) || changes_too_fast(state))
        return false;
    const Snapshot snapshot = value_of(std::move(state));
    const auto print = [&](const auto &objects) {
        for (const auto &object : objects)
            lines.state(object, time);
    };
    print(value_of(std::move(devices)));
    print(snapshot.planes);
    print(snapshot.peers);
    print(snapshot.peer_evs);
    print(snapshot.qps);
    return true;
}

/** Prints what waits, and behind an overrun the state: that is newer then than all of it. */
void print_events(Context &context, mrcnl::EventStream &stream)
{
    constexpr uint64_t pause = 100'000'000; // ns
    const auto offset = static_cast<int64_t>(context.wall() - context.now());
    const Lines lines(context.printer, offset);
    bool lost = false;

    value_of(stream.receive([&](const mrcnl::Event &event) {
        lost |= std::holds_alternative<mrcnl::Overrun>(event);
        std::visit(lines, event);
    }));
    while (lost && !print_state(context, lines) && context.wait(pause))
        ;
}

void run(Context &context, Args &args)
{
    args.finish();
    const StopSignals signals;
    const auto stream = value_of(context.kernel().events());

    context.printer.set_streaming();
    while (context.readable(stream->fd())) {
        print_events(context, *stream);
        if (!context.out)
            throw Failure("cannot write");
    }
}

constexpr Command commands[] = {{"show", run}};

} // namespace

const Object monitor_object{"monitor", help, commands};

void print_event(Printer &p, const mrcnl::Event &event, int64_t offset)
{
    std::visit(Lines(p, offset), event);
}

} // namespace mrcctl
