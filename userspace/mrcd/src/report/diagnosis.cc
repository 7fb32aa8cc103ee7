// SPDX-License-Identifier: GPL-2.0-only
#include "report/diagnosis.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <set>

#include "plan/planner.h"
#include "watch/probe_loop.h"

namespace mrcd
{

namespace
{

using Kind = ProblemKind;

/** The command for sysctl(8). With slashes, names of netdevs may have dots. */
std::string set_sysctl(const std::string &name, long value)
{
    return "sysctl -w " + name + "=" + std::to_string(value);
}

/** The port in "port 2 netdev eth2"; 0: there is none. */
uint8_t port_of(const std::string &what)
{
    static constexpr std::string_view word = "port ";
    uint8_t port = 0;

    if (what.starts_with(word))
        std::from_chars(what.data() + word.size(), what.data() + what.size(), port);
    return port;
}

class Diagnosis
{
public:
    explicit Diagnosis(const Evidence &evidence)
        : evidence_(evidence), fabric_(evidence.fabric), local_(evidence.fabric.local)
    {
    }

    std::vector<Problem> problems();

private:
    void look_at_kernel();
    void look_at_file();
    void look_at_module();
    void look_at_device();
    void look_at_anchor();
    void look_at_ipv6();
    void look_at_plane(uint8_t port, const PlaneView &view);
    bool look_at_netdev(uint8_t port, const PlaneView &view);
    void look_at_mtu(uint8_t port, uint32_t mtu);
    void look_at_seg6();
    void look_at_steps();
    void look_at_step(const Refusal &refusal);
    void look_at_faults();
    void look_at_evs();
    bool counts(const EvsOut &out) const;

    void add(Kind kind, std::string what, std::string seen, std::string mend, uint8_t port = 0);
    void need_sysctl(const std::string &ifname, const std::string &name, long wanted,
                     const std::string &why, uint8_t port);
    bool sysctl_is(const std::string &ifname, const std::string &name, long value) const;
    const Refusal *refusal_of(const std::string &object) const;
    const std::string &netdev(uint8_t port) const { return local_.planes[port - 1u]; }

    const Evidence &evidence_;
    const Fabric &fabric_;
    const Local &local_;
    bool no_addresses_ = false;   ///< this host has none, so no probe can come back
    std::set<uint8_t> explained_; ///< planes whose silence is explained
    std::set<uint8_t> unfit_;     ///< planes that the module refuses
    std::vector<Problem> found_;
};

std::vector<Problem> Diagnosis::problems()
{
    look_at_kernel();
    look_at_file();
    look_at_steps();
    look_at_faults();
    look_at_evs();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Problem &a, const Problem &b) { return a.kind < b.kind; });
    return std::move(found_);
}

void Diagnosis::add(Kind kind, std::string what, std::string seen, std::string mend, uint8_t port)
{
    found_.push_back({kind, port, std::move(what), std::move(seen), std::move(mend)});
}

const Refusal *Diagnosis::refusal_of(const std::string &object) const
{
    for (const Refusal &refusal : evidence_.progress.refusals)
        if (refusal.object == object)
            return &refusal;
    return nullptr;
}

void Diagnosis::look_at_kernel()
{
    const Observation *seen = evidence_.seen;
    const bool old = seen && seen->taken_ns + look_lasts_ns < evidence_.monotonic_ns;

    // Just after the start there is no observation yet, which is no problem.
    if (!seen)
        return;
    if (old || seen->error.code) {
        add(Kind::kernel, "the kernel does not answer",
            old ? "a program blocks all configuration of netdevs" : seen->error.message(), "");
        return;
    }
    look_at_module();
    look_at_device();
    look_at_anchor();
    look_at_ipv6();
    for (uint8_t port = 1; port <= seen->planes.size(); port++)
        look_at_plane(port, seen->planes[port - 1u]);
    look_at_seg6();
}

void Diagnosis::look_at_module()
{
    const Observation &seen = *evidence_.seen;

    if (seen.module.live && seen.module_error.code && seen.module_error.code != ENOENT)
        add(Kind::kernel, "the module does not answer", seen.module_error.message(), "");
    if (seen.module.live && !seen.module.version.empty() &&
        seen.module.version != evidence_.version)
        add(Kind::version, "the module and mrcd have different versions",
            "the module has version " + seen.module.version + ", mrcd has version " +
                evidence_.version + "; loading another module ends all QPs",
            "modprobe -r mrc && modprobe mrc");
}

/** Reports the first reason why the device is missing. */
void Diagnosis::look_at_device()
{
    const Observation &seen = *evidence_.seen;
    const bool loaded = seen.module.live && seen.module_error.code != ENOENT;
    const Refusal *refusal = refusal_of("device");
    const std::string what = "device " + local_.device + " is missing";

    if (seen.device && refusal && !refusal->error.code)
        add(Kind::device, "device " + local_.device + " is on another netdev",
            refusal->what + "; deleting the device ends its QPs",
            "rdma link delete " + local_.device);
    if (seen.device || (loaded && seen.module_error.code))
        return;
    if (!loaded)
        add(Kind::device, what,
            seen.module.version.empty() ? "the module is not loaded"
                                        : "the module is being loaded or removed",
            "modprobe mrc");
    else if (!seen.anchor)
        add(Kind::device, what, "its anchor, netdev " + local_.anchor + ", does not exist",
            "ip link add " + local_.anchor + " type dummy && ip link set " + local_.anchor +
                " mtu 9000 up");
    else if (refusal && refusal->error.code == EADDRINUSE)
        add(Kind::device, what,
            "its UDP port is taken, by rdma_rxe if that is loaded; unloading rdma_rxe ends its QPs",
            "modprobe -r rdma_rxe");
    else
        add(Kind::device, what,
            refusal ? refusal->error.message() : "mrcd has not made the device yet", "");
}

void Diagnosis::look_at_anchor()
{
    const Observation &seen = *evidence_.seen;

    // A missing anchor is reported with the device.
    no_addresses_ = !seen.anchor || !seen.anchor->up;
    if (seen.anchor && !seen.anchor->up)
        add(Kind::anchor, "netdev " + local_.anchor + " is down",
            "the anchor of " + local_.device + " has no addresses",
            "ip link set " + local_.anchor + " up");
}

bool Diagnosis::sysctl_is(const std::string &ifname, const std::string &name, long value) const
{
    const auto &sysctls = evidence_.seen->sysctls;
    const auto at = sysctls.find(ipv6_sysctl(ifname, name));

    return at != sysctls.end() && at->second == value;
}

void Diagnosis::need_sysctl(const std::string &ifname, const std::string &name, long wanted,
                            const std::string &why, uint8_t port)
{
    const std::string path = ipv6_sysctl(ifname, name);

    add(Kind::sysctl, path + " is " + std::to_string(1 - wanted), why, set_sysctl(path, wanted),
        port);
}

/**
 * Looks at disable_ipv6. A write to "all" also sets it for each netdev, so the netdevs are not
 * reported in addition.
 */
void Diagnosis::look_at_ipv6()
{
    const bool all = sysctl_is("all", "disable_ipv6", 1);

    if (all)
        need_sysctl("all", "disable_ipv6", 0, "no netdev has addresses", 0);
    else if (sysctl_is(local_.anchor, "disable_ipv6", 1))
        need_sysctl(local_.anchor, "disable_ipv6", 0, "the anchor has no addresses", 0);
    no_addresses_ |= all || sysctl_is(local_.anchor, "disable_ipv6", 1);
    for (uint8_t port = 1; port <= evidence_.seen->planes.size(); port++) {
        if (!sysctl_is(netdev(port), "disable_ipv6", 1))
            continue;
        explained_.insert(port);
        if (!all)
            need_sysctl(netdev(port), "disable_ipv6", 0, "nothing can be sent over it", port);
    }
}

/** @return true: packets can be sent by the netdev */
bool Diagnosis::look_at_netdev(uint8_t port, const PlaneView &view)
{
    const std::string name = "plane " + std::to_string(port) + ": netdev " + netdev(port);
    const std::string &t0 = fabric_.t0[own_t0(fabric_, port)].name;

    if (!view.netdev)
        add(Kind::netdev, name + " does not exist", "mrcd waits for it", "", port);
    else if (!view.netdev->up)
        add(Kind::netdev, name + " is down",
            "it was never set up, or a person or a program has set it down",
            "ip link set " + netdev(port) + " up", port);
    else if (!view.netdev->carrier)
        add(Kind::carrier, name + " has no carrier", "check the cable, and the port of " + t0, "",
            port);
    else
        return true;
    explained_.insert(port);
    return false;
}

void Diagnosis::look_at_mtu(uint8_t port, uint32_t mtu)
{
    constexpr uint32_t least = 1280; // IPv6's smallest MTU
    uint32_t most = 0;

    for (const PlaneView &view : evidence_.seen->planes)
        most = std::max(most, view.netdev ? view.netdev->mtu : 0);
    if (mtu >= most)
        return;
    if (mtu < least) {
        explained_.insert(port);
        unfit_.insert(port);
    }
    add(Kind::mtu,
        "plane " + std::to_string(port) + ": the MTU of netdev " + netdev(port) +
            " is smaller than that of others",
        std::to_string(mtu) + ", not " + std::to_string(most),
        "ip link set " + netdev(port) + " mtu " + std::to_string(most), port);
}

void Diagnosis::look_at_plane(uint8_t port, const PlaneView &view)
{
    const T0 &t0 = fabric_.t0[own_t0(fabric_, port)];
    const std::string name = "plane " + std::to_string(port);
    const bool works = look_at_netdev(port, view);

    if (view.in_module && !view.in_module->admin_up)
        add(Kind::plane, name + " (" + netdev(port) + ") is set down",
            "a person or a program has set it down; mrcd leaves it down",
            "mrcctl plane set " + local_.device + " port " + std::to_string(view.in_module->port) +
                " up",
            port);
    if (view.netdev)
        look_at_mtu(port, view.netdev->mtu);
    if (!works || explained_.contains(port) || view.routed.value_or(true))
        return;
    const std::string sid = carrier(fabric_.block, {t0.usid}).text();
    explained_.insert(port);
    add(Kind::route, name + ": there is no route to " + t0.name, sid + " over " + netdev(port),
        "ip -6 route add " + sid + "/48 via " +
            (view.gateway ? view.gateway->text() : "ADDRESS-OF-" + t0.name) + " dev " +
            netdev(port),
        port);
}

/** Looks at seg6_enabled, without which probes around a dead link cannot be sent. */
void Diagnosis::look_at_seg6()
{
    const std::string why = "a dead T1 cannot be told from a dead link to it";

    if (fabric_.racks.size() < 2 || !fabric_.watch.rate)
        return;
    if (sysctl_is("all", "seg6_enabled", 0))
        need_sysctl("all", "seg6_enabled", 1, why, 0);
    for (uint8_t port = 1; port <= evidence_.seen->planes.size(); port++)
        if (sysctl_is(netdev(port), "seg6_enabled", 0))
            need_sysctl(netdev(port), "seg6_enabled", 1, why, port);
}

void Diagnosis::look_at_file()
{
    const FileState &file = evidence_.file;

    if (!file.problem.empty())
        add(Kind::file, file.name + " is refused",
            file.problem + "; the previous plan stays in force",
            "mrcd --check " + file.name + " && mrcctl daemon reload " + local_.device);
    else if (file.changed)
        add(Kind::file, file.name + " is not the version that mrcd follows",
            "the file has changed since mrcd read it", "mrcctl daemon reload " + local_.device);
}

/** Reports a refused step, unless another problem explains it. */
void Diagnosis::look_at_step(const Refusal &refusal)
{
    const bool conflict = !refusal.error.code;
    const uint8_t port = refusal.object == "plane" ? port_of(refusal.what) : 0;

    if (refusal.object == "device" || (refusal.object == "address" && no_addresses_) ||
        unfit_.contains(port))
        return;
    if (refusal.object == "address" && conflict)
        add(Kind::anchor, "address " + refusal.what,
            "mrcd does not change addresses that it did not add",
            "ip address delete " + refusal.what.substr(0, refusal.what.find(' ')) + " dev " +
                local_.anchor);
    else
        add(Kind::step, refusal.step, conflict ? "a person must decide" : refusal.error.message(),
            "", port);
}

void Diagnosis::look_at_steps()
{
    const Observation *seen = evidence_.seen;

    // If the device is missing, its objects are missing because of that, and nobody undoes
    // anything.
    if (seen && !seen->error.code && !seen->device)
        return;
    for (const Refusal &refusal : evidence_.progress.refusals)
        look_at_step(refusal);
    if (!evidence_.progress.undone_step.empty())
        add(Kind::step, "another program undoes what mrcd does", evidence_.progress.undone_step,
            "");
}

void Diagnosis::look_at_faults()
{
    for (const Fault &fault : evidence_.faults) {
        const Element &element = fault.finding.element;
        if (explained_.contains(element.plane) || (no_addresses_ && whole_plane(element)))
            continue;
        add(Kind::fault, to_string(fabric_, element) + " is broken",
            fault.finding.evidence +
                (fault.denied ? "; its EVs are denied"
                              : "; not denied, because too few planes or T1s would be left"),
            "", element.plane);
        found_.back().since_ns = evidence_.wall_ns - (evidence_.monotonic_ns - fault.since_ns);
    }
}

/** Has the plane been out for long enough, without another problem that explains it? */
bool Diagnosis::counts(const EvsOut &out) const
{
    return evidence_.alive.contains(out.plane) && !explained_.contains(out.plane) && out.since_ns &&
           out.since_ns + evs_out_after_ns <= evidence_.seen->taken_ns;
}

/**
 * Reports planes whose probes come back although the module uses none of their EVs. One of the two
 * is wrong, or what is broken lies beyond the links that mrcd probes. A peer that no plane reaches
 * is reported once.
 */
void Diagnosis::look_at_evs()
{
    const Observation *seen = evidence_.seen;
    std::map<mrcnl::PeerKey, unsigned> planes;
    std::map<uint8_t, std::vector<const EvsOut *>> by_plane; // 0: all planes

    if (!seen || no_addresses_)
        return;
    for (const EvsOut &out : seen->evs_out)
        planes[out.key] += counts(out);
    for (const EvsOut &out : seen->evs_out)
        if (counts(out))
            by_plane[out.of > 1 && planes[out.key] == out.of ? 0 : out.plane].push_back(&out);
    for (const auto &[plane, out] : by_plane) {
        const auto first = std::min_element(
            out.begin(), out.end(), [](auto *a, auto *b) { return a->since_ns < b->since_ns; });
        add(Kind::evs,
            (plane ? "plane " + std::to_string(plane) : std::string("all planes")) +
                ": the module considers all EVs bad",
            seen_of(out, seen->peers, fabric_, seen->taken_ns), "", plane);
        found_.back().since_ns = evidence_.wall_ns - (evidence_.monotonic_ns - (*first)->since_ns);
    }
}

} // namespace

std::vector<Problem> diagnose(const Evidence &evidence)
{
    return Diagnosis(evidence).problems();
}

} // namespace mrcd
