// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The edge between C and C++: no exception crosses it, and errors leave by errno. A thread that is
 * cancelled while it waits here ends, as it does in libibverbs.
 */
#pragma once

#include <cerrno>
#include <cstddef>
#include <new>

#include <cxxabi.h>

/** Of functions that programs call; all else is hidden by the linker's map. */
#define MRC_EXPORT extern "C" __attribute__((visibility("default")))

namespace mrc
{

/** errno of what is being handled; the end of a thread that was cancelled is nobody's to handle. */
inline int thrown_error() noexcept
{
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return ENOMEM;
    } catch (...) {
        return EIO;
    }
}

/** For functions that return an errno value. @param body returns one */
template <typename Body>
int errno_value(Body body)
{
    int error = 0;

    try {
        error = body();
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        error = thrown_error();
    }
    if (error)
        errno = error;
    return error;
}

/** For functions that return 0 or -1. @param body returns an errno value */
template <typename Body>
int zero_or_minus(Body body)
{
    return errno_value(body) ? -1 : 0;
}

/** For functions that return a pointer. @param body returns it, or null after it has set errno */
template <typename Body>
auto pointer(Body body) -> decltype(body())
{
    try {
        return body();
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        errno = thrown_error();
        return nullptr;
    }
}

/** Sets errno. @return null */
inline std::nullptr_t refused(int error)
{
    errno = error;
    return nullptr;
}

/** What verbs says that returns 0, -1 with errno, or an errno value: the latter. */
inline int error_of(int status)
{
    if (status >= 0)
        return status;
    return errno ? errno : EIO;
}

} // namespace mrc
