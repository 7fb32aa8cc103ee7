// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The highest goodput of a host.
 */
#pragma once

#include <cstdint>

#include "engine/core.h"
#include "scenario.h"

namespace mrcsim
{

/** Headers from BTH to payload of a packet inside a message, bytes. */
constexpr uint32_t write_headers = MRC_BTH_LEN + MRC_METH_LEN + MRC_RETH_LEN;

/** Payload bytes a second that all planes together carry at most, of packets of full size. */
double line_rate(const Scenario &scenario);

} // namespace mrcsim
