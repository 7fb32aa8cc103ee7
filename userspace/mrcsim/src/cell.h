// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A part of the fabric: racks with their T0s, of all planes, and a share of the T1s. Inside a cell,
 * everything happens in the order of the calendar. Only packets go from cell to cell, and each
 * takes at least one lookahead. A driver of cells runs all of them up to a time, lets each take
 * what the others have for it, and goes on.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "calendar.h"
#include "network.h"
#include "packet.h"
#include "random.h"
#include "stats.h"

namespace mrcsim
{

/** A packet that leaves a cell, and when and by which port it comes to the other cell. */
struct Handover {
    Event arrival;
    Packet packet;
};

/** A cell. */
class Cell
{
public:
    /** Makes the endpoints of the cell's hosts, too. */
    Cell(Network &network, uint32_t index);

    /** Runs everything that happens before @p until. */
    void run(Time until);

    /** Packets that have left for another cell since left() was called. */
    [[nodiscard]] const std::vector<Handover> &leaving(uint32_t cell) const
    {
        return outbox_[cell];
    }
    void left(uint32_t cell) { outbox_[cell].clear(); }

    /** Takes packets that come from another cell. */
    void take(const std::vector<Handover> &packets);

    /** No event of this cell is before this. */
    [[nodiscard]] Time earliest() const { return calendar_.earliest(); }

    [[nodiscard]] uint32_t index() const { return index_; }
    Stats &stats() { return stats_; }
    [[nodiscard]] const Stats &stats() const { return stats_; }
    Network &network() { return network_; }

    /** The functions that endpoints of this cell may call. @{ */
    [[nodiscard]] Time now() const { return now_; }
    [[nodiscard]] uint64_t engine_now() const { return engine_ns(now_); }
    PacketPool &pool() { return pool_; }
    void send(uint32_t port, PacketId id);
    void schedule(Time at, uint32_t node, What what, uint32_t source)
    {
        calendar_.add({at, Event::order_of(node, what, source), 0});
    }
    /** The current point of the curves over time. */
    Sample &sample() { return stats_.samples[now_ / sample_time_]; }
    /** Whether figures count the current time. */
    [[nodiscard]] bool counts() const { return now_ >= from_; }
    /** A batch of the engine, too large for a stack. */
    mrc_batch &batch() { return batch_; }
    /** @} */

private:
    void happen(const Event &event);
    void fetch_ahead() const;
    void arrive(const Event &event);
    void arrive_at_host(uint32_t host, PacketId id);
    void port_free(uint32_t port);
    void send_next(uint32_t index, Port &port);
    void wake(uint32_t index, Port &port);
    void fault(const FaultStep &step);
    void transmit(uint32_t index, Port &port, PacketId id);
    void note_queue(const Port &port, Traffic traffic);
    void note_arrival(const Packet &packet);
    void drop(PacketId id, Drop why);
    bool lost(uint32_t index, Port &port, PacketId id);
    uint32_t draw(Draw what, uint32_t index, Port &port);

    Network &network_;
    uint32_t index_;
    Calendar calendar_;
    PacketPool pool_;
    Stats stats_;
    Time now_ = 0;
    Time sample_time_;
    Time from_;
    std::vector<std::vector<Handover>> outbox_;
    mrc_batch batch_{};
};

} // namespace mrcsim
