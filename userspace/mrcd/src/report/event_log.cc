// SPDX-License-Identifier: GPL-2.0-only
#include "report/event_log.h"

#include <algorithm>
#include <type_traits>

namespace mrcd
{

namespace
{

/** The description of an event. */
struct Said {
    uint64_t time = 0; ///< of the event's clock; 0: not known
    std::string kind;
    std::string text;
};

/** The ports of a mask. */
std::string ports_of(uint32_t mask)
{
    std::string text;

    for (unsigned port = 1; mask; port++, mask >>= 1)
        if (mask & 1)
            text += " " + std::to_string(port);
    return text.empty() ? " none" : text;
}

std::string because(const std::string &reason)
{
    return reason.empty() ? "" : " (" + reason + ")";
}

/**
 * Describes events. Events are similar if they have the same reason and differ only in the EV, peer
 * or QP.
 */
struct Speaker {
    Said operator()(const mrcnl::Overrun &) const
    {
        return {0, "overrun", "events were lost: there were too many"};
    }

    Said operator()(const mrcnl::DeviceEvent &event) const
    {
        const std::string text = event.device.name + (event.added ? ": made" : ": deleted");

        return {event.time, text, text};
    }

    Said operator()(const mrcnl::PlaneEvent &event) const
    {
        const mrcnl::Plane &plane = event.plane;
        const std::string up = plane.admin_up && plane.oper_up ? "up" : "down";
        const std::string text = "plane " + std::to_string(plane.port) + " (" + plane.ifname +
                                 "): " + (event.gone ? "gone" : up) +
                                 (event.by.name.empty() ? "" : ", by " + event.by.name);

        return {event.time, text, text};
    }

    Said operator()(const mrcnl::PeerEvEvent &event) const
    {
        const std::string plane = "plane " + std::to_string(event.port);
        const std::string change = std::string(": ") + to_string(event.state) + ", was " +
                                   to_string(event.old_state) + because(event.reason);

        return {event.time, plane + change,
                plane + ", EV " + std::to_string(event.index) + " towards " +
                    event.key.remote_gid.text() + change};
    }

    Said operator()(const mrcnl::PeerPortsEvent &event) const
    {
        const std::string change = "ports that receive:" + ports_of(event.remote_ports) + ", were" +
                                   ports_of(event.old_remote_ports);

        return {event.time, change, event.key.remote_gid.text() + ": " + change};
    }

    /** Events of configured objects, to which mrcd does not subscribe. */
    template <typename Configured>
    Said operator()(const Configured &event) const
    {
        return {event.time, "configured", "the configuration was changed by " + event.by.name};
    }

    Said operator()(const mrcnl::QpEvent &event) const
    {
        const std::string change = std::string(": ") + to_string(event.state) + ", was " +
                                   to_string(event.old_state) + because(event.reason);

        return {event.time, "QP" + change,
                "QP " + std::to_string(event.qpn) + " towards " +
                    event.connection.remote_gid.text() + change};
    }
};

} // namespace

void EventLog::add(const mrcnl::Event &event, uint64_t monotonic_ns, uint64_t wall_ns)
{
    Said said = std::visit(Speaker(), event);
    const std::lock_guard guard(mutex_);
    const uint64_t time_ns = said.time ? said.time + wall_ns - monotonic_ns : wall_ns;
    const auto alike = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &entry) {
        return entry.kind == said.kind && time_ns < entry.event.time_ns + together_ns;
    });
    Entry entry{std::move(said.kind), {time_ns, 1, std::move(said.text)}};

    if (alike != entries_.end()) {
        entry.event.count += alike->event.count;
        entry.event.text = std::move(alike->event.text);
        entries_.erase(alike);
    }
    entries_.push_back(std::move(entry));
    if (entries_.size() > kept)
        entries_.pop_front();
}

std::vector<KernelEvent> EventLog::events() const
{
    const std::lock_guard guard(mutex_);
    std::vector<KernelEvent> events;

    for (const Entry &entry : entries_)
        events.push_back(entry.event);
    return events;
}

} // namespace mrcd
