// SPDX-License-Identifier: GPL-2.0-only
#include "path_end.h"

#include <algorithm>
#include <stdexcept>

PathEnd::PathEnd(const PathEndConfig &config, Send send)
    : evs(config.ports.size()), named(evs.size()), send(std::move(send)),
      pending(std::make_unique<mrc_pending>())
{
    for (std::size_t i = 0; i < evs.size(); ++i) {
        evs[i].port = static_cast<u8>(config.ports[i]);
        named[i].index = static_cast<u16>(i);
        named[i].bits = bitsOf(static_cast<u16>(i));
    }
    if (mrc_paths_init(&paths, named.data(), evs.data(), static_cast<u16>(evs.size()),
                       static_cast<u16>(config.minActive), static_cast<u16>(config.active),
                       config.random))
        throw std::runtime_error("paths");
    mrc_probing_init(&probing, &mrc_timing_software);
    mrc_probing_use(&probing, config.mtu, true);
    mrc_pending_init(pending.get());
    mrc_pending_peer_init(&peer);
}

u16 PathEnd::answerEv(std::uint64_t now)
{
    return mrc_paths_reverse_ev(&paths, now);
}

void PathEnd::answered(u32 random, std::uint64_t now)
{
    if (!mrc_paths_want_reverse(&paths, now))
        return;
    const u16 ev = mrc_paths_reverse_probe(&paths, random, now);
    if (ev != MRC_EV_NONE)
        ask(ev, random, now);
}

std::vector<u16> PathEnd::probeAnswerEvs(u8 port, u32 bits, std::uint64_t now)
{
    u16 ev[MRC_REVERSE_COPIES];
    if (!mrc_probing_may_answer(&probing, MRC_EP_EV_PROBE, now))
        return {};
    const unsigned n = mrc_paths_answer_evs(&paths, port, bits, now, ev);
    return {ev, ev + n};
}

std::uint64_t PathEnd::timerAt() const
{
    std::uint64_t at = mrc_probing_at(&probing, &paths);
    if (at != U64_MAX)
        at = std::max<std::uint64_t>(at, ranAt + mrc_timing_software.pace);
    return std::min<std::uint64_t>(at, mrc_pending_timer_at(pending.get()));
}

void PathEnd::timer(const std::function<u32()> &random, std::uint64_t now)
{
    lose(now);
    if (now >= ranAt + mrc_timing_software.pace)
        run(random, now);
}

bool PathEnd::probeAnswered(std::uint16_t id, u16 stamp, std::uint64_t now)
{
    const u16 slot = mrc_pending_find(pending.get(), id);
    if (slot == MRC_PENDING_NONE) {
        const std::uint64_t sent = mrc_port_stamp_at(stamp, now);
        const std::uint64_t wait = mrc_paths_overdue(&paths, sent, now);
        if (wait && mrc_pending_peer_late(&peer, wait, now))
            mrc_paths_late(&paths, sent, now);
        return false;
    }
    mrc_pending_end(pending.get(), slot);
    mrc_paths_report(&paths, MRC_SEEN_PROBE_ANSWERED, asked[slot], pending->slot[slot].sent_at,
                     now);
    return true;
}

/// Also accounts for the probe, because the table or the gate may have no room.
void PathEnd::ask(u16 ev, u32 random, std::uint64_t now)
{
    const u16 slot = mrc_pending_add(pending.get(), &peer, MRC_PENDING_PROBE,
                                     mrc_paths_ask_wait(&paths), random, now);
    if (slot != MRC_PENDING_NONE) {
        asked[slot] = ev;
        ++probes;
        send(ev, pending->slot[slot].id);
    }
    mrc_probing_account(&paths, ev, slot == MRC_PENDING_NONE ? MRC_SENT_NO_SPACE : MRC_SENT, now);
}

void PathEnd::lose(std::uint64_t now)
{
    for (u16 slot; (slot = mrc_pending_lost(pending.get(), now)) != MRC_PENDING_NONE;) {
        mrc_pending_give_up(pending.get(), slot);
        mrc_paths_report(&paths, MRC_SEEN_PROBE_LOST, asked[slot], pending->slot[slot].sent_at,
                         now);
    }
}

/// The only peer gets all turns.
void PathEnd::run(const std::function<u32()> &random, std::uint64_t now)
{
    unsigned room = std::min(mrc_pending_room(pending.get(), now), MRC_PROBING_RUN_MAX);
    unsigned bytes;
    if (mrc_probing_at(&probing, &paths) > now)
        return;
    ranAt = now;
    for (; room && mrc_pending_peer_may(&peer); --room) {
        const u16 ev = mrc_probing_next(&probing, &paths, now, &bytes);
        if (ev == MRC_EV_NONE)
            break;
        checkDue(ev);
        ask(ev, random(), now);
    }
}

void PathEnd::checkDue(u16 ev) const
{
    const mrc_ev_entry &e = evs[ev];
    if (e.state != MRC_EV_ASSUMED_BAD && e.state != MRC_EV_HELD && !e.doubted)
        throw std::runtime_error("probe of an EV in use");
}
