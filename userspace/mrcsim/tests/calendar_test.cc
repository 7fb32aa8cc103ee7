// SPDX-License-Identifier: GPL-2.0-only
#include "calendar.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "random.h"

using namespace mrcsim;

namespace
{

Event event(Time at, uint32_t node = 0, What what = What::arrival, uint32_t source = 0)
{
    return {at, Event::order_of(node, what, source), 0};
}

std::vector<Event> drain(Calendar &calendar, Time until)
{
    std::vector<Event> all;

    for (Event e; calendar.next(until, e);)
        all.push_back(e);
    return all;
}

TEST(Event, HasNodeKindAndSource)
{
    const Event e = event(5, 0xfffffffe, What::prober_timer, 0xfffffff);

    EXPECT_EQ(e.node(), 0xfffffffeu);
    EXPECT_EQ(e.what(), What::prober_timer);
    EXPECT_EQ(e.source(), 0xfffffffu);
}

TEST(Calendar, IsInOrderOfTimeThenNodeThenKindThenSource)
{
    Calendar calendar;
    std::vector<Event> wanted = {event(7), event(7, 1), event(7, 1, What::port_free, 0),
                                 event(7, 1, What::port_free, 3), event(8)};

    for (auto e = wanted.rbegin(); e != wanted.rend(); ++e)
        calendar.add(*e);
    const auto got = drain(calendar, 100);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); i++)
        EXPECT_TRUE(got[i].at == wanted[i].at && got[i].order == wanted[i].order) << i;
}

/** Times near and far, also events that are added while their slot is the current one. */
TEST(Calendar, IsInOrderWhateverIsAddedMeanwhile)
{
    Calendar calendar;
    std::vector<Time> got;
    uint64_t draws = 0;
    const auto later = [&](Time now, uint64_t bound) {
        return now + random(3, 1, draws++) % bound;
    };

    for (int i = 0; i < 200; i++)
        calendar.add(event(later(0, 1'000'000'000), static_cast<uint32_t>(i)));
    for (Event e; calendar.next(2'000'000'000'000, e);) {
        got.push_back(e.at);
        if (draws < 5000) {
            calendar.add(event(later(e.at, 3'000), 1000));
            calendar.add(event(later(e.at, 1'000'000'000), 1001));
        }
    }
    EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
    EXPECT_EQ(got.size(), draws);
}

TEST(Calendar, LeavesWhatIsNotBeforeTheEnd)
{
    Calendar calendar;

    calendar.add(event(1000));
    calendar.add(event(1001));
    EXPECT_EQ(drain(calendar, 1001).size(), 1u);
    calendar.add(event(1000, 7));
    EXPECT_EQ(drain(calendar, 1001).size(), 1u) << "added to a slot that is open";
    EXPECT_EQ(drain(calendar, 1002).size(), 1u);
    EXPECT_EQ(calendar.earliest(), never);
}

TEST(Calendar, KnowsNoEventToBeBeforeTheEarliest)
{
    Calendar calendar;

    EXPECT_EQ(calendar.earliest(), never);
    calendar.add(event(9'000'000'000'000));
    EXPECT_EQ(calendar.earliest(), 9'000'000'000'000u);
    calendar.add(event(5'000'000));
    EXPECT_LE(calendar.earliest(), 5'000'000u);
    EXPECT_GT(calendar.earliest(), 4'900'000u);
}

} // namespace
