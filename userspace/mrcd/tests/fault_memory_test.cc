// SPDX-License-Identifier: GPL-2.0-only
//
// What one mrcd leaves to the next one, which believes no more of it than it should.

#include "watch/fault_memory.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon_rig.h"
#include "host/state_file.h"
#include "watch/link_watch.h"
#include "watch/udp_sender.h"

namespace mrcd::test::fault_memory_test
{
namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Kind = Element::Kind;

const Origin origin{"a-boot", "h1", 1'000'000'000'000};
const std::vector<NamedFault> faults{{Kind::t1, "p1t1s1", 5, 12, "no probe comes back"},
                                     {Kind::host_link, "h1-p2t0r1", 7, 0, "no carrier"},
                                     {Kind::trunk, "p2t0r1-p2t1s2", 9, 4, "", Cause::mtu}};

/** The text of the faults, with one member changed. */
std::string changed(const char *pointer, const Json &value)
{
    Json json = Json::parse(to_json(faults, origin));

    json[Json::json_pointer(pointer)] = value;
    return json.dump();
}

TEST(FaultMemory, IsReadAsItWasWritten)
{
    EXPECT_EQ(read_faults(to_json(faults, origin), origin), faults);
    EXPECT_EQ(read_faults(to_json({}, origin), origin), std::vector<NamedFault>());
}

TEST(FaultMemory, IsOfThisBootAndHostAndNotOld)
{
    const std::string text = to_json(faults, origin);
    Origin later = origin;

    later.now_ns += memory_lasts_ns;
    EXPECT_TRUE(read_faults(text, later));
    later.now_ns++;
    EXPECT_FALSE(read_faults(text, later));
    EXPECT_FALSE(read_faults(text, {"another-boot", "h1", origin.now_ns}));
    EXPECT_FALSE(read_faults(text, {"a-boot", "h2", origin.now_ns}));
    EXPECT_FALSE(read_faults(text, {"a-boot", "h1", origin.now_ns - 1})) << "from the future";
    EXPECT_FALSE(read_faults(to_json(faults, {"", "h1", 5}), {"", "h1", 5}))
        << "of no boot that is known";
}

TEST(FaultMemory, NonsenseIsNothing)
{
    const std::string deep(100000, '[');

    for (const char *text : {"", "{}", "[]", "7", "null", "\"x\"", "{\"version\":1}"})
        EXPECT_FALSE(read_faults(text, origin)) << text;
    EXPECT_FALSE(read_faults(deep, origin));
    EXPECT_FALSE(read_faults(changed("/version", 2), origin));
    EXPECT_FALSE(read_faults(changed("/written", -1), origin));
    EXPECT_FALSE(read_faults(changed("/written", "now"), origin));
    EXPECT_FALSE(read_faults(changed("/fault", std::vector<int>(5000)), origin));
    EXPECT_FALSE(read_faults(changed("/fault/0", 7), origin));
    EXPECT_FALSE(read_faults(changed("/fault/0/element", 7), origin));
    EXPECT_FALSE(read_faults(changed("/fault/0/since", -7), origin));
    const std::string text = to_json(faults, origin);
    for (size_t length = 0; length + 1 < text.size(); length++)
        EXPECT_FALSE(read_faults(text.substr(0, length), origin)) << length;
}

TEST(FaultMemory, OddPartsDoNoHarm)
{
    EXPECT_EQ(read_faults(changed("/fault/0/kind", "t2"), origin)->size(), 2u);
    EXPECT_EQ(read_faults(changed("/fault/0/kind", 3), origin)->size(), 2u);
    EXPECT_EQ(read_faults(changed("/fault/2/cause", "bad luck"), origin)->at(2).cause,
              Cause::silence);
    EXPECT_EQ(read_faults(changed("/fault/2/cause", nullptr), origin)->at(2).cause, Cause::silence);
    EXPECT_EQ(read_faults(changed("/fault/0/evidence", "\033[2J"), origin)->at(0).evidence, "");
    EXPECT_EQ(
        read_faults(changed("/fault/0/evidence", std::string(1000, 'x')), origin)->at(0).evidence,
        "");
    EXPECT_EQ(read_faults(changed("/fault/0/since", UINT64_MAX), origin)->at(0).since_ns,
              origin.now_ns);
}

/** Indices and planes are different in the second file. */
TEST(FaultMemory, GoesByNames)
{
    const Fabric fabric =
        fabric_of(with(small_file, "[t1]\n", "[t1]\nnew = { plane = 1, usid = 7 }\n"));
    const std::vector<Fault> found = recalled(faults, fabric);

    ASSERT_EQ(found.size(), 3u);
    for (size_t i = 0; i < found.size(); i++) {
        EXPECT_EQ(to_string(fabric, found[i].finding.element), faults[i].element);
        EXPECT_EQ(found[i].since_ns, faults[i].since_ns);
        EXPECT_EQ(found[i].finding.cause, faults[i].cause);
    }
    EXPECT_TRUE(recalled({{Kind::t1, "p1t1s2", 1, 1, ""}}, fabric).empty())
        << "no link leads there";
    EXPECT_TRUE(recalled({{Kind::t0, "p1t1s1", 1, 1, ""}}, fabric).empty()) << "that is a T1";
    EXPECT_TRUE(recalled({{Kind::t0, "p1t0r2", 1, 1, ""}}, fabric).empty()) << "of another rack";
    EXPECT_TRUE(recalled({{Kind::t1, "", 1, 1, ""}}, fabric).empty());
    EXPECT_TRUE(recalled({faults[0]}, fabric_of(large_file(1, 4, 2, 2))).empty())
        << "with one rack nobody looks at T1s";
}

class FaultMemoryFile : public ::testing::Test
{
protected:
    FaultMemoryFile()
    {
        fs::remove_all(folder);
        fs::create_directories(folder);
    }
    ~FaultMemoryFile() override { fs::remove_all(folder); }

    const fs::path folder = fs::path(testing::TempDir()) / "mrcd_fault_memory";
    const std::string file = folder / "found.json";
    LogLines log;
};

TEST_F(FaultMemoryFile, IsWrittenWhenItChangesAndNowAndThen)
{
    FaultMemory memory(file, log);
    Origin now = origin;

    EXPECT_TRUE(memory.recall(now).empty());
    memory.keep(faults, now);
    EXPECT_EQ(memory.recall(now), faults);
    fs::remove(file);
    now.now_ns += 59'000'000'000;
    memory.keep(faults, now);
    EXPECT_FALSE(fs::exists(file)) << "nothing new";
    now.now_ns += 1'000'000'000;
    memory.keep(faults, now);
    EXPECT_EQ(memory.recall(now), faults) << "it would grow old";
    memory.keep({}, now);
    EXPECT_TRUE(memory.recall(now).empty());
    EXPECT_TRUE(log.lines.empty());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "no halves are left";
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FaultMemoryFile, WhereItCannotBeKeptThatIsSaidOnce)
{
    FaultMemory memory(folder / "none" / "found.json", log);
    Origin now = origin;

    for (int i = 0; i < 3; i++) {
        now.now_ns += 100'000'000'000;
        memory.keep(faults, now);
    }
    ASSERT_EQ(log.lines.size(), 1u);
    EXPECT_TRUE(log.lines[0].ends_with(": cannot save the faults: No such file or directory"))
        << log.lines[0];
    fs::create_directory(folder / "none");
    memory.keep({}, now);
    fs::remove_all(folder / "none");
    memory.keep(faults, now);
    EXPECT_EQ(log.lines.size(), 2u) << "it was over in between";
}

/** A program that can write to the folder must not make mrcd read or overwrite other files. */
TEST_F(FaultMemoryFile, OtherFilesAreNotTouched)
{
    const std::string other = folder / "other";

    std::ofstream(other) << to_json(faults, origin);
    fs::create_symlink(other, file);
    EXPECT_TRUE(FaultMemory(file, log).recall(origin).empty()) << "a link is not followed";
    fs::create_symlink(other, file + ".new");
    FaultMemory(file, log).keep({}, origin);
    EXPECT_EQ(read_faults(*mrcnl::read_state_file(other), origin), faults) << "as it was";
    EXPECT_FALSE(fs::is_symlink(file));
    fs::remove(file);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    EXPECT_TRUE(FaultMemory(file, log).recall(origin).empty()) << "and does not wait";
    fs::remove(file);
    std::ofstream(file) << std::string(mrcnl::state_file_most + 1, ' ');
    EXPECT_EQ(mrcnl::read_state_file(file).error().code, EFBIG);
    if (geteuid() == 0) {
        std::ofstream(file) << to_json(faults, origin);
        ASSERT_EQ(chown(file.c_str(), 12345, 0), 0);
        EXPECT_TRUE(FaultMemory(file, log).recall(origin).empty()) << "of somebody else";
    }
}

TEST_F(FaultMemoryFile, StandsInTheFirstFolderThatSystemdNames)
{
    ASSERT_EQ(setenv("RUNTIME_DIRECTORY", (folder.string() + ":/run/another").c_str(), 1), 0);
    const std::string name = state_file("found", "mrc0");
    unsetenv("RUNTIME_DIRECTORY");
    EXPECT_TRUE(name.starts_with(folder.string() + "/found-mrc0-")) << name;
}

/** A known fault is denied from the first moment, also with a new file. */
TEST_F(FaultMemoryFile, SurvivesARestartAndAFabricThatGrows)
{
    const std::string more = with(small_file, "[t1]\n", "[t1]\nnew = { plane = 1, usid = 7 }\n");
    const Origin here{boot_id(), "h1", monotonic_ns()};

    ASSERT_TRUE(mrcnl::write_state_file(file, to_json({faults[0]}, here)));
    LinkWatch links(log, file);
    links.look_at(fabric_of(small_file));
    EXPECT_TRUE(links.denials() == Denials{}) << "no other T1 leads anywhere";
    links.look_at(fabric_of(more));
    EXPECT_TRUE(links.denials() == (Denials{{}, {1}, {}}));
    LinkWatch next(log, file);
    next.look_at(fabric_of(more));
    EXPECT_TRUE(next.denials() == (Denials{{}, {1}, {}}));
    next.look_at(fabric_of(with(more, "[t1]\n", "[t1]\nnewer = { plane = 1, usid = 8 }\n")));
    EXPECT_TRUE(next.denials() == (Denials{{}, {2}, {}}));
    next.look_at(fabric_of(with(more, "p1t1s1 = { plane = 1, usid = 0x0181 }\n", "")));
    EXPECT_TRUE(next.denials() == Denials{}) << "the file no longer has it";
}

} // namespace
} // namespace mrcd::test::fault_memory_test
