// SPDX-License-Identifier: GPL-2.0-only
//
// One end's paths to the other, and its means to know them: the EV that an answer takes, EV probes
// with their pace and gate, the way back. It calls the engine as the module's prober and endpoint
// do.
#pragma once

#include "engine/core.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

struct PathEndConfig {
    std::vector<int> ports; ///< per EV, ascending
    int minActive = 0;
    int active = 0; ///< EVs in rotation; 0: all
    u32 mtu = 1024; ///< of the connected QP
    u32 random = 0; ///< differs between the two ends
};

class PathEnd
{
public:
    /// Sends an EV probe with this id on this EV.
    using Send = std::function<void(u16 ev, std::uint16_t id)>;

    PathEnd(const PathEndConfig &config, Send send);
    PathEnd(const PathEnd &) = delete;
    PathEnd &operator=(const PathEnd &) = delete;

    std::vector<mrc_ev_entry> evs;
    std::vector<mrc_paths_ev> named; ///< each EV's bits are not 0
    mrc_paths paths{};
    mrc_ev_set &set = paths.set;
    std::uint64_t probes = 0; ///< sent

    /// EV bits of packets on an EV.
    static u32 bitsOf(u16 ev) { return ev + 1u; }

    /// The EV for the next answer, or MRC_EV_NONE.
    u16 answerEv(std::uint64_t now);

    /// An answer was sent: probes the way back if it is time.
    void answered(u32 random, std::uint64_t now);

    /// The EVs for the answer to an EV probe that came by our @p port with these EV bits.
    std::vector<u16> probeAnswerEvs(u8 port, u32 bits, std::uint64_t now);

    /// When to call timer(); U64_MAX: never.
    std::uint64_t timerAt() const;

    /// Gives up probes that are lost, then sends those that are due. @p random: any numbers
    void timer(const std::function<u32()> &random, std::uint64_t now);

    /// An answer has come, with its probe's time stamp. False: no probe waits for it.
    bool probeAnswered(std::uint16_t id, u16 stamp, std::uint64_t now);

private:
    Send send;
    mrc_probing probing{};
    mrc_pending_peer peer{};
    std::unique_ptr<mrc_pending> pending;
    std::array<u16, MRC_PENDING_MAX> asked; ///< EV, per slot
    std::uint64_t ranAt = 0;

    void ask(u16 ev, u32 random, std::uint64_t now);
    void lose(std::uint64_t now);
    void run(const std::function<u32()> &random, std::uint64_t now);
    void checkDue(u16 ev) const;
};
