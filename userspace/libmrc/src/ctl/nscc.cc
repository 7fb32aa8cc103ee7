// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ctl/nscc.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace mrc
{

namespace
{

constexpr float millionths = 1e6F;

/** Set a setting, or clear it if the number is zero. */
template <typename T>
void put(std::optional<T> &setting, T value)
{
    setting = value ? std::optional<T>(value) : std::nullopt;
}

/** @return false: the value is not finite, is negative, or is out of the kernel's range */
bool put_scaled(std::optional<uint32_t> &setting, float value, float scale)
{
    const double scaled = std::round(static_cast<double>(value) * static_cast<double>(scale));

    if (!std::isfinite(value) || value < 0 || scaled > std::numeric_limits<uint32_t>::max() ||
        (value > 0 && scaled < 1))
        return false;
    put(setting, static_cast<uint32_t>(scaled));
    return true;
}

template <typename T>
T either(const std::optional<T> &set, const std::optional<T> &derived)
{
    return set ? *set : derived.value_or(T());
}

float fraction(const std::optional<uint32_t> &value)
{
    return static_cast<float>(value.value_or(0)) / millionths;
}

} // namespace

bool to_settings(const mrc_ctl_cc_nscc_cfg &config, mrcnl::CcSettings &settings)
{
    settings.quick_adapt = !config.disable_qa;
    put(settings.adjust_bytes, config.adjust_bytes_threshold);
    put(settings.adjust_period, config.adjust_period_threshold);
    put(settings.base_rtt, config.base_rtt);
    put(settings.max_cwnd, config.max_cwnd);
    put(settings.qa_gate, config.qa_gate);
    put(settings.qa_threshold, config.qa_threshold);
    put(settings.target_delay, config.target_delay);
    return put_scaled(settings.eta, config.eta, 1) && put_scaled(settings.fi, config.fi, 1) &&
           put_scaled(settings.fi_scale, config.fi_scale, millionths) &&
           put_scaled(settings.gamma, config.gamma, millionths) &&
           put_scaled(settings.max_md_jump, config.max_md_jump, millionths);
}

mrc_ctl_cc_nscc_cfg config_of(const mrcnl::CcProfile &profile)
{
    const mrcnl::CcSettings &set = profile.settings;
    const mrcnl::CcDerived &derived = profile.derived;
    mrc_ctl_cc_nscc_cfg config{};

    config.disable_qa = !set.quick_adapt.value_or(true);
    config.adjust_bytes_threshold = either(set.adjust_bytes, derived.adjust_bytes);
    config.adjust_period_threshold = either(set.adjust_period, derived.adjust_period);
    config.base_rtt = set.base_rtt.value_or(0);
    config.eta = static_cast<float>(either(set.eta, derived.eta));
    config.fi = static_cast<float>(either(set.fi, derived.fi));
    config.fi_scale = static_cast<float>(either(set.fi_scale, derived.fi_scale)) / millionths;
    config.gamma = fraction(set.gamma);
    config.max_md_jump = fraction(set.max_md_jump);
    config.max_cwnd = either(set.max_cwnd, derived.max_cwnd);
    config.qa_gate = set.qa_gate.value_or(0);
    config.qa_threshold = either(set.qa_threshold, derived.qa_threshold);
    config.target_delay = either(set.target_delay, derived.target_delay);
    return config;
}

nlohmann::json json_of(const mrcnl::CcSettings &settings)
{
    auto json = nlohmann::json::object();

    mrcnl::for_each_setting<mrcnl::CcSettings>([&](const mrcnl::Setting &setting, auto member) {
        if (settings.*member)
            json[setting.name] = *(settings.*member);
    });
    return json;
}

void settings_from(const nlohmann::json &json, mrcnl::CcSettings &settings)
{
    mrcnl::for_each_setting<mrcnl::CcSettings>([&](const mrcnl::Setting &setting, auto member) {
        auto &value = settings.*member;

        if (json.contains(setting.name))
            json.at(setting.name).get_to(value.emplace());
    });
}

} // namespace mrc
