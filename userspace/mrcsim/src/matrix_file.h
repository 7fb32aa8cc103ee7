// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads a connection matrix, a format of network simulators: "Nodes N", "Connections M", and for
 * each connection "A->B [id I] start T size S", with T in ps and S in bytes.
 */
#pragma once

#include <string>
#include <vector>

#include "scenario.h"

namespace mrcsim
{

/** What a file says, or what is wrong with it. */
struct MatrixResult {
    std::vector<FlowEntry> flows;
    Complaints complaints; ///< lines are those of this file
};

/** @param hosts in the fabric */
MatrixResult read_matrix(const std::string &text, uint32_t hosts);

} // namespace mrcsim
