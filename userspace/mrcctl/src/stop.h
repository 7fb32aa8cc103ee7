// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Waiting, in commands that go on until they are told to end: SIGINT and SIGTERM are let in
 * from the first wait on, and only while one lasts.
 */
#pragma once

#include <cstdint>

namespace mrcctl
{

/**
 * Wait until a descriptor can be read from.
 *
 * @return false: told to end
 * @throw Failure
 */
bool wait_readable(int fd);

/** Wait for @p ns nanoseconds. @return false: told to end */
bool wait_for(uint64_t ns);

} // namespace mrcctl
