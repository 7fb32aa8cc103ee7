// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ctl/ev_profile.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "ctl/stored_enum.h"
#include "ctl/wire_ev.h"

namespace mrc
{

namespace
{

constexpr const char *kind = "ev";

std::string text_of(const mrc_ctl_ev &ev)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;

    for (const uint8_t byte : ev.val) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

/** @return false: text_of() did not make this text */
bool ev_from(const std::string &text, mrc_ctl_ev &ev)
{
    if (text.size() != 2 * sizeof(ev.val) ||
        text.find_first_not_of("0123456789abcdef") != std::string::npos)
        return false;
    for (size_t i = 0; i < sizeof(ev.val); i++)
        ev.val[i] = static_cast<uint8_t>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
    return true;
}

constexpr uint32_t count_most = 4096; ///< EVs in a file: other kernels may allow more than ours

nlohmann::json json_of(const EvFields &fields)
{
    auto json = nlohmann::json::array();

    for (const mrc_ctl_ev_field &f : fields)
        json.push_back({f.width, f.init_val, f.min_val, f.max_val, f.mask});
    return json;
}

nlohmann::json json_of(const std::vector<EvSlot> &evs)
{
    auto json = nlohmann::json::array();

    for (const EvSlot &slot : evs)
        json.push_back({text_of(slot.ev), slot.ev.port, slot.denied});
    return json;
}

nlohmann::json json_of(const EvProfile &profile)
{
    nlohmann::json json{{"state", profile.state},
                        {"mode", profile.mode},
                        {"format", profile.format},
                        {"count", profile.count},
                        {"active", profile.active},
                        {"alias", profile.alias},
                        {"fields", json_of(profile.fields)},
                        {"evs", json_of(profile.evs)}};

    if (profile.min_active)
        json["min-active"] = *profile.min_active;
    if (profile.event_mask)
        json["event-mask"] = *profile.event_mask;
    if (profile.foreign)
        json["foreign"] = *profile.foreign;
    if (profile.before)
        json["before"] = {{"fields", json_of(profile.before->fields)},
                          {"evs", json_of(profile.before->evs)}};
    return json;
}

/** @return false: json_of() did not make these fields */
bool fields_from(const nlohmann::json &json, EvFields &fields)
{
    for (const auto &f : json)
        fields.push_back({f.at(0), f.at(1), f.at(2), f.at(3), f.at(4)});
    return json.is_array() && fields_sound(fields);
}

bool evs_from(const nlohmann::json &json, std::vector<EvSlot> &evs)
{
    for (const auto &ev : json) {
        EvSlot &slot = evs.emplace_back();

        if (!ev_from(ev.at(0), slot.ev))
            return false;
        ev.at(1).get_to(slot.ev.port);
        ev.at(2).get_to(slot.denied);
    }
    return json.is_array() && evs.size() <= count_most;
}

/** @return false: json_of() did not make this profile */
bool profile_from(const nlohmann::json &json, EvProfile &profile)
{
    if (!read_enum(json.at("state"), profile_states, profile.state) ||
        !read_enum(json.at("mode"), ev_modes, profile.mode))
        return false;
    json.at("format").get_to(profile.format);
    json.at("count").get_to(profile.count);
    profile.active = json.value("active", profile.active);
    profile.alias = json.value("alias", profile.alias);
    if (json.contains("min-active"))
        profile.min_active = json.at("min-active").get<uint32_t>();
    if (json.contains("event-mask"))
        profile.event_mask = json.at("event-mask").get<int>();
    if (json.contains("foreign") &&
        !read_enum(json.at("foreign"), format_modes, profile.foreign.emplace()))
        return false;
    if (!fields_from(json.at("fields"), profile.fields) || !evs_from(json.at("evs"), profile.evs))
        return false;
    if (json.contains("before")) {
        auto &before = profile.before.emplace();
        if (!fields_from(json["before"].at("fields"), before.fields) ||
            !evs_from(json["before"].at("evs"), before.evs))
            return false;
    }
    const bool lists = profile.mode != MRC_CTL_EV_MODE_AUTO;
    return profile.count <= count_most &&
           (profile.evs.empty() || (lists && profile.evs.size() == profile.count));
}

int read(const Controller &controller, uint64_t id, EvProfile &profile)
{
    nlohmann::json json;
    const int error = controller.store().read(kind, id, json);

    profile = {};
    if (error)
        return error == ENOENT ? 0 : error;
    try {
        return profile_from(json, profile) ? 0 : EBADMSG;
    } catch (const nlohmann::json::exception &) {
        return EBADMSG;
    }
}

/** Read the kernel's EVs. @return 0; EPERM: the kernel hides their values; or another error */
int kernel_evs(Controller &controller, uint64_t id, std::vector<mrcnl::EvSpec> &evs)
{
    const auto listed = controller.kernel().evs(controller.device(), id);

    if (!listed)
        return api_error(listed.error());
    evs.clear();
    for (const mrcnl::Ev &ev : *listed) {
        if (std::holds_alternative<std::monostate>(ev.spec.path))
            return EPERM;
        evs.push_back(ev.spec);
    }
    return 0;
}

/** Take the kernel's state of a profile that was made or changed by other means. */
void adopt(EvProfile &profile, const mrcnl::EvProfile &now)
{
    const auto event_mask = profile.event_mask;
    const auto kernel = std::move(profile.kernel_evs);
    const auto wire = format_mode(now.format);

    profile = {};
    profile.event_mask = event_mask;
    profile.mode =
        now.mode == mrcnl::EvMode::automatic ? MRC_CTL_EV_MODE_AUTO : MRC_CTL_EV_MODE_EXP;
    profile.foreign = wire;
    for (const mrcnl::EvSpec &ev : kernel)
        profile.evs.push_back({ev_of(wire_of(wire, ev.path), ev.port), ev.denied});
    for (size_t i = 0; i < kernel.size(); i++)
        profile.places.push_back(static_cast<uint16_t>(i));
    profile.kernel_evs = kernel;
}

/** @return nothing if the EVs do not fit the format */
std::optional<std::vector<mrcnl::EvSpec>>
specs_of(const std::vector<EvSlot> &evs, const EvFields &fields, const FormatProfile &format)
{
    std::vector<mrcnl::EvSpec> specs;

    for (const EvSlot &slot : evs) {
        const auto wire = expand(bits_of(slot.ev), fields, format.widths);
        if (!wire)
            return std::nullopt;
        specs.push_back({slot.ev.port, path_of(format.mode, *wire), false});
    }
    return specs;
}

bool same_fields(const EvFields &a, const EvFields &b)
{
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(),
                      [](const mrc_ctl_ev_field &x, const mrc_ctl_ev_field &y) {
                          return !memcmp(&x, &y, sizeof(x));
                      });
}

/**
 * As agrees(), for a profile that is being changed. The kernel has all the new fields or all the
 * old ones; it may have any of the new EVs.
 */
bool agrees_with_change(EvProfile &profile, const FormatProfile &format)
{
    const EvProfile::Before before = *profile.before;
    auto specs = specs_of(profile.evs, profile.fields, format);
    const auto old = specs_of(before.evs, before.fields, format);

    if (!old)
        return false;
    if (const auto places = places_of(*old, profile.kernel_evs)) {
        profile.fields = before.fields;
        profile.evs = before.evs;
        profile.places = *places;
        return true;
    }
    if (!specs || specs->size() != old->size() || !same_fields(profile.fields, before.fields))
        return false;
    const auto replaced = replaced_of(*specs, *old, profile.kernel_evs);
    for (size_t i = 0; i < old->size(); i++)
        if (!replaced[i]) {
            (*specs)[i] = (*old)[i];
            profile.evs[i] = before.evs[i];
        }
    const auto places = places_of(*specs, profile.kernel_evs);
    profile.places = places.value_or(std::vector<uint16_t>());
    return places.has_value();
}

/** Check that a profile, as its file has it, agrees with the kernel's. Sets places. */
bool agrees(const Controller &controller, EvProfile &profile, const mrcnl::EvProfile &now)
{
    const bool automatic = now.mode == mrcnl::EvMode::automatic;
    FormatProfile format;

    if (profile.state != MRC_CTL_PROFILE_ONLINE ||
        automatic != (profile.mode == MRC_CTL_EV_MODE_AUTO))
        return false;
    if (automatic)
        return true;
    if (format_of(controller, profile, format) || kernel_format(format.mode) != now.format)
        return false;
    const auto specs = specs_of(profile.evs, profile.fields, format);
    const auto places = specs ? places_of(*specs, profile.kernel_evs) : std::nullopt;
    if (places) {
        profile.places = *places;
        return true;
    }
    return profile.before && agrees_with_change(profile, format);
}

} // namespace

bool is_populated(const mrc_ctl_ev &ev)
{
    return !same_ev(ev, mrc_ctl_ev{});
}

bool same_ev(const mrc_ctl_ev &a, const mrc_ctl_ev &b)
{
    return a.port == b.port && !memcmp(a.val, b.val, sizeof(a.val));
}

int format_of(const Controller &controller, const EvProfile &profile, FormatProfile &format)
{
    if (profile.foreign) {
        format = {MRC_CTL_PROFILE_ONLINE, *profile.foreign,
                  EvFormatWidths(width_of(*profile.foreign) / 8, 8)};
        return 0;
    }
    if (const int error = load(controller, profile.format, format))
        return error;
    return format.state == MRC_CTL_PROFILE_ONLINE ? 0 : EINVAL;
}

int load(Controller &controller, uint64_t id, EvProfile &profile)
{
    const auto now = controller.kernel().ev_profile(controller.device(), id);

    if (!now && now.error().code != ENOENT)
        return api_error(now.error());
    if (const int error = read(controller, id, profile))
        return error;
    if (!now) {
        // It was deleted by other means, or was never published. Its file stays, as OFFLINE. But a
        // profile that was made by other means has nothing in its file that is worth keeping.
        if (profile.state == MRC_CTL_PROFILE_ONLINE && profile.foreign)
            profile = {};
        else if (profile.state == MRC_CTL_PROFILE_ONLINE)
            profile.state = MRC_CTL_PROFILE_OFFLINE;
        return 0;
    }
    if (now->mode == mrcnl::EvMode::explicit_list)
        if (const int error = kernel_evs(controller, id, profile.kernel_evs))
            return error;
    if (!agrees(controller, profile, *now))
        adopt(profile, *now);
    profile.state = MRC_CTL_PROFILE_ONLINE;
    profile.before.reset();
    // The list was read after now->count, so its size counts.
    profile.count = profile.mode == MRC_CTL_EV_MODE_AUTO
                        ? now->count
                        : static_cast<uint32_t>(profile.evs.size());
    profile.min_active = now->min_active;
    profile.active = now->active;
    profile.alias = now->alias;
    profile.version = now->version;
    for (size_t i = 0; i < profile.evs.size(); i++)
        profile.evs[i].denied = profile.kernel_evs[profile.places[i]].denied;
    return 0;
}

int save(const Controller &controller, uint64_t id, const EvProfile &profile)
{
    return controller.store().write(kind, id, json_of(profile));
}

std::vector<uint64_t> stored_ev_profile_ids(const Controller &controller)
{
    return controller.store().ids(kind);
}

int event_mask_of(const Controller &controller, uint64_t id)
{
    EvProfile profile;

    return read(controller, id, profile) ? 0 : profile.event_mask.value_or(0);
}

int forget_ev_profile(const Controller &controller, uint64_t id)
{
    return controller.store().remove(kind, id);
}

int ev_profile_ids(Controller &controller, std::vector<uint64_t> &ids)
{
    const auto stored = stored_ev_profile_ids(controller);
    const auto kernel = controller.kernel().ev_profiles(controller.device());
    std::set<uint64_t> all(stored.begin(), stored.end());

    if (!kernel)
        return api_error(kernel.error());
    for (const mrcnl::EvProfile &profile : *kernel)
        all.insert(profile.id);
    ids.assign(all.begin(), all.end());
    return 0;
}

int make_evs(Controller &controller, uint64_t id, EvProfile &profile)
{
    if (profile.mode != MRC_CTL_EV_MODE_GEN || !profile.evs.empty())
        return 0;
    const auto planes = controller.kernel().planes(controller.device());
    if (!planes)
        return api_error(planes.error());
    if (planes->empty())
        return EINVAL;
    // Each value is used on each plane, because the planes are alike.
    const size_t values = (profile.count + planes->size() - 1) / planes->size();
    const auto made = generate(profile.fields, values, id);
    if (made.size() < values)
        return E2BIG;
    for (size_t i = 0; i < profile.count; i++)
        profile.evs.push_back(
            {ev_of(made[i / planes->size()], (*planes)[i % planes->size()].port), false});
    return 0;
}

} // namespace mrc
