// SPDX-License-Identifier: GPL-2.0-only
/** @file A host made of files below a temporary folder. */
#pragma once

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "feature.h"

namespace mrcctl::test
{

struct FakeHost : FeatureHost {
    FakeHost()
    {
        std::string name = testing::TempDir() + "mrcctl-feature-XXXXXX";

        root = mkdtemp(name.data());
        release = "6.1.0-test";
        libibverbs = "/usr/lib/x/libibverbs.so.1";
    }

    ~FakeHost() { std::filesystem::remove_all(root); }
    FakeHost(const FakeHost &) = delete;

    void file(const std::string &path, const std::string &content = {}) const
    {
        std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
        std::ofstream(root + path, std::ios::binary) << content;
    }

    /** @param abi number of its private interface */
    void library(const std::string &abi) const
    {
        using namespace std::string_literals;
        file(libibverbs, "\177ELF\0IBVERBS_1.1\0IBVERBS_PRIVATE_"s + abi + "\0rest"s);
    }
};

} // namespace mrcctl::test
