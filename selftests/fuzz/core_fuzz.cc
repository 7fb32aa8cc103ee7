// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    fuzzCore(data, size);
    return 0;
}
