// SPDX-License-Identifier: GPL-2.0-only
#include "monitor.h"

#include <cerrno>
#include <iterator>
#include <set>
#include <type_traits>

#include <linux/mrc.h>

#include "command.h"
#include "objects.h"
#include "snapshot.h"

namespace mrcctl
{

namespace
{

constexpr const char monitor_help[] =
    "Usage: mrcctl monitor [ DEV ] [ kind KIND ]...\n"
    "KIND := { device | plane | peer-ev | peer-ports | qp | settings | ev-profile | ev |\n"
    "          cc-profile | route }\n"
    "Prints events as they happen until interrupted: devices, planes, EVs of peers that\n"
    "change state, ports of peers that come and go, QPs that fail, and changes of the\n"
    "configuration with their authors. With DEV or kind, only events of this device or of these\n"
    "kinds. With -j, each event is a JSON object in a line of its own; with -t, events have no\n"
    "times. If events were lost, mrcctl says so, and then prints the present state with the\n"
    "reason resync.\n";

/** Kinds of events, in the order of mrcnl::Event behind Overrun. */
enum class Kind {
    device,
    plane,
    peer_ev,
    peer_ports,
    qp,
    settings, ///< the first kind of configured objects
    ev_profile,
    ev,
    cc_profile,
    route
};
constexpr const char *kind_words[] = {"device",   "plane",      "peer-ev", "peer-ports", "qp",
                                      "settings", "ev-profile", "ev",      "cc-profile", "route"};
static_assert(std::variant_size_v<mrcnl::Event> == 1 + std::size(kind_words));

/** The events to print. */
struct EventFilter {
    std::optional<std::string> device;
    std::set<Kind> kinds; ///< empty: all

    bool wants(Kind kind, const mrcnl::DeviceRef &of) const
    {
        return (kinds.empty() || kinds.contains(kind)) && (!device || of.name == *device);
    }

    /** Does it name a kind of configured objects? */
    bool names_config() const { return kinds.lower_bound(Kind::settings) != kinds.end(); }
    bool wants_config() const { return kinds.empty() || names_config(); }

    /** Lost events concern all devices. */
    bool wants(const mrcnl::Event &event) const
    {
        const mrcnl::DeviceRef *const device = mrcnl::device_of(event);

        return !device || wants(static_cast<Kind>(event.index() - 1), *device);
    }
};

/** The reason that is shown for state printed after an overrun. */
constexpr const char *resync = "resync";

/** Prints events, and states in the same form. */
class Lines
{
public:
    Lines(Printer &p, const Moment &now, NamesOf names) : p(p), now_(now), names_(std::move(names))
    {
    }

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
        print_by(event.by);
    }

    void operator()(const mrcnl::PlaneEvent &event) const
    {
        begin("plane", event.time);
        print_plane(p, event.plane);
        p.flag("gone", event.gone, Color::bad);
        print_by(event.by);
    }

    void operator()(const mrcnl::PeerEvEvent &event) const
    {
        begin("peer-ev", event.device, event.time);
        print_peer_ev(event, event.old_state, event.reason);
    }

    void operator()(const mrcnl::PeerPortsEvent &event) const
    {
        begin("peer-ports", event.device, event.time);
        print_key(event.device, event.key);
        p.ports("old-remote-ports", event.old_remote_ports);
        p.ports("remote-ports", event.remote_ports);
        p.end_object();
    }

    void operator()(const mrcnl::QpEvent &event) const
    {
        begin("qp", event.device, event.time);
        print_qp(event, event.connection, event.old_state, event.reason);
    }

    void operator()(const mrcnl::SettingsEvent &event) const
    {
        begin("settings", event.device, event.time);
        print_all(event.settings);
        print_by(event.by);
    }

    void operator()(const mrcnl::EvEvent &event) const
    {
        begin("ev", event.ev.device, event.time);
        print_object(p, names_(event.ev.device.name), event.ev);
        print_by(event.by);
    }

    template <typename T>
    void operator()(const mrcnl::ConfigEvent<T> &event) const
    {
        const Names &names = names_(event.is.device.name);

        begin(name_of(event.is), event.is.device, event.time);
        if (event.gone)
            print_id(p, names, event.is);
        else
            print_object(p, names, event.is);
        p.flag("gone", event.gone, Color::bad);
        print_by(event.by);
    }

    void state(const mrcnl::Device &device, uint64_t time) const
    {
        begin("device-add", device.device, time);
        print_reason(resync);
    }

    void settings(const mrcnl::Device &device, uint64_t time) const
    {
        begin("settings", device.device, time);
        print_all(device.settings);
        print_reason(resync);
    }

    /** @param object a configured object */
    template <typename T>
    void config(const T &object, uint64_t time) const
    {
        begin(name_of(object), object.device, time);
        print_object(p, names_(object.device.name), object);
        if constexpr (!std::is_same_v<T, mrcnl::Ev>)
            p.flag("gone", false);
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
        print_key(peer.device, peer.key);
        p.ports("remote-ports", peer.remote_ports);
        print_reason(resync);
    }

    /** EVs that are not printed are usable. */
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
    /** @{ Name of the event about an object. */
    static const char *name_of(const mrcnl::EvProfile &) { return "ev-profile"; }
    static const char *name_of(const mrcnl::Ev &) { return "ev"; }
    static const char *name_of(const mrcnl::CcProfile &) { return "cc-profile"; }
    static const char *name_of(const mrcnl::Route &) { return "route"; }
    /** @} */

    /** In JSON, the settings are an object of their own. */
    void print_all(const mrcnl::DeviceSettings &settings) const
    {
        if (p.options().json)
            p.enter("settings");
        print_settings(p, settings);
        if (p.options().json)
            p.leave();
    }

    /** Must be printed last. */
    void print_by(const mrcnl::By &by) const
    {
        if (!by.name.empty())
            p.text("by-name", by.name);
        if (by.pid)
            p.number("by-pid", *by.pid);
        p.end_object();
    }

    void begin(const char *event, uint64_t time) const
    {
        p.begin_object();
        if (p.options().times) {
            p.plain(time_text(static_cast<int64_t>(now_.wall_of(time))));
            p.hidden("time-ns", now_.wall_of(time));
            p.hidden("monotonic-ns", time);
        }
        p.bare("event", event);
    }

    void begin(const char *event, const mrcnl::DeviceRef &device, uint64_t time) const
    {
        begin(event, time);
        p.hidden("dev-index", device.index);
        p.bare("dev-name", device.name, Color::name);
    }

    void print_key(const mrcnl::DeviceRef &device, const mrcnl::PeerKey &key) const
    {
        const Names &names = names_(device.name);

        print_remote(p, names, key.remote_gid);
        p.text("local-gid", key.local_gid.text());
        print_ev_profile(p, names, key.ev_profile);
    }

    /** Must be printed last. */
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
        print_key(ev.device, ev.key);
        p.number("index", ev.index);
        p.number("port", ev.port);
        if (old)
            p.text("old-state", to_string(*old), color_of(*old));
        p.text("state", to_string(ev.state), color_of(ev.state));
        p.hidden("acked", ev.acked);
        p.hidden("probed", ev.probed);
        if (ev.changed && p.options().times)
            p.hidden("changed-ns", now_.wall_of(ev.changed));
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
            print_remote(p, names_(qp.device.name), connection->remote_gid);
        }
        if (qp.pid)
            p.number("pid", qp.pid);
        print_reason(reason);
    }

    Printer &p;
    Moment now_;
    NamesOf names_;
};

template <typename T>
bool changes_too_fast(const mrcnl::Result<T> &answer)
{
    return !answer && answer.error().code == EAGAIN;
}

/** The configured objects of the wanted devices. */
struct Config {
    mrcnl::Result<std::vector<mrcnl::EvProfile>> ev_profiles;
    mrcnl::Result<std::vector<mrcnl::Ev>> evs;
    mrcnl::Result<std::vector<mrcnl::CcProfile>> cc_profiles;
    mrcnl::Result<std::vector<mrcnl::Route>> routes;

    Config(mrcnl::Kernel &kernel, const std::optional<std::string> &device)
        : ev_profiles(kernel.ev_profiles(device)), evs(kernel.evs(device, {})),
          cc_profiles(kernel.cc_profiles(device)), routes(kernel.routes(device))
    {
    }

    bool changes() const
    {
        return changes_too_fast(ev_profiles) || changes_too_fast(evs) ||
               changes_too_fast(cc_profiles) || changes_too_fast(routes);
    }
};

void print_config(const Config &config, const EventFilter &filter, const Lines &lines,
                  uint64_t time)
{
    const auto print = [&](Kind kind, const auto &objects) {
        for (const auto &object : value_of(objects))
            if (filter.wants(kind, object.device))
                lines.config(object, time);
    };

    print(Kind::ev_profile, config.ev_profiles);
    print(Kind::ev, config.evs);
    print(Kind::cc_profile, config.cc_profiles);
    print(Kind::route, config.routes);
}

/** Prints all states or none. @return false: the kernel cannot list them just now */
bool print_state(Context &context, const EventFilter &filter, const Lines &lines)
{
    const uint64_t time = context.now();
    const auto devices = context.kernel().devices();
    auto state = take_snapshot(context.kernel(), filter.device, time);
    const auto peer_evs = take_peer_evs(context.kernel(), filter.device);

    std::optional<Config> config;

    if (filter.wants_config())
        config.emplace(context.kernel(), filter.device);
    if (changes_too_fast(devices) || changes_too_fast(state) || changes_too_fast(peer_evs) ||
        (config && config->changes()))
        return false;
    const Snapshot snapshot = value_of(std::move(state));
    const auto print = [&](Kind kind, const auto &objects) {
        for (const auto &object : objects)
            if (filter.wants(kind, object.device))
                lines.state(object, time);
    };
    print(Kind::device, value_of(devices));
    for (const mrcnl::Device &device : value_of(devices))
        if (filter.wants(Kind::settings, device.device))
            lines.settings(device, time);
    print(Kind::plane, snapshot.planes);
    print(Kind::peer_ports, snapshot.peers);
    print(Kind::peer_ev, value_of(peer_evs));
    print(Kind::qp, snapshot.qps);
    if (config)
        print_config(*config, filter, lines, time);
    return true;
}

/**
 * Prints the events that have arrived. If events were lost, the state follows, which is newer than
 * all of them.
 */
void print_events(Context &context, const EventFilter &filter, mrcnl::EventStream &stream)
{
    constexpr uint64_t pause = 100'000'000; // ns
    const Lines lines(context.printer, context.moment(), context.names_of());
    bool lost = false;

    value_of(stream.receive([&](const mrcnl::Event &event) {
        lost |= std::holds_alternative<mrcnl::Overrun>(event);
        if (filter.wants(event))
            std::visit(lines, event);
    }));
    while (lost && !print_state(context, filter, lines) && context.wait(pause))
        ;
}

EventFilter take_filter(Args &args)
{
    static constexpr const char *keywords[] = {"kind"};
    EventFilter filter;

    filter.device = optional_device(args, keywords);
    while (!args.empty()) {
        args.expect("kind");
        filter.kinds.insert(static_cast<Kind>(args.take_word(kind_words, "kind")));
    }
    return filter;
}

/** An error is better than waiting for events that an older module never sends. */
void check_kinds(Context &context, const EventFilter &filter)
{
    if (!filter.names_config())
        return;
    const mrcnl::Info module = value_of(context.kernel().info());
    if (!(module.capabilities & MRC_NL_CAPABILITY_CONFIG_EVENTS))
        throw Failure("the module, version " + module.version +
                      ", does not report changes of the configuration");
}

void run_monitor(Context &context, Args &args)
{
    const EventFilter filter = take_filter(args);
    const StopSignals signals;
    check_kinds(context, filter);
    const auto stream = value_of(context.kernel().events(filter.wants_config()));
    if (filter.device)
        value_of(context.kernel().device(*filter.device));

    context.printer.set_streaming();
    while (context.readable(stream->fd())) {
        print_events(context, filter, *stream);
        if (!context.out)
            throw Failure("cannot write");
    }
}

constexpr Command monitor_commands[] = {{nullptr, run_monitor}};

} // namespace

const Object monitor_object{"monitor", monitor_help, monitor_commands};

void print_event(Printer &p, const mrcnl::Event &event, const Moment &now, const NamesOf &names)
{
    std::visit(Lines(p, now, names), event);
}

} // namespace mrcctl
