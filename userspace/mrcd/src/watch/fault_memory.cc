// SPDX-License-Identifier: GPL-2.0-only
#include "watch/fault_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "host/json_number.h"

namespace mrcd
{

namespace
{

using Json = nlohmann::ordered_json;
using Kind = Element::Kind;

constexpr int version = 1;
constexpr size_t faults_most = 4096;
constexpr size_t text_most = 256;
constexpr uint64_t again_ns = 60'000'000'000;
constexpr std::array kinds = {Kind::host_link, Kind::t0, Kind::trunk, Kind::t1};

/** The text goes to logs and terminals: a text with unusual characters is dropped. */
std::string plain_text(const Json &json)
{
    const auto text = json.get<std::string>();
    const bool plain =
        text.size() <= text_most &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });

    return plain ? text : "";
}

std::optional<Kind> kind_of(const Json &json)
{
    for (const Kind kind : kinds)
        if (json == name_of(kind))
            return kind;
    return std::nullopt;
}

/** An unknown cause counts as the worst. */
Cause cause_of(const Json &json)
{
    for (const Cause cause : {Cause::no_carrier, Cause::loss, Cause::mtu})
        if (json == name_of(cause))
            return cause;
    return Cause::silence;
}

/** All elements of a kind that this host watches. */
std::vector<Element> elements_of(const Fabric &fabric, Kind kind)
{
    std::vector<Element> all;

    for (uint8_t plane = 1; plane <= fabric.planes; plane++) {
        const uint32_t t0 = own_t0(fabric, plane);
        if (kind == Kind::host_link || kind == Kind::t0) {
            all.push_back({kind, plane, t0, 0});
            continue;
        }
        if (fabric.racks.size() < 2)
            continue;
        for (const uint32_t t1 : own_t1s(fabric, plane))
            all.push_back({kind, plane, kind == Kind::trunk ? t0 : 0, t1});
    }
    return all;
}

std::optional<NamedFault> read_fault(const Json &json, const Origin &origin)
{
    const auto kind = kind_of(json.at("kind"));
    NamedFault fault;

    if (!kind)
        return std::nullopt;
    fault.kind = *kind;
    fault.cause = cause_of(json.value("cause", Json()));
    fault.element = json.at("element").get<std::string>();
    fault.since_ns = std::min(number_of(json.at("since")), origin.now_ns);
    fault.lost = number_of(json.at("lost"));
    fault.evidence = plain_text(json.at("evidence"));
    return fault;
}

} // namespace

std::optional<Element> find_element(const Fabric &fabric, Kind kind, const std::string &name)
{
    for (const Element &element : elements_of(fabric, kind))
        if (to_string(fabric, element) == name)
            return element;
    return std::nullopt;
}

std::vector<NamedFault> named(const std::vector<Fault> &faults, const Fabric &fabric)
{
    std::vector<NamedFault> all;

    for (const Fault &fault : faults)
        all.push_back({fault.finding.element.kind, to_string(fabric, fault.finding.element),
                       fault.since_ns, fault.lost, fault.finding.evidence, fault.finding.cause});
    return all;
}

std::vector<Fault> recalled(const std::vector<NamedFault> &faults, const Fabric &fabric)
{
    std::vector<Fault> all;

    for (const NamedFault &fault : faults)
        if (const auto element = find_element(fabric, fault.kind, fault.element))
            all.push_back({{*element, fault.evidence, fault.cause}, fault.since_ns, fault.lost});
    return all;
}

std::string to_json(const std::vector<NamedFault> &faults, const Origin &origin)
{
    Json object = {{"version", version},
                   {"boot", origin.boot},
                   {"host", origin.host},
                   {"written", origin.now_ns},
                   {"fault", Json::array()}};

    for (const NamedFault &fault : faults)
        object["fault"].push_back({{"element", fault.element},
                                   {"kind", name_of(fault.kind)},
                                   {"cause", name_of(fault.cause)},
                                   {"since", fault.since_ns},
                                   {"lost", fault.lost},
                                   {"evidence", fault.evidence}});
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::optional<std::vector<NamedFault>> read_faults(const std::string &text, const Origin &origin)
{
    const Json object = Json::parse(text, nullptr, false);
    std::vector<NamedFault> faults;

    try {
        const uint64_t written_ns = number_of(object.at("written"));
        if (object.at("version") != version || origin.boot.empty() ||
            object.at("boot") != origin.boot || object.at("host") != origin.host ||
            written_ns > origin.now_ns || origin.now_ns - written_ns > memory_lasts_ns ||
            object.at("fault").size() > faults_most)
            return std::nullopt;
        for (const Json &json : object.at("fault"))
            if (auto fault = read_fault(json, origin))
                faults.push_back(std::move(*fault));
    } catch (const std::exception &) {
        return std::nullopt;
    }
    return faults;
}

std::vector<NamedFault> FaultMemory::recall(const Origin &origin) const
{
    if (file_.empty())
        return {};
    const auto text = mrcnl::read_state_file(file_);
    if (!text && text.error().code != ENOENT)
        log_.write(Level::warning, file_ + ": cannot read the faults: " + text.error().message());
    if (!text)
        return {};
    return read_faults(*text, origin).value_or(std::vector<NamedFault>());
}

void FaultMemory::keep(const std::vector<NamedFault> &faults, const Origin &origin)
{
    const bool fresh = written_ == faults && origin.now_ns < written_ns_ + again_ns;

    if (file_.empty() || fresh)
        return;
    const auto written = mrcnl::write_state_file(file_, to_json(faults, origin));
    if (!written && !told_)
        log_.write(Level::warning,
                   file_ + ": cannot save the faults: " + written.error().message());
    told_ = !written;
    // If the file cannot be written, trying each time is of no use.
    written_ = faults;
    written_ns_ = origin.now_ns;
}

} // namespace mrcd
