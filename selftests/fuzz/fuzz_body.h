// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

/// Runs one input: a byte of set-up, then packets, each a length byte and its bytes, mixed with
/// local events. Aborts when kernel/core breaks a promise.
void fuzzCore(const std::uint8_t *data, std::size_t size);
