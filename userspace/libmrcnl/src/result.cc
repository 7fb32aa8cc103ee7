// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/result.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <netlink/errno.h>

namespace mrcnl
{

std::string Error::message() const
{
    std::string line = text.empty() ? strerror(code) : text;

    if (line.starts_with("mrc: "))
        line.erase(0, 5);
    if (!attribute.empty())
        line += " (" + attribute + ")";
    return line;
}

Error libnl_error(int err)
{
    switch (std::abs(err)) {
    case NLE_NOMEM:
        return {ENOMEM, {}, {}};
    case NLE_MSGSIZE:
    case NLE_MSG_TOOSHORT:
        return {EMSGSIZE, {}, {}};
    case NLE_PERM:
        return {EPERM, {}, {}};
    case NLE_AGAIN:
        return {EAGAIN, {}, {}};
    default:
        return {EIO, nl_geterror(err), {}};
    }
}

} // namespace mrcnl
