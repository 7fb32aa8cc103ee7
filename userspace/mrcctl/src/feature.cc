// SPDX-License-Identifier: GPL-2.0-only
#include "feature.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <link.h>
#include <sys/utsname.h>

#include "args.h"
#include "command.h"

namespace mrcctl
{

namespace
{

namespace fs = std::filesystem;

constexpr const char feature_help[] =
    "Usage: mrcctl feature\n"
    "Shows which of the things that MRC needs this host has, and how to get the missing ones.\n";

constexpr const char *driver_line = "driver ";
constexpr const char *driver_name = "mrc";

std::string read_file(const fs::path &path)
{
    std::ifstream in(path, std::ios::binary);

    return {std::istreambuf_iterator<char>(in), {}};
}

std::string first_line(const std::string &text)
{
    return text.substr(0, text.find('\n'));
}

/** The path of the library that programs linked against libibverbs get. */
std::string library_path(const char *name)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    link_map *map = nullptr;
    std::string path;

    if (!library)
        return path;
    if (!dlinfo(library, RTLD_DI_LINKMAP, &map) && map)
        path = map->l_name;
    dlclose(library);
    return path;
}

const char *environment(const char *name)
{
    const char *value = std::getenv(name);

    return value ? value : "";
}

/** The names in the lines "driver NAME" of /etc/libibverbs.d. */
std::vector<std::string> configured_drivers(const FeatureHost &host)
{
    std::vector<std::string> names;
    std::error_code err;

    for (const auto &entry : fs::directory_iterator(host.root + "/etc/libibverbs.d", err)) {
        std::ifstream in(entry.path());

        for (std::string line; std::getline(in, line);)
            if (line.starts_with(driver_line))
                names.push_back(line.substr(std::char_traits<char>::length(driver_line)));
    }
    return names;
}

bool is_ours(const std::string &driver)
{
    return fs::path(driver).filename() == driver_name ||
           fs::path(driver).filename() == "lib" + std::string(driver_name);
}

/** The file that libibverbs would open for a driver. */
std::string plugin_of(const FeatureHost &host, const std::string &driver, unsigned abi)
{
    const std::string suffix = "-rdmav" + std::to_string(abi) + ".so";
    std::string path;

    if (driver.starts_with("/"))
        path = driver + suffix;
    else
        path = (fs::path(host.libibverbs).parent_path() / "libibverbs" / ("lib" + driver + suffix))
                   .string();
    return fs::exists(host.root + path) ? path : std::string();
}

/** The names in the variable that libibverbs reads. */
std::vector<std::string> given_drivers(const FeatureHost &host)
{
    std::string list = host.rdmav_drivers;

    std::replace(list.begin(), list.end(), ';', ':');
    return split(list, ':');
}

/** Folders in which libibverbs looks for our plug-in. */
std::vector<fs::path> plugin_folders(const FeatureHost &host)
{
    std::vector<fs::path> folders{fs::path(host.libibverbs).parent_path() / "libibverbs"};

    for (const std::string &driver : given_drivers(host))
        if (driver.starts_with("/") && is_ours(driver))
            folders.push_back(fs::path(driver).parent_path());
    std::sort(folders.begin(), folders.end());
    folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
    return folders;
}

/** Our plug-ins in a folder, for all private interfaces: "34 (FILE)". */
std::vector<std::string> plugins_in(const FeatureHost &host, const fs::path &folder)
{
    const std::string start = "lib" + std::string(driver_name) + "-rdmav";
    std::vector<std::string> found;
    std::error_code err;

    for (const auto &entry : fs::directory_iterator(host.root + folder.string(), err)) {
        const std::string name = entry.path().filename();
        const size_t end = name.rfind(".so");

        if (name.starts_with(start) && end != std::string::npos)
            found.push_back(name.substr(start.size(), end - start.size()) + " (" +
                            (folder / name).string() + ")");
    }
    std::sort(found.begin(), found.end());
    return found;
}

/** Our plug-ins for private interfaces other than @p abi. */
std::string foreign_plugins(const FeatureHost &host, unsigned abi)
{
    const std::string fitting = std::to_string(abi) + " (";
    std::string list;

    for (const fs::path &folder : plugin_folders(host))
        for (const std::string &plugin : plugins_in(host, folder))
            if (!plugin.starts_with(fitting))
                list += (list.empty() ? "" : ", ") + plugin;
    return list;
}

bool module_installed(const FeatureHost &host)
{
    const std::string dep = read_file(host.root + "/lib/modules/" + host.release + "/modules.dep");

    return dep.find("/mrc.ko") != std::string::npos || dep.starts_with("mrc.ko");
}

Feature module_feature(const FeatureHost &host)
{
    if (module_loaded(host, "mrc")) {
        const std::string version = first_line(read_file(host.root + "/sys/module/mrc/version"));

        return {"module", Status::ok, "loaded, version " + (version.empty() ? "?" : version), {}};
    }
    if (module_installed(host))
        return {"module", Status::missing, "not loaded", "modprobe mrc"};
    return {"module", Status::missing, "not installed for this kernel",
            "make modules_install, then modprobe mrc"};
}

Feature uverbs_feature(const FeatureHost &host)
{
    if (module_loaded(host, "ib_uverbs"))
        return {"ib-uverbs", Status::ok, "loaded", {}};
    return {"ib-uverbs", Status::missing, "not loaded: programs cannot use RDMA devices",
            "modprobe ib_uverbs"};
}

/** Does the running kernel have seg6 encapsulation? Looks for one of its functions. */
Feature seg6_feature(const FeatureHost &host)
{
    std::ifstream in(host.root + "/proc/kallsyms");
    bool any = false;

    for (std::string line; std::getline(in, line); any = true)
        if (line.ends_with(" seg6_do_srh_encap"))
            return {"seg6", Status::ok, "the kernel can encapsulate in SRv6", {}};
    if (!any)
        return {"seg6", Status::unknown, "/proc/kallsyms cannot be read", {}};
    return {"seg6", Status::missing, "the kernel cannot encapsulate in SRv6",
            "a kernel with CONFIG_IPV6_SEG6_LWTUNNEL"};
}

/** libibverbs silently ignores a plug-in whose suffix is not its own. */
Feature provider_feature(const FeatureHost &host, unsigned abi)
{
    const std::string number = std::to_string(abi);
    const std::string wanted = "libmrc-rdmav" + number + ".so";
    const std::string found = find_provider(host, abi);
    const std::string others = foreign_plugins(host, abi);

    if (!found.empty())
        return {"provider", Status::ok, found, {}};
    if (!others.empty())
        return {"provider", Status::missing,
                "libibverbs on this host needs provider ABI " + number + "; installed: " + others,
                "build the provider here, with this libibverbs' headers: make install"};
    return {"provider", Status::missing, wanted + " not found",
            "make install, or RDMAV_DRIVERS=DIR/libmrc with DIR/" + wanted};
}

void add_verbs_features(const FeatureHost &host, std::vector<Feature> &features)
{
    const auto abi =
        host.libibverbs.empty() ? std::nullopt : private_abi(host.root + host.libibverbs);

    if (host.libibverbs.empty()) {
        features.push_back(
            {"libibverbs", Status::missing, "not installed", "apt-get install libibverbs1"});
        return;
    }
    if (!abi) {
        features.push_back({"libibverbs",
                            Status::unknown,
                            host.libibverbs + " does not name its private interface",
                            {}});
        return;
    }
    features.push_back({"libibverbs",
                        Status::ok,
                        host.libibverbs + ", IBVERBS_PRIVATE_" + std::to_string(*abi),
                        {}});
    features.push_back(provider_feature(host, *abi));
}

const char *status_text(Status status)
{
    static constexpr std::array names{"ok", "note", "missing", "unknown"};

    return names[static_cast<size_t>(status)];
}

Color status_color(Status status)
{
    static constexpr std::array colors{Color::good, Color::warn, Color::bad, Color::warn};

    return colors[static_cast<size_t>(status)];
}

void print(Printer &p, const Feature &feature)
{
    p.begin_object();
    p.bare("feature", feature.name, Color::name);
    p.bare("status", status_text(feature.status), status_color(feature.status));
    p.bare("value", feature.value);
    if (!feature.hint.empty()) {
        p.line();
        p.text("hint", feature.hint);
    }
    p.end_object();
}

/** The netdev that has this one as a port; empty: none. */
std::string master_of(const FeatureHost &host, const std::string &ifname)
{
    std::error_code err;

    return fs::read_symlink(host.root + "/sys/class/net/" + ifname + "/master", err)
        .filename()
        .string();
}

bool vrf_is_heard(const FeatureHost &host)
{
    return first_line(read_file(host.root + "/proc/sys/net/ipv4/udp_l3mdev_accept")) == "1";
}

bool has_carrier(const FeatureHost &host, const std::string &ifname)
{
    return first_line(read_file(host.root + "/sys/class/net/" + ifname + "/operstate")) == "up";
}

/**
 * Reports a plane whose netdev has a master. A master that takes packets, like a bridge, makes the
 * module set the plane down. A master that does not is a VRF.
 */
void add_master(const FeatureHost &host, const mrcnl::Plane &plane, std::vector<Feature> &features)
{
    const std::string master = master_of(host, plane.ifname);
    const std::string what =
        plane.device.name + " port " + std::to_string(plane.port) + ": " + plane.ifname;

    if (master.empty())
        return;
    if (!plane.oper_up && has_carrier(host, plane.ifname))
        features.push_back(
            {"master", Status::note, what + " is a port of " + master + ", which takes its packets",
             "ip link set " + plane.ifname + " nomaster, or use " + master + " as the plane"});
    else if (plane.oper_up && !vrf_is_heard(host))
        features.push_back({"vrf", Status::note,
                            what + " is in VRF " + master + ": paths without SRv6 are not used",
                            "sysctl -w net.ipv4.udp_l3mdev_accept=1"});
}

uint64_t counter_of(const mrcnl::Device &device, std::string_view name)
{
    for (const mrcnl::Counter &counter : device.counters)
        if (counter.name == name)
            return counter.value;
    return 0;
}

void add_drops(const mrcnl::Device &device, std::vector<Feature> &features)
{
    const uint64_t filtered = counter_of(device, "rx_drop_filtered");
    const uint64_t unheard = counter_of(device, "rx_drop_no_socket");

    if (filtered)
        features.push_back({"firewall", Status::note,
                            device.device.name + ": netfilter on this host has dropped " +
                                std::to_string(filtered) + " packets for the device",
                            "accept UDP port " +
                                std::to_string(device.settings.udp_port.value_or(4791)) +
                                " and IPv6 in IPv6; firewalld: IPv6_rpfilter=no"});
    if (unheard)
        features.push_back({"socket", Status::note,
                            device.device.name + ": no UDP socket has received " +
                                std::to_string(unheard) + " packets for the device",
                            "in a VRF: sysctl -w net.ipv4.udp_l3mdev_accept=1"});
}

/** Asks the module; a failure becomes a feature. */
std::vector<Feature> ask_module(Context &context, const FeatureHost &host)
{
    const auto info = context.kernel().info();

    if (!info)
        return {{"netlink", Status::missing, info.error().message(), {}}};
    const auto devices = context.kernel().devices();
    if (!devices)
        return {{"netlink", Status::missing, devices.error().message(), {}}};
    const auto planes = context.kernel().planes({});
    if (!planes)
        return {{"netlink", Status::missing, planes.error().message(), {}}};
    auto features = module_features(*info, *devices);
    const auto network = network_features(host, *devices, *planes);

    features.insert(features.end(), network.begin(), network.end());
    return features;
}

void show_feature(Context &context, Args &args)
{
    args.finish();
    const FeatureHost host = context.host();
    std::vector<Feature> features = host_features(host);

    // A request would load the module.
    if (module_loaded(host, "mrc")) {
        const auto told = ask_module(context, host);

        features.insert(features.end(), told.begin(), told.end());
    }
    for (const Feature &feature : features)
        print(context.printer, feature);
}

constexpr Command feature_commands[] = {{"show", show_feature}};

} // namespace

const Object feature_object{"feature", feature_help, feature_commands};

FeatureHost this_host()
{
    const char *drivers = environment("RDMAV_DRIVERS");
    utsname system{};

    uname(&system);
    return {{},
            system.release,
            library_path("libibverbs.so.1"),
            *drivers ? drivers : environment("IBV_DRIVERS")};
}

std::optional<unsigned> private_abi(const std::string &library)
{
    static constexpr std::string_view mark = "IBVERBS_PRIVATE_";
    const std::string content = read_file(library);
    unsigned abi = 0;

    for (size_t at = content.find(mark); at != std::string::npos; at = content.find(mark, at + 1)) {
        const char *digits = content.c_str() + at + mark.size();
        char *end = nullptr;

        abi = static_cast<unsigned>(strtoul(digits, &end, 10));
        if (end != digits && !*end)
            return abi;
    }
    return std::nullopt;
}

std::string find_provider(const FeatureHost &host, unsigned abi)
{
    std::vector<std::string> drivers = configured_drivers(host);

    for (const std::string &name : given_drivers(host))
        drivers.push_back(name);
    for (const std::string &driver : drivers) {
        std::string path = is_ours(driver) ? plugin_of(host, driver, abi) : std::string();

        if (!path.empty())
            return path;
    }
    return {};
}

bool module_loaded(const FeatureHost &host, const std::string &name)
{
    return fs::exists(host.root + "/sys/module/" + name);
}

std::vector<Feature> host_features(const FeatureHost &host)
{
    std::vector<Feature> features{
        {"kernel", Status::ok, host.release, {}},
        module_feature(host),
        uverbs_feature(host),
        seg6_feature(host),
    };

    if (module_loaded(host, "rdma_rxe"))
        features.push_back({"rdma-rxe", Status::note,
                            "loaded: UDP port 4791 of the initial network namespace is taken",
                            "modprobe -r rdma_rxe, or mrcctl device set DEV udp-port PORT"});
    add_verbs_features(host, features);
    return features;
}

std::vector<Feature> network_features(const FeatureHost &host,
                                      const std::vector<mrcnl::Device> &devices,
                                      const std::vector<mrcnl::Plane> &planes)
{
    std::vector<Feature> features;

    for (const mrcnl::Plane &plane : planes)
        add_master(host, plane, features);
    for (const mrcnl::Device &device : devices)
        add_drops(device, features);
    return features;
}

std::vector<Feature> module_features(const mrcnl::Info &info,
                                     const std::vector<mrcnl::Device> &devices)
{
    std::string names;

    for (const mrcnl::Device &device : devices)
        names += (names.empty() ? "" : ", ") + device.device.name;
    return {
        {"icrc", Status::ok, info.icrc, {}},
        {"limits",
         Status::ok,
         "planes " + std::to_string(info.port_max) + ", EVs in a profile " +
             std::to_string(info.ev_max) + ", packets in an skb " + std::to_string(info.burst_max),
         {}},
        {"devices", names.empty() ? Status::note : Status::ok, names.empty() ? "none" : names,
         names.empty() ? "rdma link add mrc0 type mrc netdev IF" : ""},
    };
}

} // namespace mrcctl
