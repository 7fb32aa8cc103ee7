// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The module's refusals, with their messages and attributes. Requests are checked in three steps:
 * ranges of attributes, before any device is looked for; checks for any device; checks that depend
 * on the objects of the device, which model_kernel.h has.
 *
 * selftests/contract proves that the module does the same.
 */
#pragma once

#include <initializer_list>
#include <string>

#include "mrcnl/result.h"
#include "mrcnl/types.h"

namespace mrcd::test::refusals
{

using mrcnl::Result;

/** The first refusal. */
Result<void> first(std::initializer_list<Result<void>> answers);

/** @name Ranges of attributes */
/** @{ */
Result<void> range(uint64_t value, uint64_t least, uint64_t most, const std::string &attribute);
Result<void> name_range(const std::string &name, size_t most, const std::string &attribute);
Result<void> ranges(const mrcnl::DeviceSettings &change);
Result<void> ranges(const mrcnl::EvProfileSpec &spec);
Result<void> ranges(const mrcnl::EvSpec &ev);
Result<void> ranges(const mrcnl::CcProfile &profile);
Result<void> ranges(const mrcnl::ProbeRequest &request);
Result<void> ranges(const mrcnl::RawProbeRequest &request);
/** @} */

/** @name Checks for any device */
/** @{ */
Result<void> check(const mrcnl::DeviceSettings &change);
Result<void> check(const mrcnl::EvProfileSpec &spec);
/** A request that is about this EV alone. */
Result<void> check(const mrcnl::EvSpec &ev, mrcnl::EvFormat format);
Result<void> check(const mrcnl::CcProfile &profile);
Result<void> check(const mrcnl::Prefix &prefix);
Result<void> check(const mrcnl::ProbeRequest &request);
/** Does not check the EV. */
Result<void> check(const mrcnl::RawProbeRequest &request);
/** @} */

/** The number of EVs of a profile, listed or drawn. */
uint16_t count(const mrcnl::EvProfileSpec &spec);

} // namespace mrcd::test::refusals
