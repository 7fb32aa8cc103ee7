// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the module refuses, with its words, and the attribute that it names. Requests are looked
 * at in three steps: ranges of attributes, before any device is looked for; what is asked of
 * any device; what depends on the one that there is, which is model_kernel.h's.
 *
 * selftests/contract proves it.
 */
#pragma once

#include <initializer_list>
#include <string>

#include "mrcnl/result.h"
#include "mrcnl/types.h"

namespace mrcd::test::refusals
{

using mrcnl::Result;

/** The first of them that refuses. */
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

/** @name Of any device */
/** @{ */
Result<void> check(const mrcnl::DeviceSettings &change);
Result<void> check(const mrcnl::EvProfileSpec &spec);
/** Of a request that is about this EV alone. */
Result<void> check(const mrcnl::EvSpec &ev, mrcnl::EvFormat format);
Result<void> check(const mrcnl::CcProfile &profile);
Result<void> check(const mrcnl::Prefix &prefix);
Result<void> check(const mrcnl::ProbeRequest &request);
/** But for the EV. */
Result<void> check(const mrcnl::RawProbeRequest &request);
/** @} */

/** EVs of a profile: listed, or drawn. */
uint16_t count(const mrcnl::EvProfileSpec &spec);

} // namespace mrcd::test::refusals
