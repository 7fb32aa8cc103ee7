// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What was found broken, kept for who comes next: by names, for indices mean other elements in
 * another file, and in a file below /run, for processes end.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/log.h"
#include "host/state_file.h"
#include "watch/fault_finder.h"

namespace mrcd
{

/** A fault, without a fabric. */
struct NamedFault {
    Element::Kind kind = Element::Kind::host_link;
    std::string element;   ///< as to_string() names it
    uint64_t since_ns = 0; ///< of CLOCK_MONOTONIC
    uint64_t lost = 0;
    std::string evidence;
    Cause cause = Cause::silence;
    bool operator==(const NamedFault &) const = default;
};

/** In the same order: the first ones are the first to be denied, as far as the floor allows. */
std::vector<NamedFault> named(const std::vector<Fault> &faults, const Fabric &fabric);

/** Those of them whose elements @p fabric has, and this host watches. */
std::vector<Fault> recalled(const std::vector<NamedFault> &faults, const Fabric &fabric);

/** The element of a kind and a name, if this host watches it. */
std::optional<Element> find_element(const Fabric &fabric, Element::Kind kind,
                                    const std::string &name);

/** When and where faults were seen. Who is not there, or comes much later, knows nothing of them.
 */
struct Origin {
    std::string boot;    ///< id of it
    std::string host;    ///< in the fabric
    uint64_t now_ns = 0; ///< of CLOCK_MONOTONIC
};

/** How long after it was written it is believed. */
constexpr uint64_t memory_lasts_ns = 600'000'000'000;

/** One JSON object. */
std::string to_json(const std::vector<NamedFault> &faults, const Origin &origin);

/** @param text may be anything. @return nothing: it makes no sense, or is not of this origin */
std::optional<std::vector<NamedFault>> read_faults(const std::string &text, const Origin &origin);

/** The file. */
class FaultMemory
{
public:
    /** @param file empty: nothing is kept. @param log outlives this */
    FaultMemory(std::string file, Log &log) : file_(std::move(file)), log_(log) {}

    /** What a predecessor has left, if it is to be believed. */
    [[nodiscard]] std::vector<NamedFault> recall(const Origin &origin) const;

    /** Writes it if it is new, or was written a while ago. */
    void keep(const std::vector<NamedFault> &faults, const Origin &origin);

private:
    std::string file_;
    Log &log_;
    std::optional<std::vector<NamedFault>> written_;
    uint64_t written_ns_ = 0;
    bool told_ = false; ///< that it cannot be written
};

} // namespace mrcd
