// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Probes the links of the fabric that this host can test, names the broken elements, and says which
 * elements must not be used.
 */
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "file/fabric.h"
#include "watch/locator.h"
#include "watch/loop_history.h"
#include "watch/probe_loop.h"

namespace mrcd
{

/** Bytes of the IPv6 packet of a probe of the least length. */
inline constexpr uint16_t short_probe_bytes = 76;

/** One probe of a loop. */
struct LoopProbe {
    uint32_t id = 0;       ///< of the loop
    uint32_t sequence = 0; ///< of the loop; a long probe has that of the short probe before it
    uint16_t bytes = short_probe_bytes; ///< of the IPv6 packet
    bool operator==(const LoopProbe &) const = default;
};

class FaultFinder;

/** Sends the probes of a FaultFinder. An interface, so that tests can simulate fabrics. */
class ProbeSender
{
public:
    virtual ~ProbeSender() = default;

    /** Sends a probe along a loop. When it comes back, FaultFinder::answered() must be called. */
    virtual void send(const ProbeLoop &loop, const LoopProbe &probe) = 0;

    /** Sends all probes that send() has only queued. */
    virtual void flush() {}

    /** Does this plane's netdev have carrier? */
    virtual bool carrier(uint8_t plane) = 0;

    /**
     * Bytes of the longest IPv6 packets with data that this host sends.
     *
     * @return 0: the length is not known, and no probes as long as data must be sent
     */
    virtual uint16_t data_bytes() = 0;

    /**
     * Asks the T0 of a plane itself to answer. When it does, FaultFinder::neighbor_answered() must
     * be called.
     */
    virtual void ask(uint8_t plane) = 0;

    /** Sets the DSCP of probes to that of data packets. @param dscp 0 to 63 */
    virtual void mark(uint8_t) {}

    /** Calls answered() and neighbor_answered() for all that has come back. */
    virtual void receive(FaultFinder &) {}
};

/** A broken element. */
struct Fault {
    Finding finding;
    uint64_t since_ns = 0;
    uint64_t lost = 0;   ///< probes that its loop lost in a row before it was named
    bool denied = false; ///< false: else the limit on denials would be exceeded
};

/** The elements that faults deny. */
Denials denials_of(const std::vector<Fault> &faults);

/** A loop, for reports. */
struct LoopReport {
    uint8_t plane = 0;
    std::optional<uint32_t> t1; ///< empty: the loop turns at the T0
    const LoopHistory *history = nullptr;
    const LoopHistory *data = nullptr; ///< of probes as long as data
};

/** All times are in ns, of one clock that never goes back. */
class FaultFinder
{
public:
    /**
     * @param fabric has the rate of probes, too, which must not be 0
     * @param seed of the jitter
     */
    FaultFinder(const Fabric &fabric, uint64_t seed);

    /**
     * Sends the probes that are due, and gives up those that did not come back in time.
     *
     * @return when to call it again, more than 1 ms from now
     */
    uint64_t tick(uint64_t now_ns, ProbeSender &sender);

    /**
     * Takes over faults that an earlier process found. Must be called before anything else. They
     * hold until their loops have proved themselves, like all faults.
     *
     * @param faults of elements that this host watches
     */
    void recall(std::vector<Fault> faults, uint64_t now_ns);

    /** Sets what the file denies now. */
    void set_denied(const Denials &denied) { fabric_.denied = denied; }

    /** A probe came back. A probe that was given up is ignored. */
    void answered(const LoopProbe &probe, uint64_t now_ns);
    void neighbor_answered(uint8_t plane);

    /** Has there been enough time to find what is broken? */
    [[nodiscard]] bool knows(uint64_t now_ns) const;

    /** The faults, oldest first. */
    [[nodiscard]] const std::vector<Fault> &faults() const { return faults_; }

    /**
     * The elements that the faults deny. At least one plane stays in use, and a quarter of the T1s
     * of each plane: a host that finds more than that broken is probably broken itself.
     */
    [[nodiscard]] Denials denials() const { return denials_of(faults_); }

    /** The evidence that a fault is over. The loop of its element must be one that is probed. */
    [[nodiscard]] std::string recovery(const Finding &finding) const;

    /** All loops: for each plane the loop that turns at the T0, then the loops by T1s. */
    [[nodiscard]] std::vector<LoopReport> loops() const;
    [[nodiscard]] bool carrier(uint8_t plane) const { return planes_.at(plane).carrier; }
    /** Planes by which probes come back: by the T0, and, where loops by T1s are probed, by a T1. */
    [[nodiscard]] std::set<uint8_t> alive_planes() const;
    /** Length of the probes that are as long as data; 0: there are none. */
    [[nodiscard]] uint16_t data_bytes() const { return data_bytes_; }

private:
    struct InFlight {
        uint32_t sequence = 0;
        uint64_t sent_ns = 0;
        bool witnessed = false; ///< of a long probe: the short probe before it came back
    };
    /** The probes of one length on a loop. */
    struct Stream {
        std::deque<InFlight> in_flight;
        LoopHistory history;

        explicit Stream(const Watching &watching) : history(watching) {}
    };
    /** A loop that is probed. */
    struct Track {
        ProbeLoop loop;
        uint64_t interval_ns = 0;
        uint64_t due_ns = 0;
        uint32_t sequence = 0;
        Stream probes;
        Stream data;            ///< long probes, each right behind a short probe
        uint32_t next_data = 1; ///< sequence number of the next long probe
        bool carries_data = false;

        explicit Track(const Watching &watching) : probes(watching), data(watching) {}
    };
    /**
     * Loops around a dead link, probed until it is known whether the T1 lives. Each has a control
     * loop.
     */
    struct Doubt {
        uint64_t since_ns = 0;
        std::vector<std::pair<uint32_t, uint32_t>> tracks; ///< past, control
        Verdict past = Verdict::unknown;
        bool settled = false;
    };
    struct Plane {
        uint32_t uplink = 0;              ///< track of the loop by the T0
        std::map<uint32_t, uint32_t> t1;  ///< track of the loop, by T1
        std::map<uint32_t, Doubt> doubts; ///< by T1
        bool carrier = true;
        uint64_t carrier_ns = 0; ///< when carrier last changed
        uint64_t asked_ns = 0;   ///< when the T0 was first asked
        unsigned asks = 0;
        bool neighbor = false; ///< the T0 itself answered
    };

    uint32_t add_track(ProbeLoop loop, uint64_t interval_ns, uint64_t now_ns);
    [[nodiscard]] const LoopHistory &history(uint32_t track) const
    {
        return tracks_.at(track).probes.history;
    }
    [[nodiscard]] const LoopHistory &data(uint32_t track) const
    {
        return tracks_.at(track).data.history;
    }
    void expire(Track &track, uint64_t now_ns);
    void send_due(uint32_t id, Track &track, uint64_t now_ns, ProbeSender &sender);
    void send_data(uint32_t id, Track &track, uint64_t now_ns, ProbeSender &sender);
    void look_at_data(uint16_t bytes);
    void hasten_data(Plane &plane);
    [[nodiscard]] bool data_open(const Plane &plane) const;
    [[nodiscard]] bool loses_data(uint32_t track) const;
    [[nodiscard]] uint64_t next_due(uint64_t now_ns) const;

    void look_at_carrier(uint8_t number, Plane &plane, uint64_t now_ns, ProbeSender &sender);
    [[nodiscard]] bool silent(const Plane &plane) const;
    [[nodiscard]] bool lost_alone(const Plane &plane, const LoopHistory &loop) const;
    [[nodiscard]] bool others_lost(const Plane &plane, size_t probes, size_t percent) const;
    void ask_neighbor(uint8_t number, Plane &plane, uint64_t now_ns, ProbeSender &sender);
    void doubt(uint8_t number, Plane &plane, uint64_t now_ns);
    void look_past(uint8_t number, Plane &plane, uint32_t t1, Doubt &doubt, uint64_t now_ns);
    void settle(Doubt &doubt, uint64_t now_ns);
    void forget(Doubt &doubt);
    [[nodiscard]] bool in_doubt(const Plane &plane, uint64_t now_ns) const;
    [[nodiscard]] uint32_t track_of(const Element &element) const;
    [[nodiscard]] const LoopHistory &evidence_of(const Finding &finding) const;
    [[nodiscard]] bool over(const Finding &finding) const;
    void add_fault(Finding finding, uint64_t now_ns);
    void find_in_plane(uint8_t number, const Plane &plane, uint64_t now_ns);
    void find_at_t1s(uint8_t number, const Plane &plane, uint64_t now_ns);
    void find_holes(uint8_t number, const Plane &plane, uint64_t now_ns);
    void evaluate(uint64_t now_ns);
    [[nodiscard]] size_t denied_by_file(uint8_t number, const Plane &plane) const;
    void mark_denied();

    Fabric fabric_;
    uint64_t lost_after_ns_;
    uint32_t data_every_; ///< one long probe follows every so many short ones
    uint16_t data_bytes_ = 0;
    std::mt19937_64 random_;
    uint32_t next_id_ = 1;
    std::map<uint32_t, Track> tracks_;
    std::map<uint8_t, Plane> planes_;
    std::vector<Fault> faults_;
};

} // namespace mrcd
