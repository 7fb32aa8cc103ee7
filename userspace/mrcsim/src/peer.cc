// SPDX-License-Identifier: GPL-2.0-only
#include "peer.h"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "random.h"

namespace mrcsim
{

namespace
{

/** The index in EvCount of a state of EVs; -1: such EVs are in use as they should be. */
int count_of(uint8_t state)
{
    switch (state) {
    case MRC_EV_ASSUMED_BAD:
        return static_cast<int>(EvCount::bad);
    case MRC_EV_DENIED:
        return static_cast<int>(EvCount::denied);
    case MRC_EV_HELD:
        return static_cast<int>(EvCount::held);
    default:
        return -1;
    }
}

} // namespace

Peer::Peer(const Network &network, uint32_t host, uint32_t remote) : remote_(remote)
{
    const EvSettings &settings = network.scenario.transport.evs;
    const auto count = static_cast<u16>(settings.in_rotation + settings.spares);
    const uint64_t pair = static_cast<uint64_t>(host) << 28 | remote;
    const auto draw =
        static_cast<u32>(random(network.scenario.run.seed, entity(Draw::paths, pair), 0));
    mrc_cc_params cc_params = network.derived.cc;

    entries_.resize(count);
    evs_.resize(count);
    choose_ways(network, host);
    if (mrc_paths_init(&paths, evs_.data(), entries_.data(), count,
                       static_cast<u16>(settings.min_active),
                       static_cast<u16>(settings.in_rotation), draw))
        throw std::logic_error("EVs");
    paths.set.timing = &network.derived.timing;
    mrc_pending_peer_init(&asked);
    mrc_probing_init(&probing, &network.derived.timing);
    mrc_shared_init(&shared, &cc_params, &network.derived.timing, false, engine_epoch_ns);
    mrc_cc_capacity(&shared.cc, network.fabric.shape().planes, network.fabric.shape().planes);
}

/** Draws different T1s in each plane; if there are too few, uses all of them, round and round. */
void Peer::choose_ways(const Network &network, uint32_t host)
{
    const FabricShape &shape = network.fabric.shape();
    const uint32_t per_plane = static_cast<uint32_t>(evs_.size()) / shape.planes;
    const uint64_t pair = static_cast<uint64_t>(host) << 28 | remote_;
    uint64_t draws = 0;

    for (uint32_t plane = 0; plane < shape.planes; plane++) {
        std::vector<uint16_t> all(shape.t0_up);
        std::iota(all.begin(), all.end(), 0);
        for (uint32_t i = 0; i < per_plane; i++) {
            const uint32_t at = i % shape.t0_up;
            if (i < shape.t0_up) {
                const uint32_t other = random_below(
                    network.scenario.run.seed, entity(Draw::way, pair), draws++, shape.t0_up - at);
                std::swap(all[at], all[at + other]);
            }
            const auto index = static_cast<u16>(spines_.size());
            entries_[index].port = static_cast<u8>(plane + 1);
            evs_[index].index = index;
            evs_[index].bits = static_cast<u32>(all[at] + 1) << 16 | index;
            spines_.push_back(all[at]);
        }
    }
}

void Peer::count_changes(Sample &sample)
{
    u8 old = 0;

    for (u16 ev; (ev = mrc_paths_next_change(&paths, &old)) != MRC_EV_NONE;) {
        const int from = count_of(old);
        const int to = count_of(paths.set.ev[ev].state);
        if (from >= 0)
            sample.ev_change[static_cast<size_t>(from)]--;
        if (to >= 0)
            sample.ev_change[static_cast<size_t>(to)]++;
    }
}

} // namespace mrcsim
