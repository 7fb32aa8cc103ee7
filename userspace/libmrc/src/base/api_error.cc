// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cerrno>

#include "base/netlink.h"

namespace mrc
{

int api_error(const mrcnl::Error &error)
{
    switch (error.code) {
    case EINVAL:
    case ENOENT:
    case EBUSY:
    case E2BIG:
    case ENOMEM:
    case EAGAIN:
    case ENOTSUP:
        return error.code;
    case EPERM:
    case EACCES:
        return EPERM;
    case ERANGE:
    case EADDRNOTAVAIL:
        return EINVAL;
    case ESTALE: // the object has another owner, or was changed meanwhile
    case EEXIST:
        return EBUSY;
    default:
        return EIO;
    }
}

} // namespace mrc
