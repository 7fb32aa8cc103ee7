// SPDX-License-Identifier: GPL-2.0-only
#include "health_entry.h"

#include <cerrno>
#include <set>

#include "objects.h"

namespace mrcctl
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr int version = 1;

/** A report of mrcd that says nothing. */
Json nothing_said(const std::string &status, uint64_t wall_ns)
{
    return {{"host", ""},
            {"status", status},
            {"time-ns", wall_ns},
            {"file",
             {{"name", ""},
              {"hash", ""},
              {"taken-ns", 0},
              {"refused-ns", 0},
              {"problem", ""},
              {"changed", false}}},
            {"problem", Json::array()},
            {"plane", Json::array()},
            {"fault", Json::array()},
            {"denied", Json::array()},
            {"decision", Json::array()}};
}

/**
 * Has an answer the types of @p wanted? Other answers are not shown, because the code that prints
 * them relies on the types.
 */
bool same_shape(const Json &wanted, const Json &said)
{
    for (const auto &[key, value] : wanted.items()) {
        const auto at = said.find(key);
        if (at == said.end() || (value.is_number() ? !at->is_number() : at->type() != value.type()))
            return false;
        if (value.is_object() && !same_shape(value, *at))
            return false;
    }
    return true;
}

/** Adds a problem. Since when it exists is not known here. */
void add_problem(HealthEntry &entry, const char *kind, uint8_t port, const std::string &what,
                 const std::string &seen, const std::string &mend)
{
    entry.said["problem"].push_back({{"kind", kind},
                                     {"port", port},
                                     {"what", what},
                                     {"seen", seen},
                                     {"since-ns", 0},
                                     {"mend", mend}});
}

Health health_of(const std::string &name)
{
    for (const Health health : {Health::well, Health::not_well})
        if (name == to_string(health))
            return health;
    return Health::unknown;
}

/** Asks mrcd. A failure becomes a problem. */
void ask_daemon(Context &context, HealthEntry &entry)
{
    const uint64_t now_ns = context.wall();
    const auto answer = context.daemon(entry.device, "health");

    entry.said =
        nothing_said("no mrcd looks after the device: only the kernel's part is known", now_ns);
    if (!answer && answer.error().code == ECONNREFUSED)
        return;
    Json said = Json::parse(answer ? *answer : "", nullptr, false);
    const bool fits = answer && said.is_object() && said.value("version", Json()) == version &&
                      said.contains("state") && said["state"].is_string() &&
                      same_shape(entry.said, said);
    if (!fits) {
        entry.said["status"] = "mrcd does not report";
        add_problem(entry, "daemon", 0, "mrcd does not report the state of " + entry.device,
                    answer ? "its answer cannot be read: mrcd may have another version"
                           : answer.error().message(),
                    "systemctl restart mrcd");
        return;
    }
    entry.daemon = true;
    entry.health = health_of(said["state"].get<std::string>());
    for (const char *key : {"version", "dev-name", "state"})
        said.erase(key);
    entry.said = std::move(said);
}

/** Judges the planes if no mrcd does. */
void judge_planes(HealthEntry &entry)
{
    for (const mrcnl::Plane &plane : entry.kernel.planes) {
        const std::string name = "plane " + std::to_string(plane.port) + " (" + plane.ifname + ")";
        if (!plane.admin_up)
            add_problem(entry, "plane", plane.port, name + " is set down",
                        "a person or a program has set it down",
                        "mrcctl plane set " + entry.device + " port " + std::to_string(plane.port) +
                            " up");
        else if (!plane.oper_up)
            add_problem(entry, "netdev", plane.port, name + " cannot be used",
                        "its netdev is down, has no carrier, or an MTU below 1280",
                        "ip link set " + plane.ifname + " up");
    }
}

void ask_kernel(Context &context, HealthEntry &entry)
{
    KernelHalf half;

    try {
        mrcnl::Kernel &kernel = context.kernel();
        half.planes = value_of(kernel.planes(entry.device));
        for (mrcnl::Ev &ev : value_of(kernel.evs(entry.device, std::nullopt)))
            if (ev.spec.denied)
                half.denied.push_back(std::move(ev));
        half.peers = value_of(kernel.peers(entry.device, std::nullopt));
    } catch (const Failure &failure) {
        half.error = failure.what();
    }
    entry.kernel = std::move(half);
}

HealthEntry entry_of(Context &context, const std::string &device)
{
    HealthEntry entry;

    entry.device = device;
    ask_daemon(context, entry);
    ask_kernel(context, entry);
    // If mrcd reports the device as not well, it has given the reason.
    if (!entry.kernel.error.empty() && entry.health != Health::not_well)
        add_problem(entry, "kernel", 0, "the kernel does not report the state of " + device,
                    entry.kernel.error, "");
    if (!entry.kernel.error.empty() && entry.health == Health::well)
        entry.health = Health::unknown;
    if (entry.daemon)
        return entry;
    judge_planes(entry);
    for (const Json &problem : entry.said["problem"])
        if (problem["kind"] == "plane" || problem["kind"] == "netdev")
            entry.health = Health::not_well;
    return entry;
}

/** The devices of the kernel, and those that have an mrcd. */
std::set<std::string> all_devices(Context &context, std::string &error)
{
    std::set<std::string> names;

    for (const std::string &name : context.watched())
        names.insert(name);
    try {
        for (const mrcnl::Device &device : value_of(context.kernel().devices()))
            names.insert(device.device.name);
    } catch (const Failure &failure) {
        error = failure.what();
    }
    return names;
}

/** An entry that says that there is no device. No output would look as if all were well. */
HealthEntry no_device(Context &context, const std::string &error)
{
    HealthEntry entry;
    const uint64_t now_ns = context.wall();

    entry.said = nothing_said("no mrcd is running", now_ns);
    entry.kernel.error = error;
    add_problem(entry, "device", 0, "there is no device",
                (error.empty() ? "" : error + ", and ") +
                    std::string("no mrcd is running that could say whether there should be one"),
                "systemctl start mrcd");
    return entry;
}

} // namespace

const char *to_string(Health health)
{
    static constexpr const char *names[] = {"well", "not-well", "unknown"};

    return names[static_cast<size_t>(health)];
}

std::vector<HealthEntry> health_entries(Context &context, const std::optional<std::string> &device)
{
    std::vector<HealthEntry> entries;
    std::string error;

    if (device)
        return {entry_of(context, *device)};
    for (const std::string &name : all_devices(context, error))
        entries.push_back(entry_of(context, name));
    if (entries.empty())
        entries.push_back(no_device(context, error));
    return entries;
}

} // namespace mrcctl
