// SPDX-License-Identifier: GPL-2.0-only
#include "scenario.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <toml++/toml.h>

#include "engine/core.h"
#include "matrix_file.h"
#include "report.h"
#include "toml_table.h"

namespace mrcsim
{

namespace
{

using mrctoml::Range;
using mrctoml::TomlTable;

constexpr double us = microsecond;
constexpr double ns = nanosecond;
constexpr Range positive_us = {0.001, 10'000'000};
constexpr Range any_us = {0, 10'000'000};
constexpr uint64_t flows_max = 1u << 24; // a QPN has 24 bits
constexpr uint64_t bytes_max = 1ull << 50;
constexpr mrctoml::Kinds kinds = {"a whole number", "a number", "true or false"};

/** Reads one scenario. */
class Reader
{
public:
    Reader(const toml::table &table, std::string folder, Complaints &complaints)
        : root_(table, "", kinds, complaints), folder_(std::move(folder)), complaints_(complaints)
    {
    }

    Scenario read()
    {
        if (const auto name = root_.string("name"))
            s_.name = *name;
        fabric();
        link();
        queue();
        transport();
        run();
        root_.tables("traffic", [this](TomlTable &one) { traffic(one); });
        if (s_.traffic.empty() && complaints_.empty())
            root_.complain("traffic", "is missing");
        root_.tables("fault", [this](TomlTable &one) { fault(one); });
        expect();
        root_.finish();
        count_flows();
        return std::move(s_);
    }

private:
    void fabric();
    void link();
    void queue();
    void transport();
    void evs(TomlTable &transport);
    void run();
    void traffic(TomlTable &one);
    void incast(TomlTable &one, TrafficSettings &t);
    void matrix(TomlTable &one, TrafficSettings &t);
    void listed(TomlTable &one, TrafficSettings &t);
    void fault(TomlTable &one);
    void named_link(TomlTable &one, FaultSettings &f);
    void state(TomlTable &one, FaultSettings &f);
    void expect();
    void expect_figure(const std::string &name, const toml::node &node, TomlTable &section);
    void count_flows();

    TomlTable root_;
    std::string folder_;
    Complaints &complaints_;
    Scenario s_;
};

void Reader::fabric()
{
    TomlTable section = root_.table("fabric");
    const size_t before = complaints_.size();

    section.integer("planes", 1, MRC_PORT_MAX, s_.fabric.planes);
    TomlTable shape = section.table("generate");
    shape.integer("endpoints", 2, 1 << 20, s_.fabric.endpoints);
    shape.integer("t0-down", 1, 1024, s_.fabric.t0_down);
    shape.integer("t0-up", 1, 1024, s_.fabric.t0_up);
    shape.finish();
    section.finish();
    if (complaints_.size() != before)
        return;
    s_.fabric.t0_down = std::min(s_.fabric.t0_down, s_.fabric.endpoints);
    if (const auto wrong = Fabric::refusal(s_.fabric))
        section.complain("generate", *wrong);
}

void Reader::link()
{
    TomlTable section = root_.table("link");

    section.scaled("gbps", {0.001, 3200}, 1000, s_.link.mbps);
    section.scaled("delay-ns", {1, 1e9}, ns, s_.link.delay);
    section.scaled("switch-ns", {0, 1e9}, ns, s_.link.switch_delay);
    section.finish();
}

void Reader::queue()
{
    TomlTable section = root_.table("queue");
    const Range bdps = {0, 1000};

    if (const auto ecn = section.pair("ecn", bdps)) {
        s_.queue.mark_from = static_cast<uint64_t>(ecn->first * millionth);
        s_.queue.mark_all = static_cast<uint64_t>(ecn->second * millionth);
        if (ecn->first > ecn->second)
            section.complain("ecn", "the first must not be above the second");
    }
    section.boolean("ecn-last-hop", s_.queue.mark_last_hop);
    section.word("retransmissions", {"with-data", "above-data"}, s_.queue.again_first);
    section.scaled("trim", bdps, millionth, s_.queue.trim);
    section.scaled("trim-last-hop", bdps, millionth, s_.queue.trim_last_hop);
    section.scaled("drop", {0.1, 1000}, millionth, s_.queue.drop);
    // A shorter rest does not tell to which packet it belongs.
    section.integer("trim-bytes", 118, 1024, s_.queue.trim_bytes);
    section.finish();
}

void Reader::evs(TomlTable &transport)
{
    TomlTable section = transport.table("evs");
    EvSettings &evs = s_.transport.evs;
    const uint32_t planes = s_.fabric.planes;

    section.integer("per-destination", 1, MRC_EV_MAX, evs.in_rotation);
    section.integer("spares", 0, MRC_EV_MAX - 1, evs.spares);
    section.integer("min-active", 0, MRC_EV_MAX, evs.min_active);
    section.finish();
    if (evs.in_rotation + evs.spares > MRC_EV_MAX)
        section.complain("spares", "the EVs in rotation and the spares are more than " +
                                       std::to_string(MRC_EV_MAX));
    else if (evs.in_rotation % planes || evs.spares % planes)
        section.complain("per-destination",
                         "each plane must have the same number of EVs, and of spares");
    else if (evs.min_active > evs.in_rotation + evs.spares)
        section.complain("min-active", "exceeds the number of EVs");
}

void Reader::transport()
{
    TomlTable section = root_.table("transport");
    TransportSettings &t = s_.transport;
    size_t cc = 1;

    section.word("timing", {"nic", "software"}, t.timing);
    section.word("cc", {"none", "uet-1.0-nscc"}, cc);
    t.nscc = cc == 1;
    section.integer("window-bytes", 0, MRC_CC_CWND_MAX, t.window);
    section.word("ecn", {"present", "absent"}, t.ecn_absent);
    evs(section);
    section.integer("mtu", MRC_MTU_MIN, MRC_MTU_MAX, t.mtu);
    if (t.mtu & (t.mtu - 1))
        section.complain("mtu", "must be a power of two");
    section.integer("mpr", MRC_MPR_UNIT, 255 * int64_t{MRC_MPR_UNIT}, t.mpr);
    if (t.mpr % MRC_MPR_UNIT)
        section.complain("mpr", "must be a multiple of " + std::to_string(MRC_MPR_UNIT));
    section.integer("message-bytes", 1, 1 << 30, t.message);
    section.integer("sack-bytes", MRC_SACK_BYTES_MIN, MRC_SACK_BYTES_MAX, t.sack_bytes);
    section.integer("rx-batch", 1, 1024, t.rx_batch);
    section.integer("burst", 1, MRC_BATCH_MAX, t.burst);
    section.integer("timeout", 0, MRC_TIMEOUT_MAX, t.timeout);
    section.finish();
}

void Reader::run()
{
    TomlTable section = root_.table("run");

    section.scaled("us", positive_us, us, s_.run.end);
    section.scaled("from-us", any_us, us, s_.run.from);
    section.integer("seed", 0, INT64_MAX, s_.run.seed);
    section.integer("samples", 1, 100'000, s_.run.samples);
    section.finish();
    if (!s_.run.from)
        s_.run.from = s_.run.end / 3;
    else if (*s_.run.from >= s_.run.end)
        section.complain("from-us", "must be before the end");
}

void Reader::incast(TomlTable &one, TrafficSettings &t)
{
    one.integer("senders", 1, 1 << 20, t.senders);
    one.integer("groups", 1, 1 << 20, t.groups);
    one.boolean("victim", t.victim);
    const uint64_t hosts = uint64_t{t.groups} * (t.senders + 1 + (t.victim ? 1 : 0));
    if (hosts > s_.fabric.endpoints)
        one.complain("senders", "needs " + std::to_string(hosts) + " hosts, but there are " +
                                    std::to_string(s_.fabric.endpoints));
    else if (s_.fabric.endpoints % s_.fabric.t0_down)
        one.complain("kind", "the endpoints must fill their racks");
}

void Reader::listed(TomlTable &one, TrafficSettings &t)
{
    const toml::array *list = one.array("flows");

    if (!list)
        return;
    for (const toml::node &node : *list) {
        const toml::array *ends = node.as_array();
        const bool two = ends && ends->size() == 2;
        const int64_t from = two ? (*ends)[0].value_exact<int64_t>().value_or(-1) : -1;
        const int64_t to = two ? (*ends)[1].value_exact<int64_t>().value_or(-1) : -1;
        const int64_t hosts = s_.fabric.endpoints;
        if (from < 0 || to < 0 || from >= hosts || to >= hosts || from == to) {
            one.complain("flows",
                         "must be lists of two different hosts, 0 to " + std::to_string(hosts - 1));
            return;
        }
        t.flows.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(to), 0, 0});
    }
}

void Reader::matrix(TomlTable &one, TrafficSettings &t)
{
    const auto file = one.string("file");

    if (one.has("flows") == one.has("file"))
        return one.complain("kind", "needs either flows or file");
    listed(one, t);
    if (!file)
        return;
    const std::string path = file->starts_with('/') ? *file : folder_ + "/" + *file;
    std::ifstream stream(path);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream)
        return one.complain("file", "cannot be read: " + path);
    MatrixResult result = read_matrix(text.str(), s_.fabric.endpoints);
    t.flows = std::move(result.flows);
    if (!result.complaints.empty())
        one.complain("file", path + ":" + std::to_string(result.complaints[0].line) + ": " +
                                 result.complaints[0].text);
}

void Reader::traffic(TomlTable &one)
{
    TrafficSettings t;

    if (!one.has("kind"))
        one.complain("kind", "is missing");
    one.word("kind", {"permutation", "incast", "matrix"}, t.kind);
    one.integer("bytes", 0, static_cast<int64_t>(bytes_max), t.bytes);
    one.integer("qps", 1, 1024, t.qps);
    one.scaled("load", {0.001, 1}, millionth, t.load);
    one.scaled("start-us", any_us, us, t.start);
    one.scaled("spread-us", any_us, us, t.spread);
    if (t.kind == TrafficKind::incast)
        incast(one, t);
    if (t.kind == TrafficKind::matrix)
        matrix(one, t);
    s_.traffic.push_back(std::move(t));
}

void Reader::named_link(TomlTable &one, FaultSettings &f)
{
    const auto named = one.integers("link", 1 << 20);
    const FabricShape &shape = s_.fabric;
    const uint32_t racks = (shape.endpoints + shape.t0_down - 1) / shape.t0_down;

    if (!named)
        return;
    const bool host = f.tier == Tier::host_up;
    if (named->size() != (host ? 2 : 3))
        return one.complain("link", host ? "must be [PLANE, HOST]" : "must be [PLANE, RACK, T1]");
    if ((*named)[0] >= shape.planes || (*named)[1] >= (host ? shape.endpoints : racks) ||
        (!host && (*named)[2] >= shape.t0_up))
        return one.complain("link", "there is no such link");
    f.named = *named;
}

/** "down" and "silent" differ in whether hosts see the fault; switches never report it. */
void Reader::state(TomlTable &one, FaultSettings &f)
{
    size_t state = 2;

    one.word("state", {"down", "silent", "up"}, state);
    f.dead = state < 2;
    f.carrier = state == 0;
    one.scaled("loss", {0, 1}, millionth, f.loss);
    one.scaled("slow", {0.001, 1}, millionth, f.speed);
    if (!f.dead && !f.loss && f.speed == millionth)
        one.complain("state", "this fault changes nothing: give state, loss or slow");
}

void Reader::fault(TomlTable &one)
{
    FaultSettings f;
    size_t tier = 0;

    one.scaled("at-us", any_us, us, f.at);
    one.scaled("until-us", any_us, us, f.until);
    if (f.until && *f.until <= f.at)
        one.complain("until-us", "must be later than at-us");
    one.word("tier", {"t0-t1", "host-t0"}, tier);
    f.tier = tier ? Tier::host_up : Tier::t0_up;
    one.integer("count", 1, 1 << 24, f.count);
    one.scaled("spacing-us", any_us, us, f.spacing);
    one.integer("seed", 0, INT64_MAX, f.seed);
    named_link(one, f);
    state(one, f);
    s_.faults.push_back(std::move(f));
}

void Reader::expect_figure(const std::string &name, const toml::node &node, TomlTable &section)
{
    const auto &names = figure_names();
    const auto known = std::find_if(names.begin(), names.end(),
                                    [&name](const FigureName &one) { return name == one.name; });

    if (known == names.end())
        return section.complain(name.c_str(), "there is no such figure");
    if (node.is_number()) {
        s_.expect.push_back({name, known->more_is_better, *node.value<double>()});
        return;
    }
    if (!node.is_table())
        return section.complain(name.c_str(), "must be a number, or { min, max }");
    for (const auto &[key, bound] : *node.as_table()) {
        if ((key != "min" && key != "max") || !bound.is_number())
            return section.complain(name.c_str(), "must be a number, or { min, max }");
        s_.expect.push_back({name, key == "min", *bound.value<double>()});
    }
}

void Reader::expect()
{
    TomlTable section = root_.table("expect");

    section.all([this, &section](const std::string &name, const toml::node &node) {
        expect_figure(name, node, section);
    });
}

void Reader::count_flows()
{
    uint64_t count = 0;

    for (const TrafficSettings &t : s_.traffic) {
        uint64_t own = s_.fabric.endpoints;
        if (t.kind == TrafficKind::incast)
            own = uint64_t{t.groups} * (t.senders + (t.victim ? 1 : 0));
        else if (t.kind == TrafficKind::matrix)
            own = t.flows.size();
        count += own * t.qps;
    }
    if (count > flows_max)
        root_.complain("traffic", "has " + std::to_string(count) + " QPs, more than " +
                                      std::to_string(flows_max));
}

// ---- values of the command line

/** The table, or element of a list of tables, with this name; null: there cannot be one. */
toml::table *step_into(toml::node &at, const std::string &name)
{
    if (toml::array *list = at.as_array()) {
        const size_t index = name.find_first_not_of("0123456789") == std::string::npos
                                 ? std::stoul("0" + name.substr(0, 6))
                                 : list->size();
        return index < list->size() ? (*list)[index].as_table() : nullptr;
    }
    return nullptr;
}

toml::node *child_of(toml::table &table, const std::string &name)
{
    if (!table.contains(name))
        table.insert(name, toml::table());
    return table.get(name);
}

/** Sets a value of the command line, read as TOML, or else taken as a string. */
void set_value(toml::table &table, const std::string &key, const std::string &value)
{
    try {
        const toml::table parsed = toml::parse("v = " + value);
        if (parsed.size() == 1) {
            table.insert_or_assign(key, *parsed.get("v"));
            return;
        }
    } catch (const toml::parse_error &) {
        // It is a word without quotes.
    }
    table.insert_or_assign(key, value);
}

bool apply(toml::table &root, const Override &change)
{
    std::istringstream path(change.first);
    toml::table *table = &root;
    std::string name;

    std::getline(path, name, '.');
    for (std::string next; std::getline(path, next, '.'); name = next) {
        toml::node *node = child_of(*table, name);
        if (node->is_table()) {
            table = node->as_table();
            continue;
        }
        table = step_into(*node, next);
        if (!table || !std::getline(path, next, '.'))
            return false;
    }
    if (name.empty())
        return false;
    set_value(*table, name, change.second);
    return true;
}

} // namespace

ScenarioResult read_scenario(const std::string &text, const std::string &folder,
                             const std::vector<Override> &overrides)
{
    ScenarioResult result;

    try {
        toml::table table = toml::parse(text);
        for (const Override &change : overrides)
            if (!apply(table, change))
                result.complaints.push_back(
                    {0, "--set " + change.first + ": there is no such key"});
        Scenario scenario = Reader(table, folder, result.complaints).read();
        if (result.complaints.empty())
            result.scenario = std::move(scenario);
    } catch (const toml::parse_error &error) {
        result.complaints.push_back({error.source().begin.line, std::string(error.description())});
    }
    return result;
}

} // namespace mrcsim
