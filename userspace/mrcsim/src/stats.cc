// SPDX-License-Identifier: GPL-2.0-only
#include "stats.h"

namespace mrcsim
{

namespace
{

template <size_t n>
void add_all(std::array<uint64_t, n> &sum, const std::array<uint64_t, n> &other)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += other[i];
}

} // namespace

void Stats::add(const Stats &other)
{
    packets += other.packets;
    data += other.data;
    again += other.again;
    hops += other.hops;
    arrived += other.arrived;
    events += other.events;
    digest += other.digest;
    counted_sent += other.counted_sent;
    counted_trimmed += other.counted_trimmed;
    counted_marked += other.counted_marked;
    add_all(dropped, other.dropped);
    add_all(trimmed, other.trimmed);
    add_all(marked, other.marked);
    for (size_t tier = 0; tier < tiers; tier++)
        add_all(queue[tier], other.queue[tier]);
    samples.resize(other.samples.size());
    for (size_t i = 0; i < samples.size(); i++) {
        samples[i].bytes += other.samples[i].bytes;
        for (size_t state = 0; state < ev_counts; state++)
            samples[i].ev_change[state] += other.samples[i].ev_change[state];
    }
}

} // namespace mrcsim
