// SPDX-License-Identifier: GPL-2.0-only
//
// Faults in fabrics that are none: what is named, when, and what is denied for it.

#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "fabrics.h"
#include "watch/fault_finder.h"

namespace mrcd::test::fault_finder_test
{
namespace
{

using Kind = Element::Kind;

constexpr uint64_t ms = 1'000'000;
constexpr uint64_t second = 1000 * ms;
constexpr uint64_t step = 2 * ms;

/** Forwards probes by uSIDs as switches do, except over broken elements. */
class SimulatedFabric : public ProbeSender
{
public:
    explicit SimulatedFabric(const Fabric &fabric, uint64_t seed = 1)
        : fabric_(fabric), random_(seed), watch_(fabric, seed)
    {
        const Host &self = fabric.hosts[fabric.local.host];
        for (uint32_t i = 0; i < fabric.t0.size(); i++)
            nodes_[fabric.t0[i].usid] = {Kind::t0, i};
        for (uint32_t i = 0; i < fabric.t1.size(); i++)
            nodes_[fabric.t1[i].usid] = {Kind::t1, i};
        home_ = self.usid;
    }

    void send(const ProbeLoop &loop, const LoopProbe &probe) override
    {
        (probe.bytes == short_probe_bytes ? sent_ : sent_long_)++;
        const unsigned loss = lossy_plane && loop.plane != lossy_plane ? 0 : loss_per_mille;
        if (comes_back(loop, probe.bytes) && random_() % 1000 >= loss)
            coming_.push_back({now_ + rtt, probe});
    }
    bool carrier(uint8_t plane) override { return !no_carrier.contains(plane); }
    uint16_t data_bytes() override { return data; }
    void ask(uint8_t plane) override
    {
        if (!broken.contains({Kind::host_link, plane, own_t0(fabric_, plane), 0}))
            answers_.emplace_back(now_ + answer_after, plane);
    }

    void run(uint64_t ns)
    {
        for (const uint64_t end = now_ + ns; now_ < end; now_ += step) {
            for (; !coming_.empty() && coming_.front().at <= now_; coming_.pop_front())
                watch_.answered(coming_.front().probe, coming_.front().at);
            for (; !answers_.empty() && answers_.front().first <= now_; answers_.pop_front())
                watch_.neighbor_answered(answers_.front().second);
            if (now_ < due_)
                continue;
            due_ = watch_.tick(now_, *this);
            for (const Fault &fault : watch_.faults()) {
                ever.insert(fault.finding.element);
                causes.insert(fault.finding.cause);
            }
            denied_always &= watch_.denials() != Denials{};
        }
    }

    /** The host stands still. Answers that arrive meanwhile keep their arrival times. */
    void stand_still(uint64_t ns) { now_ += ns; }

    bool knows() const { return watch_.knows(now_); }

    std::vector<std::string> named() const
    {
        std::vector<std::string> names;

        for (const Fault &fault : watch_.faults())
            names.push_back((fault.denied ? "" : "(") + to_string(fabric_, fault.finding.element) +
                            (fault.denied ? "" : ")"));
        std::sort(names.begin(), names.end());
        return names;
    }

    std::set<Element> elements() const
    {
        std::set<Element> found;

        for (const Fault &fault : watch_.faults())
            found.insert(fault.finding.element);
        return found;
    }

    const FaultFinder &watch() const { return watch_; }
    void recall(const std::vector<Fault> &faults) { watch_.recall(faults, now_); }
    void set_denied(const Denials &denied) { watch_.set_denied(denied); }
    uint64_t sent() const { return sent_; }
    uint64_t sent_long() const { return sent_long_; }

    std::set<Element> broken; ///< a broken trunk may be one of any T0
    std::set<Element> broken_before;
    std::set<Element> ever; ///< elements that were named at any moment
    std::set<Cause> causes;
    bool denied_always = true;                ///< at least one element was denied at all times
    std::map<Element, uint16_t> passes_bytes; ///< limits of links that do not pass all lengths
    uint16_t data = 4228;
    std::set<uint8_t> no_carrier;
    uint64_t rtt = step;
    uint64_t answer_after = 0; ///< for T0s that are asked themselves
    unsigned loss_per_mille = 0;
    uint8_t lossy_plane = 0; ///< 0: all planes

private:
    struct Coming {
        uint64_t at;
        LoopProbe probe;
    };
    struct Node {
        Kind kind = Kind::t0;
        uint32_t index = 0;
    };

    bool comes_back(const ProbeLoop &loop, uint16_t bytes) const;
    bool passes(const Node &from, const Node &to, uint16_t bytes) const;
    bool has_room(const Element &link, uint16_t bytes) const
    {
        const auto found = passes_bytes.find(link);
        return found == passes_bytes.end() || bytes <= found->second;
    }

    const Fabric fabric_;
    std::mt19937_64 random_;
    std::map<uint16_t, Node> nodes_;
    uint16_t home_ = 0;
    std::deque<Coming> coming_;
    std::deque<std::pair<uint64_t, uint8_t>> answers_; ///< time and plane of each answer
    uint64_t now_ = second;
    uint64_t due_ = 0;
    uint64_t sent_ = 0;
    uint64_t sent_long_ = 0;
    FaultFinder watch_;
};

/** Can a packet pass from node to node? Both nodes and the link must live. */
bool SimulatedFabric::passes(const Node &from, const Node &to, uint16_t bytes) const
{
    const Node &t0 = from.kind == Kind::t0 ? from : to;
    const Node &t1 = from.kind == Kind::t0 ? to : from;
    const uint8_t plane = fabric_.t0[t0.index].plane;

    return t1.kind == Kind::t1 && plane == fabric_.t1[t1.index].plane &&
           !fabric_.missing.contains({t0.index, t1.index}) &&
           !broken.contains({Kind::trunk, plane, t0.index, t1.index}) &&
           has_room({Kind::trunk, plane, t0.index, t1.index}, bytes) &&
           !broken.contains({Kind::t1, plane, 0, t1.index}) &&
           !broken.contains({Kind::t0, plane, t0.index, 0});
}

bool SimulatedFabric::comes_back(const ProbeLoop &loop, uint16_t bytes) const
{
    const uint32_t own = own_t0(fabric_, loop.plane);
    std::vector<Node> way;

    if (no_carrier.contains(loop.plane) || broken.contains({Kind::host_link, loop.plane, own, 0}) ||
        broken.contains({Kind::t0, loop.plane, own, 0}) ||
        !has_room({Kind::host_link, loop.plane, own, 0}, bytes))
        return false;
    for (const mrcnl::Address &carrier : loop.carriers) {
        for (size_t i = 4; i < carrier.bytes.size(); i += 2) {
            const auto usid = static_cast<uint16_t>(carrier.bytes[i] << 8 | carrier.bytes[i + 1]);
            if (usid && usid != home_)
                way.push_back(nodes_.at(usid));
        }
    }
    EXPECT_TRUE(!way.empty() && way.front().index == own && way.front().kind == Kind::t0);
    for (size_t i = 1; i < way.size(); i++)
        if (!passes(way[i - 1], way[i], bytes))
            return false;
    return way.back().kind == Kind::t0 && way.back().index == own;
}

/** All elements that loops of this host can pass. */
std::vector<Element> elements_of(const Fabric &fabric)
{
    std::vector<Element> all;

    for (uint8_t plane = 1; plane <= fabric.planes; plane++) {
        const uint32_t t0 = own_t0(fabric, plane);
        all.push_back({Kind::host_link, plane, t0, 0});
        all.push_back({Kind::t0, plane, t0, 0});
        for (const uint32_t t1 : own_t1s(fabric, plane)) {
            all.push_back({Kind::trunk, plane, t0, t1});
            all.push_back({Kind::t1, plane, 0, t1});
        }
    }
    return all;
}

TEST(FaultFinder, AllIsWell)
{
    SimulatedFabric simulated(fabric_of(large_file(4, 2, 2, 4)));

    simulated.loss_per_mille = 20;
    simulated.run(120 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{});
    // 2 planes of 1 + 4 loops, 10 a second each
    EXPECT_NEAR(static_cast<double>(simulated.sent()), 12000, 600);
    EXPECT_NEAR(static_cast<double>(simulated.sent_long()), 1200, 200) << "one a second and loop";
    for (const LoopReport &loop : simulated.watch().loops())
        EXPECT_EQ(loop.history->srtt_ns(), simulated.rtt);
}

TEST(FaultFinder, EachSingleFaultIsNamedWithinASecondAndReadmitted)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));

    for (const Element &element : elements_of(fabric)) {
        const std::string name = to_string(fabric, element);
        for (uint64_t seed = 1; seed <= 5; seed++) {
            SimulatedFabric simulated(fabric, seed);
            simulated.run(second);
            simulated.broken = {element};
            simulated.run(second);
            ASSERT_EQ(simulated.named(), std::vector<std::string>{name});
            EXPECT_GE(simulated.watch().faults()[0].lost, 4u) << name;
            EXPECT_LE(simulated.watch().faults()[0].lost, 10u) << name;
            simulated.run(10 * second);
            EXPECT_EQ(simulated.named(), std::vector<std::string>{name}) << "and stays";
            simulated.broken.clear();
            simulated.run(second);
            EXPECT_EQ(simulated.named(), std::vector<std::string>{name}) << "not at once";
            simulated.run(3 * second);
            EXPECT_EQ(simulated.named(), std::vector<std::string>{});
            EXPECT_EQ(simulated.ever, std::set<Element>{element}) << "nothing else meanwhile";
        }
    }
}

/**
 * With many links, and few or many probes, no other element is named when one fails or comes back.
 */
TEST(FaultFinder, NothingElseIsNamedInLargeFabricsAtAnyRate)
{
    const std::string file = large_file(4, 2, 2, 64);

    for (const int rate : {1, 10, 100}) {
        const Fabric fabric = fabric_of(file + "[watch]\nrate = " + std::to_string(rate) + "\n");
        const uint64_t while_ns = 30 * second / static_cast<uint64_t>(rate);
        for (const Element &element : {elements_of(fabric)[0], elements_of(fabric)[1],
                                       elements_of(fabric)[2], elements_of(fabric)[3]}) {
            SimulatedFabric simulated(fabric, 3);
            simulated.run(while_ns);
            simulated.broken = {element};
            simulated.run(while_ns);
            EXPECT_EQ(simulated.elements(), std::set<Element>{element}) << rate;
            simulated.broken.clear();
            simulated.run(while_ns);
            EXPECT_EQ(simulated.elements(), std::set<Element>{}) << rate;
            EXPECT_EQ(simulated.ever, std::set<Element>{element}) << rate;
        }
    }
}

std::string timers(int lost_after, int dead_after, int alive_after)
{
    return "[watch]\nlost-after = " + std::to_string(lost_after) +
           "\ndead-after = " + std::to_string(dead_after) +
           "\nalive-after = " + std::to_string(alive_after) + "\n";
}

/** With the fastest and the slowest timers, the right element is named. */
TEST(FaultFinder, NothingElseIsNamedWhateverTheTimers)
{
    const std::string file = large_file(4, 2, 2, 16);

    for (const std::string &watch :
         {timers(10, 2, 1), timers(1000, 2, 1), timers(10, 10, 100), timers(1000, 10, 100)}) {
        const Fabric fabric = fabric_of(file + watch);
        for (uint64_t i = 0; i < 4; i++) {
            const Element element = elements_of(fabric)[i];
            for (uint64_t seed = 1; seed <= 3; seed++) {
                SimulatedFabric simulated(fabric, seed);
                simulated.run(2 * second);
                simulated.broken = {element};
                simulated.run(6 * second);
                EXPECT_EQ(simulated.elements(), std::set<Element>{element}) << watch;
                simulated.broken.clear();
                simulated.run(15 * second);
                EXPECT_EQ(simulated.elements(), std::set<Element>{}) << watch;
                EXPECT_EQ(simulated.ever, std::set<Element>{element}) << watch;
            }
        }
    }
}

TEST(FaultFinder, AProbeIsLostAfterTheTimeThatTheFileSays)
{
    const std::string file = large_file(2, 2, 2, 2);

    for (const int lost_after : {50, 70}) {
        SimulatedFabric simulated(fabric_of(file + timers(lost_after, 4, 20)));
        simulated.rtt = 60 * ms;
        simulated.run(2 * second);
        EXPECT_EQ(simulated.named().empty(), lost_after > 60) << lost_after;
    }
}

/** A loop dies after this many losses in a row, and lives after this many answers in a row. */
TEST(FaultFinder, LoopsDieAndReviveAfterAsManyProbesAsTheFileSays)
{
    for (const auto &[dead_after, alive_after] : {std::pair{2, 1}, {4, 20}, {10, 100}}) {
        LoopHistory loop(fabric_of(small_file + timers(50, dead_after, alive_after)).watch);
        uint64_t now = second;
        const auto until = [&](Verdict wanted, auto each) {
            int probes = 0;
            for (; loop.verdict() != wanted; probes++)
                each();
            return probes;
        };
        const auto answer = [&] { loop.answered(now += 100 * ms, ms); };
        const auto lose = [&] { loop.lost(now += 100 * ms); };

        for (int i = 0; i < 20; i++)
            answer();
        EXPECT_EQ(until(Verdict::dead, lose), dead_after);
        EXPECT_EQ(until(Verdict::alive, answer), alive_after);
        for (int times = 2; times <= 16; times *= 2) {
            until(Verdict::dead, lose);
            EXPECT_EQ(until(Verdict::alive, answer), std::min(times, 8) * alive_after);
        }
    }
}

TEST(FaultFinder, RttsOfTheLastProbesAreKept)
{
    LoopHistory loop{Watching{}};

    EXPECT_EQ(loop.rtt_spread().max, 0u);
    loop.lost(second);
    EXPECT_EQ(loop.rtt_spread().max, 0u) << "lost ones have none";
    for (const uint64_t rtt : {uint64_t{50}, uint64_t{0}, 7 * second, 2 * ms, 3 * ms})
        loop.answered(second, rtt);
    EXPECT_EQ(loop.recent_rtts(), (std::vector<uint32_t>{0, 50, 1, UINT32_MAX, 2 * ms, 3 * ms}));
    EXPECT_EQ(loop.rtt_spread().min, 1u);
    EXPECT_EQ(loop.rtt_spread().median, 2 * ms);
    EXPECT_EQ(loop.rtt_spread().max, UINT32_MAX);
    EXPECT_EQ(loop.recent_lost(), 1u);
    for (uint64_t i = 1; i <= 150; i++)
        loop.answered(second, i);
    EXPECT_EQ(loop.recent_rtts().size(), LoopHistory::kept);
    EXPECT_EQ(loop.recent_rtts().front(), 51u);
    EXPECT_EQ(loop.rtt_spread().median, 101u);
    EXPECT_EQ(loop.recent_lost(), 0u);
}

/** Only broken elements are named, and they explain all that is seen. */
TEST(FaultFinder, NoHealthyElementIsNamedWhenTwoAreBroken)
{
    const Fabric fabric = fabric_of(large_file(5, 2, 2, 4));
    const std::vector<Element> all = elements_of(fabric);

    for (size_t i = 0; i < all.size(); i++) {
        for (size_t j = i + 1; j < all.size(); j++) {
            SimulatedFabric simulated(fabric, i * all.size() + j);
            simulated.run(second);
            simulated.broken = {all[i], all[j]};
            simulated.run(2 * second);
            EXPECT_FALSE(simulated.elements().empty());
            simulated.broken_before = simulated.broken;
            simulated.broken.clear();
            simulated.run(5 * second);
            EXPECT_TRUE(simulated.elements().empty());
            for (const Element &named : simulated.ever)
                EXPECT_TRUE(simulated.broken_before.contains(named))
                    << to_string(fabric, named) << " for " << to_string(fabric, all[i]) << " and "
                    << to_string(fabric, all[j]);
        }
    }
}

/** Faults in other racks concern other hosts. */
TEST(FaultFinder, FaultsThatNoLoopPassesAreNotNamed)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));
    SimulatedFabric simulated(fabric);

    simulated.broken = {{Kind::t0, 1, 2, 0}, {Kind::trunk, 2, 5, 4}};
    simulated.run(10 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{});
    simulated.broken.insert({Kind::t1, 1, 0, 1});
    simulated.run(second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{"p1t1s2"}) << "by the ways that work";
}

TEST(FaultFinder, AnyNumberOfRandomFaultsEmptiesNoPlaneAndNotAllOfThem)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 3, 8));
    const std::vector<Element> all = elements_of(fabric);
    std::mt19937_64 random(7);

    for (int round = 0; round < 100; round++) {
        SimulatedFabric simulated(fabric, random());
        simulated.run(second);
        for (size_t n = random() % all.size(); n > 0; n--)
            simulated.broken.insert(all[random() % all.size()]);
        simulated.run(2 * second);
        const Denials denials = simulated.watch().denials();
        EXPECT_LT(denials.t0.size(), fabric.planes);
        std::map<uint8_t, size_t> gone;
        for (const uint32_t t1 : denials.t1)
            gone[fabric.t1[t1].plane]++;
        for (const auto &[t0, t1] : denials.trunks)
            gone[fabric.t1[t1].plane]++;
        for (const auto &[plane, count] : gone)
            EXPECT_LE(count, 6u) << "a quarter of 8 stays";
    }
}

TEST(FaultFinder, NoCarrierIsTheHostsLinkAtOnce)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 2));
    SimulatedFabric simulated(fabric);

    simulated.run(second);
    simulated.no_carrier = {2};
    simulated.run(150 * ms);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{"h0-p2t0r1"});
    EXPECT_EQ(simulated.watch().faults()[0].finding.evidence, "no carrier");
    simulated.run(5 * second);
    simulated.no_carrier.clear();
    simulated.run(second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{"h0-p2t0r1"}) << "has to prove itself";
    simulated.run(3 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{});
    EXPECT_EQ(simulated.ever.size(), 1u) << "and nothing else";
}

/** A starting switch has carrier long before it forwards, and may never forward. */
TEST(FaultFinder, CarrierThatIsBackIsNoProofOfTheT0)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 2));
    const Element t0{Kind::t0, 1, own_t0(fabric, 1), 0};
    SimulatedFabric simulated(fabric);

    simulated.run(second);
    simulated.no_carrier = {1};
    simulated.broken = {t0};
    simulated.run(2 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{"h0-p1t0r1"});
    simulated.no_carrier.clear();
    simulated.run(2 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{"h0-p1t0r1"}) << "it gets some time";
    simulated.run(2 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{"p1t0r1"});
    simulated.broken.clear();
    simulated.run(4 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{});
    EXPECT_EQ(simulated.ever.size(), 2u);
}

/** The moment is shorter than the time in which a loop dies. */
TEST(FaultFinder, CarrierThatIsGoneForAMomentCostsAsMuch)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 2));
    SimulatedFabric simulated(fabric);

    simulated.run(second);
    simulated.no_carrier = {1};
    simulated.run(150 * ms);
    simulated.no_carrier.clear();
    simulated.run(second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{"h0-p1t0r1"});
    simulated.run(3 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{});
}

TEST(FaultFinder, WithOneT1ThereIsNoWayPastTheLinkToIt)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 1));
    SimulatedFabric simulated(fabric);

    simulated.run(second);
    simulated.broken = {{Kind::t1, 1, 0, 0}};
    simulated.run(second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{"(p1t0r1-p1t1s1)"})
        << "named, but the plane's only way stays";
    EXPECT_EQ(simulated.watch().faults()[0].finding.evidence,
              "no probe comes back over the link; no path around it, so it may also be the T1");
}

TEST(FaultFinder, OneRackNeedsNoT1)
{
    SimulatedFabric simulated(fabric_of(large_file(1, 4, 2, 2)));

    simulated.run(10 * second);
    EXPECT_EQ(simulated.watch().loops().size(), 2u);
}

/** All loops over the link lose equally, so the elements behind it are not blamed. */
TEST(FaultFinder, ALossyLinkOfTheHostIsNothingElse)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));
    const uint32_t t0 = own_t0(fabric, 1);
    const std::set<Element> plane = {{Kind::host_link, 1, t0, 0}, {Kind::t0, 1, t0, 0}};

    for (const unsigned loss : {100u, 300u, 500u, 700u}) {
        for (uint64_t seed = 1; seed <= 10; seed++) {
            SimulatedFabric simulated(fabric, seed);
            simulated.run(5 * second);
            simulated.lossy_plane = 1;
            simulated.loss_per_mille = loss;
            simulated.run(60 * second);
            EXPECT_TRUE(loss < 500 || simulated.elements().size() == 1) << loss << " " << seed;
            simulated.loss_per_mille = 0;
            simulated.run(40 * second);
            EXPECT_EQ(simulated.named(), std::vector<std::string>{});
            EXPECT_TRUE(std::includes(plane.begin(), plane.end(), simulated.ever.begin(),
                                      simulated.ever.end()))
                << loss << " " << seed;
        }
    }
}

/** Denials by the file count, too. */
TEST(FaultFinder, TheFloorHoldsWithWhatTheFileDenies)
{
    const std::string file = large_file(2, 2, 2, 4);
    SimulatedFabric planes(fabric_of(file + "[deny]\nswitches = [\"p1t0r1\"]\n"));
    SimulatedFabric spines(
        fabric_of(file + "[deny]\nswitches = [\"p1t1s1\", \"p1t1s2\", \"p1t1s3\"]\n"));

    planes.run(second);
    planes.no_carrier = {2};
    planes.run(second);
    EXPECT_EQ(planes.named(), std::vector<std::string>{"(h0-p2t0r1)"});
    planes.set_denied({});
    planes.run(second);
    EXPECT_EQ(planes.named(), std::vector<std::string>{"h0-p2t0r1"}) << "as soon as it does not";
    spines.run(second);
    spines.broken = {{Kind::t1, 1, 0, 3}};
    spines.run(second);
    EXPECT_EQ(spines.named(), std::vector<std::string>{"(p1t1s4)"});
}

TEST(FaultFinder, WhatFlapsStaysOutLonger)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 2));
    SimulatedFabric simulated(fabric);
    uint64_t back[3] = {};

    for (uint64_t &ns : back) {
        simulated.broken = {{Kind::host_link, 1, own_t0(fabric, 1), 0}};
        simulated.run(2 * second);
        simulated.broken.clear();
        for (; !simulated.named().empty(); ns += 100 * ms)
            simulated.run(100 * ms);
    }
    EXPECT_GT(back[1], back[0] * 3 / 2);
    EXPECT_GT(back[2], back[1] * 3 / 2);
}

/** Answers that are late, doubled or invented. */
TEST(FaultFinder, AnswersThatNobodyWaitsForChangeNothing)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 2));
    SimulatedFabric simulated(fabric);

    simulated.rtt = 60 * ms;
    simulated.run(2 * second);
    EXPECT_EQ(simulated.watch().faults().size(), 2u) << "too late is lost";
    FaultFinder watch(fabric, 1);
    watch.answered({0, 1}, second);
    watch.answered({1, 99}, second);
    watch.answered({UINT32_MAX, 1}, second);
    watch.answered({1, 1, 4228}, second);
    watch.neighbor_answered(0);
    watch.neighbor_answered(200);
    for (const LoopReport &loop : watch.loops())
        EXPECT_EQ(loop.history->sent(), 0u);
}

TEST(FaultFinder, AT0ThatAnswersLateIsNamedInTheEnd)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 2));
    SimulatedFabric simulated(fabric);
    const Element t0{Kind::t0, 1, own_t0(fabric, 1), 0};

    simulated.answer_after = 600 * ms;
    simulated.run(2 * second);
    simulated.broken = {t0};
    simulated.run(2 * second);
    EXPECT_EQ(simulated.elements(), std::set<Element>{t0});
}

TEST(FaultFinder, AHostThatStandsStillNamesNothingElse)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 4));
    const Element t1{Kind::t1, 1, 0, own_t1s(fabric, 1).front()};

    for (const uint64_t when : {200, 400, 420, 440, 460, 500, 600}) {
        SimulatedFabric simulated(fabric);
        simulated.run(2 * second);
        simulated.broken = {t1};
        simulated.run(when * ms);
        simulated.stand_still(400 * ms);
        simulated.run(2 * second);
        EXPECT_EQ(simulated.elements(), std::set<Element>{t1}) << when;
    }
}

/** The links that loops of this host can pass. */
std::vector<Element> links_of(const Fabric &fabric)
{
    std::vector<Element> links = elements_of(fabric);

    std::erase_if(links, [](const Element &element) {
        return element.kind == Kind::t0 || element.kind == Kind::t1;
    });
    return links;
}

TEST(FaultFinder, AHoleForDataIsNamedAsOneAndReadmitted)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));

    for (const Element &link : links_of(fabric)) {
        const std::string name = to_string(fabric, link);
        for (uint64_t seed = 1; seed <= 5; seed++) {
            SimulatedFabric simulated(fabric, seed);
            simulated.run(3 * second);
            simulated.passes_bytes = {{link, 1500}};
            simulated.run(3 * second);
            ASSERT_EQ(simulated.named(), std::vector<std::string>{name});
            const Fault &fault = simulated.watch().faults()[0];
            EXPECT_EQ(fault.finding.evidence, "passes 76 bytes, loses 4228");
            EXPECT_EQ(fault.finding.cause, Cause::mtu);
            EXPECT_GE(fault.lost, 4u) << name;
            EXPECT_LE(fault.lost, 6u) << name;
            simulated.run(20 * second);
            EXPECT_EQ(simulated.named(), std::vector<std::string>{name}) << "and stays";
            const Finding finding = simulated.watch().faults()[0].finding;
            simulated.passes_bytes.clear();
            simulated.run(second);
            EXPECT_EQ(simulated.named(), std::vector<std::string>{name}) << "not at once";
            simulated.run(5 * second);
            EXPECT_EQ(simulated.named(), std::vector<std::string>{});
            EXPECT_TRUE(simulated.watch().recovery(finding).ends_with(
                " probes of 4228 bytes in a row came back"));
            EXPECT_EQ(simulated.ever, std::set<Element>{link}) << "nothing else meanwhile";
        }
    }
}

/** Long probes are lost as often as short ones, so length is not the reason. */
TEST(FaultFinder, LossIsNoHole)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));

    for (const unsigned loss : {20u, 100u, 300u, 600u}) {
        SimulatedFabric simulated(fabric, loss);
        simulated.run(3 * second);
        simulated.loss_per_mille = loss;
        simulated.run(300 * second);
        EXPECT_FALSE(simulated.causes.contains(Cause::mtu)) << loss;
    }
}

/** Short probes were lost as well, so nothing is learnt about length. */
TEST(FaultFinder, WhatDiesHasLostNoData)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));

    for (uint64_t seed = 1; seed <= 20; seed++) {
        SimulatedFabric simulated(fabric, seed);
        simulated.run(3 * second);
        simulated.broken = {{Kind::host_link, 1, own_t0(fabric, 1), 0}};
        simulated.run(5 * second);
        for (const LoopReport &loop : simulated.watch().loops())
            EXPECT_EQ(loop.data->lost(), 0u) << seed;
    }
}

/** A dead element is dead whatever passed it before, and is denied all the time. */
TEST(FaultFinder, AHoleThatDiesAndComesBackIsDeniedThroughout)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));

    for (const Element &link : links_of(fabric)) {
        SimulatedFabric simulated(fabric, 5);
        simulated.run(3 * second);
        simulated.passes_bytes = {{link, 1500}};
        simulated.run(3 * second);
        simulated.denied_always = true;
        simulated.broken = {link};
        simulated.run(3 * second);
        ASSERT_EQ(simulated.watch().faults().size(), 1u);
        EXPECT_EQ(simulated.watch().faults()[0].finding.cause, Cause::silence);
        simulated.broken.clear();
        simulated.run(6 * second);
        ASSERT_EQ(simulated.watch().faults().size(), 1u);
        EXPECT_EQ(simulated.watch().faults()[0].finding.cause, Cause::mtu);
        EXPECT_TRUE(simulated.denied_always) << to_string(fabric, link);
        simulated.passes_bytes.clear();
        simulated.run(10 * second);
        EXPECT_EQ(simulated.named(), std::vector<std::string>{});
    }
}

/** For example, somebody has replaced the cable. */
TEST(FaultFinder, ALinkThatComesBackWithAHoleIsNotAllowedFirst)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));

    for (const Element &link : links_of(fabric)) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            SimulatedFabric simulated(fabric, seed);
            simulated.run(3 * second);
            simulated.broken = {link};
            simulated.run(3 * second);
            simulated.denied_always = true;
            simulated.passes_bytes = {{link, 1500}};
            simulated.broken.clear();
            simulated.run(6 * second);
            EXPECT_TRUE(simulated.denied_always) << to_string(fabric, link);
            EXPECT_EQ(simulated.elements(), std::set<Element>{link});
        }
    }
}

TEST(FaultFinder, NothingElseIsNamedWhenAHoleAndAFaultComeTogether)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 3));

    for (const Element &link : links_of(fabric)) {
        for (const Element &element : elements_of(fabric)) {
            SimulatedFabric simulated(fabric, 9);
            simulated.run(3 * second);
            simulated.passes_bytes = {{link, 1500}};
            simulated.broken = {element};
            simulated.run(4 * second);
            EXPECT_FALSE(simulated.elements().empty());
            for (const Element &named : simulated.ever)
                EXPECT_TRUE(named == link || named == element)
                    << to_string(fabric, named) << " for " << to_string(fabric, link) << " and "
                    << to_string(fabric, element);
        }
    }
}

/** A dead element is not explained by a link that loses only long probes. */
TEST(FaultFinder, AHoleOfThePlaneKeepsWhatIsDeadInIt)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));
    const Element spine{Kind::t1, 1, 0, own_t1s(fabric, 1)[0]};
    const Element link{Kind::host_link, 1, own_t0(fabric, 1), 0};
    SimulatedFabric simulated(fabric);

    simulated.run(3 * second);
    simulated.broken = {spine};
    simulated.run(3 * second);
    ASSERT_EQ(simulated.elements(), std::set<Element>{spine});
    const uint64_t since = simulated.watch().faults()[0].since_ns;
    simulated.passes_bytes = {{link, 1500}};
    simulated.run(3 * second);
    ASSERT_EQ(simulated.elements(), (std::set<Element>{spine, link}));
    EXPECT_EQ(simulated.watch().faults()[0].since_ns, since) << "all the time";
}

/** The host's own MTU was lowered, so data passes again. */
TEST(FaultFinder, DataOfAnotherLengthIsTriedAnew)
{
    const Fabric fabric = fabric_of(large_file(4, 2, 2, 4));
    const Element link = links_of(fabric)[1];
    SimulatedFabric simulated(fabric);

    simulated.run(3 * second);
    simulated.passes_bytes = {{link, 1500}};
    simulated.run(3 * second);
    EXPECT_EQ(simulated.elements(), std::set<Element>{link});
    const Finding finding = simulated.watch().faults()[0].finding;
    simulated.data = 1156;
    for (int i = 0; i < 100 && !simulated.named().empty(); i++)
        simulated.run(step);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{});
    EXPECT_EQ(simulated.watch().recovery(finding), "the length of data packets has changed");
    simulated.run(10 * second);
    EXPECT_EQ(simulated.named(), std::vector<std::string>{});
    simulated.data = 4228;
    simulated.run(2 * second);
    EXPECT_EQ(simulated.elements(), std::set<Element>{link});
}

/** An earlier mrcd may have denied the element. */
TEST(FaultFinder, KnowsOfHolesBeforeItKnows)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 2) + timers(1000, 4, 20));

    for (const Element &link : links_of(fabric)) {
        SimulatedFabric simulated(fabric);
        simulated.passes_bytes = {{link, 1500}};
        for (int i = 0; i < 5000 && !simulated.knows(); i++)
            simulated.run(step);
        EXPECT_TRUE(simulated.knows());
        EXPECT_EQ(simulated.elements(), std::set<Element>{link}) << to_string(fabric, link);
    }
}

/**
 * Faults found by an earlier mrcd hold from the first moment, until their elements have proved
 * themselves.
 */
TEST(FaultFinder, WhatIsRecalledIsDeniedUntilItComesBack)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 4));

    for (const Element &element : elements_of(fabric)) {
        SCOPED_TRACE(to_string(fabric, element));
        const Fault fault{{element, "seen before"}, second / 2, 7};
        SimulatedFabric simulated(fabric);
        simulated.broken = {element};
        simulated.recall({fault});
        EXPECT_TRUE(simulated.watch().faults().at(0).denied) << "before any probe";
        EXPECT_NE(simulated.watch().denials(), Denials{});
        simulated.run(5 * second);
        EXPECT_EQ(simulated.elements(), std::set<Element>{element});
        EXPECT_EQ(simulated.watch().faults().at(0).since_ns, second / 2);
        simulated.broken.clear();
        simulated.run(second);
        EXPECT_EQ(simulated.elements(), std::set<Element>{element}) << "it has to prove itself";
        simulated.run(3 * second);
        EXPECT_TRUE(simulated.named().empty());
        EXPECT_EQ(simulated.ever, std::set<Element>{element});
    }
}

/** Long probes must come back. That short probes do is not enough. */
TEST(FaultFinder, AHoleThatIsRecalledIsDeniedUntilDataComesBack)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 4));

    for (const Element &link : links_of(fabric)) {
        SCOPED_TRACE(to_string(fabric, link));
        SimulatedFabric simulated(fabric);
        simulated.passes_bytes = {{link, 1500}};
        simulated.recall({{{link, "seen before", Cause::mtu}, second / 2, 7}});
        simulated.run(5 * second);
        EXPECT_TRUE(simulated.denied_always);
        EXPECT_EQ(simulated.elements(), std::set<Element>{link});
        EXPECT_EQ(simulated.watch().faults().at(0).since_ns, second / 2);
        simulated.passes_bytes.clear();
        simulated.run(5 * second);
        EXPECT_TRUE(simulated.named().empty());
        EXPECT_EQ(simulated.ever, std::set<Element>{link});
    }
}

/**
 * The recalled faults may be wrong, or from another fabric: a plane stays, and a quarter of the
 * T1s.
 */
TEST(FaultFinder, WhatIsRecalledDoesNotDenyAll)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 4));
    SimulatedFabric simulated(fabric);
    std::vector<Fault> all;

    for (const Element &element : elements_of(fabric))
        if (element.kind == Kind::host_link || element.kind == Kind::t1)
            all.push_back({{element, ""}, 0, 0});
    simulated.recall(all);
    const Denials denials = simulated.watch().denials();
    EXPECT_EQ(denials.t0.size(), 1u);
    EXPECT_EQ(denials.t1.size(), 6u);
    simulated.run(4 * second);
    EXPECT_TRUE(simulated.named().empty()) << "all of it works";
}

TEST(FaultFinder, KnowsWhenItHasTriedAll)
{
    const Fabric fabric = fabric_of(large_file(2, 2, 2, 2));

    for (const Element &element : elements_of(fabric)) {
        SimulatedFabric simulated(fabric);
        simulated.broken = {element};
        EXPECT_FALSE(simulated.knows());
        for (int i = 0; i < 5000 && !simulated.knows(); i++)
            simulated.run(step);
        EXPECT_TRUE(simulated.knows());
        EXPECT_EQ(simulated.elements(), std::set<Element>{element}) << to_string(fabric, element);
    }
}

} // namespace
} // namespace mrcd::test::fault_finder_test
