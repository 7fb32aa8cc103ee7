// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Remembers known faults for the next mrcd process, in a file below /run. They are stored by name,
 * because an index can mean another element in another configuration file.
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

/** A fault that is independent of a Fabric object. */
struct NamedFault {
    Element::Kind kind = Element::Kind::host_link;
    std::string element;   ///< as to_string() names it
    uint64_t since_ns = 0; ///< of CLOCK_MONOTONIC
    uint64_t lost = 0;
    std::string evidence;
    Cause cause = Cause::silence;
    bool operator==(const NamedFault &) const = default;
};

/**
 * Converts faults and keeps their order: the first ones are denied first, as far as the limit on
 * denials allows.
 */
std::vector<NamedFault> named(const std::vector<Fault> &faults, const Fabric &fabric);

/** Converts back those faults whose elements exist in @p fabric and are watched by this host. */
std::vector<Fault> recalled(const std::vector<NamedFault> &faults, const Fabric &fabric);

/** Finds an element by its kind and name. @return nothing: this host does not watch it */
std::optional<Element> find_element(const Fabric &fabric, Element::Kind kind,
                                    const std::string &name);

/**
 * When and where faults were seen. They mean nothing to a process of another host or boot, or to
 * one that starts much later.
 */
struct Origin {
    std::string boot;    ///< id of the boot
    std::string host;    ///< name of the host in the fabric
    uint64_t now_ns = 0; ///< of CLOCK_MONOTONIC
};

/** A file that is older than this is ignored. ns */
constexpr uint64_t memory_lasts_ns = 600'000'000'000;

std::string to_json(const std::vector<NamedFault> &faults, const Origin &origin);

/** @param text may be anything. @return nothing: it makes no sense, or has another origin */
std::optional<std::vector<NamedFault>> read_faults(const std::string &text, const Origin &origin);

/** The file in which faults are kept. */
class FaultMemory
{
public:
    /** @param file empty: nothing is kept. @param log outlives this */
    FaultMemory(std::string file, Log &log) : file_(std::move(file)), log_(log) {}

    /**
     * The faults that an earlier mrcd process left, unless its file is too old or of another
     * origin.
     */
    [[nodiscard]] std::vector<NamedFault> recall(const Origin &origin) const;

    /** Writes the file if the faults have changed, or if the file is rather old. */
    void keep(const std::vector<NamedFault> &faults, const Origin &origin);

private:
    std::string file_;
    Log &log_;
    std::optional<std::vector<NamedFault>> written_;
    uint64_t written_ns_ = 0;
    bool told_ = false; ///< the failure to write the file was logged
};

} // namespace mrcd
