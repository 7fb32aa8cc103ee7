// SPDX-License-Identifier: GPL-2.0-only
//
// One end's paths to the other, and its means to know them: the EV that an answer takes, EV probes
// with their pace and gate, the way back. It calls the engine as the module's prober and endpoint
// do.
#ifndef MRC_UNIT_PATH_END_H
#define MRC_UNIT_PATH_END_H

#include "core.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

struct PathEndConfig {
    std::vector<int> ports; ///< per EV, ascending
    int minActive = 0;
    int active = 0; ///< EVs in rotation; 0: all
    u32 mtu = 1024; ///< of the QP that is connected
    u32 random = 0; ///< differs between ends
};

class PathEnd
{
public:
    /// An EV probe with this id leaves on this EV.
    using Send = std::function<void(u16 ev, std::uint16_t id)>;

    PathEnd(const PathEndConfig &config, Send send);
    PathEnd(const PathEnd &) = delete;
    PathEnd &operator=(const PathEnd &) = delete;

    std::vector<mrc_ev_entry> evs;
    std::vector<mrc_paths_ev> named; ///< no EV has the bits 0
    mrc_paths paths{};
    mrc_ev_set &set = paths.set;
    std::uint64_t probes = 0; ///< sent

    /// EV bits of what is sent on an EV.
    static u32 bitsOf(u16 ev) { return ev + 1u; }

    /// The EV for an answer that leaves, or MRC_EV_NONE.
    u16 answerEv(std::uint64_t now);

    /// An answer was sent: probes the way back if it is time.
    void answered(u32 random, std::uint64_t now);

    /// The EVs for the answer to an EV probe that came by our @p port with these EV bits.
    std::vector<u16> probeAnswerEvs(u8 port, u32 bits, std::uint64_t now);

    /// When to call timer(); U64_MAX: there is nothing to wait for.
    std::uint64_t timerAt() const;

    /// What is lost, then what is due. @p random: any numbers
    void timer(const std::function<u32()> &random, std::uint64_t now);

    /// An answer has come, with the time stamp of its probe. False: nobody waits for it.
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

#endif
