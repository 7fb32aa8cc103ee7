// SPDX-License-Identifier: GPL-2.0-only
//
// Hosts of which something is wrong, each alone and each with each: what is named is exactly
// that, and nothing when it is mended.

#include "report/diagnosis.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "fabrics.h"
#include "model_host.h"

namespace mrcd::test::diagnosis_test
{
namespace
{

using Lines = std::vector<std::string>;

constexpr uint64_t second = 1'000'000'000;

/** h1 of small_file, without any problem. */
struct PatientHost {
    Fabric fabric = fabric_of(small_file);
    ModelView host;
    ModelKernel kernel;
    FileState file{"f", "0", 1, "", 0, false};
    Progress progress;
    std::vector<Fault> faults;
    uint64_t now = 100 * second;
    uint64_t looked = 100 * second;

    PatientHost()
    {
        kernel.exists = true;
        kernel.plane_ifindex = {{1, 1}, {2, 2}};
    }

    void refuse(const char *object, const char *what, int code)
    {
        progress.refusals.push_back(
            {std::string("+ ") + object + " " + what, {code, "", ""}, object, what});
    }
    void add_fault(Element::Kind kind, uint8_t plane, uint32_t t1 = 0)
    {
        faults.push_back({{{kind, plane, kind == Element::Kind::t1 ? 0 : own_t0(fabric, plane), t1},
                           "nothing comes back"},
                          90 * second,
                          4,
                          true});
    }
    /** Without the module, the objects that need the device are gone, too. */
    std::vector<Problem> problems()
    {
        if (!host.state.live)
            kernel.loaded = false;
        const Observation before = observe(host, &kernel, fabric);
        Observation seen = observe(host, &kernel, fabric, &before);
        seen.taken_ns = looked;
        return diagnose({fabric, file, progress, &seen, faults, now, 1'000 * second, "1.0"});
    }
    Lines lines()
    {
        Lines all;
        for (const Problem &problem : problems())
            all.push_back(problem.what);
        return all;
    }
};

const std::string missing = "device mrc0 is missing";
const std::string device_things = "set down|address|step|undone|plane refused";
const std::string plane_2_things = "no carrier 2|no route 2|plane 2 silent";

struct Cause {
    std::string name;
    std::string what; ///< text of the problem
    std::string mend; ///< part of the command that mends it
    std::function<void(PatientHost &)> occur;
    std::string hides = ""; ///< names of causes that it explains or hides
};

/** All causes, in the order in which problems are reported, apart from hidden ones. */
const std::vector<Cause> causes = {
    {"kernel silent", "the kernel does not answer", "",
     [](PatientHost &p) { p.looked = 90 * second; },
     "module silent|module away|module going|anchor missing|port taken|device refused|elsewhere|"
     "version|anchor down|no ipv6 mrc|no ipv6 all|missing 2|down 2|no ipv6 2|no carrier 2|set down|"
     "no route 2|small 2|tiny 2|seg6 all|seg6 1"},
    {"module away", missing, "modprobe mrc", [](PatientHost &p) { p.host.state = {}; },
     "module going|anchor missing|port taken|device refused|elsewhere|version|" + device_things},
    {"module going", missing, "modprobe mrc", [](PatientHost &p) { p.host.state.live = false; },
     "anchor missing|port taken|device refused|elsewhere|version|" + device_things},
    {"anchor missing", missing, "ip link add mrc type dummy && ip link set mrc mtu 9000 up",
     [](PatientHost &p) {
         p.host.all.erase("mrc");
         p.kernel.exists = false;
     },
     "port taken|device refused|elsewhere|anchor down|plane 2 silent|" + device_things},
    {"port taken", missing, "modprobe -r rdma_rxe",
     [](PatientHost &p) {
         p.kernel.exists = false;
         p.refuse("device", "mrc0 netdev mrc", EADDRINUSE);
     },
     "device refused|elsewhere|" + device_things},
    {"device refused", missing, "",
     [](PatientHost &p) {
         p.kernel.exists = false;
         p.refuse("device", "mrc0 netdev mrc", ENOMEM);
     },
     "elsewhere|" + device_things},
    {"elsewhere", "device mrc0 is on another netdev", "rdma link delete mrc0",
     [](PatientHost &p) { p.refuse("device", "mrc0 is on netdev mrc8, not on mrc", 0); }},
    {"file refused", "f is refused", "mrcd --check f && mrcctl daemon reload mrc0",
     [](PatientHost &p) { p.file.problem = "f:3: what?"; }, "file changed"},
    {"file changed", "f is not the version that mrcd follows", "mrcctl daemon reload mrc0",
     [](PatientHost &p) { p.file.changed = true; }},
    {"version", "the module and mrcd have different versions", "modprobe -r mrc && modprobe mrc",
     [](PatientHost &p) { p.host.state.version = "0.9"; }},
    {"anchor down", "netdev mrc is down", "ip link set mrc up",
     [](PatientHost &p) {
         if (p.host.all.contains("mrc"))
             p.host.all["mrc"].up = false;
     },
     "address|plane 2 silent"},
    {"address", "address fd00::1/64 netdev mrc should have prefix length 48",
     "ip address delete fd00::1/64 dev mrc",
     [](PatientHost &p) {
         p.refuse("address", "fd00::1/64 netdev mrc should have prefix length 48", 0);
     }},
    {"missing 2", "plane 2: netdev eth2 does not exist", "",
     [](PatientHost &p) { p.host.all.erase("eth2"); },
     "down 2|no ipv6 2|small 2|tiny 2|set down 2|" + plane_2_things},
    {"down 2", "plane 2: netdev eth2 is down", "ip link set eth2 up",
     [](PatientHost &p) {
         if (p.host.all.contains("eth2"))
             p.host.all["eth2"].up = false;
     },
     plane_2_things},
    {"no carrier 2", "plane 2: netdev eth2 has no carrier", "",
     [](PatientHost &p) {
         if (p.host.all.contains("eth2"))
             p.host.all["eth2"].carrier = false;
     },
     "no route 2|plane 2 silent"},
    {"set down", "plane 1 (eth1) is set down", "mrcctl plane set mrc0 port 1 up",
     [](PatientHost &p) { p.kernel.planes_down = {1}; }},
    {"no route 2", "plane 2: there is no route to p2t0r1",
     "ip -6 route add fcbb:bb00:201::/48 via ADDRESS-OF-p2t0r1 dev eth2",
     [](PatientHost &p) { p.host.no_route = {2}; }, "plane 2 silent"},
    {"small 2", "plane 2: the MTU of netdev eth2 is smaller than that of others",
     "ip link set eth2 mtu 9000",
     [](PatientHost &p) {
         if (p.host.all.contains("eth2"))
             p.host.all["eth2"].mtu = std::min(p.host.all["eth2"].mtu, 1500u);
     },
     ""},
    {"tiny 2", "plane 2: the MTU of netdev eth2 is smaller than that of others",
     "ip link set eth2 mtu 9000",
     [](PatientHost &p) {
         if (p.host.all.contains("eth2"))
             p.host.all["eth2"].mtu = 1000;
     },
     "small 2|no route 2|plane refused|plane 2 silent"},
    {"no ipv6 all", "net/ipv6/conf/all/disable_ipv6 is 1",
     "sysctl -w net/ipv6/conf/all/disable_ipv6=0",
     [](PatientHost &p) {
         for (const char *ifname : {"all", "mrc", "eth1", "eth2"})
             p.host.sysctls[ipv6_sysctl(ifname, "disable_ipv6")] = 1;
     },
     "no ipv6 mrc|no ipv6 2|no route 2|address|plane 2 silent|p1t1s1 dead|p2t1s1 dead"},
    {"no ipv6 mrc", "net/ipv6/conf/mrc/disable_ipv6 is 1",
     "sysctl -w net/ipv6/conf/mrc/disable_ipv6=0",
     [](PatientHost &p) { p.host.sysctls[ipv6_sysctl("mrc", "disable_ipv6")] = 1; },
     "address|plane 2 silent"},
    {"no ipv6 2", "net/ipv6/conf/eth2/disable_ipv6 is 1",
     "sysctl -w net/ipv6/conf/eth2/disable_ipv6=0",
     [](PatientHost &p) {
         if (p.host.all.contains("eth2"))
             p.host.sysctls[ipv6_sysctl("eth2", "disable_ipv6")] = 1;
     },
     "no route 2|plane 2 silent"},
    {"seg6 all", "net/ipv6/conf/all/seg6_enabled is 0",
     "sysctl -w net/ipv6/conf/all/seg6_enabled=1",
     [](PatientHost &p) { p.host.sysctls[ipv6_sysctl("all", "seg6_enabled")] = 0; }},
    {"seg6 1", "net/ipv6/conf/eth1/seg6_enabled is 0",
     "sysctl -w net/ipv6/conf/eth1/seg6_enabled=1",
     [](PatientHost &p) { p.host.sysctls[ipv6_sysctl("eth1", "seg6_enabled")] = 0; }},
    {"step", "+ route fd00::2/128", "",
     [](PatientHost &p) { p.refuse("route", "fd00::2/128", ENOMEM); }},
    {"plane refused", "+ plane port 2 netdev eth2", "",
     [](PatientHost &p) { p.refuse("plane", "port 2 netdev eth2", EINVAL); }},
    {"undone", "another program undoes what mrcd does", "",
     [](PatientHost &p) { p.progress.undone_step = "+ route fd00::2/128"; }},
    {"p1t1s1 dead", "p1t1s1 is broken", "",
     [](PatientHost &p) { p.add_fault(Element::Kind::t1, 1, 0); }},
    {"plane 2 silent", "h1-p2t0r1 is broken", "",
     [](PatientHost &p) { p.add_fault(Element::Kind::host_link, 2); }},
};

bool hides(const Cause &one, const Cause &other)
{
    return ("|" + one.hides + "|").find("|" + other.name + "|") != std::string::npos;
}

/** The problems that must be reported for these causes, each once. */
std::multiset<std::string> expected(const std::vector<const Cause *> &present)
{
    std::multiset<std::string> lines;

    for (const Cause *one : present)
        if (std::none_of(present.begin(), present.end(),
                         [&](const Cause *other) { return hides(*other, *one); }))
            lines.insert(one->what);
    return lines;
}

std::multiset<std::string> named(const std::vector<const Cause *> &present)
{
    PatientHost patient;

    for (const Cause *cause : present)
        cause->occur(patient);
    const Lines lines = patient.lines();
    return {lines.begin(), lines.end()};
}

TEST(Diagnosis, OfAHostThatIsWellThereIsNothing)
{
    EXPECT_EQ(PatientHost().lines(), Lines());
}

TEST(Diagnosis, EachCauseIsNamedWithWhatMendsIt)
{
    for (const Cause &cause : causes) {
        SCOPED_TRACE(cause.name);
        PatientHost patient;
        cause.occur(patient);
        const auto found = patient.problems();
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].what, cause.what);
        EXPECT_EQ(found[0].mend, cause.mend);
        EXPECT_FALSE(found[0].seen.empty());
    }
}

/** Tries all pairs. */
TEST(Diagnosis, OfTwoCausesBothAreNamedAndNothingElse)
{
    size_t states = 0;

    for (const Cause &one : causes) {
        for (const Cause &other : causes) {
            if (&one >= &other)
                continue;
            EXPECT_EQ(named({&one, &other}), expected({&one, &other}))
                << one.name << " and " << other.name;
            states++;
        }
    }
    EXPECT_GT(states, 400u);
}

TEST(Diagnosis, TheFirstLineIsWhyThereIsNoDevice)
{
    for (const Cause &one : causes)
        for (const Cause &other : causes) {
            PatientHost patient;
            if (one.what != missing || one.name == other.name)
                continue;
            one.occur(patient);
            other.occur(patient);
            const Lines lines = patient.lines();
            if (other.name == "kernel silent")
                continue;
            EXPECT_EQ(lines.at(0), missing) << one.name << " and " << other.name;
        }
}

TEST(Diagnosis, SinceWhenAFaultIsThere)
{
    PatientHost patient;

    patient.add_fault(Element::Kind::t1, 1, 0);
    EXPECT_EQ(patient.problems().at(0).since_ns, 990 * second);
}

/** Before the first observation nothing is known, so nothing is reported. */
TEST(Diagnosis, BeforeTheFirstLookThereIsNothing)
{
    PatientHost patient;

    EXPECT_TRUE(diagnose({patient.fabric, patient.file, patient.progress, nullptr, {}, 1, 1, "1.0"})
                    .empty());
}

TEST(Diagnosis, ALookThatFailedIsToldOf)
{
    PatientHost patient;

    patient.host.error = EIO;
    EXPECT_EQ(patient.lines(), Lines{"the kernel does not answer"});
    patient.refuse("route", "fd00::2/128", ENOMEM);
    EXPECT_EQ(patient.lines().size(), 2u) << "what failed is known by who tried";
}

/** If the module does not answer, its objects are unknown: the device need not be missing. */
TEST(Diagnosis, AModuleThatDoesNotAnswer)
{
    PatientHost patient;
    Observation seen = observe(patient.host, nullptr, patient.fabric);
    const auto lines = [&](int code) {
        Lines all;
        seen.module_error = {code, "", ""};
        seen.taken_ns = patient.now;
        for (const Problem &problem : diagnose({patient.fabric,
                                                patient.file,
                                                patient.progress,
                                                &seen,
                                                {},
                                                patient.now,
                                                1,
                                                "1.0"}))
            all.push_back(problem.what);
        return all;
    };

    EXPECT_EQ(lines(EIO), Lines{"the module does not answer"});
    EXPECT_EQ(lines(ENOENT), Lines{missing}) << "it has just gone";
}

TEST(Diagnosis, ARouteThatIsGoneIsMendedByItsGateway)
{
    PatientHost patient;
    const Observation before = observe(patient.host, &patient.kernel, patient.fabric);

    patient.host.no_route = {2};
    Observation seen = observe(patient.host, &patient.kernel, patient.fabric, &before);
    seen.taken_ns = patient.now;
    const auto found = diagnose(
        {patient.fabric, patient.file, patient.progress, &seen, {}, patient.now, 1, "1.0"});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].mend, "ip -6 route add fcbb:bb00:201::/48 via fe80::2 dev eth2");
}

/** IPv6 works with this MTU, so something else breaks the link. */
TEST(Diagnosis, TheLeastMtuIsNoReason)
{
    PatientHost patient;

    patient.host.all["eth2"].mtu = 1280;
    patient.add_fault(Element::Kind::host_link, 2);
    EXPECT_EQ(patient.lines().size(), 2u);
}

TEST(Diagnosis, NoDetoursNoNeedOfThem)
{
    PatientHost patient;

    patient.host.sysctls[ipv6_sysctl("all", "seg6_enabled")] = 0;
    patient.fabric.racks.resize(1);
    EXPECT_EQ(patient.lines(), Lines());
}

} // namespace
} // namespace mrcd::test::diagnosis_test
