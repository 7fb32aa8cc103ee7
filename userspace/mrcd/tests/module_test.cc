// SPDX-License-Identifier: GPL-2.0-only

#include "host/module.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace mrcd::test::module_test
{
namespace
{

namespace fs = std::filesystem;

class ModuleTest : public ::testing::Test
{
protected:
    ModuleTest() { fs::create_directories(folder); }
    ~ModuleTest() override { fs::remove_all(folder); }
    void write(const std::string &name, const std::string &text)
    {
        std::ofstream(folder / name) << text;
    }

    const fs::path folder = fs::path(testing::TempDir()) / "mrcd_module_test";
};

TEST_F(ModuleTest, IsAsSysfsHasIt)
{
    EXPECT_EQ(module_state(folder / "none"), ModuleState{});
    EXPECT_EQ(module_state(folder), ModuleState{});
    write("initstate", "live\n");
    EXPECT_EQ(module_state(folder), (ModuleState{true, ""}));
    write("version", "0.1.0\n");
    EXPECT_EQ(module_state(folder), (ModuleState{true, "0.1.0"}));
    for (const char *other : {"going\n", "coming\n", "", "lively\n"}) {
        write("initstate", other);
        EXPECT_EQ(module_state(folder), (ModuleState{false, "0.1.0"})) << other;
    }
}

} // namespace
} // namespace mrcd::test::module_test
