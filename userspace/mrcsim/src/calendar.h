// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What is to happen in a cell, in one order for all partitions: by time, then by the node that it
 * happens at, then by what it is and by who has caused it.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock.h"

namespace mrcsim
{

/** What happens. */
enum class What : uint8_t {
    fault,           ///< source: index in the list of faults
    carrier,         ///< of a host's port; source: the plane
    arrival,         ///< of a packet; source: the port that sent it
    port_free,       ///< it has sent a packet; source: the port
    flow_start,      ///< source: the flow
    post,            ///< of a request, source: the flow
    requester_timer, ///< source: the flow
    responder_timer, ///< source: the flow
    answer_timer,    ///< source: the flow; arrivals have been held back for long enough
    prober_timer,    ///< of a host
};

/** An event. A source causes no two of a kind at a node at a time, but timers that were moved. */
struct Event {
    Time at;
    uint64_t order;
    uint32_t argument; ///< arrival: the packet

    static constexpr uint64_t order_of(uint32_t node, What what, uint32_t source)
    {
        return static_cast<uint64_t>(node) << 32 | static_cast<uint64_t>(what) << 28 | source;
    }
    [[nodiscard]] uint32_t node() const { return static_cast<uint32_t>(order >> 32); }
    [[nodiscard]] What what() const { return static_cast<What>(order >> 28 & 0xf); }
    [[nodiscard]] uint32_t source() const { return static_cast<uint32_t>(order & 0xfffffff); }

    bool operator<(const Event &other) const
    {
        return at != other.at ? at < other.at : order < other.order;
    }
};

/**
 * A calendar: a ring of slots of some nanoseconds each. The slot that is being worked at is sorted;
 * the others are heaped up as events come, in blocks that are used again as soon as they are empty,
 * while caches still have them. What is further away than a turn waits in a heap.
 */
class Calendar
{
public:
    Calendar();

    void add(const Event &event)
    {
        const uint64_t slot = event.at >> slot_shift;

        if (slot <= slot_)
            add_now(event);
        else if (slot - slot_ < slots)
            add_soon(event, slot & (slots - 1));
        else
            add_far(event);
    }

    /** The first event before @p until, which leaves the calendar. False: there is none. */
    bool next(Time until, Event &event);

    /** When the first event is, not exactly: no earlier than this. never: there is none. */
    [[nodiscard]] Time earliest() const;

    /** The event that follows, as far as is known; null: it is not. For who fetches ahead. */
    [[nodiscard]] const Event *ahead(size_t events) const
    {
        return done_ + events < now_.size() ? &now_[done_ + events] : nullptr;
    }

private:
    static constexpr unsigned slot_shift = 14; // 16.4 ns
    static constexpr uint64_t slots = 1u << 14;
    static constexpr uint32_t no_block = ~0u;
    static constexpr uint32_t block_events = 15;

    struct Block {
        uint32_t next = no_block;
        uint32_t count = 0;
        Event events[block_events];
    };

    void add_now(const Event &event);
    void add_far(const Event &event);
    void add_block(uint64_t at);
    void add_soon(const Event &event, uint64_t at)
    {
        if (ring_[at] == no_block || blocks_[ring_[at]].count == block_events)
            add_block(at);
        Block &block = blocks_[ring_[at]];
        block.events[block.count++] = event;
    }
    bool advance(Time until);
    void gather(uint64_t at);
    void take_far();
    [[nodiscard]] uint64_t next_busy() const;

    std::vector<uint32_t> ring_; ///< the first block of each slot
    std::vector<uint64_t> busy_; ///< bit per slot: it has events
    std::vector<Block> blocks_;
    uint32_t free_ = no_block;
    std::vector<Event> now_;      ///< of the current slot, sorted
    size_t done_ = 0;             ///< of these
    std::vector<Event> inserted_; ///< into the current slot since; a heap
    std::vector<Event> far_;      ///< a heap
    uint64_t slot_ = 0;
};

} // namespace mrcsim
