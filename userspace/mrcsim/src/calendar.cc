// SPDX-License-Identifier: GPL-2.0-only
#include "calendar.h"

#include <algorithm>
#include <functional>

namespace mrcsim
{

namespace
{

/** Puts the first event on top. */
struct Later {
    bool operator()(const Event &a, const Event &b) const { return b < a; }
};

} // namespace

Calendar::Calendar() : ring_(slots, no_block), busy_(slots / 64) {}

void Calendar::add_now(const Event &event)
{
    inserted_.push_back(event);
    std::push_heap(inserted_.begin(), inserted_.end(), Later());
}

/** Adds a block to a slot, as its first one. */
void Calendar::add_block(uint64_t at)
{
    uint32_t id = free_;

    if (id == no_block) {
        id = static_cast<uint32_t>(blocks_.size());
        blocks_.emplace_back();
    } else {
        free_ = blocks_[id].next;
    }
    blocks_[id].next = ring_[at];
    blocks_[id].count = 0;
    ring_[at] = id;
    busy_[at / 64] |= 1ull << at % 64;
}

/** Moves the events of a slot to now_. */
void Calendar::gather(uint64_t at)
{
    for (uint32_t id = ring_[at]; id != no_block;) {
        Block &block = blocks_[id];
        const uint32_t next = block.next;
        now_.insert(now_.end(), block.events, block.events + block.count);
        block.next = free_;
        free_ = id;
        id = next;
    }
    ring_[at] = no_block;
    busy_[at / 64] &= ~(1ull << at % 64);
}

void Calendar::add_far(const Event &event)
{
    far_.push_back(event);
    std::push_heap(far_.begin(), far_.end(), Later());
}

bool Calendar::next(Time until, Event &event)
{
    while (done_ == now_.size() && inserted_.empty())
        if (!advance(until))
            return false;
    const bool sorted =
        done_ < now_.size() && (inserted_.empty() || now_[done_] < inserted_.front());
    const Event &first = sorted ? now_[done_] : inserted_.front();
    if (first.at >= until)
        return false;
    event = first;
    if (sorted) {
        done_++;
    } else {
        std::pop_heap(inserted_.begin(), inserted_.end(), Later());
        inserted_.pop_back();
    }
    return true;
}

/** Slots from the current one to the next one that has events; the constant slots: none has. */
uint64_t Calendar::next_busy() const
{
    const uint64_t from = slot_ + 1;

    for (uint64_t ahead = 0; ahead < slots;) {
        const uint64_t at = (from + ahead) & (slots - 1);
        const uint64_t word = busy_[at / 64] >> at % 64;
        if (word)
            return std::min<uint64_t>(1 + ahead + static_cast<unsigned>(__builtin_ctzll(word)),
                                      slots);
        ahead += 64 - at % 64;
    }
    return slots;
}

Time Calendar::earliest() const
{
    Time first = never;

    if (done_ < now_.size())
        first = now_[done_].at;
    if (!inserted_.empty())
        first = std::min(first, inserted_.front().at);
    if (first != never)
        return first;
    const uint64_t ahead = next_busy();
    if (ahead < slots)
        first = (slot_ + ahead) << slot_shift;
    return far_.empty() ? first : std::min(first, far_.front().at);
}

/** Moves events that are less than a turn away now out of the heap. */
void Calendar::take_far()
{
    while (!far_.empty() && (far_.front().at >> slot_shift) - slot_ < slots) {
        const Event event = far_.front();
        std::pop_heap(far_.begin(), far_.end(), Later());
        far_.pop_back();
        if (event.at >> slot_shift == slot_)
            now_.push_back(event);
        else
            add_soon(event, (event.at >> slot_shift) & (slots - 1));
    }
}

/** Goes to the next slot that has events. False: no event is before @p until. */
bool Calendar::advance(Time until)
{
    const Time first = earliest();

    if (first >= until)
        return false;
    slot_ = first >> slot_shift;
    const uint64_t at = slot_ & (slots - 1);
    now_.clear();
    done_ = 0;
    gather(at);
    take_far();
    std::sort(now_.begin(), now_.end());
    return true;
}

} // namespace mrcsim
