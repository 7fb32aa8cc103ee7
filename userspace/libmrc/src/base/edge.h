// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The edge between C and C++. No exception crosses it, and errors are returned in errno. A thread
 * that is cancelled while it waits in this library ends, as in libibverbs.
 */
#pragma once

#include <cerrno>
#include <cstddef>
#include <new>

#include <cxxabi.h>

/** Marks the functions that programs call. The linker's map hides all others. */
#define MRC_EXPORT extern "C" __attribute__((visibility("default")))

namespace mrc
{

/** @return errno value of the exception being handled, which must not be a cancellation */
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

/** @param status from a verb: 0, -1 with errno, or an errno value @return 0 or an errno value */
inline int error_of(int status)
{
    if (status >= 0)
        return status;
    return errno ? errno : EIO;
}

} // namespace mrc
