// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/result.h"
#include "mrcnl/types.h"

#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

namespace mrcnl::types_test
{
namespace
{

TEST(Address, ParsesAndPrints)
{
    EXPECT_EQ(Address::parse("FD00:0:0::1")->text(), "fd00::1");
    EXPECT_EQ(Address::parse("::")->text(), "::");
    EXPECT_TRUE(Address::parse("::")->unspecified());
    for (const char *bad : {"", "fd00::1/64", "10.0.0.1", "fd00::1%eth0", " fd00::1", "fd00::g"})
        EXPECT_FALSE(Address::parse(bad)) << bad;
}

TEST(Prefix, ParsesAndPrints)
{
    EXPECT_EQ(Prefix::parse("fd00::/64")->text(), "fd00::/64");
    EXPECT_EQ(Prefix::parse("fd00::1")->length, 128);
    EXPECT_EQ(Prefix::parse("::/0")->length, 0);
    for (const char *bad : {"fd00::/129", "fd00::/", "fd00::/x", "fd00::/6 4", "fd00::/-1", "/64",
                            "fd00::/18446744073709551680"})
        EXPECT_FALSE(Prefix::parse(bad)) << bad;
}

TEST(Names, EachStateHasALetterOfItsOwn)
{
    std::string letters;

    for (const EvState state : {EvState::good, EvState::skip, EvState::held, EvState::assumed_bad,
                                EvState::denied, static_cast<EvState>(32)})
        letters += letter_of(state, false);
    EXPECT_EQ(letters, "GSHBD?");
    EXPECT_EQ(letter_of(EvState::good, true), 'R');
}

TEST(Names, OwnersWithoutOneAreNumbers)
{
    EXPECT_EQ(owner_name(0), "none");
    EXPECT_EQ(owner_name(3), "mrcd");
    EXPECT_EQ(owner_name(5), "5");
    EXPECT_EQ(owner_name(255), "255");
    for (size_t i = 0; i < owner_names().size(); i++)
        EXPECT_EQ(owner_name(static_cast<uint8_t>(i)), owner_names()[i]);
}

TEST(Names, UnknownNumbersAreNamedSo)
{
    EXPECT_STREQ(to_string(EvFormat::udp), "udp");
    EXPECT_STREQ(to_string(static_cast<EvFormat>(3)), "unknown");
    EXPECT_STREQ(to_string(EvState::assumed_bad), "assumed-bad");
    EXPECT_STREQ(to_string(static_cast<EvState>(3)), "unknown");
    EXPECT_STREQ(to_string(QpState::err), "err");
    EXPECT_STREQ(to_string(static_cast<QpState>(200)), "unknown");
    EXPECT_EQ(parse_ev_format("srv6"), EvFormat::srv6);
    EXPECT_FALSE(parse_ev_format("srv"));
}

TEST(Event, EachIsOfADevice)
{
    const DeviceRef mrc1{1, "mrc1"};

    EXPECT_EQ(device_of(Overrun{}), nullptr);
    for (const Event &event :
         {Event(DeviceEvent{mrc1}), Event(PlaneEvent{{mrc1}}), Event(PeerEvEvent{mrc1}),
          Event(PeerPortsEvent{mrc1}), Event(QpEvent{mrc1}), Event(SettingsEvent{mrc1}),
          Event(ConfigEvent<EvProfile>{{mrc1}}), Event(EvEvent{{mrc1}}),
          Event(ConfigEvent<CcProfile>{{mrc1}}), Event(ConfigEvent<Route>{{mrc1}})}) {
        ASSERT_TRUE(device_of(event)) << event.index();
        EXPECT_EQ(device_of(event)->name, "mrc1") << event.index();
    }
}

TEST(Error, SaysWhatTheKernelSaid)
{
    EXPECT_EQ((Error{EEXIST, "mrc: EV profile exists", "id"}.message()), "EV profile exists (id)");
    EXPECT_EQ((Error{ENODEV, "", ""}.message()), strerror(ENODEV));
}

} // namespace
} // namespace mrcnl::types_test
