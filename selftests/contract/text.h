// SPDX-License-Identifier: GPL-2.0-only
/** @file The objects that the kernel lists, as text, a line each. */
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "mrcnl/kernel.h"

namespace contract
{

std::string text(const mrcnl::Error &error);
std::string text(const mrcnl::Info &info);
std::string text(const mrcnl::Device &device);
std::string text(const mrcnl::Plane &plane);
/** " alias NAME", or nothing */
std::string called(const std::string &alias);
std::string text(const mrcnl::EvProfile &profile);
std::string text(const mrcnl::EvSpec &ev);
std::string text(const mrcnl::Ev &ev);
std::string text(const mrcnl::CcProfile &profile);
std::string text(const mrcnl::Route &route);
std::string text(const mrcnl::RouteMatch &match);

/** "NAME VALUE" */
template <typename T>
std::string text(const mrcnl::Setting &setting, const T &value)
{
    const std::string name = std::string(setting.name) + " ";

    if constexpr (std::is_same_v<T, mrcnl::Address>)
        return name + value.text();
    else
        return name + std::to_string(value);
}

/** The lines of a device's objects, one each. */
std::vector<std::string> settings(const mrcnl::Device &device);

/** All objects of a device. */
std::vector<std::string> state(mrcnl::Kernel &kernel, const std::string &device);

} // namespace contract
