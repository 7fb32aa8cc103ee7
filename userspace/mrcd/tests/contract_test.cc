// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Checks that the model kernel answers as the module does. Both are compared with
 * selftests/contract/answers; selftests/netlink/contract.sh does it for the module.
 */
#include <fstream>

#include <gtest/gtest.h>

#include "contract.h"
#include "model_kernel.h"

namespace mrcd::test::contract_test
{
namespace
{

/** The lines of a file, without its licence. */
std::vector<std::string> lines_of(const std::string &path)
{
    std::ifstream file(path);
    std::vector<std::string> lines;
    std::string line;

    EXPECT_TRUE(file) << path;
    while (std::getline(file, line))
        if (!line.starts_with('#'))
            lines.push_back(line);
    return lines;
}

/** The number of requests in the answers: lines that do not show a change. */
size_t requests(const std::vector<std::string> &lines)
{
    return static_cast<size_t>(std::count_if(
        lines.begin(), lines.end(), [](const auto &line) { return !line.starts_with(' '); }));
}

class Contract : public testing::TestWithParam<std::string>
{
};

TEST_P(Contract, ModelAnswersAsTheModule)
{
    Model model;
    const contract::Host host{"mrc0",
                              [&](const std::string &name) { return model.kernel.ifindex(name); }};

    model.kernel.exists = true;
    model.kernel.acting.reset();
    model.kernel.taken_ports = {contract::taken_port};
    const auto found = contract::ask(model.kernel, host, GetParam());
    const auto wanted = lines_of(MRC_CONTRACT "/answers/" + GetParam());
    for (size_t i = 0; i < std::max(found.size(), wanted.size()); i++)
        ASSERT_EQ(i < found.size() ? found[i] : "nothing",
                  i < wanted.size() ? wanted[i] : "nothing")
            << "line " << i + 1;
}

INSTANTIATE_TEST_SUITE_P(Topics, Contract, testing::ValuesIn(contract::topics()),
                         [](const auto &topic) {
                             std::string name = topic.param;

                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(Contract, EnoughRequests)
{
    size_t count = 0;

    for (const std::string &topic : contract::topics())
        count += requests(lines_of(MRC_CONTRACT "/answers/" + topic));
    EXPECT_GT(count, 300u);
}

} // namespace
} // namespace mrcd::test::contract_test
