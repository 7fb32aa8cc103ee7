// SPDX-License-Identifier: GPL-2.0-only
#include "report/problem.h"

#include <cstddef>

namespace mrcd
{

const char *name_of(ProblemKind kind)
{
    static constexpr const char *names[] = {"kernel", "device",  "file",  "version", "anchor",
                                            "netdev", "carrier", "plane", "route",   "mtu",
                                            "sysctl", "step",    "fault", "evs"};

    return names[static_cast<size_t>(kind)];
}

const char *name_of(Health health)
{
    static constexpr const char *names[] = {"well", "not-well", "unknown"};

    return names[static_cast<size_t>(health)];
}

} // namespace mrcd
