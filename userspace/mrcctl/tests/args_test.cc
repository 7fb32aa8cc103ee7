// SPDX-License-Identifier: GPL-2.0-only
#include "args.h"

#include <gtest/gtest.h>

namespace mrcctl::args_test
{
namespace
{

using mrcnl::fraction_text;
using mrcnl::quantity_text;
using mrcnl::rate_units;
using mrcnl::time_units;

constexpr const char *nouns[] = {"device", "ev", "ev-profile", "peer", "plane"};

/** The message of the UsageError that a call throws; "" when it does not. */
template <typename Call>
std::string usage_error(Call call)
{
    try {
        call();
    } catch (const UsageError &e) {
        return e.what();
    }
    return {};
}

TEST(Match, TakesUnambiguousAbbreviations)
{
    EXPECT_EQ(match("d", nouns, "object"), 0u);
    EXPECT_EQ(match("ev", nouns, "object"), 1u);
    EXPECT_EQ(match("ev-", nouns, "object"), 2u);
    EXPECT_EQ(match("pl", nouns, "object"), 4u);
}

TEST(Match, SaysWhatIsWrong)
{
    EXPECT_EQ(usage_error([] { match("p", nouns, "object"); }),
              "object 'p' is ambiguous: peer, plane");
    EXPECT_EQ(usage_error([] { match("e", nouns, "object"); }),
              "object 'e' is ambiguous: ev, ev-profile");
    EXPECT_EQ(usage_error([] { match("planes", nouns, "object"); }), "unknown object 'planes'");
    EXPECT_EQ(usage_error([] { match("", nouns, "object"); }), "unknown object ''");
}

uint64_t number(const char *text, uint64_t min, uint64_t max)
{
    return Args({text}).take_number("n", min, max);
}

TEST(Number, DecimalAndHexadecimal)
{
    EXPECT_EQ(number("0", 0, 9), 0u);
    EXPECT_EQ(number("0x1F", 0, 99), 31u);
    EXPECT_EQ(number("010", 0, 99), 10u);
    EXPECT_EQ(number("18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
    EXPECT_EQ(number("0xffffffffffffffff", 0, UINT64_MAX), UINT64_MAX);
}

TEST(Number, NothingElse)
{
    for (const char *bad : {"", "-1", "+1", "1x", "0x", "0xg", "1 ", " 1", "1.0", "ten", "--"})
        EXPECT_NE(usage_error([&] { number(bad, 0, UINT64_MAX); }), "") << bad;
    EXPECT_EQ(usage_error([] { number("33", 1, 32); }), "n must be 1 to 32, not 33");
    EXPECT_EQ(usage_error([] { number("0", 1, 32); }), "n must be 1 to 32, not 0");
    EXPECT_EQ(usage_error([] { number("18446744073709551616", 0, UINT64_MAX); }),
              "n must be 0 to 18446744073709551615, not 18446744073709551616");
}

TEST(Split, KeepsEmptyParts)
{
    EXPECT_EQ(split("a,b", ','), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(split("a,,", ','), (std::vector<std::string>{"a", "", ""}));
    EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

TEST(Args, ExpectsKeywords)
{
    Args args({"po", "x"});

    args.expect("port");
    EXPECT_EQ(usage_error([&] { args.expect("netdev"); }), "'netdev' expected, not 'x'");
    EXPECT_EQ(usage_error([&] { args.finish(); }), "unexpected argument 'x'");
    EXPECT_EQ(args.take("thing"), "x");
    EXPECT_EQ(usage_error([&] { args.expect("netdev"); }), "'netdev' is missing");
    EXPECT_EQ(usage_error([&] { (void)args.take("netdev"); }), "netdev is missing");
    args.finish();
}

TEST(Args, OnOff)
{
    EXPECT_TRUE(Args({"on"}).take_on_off("icrc"));
    EXPECT_FALSE(Args({"off"}).take_on_off("icrc"));
    EXPECT_EQ(usage_error([] { Args({"o"}).take_on_off("icrc"); }),
              "icrc must be on or off, not 'o'");
}

uint64_t seconds(const char *text)
{
    return Args({text}).take_seconds("n", 0.1, 100);
}

TEST(Args, Seconds)
{
    EXPECT_EQ(seconds("100"), 100'000'000'000u);
    EXPECT_EQ(seconds("0.1"), 100'000'000u);
    EXPECT_EQ(seconds("1.25"), 1'250'000'000u);
    for (const char *bad : {"", "x", "1x", "1 ", " 1", "+1", "1e1", "nan", "0x1", "1,5"})
        EXPECT_EQ(usage_error([&] { seconds(bad); }),
                  std::string("n: '") + bad + "' is not a number");
    for (const char *bad : {"0", "0.09", "-1", "101", "inf", "-inf"})
        EXPECT_EQ(usage_error([&] { seconds(bad); }),
                  std::string("n must be 0.1 to 100 seconds, not ") + bad);
}

uint64_t time(const char *text)
{
    return Args({text}).take_time("n", 1, 10'000'000'000);
}

TEST(Args, TimeWithItsUnit)
{
    EXPECT_EQ(time("1ns"), 1u);
    EXPECT_EQ(time("500us"), 500'000u);
    EXPECT_EQ(time("1.5ms"), 1'500'000u);
    EXPECT_EQ(time("10s"), 10'000'000'000u);
    for (const char *bad : {"", "x", "5", "5 ms", " 5ms", "1m", "1e3s", "nans", "ms", "5msx"})
        EXPECT_EQ(usage_error([&] { time(bad); }),
                  std::string("n: '") + bad + "' is not a time like 500us, 2ms or 1s");
    for (const char *bad : {"0s", "0.4ns", "-1ms", "10.1s", "infs"})
        EXPECT_EQ(usage_error([&] { time(bad); }),
                  std::string("n must be 1ns to 10000000000ns, not ") + bad);
}

uint64_t rate(const char *text)
{
    return Args({text}).take_rate("n", 1, 1'000'000'000'000);
}

TEST(Args, RateWithItsUnit)
{
    EXPECT_EQ(rate("8bit"), 1u);
    EXPECT_EQ(rate("12kbit"), 1'500u);
    EXPECT_EQ(rate("2.5mbit"), 312'500u);
    EXPECT_EQ(rate("400gbit"), 50'000'000'000u);
    EXPECT_EQ(rate("8tbit"), 1'000'000'000'000u);
    for (const char *bad : {"", "x", "5", "5 gbit", "1e3bit", "gbit", "1gbps", "1Gbit"})
        EXPECT_EQ(usage_error([&] { rate(bad); }),
                  std::string("n: '") + bad + "' is not a rate like 400gbit or 2500mbit");
    for (const char *bad : {"0gbit", "3bit", "-1gbit", "9tbit", "infbit"})
        EXPECT_EQ(usage_error([&] { rate(bad); }),
                  std::string("n must be 8bit to 8000000000000bit, not ") + bad);
}

uint64_t fraction(const char *text)
{
    return Args({text}).take_fraction("n", 0, 64'000'000);
}

TEST(Args, Fraction)
{
    EXPECT_EQ(fraction("0"), 0u);
    EXPECT_EQ(fraction("0.8"), 800'000u);
    EXPECT_EQ(fraction("0.000001"), 1u);
    EXPECT_EQ(fraction("64"), 64'000'000u);
    for (const char *bad : {"", "x", "0.8x", " 1", "1e1", "nan"})
        EXPECT_EQ(usage_error([&] { fraction(bad); }),
                  std::string("n: '") + bad + "' is not a number");
    for (const char *bad : {"64.1", "-1", "inf"})
        EXPECT_EQ(usage_error([&] { fraction(bad); }),
                  std::string("n must be 0 to 64, not ") + bad);
}

/** Quantities that are shown can be read again. */
TEST(Args, QuantitiesAsTheyAreShown)
{
    for (const uint64_t value : {1u, 999u, 1'000u, 12'345u, 1'500'000u, 2'000'000'000u}) {
        EXPECT_EQ(time(quantity_text(value, time_units).c_str()), value);
        EXPECT_EQ(rate(quantity_text(value, rate_units).c_str()), value);
    }
    EXPECT_EQ(quantity_text(12'000, time_units), "12us");
    EXPECT_EQ(quantity_text(12'500, time_units), "12500ns");
    EXPECT_EQ(quantity_text(0, time_units), "0ns");
    EXPECT_EQ(quantity_text(50'000'000'000, rate_units), "400gbit");
    EXPECT_EQ(quantity_text(312'500'000, rate_units), "2500mbit");
    EXPECT_EQ(quantity_text(1, rate_units), "8bit");
    for (const uint64_t value : {0u, 1u, 800'000u, 1'000'000u, 10'000'000u, 12'300'004u})
        EXPECT_EQ(fraction(fraction_text(value).c_str()), value);
    EXPECT_EQ(fraction_text(800'000), "0.8");
    EXPECT_EQ(fraction_text(10'000'000), "10");
    EXPECT_EQ(fraction_text(12'300'004), "12.300004");
}

} // namespace
} // namespace mrcctl::args_test
