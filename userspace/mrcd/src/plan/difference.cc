// SPDX-License-Identifier: GPL-2.0-only
#include "plan/difference.h"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>

#include "mrcnl/quantity.h"

namespace mrcd
{

namespace
{

using mrcnl::Kernel;

/** Are two profiles equal, apart from denials? */
bool same_paths(const mrcnl::EvProfileSpec &a, const mrcnl::EvProfileSpec &b)
{
    return a.format == b.format && a.mode == b.mode && a.min_active == b.min_active &&
           a.active == b.active &&
           std::equal(a.evs.begin(), a.evs.end(), b.evs.begin(), b.evs.end(),
                      [](const mrcnl::EvSpec &x, const mrcnl::EvSpec &y) {
                          return x.port == y.port && x.path == y.path;
                      });
}

std::string to_hex(uint16_t usid)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text = "0x0000";

    for (size_t i = 0; i < 4; i++)
        text[5 - i] = digits[usid >> (4 * i) & 15];
    return text;
}

/** The settings in the words of mrcctl cc-profile. */
std::string text_of(const mrcnl::CcProfile &profile)
{
    std::string text = " algorithm " + profile.algorithm;

    if (profile.window)
        text += " window " + std::to_string(*profile.window);
    mrcnl::for_each_setting<mrcnl::CcSettings>([&](const mrcnl::Setting &setting, auto member) {
        const auto &value = profile.settings.*member;

        if constexpr (std::is_same_v<decltype(value), const std::optional<bool> &>)
            text += value ? std::string(" ") + setting.name + (*value ? " on" : " off") : "";
        else if (value)
            text += std::string(" ") + setting.name + " " + mrcnl::setting_text(setting, *value);
    });
    return text;
}

/** May mrcd take over an object of this owner? True if no controller claims it. */
bool nobodys(uint8_t owner)
{
    return owner == MRC_NL_OWNER_NONE || owner == MRC_NL_OWNER_KERNEL;
}

/** Does the object belong to a controller other than mrcd? */
bool of_another(uint8_t owner)
{
    return owner != MRC_NL_OWNER_MRCD && !nobodys(owner);
}

/** Collects steps. */
class Comparison
{
public:
    Comparison(const State &state, const Plan &plan, System &system)
        : state_(state), plan_(plan), system_(system), planes_(state.planes)
    {
    }

    std::vector<Step> steps();

private:
    using Apply = std::function<mrcnl::Result<void>(Kernel &, const std::string &device)>;

    /** Profiles that routes refer to. */
    struct Named {
        std::set<uint64_t> ev_profiles;
        std::set<uint64_t> cc_profiles;
    };

    void add_addresses();
    void add_address(const mrcnl::Prefix &wanted, bool any_length);
    void add_device();
    void settings();
    void move_planes();
    Planes wanted_planes();
    void leave_planes(Planes &wanted);
    void adopt_planes(const Planes &wanted);
    void put_cc_profiles();
    void put_ev_profiles();
    void set_denials(const mrcnl::EvProfileSpec &now, const mrcnl::EvProfileSpec &wanted);
    mrcnl::EvProfileSpec with_words_kept(mrcnl::EvProfileSpec wanted,
                                         const mrcnl::EvProfileSpec &now) const;
    void set_denials_of_old_profiles();
    void set_denied(uint64_t profile, uint16_t index, bool deny);
    void put_routes();
    void delete_routes();
    Named named_by_others() const;
    void delete_profiles();
    void delete_planes();
    void delete_addresses();

    Step &add(Step::Kind kind, const char *object, const std::string &what, Apply apply);
    void remove(const char *object, const std::string &what, Apply apply);
    void wait_for(const std::string &netdev);
    void conflict(const char *object, const std::string &what);
    void leave(const char *object, const std::string &what, uint8_t owner);
    template <typename Map, typename Same>
    bool is_left(const Map &known, const typename Map::key_type &key, const Same &same,
                 const char *object, const std::string &what);

    const State &state_;
    const Plan &plan_;
    System &system_;
    Planes planes_; ///< the planes after the steps up to now
    std::vector<Step> steps_;
};

std::vector<Step> Comparison::steps()
{
    const uint32_t anchor = system_.netdev(plan_.anchor);

    if (state_.device && anchor != state_.anchor.ifindex) {
        conflict("device",
                 plan_.device + " is on netdev " + state_.anchor.name + ", not on " + plan_.anchor);
        return std::move(steps_);
    }
    if (!anchor) {
        wait_for(plan_.anchor);
        return std::move(steps_);
    }
    add_addresses();
    add_device();
    settings();
    move_planes();
    put_cc_profiles();
    put_ev_profiles();
    set_denials_of_old_profiles();
    put_routes();
    delete_routes();
    delete_profiles();
    delete_planes();
    delete_addresses();
    return std::move(steps_);
}

Step &Comparison::add(Step::Kind kind, const char *object, const std::string &what, Apply apply)
{
    return steps_.emplace_back(
        Step{kind, object, what, [device = plan_.device, apply = std::move(apply)](Target &target) {
                 return apply(target.kernel, device);
             }});
}

/**
 * Adds a step that deletes a surplus object. It is not taken if an earlier step was refused,
 * because a replacement may be missing then.
 */
void Comparison::remove(const char *object, const std::string &what, Apply apply)
{
    add(Step::Kind::remove, object, what, std::move(apply)).needs = "";
}

void Comparison::wait_for(const std::string &netdev)
{
    steps_.push_back({Step::Kind::wait, "netdev", netdev});
}

void Comparison::conflict(const char *object, const std::string &what)
{
    steps_.push_back({Step::Kind::conflict, object, what});
}

/** Adds a conflict: the object is not as planned, and belongs to another controller. */
void Comparison::leave(const char *object, const std::string &what, uint8_t owner)
{
    conflict(object, what + " is not as planned, and its owner is " + mrcnl::owner_name(owner));
    steps_.back().in_place = true;
}

/**
 * Must an existing object be left alone, because it is as planned or belongs to another controller?
 *
 * @param same tells whether the object is as planned
 */
template <typename Map, typename Same>
bool Comparison::is_left(const Map &known, const typename Map::key_type &key, const Same &same,
                         const char *object, const std::string &what)
{
    const auto now = known.find(key);

    if (now == known.end())
        return false;
    if (same(now->second.is))
        return !nobodys(now->second.owner);
    if (!of_another(now->second.owner))
        return false;
    leave(object, what, now->second.owner);
    return true;
}

void Comparison::add_addresses()
{
    constexpr uint8_t alone = 128;

    add_address({plan_.gid, plan_.gid_length.value_or(alone)}, !plan_.gid_length);
    add_address({plan_.sid, alone}, false);
}

/**
 * Adds an address. A wrong prefix length becomes a conflict: the kernel cannot change it, and
 * deleting the address first would leave none for a moment.
 */
void Comparison::add_address(const mrcnl::Prefix &wanted, bool any_length)
{
    const auto now = state_.addresses.find(wanted.address);
    const std::string on = " netdev " + plan_.anchor;

    if (now == state_.addresses.end())
        steps_.push_back({Step::Kind::add, "address", wanted.text() + on,
                          [wanted, anchor = plan_.anchor](Target &target) {
                              return target.system.add_address(anchor, wanted);
                          }});
    else if (!any_length && now->second.length != wanted.length)
        conflict("address", mrcnl::Prefix{wanted.address, now->second.length}.text() + on +
                                " should have prefix length " + std::to_string(wanted.length));
}

/**
 * Adds the device. The other steps must be worked out anew then, because the device may come with a
 * plane.
 */
void Comparison::add_device()
{
    if (state_.device)
        return;
    steps_.push_back({Step::Kind::add, "device", plan_.device + " netdev " + plan_.anchor,
                      [device = plan_.device, anchor = plan_.anchor](Target &target) {
                          return target.system.add_device(device, anchor);
                      }});
    steps_.back().last = true;
}

void Comparison::settings()
{
    if (state_.tunnel_source == plan_.sid)
        return;
    add(Step::Kind::replace, "device", "tunnel-source " + plan_.sid.text(),
        [sid = plan_.sid](Kernel &kernel, const std::string &device) {
            mrcnl::DeviceSettings change;
            change.tunnel_source = sid;
            return kernel.set_device(device, change);
        });
}

/**
 * The netdevs that ports should have. Leaves out netdevs that do not exist, and ports that should
 * get the same netdev by two of its names.
 */
Planes Comparison::wanted_planes()
{
    std::map<uint32_t, uint8_t> ports; ///< by ifindex
    Planes wanted;

    for (size_t i = 0; i < plan_.planes.size(); i++) {
        const auto port = static_cast<uint8_t>(i + 1);
        const std::string &netdev = plan_.planes[i];
        const uint32_t ifindex = system_.netdev(netdev);
        if (!ifindex) {
            wait_for(netdev);
            continue;
        }
        const auto [at, fresh] = ports.try_emplace(ifindex, port);
        if (fresh) {
            wanted[port] = {ifindex, netdev};
            continue;
        }
        conflict("plane", "port " + std::to_string(port) + " netdev " + netdev +
                              " is already used by port " + std::to_string(at->second));
        wanted.erase(at->second);
    }
    return wanted;
}

/**
 * Removes from @p wanted what is impossible because planes of another controller are in the way.
 */
void Comparison::leave_planes(Planes &wanted)
{
    for (const auto &[at, now] : planes_) {
        const uint8_t owner = state_.plane_owners.at(at);

        if (!of_another(owner))
            continue;
        const auto in_the_way = std::erase_if(wanted, [at = at, &now = now](const auto &one) {
            return (one.first == at) != (one.second.ifindex == now.ifindex);
        });
        if (in_the_way)
            leave("plane", "port " + std::to_string(at) + " netdev " + now.name, owner);
    }
}

/** Takes over the planes that are as planned and belong to no controller. */
void Comparison::adopt_planes(const Planes &wanted)
{
    for (const auto &[at, netdev] : wanted) {
        const auto now = planes_.find(at);

        if (now == planes_.end() || now->second.ifindex != netdev.ifindex ||
            !nobodys(state_.plane_owners.at(at)))
            continue;
        add(Step::Kind::replace, "plane",
            "port " + std::to_string(at) + " netdev " + netdev.name + " owner mrcd",
            [port = at](Kernel &kernel, const std::string &device) {
                return kernel.set_plane(device, port, std::nullopt);
            });
    }
}

void Comparison::move_planes()
{
    Planes wanted = wanted_planes();

    leave_planes(wanted);
    adopt_planes(wanted);
    for (const auto &[is_add, at, netdev] : plane_moves(planes_, wanted)) {
        const std::string what = "port " + std::to_string(at) + " netdev " + netdev.name;
        const uint8_t port = at;
        if (!is_add) {
            add(Step::Kind::remove, "plane", what,
                [port](Kernel &kernel, const std::string &device) {
                    return kernel.delete_plane(device, port);
                });
            continue;
        }
        add(Step::Kind::add, "plane", what,
            [port, ifindex = netdev.ifindex](Kernel &kernel,
                                             const std::string &device) -> mrcnl::Result<void> {
                const auto added = kernel.add_plane(device, port, ifindex);
                if (!added)
                    return added.error();
                return {};
            });
    }
}

void Comparison::put_cc_profiles()
{
    for (const auto &[id, wanted] : plan_.cc_profiles) {
        const auto same = [&wanted = wanted](const mrcnl::CcProfile &now) {
            return now.algorithm == wanted.algorithm && now.window == wanted.window &&
                   now.settings == wanted.settings;
        };
        if (is_left(state_.cc_profiles, id, same, "cc-profile", std::to_string(id)))
            continue;
        const auto now = state_.cc_profiles.find(id);
        const bool known = now != state_.cc_profiles.end();
        mrcnl::CcProfile profile = wanted;
        if (known)
            profile.alias = now->second.is.alias;
        add(known ? Step::Kind::replace : Step::Kind::add, "cc-profile",
            std::to_string(id) + text_of(wanted),
            [profile, known](Kernel &kernel, const std::string &device) {
                return kernel.put_cc_profile(device, profile, known);
            });
    }
}

void Comparison::put_ev_profiles()
{
    for (const auto &[id, wanted] : plan_.ev_profiles) {
        const auto same = [&wanted = wanted](const mrcnl::EvProfileSpec &now) {
            return same_paths(now, wanted);
        };
        const auto now = state_.ev_profiles.find(id);
        const bool known = now != state_.ev_profiles.end();
        if (is_left(state_.ev_profiles, id, same, "ev-profile", std::to_string(id))) {
            if (!of_another(now->second.owner))
                set_denials(now->second.is, wanted);
            continue;
        }
        add(known ? Step::Kind::replace : Step::Kind::add, "ev-profile",
            std::to_string(id) + " of " + std::to_string(wanted.evs.size()) + " EVs",
            [wanted = known ? with_words_kept(wanted, now->second.is) : wanted,
             known](Kernel &kernel, const std::string &device) {
                return kernel.put_ev_profile(device, wanted, known);
            });
    }
}

/**
 * Makes a profile anew. This allows all of its EVs, so EVs that an earlier mrcd process has denied
 * are denied again, because the denial may be right; but never all EVs. The alias stays.
 */
mrcnl::EvProfileSpec Comparison::with_words_kept(mrcnl::EvProfileSpec wanted,
                                                 const mrcnl::EvProfileSpec &now) const
{
    wanted.alias = now.alias;
    const mrcnl::EvProfileSpec planned = wanted;

    if (!plan_.keep_denials)
        return planned;
    for (mrcnl::EvSpec &ev : wanted.evs)
        ev.denied |= std::any_of(now.evs.begin(), now.evs.end(), [&](const mrcnl::EvSpec &was) {
            return was.denied && was.port == ev.port && was.path == ev.path;
        });
    const bool some_left = std::any_of(wanted.evs.begin(), wanted.evs.end(),
                                       [](const mrcnl::EvSpec &ev) { return !ev.denied; });
    return some_left ? wanted : planned;
}

/** Denies EVs of profiles that have left the plan, too: QPs may still use them. */
void Comparison::set_denials_of_old_profiles()
{
    for (const auto &[id, now] : state_.ev_profiles) {
        if (plan_.ev_profiles.contains(id) || !state_.used_ev_profiles.contains(id) ||
            of_another(now.owner))
            continue;
        const auto &evs = now.is.evs;
        for (const bool deny : {false, true})
            for (size_t i = 0; i < evs.size() && (deny || !plan_.keep_denials); i++) {
                const auto *way = std::get_if<mrcnl::EvVia>(&evs[i].path);
                if (way && evs[i].denied != deny &&
                    plan_.denied.denies(evs[i].port, way->via) == deny)
                    set_denied(id, static_cast<uint16_t>(i), deny);
            }
    }
}

/**
 * Denies and allows EVs one by one, so that they keep their state. Allows come before denials, so
 * that the replacements are there first.
 */
void Comparison::set_denials(const mrcnl::EvProfileSpec &now, const mrcnl::EvProfileSpec &wanted)
{
    for (const bool deny : {false, true})
        for (size_t i = 0; i < wanted.evs.size() && (deny || !plan_.keep_denials); i++)
            if (wanted.evs[i].denied == deny && now.evs[i].denied != deny)
                set_denied(wanted.id, static_cast<uint16_t>(i), deny);
}

void Comparison::set_denied(uint64_t profile, uint16_t index, bool deny)
{
    const std::string allowed = "allowed EVs of " + std::to_string(profile);
    const auto version = state_.ev_versions.find(profile);
    const mrcnl::EvPlace place{
        profile, index, version == state_.ev_versions.end() ? std::nullopt : version->second};
    Step &step = add(Step::Kind::replace, "ev",
                     "profile " + std::to_string(profile) + " index " + std::to_string(index) +
                         (deny ? " denied" : " allowed"),
                     [=](Kernel &kernel, const std::string &device) {
                         return kernel.deny_ev(device, place, deny);
                     });

    step.ev = {profile, index, deny};
    if (deny)
        step.needs = allowed;
    else
        step.part = allowed;
}

void Comparison::put_routes()
{
    for (const auto &[prefix, wanted] : plan_.routes) {
        const auto same = [&wanted = wanted](const PlannedRoute &now) { return now == wanted; };
        if (is_left(state_.routes, prefix, same, "route", prefix.text()))
            continue;
        const bool known = state_.routes.contains(prefix);
        const mrcnl::Route route{{}, prefix, wanted.ev_profile, wanted.cc_profile, wanted.usid};
        add(known ? Step::Kind::replace : Step::Kind::add, "route",
            prefix.text() + " ev-profile " + std::to_string(wanted.ev_profile) + " cc-profile " +
                std::to_string(wanted.cc_profile) + " usid " + to_hex(wanted.usid),
            [route, known](Kernel &kernel, const std::string &device) {
                return kernel.put_route(device, route, known);
            });
    }
}

void Comparison::delete_routes()
{
    for (const auto &[prefix, now] : state_.routes) {
        if (plan_.routes.contains(prefix) || now.owner != MRC_NL_OWNER_MRCD)
            continue;
        remove("route", prefix.text(), [at = prefix](Kernel &kernel, const std::string &device) {
            return kernel.delete_route(device, at);
        });
    }
}

/**
 * The profiles used by routes that mrcd leaves alone: they cannot be deleted while the routes
 * exist.
 */
Comparison::Named Comparison::named_by_others() const
{
    Named named;

    for (const auto &[prefix, route] : state_.routes) {
        if (plan_.routes.contains(prefix) ? !of_another(route.owner)
                                          : route.owner == MRC_NL_OWNER_MRCD)
            continue;
        named.ev_profiles.insert(route.is.ev_profile);
        named.cc_profiles.insert(route.is.cc_profile);
    }
    return named;
}

/** Deletes surplus profiles. One that QPs still use stays until they have gone. */
void Comparison::delete_profiles()
{
    const Named named = named_by_others();

    for (const auto &[id, now] : state_.ev_profiles) {
        if (plan_.ev_profiles.contains(id) || state_.used_ev_profiles.contains(id) ||
            named.ev_profiles.contains(id) || now.owner != MRC_NL_OWNER_MRCD)
            continue;
        remove("ev-profile", std::to_string(id),
               [profile = id](Kernel &kernel, const std::string &device) {
                   return kernel.delete_ev_profile(device, profile);
               });
    }
    for (const auto &[id, now] : state_.cc_profiles) {
        if (plan_.cc_profiles.contains(id) || named.cc_profiles.contains(id) ||
            now.owner != MRC_NL_OWNER_MRCD)
            continue;
        remove("cc-profile", std::to_string(id),
               [profile = id](Kernel &kernel, const std::string &device) {
                   return kernel.delete_cc_profile(device, profile);
               });
    }
}

/**
 * Deletes surplus planes, and also the anchor's plane that came with the device: traffic must use
 * the planned planes only.
 */
void Comparison::delete_planes()
{
    for (const auto &[port, netdev] : planes_) {
        const uint8_t owner = port <= plan_.planes.size() ? 0 : state_.plane_owners.at(port);
        if (owner != MRC_NL_OWNER_MRCD && owner != MRC_NL_OWNER_KERNEL)
            continue;
        remove("plane", "port " + std::to_string(port) + " netdev " + netdev.name,
               [at = port](Kernel &kernel, const std::string &device) {
                   return kernel.delete_plane(device, at);
               });
    }
}

/**
 * Deletes addresses of other hosts that mrcd added: this host may have been another host of the
 * file before.
 */
void Comparison::delete_addresses()
{
    for (const auto &[address, held] : state_.addresses) {
        const mrcnl::Prefix now{address, held.length};
        if (!held.ours || !plan_.others.contains(address))
            continue;
        steps_.push_back({Step::Kind::remove, "address", now.text() + " netdev " + plan_.anchor,
                          [now, anchor = plan_.anchor](Target &target) {
                              return target.system.delete_address(anchor, now);
                          }});
        steps_.back().needs = "";
    }
}

} // namespace

std::vector<Step> difference(const State &state, const Plan &plan, System &system)
{
    return Comparison(state, plan, system).steps();
}

std::string to_string(const Step &step)
{
    static constexpr const char *signs[] = {"+", "~", "-", "! waits for", "!"};

    return std::string(signs[static_cast<size_t>(step.kind)]) + ' ' + step.object + ' ' + step.what;
}

} // namespace mrcd
