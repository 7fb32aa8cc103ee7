// SPDX-License-Identifier: GPL-2.0-only
#include "file/fabric_file.h"

#include <algorithm>
#include <map>
#include <optional>

#include <arpa/inet.h>

#include "file/addresses.h"
#include "file/cc_table.h"
#include "file/topology.h"

namespace mrcd
{

namespace
{

constexpr int64_t planes_max = 32;
constexpr int64_t evs_max = 256;
constexpr int64_t rate_max = 100;
constexpr int64_t lost_after_min = 10; // ms: enough for a timer and the answer of a switch
constexpr int64_t lost_after_max = 1000;
constexpr int64_t dead_after_min = 2; // a single probe is lost now and then
constexpr int64_t dead_after_max = 10;
constexpr int64_t alive_after_max = 100;
constexpr size_t netdev_name_max = 15;
constexpr size_t device_name_max = 63;
constexpr std::string_view netdev_name_never = "/:% ";
constexpr uint8_t block_length = 32;
constexpr mrctoml::Kinds kinds = {"a number", "something else", "something else"};

/**
 * May something that has an entry in /sys have this name? @param never characters that it must not
 * have
 */
bool is_name(const std::string &name, size_t longest, std::string_view never)
{
    return !name.empty() && name.size() <= longest && name != "." && name != ".." &&
           std::none_of(name.begin(), name.end(), [&](char c) {
               const auto code = static_cast<uint8_t>(c);
               return code < ' ' || code == 0x7f || never.find(c) != std::string_view::npos;
           });
}

/** Reads the tables of a file. Each table comes after those that it refers to. */
class Builder
{
public:
    Builder(const toml::table &root, std::string host_name)
        : root_(root, "", kinds, complaints_), host_name_(std::move(host_name))
    {
    }

    void build();
    Fabric &fabric() { return fabric_; }
    Complaints &complaints() { return complaints_; }

private:
    using Names = std::map<std::string, uint32_t, std::less<>>;

    void read_fabric();
    void read_block(TomlTable &table);
    void read_gids(TomlTable &table);
    void read_rest();
    void read_t0();
    void read_t1();
    void read_hosts();
    void read_links();
    void read_denials();
    void read_local();
    void read_planes(TomlTable &table);
    void read_evs();
    void read_watch();
    void read_report();
    void check_racks();
    void check_paths();

    std::optional<mrcnl::Prefix> prefix(TomlTable &table, const char *key, const std::string &text);
    uint16_t usid(TomlTable &table, const std::string &owner);
    mrcnl::Address gid(TomlTable &table, const std::string &owner);
    uint32_t rack(const std::string &name, uint32_t line);
    std::optional<Trunk> trunk(const toml::node &node, TomlTable &table, const char *key);
    std::set<Trunk> trunks(TomlTable &table, const char *key);

    Complaints complaints_;
    TomlTable root_;
    std::string host_name_;
    Fabric fabric_;
    Names racks_;
    Names t0_;
    Names t1_;
    Names hosts_;
    std::vector<uint32_t> rack_lines_; ///< lines where the racks are first named
    std::map<uint16_t, std::string> usids_;
    std::map<mrcnl::Address, std::string> gids_;
    uint32_t denials_line_ = 0;
    // After an error in a table, references to its entries are not complained about.
    bool racks_right_ = false;
    bool switches_right_ = false;
    bool hosts_right_ = false;
};

/**
 * Reads the file, and sorts complaints by line. The tables that others build on must be right
 * first.
 */
void Builder::build()
{
    for (const char *key : {"fabric", "t0", "hosts", "local"})
        root_.table(key, true);
    if (complaints_.empty())
        read_fabric();
    if (complaints_.empty())
        read_rest();
    std::stable_sort(complaints_.begin(), complaints_.end(),
                     [](const Complaint &a, const Complaint &b) { return a.line < b.line; });
}

void Builder::read_rest()
{
    read_t0();
    racks_right_ = complaints_.empty();
    read_t1();
    switches_right_ = complaints_.empty();
    read_hosts();
    read_links();
    read_denials();
    read_local();
    read_evs();
    fabric_.cc = read_cc(root_.table("cc", false));
    read_watch();
    read_report();
    root_.finish();
    if (complaints_.empty())
        check_racks();
    if (complaints_.empty())
        check_paths();
}

void Builder::read_fabric()
{
    TomlTable table = root_.table("fabric", true);

    read_block(table);
    read_gids(table);
    fabric_.planes = static_cast<uint8_t>(table.whole("planes", 1, planes_max).value_or(0));
    table.finish();
}

/** Reads a prefix of addresses that hosts can have on whatever link. */
std::optional<mrcnl::Prefix> Builder::prefix(TomlTable &table, const char *key,
                                             const std::string &text)
{
    const auto found = mrcnl::Prefix::parse(text);

    if (!found)
        table.complain(key, "'" + text + "' is not an IPv6 prefix");
    else if (has_host_bits(*found))
        table.complain(key, "'" + text + "' has bits set beyond its first " +
                                std::to_string(found->length));
    else if (!global_unicast(found->address))
        table.complain(key, "'" + text + "' is not a prefix of addresses that hosts can have");
    else
        return found;
    return std::nullopt;
}

void Builder::read_block(TomlTable &table)
{
    const std::string text = table.filled("block");

    if (text.empty())
        return;
    const auto block = prefix(table, "block", text);
    if (block && block->length != block_length)
        table.complain("block", "'" + text + "' is not 32 bits long");
    else if (block)
        fabric_.block = block->address;
}

void Builder::read_gids(TomlTable &table)
{
    const std::string text = table.filled("gids", "");

    if (text.empty())
        return;
    fabric_.gids = prefix(table, "gids", text);
    const mrcnl::Prefix block{fabric_.block, block_length};
    if (fabric_.gids &&
        (contains(*fabric_.gids, block.address) || contains(block, fabric_.gids->address)))
        table.complain("gids", "'" + text + "' overlaps the block");
}

/** Reads a uSID. Each node of the fabric must have its own. */
uint16_t Builder::usid(TomlTable &table, const std::string &owner)
{
    const auto usid = static_cast<uint16_t>(table.whole("usid", 1, UINT16_MAX).value_or(0));

    if (!usid)
        return 0;
    const auto [at, fresh] = usids_.try_emplace(usid, owner);
    if (!fresh)
        table.complain("usid", "is already used by " + at->second);
    return usid;
}

mrcnl::Address Builder::gid(TomlTable &table, const std::string &owner)
{
    const std::string text = table.filled("gid");
    const auto address = mrcnl::Address::parse(text);
    const auto complain = [&](const std::string &what) {
        table.complain("gid", "'" + text + "' " + what);
    };

    if (text.empty())
        return {};
    if (!address) {
        complain("is not an IPv6 address");
        return {};
    }
    if (!global_unicast(*address))
        complain("is not an address that a host can have");
    else if (contains({fabric_.block, block_length}, *address))
        complain("lies in the block");
    else if (fabric_.gids && !contains(*fabric_.gids, *address))
        complain("does not lie in " + fabric_.gids->text());
    else if (const auto [at, fresh] = gids_.try_emplace(*address, owner); !fresh)
        table.complain("gid", "is already used by " + at->second);
    return *address;
}

uint32_t Builder::rack(const std::string &name, uint32_t line)
{
    const auto [at, fresh] = racks_.try_emplace(name, static_cast<uint32_t>(fabric_.racks.size()));

    if (fresh) {
        fabric_.racks.push_back(name);
        rack_lines_.push_back(line);
    }
    return at->second;
}

void Builder::read_t0()
{
    std::map<std::pair<uint8_t, uint32_t>, std::string> taken;

    root_.tables("t0", true, [&](const std::string &name, TomlTable &table) {
        T0 t0;

        t0.name = name;
        t0.plane = static_cast<uint8_t>(table.whole("plane", 1, fabric_.planes).value_or(0));
        const std::string in = table.filled("rack");
        if (!in.empty())
            t0.rack = rack(in, table.line());
        t0.usid = usid(table, name);
        if (t0.plane && !in.empty())
            if (const auto [at, fresh] = taken.try_emplace({t0.plane, t0.rack}, name); !fresh)
                table.complain("rack", "already has " + at->second + " in this plane");
        t0_[name] = static_cast<uint32_t>(fabric_.t0.size());
        fabric_.t0.push_back(t0);
    });
}

void Builder::read_t1()
{
    root_.tables("t1", false, [&](const std::string &name, TomlTable &table) {
        T1 t1;

        t1.name = name;
        t1.plane = static_cast<uint8_t>(table.whole("plane", 1, fabric_.planes).value_or(0));
        t1.usid = usid(table, name);
        if (t0_.contains(name))
            table.complain("plane", "there is a T0 of this name");
        t1_[name] = static_cast<uint32_t>(fabric_.t1.size());
        fabric_.t1.push_back(t1);
    });
}

void Builder::read_hosts()
{
    const size_t before = complaints_.size();

    root_.tables("hosts", true, [&](const std::string &name, TomlTable &table) {
        const std::string in = table.filled("rack");
        const auto at = racks_.find(in);
        Host host;

        host.name = name;
        if (at != racks_.end())
            host.rack = at->second;
        else if (!in.empty() && racks_right_)
            table.complain("rack", "no T0 is in a rack '" + in + "'");
        host.usid = usid(table, name);
        host.gid = gid(table, name);
        hosts_[name] = static_cast<uint32_t>(fabric_.hosts.size());
        fabric_.hosts.push_back(host);
    });
    hosts_right_ = complaints_.size() == before;
}

/** Reads a link, ["T0", "T1"]; both are of the same plane. */
std::optional<Trunk> Builder::trunk(const toml::node &node, TomlTable &table, const char *key)
{
    const toml::array *pair = node.as_array();
    const std::string what = std::string(key) + ": ";

    if (!pair || pair->size() != 2 || !pair->is_homogeneous<std::string>()) {
        table.complain_at(node, what + "a link is [\"T0\", \"T1\"]");
        return std::nullopt;
    }
    if (!switches_right_)
        return std::nullopt;
    const auto t0 = t0_.find(*(*pair)[0].value<std::string>());
    const auto t1 = t1_.find(*(*pair)[1].value<std::string>());
    if (t0 == t0_.end() || t1 == t1_.end()) {
        const size_t wrong = t0 == t0_.end() ? 0 : 1;
        table.complain_at(node, what + "no " + (wrong ? "T1" : "T0") + " '" +
                                    *(*pair)[wrong].value<std::string>() + "'");
        return std::nullopt;
    }
    if (fabric_.t0[t0->second].plane != fabric_.t1[t1->second].plane) {
        table.complain_at(node,
                          what + t0->first + " and " + t1->first + " belong to different planes");
        return std::nullopt;
    }
    return Trunk{t0->second, t1->second};
}

std::set<Trunk> Builder::trunks(TomlTable &table, const char *key)
{
    const toml::array *list = table.array(key, false);
    std::set<Trunk> found;

    if (!list)
        return found;
    for (const toml::node &node : *list)
        if (const auto one = trunk(node, table, key))
            found.insert(*one);
    return found;
}

void Builder::read_links()
{
    TomlTable table = root_.table("links", false);

    fabric_.missing = trunks(table, "missing");
    table.finish();
}

void Builder::read_denials()
{
    TomlTable table = root_.table("deny", false);

    denials_line_ = table.line();
    const auto names = table.strings("switches", false).value_or(TomlTable::Strings());
    for (const auto &[name, node] : names) {
        if (const auto t0 = t0_.find(name); t0 != t0_.end())
            fabric_.denied.t0.insert(t0->second);
        else if (const auto t1 = t1_.find(name); t1 != t1_.end())
            fabric_.denied.t1.insert(t1->second);
        else if (switches_right_)
            table.complain_at(*node, "switches: no switch '" + name + "'");
    }
    fabric_.denied.trunks = trunks(table, "links");
    table.finish();
}

void Builder::read_local()
{
    TomlTable table = root_.table("local", true);
    const size_t before = complaints_.size();
    const std::string name = table.filled("host", host_name_);
    const auto host = hosts_.find(name);
    Local &local = fabric_.local;

    if (host != hosts_.end())
        local.host = host->second;
    else if (hosts_right_ && complaints_.size() == before)
        table.complain("host", "no host '" + name + "'");
    local.device = table.filled("device", "mrc0");
    if (!local.device.empty() && !is_name(local.device, device_name_max, "/%"))
        table.complain("device", "'" + local.device + "' is not a valid name of an RDMA device");
    local.anchor = table.filled("anchor");
    if (!local.anchor.empty() && !is_name(local.anchor, netdev_name_max, netdev_name_never))
        table.complain("anchor", "'" + local.anchor + "' is not a valid name of a netdev");
    read_planes(table);
    table.finish();
}

void Builder::read_planes(TomlTable &table)
{
    const auto names = table.strings("planes", true);
    std::set<std::string> seen;

    if (!names)
        return;
    for (const auto &[name, node] : *names) {
        if (!is_name(name, netdev_name_max, netdev_name_never))
            table.complain_at(*node, "planes: '" + name + "' is not a valid name of a netdev");
        else if (!seen.insert(name).second)
            table.complain_at(*node, "planes: " + name + " is listed twice");
        fabric_.local.planes.push_back(name);
    }
    if (names->size() != fabric_.planes)
        table.complain("planes", "must be " + std::to_string(fabric_.planes) +
                                     " netdevs, one per plane, not " +
                                     std::to_string(names->size()));
}

void Builder::read_evs()
{
    TomlTable table = root_.table("evs", false);
    const size_t before = complaints_.size();
    Evs &evs = fabric_.evs;

    table.integer("per-destination", 1, evs_max, evs.per_destination);
    const int64_t most = complaints_.size() == before ? evs.per_destination : evs_max;
    table.integer("min-active", 0, most, evs.min_active);
    table.integer("active", 0, most, evs.active);
    table.finish();
}

void Builder::read_watch()
{
    TomlTable table = root_.table("watch", false);
    Watching &watch = fabric_.watch;

    table.integer("rate", 0, rate_max, watch.rate);
    table.integer("lost-after", lost_after_min, lost_after_max, watch.lost_after);
    table.integer("dead-after", dead_after_min, dead_after_max, watch.dead_after);
    table.integer("alive-after", 1, alive_after_max, watch.alive_after);
    table.finish();
}

void Builder::read_report()
{
    TomlTable table = root_.table("report", false);
    Reporting &report = fabric_.report;
    in_addr parsed{};

    report.address = table.filled("address", report.address);
    // The HTTP server that Debian packages has no IPv6.
    if (!report.address.empty() && inet_pton(AF_INET, report.address.c_str(), &parsed) != 1)
        table.complain("address", "'" + report.address + "' is not an IPv4 address");
    table.integer("port", 0, UINT16_MAX, report.port);
    table.finish();
}

/** Complains about racks that lack a T0 in some plane: the plane does not lead to their hosts. */
void Builder::check_racks()
{
    std::vector<std::set<uint8_t>> planes(fabric_.racks.size());

    for (const T0 &t0 : fabric_.t0)
        planes[t0.rack].insert(t0.plane);
    for (uint32_t rack = 0; rack < planes.size(); rack++)
        for (uint8_t plane = 1; plane <= fabric_.planes; plane++)
            if (!planes[rack].contains(plane))
                complaints_.push_back({rack_lines_[rack], "rack '" + fabric_.racks[rack] +
                                                              "' has no T0 in plane " +
                                                              std::to_string(plane)});
}

/** Each rack must have a path in some plane that is not denied. */
void Builder::check_paths()
{
    const Topology topology(fabric_);

    for (uint32_t rack = 0; rack < fabric_.racks.size(); rack++) {
        const std::string &name = fabric_.racks[rack];
        std::vector<Path> paths;
        for (uint8_t plane = 1; plane <= fabric_.planes; plane++) {
            const std::vector<Path> more = topology.paths(plane, rack);
            paths.insert(paths.end(), more.begin(), more.end());
        }
        if (paths.empty())
            complaints_.push_back({rack_lines_[rack], "no path leads to rack '" + name + "'"});
        else if (std::all_of(paths.begin(), paths.end(), [](const Path &p) { return p.denied; }))
            complaints_.push_back({denials_line_, "deny: leaves no path to rack '" + name + "'"});
    }
}

} // namespace

std::variant<Fabric, Complaints> read_fabric(std::string_view text, const std::string &host_name)
{
    try {
        const toml::table root = toml::parse(text);
        Builder builder(root, host_name);

        builder.build();
        if (builder.complaints().empty())
            return std::move(builder.fabric());
        return std::move(builder.complaints());
    } catch (const toml::parse_error &error) {
        return Complaints{{error.source().begin.line, std::string(error.description())}};
    }
}

std::string to_string(const std::string &file, const Complaint &complaint)
{
    if (!complaint.line)
        return file + ": " + complaint.text;
    return file + ":" + std::to_string(complaint.line) + ": " + complaint.text;
}

} // namespace mrcd
