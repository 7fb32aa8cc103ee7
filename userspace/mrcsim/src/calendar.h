// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The events that are to happen in a cell, in one order for all partitions: by time, then by the
 * node at which an event happens, then by its kind, then by its source.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock.h"

namespace mrcsim
{

/** Kinds of events. */
enum class What : uint8_t {
    fault,           ///< source: index in the list of faults
    carrier,         ///< of a host's port; source: the plane
    arrival,         ///< of a packet; source: the port that sent it
    port_free,       ///< the port has sent a packet; source: the port
    flow_start,      ///< source: the flow
    post,            ///< of a request, source: the flow
    requester_timer, ///< source: the flow
    responder_timer, ///< source: the flow
    answer_timer,    ///< source: the flow; arrivals have been held back for long enough
    prober_timer,    ///< of a host
};

/**
 * An event. At one time and node a source has at most one event of each kind, except timers that
 * were moved.
 */
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
 * A calendar: a ring of slots of some nanoseconds each. The current slot is sorted. The others
 * collect events as they come, in blocks that are used again as soon as they are empty, while
 * caches still have them. Events further away than one turn of the ring wait in a heap.
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

    /** Takes the first event before @p until from the calendar. False: there is none. */
    bool next(Time until, Event &event);

    /** A lower bound of the time of the first event. never: there is none. */
    [[nodiscard]] Time earliest() const;

    /** The event @p events places ahead, to prefetch what it needs; null: not known. */
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
    std::vector<uint64_t> busy_; ///< bit per slot: the slot has events
    std::vector<Block> blocks_;
    uint32_t free_ = no_block;
    std::vector<Event> now_;      ///< events of the current slot, sorted
    size_t done_ = 0;             ///< events of now_ that have happened
    std::vector<Event> inserted_; ///< events added to the current slot since it was sorted; a heap
    std::vector<Event> far_;      ///< events more than a turn away; a heap
    uint64_t slot_ = 0;
};

} // namespace mrcsim
