// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Checks that the native benchmark measures what it says: packets arrive, lost packets are sent
 * again once, and messages complete.
 */
#include "endpoints.h"

#include <gtest/gtest.h>

namespace
{

class Endpoints : public testing::TestWithParam<std::tuple<uint32_t, uint32_t, uint32_t, bool>>
{
};

TEST_P(Endpoints, DeliverAll)
{
    bench::Shape shape;
    std::tie(shape.qps, shape.per_sack, shape.loss_mille, shape.nscc) = GetParam();
    const uint64_t turns = 20'000 * shape.qps / shape.per_sack;
    bench::Endpoints ends(shape);

    for (uint64_t i = 0; i < turns; i++)
        ends.turn();
    const bench::Totals &t = ends.totals();
    const double lost = static_cast<double>(t.lost) / static_cast<double>(t.sent + t.resent);
    EXPECT_EQ(t.arrived + t.lost, t.sent + t.resent);
    EXPECT_NEAR(lost, shape.loss_mille / 1000.0, shape.loss_mille / 5000.0);
    // Some of the last lost packets have not been sent again yet.
    EXPECT_LE(t.resent, t.lost);
    EXPECT_GE(t.resent + shape.qps * MRC_MPR_UNIT * shape.mpr / 8, t.lost);
    EXPECT_GE(t.messages, (t.sent - shape.qps * MRC_MPR_UNIT * shape.mpr) / 16);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Endpoints,
                         testing::Combine(testing::Values(1u, 8u), testing::Values(1u, 4u, 64u),
                                          testing::Values(0u, 1u, 100u), testing::Values(false)));

INSTANTIATE_TEST_SUITE_P(Nscc, Endpoints,
                         testing::Combine(testing::Values(8u), testing::Values(1u, 64u),
                                          testing::Values(0u, 100u), testing::Values(true)));

} // namespace
