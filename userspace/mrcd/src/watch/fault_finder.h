// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Probes the links of this host's side of the fabric, names what is broken, and says what is
 * not to be used.
 */
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "file/fabric.h"
#include "watch/locator.h"
#include "watch/loop_history.h"
#include "watch/probe_loop.h"

namespace mrcd
{

/** Sends what FaultFinder asks for. An interface, so that it is tested on fabrics that are none. */
class ProbeSender
{
public:
    virtual ~ProbeSender() = default;

    /** A probe of this loop. When it comes back, FaultFinder::answered() is told. */
    virtual void send(const ProbeLoop &loop, uint32_t id, uint32_t sequence) = 0;

    /** What was to be sent is to be on its way now, at the latest. */
    virtual void flush() {}

    /** Has this plane's netdev carrier? */
    virtual bool carrier(uint8_t plane) = 0;

    /** Asks the T0 of a plane itself. When it answers, FaultFinder::neighbor_answered() is told. */
    virtual void ask(uint8_t plane) = 0;
};

/** A broken element. */
struct Fault {
    Finding finding;
    uint64_t since_ns = 0;
    uint64_t lost = 0;   ///< probes in a row of the loop that shows it, until it was named
    bool denied = false; ///< false: the floor holds
};

/** What faults deny. */
Denials denials_of(const std::vector<Fault> &faults);

/** A loop, for who looks. */
struct LoopReport {
    uint8_t plane = 0;
    std::optional<uint32_t> t1; ///< none: to the T0 only
    const LoopHistory *history = nullptr;
};

/** All times are of one clock that never goes back, in ns. */
class FaultFinder
{
public:
    /**
     * @param fabric says at which rate, too, which is not 0 here
     * @param seed of the jitter
     */
    FaultFinder(const Fabric &fabric, uint64_t seed);

    /**
     * Sends what is due and gives up what did not come back.
     *
     * @return when it should be called again, more than 1 ms from now
     */
    uint64_t tick(uint64_t now_ns, ProbeSender &sender);

    /** What the file denies now. */
    void set_denied(const Denials &denied) { fabric_.denied = denied; }

    /** A probe came back. One that is not waited for any more is ignored. */
    void answered(uint32_t id, uint32_t sequence, uint64_t now_ns);
    void neighbor_answered(uint8_t plane);

    /** Has it had the time to find what is broken? */
    bool knows(uint64_t now_ns) const;

    /** What is broken, oldest first. */
    const std::vector<Fault> &faults() const { return faults_; }

    /**
     * What the faults are to deny. At least one plane stays, and of the T1s of each plane a
     * quarter: who finds more than that broken is probably broken itself.
     */
    Denials denials() const { return denials_of(faults_); }

    /** What says that an element works, which is of a loop that is probed. */
    std::string recovery(const Element &element) const;

    /** By plane: the loop by the T0, then those by T1s. */
    std::vector<LoopReport> loops() const;
    bool carrier(uint8_t plane) const { return planes_.at(plane).carrier; }

private:
    struct InFlight {
        uint32_t sequence = 0;
        uint64_t sent_ns = 0;
    };
    /** A loop that is probed. */
    struct Track {
        ProbeLoop loop;
        uint64_t interval_ns = 0;
        uint64_t due_ns = 0;
        uint32_t sequence = 0;
        std::deque<InFlight> in_flight;
        LoopHistory history;

        explicit Track(const Watching &watching) : history(watching) {}
    };
    /** Ways past a dead link, probed until it is known whether the T1 lives. */
    struct Doubt {
        uint64_t since_ns = 0;
        std::vector<std::pair<uint32_t, uint32_t>> tracks; ///< past, control
        Verdict past = Verdict::unknown;
        bool settled = false;
    };
    struct Plane {
        uint32_t uplink = 0;              ///< track
        std::map<uint32_t, uint32_t> t1;  ///< track by T1
        std::map<uint32_t, Doubt> doubts; ///< by T1
        bool carrier = true;
        uint64_t carrier_ns = 0; ///< since when
        uint64_t asked_ns = 0;   ///< first
        unsigned asks = 0;
        bool neighbor = false; ///< the T0 answered
    };

    uint32_t add_track(ProbeLoop loop, uint64_t interval_ns, uint64_t now_ns);
    const LoopHistory &history(uint32_t track) const { return tracks_.at(track).history; }
    void expire(Track &track, uint64_t now_ns);
    void send_due(uint32_t id, Track &track, uint64_t now_ns, ProbeSender &sender);
    uint64_t next_due(uint64_t now_ns) const;

    void look_at_carrier(uint8_t number, Plane &plane, uint64_t now_ns, ProbeSender &sender);
    bool silent(const Plane &plane) const;
    bool lost_alone(const Plane &plane, const LoopHistory &loop) const;
    bool others_lost(const Plane &plane, size_t probes, size_t percent) const;
    void ask_neighbor(uint8_t number, Plane &plane, uint64_t now_ns, ProbeSender &sender);
    void doubt(uint8_t number, Plane &plane, uint64_t now_ns);
    void look_past(uint8_t number, Plane &plane, uint32_t t1, Doubt &doubt, uint64_t now_ns);
    void settle(Doubt &doubt, uint64_t now_ns);
    void forget(Doubt &doubt);
    bool in_doubt(const Plane &plane, uint64_t now_ns) const;
    const LoopHistory &loop_of(const Element &element) const;
    bool over(const Element &element) const;
    void add_fault(Finding finding, uint64_t now_ns);
    void find_in_plane(uint8_t number, const Plane &plane, uint64_t now_ns);
    void find_at_t1s(uint8_t number, const Plane &plane, uint64_t now_ns);
    void evaluate(uint64_t now_ns);
    size_t denied_by_file(uint8_t number, const Plane &plane) const;
    void mark_denied();

    Fabric fabric_;
    uint64_t lost_after_ns_;
    std::mt19937_64 random_;
    uint32_t next_id_ = 1;
    std::map<uint32_t, Track> tracks_;
    std::map<uint8_t, Plane> planes_;
    std::vector<Fault> faults_;
};

} // namespace mrcd
